#!/usr/bin/env python3
"""Installs Biasprint beside this file and starts it. Needs Python 3.11 or newer, and nothing else.

  python run.py              install what the window needs, and open it on the sample project; the rest is
                             installed behind it, and the next start goes on where this one ended
                             (without a display: a demo told in text and pictures, once what it needs is there)
  python run.py --headless   the demo without a window, even where there is a display
  python run.py --light      the same for the light edition, which is half as large: judging, charts, measuring and
                             letters; what it lacks can be added at any time (biasprint prepare)
  python run.py test         install everything, then check the code and run the tests; more words go to pytest
  python run.py soak         install everything, then run what shows that nothing goes wrong, and write
                             docs/tables/trust.md (with --short: without what takes hours;
                             --fuzz-seconds N for each kind of damaged input)
  python run.py bench        install everything, then run the benchmarks, and write docs/tables/benchmarks.md
                             (with tests/benchmarks/FILE: those alone)
  python run.py lock         bring requirements.lock, which says what is installed, in line with pyproject.toml
                             (with --newest: and take the newest version of everything that fits)
  python run.py package      install everything, then make dist/biasprint, a folder that runs without Python
                             (with --self-test: and let the program in there try itself;
                             with --light: only the light edition, in dist/biasprint-light; with --installers: and
                             make of it what this system installs: a .deb and an archive, or a setup .exe)
  python run.py wheel        install everything, then make dist/biasprint-VERSION-py3-none-any.whl twice, compare the
                             two byte by byte, and lay its bill of materials and their hashes beside it
  python run.py site         install everything, then make dist/site, the pages of docs for a browser

Everything goes into the folder .venv beside this file; delete that folder to undo it.
"""

import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Older Pythons must get as far as this line: no syntax above or below that Python 3.6 cannot parse.
if sys.version_info < (3, 11):  # noqa: UP036 that is the point
    sys.exit("Biasprint needs Python 3.11 or newer; this is {}.{}. See python.org.".format(*sys.version_info[:2]))

ROOT = Path(__file__).resolve().parent
SOURCE = ROOT / "core" / "python"
sys.path.insert(0, str(SOURCE))
try:  # what of the program needs nothing but Python
    from biasprint.core.errors import AppError
    from biasprint.core.machine import child, installation, system_libraries
    from biasprint.core.machine.installation import first, pins
except ModuleNotFoundError as missing:
    sys.exit(f"{missing.name} is missing: run.py belongs into the whole project.")

VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
DISK_GB, DISK_OF_LIGHT_GB = 2.5, 1.2  # what an installation takes
LEAST_FREE_GB, LEAST_FREE_FOR_LIGHT_GB = 4.0, 2.0
CUDA_FREE_GB = 9.0
PACKAGE_FREE_GB = 3.0  # the package, and what PyInstaller keeps of its work
LINKS = ROOT / "build" / "links"
FOLDERS = ("core", "desktop", "resources", "models")
DIST = ROOT / "dist"
PACKAGE = DIST / "biasprint"
LIGHT_PACKAGE = DIST / "biasprint-light"
# Two processes more than there are cores: tests of the window wait for threads and children a third of their time.
PROCESSES = str(min(6, (os.cpu_count() or 1) + 2))
# A test process that ended is not replaced: the test that it ended in would be run, and end it, again and again.
BY_XDIST = ("-n", PROCESSES, "--max-worker-restart", "0", "--dist", "loadfile", "--no-loadscope-reorder")
SHARED_OUT = ("--processes", PROCESSES) if sys.platform == "linux" else BY_XDIST
# The installed program on a real display. Two at a time: each has a screen, and the program computes beside it.
WINDOW_TESTS = ("tests/window", "-n", "2", "--dist", "loadfile", "--durations", "5")
AS_LONG_AS_IT_TAKES = ("--timeout", "0", "-o", "faulthandler_timeout=0")
HALVES = (("tests/unit/core",), ("tests/e2e", "tests/replication", "tests/unit", "--ignore=tests/unit/core"))
BEHIND = ("types",)  # the steps of `test` that run behind the others: the cores are idle while tests wait
START_SECONDS = 1.5
STARTS = 5
DEMO_PARTS = ("statistics", "encoder")  # what the demo without a window measures with
DEMO_WISHES = ("tagger",)  # and what it does without where it cannot be had


class Stop(Exception):
    """What went wrong and what to do, in plain words."""


def main(words: list[str]) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True, errors="replace")  # in step with what the commands print
    if "-h" in words or "--help" in words:
        print(__doc__)
        return 0
    known_here = (demo, test, soak, bench, lock, package, wheel, site)
    commands = {command.__name__: command for command in known_here}
    name = words.pop(0) if words and not words[0].startswith("-") else "demo"
    if name not in commands:
        print(f"There is no “{name}”.\n\n{__doc__}", file=sys.stderr)
        return 2
    try:
        return commands[name](words)
    except (Stop, AppError) as stop:
        print(f"\n{stop}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run the same command to go on.", file=sys.stderr)
        return 130


def demo(words: list[str]) -> int:
    if not known(words, "--headless", "--light"):
        return 2
    check_qt()
    headless = "--headless" in words or not has_display()
    light = "--light" in words
    install_window(light)
    if light:
        first.make_light(VENV)
    if headless:
        prepare(DEMO_PARTS, DEMO_WISHES)
    print("Starting Biasprint on its sample project{}.\n".format(", without a window" if headless else ""))
    code = run([PYTHON, "-m", "biasprint", "demo", *(["--headless"] if headless else [])], headless)
    if headless and code == 0:
        say_what_is_missing()
    return code


def test(words: list[str]) -> int:
    check_qt()
    install_all("dev")
    link_program()
    lint_imports = (
        f"import sys; sys.path.insert(0, {str(LINKS)!r}); "
        "from importlinter.cli import lint_imports_command as main; main()"
    )
    steps = [
        ("style", [PYTHON, "-m", "ruff", "check", "."]),
        ("format", [PYTHON, "-m", "ruff", "format", "--check", "."]),
        ("layers", [PYTHON, "-c", lint_imports]),
        # Files are shared out among the cores whole, because what a file's tests share is made once for each file; in
        # their own order, so that the long end-to-end ones come first and no core waits for the last of them.
        ("tests", [PYTHON, "-m", "pytest", "-q", *SHARED_OUT, *words]),
        # Beside the tests of the window, which leave the cores room.
        ("types", [PYTHON, "-m", "mypy"]),
        ("window", [PYTHON, "-m", "pytest", "-q", "-rs", *WINDOW_TESTS]),
    ]
    results = []
    # Every test process reads every file: in a new clone each would compile what the others compile too.
    new = not (ROOT / "tests" / "__pycache__").exists()
    compiling = [Behind([PYTHON, "-m", "pytest", "-q", "--collect-only", *part]) for part in HALVES if new]
    behind = []
    for name, command in steps:
        if name == "tests":
            for each in compiling:
                each.end()
        if name in BEHIND:
            behind.append((name, Behind(command)))
            continue
        print(f"\n=== {name} ===")
        start = time.monotonic()
        results.append((name, run(command, headless=True), time.monotonic() - start))
    for name, step in behind:
        code, output = step.end()
        print(f"\n=== {name} ===\n{output}", end="")
        results.append((name, code, time.monotonic() - step.start))
    print("\n=== summary ===")
    for name, code, seconds in results:
        print("{:8} {:6} {:6.1f} s".format(name, "ok" if code == 0 else "FAILED", seconds))
    return 1 if any(code for _, code, _ in results) else 0


def link_program() -> None:
    """Lay the program out in build/links as it is installed, for tools that read sources without running them."""
    program = LINKS / "biasprint"
    shutil.rmtree(program, ignore_errors=True)
    program.mkdir(parents=True)
    for there in (*SOURCE.joinpath("biasprint").glob("*.*"), *(ROOT / name for name in FOLDERS)):
        (program / there.name).symlink_to(there, target_is_directory=there.is_dir())


class Behind:
    """A command that runs behind others, with less priority; its output is kept until it is asked for its end."""

    def __init__(self, command: list[object]) -> None:
        self.start = time.monotonic()
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 `end` closes it
        words = [*(["nice", "-n", "5"] if shutil.which("nice") else []), *map(str, command)]
        self._child = subprocess.Popen(words, cwd=ROOT, stdout=self._output, stderr=subprocess.STDOUT)

    def end(self) -> "tuple[int, str]":
        """Wait for the command's end; return its exit code and its output."""
        code = self._child.wait()
        self._output.seek(0)
        with self._output:
            return code, self._output.read().decode(errors="replace")


def soak(words: list[str]) -> int:
    check_qt()
    install_all("dev")
    # By its folder: pytest looks for options beside the first path that is there, which the page's would be.
    where = [] if any(word.startswith("tests") for word in words) else ["tests"]
    trust = ["-m", "not bench", "--trust=docs/tables/trust.md"]
    return run([PYTHON, "-m", "pytest", *where, *trust, *AS_LONG_AS_IT_TAKES, *words], headless=True)


def bench(words: list[str]) -> int:
    check_qt()
    install_all("dev")
    install_all("bench")
    peer = ["--no-deps", "--require-hashes", "--quiet", "-r", "tests/benchmarks/langfair.txt"]
    if run([PYTHON, "-m", "pip", "install", *peer], headless=True):
        print("LangFair could not be installed: the ratios to it are left out.")
    # By their folder, whose options are found only where it stands first; a file or a test may follow.
    chosen = [word for word in words if word.startswith("tests/benchmarks")] or ["tests/benchmarks"]
    others = [word for word in words if word not in chosen]
    ratios = ["-m", "bench", "-s", "--ratios=docs/tables/benchmarks.md"]
    return run([PYTHON, "-m", "pytest", *chosen, *ratios, *AS_LONG_AS_IT_TAKES, *others], headless=True)


def lock(words: list[str]) -> int:
    if not known(words, "--newest"):
        return 2
    check_qt()
    install_window()
    first.install_extras(VENV, PYTHON, ["lock"], say)
    pins.refresh(PYTHON, bool(words), say)
    return 0


def package(words: list[str]) -> int:
    if not known(words, "--self-test", "--light", "--installers"):
        return 2
    light = "--light" in words
    folder = LIGHT_PACKAGE if light else PACKAGE
    check_qt()
    if light:
        install_light("build")
    else:
        install_all("build")
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < PACKAGE_FREE_GB:
        raise Stop(f"The disk has {free:.1f} GB free; {PACKAGE_FREE_GB:.0f} GB are needed. Make room and start again.")
    link_program()
    print("Packaging, which takes five to fifteen minutes and says little meanwhile.\n")
    start = time.monotonic()
    places = ["--distpath", folder.parent, "--workpath", ROOT / "build" / folder.name, "--log-level", "WARN"]
    edition = ["--", "--light"] if light else []
    code = run([PYTHON, "-m", "PyInstaller", "build.spec", "--noconfirm", *places, *edition], headless=True)
    if code != 0:
        return code
    minutes = (time.monotonic() - start) / 60
    print(f"\nPackaged in {minutes:.1f} minutes: {folder_size(folder) / 1e9:.2f} GB in\n  {folder}")
    if "--self-test" in words:
        print("\nThe program in there tries itself.")
        program = folder / ("biasprint.exe" if os.name == "nt" else "biasprint")
        code = run([program, "--self-test"], headless=True) or check_start(start_times(program))
    made_by = [PYTHON, "-P", "packaging/installers.py", "here", folder, DIST]
    return code or (run(made_by, headless=True) if "--installers" in words else 0)


def wheel(words: list[str]) -> int:
    if not known(words):
        return 2
    check_qt()
    install_all("dev")
    link_program()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        made = []
        for place in (first, second):
            code = run([PYTHON, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", place], headless=True)
            if code != 0:
                return code
            made += Path(place).glob("*.whl")
        if made[0].read_bytes() != made[1].read_bytes():
            raise Stop("Two builds of the wheel differ, so nobody could check one by making it again. None was kept.")
        DIST.mkdir(exist_ok=True)
        done = Path(shutil.copy(made[0], DIST))
    listing = (
        "import sys; from pathlib import Path; from biasprint.core.machine import bill; "
        "bill.write(Path(sys.argv[2]), bill.own_weights(Path(sys.argv[1])), ())"
    )
    code = run([PYTHON, "-P", "-c", listing, LINKS / "biasprint", DIST], headless=True)
    if code != 0:
        return code
    beside = [done, DIST / "bill-of-materials.cdx.json"]
    hashes = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in beside]
    (DIST / "SHA256SUMS").write_text("".join(hashes), encoding="utf-8")
    print(f"\nMade twice with equal bytes, {done.stat().st_size / 1e6:.1f} MB:\n  {done}")
    return 0


def site(words: list[str]) -> int:
    if not known(words):
        return 2
    check_qt()
    install_all("dev")
    code = run([PYTHON, "-P", "-m", "mkdocs", "build", "--quiet"], headless=True)
    if code == 0:
        print(f"\nThe site begins at\n  {DIST / 'site' / 'index.html'}")
    return code


def check_start(seconds: list[float]) -> int:
    middle = sorted(seconds)[len(seconds) // 2]
    print(f"From its start to the first key answered: {middle:.2f} s, of {len(seconds)} starts in the middle.")
    if middle <= START_SECONDS:
        return 0
    print(f"It must be at most {START_SECONDS} s where nothing else is going on.", file=sys.stderr)
    return 1


def start_times(program: Path) -> list[float]:
    """Seconds from a start of the program to the first key answered; a first start, which reads the disk, left out."""
    seconds = []
    for _ in range(STARTS + 1):
        with tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "BIASPRINT_HOME": home}
            environment["BIASPRINT_STARTED"] = repr(time.monotonic())  # a clock that all processes share
            done = subprocess.run(
                [str(program), "--self-test", "start"], env=environment, capture_output=True, text=True
            )
        if done.returncode != 0:
            raise Stop(f"The packaged program did not start:\n{done.stderr.strip()}")
        seconds.append(float(done.stdout.split()[-1]))
    return seconds[1:]


def folder_size(folder: Path) -> int:
    """Bytes of the files in a folder; one that is linked to counts once."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file() or file.is_symlink())


def known(words: list[str], *options: str) -> bool:
    """Whether the words are some of the options, each once; says how it is used where they are not."""
    if sorted(words) == sorted(set(words).intersection(options)):
        return True
    print(__doc__, file=sys.stderr)
    return False


def run(command: list[object], headless: bool) -> int:
    """The exit code of a command run in the project, its output on ours."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"} if headless else dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(SOURCE), os.environ.get("PYTHONPATH"))))
    environment[first.UNASKED] = "" if headless else "1"  # a window may install the rest: it was said that it will
    code = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment).returncode
    if code < 0:
        print(f"\nIt was ended by signal {-code}.", file=sys.stderr)
    return code if code >= 0 else 128 - code


# ---- what Qt needs from the system -----------------------------------------------------------------------------------


def check_qt() -> None:
    """Stop, before anything is downloaded, where even a picture could not be drawn."""
    reason = system_libraries.why_no_picture()
    if reason:
        raise Stop(reason)


def has_display() -> bool:
    """Whether a window can be opened; says why not."""
    reason = system_libraries.why_no_window()
    if reason:
        print(reason + "\nGoing on without a window.\n")
    return not reason


# ---- the environment -------------------------------------------------------------------------------------------------


def install_window(light: bool = False) -> None:
    """The environment, and what the window needs; nothing is done where that is there. `light`: no more will follow."""
    states = first.states(PYTHON)
    if states is not None and states[installation.parts()[0].id] == "ready":
        return
    check_writable()
    say_what_happens(states is None, light)
    check_space(light)
    if states is None:
        make_environment()
    start = time.monotonic()
    first.install(VENV, PYTHON, say)
    print(f"Installed in {time.monotonic() - start:.0f} s.\n")


def prepare(parts: "tuple[str, ...]", wishes: "tuple[str, ...]" = ()) -> None:
    """Let the program install more of itself: the parts that are named, or every one; of `wishes` none is needed."""
    missing = missing_parts()
    if not missing.intersection(parts or missing):
        return
    words = [word for part in (*parts, *wishes) for word in ("--part", part)]
    if run([PYTHON, "-m", "biasprint", "prepare", *words], headless=True) and missing_parts().intersection(parts):
        raise Stop("The same command goes on from there.")


def install_all(extra: str) -> None:
    """Everything, and what only developers use: one of pyproject.toml's extras."""
    install_window()
    first.leave_out_nothing(VENV)
    prepare(())
    first.install_extras(VENV, PYTHON, ["dev", "server"] if extra == "dev" else [extra], say)


def install_light(extra: str) -> None:
    """What the light edition is made of, and one of pyproject.toml's extras."""
    install_window(light=True)
    prepare(tuple(part.id for part in installation.parts() if part.light))
    first.install_extras(VENV, PYTHON, [extra], say)


def missing_parts() -> "set[str]":
    return {part for part, state in (first.states(PYTHON) or {}).items() if state not in ("ready", "left out")}


def say(words: str) -> None:
    print("  " + words)


def say_what_is_missing() -> None:
    if missing_parts():
        print("\nNot everything is installed: the demo needs no more. “python run.py” with a display, or")
        print(f"  {PYTHON} -m biasprint prepare\ninstalls the rest:")
        run([PYTHON, "-m", "biasprint", "prepare", "--status"], headless=True)


def say_what_happens(new: bool, light: bool) -> None:
    if not new:
        print("Biasprint's environment is brought up to date.\n")
        return
    window, *rest = [part for part in installation.parts() if part.light or not light]
    megabytes = sum(part.megabytes for part in rest)
    print(f"Biasprint and the packages it stands on will be installed into\n  {VENV}")
    print(f"What the window needs comes first: about {window.megabytes} MB are downloaded.")
    disk = DISK_OF_LIGHT_GB if light else DISK_GB
    print(f"Behind the open window then come about {megabytes / 1000:.1f} GB more, which take {disk} GB of disk:")
    for part in rest:
        print(f"  {part.title} ({part.megabytes} MB): {part.purpose}")
    if light:
        print("This is the light edition. Left out, and to be added at any time by “biasprint prepare --part …”:")
        for part in installation.parts():
            if not part.light:
                print(f"  {part.id} ({part.megabytes} MB): {part.purpose}")
        print()
        return
    print(f"With {first.WITHOUT_ENGINE}=1 llama.cpp and its model are left out.")
    if sys.platform.startswith("linux") and "PIP_EXTRA_INDEX_URL" not in os.environ:
        print("On Linux the package index may give PyTorch with NVIDIA's libraries, which Biasprint does not need:")
        print("then 3.3 GB are downloaded, and roughly 7 GB used. To be sure of the small one, start with")
        print(f"  PIP_EXTRA_INDEX_URL={pins.CPU_INDEX} python run.py")
    print()


def check_writable() -> None:
    if not first.may_write(ROOT):
        raise Stop(
            f"The folder {ROOT} may not be written to, and the environment goes into it: "
            "copy the whole folder to where you may write, and start run.py there."
        )


def check_space(light: bool) -> None:
    free = shutil.disk_usage(ROOT).free / 1e9
    needed = 1.0 if PYTHON.exists() else LEAST_FREE_FOR_LIGHT_GB if light else LEAST_FREE_GB
    if free < needed:
        raise Stop(f"The disk has {free:.1f} GB free; {needed:.0f} GB are needed. Make room and start again.")
    if not light and free < CUDA_FREE_GB and sys.platform.startswith("linux") and not PYTHON.exists():
        print(f"The disk has {free:.1f} GB free: enough only without NVIDIA's libraries.\n")


def make_environment() -> None:
    """A new environment; a broken one is replaced, a folder that is something else is left alone."""
    if VENV.exists():
        if not (VENV / "pyvenv.cfg").exists() and any(VENV.iterdir()):
            raise Stop(f"{VENV} is there already and is no Python environment. Move it away and start again.")
        print("The environment is broken or incomplete; it is made anew.")
        shutil.rmtree(str(VENV))
    # With a pip of its own, which costs six seconds, only where there is none here that can install it.
    options = ["--without-pip"] if has("pip") else []
    if not has("venv") or not (has("pip") or has("ensurepip")):
        raise Stop("This Python cannot make environments. On Debian and Ubuntu: sudo apt install python3-venv")
    command = child.python("-m", "venv", *options, str(VENV))
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if made.returncode != 0 or first.states(PYTHON) is None:
        raise Stop("The environment could not be made:\n" + (made.stdout + made.stderr).strip())


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
