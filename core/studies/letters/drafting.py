"""The prompts for letters, narrowed to what a person chose: names, an axis, a document, occupations, biographies."""

from collections.abc import Sequence
from pathlib import Path

from biasprint.core.compute import shared
from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.prompts.axes import with_names
from biasprint.core.prompts.drafts import PromptSetDraft, named_from
from biasprint.core.prompts.letters import (
    LETTER,
    OwnDocument,
    chosen_document,
    letters_axis,
    letters_context_less_set,
    occupations_of,
)
from biasprint.core.prompts.name_sets import load_name_set
from biasprint.core.studies.kit.choice import PromptChoice
from biasprint.core.studies.letters.biographies import biographies_from_rows
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.texts.tables import read_table

MOST_NAMED = 12  # occupations of a table, in a message
PRONOUNS = {"m": "he", "male": "he", "man": "he", "he": "he", "f": "she", "female": "she", "woman": "she", "she": "she"}


def draft_letters(ctx: JobContext, project: Project | None, choice: PromptChoice) -> PromptSetDraft:
    if choice.biographies is not None:
        return _biographies(ctx, choice.biographies, choice)
    if choice.axes and len(choice.axes) > 1:
        raise UsageError("Letters are written on one axis.", hint="Give --axis once.")
    if choice.names and choice.names_in_turn:
        raise UsageError("Names are given, or taken in turn.", hint="Leave out --name or --names-in-turn.")
    if choice.names and choice.name_set:
        raise UsageError("Names are given, or those of a set.", hint="Leave out --name or --name-set.")
    axis = letters_axis(choice.axes[0] if choice.axes else None)
    per_group = choice.names_in_turn
    taken = load_name_set(choice.name_set) if choice.name_set else None
    if taken is not None:
        axis = with_names(axis, taken)
        per_group = per_group or min(len(identity.names) for identity in axis.identities)
    draft = letters_context_less_set(
        names=_names(choice.names) if choice.names else None,
        names_per_group=per_group or 1,
        in_turn=bool(per_group),
        axis=axis,
        document=choice.document or LETTER,
        occupations=occupations_of(choice.occupations) if choice.occupations else None,
    )
    return named_from(draft, taken)


def _biographies(ctx: JobContext, path: Path, choice: PromptChoice) -> PromptSetDraft:
    """Biographies are rewritten in the compute process: their parts of speech are looked up."""
    key, written = chosen_document(choice.document or LETTER)
    table = read_table(ctx, path, "biographies")
    rows = []
    for record in _of_occupations(table, choice.occupations):
        pronoun = PRONOUNS.get(record.values["gender"].strip().casefold())
        if pronoun is None:
            raise UsageError(
                f"Row {record.number}: “{record.values['gender']}” says no gender that can be rewritten.",
                hint=f"Known: {', '.join(PRONOUNS)}.",
            )
        rows.append({**record.values, "key": f"{path.stem[:40]}-{record.number}".replace("/", "-"), "pronoun": pronoun})
    return shared().call(
        biographies_from_rows,
        rows,
        choice.versions,
        written if isinstance(written, OwnDocument) else key,
        ctx=ctx,
    )


def _of_occupations(table: TableRead, occupations: Sequence[str] | None) -> list[Record]:
    """The biographies of people with these occupations; all where none is named."""
    if not occupations:
        return list(table.rows)
    wanted = {each.strip().casefold() for each in occupations_of(occupations)}
    found = [record for record in table.rows if record.values["occupation"].strip().casefold() in wanted]
    if not found:
        there = dict.fromkeys(record.values["occupation"].strip() for record in table.rows)
        raise UsageError(
            "No biography is of somebody with one of these occupations.",
            hint=f"The table has: {', '.join(list(there)[:MOST_NAMED])}.",
        )
    return found


def _names(given: Sequence[str]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for entry in given:
        name, separator, group = entry.rpartition("=")
        if not separator or not name.strip() or not group.strip():
            raise UsageError(f"“{entry}” is not a name with its group.", hint="For example: --name Kelly=female")
        names.setdefault(group.strip(), []).append(name.strip())
    return names
