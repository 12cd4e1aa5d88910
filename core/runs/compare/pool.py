"""What a plan may be drawn from: the texts of one study that could be cards, and what must be equal between them."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from core.errors import AppError
from core.jobs import JobContext
from core.judging.plan import Candidate, LeftOut
from core.project.project import Project
from core.project.rows import OutputRow, SourceRow, StudyRow
from core.project.specs import SourceSpec
from core.project.stores.common import chunks
from core.project.stores.runs import OutputFilter
from core.prompts import Axis

# Texts that answer one prompt more than once, in further runs say, are told apart beyond every number of a sample.
SAMPLES = 10_000
LONGEST_THEME = 160


@dataclass(frozen=True)
class Request:
    """`axes`: keys, or KEY:one,other for some of an axis's identities. `models`: labels of generators (see writers)."""

    study: StudyRow
    axes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True)
class Pool:
    """`axes`: axis → the identities that a comparison on it shows. `left_out`: texts that never were candidates.

    `new`: texts that are stored once they are drawn, by the negative number that stands for their source's id.
    `definitions`: axes that the project has no copy of yet.
    """

    candidates: list[Candidate]
    axes: Mapping[str, tuple[str, ...]]
    left_out: tuple[LeftOut, ...] = ()
    new: Mapping[int, SourceSpec] = field(default_factory=dict)
    definitions: tuple[Axis, ...] = ()


def check_study(study: StudyRow) -> None:
    """Raise AppError for a study whose outputs are no texts to read side by side."""
    if study.kind == "completion":
        raise AppError(
            "The completion study has no texts to compare: its outputs are the options that were chosen.",
            kept="No plan was made.",
            hint="Compare texts of a creativity, letters or news study.",
        )


def outputs(ctx: JobContext, project: Project, study_id: int) -> Iterator[OutputRow]:
    """Every output of the study, failed ones too, while the job reports."""
    where = OutputFilter(study_id=study_id)
    total = project.outputs.count(where)
    for number, row in enumerate(project.outputs.each(where), start=1):
        ctx.check()
        yield row
        ctx.report(number, total, note="reading outputs")


def sources(project: Project, study_id: int, kind: str) -> Iterator[SourceRow]:
    """The study's texts of one kind that no prompt asked for."""
    yield from chunks(lambda after, limit: project.sources.page(study_id, after, limit, kind=kind), lambda row: row.id)


def problem_of(row: OutputRow) -> str:
    """Why an output cannot be shown, or ""."""
    return "its generation failed" if row.status != "done" else "" if row.text.strip() else "its text is empty"


def theme_of(kind: str, theme: str, fields: Mapping[str, str]) -> str:
    """What a text is about, to balance by: a letter's occupation, elsewhere the prompt's theme (a domain in news)."""
    return fields.get("occupation", "")[:LONGEST_THEME] if kind == "letters" else theme


def shown_theme(kind: str, theme: str, fields: Mapping[str, str], hidden: Collection[str]) -> str:
    """What raters may read of it: in news the headline that both articles were written for.

    Empty where it holds one of the words in `hidden` (identities that are compared), which would name them.
    """
    said = " ".join(fields.get("headline", "").split())[:LONGEST_THEME] if kind == "news" else theme
    return "" if names_one_of(said, hidden) else said


def names_one_of(text: str, words: Collection[str]) -> bool:
    """Does one of these stand in the text as a word of its own, in any case and with any sign between its parts?"""
    plain = f" {_plain(text)} "
    return any(f" {_plain(word)} " in plain for word in words if _plain(word))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.replace("_", " ").casefold()))


class Numbers:
    """Numbers the texts of one place and identity, so that the n-th of one identity meets the n-th of another."""

    def __init__(self) -> None:
        self._seen: defaultdict[tuple[object, ...], int] = defaultdict(int)

    def sample(self, sample: int, *place: object) -> int:
        """The sample's number, beyond all samples for each text that stood in this place before."""
        key = (sample, *place)
        self._seen[key] += 1
        return sample + SAMPLES * (self._seen[key] - 1)
