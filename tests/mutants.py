"""Count how many small faults the tests notice: 200 seeded mutants of four folders.

  python tests/mutants.py before.jsonl                       choose mutants, find the tests that reach each, run them
  python tests/mutants.py after.jsonl --like before.jsonl    the same mutants in the tree as it is now
  python tests/mutants.py before.jsonl --table               print the figures

A mutant is one changed expression or one removed statement inside a function. It is named by its file, function and
change, so that the same one is found again after other lines moved. Nothing is changed in place: the tree is copied.
First a copy with a probe at each mutant runs the tests once, and notes which tests reach which mutant. Then each mutant
runs the tests that reach it, quickest first, until one fails. Results are appended to the file line by line; the same
command goes on where it was stopped. `--tests` names what is run (repeat the command with other tests to give the
survivors another chance), `--each` how many mutants a folder gets.
"""

import argparse
import ast
import copy
import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from zlib import crc32

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("core/metrics", "core/project", "core/judging", "desktop/panels/judge")
PANELS = "tests/unit/desktop/panels/test_"
TESTS = (
    *("tests/unit/core/metrics", "tests/unit/core/project", "tests/unit/core/judging"),
    *(f"{PANELS}{name}.py" for name in ("judge_packet", "judge_panel", "judge_ratings", "judge_setup", "judge_sway")),
    *(f"{PANELS}{name}.py" for name in ("judge_teaching", "judge_texts", "judge_worst", "rating_walks")),
    *(f"{PANELS}{name}.py" for name in ("workshop_pages", "raters_panel", "raters_decisions", "raters_care")),
)
LEFT_OUT = (".git", ".venv", "__pycache__", "*.pyc", "build", "dist", ".mypy_cache", ".ruff_cache", ".pytest_cache")
MOST_TESTS, MOST_SECONDS = 120, 60.0  # of the tests run for one mutant, by their time in the run with probes
FIRST_TESTS, FIRST_SECONDS = 8, 10.0  # tried before the others
LIMIT_SECONDS = 300
TOO_LONG = 124
LIBRARIES = ("numpy", "scipy.stats", "sqlmodel", "pydantic", "hypothesis", "PySide6.QtWidgets", "pytestqt.qtbot")
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
PROBE = (
    "def _probe(number, _seen=set()):\n"
    "    import os\n"
    "    test, file = os.environ.get('PYTEST_CURRENT_TEST'), os.environ.get('MUTANT_HITS')\n"
    "    if test and file and (number, test) not in _seen:\n"
    "        _seen.add((number, test))\n"
    "        try:\n"
    "            with open(file, 'a', encoding='utf-8') as hits:\n"
    "                hits.write('{}\\t{}\\n'.format(number, test.rsplit(' (', 1)[0]))\n"
    "        except OSError:\n"  # a test may forbid writing
    "            pass\n"
)


@dataclass(frozen=True)
class Mutant:
    folder: str
    file: str
    function: str
    kind: str
    before: str
    after: str
    nth: int  # among equal changes of the function


@dataclass(frozen=True)
class Place:
    """Where a change goes: from (line, byte) to (line, byte), lines counted from 1."""

    start: tuple[int, int]
    end: tuple[int, int]
    is_statement: bool


# ---- choosing --------------------------------------------------------------------------------------------------------


def mutants_of(folder: str, file: Path) -> Iterator[tuple[Mutant, Place]]:
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for function, node, kind, before, after in _changes(ast.parse(file.read_bytes())):
        change = (function, kind, before, after)
        counts[change] += 1
        mutant = Mutant(folder, file.relative_to(ROOT).as_posix(), *change, counts[change])
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        end = (node.end_lineno, node.end_col_offset)
        yield mutant, Place((node.lineno, node.col_offset), end, isinstance(node, ast.stmt))


def _changes(tree: ast.Module) -> Iterator[tuple[str, ast.expr | ast.stmt, str, str, str]]:
    """Yield function, node, kind, and the node's text before and after, for each change inside a function."""

    def walk(node: ast.AST, function: str, inside: bool) -> Iterator[tuple[str, ast.expr | ast.stmt, str, str, str]]:
        if isinstance(node, ast.JoinedStr | ast.Assert | ast.match_case):
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{function}.{node.name}".lstrip(".")
            for child in node.body:
                yield from walk(child, name, inside or not isinstance(node, ast.ClassDef))
            return
        if inside and isinstance(node, ast.expr | ast.stmt):
            for kind, changed in _changed(node):
                yield function, node, kind, ast.unparse(node), changed
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from walk(child, function, inside)

    yield from walk(tree, "", False)


def _changed(node: ast.expr | ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the kinds and the texts of what a node can become."""
    match node:
        case ast.Compare(ops=[operator]):
            for other in COMPARISONS[type(operator)]:
                yield "comparison", _with(node, ops=[other()])
        case ast.BinOp(op=operator) if type(operator) in SUMS:
            yield "arithmetic", _with(node, op=SUMS[type(operator)]())
        case ast.BoolOp(op=operator):
            yield "and/or", _with(node, op=ast.Or() if isinstance(operator, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "negation", ast.unparse(operand)
        case ast.Constant(value=bool(value)):
            yield "constant", str(not value)
        case ast.Constant(value=int(value)):
            yield "constant", str(value + 1)
        case ast.Constant(value=float(value)):
            yield "constant", repr(value * 1.5 + 0.01)
        case ast.IfExp(test=test):
            yield "condition", _with(node, test=ast.UnaryOp(ast.Not(), test))
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield "returned value", "return None"
        case ast.Expr(value=ast.Call(func=called)) if "log" not in ast.unparse(called).split(".")[0]:
            yield "removed statement", "pass"
        case ast.Raise() | ast.AugAssign() | ast.Continue() | ast.Break():
            yield "removed statement", "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "removed statement", "pass"


def _with(node: ast.AST, **fields: object) -> str:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return ast.unparse(changed)


def places(folder: str) -> dict[Mutant, Place]:
    files = sorted((ROOT / folder).rglob("*.py"))
    return {mutant: place for file in files for mutant, place in mutants_of(folder, file)}


def chosen(seed: int, each: int) -> list[Mutant]:
    """Choose mutants in turn from each kind of change, none inside another, `each` a folder; folders take turns."""
    rows = []
    for folder in FOLDERS:
        chance, every = random.Random(f"{seed} {folder}"), places(folder)
        kinds = defaultdict(list)
        for mutant in every:
            kinds[mutant.kind].append(mutant)
        for candidates in kinds.values():
            chance.shuffle(candidates)
        taken: list[Mutant] = []
        while len(taken) < each and any(kinds.values()):
            for _, candidates in sorted(kinds.items()):
                if candidates and len(taken) < each:
                    mutant = candidates.pop()
                    if not any(mutant.file == other.file and _overlap(every[mutant], every[other]) for other in taken):
                        taken.append(mutant)
        rows.append(taken)
    return [mutant for turn in zip(*rows, strict=True) for mutant in turn]


def _overlap(one: Place, other: Place) -> bool:
    return one.start[0] <= other.end[0] and other.start[0] <= one.end[0]


# ---- changing a copy -------------------------------------------------------------------------------------------------


class Tree:
    """A copy of the tree in which files are changed and brought back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stamp = int(time.time())
        if not folder.exists():
            shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)

    def write(self, file: str, content: bytes) -> None:
        (self.folder / file).write_bytes(content)
        self._stamp += 2  # compiled files are known by time and size: two mutants must not share both
        os.utime(self.folder / file, (self._stamp, self._stamp))

    def mutate(self, mutant: Mutant, place: Place) -> None:
        lines = (ROOT / mutant.file).read_bytes().splitlines(keepends=True)
        rows = b"\n" * (place.end[0] - place.start[0])
        after = mutant.after.encode()
        self.write(
            mutant.file, _replaced(lines, place, after + rows if place.is_statement else b"(" + after + rows + b")")
        )

    def restore(self, file: str) -> None:
        self.write(file, (ROOT / file).read_bytes())

    def probe(self, mutants: list[Mutant], where: dict[Mutant, Place]) -> None:
        """Put a probe at each mutant, the last of a file first, so that places stay valid."""
        by_file = defaultdict(list)
        for number, mutant in enumerate(mutants):
            by_file[mutant.file].append((where[mutant], number))
        for file, found in by_file.items():
            content = (ROOT / file).read_bytes()
            for place, number in sorted(found, key=lambda pair: pair[0].start, reverse=True):
                lines = content.splitlines(keepends=True)
                text = _text(lines, place)
                call = f"_probe({number})".encode()
                changed = call + b"; " + text if place.is_statement else b"(" + call + b", " + text + b")[1]"
                content = _replaced(lines, place, changed)
            body = ast.parse(content).body
            first = next(
                row for row in body
                if not (isinstance(row, ast.Expr) or (isinstance(row, ast.ImportFrom) and row.module == "__future__"))
            )  # fmt: skip
            at = min([first.lineno, *(row.lineno for row in getattr(first, "decorator_list", []))]) - 1
            lines = content.splitlines(keepends=True)
            self.write(file, b"".join([*lines[:at], PROBE.encode(), *lines[at:]]))


def _text(lines: list[bytes], place: Place) -> bytes:
    (first, start), (last, end) = place.start, place.end
    if first == last:
        return lines[first - 1][start:end]
    return b"".join([lines[first - 1][start:], *lines[first : last - 1], lines[last - 1][:end]])


def _replaced(lines: list[bytes], place: Place, text: bytes) -> bytes:
    (first, start), (last, end) = place.start, place.end
    return (
        b"".join(lines[: first - 1]) + lines[first - 1][:start] + text + lines[last - 1][end:] + b"".join(lines[last:])
    )


# ---- running tests ---------------------------------------------------------------------------------------------------


@pytest.hookimpl
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note each test's time and outcome: this file is a plug-in of the test runs below."""
    file = os.environ.get("MUTANT_REPORTS")
    if file and "PYTEST_XDIST_WORKER" not in os.environ:
        with open(file, "a", encoding="utf-8") as reports:
            reports.write(json.dumps([report.nodeid, report.when, report.outcome, round(report.duration, 3)]) + "\n")


def run_tests(
    tree: Tree, work: Path, tests: list[str], hits: Path | None, limit: float | None
) -> tuple[int, list[list[str]]]:
    """Run tests in the copy; without `hits`, only until one fails. Return pytest's exit code and the reports."""
    reports, names = work / "reports.jsonl", work / "names.txt"
    reports.unlink(missing_ok=True)
    names.write_text("\n".join(tests), encoding="utf-8")
    environment = {**os.environ, "MUTANT_REPORTS": str(reports), "PYTHONPATH": str(tree.folder / "tests")}
    options = ["-q", "-p", "mutants", "-p", "no:cacheprovider", "--no-header", "--timeout", "120"]
    if hits:
        environment["MUTANT_HITS"] = str(hits)
    else:
        options.append("-x")
    code = _forked(tree.folder, environment, [*options, f"@{names}"], work / "output.txt", limit)
    rows = [json.loads(line) for line in reports.read_text("utf-8").splitlines()] if reports.exists() else []
    return code, rows


def _forked(folder: Path, environment: dict[str, str], words: list[str], output: Path, limit: float | None) -> int:
    """Run pytest in a process that has imported the large libraries already, and end what it leaves behind."""
    for name in LIBRARIES:
        with suppress(ImportError):
            import_module(name)
    process = os.fork()
    if process == 0:
        os.setsid()
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(file, stream)
        sys.path[:0] = [str(folder), str(folder / "tests")]
        code: int = 3
        with suppress(BaseException):
            code = pytest.main(words)
        os._exit(code)
    end = time.monotonic() + limit if limit else float("inf")
    done, status = os.waitpid(process, os.WNOHANG)
    while not done and time.monotonic() < end:
        time.sleep(0.05)
        done, status = os.waitpid(process, os.WNOHANG)
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    if not done:
        os.waitpid(process, 0)
        return TOO_LONG
    return os.waitstatus_to_exitcode(status)


def find_hits(
    work: Path, tests: list[str], mutants: list[Mutant], where: dict[Mutant, Place]
) -> dict[Mutant, list[tuple[float, str]]]:
    """Run the tests once with probes; the tests that reach each mutant and passed, quickest first."""
    kept = work / f"hits-{crc32(repr(tests).encode()):08x}.json"  # of these tests
    if not kept.exists():
        tree = Tree(work / "probed")
        tree.probe(mutants, where)
        hits = work / "hits.tsv"
        hits.unlink(missing_ok=True)
        _, reports = run_tests(tree, work, tests, hits, None)
        seconds: Counter[str] = Counter()
        for name, _, _, duration in reports:
            seconds[name] += float(duration)  # type: ignore[assignment]
        failed = {name for name, _, outcome, _ in reports if outcome == "failed"}
        reached = defaultdict(set)
        for line in hits.read_text("utf-8").splitlines() if hits.exists() else []:
            number, name = line.split("\t", 1)
            if name in seconds and name not in failed:
                reached[int(number)].add((seconds[name], name))
        content = {
            "failed": sorted(failed),
            "tests": len(seconds),
            "hits": [[asdict(mutant), sorted(reached[at])] for at, mutant in enumerate(mutants)],
        }
        kept.write_text(json.dumps(content), encoding="utf-8")
        shutil.rmtree(tree.folder)
    return {
        Mutant(**mutant): [(seconds, name) for seconds, name in tests]
        for mutant, tests in json.loads(kept.read_text("utf-8"))["hits"]
    }


def killer(tree: Tree, work: Path, mutant: Mutant, place: Place, tests: list[str]) -> tuple[str, str]:
    """The test that notices the mutant, or "" and why there is none."""
    if not tests:
        return "", "no test reaches it"
    tree.mutate(mutant, place)
    try:
        code, reports = run_tests(tree, work, tests, None, LIMIT_SECONDS)
    finally:
        tree.restore(mutant.file)
    failed = [name for name, _, outcome, _ in reports if outcome == "failed"]
    if failed:
        return failed[0], ""
    if code == TOO_LONG:
        return (reports[-1][0] if reports else tests[0]), "time limit"
    if code in (0, 5):
        return "", f"survived {len(tests)} tests"
    if code == 4:  # tests that cannot be imported any more, or that are not there
        output = (work / "output.txt").read_text("utf-8", "replace")
        broken = "ERROR collecting" in output or "while loading conftest" in output
        return (tests[0].partition("::")[0] if broken else ""), f"pytest ended with {code}"
    return (reports[-1][0] if reports else tests[0]), f"pytest ended with {code}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--like", type=Path, help="results whose mutants are tried again, their killers first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--tests", nargs="+", default=list(TESTS))
    parser.add_argument("--work", type=Path, help="the folder of the copies (beside the results)")
    parser.add_argument("--table", action="store_true")
    words = parser.parse_args()
    if words.table:
        print_table(latest(words.results))
        return
    work = (words.work or words.results.with_suffix(".work")).resolve()
    work.mkdir(parents=True, exist_ok=True)
    where = {mutant: place for folder in FOLDERS for mutant, place in places(folder).items()}
    before = latest(words.like) if words.like else {}
    mutants = list(before) if before else chosen(words.seed, words.each)
    results = latest(words.results)
    tree = Tree(work / "mutated")

    def note(mutant: Mutant, killed_by: str, why: str) -> None:
        row = {**asdict(mutant), "killed_by": killed_by, "why": why}
        with open(words.results, "a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        results[mutant] = row

    for mutant in mutants:
        name = before.get(mutant, {}).get("killed_by", "")
        if mutant not in where:
            note(mutant, "", "the code is gone")
        elif mutant not in results and name:
            killed_by, why = killer(tree, work, mutant, where[mutant], [name])
            if killed_by:
                note(mutant, killed_by, why)
    left = [mutant for mutant in mutants if mutant in where and not results.get(mutant, {}).get("killed_by")]
    if not left:
        return
    reached = find_hits(work, words.tests, left, where)
    reach = Counter(name for tests in reached.values() for _, name in tests)
    for mutant in left:
        # Tests that reach few mutants are about them; the others only pass by.
        tests = sorted(reached.get(mutant, []), key=lambda test: (reach[test[1]], test))
        names = few(tests, MOST_TESTS, MOST_SECONDS)
        known = results.get(mutant)
        if known is None or (names and known["why"] != f"survived {len(names)} tests"):
            killed_by, why = killer(tree, work, mutant, where[mutant], few(tests, FIRST_TESTS, FIRST_SECONDS))
            if not killed_by and len(names) > FIRST_TESTS:
                killed_by, why = killer(tree, work, mutant, where[mutant], names)
            note(mutant, killed_by, why)


def few(tests: list[tuple[float, str]], most: int, seconds: float) -> list[str]:
    """Return the names of the first tests, within a number and a time; at least of one."""
    names: list[str] = []
    for duration, name in tests:
        seconds -= duration
        if not names or (len(names) < most and seconds > 0):
            names.append(name)
    return names


def latest(file: Path) -> dict[Mutant, dict[str, str]]:
    """The last result of each mutant."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
    fields = Mutant.__dataclass_fields__
    return {Mutant(**{name: row[name] for name in fields}): row for row in rows}


def print_table(results: dict[Mutant, dict[str, str]]) -> None:
    for folder in FOLDERS:
        rows = [row for mutant, row in results.items() if mutant.folder == folder]
        print(f"{folder:24} {sum(bool(row['killed_by']) for row in rows):3} of {len(rows):3} killed")
    print(f"{'together':24} {sum(bool(row['killed_by']) for row in results.values()):3} of {len(results):3} killed\n")
    for mutant, row in results.items():
        end = row["killed_by"] or f"SURVIVED ({row['why']})"
        print(f"{mutant.file} {mutant.function}: {mutant.before} → {mutant.after}: {end}")


if __name__ == "__main__":
    main()
