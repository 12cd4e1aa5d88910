"""In the compute process: a letter and its swap twin are both read, and every score of one is held beside the other's.

Only names and gender differ between the two. A score that differs all the same says something about its scorer; a
sentence that reads oddly of the twin asks something of whoever wrote it (`biasprint.core.letters.asked`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from biasprint.core.findings import ScorerUse
from biasprint.core.letters.asked import asked_said, asked_sentences
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import (
    SAME,
    Document,
    Part,
    Reading,
    SentenceDifference,
    SentenceScore,
    Support,
    TwinDifference,
    figure_differences,
)
from biasprint.core.swap import Person, Twin
from biasprint.core.swap.engine import swap
from biasprint.core.swap.guess_pronoun import contradicts, other_given_names
from biasprint.core.swap.mentions import PARTNER_CHANGED
from biasprint.core.swap.name_groups import LIMITS, group_of_name
from biasprint.core.swap.names import NAME_KEPT
from biasprint.core.swap.nouns import PARTNER

SUPPORT = "support"


def read_with_twin(document: Document, other: Person, request: ReadingRequest) -> TwinDifference:
    """The readings of a letter and of its twin for `other`, and their differences.

    The context is swapped too: otherwise it would be about somebody else than the twin. Raises `UsageError` for a
    pronoun that no twin can be made with.
    """
    return twin_of(read_letter(document, request), other, request)


def twin_of(reading: Reading, other: Person, request: ReadingRequest) -> TwinDifference:
    """The twin for `other` of a letter that was read with `request`, read with the same, and the differences."""
    twin, swapped = _swapped(reading, other, request.context)
    about = twin_person(reading.person, other)
    parts = tuple(Part(part.kind, twin.place(part.start), twin.place(part.end)) for part in reading.parts)
    twin_reading = read_letter(
        _with_text(reading.document, twin.text), replace(request, context=swapped, parts=parts, person=about)
    )
    pairs = _pairs(reading, twin_reading, twin)
    sentences = (*_scores(reading, twin_reading, pairs), *_support(reading, twin_reading, pairs))
    unpaired = sum(sentence.part == "body" for sentence in reading.sentences) - len(pairs)
    mixed = tuple(_mixed(reading, about, twin))
    found = _findings(reading, twin_reading, sentences, len(pairs), unpaired)
    figures = figure_differences(reading, twin_reading)
    asked = () if reading.stopped else asked_sentences(reading, pairs, twin, about, request.house)
    question = "" if reading.stopped else asked_said(reading, about, asked)
    group = group_of_name(about)
    named = (f"{about.full_name}: {group.claim} ({group.source}.) {LIMITS}",) if group is not None else ()
    return TwinDifference(
        reading.person, about, reading, twin_reading, figures, sentences, unpaired,
        (*mixed, *found, *named), twin=twin, question=question, asked=asked,
    )  # fmt: skip


def _swapped(reading: Reading, other: Person, context: Document | None) -> tuple[Twin, Document | None]:
    """The twin's text and context; partners change in both or in neither, or one would contradict the other."""
    made: list[Twin] = []
    for couples in (True, False):
        made = [swap(reading.document.text, reading.person, other, parts=reading.parts, couples=couples)]
        if context is not None:
            made.append(swap(context.text, reading.person, other, couples=couples))
        if not any(one.doubt == PARTNER for twin in made for one in twin.left_alone):
            break
    return made[0], _with_text(context, made[1].text) if context is not None else None


def twin_person(person: Person, other: Person) -> Person:
    """`other` with what it lacks from `person`, as the swap fills it; a title that was not given is not known."""
    return Person(
        other.first_name or person.first_name,
        other.last_name or person.last_name,
        other.title,
        other.pronoun or person.pronoun,
    )


def swapped_context(context: Document, person: Person, other: Person) -> Document:
    """The context as it would be about the twin."""
    return _with_text(context, swap(context.text, person, other).text)


def _with_text(document: Document, text: str) -> Document:
    return replace(document, paragraphs=tuple(text.split("\n\n")))


def _pairs(reading: Reading, twin_reading: Reading, twin: Twin) -> dict[int, int]:
    """Sentence of the body → the twin's sentence that begins and ends where it does."""
    places = {(one.start, one.end): one.index for one in twin_reading.sentences if one.part == "body"}
    found = {}
    for one in reading.sentences:
        place = places.get((twin.place(one.start), twin.place(one.end)))
        if one.part == "body" and place is not None:
            found[one.index] = place
    return found


def _scores(reading: Reading, twin_reading: Reading, pairs: Mapping[int, int]) -> list[SentenceDifference]:
    named = {use.role: use.name for use in reading.scorers}
    others: dict[tuple[int, str], SentenceScore] = {(one.sentence, one.name): one for one in twin_reading.scores}
    found = []
    for one in reading.scores:
        there = others.get((pairs.get(one.sentence, -1), one.name))
        if there is None or one.value is None or there.value is None or abs(there.value - one.value) <= SAME:
            continue
        found.append(
            SentenceDifference(
                one.sentence, there.sentence, one.name, named.get(one.name, ""), one.value, there.value,
                turned=one.label != there.label,
            )
        )  # fmt: skip
    return found


def _support(reading: Reading, twin_reading: Reading, pairs: Mapping[int, int]) -> list[SentenceDifference]:
    named = {use.role: use.name for use in reading.scorers}
    others: dict[int, Support] = {one.sentence: one for one in twin_reading.support}
    found = []
    for one in reading.support:
        there = others.get(pairs.get(one.sentence, -1))
        if there is None or one.score is None or there.score is None:
            continue
        turned = one.verdict != there.verdict
        if turned or abs(there.score - one.score) > SAME:
            found.append(
                SentenceDifference(
                    one.sentence, there.sentence, SUPPORT, named.get("entailment", ""), one.score, there.score, turned
                )
            )
    return found


def _mixed(reading: Reading, other: Person, twin: Twin) -> Iterator[str]:
    """A twin in which a name stands beside the other pronoun (“Jamal … she”) is never made without saying so."""
    person = reading.person
    if not person.full_name:
        yield (
            "No name was found in this letter: the twin changes pronouns and gendered words, and keeps every name. Set "
            "the candidate's name, so that the twin has the other one throughout."
        )
    if contradicts(other):
        bearers = "men" if other.pronoun == "she" else "women"
        yield f"The twin is called {other.first_name}, mostly a name of {bearers}, and “{other.pronoun}”. Is it meant?"
    names = [one for one in twin.left_alone if one.reason == NAME_KEPT]
    if names:
        places = "1 place" if len(names) == 1 else f"{len(names)} places"
        yield f"“{names[0].old}” stays in {places} of the twin, {names[0].doubt}. Every place is among the changes."
    yield from _partners(twin)
    if person.pronoun != other.pronoun:
        body = " ".join(one.text for one in reading.sentences if one.part == "body")
        for name in other_given_names(body, person):
            yield f"“{name}” stays in the twin: if that is the candidate too, set it as the candidate's first name."


def _partners(twin: Twin) -> Iterator[str]:
    """A couple that reads otherwise is a second thing that differs, and so is a partner of another gender."""
    for one in twin.changes:
        if one.doubt == PARTNER_CHANGED:
            yield (
                f"“{one.old}” became “{one.new}”, so that the couple reads as before: here not only the candidate's "
                "gender differs. Look whether that is meant."
            )
            break
    for one in twin.left_alone:
        if one.doubt == PARTNER:
            yield (
                f"“{one.old}” stays, because the letter says more of this partner or somebody else: in the twin the "
                "couple reads otherwise than in the letter, and a score may differ for that."
            )
            break


def _findings(
    reading: Reading, twin_reading: Reading, sentences: Sequence[SentenceDifference], compared: int, unpaired: int
) -> tuple[str, ...]:
    if reading.stopped:
        return ("Nothing was scored, so that there is nothing to compare.",)
    said = [
        _about(use, [one for one in sentences if one.name == (SUPPORT if use.role == "entailment" else use.role)])
        for use in reading.scorers
    ]
    found = [one for one in said if one]
    for by_model, what in ((False, "word lists"), (True, "model that reads passages")):
        mine, theirs = (
            Counter(mark.category for mark in one.marks if mark.passage == by_model) for one in (reading, twin_reading)
        )
        if mine != theirs:
            words = ", ".join(sorted(str(category) for category in (mine - theirs) + (theirs - mine)))
            mark = "marks" if by_model else "mark"
            found.append(f"The {what} {mark} the twin differently ({words}). This is a finding about the {what}.")
    if not found:
        found.append(f"No score of the {compared} sentences compared changes with the name and the gender.")
    if unpaired:
        found.append(f"{unpaired} sentences end elsewhere in the twin and were not compared.")
    return tuple(found)


def _about(use: ScorerUse, changed: Sequence[SentenceDifference]) -> str:
    """What a scorer's differences say, with its size; "" where there are none."""
    if not changed:
        return ""
    most = max(abs(one.difference) for one in changed)
    turned = sum(one.turned for one in changed)
    role = "support by the context" if use.role == "entailment" else use.role
    sides = f"{turned} of them are judged otherwise" if turned else "none of them is judged otherwise"
    how_many = "1 sentence another value" if len(changed) == 1 else f"{len(changed)} sentences another value"
    return (
        f"The scorer of {role} ({use.name}) gives {how_many} although only names and gender changed, by up to "
        f"{_amount(most)}; {sides}. This is a finding about the scorer, not about the letter."
    )


def _amount(value: float) -> str:
    return f"{value:.2f}" if value >= 0.01 else "less than 0.01"
