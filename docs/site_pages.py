"""What mkdocs is told beside mkdocs.yml: the site's parts in full, and pages that lie outside of docs.

mkdocs calls the functions by these names. A link that leads out of docs, to the glossary or a model's card, leads to a
copy within the site; where nothing is copied, as for code, the link is taken away and its words stay.
"""

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
OUTSIDE = {
    "CONTEXT.md": "glossary.md", "CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contribute.md",
    "SECURITY.md": "security.md", "PRIVACY.md": "privacy.md", "CODE_OF_CONDUCT.md": "conduct.md",
    **{f"models/{card.parent.name}/card.md": f"models/{card.parent.name}.md" for card in ROOT.glob("models/*/card.md")},
}  # fmt: skip
# The first line of a block of code, with what tests read behind the language: a file's name, or why it is not run.
FENCE = re.compile(r"^( *```[\w-]+) ([^\n]+)$", re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def on_config(config: Any) -> Any:
    """List the pages of each part of the navigation that is named by its folder."""
    for part in config.nav:
        for title, folder in part.items():
            if isinstance(folder, str) and (DOCS / folder).is_dir():
                part[title] = sorted(page.relative_to(DOCS).as_posix() for page in (DOCS / folder).glob("*.md"))
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages outside of docs."""
    for source, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Lead links that leave docs to the copies, take away those to what is no page, and title blocks of code."""
    source = {copy: original for original, copy in OUTSIDE.items()}.get(page.file.src_uri)
    folder = ROOT / source if source else DOCS / page.file.src_uri

    def led(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        path, mark, place = target.partition("#")
        if not path or "://" in path or path.startswith("mailto:"):
            return found[0]
        there = Path(os.path.normpath(folder.parent / path))
        name = there.relative_to(ROOT).as_posix() if there.is_relative_to(ROOT) else ""
        within = there.relative_to(DOCS).as_posix() if there.is_relative_to(DOCS) else OUTSIDE.get(name, "")
        if not within or files.get_file_from_path(within) is None:
            return words
        here = PurePosixPath(page.file.src_uri).parent
        return f"{picture}[{words}]({os.path.relpath(within, here)}{mark}{place})"

    return LINK.sub(led, FENCE.sub(_titled, markdown))


def _titled(found: re.Match[str]) -> str:
    """Return the first line of a block of code with a file's name as its title; other words are for tests alone."""
    fence, words = found.groups()
    return f'{fence} title="{words}"' if re.fullmatch(r"[\w./-]+\.\w+", words) else fence
