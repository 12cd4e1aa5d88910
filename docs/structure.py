"""Prints the figures of the tree: modules, lines, importers, circles, folders; `--picture` draws the rooms.

    python docs/structure.py               the figures of core and desktop
    python docs/structure.py --single      and the modules that have exactly one importer
    python docs/structure.py --picture     and writes docs/structure.svg: rooms, and who imports whom

An import counts wherever it is: at the top, in a function, under TYPE_CHECKING. `from package import name` counts for
the module of that name where there is one, else for the package. The program reads source files and imports nothing.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("core", "desktop")
MOST_FILES = 30  # in a folder


def modules() -> dict[str, Path]:
    """Every module of the program by its dotted name; a package by its folder's."""
    found = {}
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of ours that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in known:
                    yield whole
                elif node.module in known:
                    yield node.module


def graph(known: dict[str, Path]) -> dict[str, set[str]]:
    return {name: set(imports(path, known)) - {name} for name, path in known.items()}


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that reach each other, by Tarjan's algorithm without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on: set[str] = set()
    found = []
    for start in edges:
        if start in index:
            continue
        work = [(start, iter(sorted(edges[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on.add(start)
        while work:
            node, left = work[-1]
            step = next(left, None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while True:
                        member = stack.pop()
                        on.discard(member)
                        group.append(member)
                        if member == node:
                            break
                    if len(group) > 1:
                        found.append(sorted(group))
            elif step not in index:
                index[step] = low[step] = len(index)
                stack.append(step)
                on.add(step)
                work.append((step, iter(sorted(edges[step]))))
            elif step in on:
                low[node] = min(low[node], index[step])
    return found


def importers(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {name: set() for name in edges}
    for name, needed in edges.items():
        for other in needed:
            found[other].add(name)
    return found


def repeated_classes(known: dict[str, Path]) -> dict[str, list[str]]:
    """Public class names that are there more than once, and where."""
    places = defaultdict(list)
    for name, path in known.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def report(words: list[str]) -> None:
    known = modules()
    edges = graph(known)
    by = importers(edges)
    single = sorted(name for name, others in by.items() if len(others) == 1)
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in known.items()}
    folders = defaultdict(int)
    for path in known.values():
        folders[path.parent.relative_to(ROOT).as_posix()] += 1
    loops = circles(edges)
    twice = repeated_classes(known)
    for top in TOPS:
        own = [name for name in known if name.split(".")[0] == top]
        print(f"{top + ':':9}{len(own):5} modules {sum(lines[name] for name in own):7} lines")
    total = sum(lines.values())
    print(f"all:     {len(known):5} modules {total:7} lines, {total / len(known):.0f} a module")
    print(f"modules with a single importer: {len(single)}")
    print(f"folders with more than {MOST_FILES} files: {[f for f, n in folders.items() if n > MOST_FILES] or 'none'}")
    print(f"largest folders: {', '.join(f'{f} {n}' for n, f in sorted(((n, f) for f, n in folders.items()))[:-6:-1])}")
    print(f"longest modules: {', '.join(f'{n} {lines[n]}' for n in sorted(lines, key=lines.__getitem__)[:-6:-1])}")
    print(f"import circles: {len(loops)}")
    for loop in loops:
        print("  " + ", ".join(loop))
    print(f"public class names that are there twice: {len(twice)}")
    for name, where in twice.items():
        print(f"  {name}: {', '.join(where)}")
    if "--single" in words:
        for name in single:
            print(f"  {name} ({lines[name]} lines) <- {next(iter(by[name]))}")


if __name__ == "__main__":
    report(sys.argv[1:])
