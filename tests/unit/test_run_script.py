"""run.py: installs what is needed, once, and says in plain words what it does and what is missing."""

import ast
import importlib.util
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from biasprint.core.errors import AppError
from biasprint.core.machine import installation, system_libraries
from biasprint.core.machine.installation import declared, first, pins

SCRIPT = Path(__file__).parents[2] / "run.py"
PARTS = [part.id for part in installation.parts()]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, copied to a folder of its own, with installing and the commands recorded, not done.

    `states` is what is installed; `prepared` what the program was asked to install of itself.
    """
    shutil.copy(SCRIPT, tmp_path)
    spec = importlib.util.spec_from_file_location("run_script", tmp_path / SCRIPT.name)
    assert spec
    assert spec.loader
    monkeypatch.setattr(sys, "path", list(sys.path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "has", lambda name: name != "ensurepip")  # an environment without pip is made at once
    monkeypatch.setattr(system_libraries, "missing_libraries", lambda needs: [])
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XDG_SESSION_TYPE", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(variable, raising=False)
    module.installed, module.commands, module.prepared = [], [], []
    module.states = dict.fromkeys(PARTS, "waiting")

    def states(python: Path) -> dict[str, str] | None:
        return dict(module.states) if python.exists() else None

    def install(environment: Path, python: Path, say: object) -> None:
        module.installed.append(PARTS[0])
        module.states[PARTS[0]] = "ready"

    def record(command: list[object], headless: bool) -> int:
        words = command[1:]
        if words[:3] != ["-m", "biasprint", "prepare"]:
            module.commands.append(words)
        elif "--status" not in words:
            asked = words[4::2] or PARTS
            module.prepared.append(asked)
            module.states |= dict.fromkeys(asked, "ready")
        return 0

    def leave_out(parts: tuple[str, ...]) -> None:
        for part, there in module.states.items():
            if there != "ready":
                module.states[part] = "left out" if part in parts else "waiting"

    monkeypatch.setattr(first, "states", states)
    monkeypatch.setattr(first, "install", install)
    monkeypatch.setattr(first, "install_extras", lambda *given: module.installed.extend(given[2]))
    monkeypatch.setattr(first, "make_light", lambda environment: leave_out(declared.left_out_of_light()))
    monkeypatch.setattr(first, "leave_out_nothing", lambda environment: leave_out(()))
    monkeypatch.setattr(module, "real_run", module.run, raising=False)
    monkeypatch.setattr(module, "run", record)

    class Behind:
        """Stands for a command that runs behind others."""

        start, code = 0.0, 0

        def __init__(self, command: list[object]) -> None:
            record(command, headless=True)

        def end(self) -> tuple[int, str]:
            return self.code, "Found 1 error.\n"

    module.RealBehind = module.Behind
    monkeypatch.setattr(module, "Behind", Behind)
    return module


def test_it_can_be_parsed_by_pythons_that_it_turns_away() -> None:
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_an_older_python_is_turned_away_in_one_sentence() -> None:
    pretend = f"import sys; sys.version_info = (3, 10, 4); exec(open({str(SCRIPT)!r}, encoding='utf-8').read())"
    done = subprocess.run([sys.executable, "-c", pretend], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.strip() == "Biasprint needs Python 3.11 or newer; this is 3.10. See python.org."


def test_help_names_every_command_and_installs_nothing(run: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--help"]) == 0
    told = capsys.readouterr().out
    assert all(f"python run.py {command}" in told for command in ("test", "soak", "bench", "package", "--headless"))
    assert run.installed == []


@pytest.mark.parametrize("words", [["fly"], ["--fast"], ["--headless", "more"], ["--light"] * 2, ["package", "more"]])
def test_an_unknown_command_is_a_wrong_use(run: ModuleType, words: list[str]) -> None:
    assert run.main(words) == 2
    assert run.installed == []


@pytest.mark.soak
def test_bench_asks_for_the_page_of_ratios_by_an_option_that_is_found(run: ModuleType) -> None:
    named = "tests/benchmarks/test_lexicon_speed.py"
    assert run.main(["bench", named, "-k", "counting"]) == 0
    assert run.commands[-1][:3] == ["-m", "pytest", named]
    run.installed.clear()
    assert run.main(["bench", "-k", "counting"]) == 0
    assert run.installed[-1:] == ["bench"]
    install, words = run.commands[-2:]
    assert "--no-deps" in install
    assert "--require-hashes" in install
    assert words[:3] == ["-m", "pytest", "tests/benchmarks"]
    assert "--ratios=docs/tables/benchmarks.md" in words
    told = subprocess.run(
        [sys.executable, *words, "-p", "no:cacheprovider", "--collect-only", "--ignore-glob=*/test_*"],
        cwd=SCRIPT.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "unrecognized arguments" not in told.stderr


def test_the_first_run_says_how_large_it_is_installs_the_windows_part_and_opens_it(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "has_display", lambda: True)
    assert run.main([]) == 0
    told = capsys.readouterr().out
    assert "2.5 GB" in told
    assert str(run.VENV) in told
    assert all(part.title in told and part.purpose in told for part in installation.parts()[1:])
    assert run.installed == ["window"]
    assert run.prepared == [], "the window installs the rest behind it"
    assert run.commands == [["-m", "biasprint", "demo"]]
    if sys.platform.startswith("linux"):
        assert "NVIDIA" in told


def test_without_a_window_it_waits_for_what_the_demo_needs_and_says_what_else_there_is(
    run: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main(["--headless"]) == 0
    assert run.prepared == [[*run.DEMO_PARTS, *run.DEMO_WISHES]]
    assert run.commands == [["-m", "biasprint", "demo", "--headless"]]
    assert "prepare" in capsys.readouterr().out.rpartition("Starting")[2]
    run.main(["test"])
    assert run.main(["--headless"]) == 0
    assert len(run.prepared) == 2, "the second time it is all there"
    assert "prepare" not in capsys.readouterr().out.rpartition("Starting")[2]


def test_the_light_edition_says_what_it_leaves_out_and_installs_none_of_it(
    run: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main(["--light", "--headless"]) == 0
    told = capsys.readouterr().out
    assert "1.2 GB of disk" in told
    assert "NVIDIA" not in told
    left_out = told.partition("Left out")[2]
    for part in installation.parts()[1:]:
        assert part.purpose in told
        assert (part.purpose in left_out) is not part.light
    assert run.prepared == [[*run.DEMO_PARTS, *run.DEMO_WISHES]]
    assert run.states["scorers"] == "left out"
    assert run.commands == [["-m", "biasprint", "demo", "--headless"]]
    assert "installs the rest" not in told, "it is complete"
    assert run.main(["--headless"]) == 0, "light once, light until more is asked for"
    assert run.states["scorers"] == "left out"
    assert run.main(["test"]) == 0
    assert set(run.states.values()) == {"ready"}, "who changes the program needs all of it"


def test_where_what_the_demo_needs_cannot_be_installed_it_is_not_started(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "run", lambda command, headless: run.commands.append(command[1:]) or 1)
    assert run.main(["--headless"]) == 1
    assert [command[2] for command in run.commands] == ["prepare"]
    assert "goes on from there" in capsys.readouterr().err


def test_nothing_is_installed_twice_until_something_is_missing(run: ModuleType) -> None:
    run.main([])
    run.main([])
    assert run.installed == ["window"]
    run.states["window"] = "waiting"
    run.main([])
    assert run.installed == ["window", "window"]


@pytest.mark.parametrize(("command", "extras"), [("test", ["dev", "server"]), ("package", ["build"])])
def test_developers_commands_install_everything_first(run: ModuleType, command: str, extras: list[str]) -> None:
    run.PACKAGE.mkdir(parents=True)
    assert run.main([command]) == 0
    assert run.prepared == [PARTS]
    assert run.installed == ["window", *extras]


def test_the_light_package_is_made_of_the_light_parts_in_a_folder_of_its_own(run: ModuleType) -> None:
    run.LIGHT_PACKAGE.mkdir(parents=True)
    assert run.main(["package", "--light"]) == 0
    assert run.prepared == [["window", "statistics", "encoder", "tagger"]]
    assert run.installed == ["window", "build"]
    assert run.commands[0][-2:] == ["--", "--light"]
    assert "left out" not in run.states.values(), "what was there before, or is still to come, is no concern of it"


@pytest.mark.parametrize("newest", [False, True])
def test_the_lock_is_renewed_by_what_the_environment_has_for_it(
    run: ModuleType, newest: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(pins, "refresh", lambda python, newest, say: asked.append((python, newest)))
    assert run.main(["lock", *["--newest"] * newest]) == 0
    assert asked == [(run.PYTHON, newest)]
    assert run.installed == [PARTS[0], "lock"]
    assert run.main(["lock", "--other"]) == 2
    assert len(asked) == 1


def test_the_program_that_it_opens_may_go_on_with_the_installation(
    run: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    asks = (
        f"import sys; sys.path.insert(0, {str(SCRIPT.parent)!r}); "
        "from biasprint.core.machine.installation import goes_on_unasked as asked; print(asked())"
    )
    for headless, may in ((False, "True"), (True, "False")):  # without a window nobody would see it, as in tests
        run.real_run([sys.executable, "-c", asks], headless)
        assert capfd.readouterr().out.strip() == may


def test_an_installation_that_was_cut_short_is_taken_up_again(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_short(environment: Path, python: Path, say: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(first, "install", cut_short)
        assert run.main([]) == 130
    assert run.main([]) == 0
    assert run.installed == ["window"]


def test_a_window_part_that_cannot_be_installed_is_said(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(environment: Path, python: Path, say: object) -> None:
        raise AppError("The window could not be installed: the disk is full.", hint="Make room and try again.")

    monkeypatch.setattr(first, "install", fail)
    assert run.main([]) == 1
    assert capsys.readouterr().err.strip().endswith("the disk is full. Make room and try again.")
    assert run.commands == []


def test_a_folder_that_may_not_be_written_is_said_before_anything_is_done(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(first, "may_write", lambda folder: False)
    assert run.main([]) == 1
    assert "copy the whole folder to where you may write" in capsys.readouterr().err
    assert not run.VENV.exists()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="no folder here refuses everybody")
def test_whether_a_folder_may_be_written_is_tried(tmp_path: Path) -> None:
    """Permissions would not stop an administrator; /proc does."""
    assert first.may_write(tmp_path)
    assert not first.may_write(Path("/proc/self"))


def test_an_environment_whose_python_is_gone_is_made_anew(run: ModuleType) -> None:
    run.main([])
    for python in run.PYTHON.parent.glob("python*"):
        python.unlink()
    assert run.main([]) == 0
    assert run.PYTHON.exists()
    assert run.installed == ["window", "window"]


def test_a_folder_that_is_no_environment_is_left_alone(run: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    run.VENV.mkdir()
    (run.VENV / "thesis.txt").write_text("precious")
    assert run.main([]) == 1
    assert (run.VENV / "thesis.txt").read_text() == "precious"
    assert "Move it away" in capsys.readouterr().err


def test_too_little_space_is_said_before_anything_is_done(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1_500_000_000))
    assert run.main([]) == 1
    assert "1.5 GB free; 4 GB are needed" in capsys.readouterr().err
    assert not run.VENV.exists()


def test_a_python_that_cannot_make_environments_is_said(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "has", lambda name: False)
    assert run.main([]) == 1
    assert "apt install python3-venv" in capsys.readouterr().err


def test_missing_system_libraries_are_named_with_their_packages_before_anything_is_downloaded(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        system_libraries, "missing_libraries", lambda needs: needs[:2] if needs is system_libraries.QT_NEEDS else []
    )
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": "debian"})
    assert run.main(["test"]) == 1
    told = capsys.readouterr().err
    assert "2 system libraries are missing" in told
    assert "apt install libegl1 libgl1\n" in told
    assert not run.VENV.exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are found otherwise on other systems")
def test_where_only_the_windows_libraries_are_missing_the_demo_runs_without_a_window(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(
        system_libraries, "missing_libraries", lambda needs: needs[:1] if needs is system_libraries.X11_NEEDS else []
    )
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": "debian"})
    assert run.main([]) == 0
    assert "apt install libxcb-cursor0\n" in capsys.readouterr().out
    assert run.commands == [["-m", "biasprint", "demo", "--headless"]]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are found otherwise on other systems")
@pytest.mark.parametrize(("answers", "end"), [(True, "demo"), (False, "--headless")])
def test_a_window_is_opened_only_on_a_display_that_answers(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, answers: bool, end: str
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(system_libraries, "x_server_answers", lambda: answers)
    run.main([])
    assert run.commands[0][-1] == end


def test_without_the_rest_of_the_project_it_says_so(tmp_path: Path) -> None:
    shutil.copy(SCRIPT, tmp_path)
    command = [sys.executable, "-I", "-S", tmp_path / SCRIPT.name]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.strip() == "biasprint is missing: run.py belongs into the whole project."


def test_the_demo_can_be_asked_to_open_no_window(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "has_display", lambda: True)
    run.main([])
    run.main(["--headless"])
    assert [command[-1] for command in run.commands] == ["demo", "--headless"]


def test_test_runs_every_check_and_fails_if_one_does(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main(["test", "-k", "letters"]) == 0
    tools = [command[1] if command[0] == "-m" else "lint-imports" for command in run.commands]
    assert tools == ["pytest", "pytest", "ruff", "ruff", "lint-imports", "pytest", "mypy", "pytest"], "compiled first"
    words = [command[-2:] == ["-k", "letters"] for command in run.commands if "pytest" in command][2:]
    assert words == [True, False], "not the window's"
    monkeypatch.setattr(run, "run", lambda command, headless: int(command[-2:] == ["check", "."]))
    monkeypatch.setattr(run.Behind, "code", 1)
    assert run.main(["test"]) == 1
    told, _, summary = capsys.readouterr().out.rpartition("=== summary ===")
    assert "=== types ===\nFound 1 error.\n" in told
    assert re.findall(r"(\w+) +(ok|FAILED)", summary) == [
        ("style", "FAILED"),
        ("format", "ok"),
        ("layers", "ok"),
        ("tests", "ok"),
        ("window", "ok"),
        ("types", "FAILED"),
    ]


def test_what_runs_behind_gives_its_code_and_output(run: ModuleType) -> None:
    code, output = run.RealBehind([sys.executable, "-c", "import sys; print('one'); sys.exit('two')"]).end()
    assert code == 1
    assert sorted(output.split()) == ["one", "two"]


@pytest.mark.parametrize("tries_itself", [False, True])
def test_package_builds_says_how_large_it_is_and_lets_the_program_try_itself(
    run: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tries_itself: bool
) -> None:
    def build(command: list[object], headless: bool) -> int:
        if "prepare" in command:
            return 0
        run.commands.append(command)
        run.PACKAGE.mkdir(parents=True, exist_ok=True)
        (run.PACKAGE / "torch.so").write_bytes(bytes(30_000_000))
        return 0

    monkeypatch.setattr(run, "run", build)
    monkeypatch.setattr(run, "start_times", lambda program: [0.9, 1.0, 5.0])
    assert run.main(["package", *(["--self-test"] if tries_itself else [])]) == 0
    assert run.installed == ["window", "build"]
    assert run.commands[0][1:4] == ["-m", "PyInstaller", "build.spec"]
    told = capsys.readouterr().out
    assert "0.03 GB" in told
    assert str(run.PACKAGE) in told
    assert [Path(str(first)).stem for first, *_ in run.commands[1:]] == ["biasprint"] * tries_itself
    assert all(rest == ["--self-test"] for _, *rest in run.commands[1:])
    assert ("1.00 s" in told) is tries_itself


def test_a_package_that_cannot_be_built_or_fails_its_own_test_is_a_failure(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "run", lambda command, headless: 1 if "PyInstaller" in command else 0)
    assert run.main(["package", "--self-test"]) == 1
    run.PACKAGE.mkdir(parents=True)
    monkeypatch.setattr(run, "run", lambda command, headless: 5 if "--self-test" in command else 0)
    assert run.main(["package", "--self-test"]) == 5


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script, which Windows does not start by itself")
def test_a_package_that_starts_slowly_is_a_failure(
    run: ModuleType, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A stand-in for the program tells how long it took, slowly at first."""
    program = tmp_path / "program"
    seconds = tmp_path / "seconds"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys, time\n"
        "assert sys.argv[1:] == ['--self-test', 'start'] and os.environ['QT_QPA_PLATFORM'] == 'offscreen'\n"
        "assert 0 <= time.monotonic() - float(os.environ['BIASPRINT_STARTED']) < 60\n"
        f"with open({str(seconds)!r}, 'a+') as file:\n"
        "    file.seek(0)\n    told = file.read()\n    file.write('.')\n"
        "print('0.1', 9.0 if not told else 0.2)\n"
    )
    program.chmod(0o755)
    assert run.start_times(program) == [0.2] * run.STARTS
    assert run.check_start([0.2] * run.STARTS) == 0
    assert run.check_start([1.4, 1.6, 1.7]) == 1
    assert "1.60 s" in capsys.readouterr().out
    program.write_text(f"#!{sys.executable}\nraise SystemExit('it lacks a library')\n")
    with pytest.raises(run.Stop, match="it lacks a library"):
        run.start_times(program)


def test_packaging_needs_room_on_the_disk(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run.main(["package"])
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=2_500_000_000))
    run.commands.clear()
    assert run.main(["package"]) == 1
    assert "2.5 GB free; 3 GB are needed" in capsys.readouterr().err
    assert run.commands == []


def test_commands_run_in_the_project_without_a_display_and_their_end_is_told(
    run: ModuleType, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    show = "import os; print(os.getcwd(), os.environ['QT_QPA_PLATFORM'])"
    assert run.real_run([sys.executable, "-c", show], True) == 0
    assert run.real_run([sys.executable, "-c", show], False) == 0
    assert capfd.readouterr().out.splitlines() == [f"{run.ROOT} offscreen", f"{run.ROOT} xcb"]
    assert run.real_run([sys.executable, "-c", "raise SystemExit(7)"], True) == 7


GLIBC = re.compile(r"(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|gcc_s))\.so\.\d+")


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("readelf") is None, reason="needs Linux and readelf"
)
def test_the_libraries_that_are_checked_are_those_that_qt_links_against(run: ModuleType) -> None:
    spec = importlib.util.find_spec("PySide6")
    assert spec
    assert spec.origin
    folder = Path(spec.origin).parent
    bundled = {
        file.name: file
        for part in (folder, folder / "Qt/lib", folder.parent / "shiboken6")
        for file in part.glob("*.so*")
    }

    def links(roots: list[str]) -> set[str]:
        todo, seen, outside = [folder / root for root in roots], set(), set()
        while todo:
            file = todo.pop()
            if file in seen:
                continue
            seen.add(file)
            dynamic = subprocess.run(["readelf", "-d", str(file)], capture_output=True, text=True, check=True).stdout
            for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
                if needed in bundled:
                    todo.append(bundled[needed])
                else:
                    outside.add(needed)
        return {name for name in outside if not GLIBC.fullmatch(name)}

    modules = [f"Qt{name}.abi3.so" for name in ("Core", "Gui", "Widgets", "Network", "Svg", "Test")]
    libraries = system_libraries
    base, x11, wayland = (
        {need[0] for need in needs} for needs in (libraries.QT_NEEDS, libraries.X11_NEEDS, libraries.WAYLAND_NEEDS)
    )
    same_package = {"libbrotlicommon.so.1", "libxcb.so.1"}  # come with libbrotlidec and with libX11
    assert links([*modules, "Qt/plugins/platforms/libqoffscreen.so"]) <= base | same_package
    assert links(["Qt/plugins/platforms/libqxcb.so"]) <= base | same_package | x11
    assert links(["Qt/plugins/platforms/libqwayland.so"]) <= base | same_package | wayland
