"""“Would you have written this of him?”: the sentences of a letter that read oddly of its twin.

Whether a sentence should go is for whoever wrote it; here it is only found, with the reason why it is asked about.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked

from biasprint.core.letters.categories import categories
from biasprint.core.letters.house import HouseList
from biasprint.core.letters.values import AskedSentence, Category, Mark, Reading, Sentence, TwinDifference, how_said
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.swap import HE_AND_SHE, Change, Person, Twin
from biasprint.core.swap.pronouns import FORMS

# Said of somebody's person: of the other gender it is seldom said, or it reads otherwise.
OF_THE_PERSON: tuple[Category, ...] = ("gender", "appearance", "family")
# Found more often in letters for this pronoun (docs/explanation/letter-marks.md): counted, not listed.
OFTENER: Mapping[str, tuple[Category, ...]] = {"she": ("communal", "doubt"), "he": ("standout",)}
OF_ORIGIN: tuple[Category, ...] = ("origin",)
_NO_WORD = ("first name", "last name", "initials", "title", "possessive of the name", "article before a changed word")
OBJECTS = {"he": "him", "she": "her", "they": "them"}
_BE = r"(?:is|was|are|were|be|been|being|seems|seemed|comes across as|remains|can be|could be)"


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class _SaidOf:
    version: int
    she: tuple[str, ...]
    he: tuple[str, ...]
    people: tuple[str, ...]


def asked_sentences(
    reading: Reading, pairs: Mapping[int, int], twin: Twin, other: Person, house: HouseList | None = None
) -> tuple[AskedSentence, ...]:
    """The sentences to ask about, in order. `pairs`: sentence of the letter → the twin's. `house`: whose words to pass.

    For a twin of the other gender: what is marked for gender, looks or family, any mark whose own words the swap
    changed, and words that are said mostly of the candidate's gender. For a twin of another name alone: what is marked
    for origin.
    """
    person = reading.person
    found = []
    for sentence in reading.sentences:
        if sentence.part != "body" or sentence.index not in pairs:
            continue
        own = [mark for mark in reading.marks if mark.sentence == sentence.index]
        if person.pronoun == other.pronoun:
            why = {mark: _of_category(mark) for mark in own if mark.category in OF_ORIGIN}
            words: list[str] = []
        else:
            why = {mark: said for mark in own if (said := _why(mark, twin))}
            words = [
                one
                for one, said in said_of(sentence, person)
                if not any(one in mark.words.lower() for mark in why) and not (house and house.ignores(said))
            ]
        if why or words:
            reasons = tuple(why.values())
            said_why = _said_why(person.pronoun) if words else ""
            found.append(
                AskedSentence(sentence.index, pairs[sentence.index], tuple(why), reasons, tuple(words), said_why)
            )
    return tuple(found)


def asked_said(
    reading: Reading, other: Person, asked: tuple[AskedSentence, ...], dismissed: Collection[str] = ()
) -> str:
    """The question in a sentence, with how many sentences it is about; also where it is about none.

    It says no more than what was looked for: whether a sentence reads oddly is for a person. `dismissed`: the keys of
    marks that a person put aside.
    """
    same = reading.person.pronoun == other.pronoun
    whom = other.full_name if same and other.full_name else OBJECTS.get(other.pronoun, "them")
    kind = {"she": "women", "he": "men"}.get(reading.person.pronoun, "")
    some = "1 sentence" if len(asked) == 1 else f"{len(asked) or 'No'} sentences"
    names, has = ("names", "has") if len(asked) == 1 else ("name", "have")
    said = f"{some} {names} gender, looks or family" + (f", or {has} words said mostly of {kind}" if kind else "")
    if same:
        said = f"{some} {'is' if len(asked) == 1 else 'are'} marked for origin"
    said = f"Would you have written this of {whom}? {said}." if asked else f"{said}."
    if same:
        return said
    listed = {one.sentence for one in asked}
    oftener = OFTENER.get(reading.person.pronoun, ())
    rest = {
        mark.sentence
        for mark in reading.marks
        if mark.category in oftener and not mark.negated and not _is_aside(mark, reading, dismissed)
    } - listed
    if not rest:
        return said
    titles = " or ".join(categories()[one].title.lower() for one in oftener)
    carry = "1 more has a mark" if len(rest) == 1 else f"{len(rest)} more have marks"
    return (
        f"{said} {carry} for {titles}, which studies found oftener in letters for {kind}: would you have chosen them?"
    )


def without_dismissed(found: TwinDifference, dismissed: Collection[str]) -> TwinDifference:
    """The same twin, asking nothing for marks that a person put aside. `dismissed`: their keys (`Mark.key`)."""
    reading = found.reading
    if not dismissed or not found.question:
        return found
    asked = []
    for one in found.asked:
        kept = [
            (mark, why)
            for mark, why in zip(one.marks, one.reasons, strict=True)
            if not _is_aside(mark, reading, dismissed)
        ]
        if kept or one.said_of:
            marks, reasons = (tuple(part) for part in zip(*kept, strict=True)) if kept else ((), ())
            asked.append(replace(one, marks=marks, reasons=reasons))
    question = asked_said(reading, found.other, tuple(asked), dismissed)
    return replace(found, asked=tuple(asked), question=question)


def _is_aside(mark: Mark, reading: Reading, dismissed: Collection[str]) -> bool:
    return mark.key(reading.sentence(mark.sentence).text) in dismissed


def said_of(sentence: Sentence, person: Person) -> Iterator[tuple[str, str]]:
    """The words of a sentence that are said mostly of the candidate's gender, where they are said of the candidate.

    Each with the words up to whom it is said of (“lovely”, “lovely colleague”), all in lower case.
    """
    if person.pronoun not in HE_AND_SHE:
        return
    names = "|".join(re.escape(name) for name in (person.first_name, person.last_name) if name)
    # “Kelly's beautiful strokes” are not Kelly; “she's” is “she is”.
    subject = rf"(?:{person.pronoun}{f'|{names}' if names else ''})"
    text = sentence.text.replace("’", "'")
    entries, people = _patterns(person.pronoun)
    is_so = re.compile(
        rf"(?<![\w-])(?:{person.pronoun}'s|{subject}\s+(?:[\w'-]+\s+){{0,2}}?{_BE})\s+(?:[\w'-]+,?\s+){{0,5}}?(?P<word>{entries})(?![\w-])",
        re.IGNORECASE,
    )
    is_such = re.compile(
        rf"(?<![\w-])(?P<word>{entries})\s+(?:(?:and\s+)?[\w-]+\s+)?(?:{people})(?![\w-])", re.IGNORECASE
    )
    found: dict[str, str] = {}
    for pattern in (is_so, is_such):
        for match in pattern.finditer(text):
            found[match["word"].lower()] = text[match.start("word") : match.end()].lower()
    yield from found.items()


@cache
def _patterns(pronoun: str) -> tuple[str, str]:
    found = validated(_SaidOf, read_toml(packaged("letters", "said_of.toml")), "The file letters/said_of.toml")
    entries = found.she if pronoun == "she" else found.he
    longest = sorted(entries, key=len, reverse=True)
    return "|".join(map(re.escape, longest)), "|".join(map(re.escape, found.people))


def _why(mark: Mark, twin: Twin) -> str:
    if mark.category in OF_THE_PERSON:
        return _of_category(mark)
    return "the swap changes a word of the mark" if any(_is_word_of(one, mark) for one in twin.changes) else ""


def _is_word_of(change: Change, mark: Mark) -> bool:
    """A changed word of the mark itself (“motherly”), not a name or a pronoun in it."""
    is_pronoun = change.old.lower() in _PRONOUNS
    return mark.start <= change.start and change.end <= mark.end and change.reason not in _NO_WORD and not is_pronoun


_PRONOUNS = frozenset(form for pronoun in HE_AND_SHE for form in FORMS[pronoun].values())


def _of_category(mark: Mark) -> str:
    said = f"marked for {categories()[mark.category].title.lower()}"
    return f"{said} ({how_said(mark)})" if mark.passage else said


def _said_why(pronoun: str) -> str:
    return f"said mostly of {'women' if pronoun == 'she' else 'men'}, by convention"
