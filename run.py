#!/usr/bin/env python3
"""Installs Biasprint beside this file and starts it. Needs Python 3.11 or newer, and nothing else.

  python run.py              install, then open the program on the sample project
                             (without a display: the same demo, told in text and pictures)
  python run.py --headless   the demo without a window, even where there is a display
  python run.py test         install, then check the code and run the tests; more words go to pytest
  python run.py soak         install, then run the slow tests
  python run.py bench        install, then run the benchmarks
  python run.py package      install, then make dist/biasprint, a folder that runs without Python
                             (with --self-test: and let the program in there try itself)

Everything goes into the folder .venv beside this file; delete that folder to undo it.
"""

import collections
import hashlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path

# Older Pythons must get as far as this line: no syntax above or below that Python 3.6 cannot parse.
if sys.version_info < (3, 11):  # noqa: UP036 that is the point
    sys.exit("Biasprint needs Python 3.11 or newer; this is {}.{}. See python.org.".format(*sys.version_info[:2]))

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "biasprint-installed.txt"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
WITHOUT_LLAMA = "BIASPRINT_WITHOUT_LLAMA"
LEAST_FREE_GB = 4.0
CUDA_FREE_GB = 9.0
PACKAGE_FREE_GB = 3.0  # the package, and what PyInstaller keeps of its work
PACKAGE = ROOT / "dist" / "biasprint"
SHARED_OUT = ("-n", "auto", "--maxprocesses", "4", "--dist", "loadfile", "--no-loadscope-reorder")
START_SECONDS = 1.5
STARTS = 5

# What pip says, and what it means.
TROUBLES = [
    (
        "no space left on device",
        "The disk is full (pip also needs room in the temporary folder: set TMPDIR to another).",
    ),
    ("certificate_verify_failed", "The connection is not trusted: a proxy may be in the way (see pip's --cert)."),
    (
        "name resolution|getaddrinfo|new connection|unreachable|timed out|max retries|connection (reset|refused)",
        "The package index could not be reached: check the network connection.",
    ),
    (
        "no matching distribution",
        "A package has no build for this Python or system. Python 3.11 to 3.13 are safe choices.",
    ),
    ("failed building wheel|failed to build", "A package had to be compiled and that failed; its messages are above."),
]


class Stop(Exception):
    """What went wrong and what to do, in plain words."""


def main(words: list[str]) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True, errors="replace")  # in step with what the commands print
    if "-h" in words or "--help" in words:
        print(__doc__)
        return 0
    commands = {"demo": demo, "test": test, "soak": soak, "bench": bench, "package": package}
    name = words.pop(0) if words and not words[0].startswith("-") else "demo"
    if name not in commands:
        print(f"There is no “{name}”.\n\n{__doc__}", file=sys.stderr)
        return 2
    try:
        return commands[name](words)
    except Stop as stop:
        print(f"\n{stop}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run the same command to go on.", file=sys.stderr)
        return 130


def demo(words: list[str]) -> int:
    if words not in ([], ["--headless"]):
        print(__doc__, file=sys.stderr)
        return 2
    check_qt()
    headless = bool(words) or not has_display()
    install("")
    print("Starting Biasprint on its sample project{}.\n".format(", without a window" if headless else ""))
    return run([PYTHON, "-m", "desktop", "demo", *(["--headless"] if headless else [])], headless)


def test(words: list[str]) -> int:
    check_qt()
    install("dev")
    lint_imports = "from importlinter.cli import lint_imports_command as main; main()"
    steps = [
        ("style", [PYTHON, "-m", "ruff", "check", "."]),
        ("format", [PYTHON, "-m", "ruff", "format", "--check", "."]),
        ("types", [PYTHON, "-m", "mypy"]),
        ("layers", [PYTHON, "-c", lint_imports]),
        # Files are shared out among the cores whole, because what a file's tests share is made once for each file; in
        # their own order, so that the long end-to-end ones come first and no core waits for the last of them.
        ("tests", [PYTHON, "-m", "pytest", "-q", *SHARED_OUT, *words]),
    ]
    results = []
    for name, command in steps:
        print(f"\n=== {name} ===")
        start = time.monotonic()
        results.append((name, run(command, headless=True), time.monotonic() - start))
    print("\n=== summary ===")
    for name, code, seconds in results:
        print("{:8} {:6} {:6.1f} s".format(name, "ok" if code == 0 else "FAILED", seconds))
    return 1 if any(code for _, code, _ in results) else 0


def soak(words: list[str]) -> int:
    check_qt()
    install("dev")
    return run([PYTHON, "-m", "pytest", "-m", "soak", "--timeout", "0", *words], headless=True)


def bench(words: list[str]) -> int:
    check_qt()
    install("dev")
    return run(
        [PYTHON, "-m", "pytest", "tests/benchmarks", "-m", "bench", "-s", "--timeout", "0", *words], headless=True
    )


def package(words: list[str]) -> int:
    if words not in ([], ["--self-test"]):
        print(__doc__, file=sys.stderr)
        return 2
    check_qt()
    install("build")
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < PACKAGE_FREE_GB:
        raise Stop(f"The disk has {free:.1f} GB free; {PACKAGE_FREE_GB:.0f} GB are needed. Make room and start again.")
    print("Packaging, which takes five to fifteen minutes and says little meanwhile.\n")
    start = time.monotonic()
    parts = ["--distpath", PACKAGE.parent, "--workpath", ROOT / "build" / "pyinstaller", "--log-level", "WARN"]
    code = run([PYTHON, "-m", "PyInstaller", "build.spec", "--noconfirm", *parts], headless=True)
    if code != 0:
        return code
    minutes = (time.monotonic() - start) / 60
    print(f"\nPackaged in {minutes:.1f} minutes: {folder_size(PACKAGE) / 1e9:.2f} GB in\n  {PACKAGE}")
    if not words:
        return 0
    print("\nThe program in there tries itself.")
    program = PACKAGE / ("biasprint.exe" if os.name == "nt" else "biasprint")
    return run([program, "--self-test"], headless=True) or check_start(start_times(program))


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


def run(command: list[object], headless: bool) -> int:
    """The exit code of a command run in the project, its output on ours."""
    environment = dict(os.environ)
    if headless:
        environment["QT_QPA_PLATFORM"] = "offscreen"
    code = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment).returncode
    if code < 0:
        print(f"\nIt was ended by signal {-code}.", file=sys.stderr)
    return code if code >= 0 else 128 - code


# ---- what Qt needs from the system -----------------------------------------------------------------------------------


def system_libraries() -> types.ModuleType:
    """The program's own list of them, by its path: nothing is installed yet."""
    path = ROOT / "core" / "machine" / "system_libraries.py"
    spec = importlib.util.spec_from_file_location("system_libraries", str(path))
    if spec is None or spec.loader is None or not path.is_file():
        raise Stop(f"{path} is missing: run.py belongs into the whole project.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_qt() -> None:
    """Stop, before anything is downloaded, where even a picture could not be drawn."""
    reason = system_libraries().why_no_picture()
    if reason:
        raise Stop(reason)


def has_display() -> bool:
    """Whether a window can be opened; says why not."""
    reason = system_libraries().why_no_window()
    if reason:
        print(reason + "\nGoing on without a window.\n")
    return not reason


# ---- the environment -------------------------------------------------------------------------------------------------


def install(extra: str) -> None:
    """Bring the environment up to date with pyproject.toml; nothing is done where it is already."""
    if python_works() and is_installed(extra):
        return
    say_what_happens()
    check_space()
    if not python_works():
        make_environment()
    extras = {extra, *installed_extras()} - {""}
    STAMP.unlink(missing_ok=True)
    start = time.monotonic()
    pip_install(f".[{extra}]" if extra else ".")
    compile_llama("server" if extra == "dev" else "llama")
    STAMP.write_text("\n".join([stamp(), " ".join(sorted(extras))]), encoding="utf-8")
    print(f"Installed in {time.monotonic() - start:.0f} s.\n")


def compile_llama(extra: str) -> None:
    """llama.cpp, which runs local models, is compiled here; where that fails, everything else works without it."""
    if os.environ.get(WITHOUT_LLAMA):
        print(f"  llama.cpp is left out, as {WITHOUT_LLAMA} says.")
        return
    try:
        pip_install(f".[{extra}]")
    except Stop as stop:
        print("  llama.cpp could not be installed; local models in GGUF files cannot be used, everything else can.")
        print("  It needs a C++ compiler and CMake. On Debian and Ubuntu: sudo apt install build-essential cmake")
        print(f"  Then delete {STAMP} and start again. {str(stop).splitlines()[-1]}")


def stamp() -> str:
    """What the installation depends on: the requirements, and where the project lies (it is installed in place)."""
    requirements = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    return requirements + "\n" + str(ROOT)


def is_installed(extra: str) -> bool:
    return extra in installed_extras()


def installed_extras() -> list[str]:
    """What is installed and up to date: "" for what the program itself needs, and the extras; empty where it is not."""
    try:
        done, _, extras = STAMP.read_text(encoding="utf-8").rpartition("\n")
    except OSError:
        return []
    return ["", *extras.split()] if done == stamp() else []


def python_works() -> bool:
    test_version = "import sys; sys.exit(sys.version_info < (3, 11))"
    try:
        return subprocess.run([str(PYTHON), "-c", test_version], stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def say_what_happens() -> None:
    if python_works() and STAMP.exists():
        print("What Biasprint stands on has changed; the environment is brought up to date.\n")
        return
    print(f"Biasprint and the packages it stands on will be installed into\n  {VENV}")
    print("About 0.8 GB is downloaded, and 2.5 GB of disk is used. At the end llama.cpp, which runs local models, is")
    print(f"compiled, which takes about three minutes; with {WITHOUT_LLAMA}=1 it is left out.")
    if sys.platform.startswith("linux") and "PIP_EXTRA_INDEX_URL" not in os.environ:
        print("On Linux the package index may give PyTorch with NVIDIA's libraries, which Biasprint does not need:")
        print("then 3.3 GB are downloaded, and roughly 7 GB used. To be sure of the small one, start with")
        print(f"  PIP_EXTRA_INDEX_URL={CPU_INDEX} python run.py")
    print()


def check_space() -> None:
    free = shutil.disk_usage(ROOT).free / 1e9
    needed = 1.0 if PYTHON.exists() else LEAST_FREE_GB
    if free < needed:
        raise Stop(f"The disk has {free:.1f} GB free; {needed:.0f} GB are needed. Make room and start again.")
    if free < CUDA_FREE_GB and sys.platform.startswith("linux") and not PYTHON.exists():
        print(f"The disk has {free:.1f} GB free: enough only without NVIDIA's libraries.\n")


def make_environment() -> None:
    """A new environment; a broken one is replaced, a folder that is something else is left alone."""
    if VENV.exists():
        if not (VENV / "pyvenv.cfg").exists() and any(VENV.iterdir()):
            raise Stop(f"{VENV} is there already and is no Python environment. Move it away and start again.")
        print("The environment is broken or incomplete; it is made anew.")
        shutil.rmtree(str(VENV))
    options = [] if has("ensurepip") else ["--without-pip"]
    if not has("venv") or (options and not has("pip")):
        raise Stop("This Python cannot make environments. On Debian and Ubuntu: sudo apt install python3-venv")
    made = subprocess.run([sys.executable, "-m", "venv", *options, str(VENV)], capture_output=True, text=True)
    if made.returncode != 0 or not python_works():
        raise Stop("The environment could not be made:\n" + (made.stdout + made.stderr).strip())


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def pip_install(target: str) -> None:
    """Let pip install `target` in place, with one line for each larger thing that it does."""
    own = subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True).returncode == 0
    pip = [str(PYTHON), "-m", "pip"] if own else [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    command = [*pip, "install", "--disable-pip-version-check", "--progress-bar", "off", "-e", target]
    print("  looking for packages that fit together")
    last: collections.deque[str] = collections.deque(maxlen=15)
    process = subprocess.Popen(
        command, cwd=str(ROOT), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace"
    )
    with process:
        for line in process.stdout or ():
            last.append(line.rstrip())
            told = in_plain_words(line)
            if told:
                print("  " + told)
    if process.returncode != 0:
        said = "\n".join(last)
        meaning = [sentence for pattern, sentence in TROUBLES if re.search(pattern, said.lower())]
        advice = " ".join([*meaning[:1], "Start again afterwards; what was downloaded is kept."])
        raise Stop(f"The installation failed. pip's last words:\n\n{said}\n\n{advice}")


def in_plain_words(line: str) -> str:
    """What a line of pip's means for a person; "" for the many that mean nothing."""
    file = re.match(r"\s*(Downloading|Using cached)\s+(?:\S*/)?([\w.]+)-\S+\s+\((\d+)(?:\.\d+)?\s*(MB|GB)\)", line)
    if file and (file[4] == "GB" or int(file[3]) >= 5):
        return f"{file[1].lower()} {file[2]} ({file[3]} {file[4]})"
    if "Retrying (Retry(" in line:
        return "the package index does not answer; trying again"
    if line.startswith("Installing collected packages:"):
        return "installing {} packages, which takes a minute or two".format(line.count(",") + 1)
    return "compiling " + line.split()[3] if line.startswith("Building wheel for") and len(line.split()) > 3 else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
