"""Read the documentation: its pages, and the blocks of code that a page shows."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
KINDS = ("tutorials", "how-to", "reference", "explanation", "contributing")
NOT_RUN = "not-run "
WRITTEN = "after the texts are written"
_BLOCK = re.compile(r"^( *)```([\w-]+)(?: ([^\n]*))?\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of code. `info` is what its first line says behind the language: a file's name, or why it is not run."""

    language: str
    info: str
    text: str


def pages() -> list[Path]:
    """Return README, the list of pages, and every page of the five kinds."""
    return [
        ROOT / "README.md",
        DOCS / "README.md",
        *(page for kind in KINDS for page in sorted(DOCS.glob(f"{kind}/**/*.md"))),
    ]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def contract_ids() -> list[str]:
    """Ids of docs/reference/findings.md, whose short forms in a row (“`.positivity`”) follow the first one of it."""
    page = (DOCS / "reference" / "findings.md").read_text("utf-8")
    table = page.partition("| id | measured of |")[2].partition("\n\n")[0]
    ids = []
    for row in table.splitlines()[2:]:
        first = ""
        for name in re.findall(r"`([\w.]+)`", row.split("|")[1]):
            first = first if name.startswith(".") else name
            ids.append(first.rpartition(".")[0] + name if name.startswith(".") else name)
    return ids


def blocks(page: Path) -> list[Block]:
    """Return the blocks of code of a page, without the indentation of a list."""
    found = _BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [Block(block[2], block[3] or "", textwrap.dedent(block[4])) for block in found]


def files_of(page: Path) -> dict[str, str]:
    """Return the files that a page shows, by name."""
    shown = (block for block in blocks(page) if block.language != "sh" and block.info)
    return {block.info: block.text for block in shown}
