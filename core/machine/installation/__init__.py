"""The program's requirements, installed in parts: the window first, everything else behind it.

pyproject.toml is the list of requirements; `parts.toml` says to which part each belongs, in the order in which they
come. `python run.py` installs the first part and opens the window, whose job `prepare` installs the rest; `biasprint
prepare` does the same without a window. What is there is read from the environment itself, so that an installation that
was cut short at any moment is taken up again.

Imports only the standard library, `core.errors` and `core.jobs`: run.py uses it before anything is installed.
"""

from biasprint.core.machine.installation.declared import ProgramPart, part_of, parts
from biasprint.core.machine.installation.preparing import prepare
from biasprint.core.machine.installation.state import (
    PartState,
    complete,
    explained,
    goes_on_unasked,
    how_to_get,
    is_under_way,
    leaves_out,
    status,
)
