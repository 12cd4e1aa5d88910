"""The choices for comparing any score between any groups: a project's texts with their groupings, and the scorers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs.measure import asked_again
from biasprint.core.scorers.lexicon import OWN_WORDS
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import describe, info_of
from biasprint.core.studies.compare.gather import NO_NUMBER, chosen_scorers
from biasprint.core.studies.compare.texts import compared_texts, groupings
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import tr
from biasprint.desktop.wording.generators import (
    EACH,
    StudyGenerators,
    Titles,
    read_generators_of,
    read_titles,
    words_of,
)

STUDY = "compare"
GROUP, SECOND = "group", "second_group"  # the fields that a grouping's column is read as


@dataclass(frozen=True)
class GroupingColumn:
    """A column that texts can be grouped by: its title, and its groups with their numbers of texts."""

    column: str
    title: str
    groups: Mapping[str, int]


@dataclass(frozen=True)
class TextsToCompare:
    """The texts of one study. `scored`: how many of them each scorer's present version has scored."""

    study: str
    title: str
    texts: int
    groupings: tuple[GroupingColumn, ...]
    writers: StudyGenerators


@dataclass(frozen=True)
class CompareChoices:
    """The choices. `scorers`: those that give numbers, the usual ones first. `asked`: the last options measured."""

    texts: tuple[TextsToCompare, ...]
    scorers: tuple[ScorerInfo, ...]
    usual: frozenset[str]
    asked: MeasureOptions


def read_choices(ctx: JobContext, project: Project) -> CompareChoices:
    """Read the choices of this project, in a job."""
    titles, to_compare = read_titles(project), []
    for study in project.studies.all():
        ctx.check()
        texts = compared_texts(project, study.id)
        offered = tuple(
            GroupingColumn(column, _titled(column, titles), groups) for column, groups in groupings(texts).items()
        )
        if texts:
            writers = read_generators_of(project, study, None)
            alone = StudyGenerators(writers.texts, EACH)
            to_compare.append(TextsToCompare(study.kind, words_of(study.kind).rows, len(texts), offered, alone))
    usual = [info.name for info in chosen_scorers(MeasureOptions())]
    numbers = [info for info in describe() if info.role not in NO_NUMBER or info.labels]
    numbers.sort(key=lambda info: (info.name not in usual, bool(info.unavailable)))
    last = project.findings.last(STUDY)
    return CompareChoices(
        tuple(to_compare), tuple(numbers), frozenset(usual), asked_again(last.recipe if last else None)
    )


def check_words(path: Path) -> Operation[ScorerInfo]:
    """Check a person's own word list; AppError says why it cannot be used."""

    def work(ctx: JobContext) -> ScorerInfo:
        if "," in str(path):
            raise AppError(
                tr("The path of “{name}” has a comma, which stands between scorers.").format(name=path.name),
                hint=tr("Put the word list where no comma is in its path."),
            )
        return info_of(f"{OWN_WORDS}{path}")

    return Operation(tr("Reading “{name}”").format(name=path.name), work, quiet=True)


def asked_for(
    texts: TextsToCompare, scorers: Sequence[str], group: str, second: str, asked: MeasureOptions
) -> MeasureOptions:
    """Return the options of the measurement, keeping others from last time, such as a margin."""
    columns = {name: column for name, column in ((GROUP, group), (SECOND, second)) if column and column != name}
    return replace(
        asked,
        scorers={**{role: name for role, name in asked.scorers.items() if role != "score"}, "score": ",".join(scorers)},
        columns=columns,
        texts_of=texts.study if texts.study != STUDY else "",
    )


def _titled(column: str, titles: Titles) -> str:
    """Return the title of an axis; the usual columns in words, others by their name."""
    named = {GROUP: tr("Group"), SECOND: tr("Second group"), "task": tr("Task"), "theme": tr("Theme")}
    return titles.axes.get(column) or named.get(column) or column.replace("_", " ")
