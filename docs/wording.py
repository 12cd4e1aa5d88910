"""List what the program says, and find words that send a reader elsewhere to understand a sentence.

    python docs/wording.py check                         every finding outside NOT_YET; exit code 1 if there is one
    python docs/wording.py check desktop/panels          every finding of a folder
    python docs/wording.py first-lines core/metrics      the first lines of docstrings
    python docs/wording.py strings desktop/panels/judge  messages, labels and help texts
    python docs/wording.py locals core                   the names of assigned locals, with their counts

The check reads source, resources, model cards and pages as text. A test runs it (`tests/unit/test_wording.py`).
"""

import ast
import builtins
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("core", "desktop", "resources", "models")
PAGES = ("README.md", "CONTEXT.md", "CHANGELOG.md", "docs")
SUFFIXES = (".py", ".md", ".toml")
TEXTS = ("resources/synthetic",)  # of the synthetic author, who may write as it likes

# A pattern, and what to write instead. A space also matches a line break, in a comment or between two string literals.
EVERYWHERE = {
    r"anew": "again",
    r"of today": "current",
    r"as of now": "give a version, or leave it out",
    r"nothing of": "none of, nothing about, nothing from",
    r"stands? in for": "replaces",
    r"that which": "what, or a noun",
    r"(?:left )?out of count": "not counted",
}
IN_DOCSTRINGS = {
    r"stands?(?!-in| in for| out| for)": "is, has, contains",
    r"told(?! apart)": "given, reported, shown",
    r"said of": "about, given for",
    r"left out of": "not in, removed from",
    r"by (?:it|them)sel(?:f|ves)": "alone, separately, automatically",
}
# The first word of a docstring is a verb ("Return whether …", "Count …") or begins a noun phrase.
FIRST_WORD = re.compile(r"(What|Whether|How|Which|Where|Who|Whose|When|Why)\b")
FIRST_WORD_INSTEAD = "a verb (Return, Count, Yield …) or a noun"

# Folders that are not clean yet, and how many findings they have: lower the number as you clean, never raise it.
NOT_YET: dict[str, int] = {}

TRIPLE_QUOTED = re.compile(r'"""(.*?)"""', re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
OPTIONS = re.compile(r"typer\.|AsJson")  # in the parameters of a command
SPEAKERS = ("tr", "plural", "say", "add_group")  # functions whose literal arguments people read


class Word(NamedTuple):
    """A word that the check found, with its place and what to write instead."""

    path: str
    line: int
    word: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.word} → {self.instead}"


def _compiled(table: dict[str, str]) -> list[tuple[re.Pattern[str], str]]:
    gap = r'(?:\s|"\s*\n\s*f?"|\n\s*#)+'
    return [(re.compile(rf"\b{key.replace(' ', gap)}\b", re.IGNORECASE), table[key]) for key in table]


_EVERYWHERE, _IN_DOCSTRINGS = _compiled(EVERYWHERE), _compiled(IN_DOCSTRINGS)


def words(path: str, text: str) -> Iterator[Word]:
    """Yield the listed words of a file: of its whole text, and of its docstrings where it is Python."""
    for start, pattern, instead in _searches(path, text):
        for match in pattern:
            offset = start + match.start()
            yield Word(path, text.count("\n", 0, offset) + 1, " ".join(match[0].split()), instead)


def _searches(path: str, text: str) -> Iterator[tuple[int, Iterator[re.Match[str]], str]]:
    """Yield where a searched part begins, the matches in it, and what to write instead."""
    for pattern, instead in _EVERYWHERE:
        yield 0, pattern.finditer(text), instead
    for quoted in TRIPLE_QUOTED.finditer(text if path.endswith(".py") else ""):
        if text[text.rfind("\n", 0, quoted.start()) + 1 : quoted.start()].strip():
            continue  # a value, not a docstring
        yield quoted.start(1), iter(filter(None, [FIRST_WORD.match(quoted[1])])), FIRST_WORD_INSTEAD
        prose = CODE.sub(lambda code: " " * len(code[0]), quoted[1])
        for pattern, instead in _IN_DOCSTRINGS:
            yield quoted.start(1), pattern.finditer(prose), instead


def files(tops: Iterable[str], suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files of folders, sorted; a file is its own folder."""
    for path in (ROOT / top for top in tops):
        yield from (each for each in [path, *sorted(path.rglob("*"))] if each.suffix in suffixes and each.is_file())


def check(*tops: str) -> list[Word]:
    """Return the listed words of folders, or of the whole product and its pages. Programs of `docs` are not checked."""
    listed: list[Word] = []
    for path in files(tops or (*PRODUCT, *PAGES), SUFFIXES):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(TEXTS) and not (name.startswith("docs/") and path.suffix == ".py"):
            listed += words(name, path.read_text(encoding="utf-8"))
    return listed


def complaints(listed: list[Word], not_yet: dict[str, int]) -> list[str]:
    """Return a line for each word outside the allowances, and for each allowance that is not the folder's number."""
    counts = Counter(_allowance(word.path, not_yet) for word in listed)
    lines = [str(word) for word in listed if counts[folder := _allowance(word.path, not_yet)] > not_yet.get(folder, 0)]
    for folder, allowed in not_yet.items():
        if counts[folder] > allowed:
            lines.append(
                f"{folder}: {counts[folder]} findings where NOT_YET allows {allowed}: write the new ones plainly"
            )
        elif counts[folder] < allowed:
            lines.append(f"{folder}: {counts[folder]} findings where NOT_YET allows {allowed}: lower it")
    return lines


def _allowance(path: str, not_yet: dict[str, int]) -> str:
    """Return the longest folder of the allowances that holds the path; empty where there is none."""
    return max((folder for folder in not_yet if path.startswith(f"{folder}/")), key=len, default="")


# ---- lists


def first_lines(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the first line of each docstring, with its place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | FUNCTION):
            text = ast.get_docstring(node)
            if text:
                yield f"{_place(path, node.body[0])} {text.splitlines()[0]}"


def strings(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the texts that people read: arguments of SPEAKERS and of raised errors, help of commands and options."""
    of_commands = path.is_relative_to(ROOT / "core" / "cli")
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            if not hasattr(builtins, ast.unparse(node.exc.func)):
                yield from _literals(path, [*node.exc.args, *(each.value for each in node.exc.keywords)])
        elif isinstance(node, ast.Call):
            spoken = node.args if ast.unparse(node.func).split(".")[-1] in SPEAKERS else []
            yield from _literals(path, [*spoken, *(each.value for each in node.keywords if each.arg == "help")])
        elif of_commands and isinstance(node, ast.FunctionDef) and OPTIONS.search(ast.unparse(node.args)):
            help_text = " ".join((ast.get_docstring(node) or "").split())
            yield from [f"{_place(path, node.body[0])} {help_text}"] if help_text else []


def _literals(path: Path, values: list[ast.expr]) -> Iterator[str]:
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield f"{_place(path, value)} {value.value}"
        elif isinstance(value, ast.JoinedStr):
            yield f"{_place(path, value)} {ast.unparse(value)}"


def _place(path: Path, node: ast.stmt | ast.expr) -> str:
    return f"{path.relative_to(ROOT).as_posix()}:{node.lineno}:"


def local_names(tree: ast.Module) -> set[tuple[int, str]]:
    """Return each name that a function or a comprehension in it assigns, with the line."""
    inside = (node for function in ast.walk(tree) if isinstance(function, FUNCTION) for node in ast.walk(function))
    return {(node.lineno, node.id) for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def main(command: str = "", *tops: str) -> int:
    """Run a command, print its answer, and return the exit code."""
    if command == "check":
        lines = [str(word) for word in check(*tops)] if tops else complaints(check(), NOT_YET)
        print("\n".join(lines) or "None of the listed words.")
        return 1 if lines else 0
    trees = ((path, ast.parse(path.read_text(encoding="utf-8"))) for path in files(tops or PRODUCT, (".py",)))
    if command in ("first-lines", "strings"):
        lines_of = first_lines if command == "first-lines" else strings
        print("\n".join(line for path, tree in trees for line in lines_of(path, tree)))
    elif command == "locals":
        counts = Counter(name for _, tree in trees for _, name in local_names(tree))
        print("\n".join(f"{count:6,} {name}" for name, count in counts.most_common()))
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
