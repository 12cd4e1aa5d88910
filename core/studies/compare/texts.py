"""Texts of a project for the study “compare”: each text with the columns that it can be grouped by.

The texts may be another study's: their prompts' fields, task, theme and identity are columns, and so is each axis, with
the identity that a prompt names on it.

Table of a comparison: columns of texts, groups, blocks and units, a number of each text, and which groups are set
against each other.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from biasprint.core.findings import ScorerUse
from biasprint.core.machine.models.catalogue import scorer_title, scorers
from biasprint.core.metrics.result import Floats
from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow, SourceRow, TextKey
from biasprint.core.project.stores.runs import CUT, OutputFilter
from biasprint.core.texts.generators import LETTER, NOT_WRITTEN, prompts_asked, table_prompt
from biasprint.core.texts.replies import matched

MOST_IN_ALL_PAIRS = 4  # groups; of more, each is set against the one with most texts
GROUP, SECOND, BLOCK = "group", "second_group", "block"
CROSSED = " × "
DEFAULT = "default"
MOST_GROUPS = 24  # of a column that is offered to group by


def title_of(label: str) -> str:
    """Return in words what is measured: "Sentiment (TextBlob)" of "textblob", "Agency balance: agentic" of
    "agency_balance: agentic".
    """
    if (title := scorer_title(label)) != label:
        return title
    text = label.replace("_", " ")
    return text[:1].upper() + text[1:]


def unit_of(label: str, *, yes_or_no: bool = False, difference: bool = False) -> str:
    """The unit of a scorer's numbers: its own, such as words, else a score; shares of what is 1 or 0."""
    declared = scorers().get(label)
    own = declared.unit if declared is not None else ""
    if difference:
        return f"difference of {'shares' if yes_or_no else own or 'scores'}"
    return "share" if yes_or_no else own or "score"


@dataclass(frozen=True)
class Measure:
    """One number of each text, NaN where it has none. `label`: what it is called; `why`: of a text without one.

    `yes_or_no`: is it 1 or 0 by what it is? A score that happens to be 0 or 1 everywhere stays a score.
    """

    label: str
    values: Floats
    scorer: ScorerUse | None = None
    why: Mapping[int, str] = field(default_factory=dict)
    yes_or_no: bool = False

    @property
    def title(self) -> str:
        return title_of(self.label)


@dataclass(frozen=True)
class Compared:
    """Columns of one row each. `groups`: by what it is grouped (group, second_group, both) → the group of each row.

    `units`: what samples of one prompt share; their mean is taken first. `embeddings`: rows' vectors for cosines, None
    for a row without; `embedder`: who made them. `base`: by what is grouped → the group that the others are set
    against, else every pair. `dims`, `source`, `family`: of every finding, where the texts are a part of all.
    `missing`: by what is grouped → a group without any text → why.
    `alike`, `company`: are pairs of texts set against each other, and words looked for beside words of a gender?
    """

    texts: Sequence[str]
    groups: Mapping[str, Sequence[str]]
    blocks: Sequence[str]
    units: Sequence[str] = ()
    embeddings: Sequence[Floats | None] = ()
    embedder: ScorerUse | None = None
    base: Mapping[str, str] = field(default_factory=dict)
    dims: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    family: str = ""
    missing: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    alike: bool = True
    company: bool = True


def pairs(sizes: Mapping[str, int], base: str = "") -> list[tuple[str, str]]:
    """Each group against the base; without one all pairs of up to four groups, of more each against the largest."""
    names = sorted(sizes)
    if base in sizes:
        return [(name, base) for name in names if name != base]
    if len(names) <= MOST_IN_ALL_PAIRS:
        return list(combinations(names, 2))
    most = max(names, key=lambda name: sizes[name])
    return [(name, most) for name in names if name != most]


@dataclass(frozen=True)
class ComparedText:
    """A text of a project with its columns; `group`, `second_group` and `block` are among them.

    `prompt`: what is the same for the same prompt, of all its samples too; empty where it is not known. `cut`: does it
    end at the limit on tokens?
    """

    key: TextKey
    prompt: str
    text: str
    fields: Mapping[str, str]
    cut: bool = False


def compared_texts(project: Project, study_id: int) -> list[ComparedText]:
    """Every finished text of a study: outputs, then imported letters."""
    axes = tuple(project.axes.latest())
    asked = prompts_asked(project, study_id)
    texts = []
    for row in project.outputs.each(OutputFilter(study_id=study_id, status="done")):
        prompt = asked[row.prompt_id] if _says_prompt(row) else ""
        cut = row.finish_reason == CUT
        texts.append(ComparedText(("output", row.id), prompt, row.text, columns_of(row, axes), cut))
    letters = project.sources.each(study_id, kind=LETTER)
    brought = (ComparedText(("source", row.id), table_prompt(row.fields), row.text, _of_letter(row)) for row in letters)
    return [*texts, *brought]


def groups_of(fields: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """Return what is compared, by column: the group; where there is a second one also that, and both crossed."""
    first = [row.get(GROUP, "").strip() for row in fields]
    second = [row.get(SECOND, "").strip() for row in fields]
    if not any(second):
        return {GROUP: first}
    crossed = [
        f"{first_group}{CROSSED}{second_group}" if first_group and second_group else ""
        for first_group, second_group in zip(first, second, strict=True)
    ]
    return {GROUP: first, SECOND: second, "intersection": crossed}


def groupings(texts: Sequence[ComparedText]) -> dict[str, dict[str, int]]:
    """Each column that texts can be grouped by, with its groups and their numbers of texts, the largest first.

    Those with one group, or with more than `MOST_GROUPS`, and a column that says the same as an earlier one, are not.
    """
    names = dict.fromkeys(name for text in texts for name in text.fields if name != BLOCK)
    by_column: dict[str, dict[str, int]] = {}
    seen: set[tuple[str, ...]] = set()
    for name in names:
        column = tuple(text.fields.get(name, "").strip() for text in texts)
        counts = Counter(filter(None, column))
        if 1 < len(counts) <= MOST_GROUPS and column not in seen:
            seen.add(column)
            by_column[name] = dict(counts.most_common())
    return by_column


def _says_prompt(row: OutputRow) -> bool:
    """Return whether a text's prompt is known. Of a table that names none all rows of a group have the same one."""
    known = ("block", "prompt", "design")
    return row.backend not in NOT_WRITTEN or any(row.fields.get(name, "").strip() for name in known)


def columns_of(row: OutputRow, axes: Sequence[str]) -> dict[str, str]:
    """Return the columns that an output can be grouped by, `group` and `block` among them."""
    named = {axis: row.identity for axis in axes if row.identity and (row.axis == axis or row.identity == DEFAULT)}
    given = {GROUP: row.identity, "task": row.task, "theme": row.theme, **named, **row.fields}
    return {**given, BLOCK: matched(row)}


def _of_letter(row: SourceRow) -> dict[str, str]:
    return {GROUP: "", **row.fields, BLOCK: row.fields.get("block", "")}
