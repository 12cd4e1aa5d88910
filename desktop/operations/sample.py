"""The sample project: what it is, and a person's own copy of it, built where there is none yet."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from core.jobs import JobContext
from desktop.operations.base import Operation
from desktop.widgets.words import tr

if TYPE_CHECKING:
    from core.project.project import Project


@dataclass(frozen=True)
class SampleFacts:
    """What the sample holds and, in its makers' own words, what its texts are and are not."""

    comparisons: int
    statement: str


def sample_facts() -> Operation[SampleFacts]:
    """Read what the sample says of itself. The first panel asks, so nothing of the engine is imported for it."""

    def work(ctx: JobContext) -> SampleFacts:
        facts = tomllib.loads((files("resources") / "sample" / "about.toml").read_text("utf-8"))
        return SampleFacts(facts["counts"]["comparisons"], " ".join(facts["statement"].split()))

    return Operation(tr("About the sample"), work, quiet=True)


def open_sample() -> Operation[Path]:
    """The file of the person's own copy; the first time it is built, which takes a while and needs no network."""

    def work(ctx: JobContext) -> Path:
        from core.compute import shared
        from core.runs import sample

        return sample.open_sample(ctx, shared())

    return Operation(tr("Preparing the sample project"), work)


def sample_project() -> "Operation[Project]":
    """The person's own copy of the sample, opened: what the window starts with for `biasprint demo`."""
    prepare = open_sample()

    def work(ctx: JobContext) -> "Project":
        from core.project.project import Project

        return Project.open(prepare.work(ctx))

    return Operation(prepare.title, work)
