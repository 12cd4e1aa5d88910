"""How far judgments can be trusted, as calm tables: the stored findings about raters, sorted by what they ask."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.findings import Finding
from core.jobs import JobContext
from desktop.models.finding_lines import Measurement
from desktop.models.quality_words import quality_rows
from desktop.models.titles import Titles, read_titles
from desktop.tables.rows import Row
from desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from core.project.project import Project

STUDY = "creativity"
QUALITY, AGREEMENT = "creativity.quality.", "creativity.agreement."
PAIR = " / "  # between the codes of two raters in a label
# How the tables stand; `_questions` sorts the findings into them, the narrowest question first.
ORDER = ("consistency", "position", "time", "axes", "tasks", "pairs", "without", "models", "orders", "other")


@dataclass(frozen=True)
class QualityTable:
    """One question with its rows. `below`: what holds for all of them. `hidden`: rows that would tell one person of a
    workshop apart."""

    key: str
    title: str
    help: str
    rows: tuple[Row, ...]
    below: str = ""
    hidden: int = 0


@dataclass(frozen=True)
class QualityData:
    """`measurement`: of the creativity study; None where the project has none. `newer`: something counts now that the
    findings do not know of. `revealed`: sessions that can be measured at all."""

    tables: tuple[QualityTable, ...]
    measurement: Measurement | None
    newer: bool
    revealed: int


@dataclass(frozen=True)
class _Question:
    key: str
    title: str
    help: str
    holds: Callable[[Finding], bool]


def read_quality(ctx: JobContext, project: "Project") -> QualityData:
    """The tables that have rows, and whether they are up to date."""
    from desktop.models.stored_findings import StoredFindings

    titles = read_titles(project)
    found = [
        one
        for row in project.findings.all(STUDY)
        if (one := Finding.from_json(row.body)).id.startswith((QUALITY, AGREEMENT)) and one.variant == "default"
    ]
    ctx.check()
    measured = next((one for one in StoredFindings(project).measurements(ctx) if one.study == STUDY), None)
    revealed = sum(row.revealed_at is not None for row in project.judging.sessions())
    return QualityData(
        tables_of(found, titles, _workshop_codes(project)), measured, _newer(project, measured), revealed
    )


def tables_of(
    found: Sequence[Finding], titles: Titles, secret: frozenset[str] = frozenset()
) -> tuple[QualityTable, ...]:
    """Findings in tables, in the order in which they are asked. `secret`: codes that are told to nobody."""
    tables = []
    left = list(found)
    for question in _questions():
        mine = [one for one in left if question.holds(one)]
        left = [one for one in left if not question.holds(one)]
        open_ones = [one for one in mine if not _tells(one, secret)]
        rows, below = quality_rows(question.key, open_ones, titles)
        if mine:
            hidden = len(mine) - len(rows)
            tables.append(QualityTable(question.key, question.title, question.help, rows, below, hidden))
    return tuple(sorted(tables, key=lambda table: ORDER.index(table.key)))


def hidden_words(hidden: int) -> str:
    """That rows about single people of a workshop are kept back; empty where none is."""
    if not hidden:
        return ""
    one = "1 row about a single participant of a workshop is not shown."
    return plural(hidden, one, "%n rows about single participants of a workshop are not shown.")


def _tells(one: Finding, secret: frozenset[str]) -> bool:
    """Whether a finding is about somebody by code who was promised that nobody is told apart."""
    named = {one.dims.get("rater", ""), one.label, *one.label.split(PAIR)}
    return bool(named & secret)


def _workshop_codes(project: "Project") -> frozenset[str]:
    from core.judging.plan import PlanSettings

    plans = {plan.id for plan in project.judging.plans() if PlanSettings.of(plan.settings).workshop}
    raters = {row.id: row.code for row in project.judging.raters() if row.kind == "person"}
    sessions = project.judging.sessions()
    return frozenset(raters[row.rater_id] for row in sessions if row.plan_id in plans and row.rater_id in raters)


def _newer(project: "Project", measured: Measurement | None) -> bool:
    """Whether sessions ended, packets were merged or conflicts were decided since."""
    if measured is None or not measured.measured_at:
        return False
    at = measured.measured_at
    decided = any(row.created_at > at for row in project.annotations.of_kind("decision"))
    merged = any(row.direction == "merged" and row.created_at > at for row in project.packets.all())
    return measured.new_sessions > 0 or decided or merged


def _questions() -> tuple[_Question, ...]:
    """What is asked of the judgments, in this order; a finding stands under the first that holds."""

    def ids(*starts: str) -> Callable[[Finding], bool]:
        return lambda one: one.id.startswith(starts)

    def agreement(one: Finding) -> bool:
        return one.id.startswith(AGREEMENT)

    models = tuple(f"{AGREEMENT}{name}" for name in ("people_model", "classes", "common"))
    orders = tuple(f"{AGREEMENT}{name}" for name in ("flips", "position", "unanswered"))
    return (
        _Question(
            "consistency",
            tr("Self-consistency"),
            tr("How often a hidden repeat, with the cards swapped, was answered the same; repeats are in no score."),
            ids(f"{QUALITY}consistency"),
        ),
        _Question(
            "position",
            tr("Position"),
            tr("Whether the choice leans to one place among the cards."),
            ids(f"{QUALITY}position"),
        ),
        _Question(
            "time",
            tr("Response times"),
            tr("Judgments much quicker or slower than the rater’s usual ones."),
            ids(f"{QUALITY}time"),
        ),
        _Question(
            "models",
            tr("People and models"),
            tr("The same comparisons judged by people and by models."),
            ids(*models),
        ),
        _Question(
            "orders",
            tr("Models and the order of the cards"),
            tr("How far a model’s choice turns with it."),
            ids(*orders),
        ),
        _Question(
            "pairs",
            tr("Agreement of pairs of raters"),
            tr("Cohen’s κ of two raters at a time."),
            lambda one: agreement(one) and PAIR in one.label,
        ),
        _Question(
            "tasks",
            tr("Agreement by task"),
            tr("As by axis, on the comparisons of one task."),
            lambda one: agreement(one) and "task" in one.dims,
        ),
        _Question(
            "axes",
            tr("Agreement by axis"),
            tr("Beyond what chance alone would give; raw agreement is not corrected for it."),
            agreement,
        ),
        _Question(
            "without",
            tr("Without one rater"),
            tr("The same measures with each rater left out in turn: whether one of them carries the result."),
            ids(f"{QUALITY}without"),
        ),
        _Question("other", tr("Other measures"), tr("Further findings about the raters."), ids(QUALITY)),
    )
