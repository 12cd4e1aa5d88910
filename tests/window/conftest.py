"""The window suite: the installed command on a real display, judged by what is on the screen.

Run it by `pytest tests/window` (`run.py test` does). `--approve` takes the pictures anew.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from display import Display, Pixels, missing_programs
from installed import installed_command
from person import NewPerson, Person
from pictures import Box, check_picture
from PIL import Image

REQUIRED = "BIASPRINT_WINDOW_TESTS"  # "required": where the display's programs are absent, the tests fail
FAILURES = Path(tempfile.gettempdir()) / "biasprint-window"
HERE = Path(__file__).parent
SIZE = (1280, 720)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--approve", action="store_true", help="Take the screen's pictures as the approved ones.")


def why_not() -> str:
    missing = missing_programs() if sys.platform == "linux" else ["an X server"]
    return f"THE WINDOW IS NOT TESTED: {', '.join(missing)} missing (see .ci/run)" if missing else ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = why_not()
    if reason and os.environ.get(REQUIRED) != "required":
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if reason := why_not():
        terminalreporter.write_line(reason, red=True, bold=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Keep a picture of every screen on which a test failed."""
    report = yield
    if report.when == "call" and report.failed:
        FAILURES.mkdir(exist_ok=True)
        for number, person in enumerate(Everyone.people):
            file = FAILURES / f"{item.name}-{number}.png"
            Image.fromarray(person.display.picture()).save(file)
            report.sections.append(("screen", str(file)))
    return report


class Everyone:
    """The people whose programs run now."""

    people: list[Person] = []


@pytest.fixture(scope="session")
def homes() -> None:
    """Nothing of the program runs in this process: it needs none of what other tests share."""


@pytest.fixture(scope="session")
def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the test processes share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(autouse=True)
def own_home() -> None:
    """Each person has a home of their own."""


@pytest.fixture(scope="session")
def command(own_folder: Path) -> Path:
    """The `biasprint` command of the project's wheel, installed in a fresh environment."""
    assert not why_not(), why_not()
    return installed_command(own_folder / "installed")


@contextmanager
def people(command: Path) -> Iterator[NewPerson]:
    """Makes people, each with a screen and a home of their own; all of it is gone in the end."""
    with ExitStack() as stack:

        def make(width: int = SIZE[0], height: int = SIZE[1], **screen: bool) -> Person:
            folder = Path(tempfile.mkdtemp(prefix="biasprint-person-"))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            person = Person(stack.enter_context(Display(width, height, **screen)), [command], folder)
            stack.callback(person.stop)
            Everyone.people.append(person)
            stack.callback(Everyone.people.remove, person)
            return person

        yield make


@pytest.fixture
def new_person(command: Path) -> Iterator[NewPerson]:
    """Makes people for one test."""
    with people(command) as make:
        yield make


@pytest.fixture(scope="module")
def new_person_for_all(command: Path) -> Iterator[NewPerson]:
    """Makes people for all tests of a module."""
    with people(command) as make:
        yield make


@pytest.fixture
def compare(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Compares a picture with the approved one of that name."""
    approve = request.config.getoption("--approve")

    def check(picture: Pixels, name: str, *without: Box) -> None:
        check_picture(picture, name, approve=approve, failures=FAILURES, without=without)

    return check
