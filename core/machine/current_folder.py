"""Keep the current folder from being executed: no module, library or program is looked up there.

This module is imported before any other of ours. It imports only what Python has loaded at its start: another module of
the standard library could already be a stranger's.
"""

import os
import sys

# Packages that libraries would load unasked because they are installed: of pydantic, of torch for other processors.
NO_PLUG_INS = {"PYDANTIC_DISABLE_PLUGINS": "__all__", "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
# Lists of folders: those of libraries, which the loader of a process reads before any line of Python runs; and those
# that Qt reads, and whatever looks for a program.
OF_THE_LOADER = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
LISTS = ("PATH", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "QML_IMPORT_PATH", "QML2_IMPORT_PATH", *OF_THE_LOADER)


def leave_out() -> None:
    """Remove the current folder from this process's places of modules, plug-ins, programs and libraries.

    `python -m` puts it first on the module path; an empty or relative entry of PYTHONPATH, or of another such list,
    puts it further down. Where the loader would look there too, the program is started again without that.
    """
    sys.path[:] = module_path_without(os.getcwd())
    changed = [name for name in LISTS if name in os.environ and not _is_absolute(os.environ[name])]
    for name in changed:
        _set(name, os.environ[name])
    if set(changed).intersection(OF_THE_LOADER):
        _start_again()
    for name, value in NO_PLUG_INS.items():
        os.environ.setdefault(name, value)
    if sys.platform == "win32":
        from ctypes import windll

        windll.kernel32.SetDllDirectoryW("")  # LoadLibrary no longer looks there, as Qt calls it
        os.environ["NODEFAULTCURRENTDIRECTORYINEXEPATH"] = "1"  # nor shutil.which and the shell


def _is_absolute(folders: str) -> bool:
    return all(os.path.isabs(entry.strip('"')) for entry in folders.split(os.pathsep))  # Windows allows quotes


def _set(name: str, folders: str) -> None:
    """Set a list of folders to those that have whole paths."""
    absolute = [entry for entry in folders.split(os.pathsep) if os.path.isabs(entry.strip('"'))]
    os.environ[name] = os.pathsep.join(absolute)
    if not absolute:
        del os.environ[name]


def _start_again() -> None:
    words = sys.orig_argv[1:]
    if getattr(sys, "frozen", False):  # its loader's list is its own and that of the environment, which it put aside
        words = sys.argv[1:]
        for name in OF_THE_LOADER:
            _set(name, os.environ.pop(f"{name}_ORIG", ""))
        os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    os.execv(sys.executable, [sys.executable, *words])


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
