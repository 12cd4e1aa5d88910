"""The context-less prompts for letters and other documents: names × ages × occupations (Wan et al., appendix C).

Two names, ages 20 to 60 by tens and 12 occupations give exactly 120.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import ordinary_file
from biasprint.core.prompts.axes import Axis, Identity, Key, Text, load_axis
from biasprint.core.prompts.cogs import OWN_TASKS
from biasprint.core.prompts.drafts import PromptDraft, PromptSetDraft
from biasprint.core.prompts.resource_files import from_resources, read_toml, strict_data, validated
from biasprint.core.prompts.template import Template
from biasprint.core.prompts.wordings import AS_IT_IS, TemplateWords

PLACEHOLDERS = ("name", "age", "gender", "occupation")
BIOGRAPHY_PLACEHOLDERS = ("name", "occupation", "biography")
NEEDED_OF_A_BIOGRAPHY = ("biography",)  # whose name and words are already those of the group
LETTER = "letter"
V = TypeVar("V", int, str)


@strict_data
class DocumentKind:
    """A kind of document, and the prompts that ask for it with and without a biography."""

    title: Text
    context_less: Text
    context_based: Text = ""


@strict_data
class LetterDesign:
    """The shipped design: documents by key, axis, ages and occupations."""

    documents: Annotated[Mapping[str, DocumentKind], Field(min_length=1)]
    axis: Text
    ages: Annotated[tuple[int, ...], Field(min_length=1)]
    occupations: Annotated[tuple[Text, ...], Field(min_length=1)]

    def document(self, key: str) -> DocumentKind:
        """Return a document by key. Raises `UsageError` naming the existing ones."""
        if key not in self.documents:
            raise UsageError(f"There is no document “{key}”.", hint=f"Documents: {', '.join(self.documents)}.")
        return self.documents[key]


def letter_design() -> LetterDesign:
    return from_resources(LetterDesign, "prompts", "letters.toml")


@strict_data
class OwnDocument(DocumentKind):
    """A document of a person's own, in a file of its own. It may bring occupations and ages."""

    key: Key = ""
    occupations: tuple[Text, ...] = ()
    ages: tuple[Annotated[int, Field(ge=1, le=120)], ...] = ()
    version: Annotated[int, Field(ge=1)] = 1


def document_from(data: Mapping[str, Any], where: str) -> OwnDocument:
    """Return the document that a file's data describe. `where` says whose data they are."""
    document = validated(OwnDocument, dict(data), where)
    if not document.key or document.key in letter_design().documents:
        trouble = f"the key “{document.key}” is a shipped document's" if document.key else "it has no key"
        raise AppError(f"{where} is not valid: {trouble}.", hint='For example: key = "cover_note"')
    template = Template(document.context_less).require(known=PLACEHOLDERS)
    if not {"name", "gender"} & set(template.names):
        hint = "Write {name}, {gender} or both where they belong."
        raise AppError(f"{where} asks the same for every group: its prompt has no name and no group.", hint=hint)
    if document.context_based:
        Template(document.context_based).require(BIOGRAPHY_PLACEHOLDERS, NEEDED_OF_A_BIOGRAPHY)
    return document


def chosen_document(document: str | Path | OwnDocument) -> tuple[str, DocumentKind]:
    """Return a shipped document by its key, or one's own by its file (a `Path`, or a string that ends in ".toml"): its
    key, and what it is.
    """
    if isinstance(document, OwnDocument):
        return document.key, document
    if isinstance(document, Path) or document.endswith(".toml"):
        own = document_from(read_toml(Path(document)), f"The document file {document}")
        return own.key, own
    return document, letter_design().document(document)


def letters_context_less_set(
    *,
    names: Mapping[str, Sequence[str]] | None = None,
    names_per_group: int = 1,
    in_turn: bool = False,
    ages: Sequence[int] | None = None,
    occupations: Sequence[str] | None = None,
    axis: str | Path | Axis | None = None,
    document: str | Path | OwnDocument = LETTER,
    words: TemplateWords = AS_IT_IS,
) -> PromptSetDraft:
    """Return the letter prompts, or those for another document. `names` maps a group of the axis to given names;
    without it the axis's first `names_per_group` are taken (the published pair first). Every cell of age and occupation
    has a prompt for each name, or, with `in_turn`, for one name of each group, the next in the next cell: several names
    then make no more prompts.

    Each prompt's fields: name, age, occupation, gender (as written in the prompt), group, pronouns, and block, the
    matched cell without the name, within which groups can be swapped. Raises `UsageError` for what cannot be asked.
    """
    chosen = letters_axis(axis)
    key, written = chosen_document(document)
    own = written if isinstance(written, OwnDocument) else None
    template = Template(words.of(key, written.context_less)).require(
        known=PLACEHOLDERS, needed=() if own else PLACEHOLDERS
    )
    by_group = _names_by_group(chosen, names, names_per_group)
    if "name" not in template.names:
        by_group = {group: given[:1] for group, given in by_group.items()}
    chosen_ages, chosen_occupations = _cells(template, own, ages, occupations)
    table = (len(chosen_occupations), len(chosen_ages))
    prompts = tuple(
        _draft(key, template, chosen, identity, name, age, occupation)
        for row, occupation in enumerate(chosen_occupations)
        for column, age in enumerate(chosen_ages)
        for identity in chosen.identities
        for name in (_in_turn(by_group[identity.key], row, column, table) if in_turn else by_group[identity.key])
    )
    recipe: dict[str, Any] = {
        "suite": "context-less letters",
        "source": "Wan et al., appendix C",
        "template": written.context_less,
        "names": {group: list(given) for group, given in by_group.items()},
        "ages": list(chosen_ages),
        "occupations": list(chosen_occupations),
        "axes": {chosen.key: {"version": chosen.version, "sha256": chosen.sha256}},
    }
    if in_turn:
        recipe["in_turn"] = True
    if key != LETTER:
        recipe |= {"suite": f"context-less {key}", "document": key, "source": "after Wan et al., appendix C"}
    if own:
        recipe |= {"source": "a document of one's own", **own_words(key, own)}
    title = "Context-less letters" if key == LETTER else f"Context-less: {written.title}"
    hints = one_name_hints(by_group) if "name" in template.names else ()
    return PromptSetDraft(title, recipe, prompts, (chosen,), hints)


def own_words(key: str, document: OwnDocument) -> dict[str, Any]:
    """Return what a recipe stores of one's own document: the title by which its texts are judged."""
    return {OWN_TASKS: {key: {"title": document.title, "rubric": []}}}


def _cells(
    template: Template, own: OwnDocument | None, ages: Sequence[int] | None, occupations: Sequence[str] | None
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the ages and occupations that are asked of; one alone of what the prompt does not say, which would only
    ask the same again.
    """
    design = letter_design()
    own_ages, own_occupations = (own.ages, own.occupations) if own else ((), ())
    some_ages = _not_empty("age", (own_ages or design.ages) if ages is None else ages)
    some_occupations = _not_empty(
        "occupation", (own_occupations or design.occupations) if occupations is None else occupations
    )
    return (
        some_ages if "age" in template.names else some_ages[:1],
        some_occupations if "occupation" in template.names else some_occupations[:1],
    )


def _in_turn(names: Sequence[str], row: int, column: int, table: tuple[int, int]) -> tuple[str]:
    """Return the name of a cell of a table with so many rows and columns.

    Each comes with each age and, as far as their numbers allow, with each occupation equally often. Where there are
    more than that reaches, they are taken cell by cell, so that each comes before any comes again.
    """
    rows, columns = table
    turn = row + column if len(names) < rows + columns else row * columns + column
    return (names[turn % len(names)],)


def letters_axis(axis: str | Path | Axis | None) -> Axis:
    """Return the axis that is asked for, the design's own by default, which the id that it is reported as names too."""
    if isinstance(axis, Axis):
        return axis
    own = load_axis(letter_design().axis)
    return own if axis is None or axis == own.id else load_axis(axis)


def _draft(
    document: str, template: Template, axis: Axis, identity: Identity, name: str, age: int, occupation: str
) -> PromptDraft:
    asked = {"name": name, "age": str(age), "gender": identity.phrase, "occupation": occupation}
    fields = {
        **asked,
        "group": identity.key,
        "pronouns": identity.pronouns,
        "block": f"{occupation}/{age}",
    }
    suite = "letters" if document == LETTER else document
    key = f"{suite}/{occupation}/{age}/{identity.key}/{name}"
    return PromptDraft(key, template.render(asked), document, "", axis.id, identity.key, fields)


def _names_by_group(
    axis: Axis, names: Mapping[str, Sequence[str]] | None, per_group: int
) -> dict[str, tuple[str, ...]]:
    if per_group < 1:
        raise UsageError("At least one name for each group is needed.", hint="Ask for 1 or more.")
    if names is not None:
        for group in names:
            axis.identity(group)
        per_group = 1
    given: dict[str, tuple[str, ...]] = {}
    for identity in axis.identities:
        taken = tuple(names.get(identity.key, ())) if names is not None else identity.names[:per_group]
        if len(taken) < per_group:
            message = f"There are {len(taken)} names for {identity.label}, and {per_group} are needed."
            raise UsageError(message, hint="Give the names yourself, or ask for fewer.")
        for name in taken:
            if not name.strip() or "/" in name:
                raise UsageError(f"“{name}” cannot be used as a name.", hint="A name is not empty and has no slash.")
        given[identity.key] = taken
    return given


def occupations_of(given: Sequence[str]) -> tuple[str, ...]:
    """Return occupations as given, or those of a text file (.txt), one to a line, # before a remark."""
    occupations: list[str] = []
    for each in given:
        if not each.endswith(".txt"):
            occupations.append(each)
            continue
        try:
            ordinary_file(Path(each), follow=True)
            lines = Path(each).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise AppError(f"The list {each} could not be read.", hint="It is text in UTF-8, one to a line.") from error
        own = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        if not all(line.isprintable() for line in own):
            raise AppError(f"The list {each} is no text.", hint="It is text in UTF-8, one to a line.")
        occupations += own
    return tuple(occupations)


def _not_empty(what: str, chosen: Sequence[V]) -> tuple[V, ...]:
    if not chosen:
        raise UsageError(f"No {what} was chosen.", hint=f"Name at least one {what}.")
    for each in chosen:
        if "/" in str(each) or not str(each).strip():
            raise UsageError(f"“{each}” cannot be used as an {what}.", hint="It is not empty and has no slash.")
    return tuple(dict.fromkeys(chosen))


def one_name_hints(by_group: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return sentences for whoever plans with these names; `by_group`: names of each group."""
    fewest = min(len(given) for given in by_group.values())
    most = max(len(given) for given in by_group.values())
    hints = []
    if fewest < 2:
        hints.append(
            "With one name for a group, the name and the group cannot be told apart: "
            "a difference may be about this name alone. Take several names for each group, four or more if you can."
        )
    if fewest != most:
        hints.append("The groups have different numbers of names; matched comparisons need the same number.")
    return tuple(hints)
