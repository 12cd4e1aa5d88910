"""The installed program: the project's wheel in a fresh environment.

The dependencies are those of the environment that runs the tests, so that it takes seconds and no network.
"""

import fcntl
import os
import shutil
import site
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = "BIASPRINT_WINDOW_COMMAND"  # an installed command to test in place of one that is built here
NOT_OF_THE_PROGRAM = (".*", "build", "dist", "tests", "docs", "*.egg-info", "__pycache__")
# What the environment at hand has of the project itself is not on the path: this says which copy is imported.
WHERE = "import biasprint, importlib.util as i; print(biasprint.__file__, i.find_spec('core'), i.find_spec('desktop'))"


def installed_command(folder: Path) -> Path:
    """Return the `biasprint` command, installed in `folder` by whichever test process comes first."""
    if COMMAND in os.environ:
        return Path(os.environ[COMMAND])
    folder.mkdir(exist_ok=True)
    environment = folder / "environment"
    command = environment / "bin" / "biasprint"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            install(build_wheel(folder / "wheel"), environment)
            (folder / "ready").touch()
    return command


def build_wheel(folder: Path) -> Path:
    """Build the project's wheel from a copy: a build leaves its files beside the sources, and finds old ones there."""
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*NOT_OF_THE_PROGRAM))
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder, source)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, environment: Path) -> None:
    """Install the wheel in a new environment that borrows this one's packages, and check that it is what is started."""
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    (packages,) = environment.glob("lib/python*/site-packages")
    # Only the folders: what a .pth file in them would add, such as this project's own source, stays out.
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n", encoding="utf-8")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel)
    place, *others = run(python, "-I", "-c", WHERE).split(maxsplit=1)
    assert Path(place).is_relative_to(environment), f"Another copy of the project is imported: {place}"
    assert others == ["None None"], f"The environment at hand shows parts of the project: {others}"


def run(*command: object) -> str:
    """Run a command in a neutral folder; what it prints."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command], cwd="/", env=variables, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout.strip()
