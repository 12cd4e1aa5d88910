"""Texts of a project for the study “compare”: each text with the columns that it can be grouped by.

The texts may be another study's: their prompts' fields, task, theme and identity are columns, and so is each axis, with
the identity that a prompt names on it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow, SourceRow, TextKey
from biasprint.core.project.stores.runs import CUT, OutputFilter
from biasprint.core.texts.generators import LETTER, NOT_WRITTEN, prompts_asked, table_prompt
from biasprint.core.texts.replies import matched

GROUP, SECOND, BLOCK = "group", "second_group", "block"
CROSSED = " × "
DEFAULT = "default"
MOST_GROUPS = 24  # of a column that is offered to group by


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
