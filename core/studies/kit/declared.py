"""The parts of a study's declaration, and the options with which it is measured.

The program's own studies declare in `resources/studies` what they find, ask and draw, in words and numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from biasprint.core.errors import UsageError
from biasprint.core.given import packaged_toml

if TYPE_CHECKING:
    from biasprint.core.findings import StudyResult
    from biasprint.core.tables.fields import FieldSpec


@dataclass(frozen=True)
class InputTable:
    """One kind of data a study measures, in the field names of the command line's column mapping.

    `measure`: of a study that is gathered in the plain way, a function at the top of a module that imports nothing
    heavy: (columns by name, seed, scores by role) → `StudyResult`, called in the compute process; it may take `ctx`.
    `table`: its kind in core/tables/study_fields.toml, where that is not its name; a third party's table has its own
    `fields`. `columns`: fields without whose column nothing can be measured, though single cells may be empty.
    `scorers`: the roles whose scores the table needs.
    """

    name: str
    measure: "Callable[..., StudyResult] | None" = None
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
        """Fields of the table."""
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
    `sides`: what the difference of one group lies between, such as what a generator wrote and the originals. `ends`: by
    the beginning of an id that says how far groups lie apart, what its highest and its lowest group are.
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
    ends: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class StudyQuestion:
    """A question that findings answer. `about`: beginnings of their ids, or id[label]; the longest that fits any
    question counts.

    Findings whose id is the first of `about` answer it. `meaning`: a sentence for who reads its number for the first
    time; a finding's own harm takes its place.
    """

    ask: str
    about: tuple[str, ...]
    meaning: str = ""


ALL = "all"  # generators to compare


@dataclass(frozen=True)
class MeasureOptions:
    """`axes`: only these; all where empty. `scorers`: role → name, where another than the default is wanted.

    `adjust`: how p is adjusted for many tests, holm or bh (Benjamini–Hochberg). `seen`: with the judgments that were
    made after a look at the identities. `margin`: within which groups count as alike. `as_stored`: nothing
    is scored first; what lacks its scores is not measured.
    Of a project with texts of several generators: `generators`: only of these, by name; each is measured separately, or
    with `pool` all of them as one. `compare`: these with each other, the first with each; `ALL`: every pair.
    `texts_of`: of a project, the study whose texts are measured, where that is another one.
    `sensitivity`: each “Yes” is measured again with one choice changed at a time.
    `columns`: of a project, field (group, second_group, block) → the column of the prompts that it is read from.
    `exclusions`: rules of an analysis plan by which texts are left out.
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
    sensitivity: bool = False
    exclusions: tuple[str, ...] = ()

    def regrouped(self, rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
        """The rows with each field from the column that is asked for it. `UsageError` for one that no row has."""
        known = dict.fromkeys(name for row in rows for name in row)
        for name, column in self.columns.items():
            if column not in known:
                listed = ", ".join(known)
                raise UsageError(f"No prompt has a column “{column}”, asked for as {name}.", hint=f"Columns: {listed}.")
        return [{**row, **{name: row.get(column, "") for name, column in self.columns.items()}} for row in rows]


# ---- What the program's own studies declare


def declaration(kind: str) -> Mapping[str, Any]:
    """Return what a study of the program declares: title, findings, questions, words, and its figures by key."""
    return packaged_toml("studies", f"{kind}.toml")


def figure_keys(kind: str) -> tuple[str, ...]:
    return tuple(declaration(kind)["figures"])


def declared_words(kind: str) -> StudyWords:
    words = dict(declaration(kind)["words"])
    items = tuple((start, counted) for start, counted in words.pop("items", ()))
    ends = tuple((start, highest, lowest) for start, (highest, lowest) in words.pop("ends", {}).items())
    sides = tuple(words.pop("sides", ())) or None
    return StudyWords(**words, items=items, ends=ends, sides=sides)


def declared_questions(kind: str) -> tuple[StudyQuestion, ...]:
    """Return the questions of a study of the program, with that on replies, which every study has."""
    own = (
        StudyQuestion(question["ask"], tuple(question["about"]), question.get("meaning", ""))
        for question in declaration(kind)["questions"]
    )
    return (
        *own,
        StudyQuestion(
            "Is one group refused or cut off more often?",
            (f"{kind}{DIFFERENCE}", f"{kind}{REPLIES}"),
            "The share of what was asked for a group that got no whole answer.",
        ),
    )


# ---- Findings on replies, which every study has: refused, without text, cut off, failed, by group

REPLIES, DIFFERENCE = ".replies", ".replies.difference"  # how the ids end, after the study
# kind of reply → what a finding on it is called
TITLES: Mapping[str, str] = {
    "refusal": "Texts refused",
    "empty": "Replies without text",
    "cut off": "Texts cut off at the limit",
    "failed": "Requests failed",
}


def reply_ids(study: str) -> tuple[str, str]:
    return f"{study}{REPLIES}", f"{study}{DIFFERENCE}"
