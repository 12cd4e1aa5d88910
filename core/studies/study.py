"""The declaration of a study. A third party's study needs nothing but this module and an entry point.

Functions and classes are named as "module:attribute" and imported where they are used, so that a declaration is light
and may name what lies above it. What a declaration leaves empty is done in the plain way that its field describes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from biasprint.core.errors import UsageError

if TYPE_CHECKING:
    from biasprint.core.tables.fields import FieldSpec


@dataclass(frozen=True)
class InputTable:
    """One kind of data a study measures, in the field names of the command line's column mapping.

    `measure`: "module:function", called in the compute process. `table`: its kind in core/tables/study_fields.toml,
    where that is not its name; a third party's table has its own `fields`. `columns`: fields without whose column
    nothing can be measured, though single cells may be empty. `scorers`: the roles whose scores the table needs.
    """

    name: str
    measure: str
    table: str = ""
    fields: "tuple[FieldSpec, ...]" = ()
    columns: tuple[str, ...] = ()
    scorers: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The name by which its fields are found, see `biasprint.core.studies.registry.table_fields`."""
        return self.table or self.name

    @property
    def specs(self) -> "tuple[FieldSpec, ...]":
        """Its fields."""
        from biasprint.core.tables.fields import fields_of

        return self.fields or fields_of(self.kind)

    @property
    def required(self) -> tuple[str, ...]:
        """The fields that need a column."""
        return tuple(spec.name for spec in self.specs if spec.required or spec.name in self.columns)

    @property
    def optional(self) -> tuple[str, ...]:
        needed = self.required
        return tuple(spec.name for spec in self.specs if spec.name not in needed)


@dataclass(frozen=True)
class StudyWords:
    """Words of the window for a study's texts.

    `rows`: what the rows of an imported table are; the study's title where empty. `one`, `many`: so many texts.
    `scored`: are texts scored before they are measured? `panel`, `section`: where its findings are seen. `place`: its
    rank among the studies on offer. `items`: what the n of a finding counts, by the beginning of its id, first match.
    `sides`: what the difference of one group lies between, such as what a generator wrote and the originals.
    """

    rows: str = ""
    one: str = "1 text"
    many: str = "%n texts"
    scored: bool = True
    panel: str = "findings"
    section: str = ""
    place: int = 100
    items: tuple[tuple[str, str], ...] = ()
    sides: tuple[str, str] | None = None


@dataclass(frozen=True)
class StudyQuestion:
    """A question that findings answer. `about`: beginnings of their ids; the longest that fits any question counts.

    Findings whose id is the first of `about` answer it. `meaning`: a sentence for who reads its number for the first
    time; a finding's own harm stands in its place.
    """

    ask: str
    about: tuple[str, ...]
    meaning: str = ""


@dataclass(frozen=True)
class Study:
    """A kind of study: what it asks for, what it reads, and which findings and figures it gives.

    `inputs`: the tables it measures; the first whose kind is the study's, else the first, is the one that is imported.
    `findings`: ids, where a trailing `.*` stands for all that follow. `figures`: keys of its figures.
    `prompts`: each prompt set that ships for it, the default one first. `drafter`: (ctx, project, choice) → the prompt
    set, narrowed by the fields `narrowed_by` of `core.runs.setup.PromptChoice`; without one it is the default set.
    `first_look`: the fields that narrow it to a set small enough for a first finding; the default set where empty.
    `importer`: (ctx, project, study id or None, origin, table) → how many texts were added; without one each row
    becomes an output, its field `text`, of a prompt that has the other fields.
    `gather`: a module as `core.runs.measure.Measuring` describes it; without one the rows of the first input are
    gathered by field, and its `measure` is called with the columns (name → values), the seed and, by role, the scores.
    `draw`: (findings) → figures; without one there are none. `live`: a class as
    `biasprint.core.runs.live.StudyTally` describes it; without one the scores of its roles are followed by group.
    `sampling`: the parameters its paper generated with. `questions`: what its findings are grouped by.
    `telltale`: a pattern that nearly every text of it matches somewhere; a table without is rather another study's,
    unless it has one of the `telltale_columns`. In the window: `card`, where prompts are chosen; without one the
    default set is offered. `charts`: sections of live charts.
    """

    kind: str
    title: str
    inputs: tuple[InputTable, ...]
    findings: tuple[str, ...]
    prompts: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    drafter: str = ""
    narrowed_by: tuple[str, ...] = ()
    first_look: Mapping[str, Any] = field(default_factory=dict)
    importer: str = ""
    gather: str = ""
    draw: str = ""
    live: str = ""
    sampling: Mapping[str, float] = field(default_factory=dict)
    questions: tuple[StudyQuestion, ...] = ()
    words: StudyWords = StudyWords()
    telltale: str = ""
    telltale_columns: tuple[str, ...] = ()
    card: str = ""
    charts: tuple[str, ...] = ()

    @property
    def scorers(self) -> tuple[str, ...]:
        """Every role that any of its tables needs."""
        return tuple(dict.fromkeys(role for table in self.inputs for role in table.scorers))

    @property
    def imported(self) -> InputTable | None:
        """The table whose texts are imported; None where there is none."""
        return next((one for one in self.inputs if one.kind == self.kind), self.inputs[0] if self.inputs else None)

    def input_for(self, fields: set[str]) -> InputTable | None:
        """The first kind of data whose required fields are all there."""
        return next((table for table in self.inputs if set(table.required) <= fields), None)


def named(where: str) -> Any:
    """The object that "module:attribute" names, or the module where there is no attribute; imports it."""
    module, _, attribute = where.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


ALL = "all"  # generators to compare


@dataclass(frozen=True)
class MeasureOptions:
    """`axes`: only these; all where empty. `scorers`: role → name, where another than the default is wanted.

    `adjust`: how p is adjusted for many tests, holm or bh (Benjamini–Hochberg). `seen`: with the judgments that were
    made after a look at the identities. `margin`: within which groups count as alike. `as_stored`: nothing
    is scored first; what lacks its scores is not measured.
    Of a project with texts of several generators: `generators`: only of these, by name; each is measured by itself, or
    with `pool` all of them as one. `compare`: these with each other, the first with each; `ALL`: every pair.
    `texts_of`: of a project, the study whose texts are measured, where that is another one.
    `columns`: of a project, field (group, second_group, block) → the column of the prompts that it is read from.
    """

    axes: tuple[str, ...] = ()
    scorers: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    adjust: Literal["holm", "bh"] = "holm"
    seen: bool = False
    margin: float | None = None
    as_stored: bool = False
    generators: tuple[str, ...] = ()
    pool: bool = False
    compare: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    texts_of: str = ""

    def regrouped(self, rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
        """The rows with each field from the column that is asked for it. `UsageError` for one that no row has."""
        known = dict.fromkeys(name for row in rows for name in row)
        for name, column in self.columns.items():
            if column not in known:
                listed = ", ".join(known)
                raise UsageError(f"No prompt has a column “{column}”, asked for as {name}.", hint=f"Columns: {listed}.")
        return [{**row, **{name: row.get(column, "") for name, column in self.columns.items()}} for row in rows]
