"""The swap twin of a letter: names, titles, pronouns, verbs, gendered words, articles; each with its reason."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.errors import UsageError
from core.swap.agreement import change_articles
from core.swap.guess import guess_person
from core.swap.names import change_titles, find_names
from core.swap.nouns import change_nouns
from core.swap.page import read_page
from core.swap.pronouns import change_pronouns
from core.swap.result import PRONOUNS, Change, Person, Stretch, Twin, applied
from core.swap.vocabulary import Loss, swap_words


def swap(text: str, person: Person, other: Person, *, parts: Sequence[Stretch] = ()) -> Twin:
    """The letter about `person` as one about `other`.

    A name that `other` lacks stays; a pronoun that `person` lacks is guessed from the letter, one that `other` lacks
    is `person`'s. `parts`, where known, say what is salutation and signature; otherwise they are found by their form.
    Text inside addresses, titles in quotation marks, salutation and signature is kept. English only.

    Heavy at the first call (a tagger and a dictionary are loaded); raises `UsageError` for a pronoun it does not know.
    """
    for pronoun in (person.pronoun, other.pronoun):
        if pronoun not in PRONOUNS:
            raise UsageError(f"A twin cannot be made with the pronoun “{pronoun}”.", hint="Choose he, she or they.")
    words = swap_words()
    person = _without_titles(person)
    if not person.pronoun:
        person = replace(person, pronoun=guess_person(text, parts).pronoun)
    other = _without_titles(other)
    other = replace(other, pronoun=other.pronoun or person.pronoun)
    if not text.strip():
        return Twin(text, (), ())
    page = read_page(text, parts)
    names = find_names(page, person, other, words)
    spoken = change_pronouns(page, person, other, names, words)
    titles = list(change_titles(page, person, other, names.person, words))
    nouns = list(change_nouns(page, person, other, names, spoken, words)) if person.pronoun else []
    decided = [*names.changes, *names.left, *spoken.changes, *spoken.left, *titles, *nouns]
    changes = _in_order(change for change in decided if change.new != change.old)
    changes = _in_order([*changes, *change_articles(page, changes)])
    left = sorted((change for change in decided if change.new == change.old), key=lambda one: one.start)
    return Twin(applied(text, changes), tuple(changes), tuple(left))


def known_losses() -> tuple[Loss, ...]:
    """What swapping twice does not give back, each with an example."""
    return swap_words().file.losses


def _in_order(changes: Iterable[Change]) -> list[Change]:
    """By place; where two rules want the same characters the first holds."""
    kept: list[Change] = []
    for change in sorted(changes, key=lambda one: (one.start, one.end)):
        if not kept or change.start >= kept[-1].end:
            kept.append(change)
    return kept


def _without_titles(person: Person) -> Person:
    """Blanks taken off; a title that stands where the first name should (“Ms.” Renkow) is moved to its place."""
    first, last = " ".join(person.first_name.split()), " ".join(person.last_name.split())
    rules = swap_words().file.titles
    titles = rules.for_he | rules.for_she | {rules.neutral, "dr", "prof", "professor"}
    if first.rstrip(".").lower() in titles:
        return replace(person, first_name="", last_name=last, title=person.title or first)
    return replace(person, first_name=first, last_name=last)
