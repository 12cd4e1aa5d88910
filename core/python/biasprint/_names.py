"""One name for each module of the program, wherever it is installed.

In the source tree, in the program's own environment while it runs from there and in the packaged program, the engine
is `core`, as its imports say. Installed beside other packages it lies in the folder `biasprint` and is
`biasprint.core`: the names `core`, `desktop`, `resources` and `models` belong to nobody there, or to others.

The same source runs under both. A module that is loaded as `biasprint.core…` gets an `__import__` of its own, which
looks for `core…` below `biasprint`; no other module's imports change. `core.own` does the same for names in texts.

In one process each module of the program is there once. Whichever of its two names is imported first is the one that
counts, for all of them; the other is another name of the same module.
"""

import builtins
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

US = "biasprint"
OURS = ("core", "desktop", "resources", "models")
HERE = Path(__file__).resolve().parent
# Where the four folders lie: in this one where the package was installed, at the top of the tree otherwise.
FOLDER = HERE if (HERE / "core").is_dir() else HERE.parents[2]


def install() -> None:
    """Let the program's modules be found; once in a process, before any of them is imported by a name below ours."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(plain=any(_is_ours(sys.modules.get(name)) for name in OURS)))


class _Finder(MetaPathFinder):
    """`plain`: the program was imported under its plain names before."""

    def __init__(self, plain: bool) -> None:
        self._plain = plain

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        top, _, rest = fullname.partition(".")
        if top == US:
            if rest.partition(".")[0] not in OURS:
                return None if self._plain else _mapped(fullname, path)
            if self._plain:
                return ModuleSpec(fullname, _SameModule(rest))
            return _mapped(fullname, path if "." in rest else [str(FOLDER)])
        if top in OURS and not self._plain and self._would_be_ours(top):
            return ModuleSpec(fullname, _SameModule(f"{US}.{fullname}"))
        return None

    def _would_be_ours(self, top: str) -> bool:
        """Whether a plain name would lead to our own folder: the tree is on the path as well."""
        if top in sys.modules:
            return sys.modules[top] is sys.modules.get(f"{US}.{top}")
        found = PathFinder.find_spec(top)
        return found is not None and found.origin is not None and Path(found.origin).parent == FOLDER / top


def _is_ours(module: ModuleType | None) -> bool:
    origin = getattr(module, "__file__", None)
    return module is not None and origin is not None and Path(origin).resolve().parent == FOLDER / module.__name__


def _mapped(fullname: str, path: Sequence[str] | None) -> ModuleSpec | None:
    spec = PathFinder.find_spec(fullname, path)
    if spec is None or not isinstance(spec.loader, SourceFileLoader):
        return spec
    return spec_from_file_location(
        fullname,
        spec.origin,
        loader=_OwnNames(fullname, spec.loader.path),
        submodule_search_locations=spec.submodule_search_locations,
    )


class _OwnNames(SourceFileLoader):
    """Runs a module of ours so that its imports of `core…` find `biasprint.core…`."""

    def exec_module(self, module: ModuleType) -> None:
        # Documented for exec: a `__builtins__` that is there already is what the code gets.
        vars(module)["__builtins__"] = _BUILTINS
        super().exec_module(module)


class _SameModule(Loader):
    """Gives the module that another name has already, or gets now."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import has put that of the other name there


def _import(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    top = name.partition(".")[0]
    if level or top not in OURS:
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    found = builtins.__import__(f"{US}.{name}", globals, locals, fromlist or (), 0)
    return found if fromlist else sys.modules[f"{US}.{top}"]  # `import core.text` binds the name of `core`


_BUILTINS = {**vars(builtins), "__import__": _import}
