"""Nothing of a stranger's folder runs: no module, package or Qt plug-in that lies where a person works.

Modules that leave a mark when they are executed lie in the working folder, beside the letters, in the project's folder
and in the temporary folder. Then every command of the program is started there, and the window.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import PySide6
import pytest
import typer

from biasprint.core.project.project import Project
from biasprint.desktop.commands import build_program

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 60.0

# ---- The folder of a stranger

MARK = """\
import os
with open({marks!r} + "/" + {name!r} + "-" + str(os.getpid()), "w") as mark:
    mark.write({place!r})
"""
# What Python, the libraries and the program import by a bare name, and what is looked up by name where it is on a path.
MODULES = (
    "signal", "random", "docx", "core", "biasprint", "desktop", "sitecustomize", "usercustomize", "pip", "json",
    "typing", "tempfile", "subprocess", "multiprocessing", "logging", "numpy", "torch", "spacy", "lxml", "PySide6",
    "llama_cpp", "sqlite3", "stranger_plug_in",
)  # fmt: skip
ENTRY_POINTS = "[biasprint.{group}]\nstranger = stranger_plug_in:plug_in\n"
GROUPS = ("studies", "scorers", "backends")
QT_PLUG_INS = (
    "platforms/libqoffscreen.so", "imageformats/libqsvg.so", "styles/libqstyle.so", "iconengines/libqsvgicon.so",
    "platforms/libqxcb.so", "platformthemes/libqgtk3.so", "platforminputcontexts/libibusplatforminputcontextplugin.so",
    "generic/libqevdevkeyboardplugin.so", "tls/libqopensslbackend.so", "networkinformation/libqglib.so",
    "xcbglintegrations/libqxcb-glx-integration.so", "QtQuick/libqtquick2plugin.so",
)  # fmt: skip
QT = Path(PySide6.__file__).parent / "Qt" / "plugins"
LIBRARIES = ("libxcb.so.1", "libEGL.so.1", "libllama.so", "libQt6Core.so.6")
# Qt reads what a plug-in says of itself before it loads it: this one says what Qt's own offscreen platform does.
LIBRARY = """
#include <fcntl.h>
#include <unistd.h>
__asm__(".section .note.qt.metadata,\\"a\\",@note\\n.balign 8\\n.incbin \\"%s\\"\\n.previous");
__attribute__((constructor)) static void mark(void) { close(open("%s", O_CREAT | O_WRONLY, 0600)); }
"""


@dataclass(frozen=True)
class Stranger:
    """The folders with planted code, the environment to start the program in, and the marks that the code leaves."""

    work: Path
    marks: Path
    environment: dict[str, str]

    def executed(self) -> list[str]:
        """What was executed, and of which folder."""
        return sorted(f"{mark.name} of {mark.read_text() or 'a library'}" for mark in self.marks.iterdir())


def plant(folder: Path, marks: Path) -> None:
    """Put code that leaves a mark into a folder, under every name that might be looked up in it."""
    folder.mkdir(exist_ok=True)
    for name in MODULES:
        text = MARK.format(marks=str(marks), name=name, place=folder.name)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    metadata = folder / "stranger-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("".join(ENTRY_POINTS.format(group=group) for group in GROUPS))
    (folder / "stranger.pth").write_text("import stranger_plug_in\n", encoding="utf-8")
    (folder / "spacy_stranger").mkdir()
    for package in ("spacy_stranger", "lib/python3.11/site-packages", "Lib/site-packages", "transformers"):
        (folder / package).mkdir(parents=True, exist_ok=True)
        for name in ("__init__", "__main__", "sitecustomize", "usercustomize"):
            text = MARK.format(marks=str(marks), name=f"{package}-{name}".replace("/", "-"), place=folder.name)
            (folder / package / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / "pyvenv.cfg").write_text(f"home = {folder}\ninclude-system-site-packages = true\n", encoding="utf-8")
    (folder / ".env").write_text(f"PYTHONPATH={folder}\nQT_PLUGIN_PATH={folder}\n", encoding="utf-8")
    for settings in ("pip.conf", "pip.ini"):
        (folder / settings).write_text("[global]\nno-index = true\nfind-links = .\n", encoding="utf-8")
    (folder / "qt.conf").write_text("[Paths]\nPlugins = .\n", encoding="utf-8")


def plant_libraries(folders: Sequence[Path], marks: Path) -> None:
    """Put Qt plug-ins and libraries that leave a mark when they are loaded into folders."""
    source, library = folders[0] / "library.c", folders[0] / "library.so"
    said = folders[0] / "metadata"
    subprocess.run(
        ["objcopy", "--dump-section", f".note.qt.metadata={said}", QT / "platforms" / "libqoffscreen.so", os.devnull],
        check=True,
    )
    source.write_text(LIBRARY % (said, marks / "library"), encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,--build-id=none", "-o", library, source], check=True)
    for path in (folder / name for folder in folders for name in (*QT_PLUG_INS, *LIBRARIES)):
        path.parent.mkdir(exist_ok=True)
        shutil.copy(library, path)


def install_command(folder: Path) -> Path:
    """The console script as an installation makes it: only its own folder comes first on the module path."""
    folder.mkdir()
    script = folder / "biasprint"
    paths = [str(ROOT / "core" / "python")]
    script.write_text(
        f"#!{sys.executable}\n"
        f"import sys\nsys.path[1:1] = {paths!r}\n"  # the tree stands in for what is installed
        "from biasprint.__main__ import main\n"
        'if __name__ == "__main__":\n    sys.exit(main())\n',
        encoding="utf-8",
    )
    return script


LOADER = {"LD_LIBRARY_PATH": f"{os.environ.get('LD_LIBRARY_PATH', '/usr/lib')}{os.pathsep}"}  # an empty entry
PACKAGED = Path(os.environ.get("BIASPRINT_PACKAGED", ROOT / "dist" / "biasprint"), "biasprint")
PROGRAMS = [
    "installed",
    pytest.param(
        "packaged",
        marks=[
            pytest.mark.soak,
            pytest.mark.skipif(
                not PACKAGED.is_file(),
                reason="“python run.py package” makes it; BIASPRINT_PACKAGED names another folder",
            ),
        ],
    ),
]


@pytest.fixture
def program(request: pytest.FixtureRequest, stranger: "Stranger", tmp_path: Path) -> list[str]:
    """The words that start the program. The packaged one has all that it needs: no variable adds to it."""
    if request.param == "installed":
        return [sys.executable, str(install_command(tmp_path / "bin"))]
    everywhere = {
        name: str(stranger.work)
        for name in (
            "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH",
            "QML_IMPORT_PATH", "QML2_IMPORT_PATH", "PIP_TARGET",
        )
    }  # fmt: skip
    stranger.environment.update(
        everywhere | {"PYTHONSTARTUP": f"{stranger.work}/signal.py", "PYTHONINSPECT": "1", **LOADER}
    )
    return [str(PACKAGED)]


LETTER = """\
Dear committee,

I recommend Mary Brown for the post. She is a brilliant scientist and a caring colleague. In four years with us she led
two projects, published five papers and was awarded the prize of the faculty.

John Smith
"""
AUDIT = """\
audit = 1
[[prompts]]
study = "completion"
domains = ["nationality"]
directions = ["ASA"]
[[generators]]
backend = "synthetic"
model = "none"
[[measure]]
study = "completion"
[outputs]
project = "audited.biasprint"
report = "audited.html"
"""


@pytest.fixture
def stranger(tmp_path: Path, own_home: Path) -> Stranger:
    marks, work, elsewhere, projects, temporary = (
        tmp_path / name for name in ("marks", "work", "elsewhere", "projects", "temporary")
    )
    marks.mkdir()
    for folder in (work, elsewhere, projects, temporary):
        plant(folder, marks)
    if shutil.which("cc") and shutil.which("objcopy"):
        plant_libraries((work, elsewhere, projects, temporary), marks)
    (work / "letters").mkdir()
    for place in (work / "l.txt", work / "letters" / "l.txt", elsewhere / "l.txt"):
        place.write_text(LETTER, encoding="utf-8")
    (work / "texts.csv").write_text("group,text\n" + "woman,She is kind.\nman,He is strong.\n" * 20, encoding="utf-8")
    people = "sex,race,selected\n" + "female,white,1\nmale,black,0\n" * 10
    (work / "people.csv").write_text(people, encoding="utf-8")
    (work / "names.csv").write_text("name,race\nMary,white\nKeisha,black\n", encoding="utf-8")
    (work / "audit.toml").write_text(AUDIT, encoding="utf-8")
    environment = os.environ | {
        "TMPDIR": str(temporary), "QT_QPA_PLATFORM": "offscreen", "PIP_NO_INDEX": "1", "BIASPRINT_OFFLINE": "",
    }  # fmt: skip
    environment.pop("PYTHONPATH", None)
    return Stranger(work, marks, environment)


# ---- Every command

STUDY = "../projects/study.biasprint"


@dataclass(frozen=True)
class Case:
    """The words of a command; `code`: its exit code, where it has nothing to do here and says so.

    `light`: its exit code in the packaged light edition, where it is another: nothing can be added to that one.
    """

    words: str
    code: int = 0
    light: int | None = None
    long: bool = False  # left to the soak test, which starts all


# In this order: what a command makes, later ones read.
CASES = (
    Case(f"new {STUDY}"),
    Case(f"prompts {STUDY} --study creativity --task haiku --theme stars --axis gender"),
    Case(f"prompts {STUDY} --study completion --domain nationality --direction ASA"),
    Case("designs"),
    Case(f"generate {STUDY} --study creativity --backend synthetic --model large --seed 5"),
    Case(f"generate {STUDY} --study completion --backend synthetic --model large --seed 5"),
    Case(f"replay {STUDY} --n 1"),
    Case(f"check {STUDY}"),
    Case(f"rescue {STUDY} --out rescued.biasprint"),
    Case("restore rescued.biasprint --list"),
    Case("example axes --out own-axis.toml"),
    Case("calibrate completion --planted none --n 20 --repeats 1", long=True),
    Case("axis list"),
    Case("axis cross race gender --out crossed.toml"),
    Case("axis check own-axis.toml"),
    Case("names list"),
    Case("names make names.csv --out own-names.toml"),
    Case("names check own-names.toml"),
    Case("models list"),
    Case("models get smollm2-135m-instruct", code=1),
    Case("models export nothing ../elsewhere", code=2),
    Case("models verify"),
    Case("models add ../elsewhere/l.txt --role generator", code=1),
    Case("models prefer sentiment textblob"),
    Case("models remove nothing", code=2),
    Case("models engine", light=1),
    Case("endpoints list"),
    Case("endpoints add own --url http://127.0.0.1:9/v1"),
    Case("endpoints test own", code=1),
    Case("endpoints key own", code=1),
    Case("endpoints remove own"),
    Case("offline"),
    Case("prepare --status"),
    Case(f"compare {STUDY} --axis gender --seed 3"),
    Case(f"judge {STUDY} --backend synthetic --model large", code=1),
    Case(f"certificate {STUDY} --backend synthetic --model large", code=1),
    Case(f"packet list {STUDY}"),
    Case(f"packet make {STUDY} --out packets --rater R01"),
    Case(f"packet merge {STUDY} packets/R01.biaspacket", code=1),
    Case(f"packet decide {STUDY} R01 abc --neither", code=2),
    Case(f"packet seats {STUDY}"),
    Case(f"packet count {STUDY} R01"),
    Case(f"raters list {STUDY}"),
    Case(f"raters exclude {STUDY} R01 --reason asleep"),
    Case(f"raters include {STUDY} R01"),
    Case(f"score {STUDY} --scorer textblob", long=True),  # the same children as of a table
    Case("score texts.csv --scorer textblob --out scored.csv"),
    Case(f"measure completion {STUDY}", long=True),  # the same child as for a table, and 792 replies
    Case("measure compare texts.csv --report compared.md"),
    Case(f"import {STUDY} texts.csv --study compare"),
    Case(f"measure compare {STUDY}"),
    Case(f"report {STUDY} --study compare --out report.html"),
    Case(f"pack make {STUDY} --out pack", long=True),
    Case("pack verify pack", long=True),
    Case("impact people.csv --out impact.html"),
    Case(f"analysis-plan new {STUDY} --study completion --out plan.toml"),
    Case(f"analysis-plan lock {STUDY} plan.toml"),
    Case(f"analysis-plan show {STUDY}"),
    Case(f"export {STUDY} outputs --study completion --out outputs.csv"),
    Case("letter l.txt --report checked.pdf --word checked.docx"),
    Case("letter ../elsewhere/l.txt --note note.pdf"),
    Case("letter .", long=True),  # the same children as of one letter
    Case("reference list"),
    Case("reference make own letters", long=True),
    Case("reference remove own", long=True),
    Case(f"saved-letters add {STUDY} ../elsewhere/l.txt"),
    Case(f"saved-letters list {STUDY}"),
    Case(f"saved-letters remove {STUDY} nothing", code=2),
    Case("run audit.toml"),
    Case(f"audit-file {STUDY} --out as-audit.toml"),
    Case("demo --headless --out demo", long=True),
)
WINDOW = f"gui {STUDY}"  # a test of its own: it stays until it is closed


def commands_of_the_program() -> Iterator[str]:
    def names(command: Any, above: tuple[str, ...] = ()) -> Iterator[str]:
        for name, each in getattr(command, "commands", {}).items():
            yield from names(each, (*above, name))
        if not hasattr(command, "commands"):
            yield " ".join(above)

    return names(typer.main.get_command(build_program()))


def test_every_command_of_the_program_is_started_below() -> None:
    started = [*(f"{case.words} " for case in CASES), WINDOW]

    missing = [name for name in commands_of_the_program() if not any(each.startswith(f"{name} ") for each in started)]

    assert missing == []


# `main` once for each command, in one process, so that the children are started once.
ALL_IN_ONE = """
    import io, json, sys
    from contextlib import redirect_stderr, redirect_stdout

    def run(words):
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with redirect_stdout(out), redirect_stderr(out):
            code = main(words)
        out.seek(0)
        return [code, out.read()]

    if __name__ == "__main__":
        print(json.dumps([run(words) for words in json.loads(sys.argv[1])]))
"""


def test_no_command_runs_code_of_the_folders_it_works_in(stranger: Stranger, tmp_path: Path) -> None:
    script = install_command(tmp_path / "bin")
    installed, _, _ = script.read_text(encoding="utf-8").partition("if __name__")
    script.write_text(installed + textwrap.dedent(ALL_IN_ONE), encoding="utf-8")

    cases = [case for case in CASES if not case.long]

    done = subprocess.run(
        [sys.executable, script, json.dumps([case.words.split() for case in cases])],
        cwd=stranger.work, env=stranger.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip

    assert stranger.executed() == []
    assert done.returncode == 0, done.stderr
    _assert_codes(zip(cases, json.loads(done.stdout), strict=True))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("program", PROGRAMS, indirect=True)
def test_no_command_in_a_process_of_its_own_runs_code_of_the_folders_it_works_in(
    stranger: Stranger, program: list[str]
) -> None:
    def run(case: Case) -> tuple[int, str]:
        done = subprocess.run(
            [*program, *case.words.split()],
            cwd=stranger.work, env=stranger.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )  # fmt: skip
        assert stranger.executed() == [], case.words
        return done.returncode, done.stdout + done.stderr

    light = program == [str(PACKAGED)] and not any(PACKAGED.parent.glob("*/torch"))
    cases = [replace(case, code=case.light) if light and case.light is not None else case for case in CASES]
    _assert_codes((case, run(case)) for case in cases)


def _assert_codes(answers: Any) -> None:
    """Each command got to its end: one that fails early would run nothing."""
    wrong = [f"{case.words}: {code}\n{said}" for case, (code, said) in answers if code != case.code]
    assert not wrong, "\n".join(wrong)


# ---- The window

# Of somebody's start script: empty and relative entries, which name the current folder to Qt and to what is started.
RELATIVE = {
    "QT_PLUGIN_PATH": f".{os.pathsep}", "QT_QPA_PLATFORM_PLUGIN_PATH": "platforms", "QML_IMPORT_PATH": ".",
    "QML2_IMPORT_PATH": ".", "PATH": f".{os.pathsep}{os.environ['PATH']}{os.pathsep}",
    **LOADER,
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, indirect=True)
@pytest.mark.parametrize(
    ("words", "beside_it", "environment"),
    [
        (WINDOW, False, {}),
        pytest.param("study.biasprint", True, {}, marks=pytest.mark.soak),  # the next one is started there too
        ("study.biasprint", True, RELATIVE),
    ],
    ids=["from another folder", "double-clicked in its folder", "with relative paths in the environment"],
)
def test_the_window_runs_no_code_of_the_folders_it_is_started_in(
    words: str, beside_it: bool, environment: dict[str, str], stranger: Stranger, program: list[str], tmp_path: Path
) -> None:
    Project.create(tmp_path / "projects" / "study.biasprint").close()

    with subprocess.Popen(
        [*program, *words.split()],
        cwd=tmp_path / "projects" if beside_it else stranger.work, env=stranger.environment | environment,
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as window:  # fmt: skip
        try:
            at_work = _has_children_at_work(window.pid, 2)  # what marks letters, and what reads their files
            window.send_signal(signal.SIGINT)
            _, said = window.communicate(timeout=PATIENCE_SECONDS)
        finally:
            window.kill()

    assert stranger.executed() == []
    assert at_work, said
    assert window.returncode == 0, said


def _has_children_at_work(pid: int, count: int) -> bool:
    """Wait for them. A child that listens has more than one thread: everything that it needs to start is imported."""
    process = psutil.Process(pid)
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        children = process.children()
        if sum(child.is_running() and child.num_threads() > 1 for child in children) >= count:
            return True
        time.sleep(0.25)  # each look goes through all processes of the computer
    return False
