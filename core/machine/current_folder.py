"""Keep the current folder from being executed: no module, library or program is looked up there.

This module is imported before any other of ours. It imports only what Python has loaded at its start: another module of
the standard library could already be a stranger's.
"""

import os
import sys

# Lists of folders, read by Qt, by whatever looks for a program, and by the loader of the processes that are started.
# The loader of this process has read them before any line of Python ran.
LISTS = (
    "PATH", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "QML_IMPORT_PATH", "QML2_IMPORT_PATH", "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
)  # fmt: skip


def leave_out() -> None:
    """Remove the current folder from this process's places of modules, plug-ins, programs and libraries.

    `python -m` puts it first on the module path; an empty or relative entry of PYTHONPATH, or of another such list,
    puts it further down.
    """
    sys.path[:] = module_path_without(os.getcwd())
    for name in LISTS:
        entries = os.environ.get(name, "").split(os.pathsep)
        absolute = [entry for entry in entries if os.path.isabs(entry.strip('"'))]  # Windows allows quotes
        if len(absolute) < len(entries) and name in os.environ:
            os.environ[name] = os.pathsep.join(absolute)
            if not absolute:
                del os.environ[name]
    if sys.platform == "win32":
        from ctypes import windll

        windll.kernel32.SetDllDirectoryW("")  # LoadLibrary no longer looks there, as Qt calls it
        os.environ["NODEFAULTCURRENTDIRECTORYINEXEPATH"] = "1"  # nor shutil.which and the shell


def module_path_without(*folders: str) -> list[str]:
    """Return this process's module path without `folders` and without relative entries.

    A folder stays where PYTHONPATH names it by its whole path, and where the program itself lies in it.
    """
    named = () if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "").split(os.pathsep)
    named_folders = {_real(entry) for entry in (*named, _own_folder()) if os.path.isabs(entry)}
    left_out = {_real(folder) for folder in folders} - named_folders
    return [entry for entry in sys.path if os.path.isabs(entry) and _real(entry) not in left_out]


def _own_folder() -> str:
    """Return the folder on the module path that the program was imported from."""
    top = sys.modules[__name__.partition(".")[0]]
    return os.path.dirname(os.path.dirname(str(top.__file__)))


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))
