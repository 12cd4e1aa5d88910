"""Comparison of a letter and its swap twin: both are read, and their scores compared. Runs in the compute process.

Only names and gender differ between the two. A score that differs all the same says something about its scorer; a
sentence that reads oddly of the twin asks something of whoever wrote it (`biasprint.core.letters.twins`).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from biasprint.core.errors import AppError
from biasprint.core.findings import ScorerUse
from biasprint.core.letters.categories import categories
from biasprint.core.letters.kinds import KINDS
from biasprint.core.letters.parts import parts_of
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import HouseList, ReadingRequest
from biasprint.core.letters.values import (
    SAME,
    AskedSentence,
    Category,
    Document,
    Mark,
    NameFigure,
    NameTwin,
    NameTwins,
    Part,
    Reading,
    Sentence,
    SentenceDifference,
    SentenceScore,
    Support,
    TwinDifference,
    figure_differences,
    how_said,
)
from biasprint.core.prompts.resource_files import from_resources, strict_data
from biasprint.core.swap import HE_AND_SHE, Change, Person, Pronoun, Twin
from biasprint.core.swap.engine import swap
from biasprint.core.swap.guess import doubt_of, guess, guess_called
from biasprint.core.swap.guess_pronoun import contradicts, other_given_names
from biasprint.core.swap.mentions import PARTNER, PARTNER_CHANGED
from biasprint.core.swap.name_groups import LIMITS, NameGroup, group_of_name, name_groups, named_in
from biasprint.core.swap.names import NAME_KEPT
from biasprint.core.swap.pronouns import FORMS
from biasprint.core.swap.told import several_said

# ---- Sentences to ask the writer about

# Said of somebody's person: of the other gender it is seldom said, or it reads otherwise.
OF_THE_PERSON: tuple[Category, ...] = ("gender", "appearance", "family")
# Found more often in letters for this pronoun (docs/explanation/letter-marks.md): counted, not listed.
OFTENER: Mapping[str, tuple[Category, ...]] = {"she": ("communal", "doubt"), "he": ("standout",)}
OF_ORIGIN: tuple[Category, ...] = ("origin",)
_NO_WORD = ("first name", "last name", "initials", "title", "possessive of the name", "article before a changed word")
OBJECTS = {"he": "him", "she": "her", "they": "them"}
_BE = r"(?:is|was|are|were|be|been|being|seems|seemed|comes across as|remains|can be|could be)"


@strict_data
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
    asked = []
    for sentence in reading.sentences:
        if sentence.part != "body" or sentence.index not in pairs:
            continue
        own = [mark for mark in reading.marks if mark.sentence == sentence.index]
        if person.pronoun == other.pronoun:
            why = {mark: _of_category(mark) for mark in own if mark.category in OF_ORIGIN}
            words: list[str] = []
        else:
            why = {mark: reason for mark in own if (reason := _why(mark, twin))}
            words = [
                word
                for word, reason in said_of(sentence, person)
                if not any(word in mark.words.lower() for mark in why) and not (house and house.ignores(reason))
            ]
        if why or words:
            reasons = tuple(why.values())
            said_why = _said_why(person.pronoun) if words else ""
            asked.append(
                AskedSentence(sentence.index, pairs[sentence.index], tuple(why), reasons, tuple(words), said_why)
            )
    return tuple(asked)


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
    remark = f"{some} {names} gender, looks or family" + (f", or {has} words said mostly of {kind}" if kind else "")
    if same:
        remark = f"{some} {'is' if len(asked) == 1 else 'are'} marked for origin"
    remark = f"Would you have written this of {whom}? {remark}." if asked else f"{remark}."
    if same:
        return remark
    listed = {asked_sentence.sentence for asked_sentence in asked}
    oftener = OFTENER.get(reading.person.pronoun, ())
    rest = {
        mark.sentence
        for mark in reading.marks
        if mark.category in oftener and not mark.negated and not _is_aside(mark, reading, dismissed)
    } - listed
    if not rest:
        return remark
    titles = " or ".join(categories()[category].title.lower() for category in oftener)
    many = len(rest) > 1
    carry = f"{len(rest)} more have marks for {titles}" if many else f"1 more has a mark for {titles}"
    of_her = reading.person.pronoun == "she"
    found = f"Studies found such words oftener in letters for {'women' if of_her else 'men'}."
    ask = "Would you have chosen them?"
    return f"{remark} {carry}. {found} {ask}"


def without_dismissed(twin: TwinDifference, dismissed: Collection[str]) -> TwinDifference:
    """Return the twin without questions on marks that a person dismissed. `dismissed`: their keys (`Mark.key`)."""
    reading = twin.reading
    if not dismissed or not twin.question:
        return twin
    asked = []
    for sentence in twin.asked:
        remaining = [
            (mark, why)
            for mark, why in zip(sentence.marks, sentence.reasons, strict=True)
            if not _is_aside(mark, reading, dismissed)
        ]
        if remaining or sentence.said_of:
            marks, reasons = (tuple(part) for part in zip(*remaining, strict=True)) if remaining else ((), ())
            asked.append(replace(sentence, marks=marks, reasons=reasons))
    question = asked_said(reading, twin.other, tuple(asked), dismissed)
    return replace(twin, asked=tuple(asked), question=question)


def _is_aside(mark: Mark, reading: Reading, dismissed: Collection[str]) -> bool:
    return mark.key(reading.sentence(mark.sentence).text) in dismissed


def said_of(sentence: Sentence, person: Person) -> Iterator[tuple[str, str]]:
    """Yield the words of a sentence that are used mostly for the candidate's gender, where they describe the candidate.

    Each comes with the words up to the person it describes (“lovely”, “lovely colleague”), all in lower case.
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
    by_word: dict[str, str] = {}
    for pattern in (is_so, is_such):
        for match in pattern.finditer(text):
            by_word[match["word"].lower()] = text[match.start("word") : match.end()].lower()
    yield from by_word.items()


@cache
def _patterns(pronoun: str) -> tuple[str, str]:
    words = from_resources(_SaidOf, "letters", "said_of.toml")
    entries = words.she if pronoun == "she" else words.he
    longest = sorted(entries, key=len, reverse=True)
    return "|".join(map(re.escape, longest)), "|".join(map(re.escape, words.people))


def _why(mark: Mark, twin: Twin) -> str:
    if mark.category in OF_THE_PERSON:
        return _of_category(mark)
    return "the swap changes a word of the mark" if any(_is_word_of(change, mark) for change in twin.changes) else ""


def _is_word_of(change: Change, mark: Mark) -> bool:
    """A changed word of the mark itself (“motherly”), not a name or a pronoun in it."""
    is_pronoun = change.old.lower() in _PRONOUNS
    return mark.start <= change.start and change.end <= mark.end and change.reason not in _NO_WORD and not is_pronoun


_PRONOUNS = frozenset(form for pronoun in HE_AND_SHE for form in FORMS[pronoun].values())


def _of_category(mark: Mark) -> str:
    reason = f"marked for {categories()[mark.category].title.lower()}"
    return f"{reason} ({how_said(mark)})" if mark.passage else reason


def _said_why(pronoun: str) -> str:
    return f"said mostly of {'women' if pronoun == 'she' else 'men'}, by convention"


SUPPORT = "support"


def read_with_twin(document: Document, other: Person, request: ReadingRequest) -> TwinDifference:
    """The readings of a letter and of its twin for `other`, and their differences.

    The context is swapped too: otherwise it would be about somebody else than the twin. Raises `UsageError` for a
    pronoun that no twin can be made with.
    """
    return twin_of(read_letter(document, request), other, request)


def twin_of(reading: Reading, other: Person, request: ReadingRequest) -> TwinDifference:
    """The twin for `other` of a letter that was read with `request`, read with the same, and the differences.

    Raises `AppError` for what is about nobody.
    """
    kind = reading.read_as.kind
    if not KINDS[kind].of_person:
        raise AppError(f"There is no twin of {KINDS[kind].noun}: it is about nobody.", hint="Read it as a letter.")
    twin, swapped = _swapped(reading, other, request.context)
    about = twin_person(reading.person, other)
    parts = tuple(Part(part.kind, twin.place(part.start), twin.place(part.end)) for part in reading.parts)
    twin_reading = read_letter(
        _with_text(reading.document, twin.text), replace(request, context=swapped, parts=parts, person=about, kind=kind)
    )
    pairs = _pairs(reading, twin_reading, twin)
    sentences = (*_scores(reading, twin_reading, pairs), *_support(reading, twin_reading, pairs))
    unpaired = sum(sentence.part == "body" for sentence in reading.sentences) - len(pairs)
    body = " ".join(sentence.text for sentence in reading.sentences if sentence.part == "body")
    mixed = tuple(_remarks(reading.person, about, twin, body, reading.beside))
    findings = _findings(reading, twin_reading, sentences, len(pairs), unpaired)
    figures = figure_differences(reading, twin_reading)
    asked = () if reading.stopped else asked_sentences(reading, pairs, twin, about, request.house)
    question = "" if reading.stopped else asked_said(reading, about, asked)
    group = group_of_name(about)
    named = (f"{about.full_name}: {group.claim} ({group.source}.) {LIMITS}",) if group is not None else ()
    return TwinDifference(
        reading.person, about, reading, twin_reading, figures, sentences, unpaired,
        (*mixed, *findings, *named), twin=twin, question=question, asked=asked,
    )  # fmt: skip


def _swapped(reading: Reading, other: Person, context: Document | None) -> tuple[Twin, Document | None]:
    """The twin's text and context; partners change in both or in neither, or one would contradict the other."""
    made: list[Twin] = []
    for couples in (True, False):
        made = [_swapped_letter(reading, other, couples=couples)]
        if context is not None:
            made.append(swap(context.text, reading.person, other, couples=couples))
        if not any(change.doubt == PARTNER for twin in made for change in twin.left_alone):
            break
    return made[0], _with_text(context, made[1].text) if context is not None else None


def _swapped_letter(reading: Reading, other: Person, *, couples: bool) -> Twin:
    text, person = reading.document.text, reading.person
    return swap(text, person, other, parts=reading.parts, others=reading.beside, couples=couples)


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
    places = {
        (sentence.start, sentence.end): sentence.index for sentence in twin_reading.sentences if sentence.part == "body"
    }
    pairs = {}
    for sentence in reading.sentences:
        place = places.get((twin.place(sentence.start), twin.place(sentence.end)))
        if sentence.part == "body" and place is not None:
            pairs[sentence.index] = place
    return pairs


def _scores(reading: Reading, twin_reading: Reading, pairs: Mapping[int, int]) -> list[SentenceDifference]:
    named = {use.role: use.name for use in reading.scorers}
    others: dict[tuple[int, str], SentenceScore] = {
        (score.sentence, score.name): score for score in twin_reading.scores
    }
    differences = []
    for score in reading.scores:
        twin_score = others.get((pairs.get(score.sentence, -1), score.name))
        if (
            twin_score is None
            or score.value is None
            or twin_score.value is None
            or abs(twin_score.value - score.value) <= SAME
        ):
            continue
        differences.append(
            SentenceDifference(
                score.sentence, twin_score.sentence, score.name, named.get(score.name, ""),
                score.value, twin_score.value,
                turned=score.label != twin_score.label,
            )
        )  # fmt: skip
    return differences


def _support(reading: Reading, twin_reading: Reading, pairs: Mapping[int, int]) -> list[SentenceDifference]:
    named = {use.role: use.name for use in reading.scorers}
    others: dict[int, Support] = {support.sentence: support for support in twin_reading.support}
    differences = []
    for support in reading.support:
        twin_support = others.get(pairs.get(support.sentence, -1))
        if twin_support is None or support.score is None or twin_support.score is None:
            continue
        turned = support.verdict != twin_support.verdict
        if turned or abs(twin_support.score - support.score) > SAME:
            differences.append(
                SentenceDifference(
                    support.sentence,
                    twin_support.sentence,
                    SUPPORT,
                    named.get("entailment", ""),
                    support.score,
                    twin_support.score,
                    turned,
                )
            )
    return differences


def _remarks(person: Person, other: Person, twin: Twin, body: str, beside: Sequence[Person]) -> Iterator[str]:
    """Yield warnings on a twin where a name is kept or goes with the other pronoun (“Jamal … she”)."""
    if told := several_said(body, person, beside):
        yield told
    elif not person.full_name:
        yield (
            "No name was found in this letter: the twin changes pronouns and gendered words, and keeps every name. Set "
            "the candidate's name, so that the twin has the other one throughout."
        )
    if contradicts(other):
        bearers = "men" if other.pronoun == "she" else "women"
        yield f"The twin is called {other.first_name}, mostly a name of {bearers}, and “{other.pronoun}”. Is it meant?"
    names = [change for change in twin.left_alone if change.reason == NAME_KEPT]
    if names:
        places = "1 place" if len(names) == 1 else f"{len(names)} places"
        yield f"“{names[0].old}” stays in {places} of the twin, {names[0].doubt}. Every place is among the changes."
    yield from _partners(twin)
    if person.pronoun != other.pronoun:
        for name in other_given_names(body, person):
            yield f"“{name}” stays in the twin: if that is the candidate too, set it as the candidate's first name."


def _partners(twin: Twin) -> Iterator[str]:
    """A couple that reads otherwise is a second thing that differs, and so is a partner of another gender."""
    for change in twin.changes:
        if change.doubt == PARTNER_CHANGED:
            yield (
                f"“{change.old}” became “{change.new}”, so that the couple reads as before: here not only the "
                "candidate's gender differs. Look whether that is meant."
            )
            break
    for change in twin.left_alone:
        if change.doubt == PARTNER:
            yield (
                f"“{change.old}” stays, because the letter says more of this partner or somebody else: in the twin the "
                "couple reads otherwise than in the letter, and a score may differ for that."
            )
            break


def _findings(
    reading: Reading, twin_reading: Reading, sentences: Sequence[SentenceDifference], compared: int, unpaired: int
) -> tuple[str, ...]:
    if reading.stopped:
        return ("Nothing was scored, so that there is nothing to compare.",)
    remarks = [
        _about(
            use,
            [
                difference
                for difference in sentences
                if difference.name == (SUPPORT if use.role == "entailment" else use.role)
            ],
        )
        for use in reading.scorers
    ]
    findings = [remark for remark in remarks if remark]
    for by_model, what in ((False, "word lists"), (True, "model that reads passages")):
        mine, theirs = (
            Counter(mark.category for mark in each_reading.marks if mark.passage == by_model)
            for each_reading in (reading, twin_reading)
        )
        if mine != theirs:
            words = ", ".join(sorted(str(category) for category in (mine - theirs) + (theirs - mine)))
            mark = "marks" if by_model else "mark"
            findings.append(f"The {what} {mark} the twin differently ({words}). This is a finding about the {what}.")
    if not findings:
        findings.append(f"No score of the {compared} sentences compared changes with the name and the gender.")
    if unpaired:
        findings.append(f"{unpaired} sentences end elsewhere in the twin and were not compared.")
    return tuple(findings)


def _about(use: ScorerUse, changed: Sequence[SentenceDifference]) -> str:
    """Describe the differences of a scorer, with their size; "" where there are none."""
    if not changed:
        return ""
    most = max(abs(difference.difference) for difference in changed)
    turned = sum(difference.turned for difference in changed)
    role = "support by the context" if use.role == "entailment" else use.role
    sides = f"{turned} of them are judged otherwise" if turned else "none of them is judged otherwise"
    size = f"up to {most:.2f}" if most >= 0.01 else "less than 0.01"
    how_many = "1 sentence another value" if len(changed) == 1 else f"{len(changed)} sentences another value"
    return (
        f"The scorer of {role} ({use.name}) gives {how_many} although only names and gender changed, by {size}; "
        f"{sides}. This is a finding about the scorer, not about the letter."
    )


# ---- The twin's text alone


@dataclass(frozen=True)
class LetterTwin:
    """The twin of a letter whose scores nobody reads. `remarks`: what to check of the whole twin, in sentences."""

    twin: Twin
    person: Person
    remarks: tuple[str, ...]


def twin_text(document: Document, given: tuple[str, Pronoun], other: Person) -> LetterTwin:
    """Make the twin of a letter for `other`. `given`: the candidate's name and pronoun, "" where they are guessed.

    Raises `UsageError` for a pronoun that no twin can be made with.
    """
    parts = parts_of(document)
    guessed = guess(document.text, parts) if not given[0] else guess_called(document.text, given[0], parts)
    person = replace(guessed.person, pronoun=given[1] or guessed.person.pronoun)
    about = twin_person(person, other)
    twin = swap(document.text, person, about, parts=parts, others=guessed.beside)
    doubt = doubt_of(replace(guessed, person=person, mixed=guessed.mixed and not given[1]))
    remarks = [doubt] if doubt else []
    if guessed.beside and not given[0]:
        remarks.append(f"The letter recommends several: this is the twin of {person.full_name}.")
    return LetterTwin(twin, person, (*remarks, *_remarks(person, about, twin, document.text, guessed.beside)))


# ---- One letter under a name of each group


def read_under_names(
    document: Document, request: ReadingRequest, groups: Sequence[NameGroup] | None = None
) -> NameTwins:
    """The letter read once, and its twin under a name of every group: of these, else of the program's."""
    reading = read_letter(document, request)
    twins = tuple(
        NameTwin(group.key, group.label, twin_of(reading, named_in(group, reading.person), request))
        for group in groups or name_groups()
    )
    figures = tuple(_figures(twins))
    return NameTwins(twins, figures, tuple(_name_twins_findings(reading, twins, figures)))


def _figures(twins: Sequence[NameTwin]) -> Iterator[NameFigure]:
    """The figures that differ between any two of the names."""
    for place, own in enumerate(twins[0].twin.figures):
        values = tuple(name_twin.twin.figures[place].twin for name_twin in twins)
        known = [value for value in values if value is not None]
        if known and (len(known) < len(values) or max(known) - min(known) > SAME):
            yield NameFigure(own.name, own.title, own.unit, own.value, values)


def _name_twins_findings(reading: Reading, twins: Sequence[NameTwin], figures: Sequence[NameFigure]) -> Iterator[str]:
    if reading.stopped:
        yield "Nothing was scored, so that there is nothing to compare."
        return
    if not reading.person.full_name:
        yield "No name was found in this letter, so that none changes. Set the candidate's name."
        return
    spreads = list(_spreads(twins))
    for scorer, role in dict.fromkeys((spread.scorer, spread.role) for spread in spreads):
        own = [spread for spread in spreads if (spread.scorer, spread.role) == (scorer, role)]
        most = max(own, key=lambda spread: spread.size)
        count = "1 sentence another value" if len(own) == 1 else f"{len(own)} sentences another value"
        yield (
            f"The scorer of {role} ({scorer}) gives {count} under one of these names than under another, by up to "
            f"{most.size:.2f} (sentence {most.sentence + 1}, {most.low} lowest, {most.high} highest). "
            "This is a finding about the scorer and these names, not about the letter."
        )
    if not spreads and not figures:
        yield "No score of a sentence and no figure of the letter differs between these names."
    yield "One name stands for no group, and says nothing about who bears it."


@dataclass(frozen=True)
class _Spread:
    """The range of one sentence's score between the names, and the names under which it is lowest and highest."""

    sentence: int
    scorer: str
    role: str
    size: float
    low: str
    high: str


def _spreads(twins: Sequence[NameTwin]) -> Iterator[_Spread]:
    """Yield the spreads of scores that any name changes: an unchanged score has no difference listed."""
    differences = [
        {(difference.sentence, difference.name): difference for difference in twin.twin.sentences} for twin in twins
    ]
    for sentence, name in sorted({key for own in differences for key in own}):
        known = next(own[sentence, name] for own in differences if (sentence, name) in own)
        values = [own[sentence, name].twin if (sentence, name) in own else known.value for own in differences]
        low, high = values.index(min(values)), values.index(max(values))
        if values[high] - values[low] > SAME:
            role = "support by the context" if name == SUPPORT else name
            size = values[high] - values[low]
            yield _Spread(sentence, known.scorer, role, size, twins[low].label, twins[high].label)
