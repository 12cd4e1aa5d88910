"""The window, on Qt: the only room that imports it."""

import sys


def read_no_sources() -> None:
    """Keep Qt's binding from reading each module's source for features that none uses: a tenth of the time to start."""
    import PySide6.QtCore  # noqa: F401 - its support module is there from now on

    if "shibokensupport.feature" in sys.modules:
        vars(sys.modules["shibokensupport.feature"])["_mod_uses_pyside"] = lambda module: False
