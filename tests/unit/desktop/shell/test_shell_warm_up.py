"""The modules that are imported after the window is up."""

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.core.jobs import Precedence
from biasprint.core.letters import get_ready_for_words
from biasprint.desktop import app, main_window, warm_up
from biasprint.desktop.jobs import JobRunner
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import Operation, letters
from biasprint.desktop.warm_up import WarmUp, modules_of


def test_modules_of_a_package_include_those_in_the_packages_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, text in {
        "__init__": "",
        "first": "",
        "room/__init__": "",
        "room/_part": "",
        "wrong/__init__": "1 / 0",
    }.items():
        module = tmp_path / "some_house" / f"{name}.py"
        module.parent.mkdir(exist_ok=True)
        module.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        found = modules_of("some_house")
        assert next(found) == "some_house.first"
        assert "some_house.room" not in sys.modules  # each step costs one module
        assert list(found) == ["some_house.room", "some_house.room._part", "some_house.wrong"]
    finally:
        for name in [name for name in sys.modules if name.startswith("some_house")]:
            del sys.modules[name]


def test_modules_of_the_panels_are_all_named():
    assert set(modules_of("biasprint.desktop.panels")) >= {
        "biasprint.desktop.panels.base",
        "biasprint.desktop.panels.judge",
    }


@pytest.mark.soak
def test_every_room_of_the_engine_is_imported_by_one_thread():
    """Two threads that import a package and a module of it at once can fail: CPython issue 83065."""
    program = """
        import pkgutil, sys
        import biasprint.core
        from biasprint.desktop import warm_up
        warm_up.import_store()
        warm_up.import_engine()
        rooms = pkgutil.walk_packages(biasprint.core.__path__, "biasprint.core.")
        left = [room.name for room in rooms if room.ispkg and room.name not in sys.modules]
        print([name for name in left if name != "biasprint.core.cluster"])  # only its command imports it
    """
    command = [sys.executable, "-P", "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_a_panel_is_loaded_once_no_thread_imports(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch):
    importing = [True]
    monkeypatch.setattr(main_window, "is_importing", lambda: importing[0])
    window.show_panel("settings")
    qtbot.wait(60)
    assert "settings" not in window.panels
    importing[0] = False
    qtbot.waitUntil(lambda: window.current == "settings")


def test_nothing_is_imported_while_a_rater_presses_keys(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch):
    precedence, done = Precedence(), []
    monkeypatch.setattr(warm_up, "precedence", precedence)
    monkeypatch.setattr(warm_up, "IDLE_SECONDS", 60.0)
    monkeypatch.setattr(warm_up, "LOOK_MILLISECONDS", 1)
    monkeypatch.setattr(warm_up, "_panels_in_steps", lambda: iter([None]))
    runner = JobRunner()
    warming = WarmUp(runner)
    precedence.take()
    precedence.give_back()
    warming.start(lambda: done.append(1))
    with qtbot.waitSignal(warming._timer.timeout):
        pass
    qtbot.wait(20)
    assert not done
    monkeypatch.setattr(warm_up, "IDLE_SECONDS", -1.0)
    qtbot.waitUntil(lambda: done == [1])
    assert runner.close()


def test_what_is_not_installed_yet_comes_also_where_the_project_could_not_be_opened(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
):
    begun: list[object] = []

    class AtOnce:
        def __init__(self, *_: object) -> None: ...

        def start(self, then: Callable[[], object] | None, *, with_engine: object) -> None:
            assert then is not None
            then()

    monkeypatch.setattr(app, "WarmUp", AtOnce)
    monkeypatch.setattr(app, "_start_marking", lambda _: None)
    monkeypatch.setattr(app, "BEHIND_OPENING_MILLISECONDS", 0)
    monkeypatch.setattr(window, "open_project", lambda _: None)
    monkeypatch.setattr(window.preparation, "begin", lambda: begun.append(1))
    app.start(window, Path("gone.biasprint"), prepare=True)
    qtbot.waitUntil(lambda: window.started_with == Path("gone.biasprint"))
    assert not begun
    window.session.failed.emit(AppError("It could not be opened."), Path("gone.biasprint"))
    qtbot.waitUntil(lambda: begun == [1])


class Quick:
    """Hears what the quick process is asked for."""

    def __init__(self) -> None:
        self.calls: list[object] = []

    def call(self, target: object, /, *args: object, ctx: object = None) -> None:
        self.calls.append(target)


@pytest.mark.parametrize("path", [None, "letters.biasprint", "rater.bpacket"])
def test_the_marking_of_letters_starts_with_the_window_unless_somebody_rates(
    path: str | None, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
):
    quick, waits, asked, then = Quick(), Event(), list[str](), list[Callable[[], object] | None]()

    class Importing:
        def __init__(self, *_: object) -> None: ...

        def start(self, after: object, *, with_engine: Callable[[], object] | None) -> None:
            then.append(with_engine)

    monkeypatch.setattr(app, "WarmUp", Importing)
    monkeypatch.setattr(window, "open_project", lambda _: None)
    monkeypatch.setattr("biasprint.core.compute.quick", lambda: quick)
    monkeypatch.setattr(letters, "warm_up_words", lambda: Operation("", lambda _: asked.append("words"), quiet=True))
    monkeypatch.setattr(window.jobs, "_prepare", lambda: waits.wait(60))  # the engine is long in coming
    monkeypatch.setattr(app, "BEHIND_OPENING_MILLISECONDS", 0)
    rates = path == "rater.bpacket"
    app.start(window, None if path is None else Path(path))
    try:
        if path is not None:
            qtbot.waitUntil(lambda: window.started_with == Path(path))
            assert not then, "whoever waits for the project needs the processor more"
            for _ in range(2):  # another one is opened later
                window.session.failed.emit(AppError("It could not be opened."), Path(path))
        qtbot.waitUntil(lambda: bool(then))
        (with_engine,) = then
        assert (with_engine is None) == rates
        if with_engine is not None:
            qtbot.waitUntil(lambda: quick.calls == [get_ready_for_words])
            assert not asked
            with_engine()
    finally:
        waits.set()
    qtbot.waitUntil(lambda: not window.jobs.active())
    assert bool(asked) == bool(quick.calls) == (not rates)
