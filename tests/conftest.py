"""Every test runs without a display, without the network's model hub, and in a home of its own."""

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import compiled_once
import pytest
import side_by_side
import warm_children
from hypothesis.internal.conjecture import providers
from trust import plug_in
from trust.plug_in import figure  # noqa: F401 - a fixture

from biasprint.core import given
from biasprint.core.machine.current_folder import NO_PLUG_INS
from biasprint.desktop import read_no_sources

if TYPE_CHECKING:  # tests without a window do not load Qt
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

# Before any test module is collected: Qt and platformdirs read these when they are imported.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.update(NO_PLUG_INS)  # as the program does: each child looks through all packages for them otherwise
# No test reads or writes the key ring of whoever runs it.
os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
# Compiled modules are kept, even for who forbids it otherwise: the tests start the program hundreds of times.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Programs that the tests start, wherever they start them, are those of this tree.
SOURCE = str(Path(__file__).parents[1] / "core" / "python")
if SOURCE not in (paths := os.environ.get("PYTHONPATH", "").split(os.pathsep)):
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (SOURCE, *paths)))
if side_by_side.WORKER in os.environ or side_by_side.OPTION in sys.argv:
    os.environ.update(warm_children.ALONE)

MEMORY, ROOM_BYTES = Path("/dev/shm"), 4 << 30
HOME_VARIABLES = {
    "HOME": "",
    "USERPROFILE": "",
    "APPDATA": "AppData/Roaming",
    "LOCALAPPDATA": "AppData/Local",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
    "XDG_STATE_HOME": ".local/state",
    "XDG_RUNTIME_DIR": ".run",
}
KNOWN_FILES: dict[str, bytes] = {}  # what each home's data folder has at first


def pytest_addoption(parser: pytest.Parser) -> None:
    plug_in.add_options(parser)
    parser.addoption(side_by_side.OPTION, type=int, default=0, help="run the tests in so many forked processes")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Keep temporary files in memory where there is room: waiting for the disk took most of the time of many tests.

    Benchmarks and soak tests stay on the disk: they are about what it does.
    """
    if config.option.trust is not None:
        config.pluginmanager.register(plug_in.TrustReport(config), "trust")
    ordinary = config.option.markexpr == "not soak and not bench"
    if ordinary:  # In the soak, Hypothesis parses every module of ours in every test process, for constants to try.
        providers._get_local_constants = lambda: providers._local_constants  # type: ignore[attr-defined]
    room = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM_BYTES
    if ordinary and room and config.option.basetemp is None:
        folder = tempfile.mkdtemp(prefix="biasprint-tests-", dir=MEMORY)
        config.option.basetemp = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    window_alone = all(argument.startswith("tests/window") for argument in config.args)  # its program is another one
    forked = config.getoption(side_by_side.OPTION)
    shared_out = side_by_side.WORKER not in os.environ and config.getoption("dist", "no") != "no"
    if (forked or shared_out) and not window_alone:  # this process shares the tests out
        home = tempfile.mkdtemp(prefix="biasprint-tests-home-")
        config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
        warm_children.lend(dict.fromkeys(HOME_VARIABLES, home))
    if not shared_out:
        gc.disable()  # while tests are collected: many objects, and none of them garbage


def pytest_sessionstart(session: pytest.Session) -> None:
    forked = session.config.getoption(side_by_side.OPTION)
    if forked and session.config.getoption("dist", "no") == "no":
        session.config.pluginmanager.register(side_by_side.SideBySide(session.config, forked))
    if "shibokensupport.feature" in sys.modules:  # by pytest-qt
        read_no_sources()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: no collection of garbage need look through them, not even once."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of all home folders, with the one in which is made what tests share: also that leaves no trace."""
    folder = tmp_path_factory.mktemp("homes")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("BIASPRINT_HOME", raising=False)
        move_home(patch, folder / "shared")
        if side_by_side.WORKER in os.environ:  # alone, a test that needs little would wait for all that is imported
            warm_children.prepare()
            remember_models()
        compiled_once.share(patch)
        yield folder


@pytest.fixture
def qtbot(qapp: "QApplication", request: pytest.FixtureRequest) -> "QtBot":
    """The library's, which waits less between two looks."""
    from waiting import Bot

    return Bot(request)


@pytest.fixture(autouse=True)
def read_by_everybody() -> Iterator[None]:
    """A project that its owner alone may read has this process write for the owner alone: until the test's end."""
    kept_from, mask = given._kept_from, os.umask(0o022)
    os.umask(mask)
    yield
    given._kept_from = kept_from
    os.umask(mask)


@pytest.fixture(autouse=True)
def own_home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh home folder, so that no test reads or writes the settings of whoever runs it."""
    home = Path(tempfile.mkdtemp(dir=homes))  # tmp_path_factory would look through all the others for its number
    move_home(monkeypatch, home)
    monkeypatch.setenv("BIASPRINT_LANGUAGE", "en")  # and one that a test chooses is gone with it
    if KNOWN_FILES:
        (folder := home / HOME_VARIABLES["XDG_DATA_HOME"] / "biasprint").mkdir(mode=0o700, parents=True)
        for name, content in KNOWN_FILES.items():
            (folder / name).write_bytes(content)
    return home


@pytest.fixture
def own_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Projects that share no compiled statement with those of other tests."""
    import sqlalchemy

    from biasprint.core.project import connection

    monkeypatch.setattr(connection, "create_engine", sqlalchemy.create_engine)


def remember_models() -> None:
    """Hash the models that come with the program once: each home is that of a program that has been used."""
    from biasprint.core.machine import storage
    from biasprint.core.machine.models import installed, layout

    installed.installed()
    KNOWN_FILES[layout.FILE] = (storage.home() / layout.FILE).read_bytes()


def move_home(patch: pytest.MonkeyPatch, home: Path) -> None:
    """The folders in it are made by who writes to them, but for the one that must be there."""
    for variable, folder in HOME_VARIABLES.items():
        patch.setenv(variable, str(home / folder))
    (home / HOME_VARIABLES["XDG_RUNTIME_DIR"]).mkdir(parents=True, mode=0o700)  # Qt refuses one that others can read
