"""Judgments as the measures need them: choices per comparison and identity, and people's answers one by one.

A person judges a comparison once. A model is asked in several orders of the cards and gives one averaged choice: the
mean of its choices over the orders, where each order gave one. Half a choice and half another would otherwise be
position and not preference.

Parts of a study by task, topic, model, rater and temperature; their adjustment; the paper's values beside them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from math import lcm
from typing import Any

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.metrics.agreement import MISSING
from biasprint.core.metrics.proportions import design_effect
from biasprint.core.metrics.resampling import Worth, worth_of_choices
from biasprint.core.metrics.result import Ints
from biasprint.core.prompts.cogs import cogs_themes
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.scorers.refusal import REFUSAL
from biasprint.core.studies.kit.findings import with_holm

# ---- Parts and their adjustment

# Whose texts, and who judged: studies of their own. Task, topic and temperature are parts of one.
WHOSE = ("model", "rater", "rater_kind")

Values = Mapping[str, Sequence[str]]


@cache
def _topics() -> dict[str, str]:
    themes = cogs_themes()
    return {theme.key: theme.topic for theme in themes} | {theme.text.casefold(): theme.topic for theme in themes}


def topic_of(theme: str) -> str:
    """The topic of a theme of the suite, by its key or its text; empty for any other theme."""
    return _topics().get(theme.strip().casefold(), "")


def columns(table_columns: Values) -> dict[str, Sequence[str]]:
    """The columns by which a table can be cut: its columns that are there, and the topics of its themes.

    A theme of the suite has its topic there; another one that of the column “topic”.
    """
    columns_here = {name: column for name, column in table_columns.items() if column and name not in ("theme", "topic")}
    if themes := table_columns.get("theme"):
        own = table_columns.get("topic") or [""] * len(themes)
        columns_here["topic"] = [topic_of(theme) or topic for theme, topic in zip(themes, own, strict=True)]
    return columns_here


def cut(by: Sequence[str], values: Values, rows: Sequence[int]) -> Iterator[tuple[dict[str, str], list[int]]]:
    """The parts of `rows`, each with what its rows have in common; nothing where a column has not two values there.

    Rows without one of the values belong to no part.
    """
    if any(len({values[name][row] for row in rows} - {""}) < 2 if name in values else True for name in by):
        return
    parts: dict[tuple[str, ...], list[int]] = {}
    for row in rows:
        key = tuple(values[name][row] for name in by)
        if all(key):
            parts.setdefault(key, []).append(row)
    for key in sorted(parts):
        yield dict(zip(by, key, strict=True)), parts[key]


def within(title: str, dims: Mapping[str, str]) -> str:
    """A title that names what it is narrowed to."""
    return ", ".join([title, *(f"{name} {value}" for name, value in dims.items())])


def adjusted(parts: Sequence[Finding], wholes: Sequence[Finding], by: Sequence[str]) -> list[Finding]:
    """Holm within one finding id and axis; a part by task, topic or temperature comes after the whole that it is of.

    Its adjusted p is then at least the whole's, so that both together keep the family's error at 5 %.
    """
    family = " × ".join(by)
    result: list[Finding] = []
    for key in dict.fromkeys((part.id, part.dims["axis"], part.variant) for part in parts):
        own = [part for part in parts if (part.id, part.dims["axis"], part.variant) == key]
        tests = sum(part.p is not None for part in own)
        name = f"{key[0]}, axis {key[1]}, by {family}, {tests} tests"
        if key[2] == "as_published":
            result += own
        elif set(by) <= set(WHOSE):
            result += with_holm(own, name)
        else:
            result += [_after(part, wholes) for part in with_holm(own, f"{name}, after the whole")]
    return result


def _after(part: Finding, wholes: Sequence[Finding]) -> Finding:
    whose = {name: value for name, value in part.dims.items() if name in ("axis", *WHOSE)}
    for whole in wholes:
        same = (whole.id, whole.label, whole.variant) == (part.id, part.label, part.variant)
        if same and dict(whole.dims) == whose and part.p_adjusted is not None and whole.p_adjusted is not None:
            return replace(part, p_adjusted=max(part.p_adjusted, whole.p_adjusted))
    return part


@cache
def _values() -> dict[str, dict[str, Any]]:
    return read_toml(packaged("published", "creativity.toml"))


def published(finding_id: str, axis: str) -> str:
    """The values the paper prints for this finding on this axis, with a blank before; empty where it prints none."""
    printed = _values().get(finding_id, {})
    if axis not in printed:
        return ""
    values = ", ".join(f"{who} {value}" for who, value in printed[axis].items())
    return f" Published: {values} ({printed['note']})."


# ---- Few raters

# From so many raters on they are a unit beside comparisons. Of fewer one cannot tell how raters differ: then intervals
# are of these raters only. With fewer than FEW_RATERS it is said that they are few.
FEWEST_RATERS, FEW_RATERS = 5, 10


PERSON, MODEL = "person", "model"
WITHOUT_CHOICE = ("tie", "none", "skip")
# Why a model's reply was left out, by how it was read.
UNREAD = {"refused": REFUSAL, "unreadable": "unreadable reply", "failed": "request failed"}
NOT_IN_EVERY_ORDER = "model without a choice in every order"

Unit = tuple[str, str]
Marked = tuple[str, int, int]  # marked words: the identity whose text it is, first character, one behind the last
NO_CONFIDENCE = 0  # of an answer of which no confidence was given, or asked


@dataclass(frozen=True)
class JudgmentTable:
    """One value per judgment in every column, in the order in which they were made.

    `shown`: identity ids in card order. `outcome`: choice, tie, none or skip. `chosen`: an identity id, with outcome
    choice alone. `repeat_of`: the comparison that a hidden repeat repeats; empty otherwise. `task`, `theme`: of the
    outputs shown; `topic`: the theme's, where it is none of the suite's; `model`, `temperature`: what wrote them, and
    how. `rater_kind`: person (also where it is empty) or model; `read_as`: how a model's reply was read
    (core.judging.model_rater). `seconds`: active time, 0 where it was not recorded. `words`: how long each text shown
    is, in card order, 0 where that is not known; `markup`: how many headings, list items and bold parts each has.
    `worst`: the identity whose text was called the worst of three.
    `block`: the same for comparisons that share texts. `ranked`: the axis in whose ranking the judgment counts; empty
    for none. `recommended`: the identity that was recommended, `core.project.rows.ALONE` where such a plan recommended
    none, empty elsewhere.
    `adaptive`: not empty where the plan is drawn in rounds, by the answers: its intervals hold at every look.
    `degree`: slightly or much of a choice, equal of a tie, where degrees were asked; `confidence`: 1 to 3, or
    `NO_CONFIDENCE`; `marked`: the words that decided it.
    Columns that are not known are left out.
    """

    comparison: tuple[str, ...]
    rater: tuple[str, ...]
    axis: tuple[str, ...]
    shown: tuple[tuple[str, ...], ...]
    outcome: tuple[str, ...]
    chosen: tuple[str, ...]
    repeat_of: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    theme: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    temperature: tuple[str, ...] = ()
    rater_kind: tuple[str, ...] = ()
    read_as: tuple[str, ...] = ()
    seconds: tuple[float, ...] = ()
    words: tuple[tuple[int, ...], ...] = ()
    worst: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()
    recommended: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    degree: tuple[str, ...] = ()
    confidence: tuple[int, ...] = ()
    marked: tuple[tuple[Marked, ...], ...] = ()
    markup: tuple[tuple[tuple[int, ...], ...], ...] = ()
    adaptive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        columns: list[tuple[object, ...]] = [self.rater, self.axis, self.shown, self.outcome, self.chosen]
        left_out_or: tuple[tuple[object, ...], ...] = (
            self.repeat_of,
            self.task,
            self.theme,
            self.model,
            self.temperature,
            self.rater_kind,
            self.read_as,
            self.seconds,
            self.words,
            self.worst,
            self.block,
            self.ranked,
            self.recommended,
            self.topic,
            self.markup,
            self.adaptive,
        )
        columns += [column for column in left_out_or if column]
        if any(len(column) != len(self) for column in columns):
            raise AppError(
                "The columns of the judgments are not equally long.", hint="Give one value for every judgment."
            )

    def __len__(self) -> int:
        return len(self.comparison)

    def picked(self, rows: Sequence[int]) -> "JudgmentTable":
        """These rows alone."""
        columns = {own_field.name: getattr(self, own_field.name) for own_field in fields(self)}
        return JudgmentTable(
            **{name: tuple(column[row] for row in rows) if column else () for name, column in columns.items()}
        )

    def watched(self, rows: Iterable[int]) -> bool:
        """True if one of these judgments was asked for because of answers before it."""
        return bool(self.adaptive) and any(self.adaptive[row] for row in rows)

    def unit(self, row: int) -> Unit:
        """The unit that was judged: a comparison's id may come again for the outputs of another model."""
        return (self.model[row] if self.model else "", self.comparison[row])

    def by_model(self, row: int) -> bool:
        """Did a model judge?"""
        return bool(self.rater_kind) and self.rater_kind[row] == MODEL

    def rows_on(self, axis: str, kind: str | None = None) -> list[int]:
        """The rows of an axis, of raters of one kind where it is named."""
        rows = [row for row, name in enumerate(self.axis) if name == axis]
        return rows if kind is None else [row for row in rows if self.by_model(row) == (kind == MODEL)]

    def leading(self, axis: str) -> list[int]:
        """The kind of rater pooled on an axis: people, where people judged; otherwise models."""
        return self.rows_on(axis, PERSON) or self.rows_on(axis)


@dataclass(frozen=True)
class AxisChoices:
    """`counts`: int64[comparisons with a choice, identities], in units of 1/`parts` of a choice.

    `parts` is 1 where every rater judged a comparison once, and otherwise the least common multiple of the numbers of
    orders in which models were asked. `asked`: judgments with or without a choice, a model's orders being one.
    `ratings`: int64[comparisons with a choice, raters], the place of the identity chosen, −1 where that rater did not
    choose, or chose differently from order to order. `replies`: how often each identity was chosen, every order
    counted. `units`: which comparison each line is. `cells`: the same as `counts` for every comparison and rater with a
    choice, int64[cells, identities]; `cell_unit` and `cell_rater`, int64[cells]: of which comparison and rater.
    `rows`: of each cell, which judgments of the table it is made of. `dims`: what the judgments were narrowed to,
    besides the axis. `by_position`: where models nearly always named the same card, whatever was on it, says so.
    """

    axis: str
    identities: tuple[str, ...]
    counts: Ints
    ratings: Ints
    cells: Ints
    cell_unit: Ints
    cell_rater: Ints
    asked: int
    raters: tuple[str, ...]
    dropped: Mapping[str, int]
    dims: Mapping[str, str] = field(default_factory=dict)
    parts: int = 1
    replies: tuple[int, ...] = ()
    units: tuple[Unit, ...] = ()
    rows: tuple[tuple[int, ...], ...] = ()
    by_position: str = ""
    watched: bool = False

    @property
    def chosen(self) -> Ints:
        """Counts of the choices of each identity, in units of 1/`parts`."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def n(self) -> int:
        """The number of choices; a model's choices in several orders are one."""
        return int(self.counts.sum()) // self.parts

    @property
    def independent(self) -> bool:
        """True if every comparison has exactly one whole choice."""
        return self.parts == 1 and not self.raters_are_units and bool((self.counts.sum(axis=1) == 1).all())

    @property
    def raters_are_units(self) -> bool:
        """True if there are enough raters to tell how much raters differ."""
        return len(self.raters) >= FEWEST_RATERS

    def worth(self, place: int | None = None) -> Worth:
        """Return the worth of the choices; where `place` is given, of one identity's choices against all others.

        Raters and comparisons cross; with fewer than FEWEST_RATERS it is comparisons alone, for these raters.
        """
        if not self.raters_are_units:
            return Worth(design_effect(self.counts))
        cells = self.cells
        if place is not None:
            cells = np.column_stack([cells[:, place], cells.sum(axis=1) - cells[:, place]])
        return worth_of_choices(cells, self.cell_rater, self.cell_unit)


def choices_on(
    table: JudgmentTable,
    axis: str,
    identities: Sequence[str],
    rows: Iterable[int] | None = None,
    dims: Mapping[str, str] | None = None,
) -> AxisChoices:
    """The judgments on one axis. Repeats never count; of several judgments of a comparison by a rater the last does.

    Of a model's judgments the last in each order of the cards counts, and all orders together are one choice.
    `rows`: only these, all where None; `dims` says what they have in common.
    """
    chosen_rows = range(len(table)) if rows is None else rows
    answered, dropped = in_force(table, [row for row in chosen_rows if table.axis[row] == axis])
    chosen: dict[Unit, dict[str, list[int]]] = {}
    used: dict[tuple[Unit, str], tuple[int, ...]] = {}
    asked = 0
    for (unit, rater), judgments in answered.items():
        reasons = [_why_not(table, row, identities) for row in judgments]
        asked += all(reason in ("", *WITHOUT_CHOICE, *UNREAD.values()) for reason in reasons)
        if any(reasons):
            dropped.update(reason or NOT_IN_EVERY_ORDER for reason in reasons)
        else:
            chosen.setdefault(unit, {})[rater] = [identities.index(table.chosen[row]) for row in judgments]
            used[unit, rater] = tuple(judgments)
    counted = _counted(axis, identities, chosen, asked, dict(+dropped), dims or {})
    rows_used = tuple(used[unit, rater] for unit, by_rater in chosen.items() for rater in by_rater)
    watched = table.watched(row for rows in rows_used for row in rows)
    return replace(counted, rows=rows_used, by_position=_by_position(table, rows_used), watched=watched)


PLACES = ("first", "second", "third")
ALMOST_ALWAYS, FEWEST_REPLIES = 0.9, 6


def _by_position(table: JudgmentTable, judged: Sequence[Sequence[int]]) -> str:
    """Return how often which card was named, where every judge was asked in several orders and nearly always named the
    same one: as each text stood in each place, that is no preference for a text.
    """
    if not judged or min(map(len, judged)) < 2:
        return ""
    named = Counter(table.shown[row].index(table.chosen[row]) for rows in judged for row in rows)
    (card, times), total = named.most_common(1)[0], named.total()
    if total < FEWEST_REPLIES or times < ALMOST_ALWAYS * total:
        return ""
    return f"the judge chose by position: the {PLACES[card]} card in {times} of {total} replies"


def _counted(
    axis: str,
    identities: Sequence[str],
    chosen: Mapping[Unit, Mapping[str, Sequence[int]]],
    asked: int,
    dropped: Mapping[str, int],
    dims: Mapping[str, str],
) -> AxisChoices:
    raters = tuple(dict.fromkeys(rater for by_rater in chosen.values() for rater in by_rater))
    of_rater = {rater: place for place, rater in enumerate(raters)}
    parts = lcm(*(len(places) for by_rater in chosen.values() for places in by_rater.values()))
    counts = np.zeros((len(chosen), len(identities)), dtype=np.int64)
    ratings = np.full((len(chosen), len(raters)), MISSING, dtype=np.int64)
    replies = [0] * len(identities)
    of_cells = [(line, of_rater[rater]) for line, by_rater in enumerate(chosen.values()) for rater in by_rater]
    cells = np.zeros((len(of_cells), len(identities)), dtype=np.int64)
    cell = iter(cells)
    for line, by_rater in enumerate(chosen.values()):
        for rater, places in by_rater.items():
            own = next(cell)
            for place in places:
                own[place] += parts // len(places)
                replies[place] += 1
            counts[line] += own
            if len(set(places)) == 1:
                ratings[line, of_rater[rater]] = places[0]
    return AxisChoices(
        axis,
        tuple(identities),
        counts,
        ratings,
        cells,
        np.array([line for line, _ in of_cells], dtype=np.int64),
        np.array([rater for _, rater in of_cells], dtype=np.int64),
        asked,
        raters,
        dropped,
        dims,
        parts=parts,
        replies=tuple(replies),
        units=tuple(chosen),
    )


def in_force(table: JudgmentTable, rows: Iterable[int]) -> tuple[dict[tuple[Unit, str], list[int]], Counter[str]]:
    """Return the last judgment of every comparison and rater, of a model in each order; and what was replaced."""
    dropped: Counter[str] = Counter()
    last: dict[tuple[Unit, str], dict[tuple[str, ...], int]] = {}
    for row in rows:
        if table.repeat_of and table.repeat_of[row]:
            dropped["hidden repeat"] += 1
            continue
        orders = last.setdefault((table.unit(row), table.rater[row]), {})
        order = table.shown[row] if table.by_model(row) else ()
        dropped["judged again"] += order in orders
        orders[order] = row
    return {key: list(orders.values()) for key, orders in last.items()}, dropped


def _why_not(table: JudgmentTable, row: int, identities: Sequence[str]) -> str:
    """Return the reason why a judgment is no choice among the identities of the axis; empty where it is one."""
    if sorted(table.shown[row]) != sorted(identities):
        return "not every identity of the axis shown once"
    if table.outcome[row] == "skip" and table.read_as and table.read_as[row] in UNREAD:
        return UNREAD[table.read_as[row]]
    if table.outcome[row] in WITHOUT_CHOICE:
        return table.outcome[row]
    if table.outcome[row] != "choice":
        return "unknown outcome"
    return "" if table.chosen[row] in identities else "chosen identity not on the axis"


# ---- People's answers one by one, from which findings about how they judged are made

QUALITY = "creativity.quality"
EVERYONE = "everyone"
SKIP = "skip"


@dataclass(frozen=True)
class PersonAnswer:
    """A judgment in force. `repeats`: the comparison that this one shows again; None where it shows none again.

    `card`: which card was chosen, from 0; None without a choice, and where the cards' identities do not tell it.
    """

    rater: str
    unit: Unit
    repeats: Unit | None
    outcome: str
    chosen: str
    cards: int
    card: int | None
    seconds: float

    @property
    def same(self) -> tuple[str, str]:
        """Two answers are the same if this is equal."""
        return self.outcome, self.chosen


def answers(table: JudgmentTable, axes: Iterable[str]) -> list[PersonAnswer]:
    """People's judgments on these axes: of several of one comparison by one rater the last, repeats among them."""
    last: dict[tuple[str, Unit], int] = {}
    for axis in axes:
        for row in table.rows_on(axis, PERSON):
            last[table.rater[row], table.unit(row)] = row
    return [_answer(table, row) for row in sorted(last.values())]


def by_rater(given: Sequence[PersonAnswer]) -> dict[str, list[PersonAnswer]]:
    """The answers of each rater, in the order of their names."""
    answers: dict[str, list[PersonAnswer]] = {rater: [] for rater in sorted({answer.rater for answer in given})}
    for answer in given:
        answers[answer.rater].append(answer)
    return answers


def numbered(units: Iterable[Unit]) -> list[int]:
    """The same number for the same comparison."""
    numbers: dict[Unit, int] = {}
    return [numbers.setdefault(unit, len(numbers)) for unit in units]


def groupings(given: Sequence[PersonAnswer]) -> tuple[Ints, ...]:
    """Return the groupings of these answers: by comparison, and by rater where there are enough of them."""
    raters: dict[str, int] = {}
    numbers = [raters.setdefault(answer.rater, len(raters)) for answer in given]
    of_unit = np.array(numbered(answer.unit for answer in given), dtype=np.int64)
    return (np.array(numbers, dtype=np.int64), of_unit) if len(raters) >= FEWEST_RATERS else (of_unit,)


def told(dropped: Mapping[str, int]) -> dict[str, int]:
    """Keep only the reasons that occurred."""
    return dict(+Counter(dropped))


def _answer(table: JudgmentTable, row: int) -> PersonAnswer:
    unit, again = table.unit(row), table.repeat_of[row] if table.repeat_of else ""
    shown, chosen, outcome = table.shown[row], table.chosen[row], table.outcome[row]
    known = outcome == "choice" and shown.count(chosen) == 1
    return PersonAnswer(
        rater=table.rater[row],
        unit=unit,
        repeats=(unit[0], again) if again else None,
        outcome=outcome,
        chosen=chosen,
        cards=len(shown),
        card=shown.index(chosen) if known else None,
        seconds=table.seconds[row] if table.seconds else 0.0,
    )
