"""Projects with comparisons whose texts a test chooses, and packets made from them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.make import make_packets
from biasprint.core.judging.plan import texts_digest
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem
from biasprint.core.project.specs import AxisSpec, ComparisonSpec, PlanSpec, SourceSpec
from biasprint.core.text import sha256_text

IDENTITIES = ("zqidentone", "zqidenttwo", "zqidentthree")
SECRETS = {
    "file": "zqfile", "folder": "zqfolder", "recent": "zqrecent", "axis": "zqaxis", "axis title": "Zqaxistitle",
    "identity": "zqident", "label": "Zqlabel", "plan": "Zqplan", "study": "Zqstudy", "origin": "zqorigin",
}  # fmt: skip
THEMES = ("castle", "stars", "rain", "trees", "joy", "fear")


def three_haiku(number: int) -> tuple[str, ...]:
    return tuple(f"A haiku of {THEMES[number]},\nthe line that says it again,\nand number {card}." for card in range(3))


def rating_project(
    path: Path, *, texts: Sequence[Sequence[str]] | None = None, task: str = "haiku", **settings: Any
) -> Path:
    """A project with one plan; `texts` are those of each comparison, `settings` those of the plan."""
    texts = texts if texts is not None else [three_haiku(number) for number in range(4)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with Project.create(path) as project:
        study = project.studies.add("creativity", "Zqstudy").number("study")
        identities = [{"key": key, "label": key.replace("zqident", "Zqlabel")} for key in IDENTITIES]
        project.axes.add(AxisSpec(key="zqaxis", title="Zqaxistitle", definition={"identities": identities}))
        flat = [text for comparison in texts for text in comparison]
        specs = [SourceSpec(kind="letter", origin="zqorigin", row=row, text=text) for row, text in enumerate(flat)]
        project.sources.add_many(study, specs)
        ids = iter([row.id for row in project.sources.page(study, 0, len(flat))])
        comparisons = [
            ComparisonSpec(
                position=position,
                axis="zqaxis",
                task=task,
                theme=THEMES[position % len(THEMES)],
                items=tuple(
                    ComparisonItem(None, identity, next(ids)) for identity, _ in zip(IDENTITIES, cards, strict=False)
                ),
                texts_sha256=texts_digest(sha256_text(text) for text in cards),
            )
            for position, cards in enumerate(texts)
        ]
        project.judging.add_plan(
            PlanSpec(study_id=study, title="Zqplan", axis="zqaxis", seed=3, settings=settings), comparisons
        )
    return path


def packet(folder: Path, *, code: str = "R01", **options: Any) -> Path:
    """A packet for one rater, in a folder of its own; the project it came from is beside it."""
    source = rating_project(folder / "zqfolder" / "zqfile.biasprint", **options)
    with Project.open(source) as project:
        (plan,) = project.judging.plans()
        (made,) = make_packets(JobContext(), project, plan_id=plan.id, codes=[code], folder=folder / "stick")
    return made.path
