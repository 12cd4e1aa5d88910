"""Biasprint from Python: read a project, measure and score tables, run audit files.

    import biasprint

    project = biasprint.open("study.biasprint")
    project.findings().to_pandas()
    biasprint.measure("letters", frame).to_pandas()

The names in `__all__` are stable. Whatever goes wrong for a known reason is a `biasprint.Error`, whose text
says what happened, what was kept and what to do.
"""

import os

# Only what Python has loaded at its start is imported here: `python -m biasprint` looks in the current folder first,
# until `biasprint.core.machine.current_folder.leave_out` is called.
TYPE_CHECKING = False

# In the source tree the program's four folders lie at the top; elsewhere they lie beside this file.
if not os.path.isdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "core")):
    __path__.append(os.path.abspath(os.path.join(os.path.realpath(__file__), *[os.pardir] * 4)))

if TYPE_CHECKING:
    from biasprint.audits import DoneAudit as DoneAudit
    from biasprint.audits import run as run
    from biasprint.core import __version__ as __version__
    from biasprint.core.errors import AppError as Error
    from biasprint.measuring import How as How
    from biasprint.measuring import Measured as Measured
    from biasprint.measuring import measure as measure
    from biasprint.measuring import rubric as rubric
    from biasprint.measuring import score as score
    from biasprint.measuring import studies as studies
    from biasprint.projects import Project as Project
    from biasprint.projects import open as open
    from biasprint.projects import sample as sample
    from biasprint.tables import Findings as Findings
    from biasprint.tables import Table as Table

# Imported where they are used: each process that computes imports this module, and needs none of them.
_PLACES = {
    "DoneAudit": ("audits", "DoneAudit"),
    "Error": ("core.errors", "AppError"),
    "Findings": ("tables", "Findings"),
    "How": ("measuring", "How"),
    "Measured": ("measuring", "Measured"),
    "Project": ("projects", "Project"),
    "Table": ("tables", "Table"),
    "__version__": ("core", "__version__"),
    "measure": ("measuring", "measure"),
    "open": ("projects", "open"),
    "rubric": ("measuring", "rubric"),
    "run": ("audits", "run"),
    "sample": ("projects", "sample"),
    "score": ("measuring", "score"),
    "studies": ("measuring", "studies"),
}
__all__ = [
    "DoneAudit", "Error", "Findings", "How", "Measured", "Project", "Table", "__version__", "measure", "open", "rubric",
    "run", "sample", "score", "studies",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _PLACES[name]
    value = getattr(import_module(f"{__name__}.{module}"), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
