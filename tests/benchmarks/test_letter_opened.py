"""The words of a letter are marked 300 ms after it is opened, with a project or without, before any scorer is ready."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from children import ROOT, answer_of
from figures import at_most, figure, spread, title
from letter_sentences import letters

from biasprint.core.project.project import Project

pytestmark = pytest.mark.bench

BOUND_SECONDS = 0.3
AFTER = (1, 3, 8)  # seconds from the first paint
BOUND_FROM = 3  # before, the window imports its engine or opens the project; who chooses a file takes longer
TIMES = 3


@pytest.mark.parametrize("with_project", [False, True])
@pytest.mark.parametrize("after", AFTER)
def test_a_letter_is_marked_at_once(after: int, with_project: bool, bench_home: Path) -> None:
    folder = Path(tempfile.mkdtemp())
    letter = folder / "letter.txt"
    letter.write_text(letters(1, 7)[0], encoding="utf-8")
    arguments: list[object] = [letter, after]
    if with_project:
        Project.create(folder / "some.biasprint").close()
        arguments.append(folder / "some.biasprint")
    found: list[Any] = [
        answer_of(
            "letter_opened.py",
            *arguments,
            environment={"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT / "core" / "python")},
        )
        for _ in range(TIMES)
    ]
    project = "with" if with_project else "without"
    title(f"A letter opened {after} s after the first paint, {project} a project, {TIMES} times")
    for name in ("shown", "marked", "read"):
        figure(f"opened to {name}", spread([one[name] for one in found]), "s")
    if after >= BOUND_FROM:
        row = "" if with_project else f"words marked after a letter is opened, {after} s after the window"
        marked = spread([one["marked"] for one in found]).median
        at_most("the middle one of them marked", marked, BOUND_SECONDS, "s", row)
