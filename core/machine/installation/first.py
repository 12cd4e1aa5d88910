"""The installation of the first part, by run.py from outside, before the program's own Python has anything to run it
with.

`environment` is the folder of a virtual environment, `python` the interpreter in it.
"""

import json
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.machine import child
from biasprint.core.machine.installation import declared, pins, pip
from biasprint.core.machine.installation.declared import (
    ROOT,
    extra_requirements,
    left_out_of_light,
    parts,
    requirements,
)
from biasprint.core.machine.installation.preparing import KEPT, remove_broken
from biasprint.core.machine.installation.state import (
    RUN_PY,
    UNASKED,
    WITHOUT_ENGINE,
    note,
    noted_extras,
    notes_path,
    sha256,
)

_ASK = (
    "import json, sys; assert sys.version_info >= (3, 11); sys.path.insert(0, sys.argv[1])\n"
    "from biasprint.core.machine.installation import status\n"
    "print(json.dumps({each.part.id: each.state for each in status()}))"
)
_LARGE = 5_000_000
_WAITING = pip.PipStep("waiting for another window or command that installs")
Say = Callable[[str], None]


def states(python: Path) -> dict[str, str] | None:
    """Return the state of each part that an environment is to have, by its id; None where its Python does not work."""
    command = child.python("-c", _ASK, str(ROOT / "core" / "python"), executable=str(python))
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True)
        return dict(json.loads(done.stdout))
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


def may_write(folder: Path) -> bool:
    """Return whether a file can be made in a folder; tried, because permissions alone do not tell."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def install(environment: Path, python: Path, say: Say) -> None:
    """Install the first part. Raises `AppError` where that fails."""
    window = parts()[0]
    note(notes_path(environment), made_by=RUN_PY)
    _install(environment, python, ["--no-compile", *requirements(window)], window.title, say)


def make_light(environment: Path) -> None:
    """Make an environment the light edition from now on. What it has beyond that stays, and more can be asked for."""
    note(notes_path(environment), left_out=left_out_of_light())


def leave_out_nothing(environment: Path) -> None:
    """Make an environment the full edition, with every part, from now on."""
    note(notes_path(environment), left_out=())


def install_extras(environment: Path, python: Path, extras: Sequence[str], say: Say) -> None:
    """Install what pyproject.toml's extras add, once for each state of that file. What cannot be compiled is left
    out.
    """
    installed = states(python) or {}
    for extra in extras:
        wanted = extra_requirements(extra)
        stamp = sha256("\n".join(wanted))
        if noted_extras(environment).get(extra) == stamp or (extra == "server" and installed.get("engine") != "ready"):
            continue
        _install(environment, python, wanted, f"What “{extra}” needs", say)
        note(notes_path(environment), extras={extra: stamp})


def _install(environment: Path, python: Path, arguments: Sequence[str], title: str, say: Say) -> None:
    output = [""]

    def told(step: pip.PipStep) -> None:
        if step.words != output[-1] and (not step.total or step.total >= _LARGE):
            output.append(step.words)
            say(step.words)

    with declared.waited_for(environment, lambda: told(_WAITING)) as locked:
        remove_broken(_site_packages(environment))
        told(pip.PipStep("looking for packages that fit together"))
        with pins.missing_pip(_site_packages(environment)) as own_pip, pins.constraints({}) as options:
            # The environment's pip comes first: the program itself installs the rest with it.
            own_pip = own_pip or ([] if _has_pip(environment) else ["pip"])
            for each in filter(None, (own_pip, [*options, *arguments])):
                command = (
                    child.python("-m", "pip", executable=str(python))
                    if _has_pip(environment)
                    else child.python("-m", "pip", "--python", str(python))
                )
                outcome = pip.run(each, pip=command, told=told, inherits=[locked.fileno()], folder=ROOT)
                if outcome.code != 0:
                    break
    if outcome.code != 0:
        trouble = pip.trouble(outcome.said)
        raise AppError(
            f"{outcome.said}\n\n{title} could not be installed: {trouble.why}.", kept=KEPT, hint=trouble.hint
        )


def _has_pip(environment: Path) -> bool:
    return (_site_packages(environment) / "pip" / "__main__.py").is_file()


def _site_packages(environment: Path) -> Path:
    folders = [*environment.glob("lib/python3*/site-packages"), *environment.glob("Lib/site-packages")]
    return folders[0] if folders else environment
