"""Prints the figures of the tree: modules, lines, importers, circles, folders; `--picture` draws the rooms.

    python docs/structure.py               the figures of core and desktop
    python docs/structure.py --single      and the modules that have exactly one importer
    python docs/structure.py --picture     and writes docs/structure.svg: the rooms, and who imports whom

An import counts wherever it is: at the top, in a function, under TYPE_CHECKING. `from package import name` counts for
the module of that name where there is one, else for the package. The program reads source files and imports nothing.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("core", "desktop")
PACKAGE = "biasprint."  # the name above the folders
INTERFACE = ROOT / "core" / "python"
MOST_FILES = 30  # in a folder


def modules() -> dict[str, Path]:
    """Every module of the program by its dotted name; a package by its folder's. The interface `biasprint` is none."""
    found = {}
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*.py")):
            if path.is_relative_to(INTERFACE):
                continue
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def statements(parent: ast.AST) -> Iterator[ast.AST]:
    """Everything that can hold a statement, without the expressions, which are most of a file."""
    for _, value in ast.iter_fields(parent):
        for child in value if isinstance(value, list) else ():
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                yield child
                yield from statements(child)


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of ours that a file imports."""
    for node in statements(tree_of(path)):
        if isinstance(node, ast.Import):
            names = (alias.name.removeprefix(PACKAGE) for alias in node.names)
            yield from (name for name in names if name in known)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            module = node.module.removeprefix(PACKAGE)
            for alias in node.names:
                whole = f"{module}.{alias.name}"
                if whole in known:
                    yield whole
                elif module in known:
                    yield module


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
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def nested_imports(path: Path) -> int:
    """Count the import statements inside functions."""
    functions = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(node): node for function in functions for node in statements(function)}
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in inside.values())


def both_ways(edges: dict[str, set[str]]) -> list[str]:
    """Return the pairs of rooms that import each other."""
    arrows = {(room(name), room(other)) for name, needed in edges.items() for other in needed}
    return sorted(f"{a} and {b}" for a, b in arrows if a < b and (b, a) in arrows)


def words_of_pages() -> int:
    """Count the words of README and of all pages below docs but the tables that the program writes."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    written = [page for page in pages if not page.is_relative_to(ROOT / "docs" / "tables")]
    return sum(len(page.read_text(encoding="utf-8").split()) for page in written)


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
    print(f"imports inside functions: {sum(map(nested_imports, known.values()))}")
    print(f"rooms that import each other: {', '.join(both_ways(edges)) or 'none'}")
    print(f"words of the documentation, without docs/tables: {words_of_pages()}")
    for name, where in twice.items():
        print(f"  {name}: {', '.join(where)}")
    if "--single" in words:
        for name in single:
            print(f"  {name} ({lines[name]} lines) <- {next(iter(by[name]))}")


# ---- the picture

WIDTH, BOX, HEIGHT, GAP, ROW = 1180, 128, 46, 14, 96
FILL = {"desktop": "#dfe9f7", "core": "#f2efe6"}


def room(name: str) -> str:
    """The room of a module, such as `core.metrics`; what lies loose in a top-level folder is in that folder."""
    parts = name.split(".")
    return ".".join(parts[:2]) if (ROOT / parts[0] / parts[1] if len(parts) > 1 else ROOT / "-").is_dir() else parts[0]


def rooms_graph(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """Which room imports which; a pair that imports both ways counts in the direction of more imports."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for name, needed in edges.items():
        for other in needed:
            if room(name) != room(other):
                counts[room(name), room(other)] += 1
    found: dict[str, set[str]] = {room(name): set() for name in edges}
    for (a, b), n in counts.items():
        if n > counts.get((b, a), 0):
            found[a].add(b)
    return found


def levels(rooms: dict[str, set[str]]) -> dict[str, int]:
    """Each room's height: one above the highest room that it imports. Circles are cut where they are met."""
    found: dict[str, int] = {}

    def height(name: str, above: frozenset[str]) -> int:
        if name not in found:
            below = [height(other, above | {name}) for other in rooms[name] if other not in above]
            found[name] = 1 + max(below, default=-1)
        return found[name]

    for name in sorted(rooms):
        height(name, frozenset())
    return found


def reduced(rooms: dict[str, set[str]]) -> dict[str, set[str]]:
    """Without the arrows that follow from others: a → c where a → b → c."""

    def reach(name: str, seen: set[str]) -> set[str]:
        for other in rooms[name] - seen:
            seen.add(other)
            reach(other, seen)
        return seen

    return {
        name: {a for a in needed if not any(a in reach(b, set()) for b in needed - {a})}
        for name, needed in rooms.items()
    }


def picture() -> str:
    known = modules()
    edges = graph(known)
    rooms = rooms_graph(edges)
    level = levels(rooms)
    arrows = reduced(rooms)
    count: dict[str, int] = defaultdict(int)
    lines: dict[str, int] = defaultdict(int)
    for name, path in known.items():
        count[room(name)] += 1
        lines[room(name)] += len(path.read_text(encoding="utf-8").splitlines())
    top = max(level.values())
    place: dict[str, tuple[float, float]] = {}
    for height in range(top, -1, -1):
        row = [name for name in rooms if level[name] == height]
        # Under the middle of those who import it, so that arrows are short.
        over = {a: [place[b][0] for b in place if a in arrows[b]] for a in row}
        row.sort(key=lambda name: (sum(over[name]) / len(over[name]) if over[name] else WIDTH / 2, name))
        step = min(BOX + 4 * GAP, (WIDTH - 2 * GAP) / max(1, len(row)))
        for i, name in enumerate(row):
            x = WIDTH / 2 + (i - (len(row) - 1) / 2) * step
            place[name] = (x, GAP + HEIGHT / 2 + (top - height) * ROW)
    tall = GAP * 2 + HEIGHT + top * ROW
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{tall}" fill="#ffffff"/>',
    ]
    for a, needed in sorted(arrows.items()):
        for b in sorted(needed):
            (x, y), (u, v) = place[a], place[b]
            y, v = y + HEIGHT / 2, v - HEIGHT / 2
            bend = max(24.0, (v - y) / 2)
            out.append(
                f'<path d="M{x:.0f} {y:.0f} C{x:.0f} {y + bend:.0f} {u:.0f} {v - bend:.0f} {u:.0f} {v:.0f}" '
                f'fill="none" stroke="#9aa2af" stroke-width="1.2"/>'
                f'<path d="M{u - 4:.0f} {v - 7:.0f} L{u:.0f} {v:.0f} L{u + 4:.0f} {v - 7:.0f} z" fill="#9aa2af"/>'
            )
    for name, (x, y) in sorted(place.items()):
        first, _, rest = name.partition(".")
        out.append(
            f'<rect x="{x - BOX / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{BOX}" height="{HEIGHT}" rx="8" '
            f'fill="{FILL[first]}" stroke="#b8b2a3"/>'
            f'<text x="{x:.0f}" y="{y - 2:.0f}" text-anchor="middle" font-size="14" fill="#1f2328">'
            f"{rest or first + ' (loose)'}</text>"
            f'<text x="{x:.0f}" y="{y + 14:.0f}" text-anchor="middle" font-size="10" fill="#5c6370">'
            f"{count[name]} files · {lines[name]} lines</text>"
        )
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    report(sys.argv[1:])
    if "--picture" in sys.argv:
        (ROOT / "docs" / "structure.svg").write_text(picture(), encoding="utf-8")
