"""Prompts of letters that are written from biographies, each biography rewritten for every group."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from biasprint.core.backends.protocol import output_seed
from biasprint.core.compute import shared
from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.prompts.axes import Axis, Identity, load_axis, with_names
from biasprint.core.prompts.drafts import PromptDraft, PromptSetDraft, named_from
from biasprint.core.prompts.letters import (
    BIOGRAPHY_PLACEHOLDERS,
    LETTER,
    NEEDED_OF_A_BIOGRAPHY,
    OwnDocument,
    chosen_document,
    letter_design,
    letters_axis,
    letters_context_less_set,
    occupations_of,
    one_name_hints,
    own_words,
)
from biasprint.core.prompts.name_sets import load_name_set
from biasprint.core.prompts.resource_files import packaged
from biasprint.core.prompts.template import Template
from biasprint.core.studies.kit.choice import PromptChoice
from biasprint.core.swap import HE_AND_SHE, Person, Pronoun
from biasprint.core.swap.engine import swap
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.texts.exporting import read_table

PARAGRAPH_END = re.compile(r"\n\s*\n|(?<=\.)\s*\n")


def paragraphs(text: str) -> list[str]:
    """Split a text into paragraphs: at a blank line, and at a line end after a full stop."""
    return [part.strip() for part in PARAGRAPH_END.split(text) if part.strip()]


def sampled(parts: Sequence[str], words: int, seed: int) -> list[str]:
    """Paragraphs drawn without order until they hold at least `words` words, given back in their own order.

    All of them where that is not enough. The paper samples paragraphs so that a model's input limit is kept; the
    length and the seed are ours to choose, and are in the recipe.
    """
    order = list(range(len(parts)))
    random.Random(seed).shuffle(order)
    taken: list[int] = []
    total = 0
    for place in order:
        if total >= words:
            break
        taken.append(place)
        total += len(parts[place].split())
    return [parts[place] for place in sorted(taken)]


# ---- The prompts (Wan et al., appendices C and F.1)

WORDS = 200  # about two paragraphs of an encyclopedia's biography, as the paper takes
VERSIONS = 2


@dataclass(frozen=True)
class Biography:
    """`key` names it for ever: no slash, not empty. `person`: whom the text is about, with he or she."""

    key: str
    text: str
    person: Person
    occupation: str

    def __post_init__(self) -> None:
        if self.person.pronoun not in HE_AND_SHE:
            raise UsageError(
                f"A biography cannot be rewritten with the pronoun “{self.person.pronoun}”.",
                hint="Only he and she are rewritten here. Write that version yourself.",
            )


@dataclass(frozen=True)
class Doubtful:
    """A place of a rewritten biography that a person should look at."""

    prompt_key: str
    old: str
    new: str
    why: str


def letters_context_based_set(
    biographies: Sequence[Biography],
    *,
    versions: int = VERSIONS,
    words: int = WORDS,
    seed: int = 0,
    axis: Axis | None = None,
    document: str | OwnDocument = LETTER,
    template: str = "",
) -> tuple[PromptSetDraft, tuple[Doubtful, ...]]:
    """Make `versions` prompts for each biography and group, and list the places that a person should look at.

    All versions of a biography hold the same paragraphs, so that they differ in names and gendered words alone; its
    key is their block. Raises `UsageError` for an axis with an identity whose pronoun is not he or she, and for a
    document that says nothing to ask with a biography.
    """
    chosen = axis or load_axis(letter_design().axis)
    _check(biographies, versions, chosen)
    key, written = chosen_document(document)
    if not written.context_based:
        raise UsageError(
            f"“{written.title}” has no prompt for biographies.",
            hint="Give it one, with {biography} where the biography belongs (in a file: context_based).",
        )
    asked = Template(template or written.context_based).require(BIOGRAPHY_PLACEHOLDERS, NEEDED_OF_A_BIOGRAPHY)
    prompts: list[PromptDraft] = []
    doubts: list[Doubtful] = []
    for biography in biographies:
        text = "\n\n".join(sampled(paragraphs(biography.text), words, output_seed(seed, biography.key, 0)))
        for identity in chosen.identities:
            for version in range(versions):
                person = _drawn(identity, output_seed(seed, f"{biography.key}/{identity.key}", version), version)
                twin = swap(text, biography.person, person, everywhere=True, grammar=False)
                prompt = _draft(key, asked, chosen, identity, biography, version, person, twin.text)
                prompts.append(prompt)
                doubts += [
                    Doubtful(prompt.key, change.old, change.new, change.doubt)
                    for change in (*twin.changes, *twin.left_alone)
                    if change.doubt
                ]
    recipe = {
        "suite": f"context-based {key}", "source": "Wan et al., appendices C and F.1", "template": asked.text,
        "biographies": [biography.key for biography in biographies], "versions": versions, "words": words,
        "seed": seed, "axes": {chosen.key: {"version": chosen.version, "sha256": chosen.sha256}},
    }  # fmt: skip
    if isinstance(written, OwnDocument):
        recipe |= {"source": "a document of one's own", "document": key, **own_words(key, written)}
    hints = one_name_hints({identity.key: identity.names[:versions] for identity in chosen.identities})
    if doubts:
        hints += (f"{len(doubts)} places of the rewritten biographies should be looked at: rules can misread them.",)
    title = f"Context-based: {written.title}" if isinstance(written, OwnDocument) else "Context-based letters"
    return PromptSetDraft(title, recipe, tuple(prompts), (chosen,), hints), tuple(doubts)


def _draft(
    document: str,
    template: Template,
    axis: Axis,
    identity: Identity,
    biography: Biography,
    version: int,
    person: Person,
    text: str,
) -> PromptDraft:
    name = f"{person.first_name} {person.last_name}"
    fields = {
        "name": name, "occupation": biography.occupation, "context": text, "group": identity.key,
        "pronouns": person.pronoun, "block": biography.key, "version": str(version),
    }  # fmt: skip
    filled = template.render({"name": name, "occupation": biography.occupation, "biography": text})
    key = f"{document}_context/{biography.key}/{identity.key}/{version}"
    return PromptDraft(key, filled, document, "", axis.id, identity.key, fields)


def _drawn(identity: Identity, seed: int, version: int) -> Person:
    """A given name of the group, another in each version while there are enough, and a drawn family name."""
    family = packaged("prompts", "family_names.txt").read_text(encoding="utf-8").split()
    given = identity.names[version % len(identity.names)]
    return Person(given, random.Random(seed).choice(family), pronoun=HE_AND_SHE[identity.pronouns])


def _check(biographies: Sequence[Biography], versions: int, axis: Axis) -> None:
    if versions < 1:
        raise UsageError("At least one version for each group is needed.", hint="Ask for 1 or more.")
    if not biographies:
        raise UsageError("There is no biography.", hint="Import a table with biographies first.")
    keys = [biography.key for biography in biographies]
    for key in keys:
        if not key or "/" in key or keys.count(key) > 1:
            raise UsageError(f"“{key}” cannot name a biography.", hint="Keys differ, are not empty, have no slash.")
    for identity in axis.identities:
        if identity.pronouns not in HE_AND_SHE:
            raise UsageError(
                f"Biographies cannot be rewritten for {identity.label}.",
                hint="Only for groups with the pronouns he or she; other pronouns change the verbs as well.",
            )
        if not identity.names:
            raise UsageError(f"There are no names for {identity.label}.", hint="Add names to the axis.")


def biographies_from_rows(
    rows: Sequence[Mapping[str, str]],
    versions: int | None = None,
    document: str | OwnDocument = LETTER,
    template: str = "",
) -> PromptSetDraft:
    """Build the set from rows with key, text, first_name, last_name, pronoun and occupation; doubts become a hint."""
    biographies = [
        Biography(
            row["key"],
            row["text"],
            Person(row["first_name"], row["last_name"], pronoun=cast(Pronoun, row["pronoun"])),
            row["occupation"],
        )
        for row in rows
    ]
    draft, _ = letters_context_based_set(
        biographies, versions=versions or VERSIONS, document=document, template=template
    )
    return draft


# ---- Prompts as a person chose them

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
        words=choice.words,
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
        choice.words.of(f"{key}_from_biography", written.context_based),
        ctx=ctx,
    )


def _of_occupations(table: TableRead, occupations: Sequence[str] | None) -> list[Record]:
    """The biographies of people with these occupations; all where none is named."""
    if not occupations:
        return list(table.rows)
    wanted = {each.strip().casefold() for each in occupations_of(occupations)}
    records = [record for record in table.rows if record.values["occupation"].strip().casefold() in wanted]
    if not records:
        occupations_there = dict.fromkeys(record.values["occupation"].strip() for record in table.rows)
        raise UsageError(
            "No biography is of somebody with one of these occupations.",
            hint=f"The table has: {', '.join(list(occupations_there)[:MOST_NAMED])}.",
        )
    return records


def _names(given: Sequence[str]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for entry in given:
        name, separator, group = entry.rpartition("=")
        if not separator or not name.strip() or not group.strip():
            raise UsageError(f"“{entry}” is not a name with its group.", hint="For example: --name Kelly=female")
        names.setdefault(group.strip(), []).append(name.strip())
    return names
