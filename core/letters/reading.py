"""Reading of one letter, by sentence and as a whole, beside its context and others. Runs in the compute process.

Everything that is heavy about a letter happens here.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate

import numpy as np

from biasprint.core.cache import BatchCache
from biasprint.core.findings import ScorerUse
from biasprint.core.letters.balance import balance_of, version_of_balance
from biasprint.core.letters.categories import categories, version_of_marks
from biasprint.core.letters.grammar import version_of_grammar, why_without
from biasprint.core.letters.kinds import KINDS, kind_of
from biasprint.core.letters.marks import criticism_of, known_of, marks_of, marks_of_advert
from biasprint.core.letters.occupations import occupation_key
from biasprint.core.letters.parts import (
    RULES,
    letter_sentences,
    looks_like_letter,
    other_language,
    parts_of,
    suspicions,
)
from biasprint.core.letters.passages import (
    passages_of,
    version_of_checked_words,
    version_of_larger_reader,
    version_of_passages,
    without_doubted,
)
from biasprint.core.letters.references import FEWEST, ReferenceSet, said_of_occupations
from biasprint.core.letters.request import HouseList, ReadingRequest
from biasprint.core.letters.support import language_of, names_of, support_of, with_one_name
from biasprint.core.letters.values import (
    CATEGORIES,
    CHECKED_WORDS,
    LARGER_READER,
    SCORE_NAMES,
    ComparedFigure,
    Document,
    LetterFigure,
    Mark,
    Naming,
    Part,
    ReadAs,
    Reading,
    ScoreName,
    Sentence,
    SentenceScore,
    Suspicion,
)
from biasprint.core.metrics.proportions import wilson
from biasprint.core.prompts.resource_files import from_resources, strict_data
from biasprint.core.scorers import passages
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import score_batch
from biasprint.core.scorers.segment import SEGMENTER
from biasprint.core.swap import Person
from biasprint.core.swap.candidate import PartsAbout
from biasprint.core.swap.guess import doubt_of, guess, guess_called, turns_between
from biasprint.core.swap.told import several_said


def sentences_of(text: str, parts: Sequence[Part]) -> tuple[Sentence, ...]:
    """Return every sentence in order. Heavy: the first call loads the segmenter.

    What is longer than any sentence is cut at blanks: rules look at all of a sentence for each word that they find.
    """
    sentences_found: list[Sentence] = []
    for part in parts:
        for start, end in letter_sentences(text[part.start : part.end]):
            if _LIST_NUMBER.fullmatch(text, part.start + start, part.start + end):
                continue
            for first, last in _cut_up(text, part.start + start, part.start + end):
                sentences_found.append(Sentence(len(sentences_found), first, last, text[first:last], part.kind))
    return tuple(sentences_found)


# “2.” and “(b)” before a statement are no sentence.
_LIST_NUMBER = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,5})[.)\]]{1,2}|[-*•–·▪]{1,3}")
LONGEST_SENTENCE = 2_000
# Of a letter's body that much is read, some sixty pages; every word list and model takes its time for each sentence.
MOST_SENTENCES, MOST_CHARACTERS = 2_000, 200_000


def _cut_up(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Pieces of at most `LONGEST_SENTENCE` characters, cut behind the last blank of each where it has one."""
    while end - start > LONGEST_SENTENCE:
        blank = text.rfind(" ", start + 1, start + LONGEST_SENTENCE)
        cut = blank if blank > 0 else start + LONGEST_SENTENCE
        yield start, cut
        start = cut + (blank > 0)
    if start < end:
        yield start, end


def first_of(body: Sequence[Sentence]) -> tuple[tuple[Sentence, ...], tuple[Suspicion, ...]]:
    """Return the sentences that are read, and a remark where they are not all."""
    lengths = accumulate(len(sentence.text) for sentence in body)
    fitting = sum(length <= MOST_CHARACTERS for length in lengths)
    read = tuple(body[: min(fitting, MOST_SENTENCES)])
    if len(read) == len(body):
        return read, ()
    remark = (
        f"This is far longer than a letter: only its first {len(read):,} sentences of {len(body):,} were read, and "
        "every mark and figure is of those."
    )
    return read, (Suspicion("too long", remark),)


# ---- Formality, positivity and agency of each sentence
# What was scored is kept: while somebody edits, little changes.

LABELS: Mapping[ScoreName, tuple[str, str]] = {
    "formality": ("formal", "informal"),
    "positivity": ("positive", "not positive"),
    "agency": ("agentic", "not agentic"),
}
_styles: BatchCache[tuple[str, str, str], float | None] = BatchCache(20_000)  # by scorer, version and sentence


ONE_NAME = "names as one, rules 1"  # how scorers read names: with another rule it is another version of each


def styles_of(
    body: Sequence[Sentence], scorers: Mapping[str, str], person: Person | None = None
) -> tuple[tuple[SentenceScore, ...], tuple[ScorerUse, ...]]:
    """The scores of every sentence of the body, and the scorers that gave them. `scorers`: role → name.

    `person`: whom the letter is about. Their names are read as one and the same, so that no name moves a score.
    """
    names = names_of(person or Person(), "")
    texts = [with_one_name(sentence.text, names) for sentence in body]
    scores: list[SentenceScore] = []
    uses: list[ScorerUse] = []
    for name in SCORE_NAMES:
        if name not in scorers:
            scores += [SentenceScore(each.index, name, None, "", f"no scorer for {name} is here") for each in body]
            continue
        values, use = _values(scorers[name], texts)
        uses.append(replace(use, version=f"{use.version}; {ONE_NAME}"))
        scores += [_score(sentence, name, values[text]) for sentence, text in zip(body, texts, strict=True)]
    return tuple(scores), tuple(uses)


def _values(scorer: str, texts: Sequence[str]) -> tuple[dict[str, float | None], ScorerUse]:
    info, _ = score_batch(scorer, [])
    version = str(info["version"])

    def score(new: Sequence[tuple[str, str, str]]) -> list[float | None]:
        _, given = score_batch(scorer, [text for *_, text in new])
        return [float(value.values.mean()) if value.values.size else None for value in given]

    values = _styles.get([(scorer, version, text) for text in texts], score)
    return dict(zip(texts, values, strict=True)), ScorerInfo(**info).use()


def _score(sentence: Sentence, name: ScoreName, value: float | None) -> SentenceScore:
    if value is None:
        return SentenceScore(sentence.index, name, None, "", "too little to score")
    return SentenceScore(sentence.index, name, value, LABELS[name][0 if value >= 0.5 else 1], "")


# ---- Figures about the letter as a whole: length, superlatives, how the candidate is named, shares of sentences

SHARE, RATE, COUNT = "share of sentences", "per 100 words", "words"
STYLES = {"formality": "Formal", "positivity": "Positive", "agency": "Agentic (scorer)"}
COUNTS_FROM = 0.5  # as in the letters study
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TITLES = r"(?:dr|prof|professor|mr|mrs|ms|miss|mx|sir|dame)\.?"


@strict_data
class _Superlatives:
    version: str
    words: tuple[str, ...]
    none: tuple[str, ...]


def figures_of(
    body: Sequence[Sentence],
    marks: Sequence[Mark],
    scores: Sequence[SentenceScore],
    uses: Sequence[ScorerUse],
) -> tuple[LetterFigure, ...]:
    """The figures of the sentences of the body; every share is over all of them that could be scored.

    Of marks those of words count, not whole passages: a reference set's figures are of words. They are of all that the
    lists find, so that `marks` are to hold the words that a model doubts as well.
    """
    text = "\n".join(sentence.text for sentence in body)
    words = len(_WORD.findall(text))
    count = superlatives(text)
    reason = "" if words else "the letter has no body"
    figures = [
        LetterFigure("words", "Length", float(words), COUNT, words),
        LetterFigure(
            "superlatives", "Superlatives", 100 * count / words if words else None, RATE, words, reason=reason
        ),
    ]
    by_role = {use.role: use for use in uses}
    for name, title in STYLES.items():
        own = [score for score in scores if score.name == name and score.value is not None]
        number = sum(score.value is not None and score.value >= COUNTS_FROM for score in own)
        figures.append(_share(name, title, number, len(own), by_role.get(name), "no sentence could be scored"))
    for category in (categories()[key] for key in CATEGORIES):
        number = len({mark.sentence for mark in marks if mark.category == category.key and not mark.passage})
        figures.append(_share(category.key, category.title, number, len(body), None, "the letter has no body"))
    return tuple(figures)


def superlatives(text: str) -> int:
    """Count the superlatives of a text: “most able”, “brightest”, “best”."""
    known = _superlatives()
    lower = [word.lower() for word in _WORD.findall(text)]
    count = 0
    for place, word in enumerate(lower):
        after = lower[place + 1] if place + 1 < len(lower) else ""
        ending = word.endswith("est") and len(word) > 4 and word not in known.none
        graded = word in ("most", "least") and after not in ("", "of", "people", "part", "likely", "days", "times")
        count += word in known.words or ending or (graded and (place == 0 or lower[place - 1] != "at"))
    return count


def naming_of(text: str, person: Person) -> Naming:
    """Count how often the candidate is named in each way. Every place counts once, under the fullest way."""
    first, last = re.escape(person.first_name), re.escape(person.last_name)
    ways: list[str] = []
    if last:
        ways.append(
            rf"(?P<titled>\b{_TITLES}\s+(?:{first}\s+)?{last}\b)" if first else rf"(?P<titled>\b{_TITLES}\s+{last}\b)"
        )
    if first and last:
        ways.append(rf"(?P<full>\b{first}\s+(?:\w\.?\s+)?{last}\b)")
    ways += [rf"(?P<last>\b{last}\b)"] if last else []
    ways += [rf"(?P<first>\b{first}\b)"] if first else []
    counts = {"titled": 0, "last": 0, "full": 0, "first": 0}
    for match in re.finditer("|".join(ways), text, re.IGNORECASE) if ways else ():
        way = match.lastgroup
        name = match.group().split()[-1]
        if way and name[:1].isupper():  # “will” and “grace” are also words
            counts[way] += 1
    return Naming(**counts)


def _share(name: str, title: str, count: int, n: int, scorer: ScorerUse | None, reason: str) -> LetterFigure:
    bounds = wilson(count, n)
    if bounds is None:
        return LetterFigure(name, title, None, SHARE, 0, reason=reason, scorer=scorer)
    return LetterFigure(name, title, count / n, SHARE, n, bounds.low, bounds.high, scorer=scorer)


@cache
def _superlatives() -> _Superlatives:
    return from_resources(_Superlatives, "letters", "superlatives.toml")


# ---- Holding the figures of one letter against those of reference letters

MIDDLE = (0.1, 0.9)


def compared_with(
    figures: Sequence[LetterFigure],
    reference: ReferenceSet | None,
    occupation: str,
    marks: str = "",
    house: Collection[str] = (),
) -> tuple[tuple[ComparedFigure, ...], str]:
    """Compare each figure with the reference letters for the occupation; add a sentence on what they are, or why not.

    `marks`: the version of the word lists that the figures were made with. Figures that other versions made are left
    out, and the sentence names them. `house`: the categories whose marks a house list changed, left out too.
    """
    if reference is None:
        return (), "No reference letters are chosen."
    wanted = occupation_key(occupation)
    if not wanted:
        return (), "The occupation is not known: choose one to compare with letters for it."
    nearest = reference.nearest(occupation)
    letters = reference.narrowed(occupation).letters
    if not letters:
        return (), (
            f"There is no reference for this occupation: “{reference.title}” has no letters for “{wanted}”, but for "
            f"{said_of_occupations(reference)}."
        )
    if len(letters) < FEWEST:
        return (), (
            f"“{reference.title}” has {len(letters)} letters for “{nearest}”: too few to compare with "
            f"({FEWEST} are needed)."
        )
    defined = [figure for figure in figures if figure.value is not None]
    alike = [figure for figure in defined if _same_makers(figure, reference, marks)]
    compared = [
        _compared(
            figure,
            [letter.figures[figure.name] for letter in letters if figure.name in letter.figures],
            reference.stand_in,
        )
        for figure in alike
        if figure.name not in house
    ]
    left = [figure.title.lower() for figure in defined if figure not in alike]
    own = [figure.title.lower() for figure in alike if figure.name in house]
    compared_with_occupation = nearest if nearest == wanted else f"{nearest}, as there are none for {wanted}"
    remark = f"Compared with {len(letters)} letters for {compared_with_occupation}: {reference.made_from}"
    if left:
        remark += f" Left out, because another version made the reference's figures: {', '.join(left)}."
    if own:
        remark += f" Left out, because the house list changes their marks here: {', '.join(own)}."
    return tuple(figure_compared for figure_compared in compared if figure_compared is not None), remark


def _compared(figure: LetterFigure, values: Sequence[float], machine_made: bool) -> ComparedFigure | None:
    n = len(values)
    if n < FEWEST or figure.value is None:
        return None
    low, high = (float(bound) for bound in np.quantile(values, MIDDLE))
    smaller = sum(value < figure.value for value in values) + 0.5 * sum(value == figure.value for value in values)
    bounds = wilson(smaller, n)
    assert bounds is not None
    return ComparedFigure(figure.name, figure.value, n, low, high, smaller / n, bounds.low, bounds.high, machine_made)


def _same_makers(figure: LetterFigure, reference: ReferenceSet, marks: str) -> bool:
    """Figures of one scorer or word list say nothing about those of another, or of another version."""
    if figure.name in CATEGORIES:
        return marks == reference.marks
    use = figure.scorer
    return use is None or reference.scorers.get(use.role) == f"{use.name} {use.version}"


def read_letter(document: Document, request: ReadingRequest, *, words_only: bool = False) -> Reading:
    """The reading of a letter. `words_only`: all words of the lists are marked, and no passage, whoever scores it."""
    scorers, context, house = request.scorers, request.context, request.house
    read_as = ReadAs(request.kind, guessed=False) if request.kind else kind_of(document, parts_of(document))
    if not KINDS[read_as.kind].of_person:
        return _read_advert(document, request, read_as)
    own_parts = request.parts if request.parts is not None else parts_of(document)
    wrong, about = suspicions(document, own_parts), request.person
    beside: tuple[Person, ...] = ()
    if about is None:
        guessed = guess(document.text, own_parts)
        about, beside, doubt = guessed.person, guessed.beside, doubt_of(guessed)
        wrong += (Suspicion("candidate", doubt),) if doubt else ()
    elif about.full_name:
        beside = guess_called(document.text, about.full_name, own_parts).beside
    wrong += _several_recommended(about, beside, document.text)
    every = sentences_of(document.text, own_parts)
    body, long = first_of([sentence for sentence in every if sentence.part == "body"])
    wrong += long
    turns = turns_between(document.text, own_parts, (about, *beside)) if beside else None
    body = tuple(sentence for sentence in body if turns is None or _is_about_first(turns, sentence.start, sentence.end))
    stopped = any(suspicion.stops for suspicion in wrong)
    scored = () if stopped else body
    words = () if stopped else of_first(turns, marks_of(body, about))
    no_grammar = "" if stopped or words_only else why_without()
    by_grammar = not (stopped or words_only or no_grammar)
    found_marks = of_first(turns, marks_of(body, about, by_grammar=True)) if by_grammar else words
    by_model = "agency" in scorers and not words_only
    by_both, no_larger = passages.readiness() if by_model and not stopped and request.larger else (False, "")
    if by_model and not stopped:
        meant = without_doubted(body, found_marks, about, by_grammar=by_grammar)
        found_marks = tuple(
            sorted(
                (*meant, *of_first(turns, passages_of(body, meant, about, by_grammar=by_grammar, by_both=by_both))),
                key=lambda mark: (mark.start, -mark.end),
            )
        )
    applied = house.applied if house is not None and not stopped else _as_found
    words = known_of(read_as.kind, words)
    criticism = of_first(turns, criticism_of(read_as.kind, scored, about))
    found_marks = tuple(sorted((*known_of(read_as.kind, found_marks), *criticism), key=lambda mark: mark.start))
    counted, marks = (
        applied(body, words),
        applied(body, found_marks),
    )  # a reference set's figures are of all listed words
    shown = set(marks)
    scores, uses = styles_of(scored, scorers, about)
    support, checked = support_of(scored, context.text if context else "", scorers.get("entailment", ""), about)
    foreign = language_of(context.text) if context and not stopped else ""
    if foreign:
        remark = f"The CV seems to be {foreign}. Only English can be compared, so no claim was checked against it."
        wrong += (Suspicion("context language", remark),)
    if context and not stopped and looks_like_letter(context):
        remark = f"“{context.name}” looks like a letter, not a CV: see that it is the file you mean."
        wrong += (Suspicion("context letter", remark),)
    figures = figures_of(body, counted, scores, uses)
    compared, placed = compared_with(
        figures, request.reference, request.occupation or "", version_of_marks(), _changed(words, counted)
    )
    if not KINDS[read_as.kind].compared:
        compared, placed = (), f"Reference letters say nothing about {KINDS[read_as.kind].noun}."
    by_balance = "agency" in scorers and KINDS[read_as.kind].compared
    balance = balance_of(scored, counted, about) if by_balance else None
    return Reading(
        document=document,
        parts=own_parts,
        person=about,
        sentences=every,
        marks=marks,
        scores=scores,
        support=support,
        figures=figures,
        naming=naming_of("\n".join(sentence.text for sentence in body), about),
        compared=() if stopped else compared,
        reference=placed,
        suspicions=wrong,
        scorers=(*uses, *checked),
        versions=_versions(
            by_model=by_model, by_both=by_both, by_grammar=by_grammar, balanced=balance is not None, house=house
        ),
        context_name=context.name if context else "",
        balance=balance,
        doubted=tuple(mark for mark in counted if mark not in shown and not _is_in_a_doubt(mark, marks)),
        no_grammar=no_grammar,
        no_larger=no_larger,
        beside=beside,
        read_as=read_as,
    )


def _read_advert(document: Document, request: ReadingRequest, read_as: ReadAs) -> Reading:
    """Read a job advert: its coded words, and words that keep somebody away. It has no candidate and no scores."""
    text, house = document.text, request.house
    subject = text.find("\n\n") if text.startswith("Subject:") else 0
    whole = (Part("letterhead", 0, subject), Part("body", subject + 2, len(text))) if subject > 0 else ()
    own_parts = request.parts or whole or (Part("body", 0, len(text)),)
    every = sentences_of(text, own_parts)
    body, wrong = first_of([sentence for sentence in every if sentence.part == "body"])
    language = other_language(text)
    if language:
        said = f"This seems to be {language}. Only English can be read, so no word was marked."
        wrong = (Suspicion("language", said, stops=True), *wrong)
    found = () if language else marks_of_advert(body)
    marks = house.applied(body, found) if house is not None else found
    words = len(_WORD.findall("\n".join(sentence.text for sentence in body)))
    return Reading(
        document=document,
        parts=own_parts,
        person=Person(),
        sentences=every,
        marks=marks,
        scores=(),
        support=(),
        figures=(LetterFigure("words", "Length", float(words), COUNT, words),),
        naming=Naming(0, 0, 0, 0),
        compared=(),
        reference=f"Reference letters say nothing about {KINDS[read_as.kind].noun}.",
        suspicions=wrong,
        scorers=(),
        versions=_versions(by_model=False, by_both=False, by_grammar=False, balanced=False, house=house),
        read_as=read_as,
    )


def _several_recommended(about: Person, beside: Sequence[Person], text: str) -> tuple[Suspicion, ...]:
    """Say that the letter recommends several people, and whom it is read for, or that it names none of them."""
    if not beside:
        told = several_said(text, about, beside)
        return (Suspicion("candidates", told),) if told else ()
    everybody = " and ".join(person.full_name for person in (about, *beside))
    return (Suspicion("candidates", f"This letter recommends {everybody}. It is read for {about.full_name} alone."),)


def _is_about_first(turns: PartsAbout, start: int, end: int) -> bool:
    """Return whether any words from `start` to `end` are about the candidate whom the letter is read for."""
    inside = [about for place, about in zip(turns.places, turns.about, strict=True) if start < place < end]
    return any(0 in about or not about for about in (turns.at(start), *inside))


def of_first(turns: PartsAbout | None, marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Return the marks whose words are about the candidate whom the letter is read for: all, where there is one."""
    return tuple(mark for mark in marks if turns is None or _is_about_first(turns, mark.start, mark.start))


def read_words(document: Document, request: ReadingRequest) -> Reading:
    """Read a letter in the quick process, without any scorer or context, as the first result that is shown."""
    return read_letter(document, replace(request, scorers={}, context=None))


def _is_in_a_doubt(mark: Mark, marks: Sequence[Mark]) -> bool:
    """Return whether a mark says that these words are denied or weakened: then they are not left out."""
    return any((doubt.negated or doubt.hedged) and doubt.start < mark.end and mark.start < doubt.end for doubt in marks)


def _versions(
    *, by_model: bool, by_both: bool, by_grammar: bool, balanced: bool, house: HouseList | None
) -> dict[str, str]:
    """Return the versions of what found the marks and of what rests on them: part → version."""
    versions = {"marks": version_of_marks(), "segmenter": f"{SEGMENTER}; {RULES}"}
    if by_grammar:
        versions["grammar"] = version_of_grammar()
    if by_model:
        versions["passages"] = version_of_passages()
        versions[CHECKED_WORDS] = version_of_checked_words()
    if by_both:
        versions[LARGER_READER] = version_of_larger_reader()
    if balanced:
        versions["balance"] = version_of_balance()
    if house is not None and house.entries:
        versions["house list"] = house.version
    return versions


def _as_found(_sentences: Sequence[Sentence], marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """The marks without a house list."""
    return tuple(marks)


def _changed(before: Sequence[Mark], after: Sequence[Mark]) -> frozenset[str]:
    """The categories whose marks are others than they would be without the house list."""
    return frozenset(mark.category for mark in set(before) ^ set(after))
