"""A reading, a twin and a pile of letters: as JSON (a contract, see docs/reference/json.md), and in words for people.

Imported by the commands when they print: other commands start sooner without what it needs.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from biasprint.core.cli.console import print_table, say
from biasprint.core.draw import digits
from biasprint.core.findings import ScorerUse
from biasprint.core.letters import (
    MAY_BE,
    ComparedFigure,
    LetterFigure,
    Mark,
    ModelReading,
    NameTwins,
    OccupationGuess,
    Reading,
    Support,
    TwinDifference,
    beside_category,
    changed,
    grouped,
    mark_categories,
    passages_by_category,
    verdict_of,
)
from biasprint.core.letters.kinds import KINDS, said_of_kind
from biasprint.core.letters.pile import Pile, PileColumn, PileRow, look_written
from biasprint.core.letters.pile.compare import LIMITS_OF_PILES, GroupTest, enough, few_said, headline
from biasprint.core.letters.pile.outcomes import (
    LIMITS_OF_RATES,
    SelectionRates,
    rate_written,
    rates_said,
    ratio_written,
    without_said,
)
from biasprint.core.swap import Person

# ---- A reading, a twin and a pile as JSON. The keys are a contract; see docs/reference/json.md

VERSION = 1
# How many are missed: docs/explanation/letter-marks.md.
LIMITS = (
    "One letter cannot show bias; it can show language worth a second look. About four in ten such passages are missed."
)


def letter_json(
    reading: Reading, occupation: str, guess: OccupationGuess, twin: TwinDifference | NameTwins | None
) -> dict[str, Any]:
    """One letter. `occupation`: what it was compared under, given or guessed."""
    document, verdict = reading.document, verdict_of(reading)
    return {
        "file": document.name,
        "kind": document.kind,
        "pages": document.pages,
        "notes": list(document.notes),
        "text": document.text,
        "person": asdict(reading.person),
        "beside": [asdict(person) for person in reading.beside],
        "read_as": {**asdict(reading.read_as), "title": KINDS[reading.read_as.kind].title},
        "occupation": occupation,
        "occupation_guess": asdict(guess),
        "stopped": reading.stopped,
        "verdict": list(verdict.sentences) if verdict is not None else [],
        "suspicions": [asdict(suspicion) for suspicion in reading.suspicions],
        "parts": [asdict(part) for part in reading.parts],
        "sentences": [asdict(sentence) for sentence in reading.sentences],
        "marks": [asdict(mark) for mark in reading.marks],
        "uncounted": list(_uncounted()),
        "doubted": [asdict(mark) for mark in reading.doubted],
        "said_of_marks": "" if reading.stopped else reading.said_of_marks,
        "scores": [asdict(score) for score in reading.scores],
        "context": reading.context_name or None,
        "support": [asdict(support) for support in reading.support],
        "figures": [_figure_json(figure) for figure in reading.figures],
        "naming": asdict(reading.naming),
        "balance": None if reading.balance is None else {**asdict(reading.balance), "leans": reading.balance.leans},
        "compared": [{**asdict(figure), "outside": figure.outside} for figure in reading.compared],
        "reference": reading.reference,
        "twin": twin_json(twin) if isinstance(twin, TwinDifference) else None,
        "name_twins": _names_json(twin) if isinstance(twin, NameTwins) else None,
        "scorers": [asdict(scorer) for scorer in reading.scorers],
        "versions": dict(reading.versions),
    }


def _uncounted() -> Iterator[str]:
    return (category.key for category in mark_categories() if category.precision.uncounted)


def model_reading_json(asked: ModelReading) -> dict[str, Any]:
    return {**asdict(asked), "marks": [asdict(mark) for mark in asked.marks], "summary": asked.summary}


def twin_json(twin: TwinDifference) -> dict[str, Any]:
    swapped = twin.twin
    return {
        "person": asdict(twin.other),
        "text": twin.twin_reading.document.text,
        "changes": [asdict(change) for change in swapped.changes] if swapped else [],
        "left_alone": [asdict(change) for change in swapped.left_alone] if swapped else [],
        "figures": [{**asdict(figure), "difference": figure.difference} for figure in twin.figures],
        "sentences": [{**asdict(sentence), "difference": sentence.difference} for sentence in twin.sentences],
        "unpaired": twin.unpaired,
        "question": twin.question,
        "asked": [{**asdict(asked), "words": list(asked.words), "why": asked.why} for asked in twin.asked],
        "findings": list(twin.findings),
    }


def _names_json(names: NameTwins) -> dict[str, Any]:
    return {
        "twins": [{"group": twin.group, "label": twin.label, **twin_json(twin.twin)} for twin in names.twins],
        "figures": [asdict(figure) for figure in names.figures],
        "findings": list(names.findings),
    }


def pile_json(pile: Pile, tests: Sequence[GroupTest], rates: SelectionRates | None) -> dict[str, Any]:
    return {
        "version": VERSION,
        "pile": pile.name,
        "columns": [asdict(column) for column in pile.columns],
        "rows": [_row_json(row) for row in pile.rows],
        "uncounted": list(_uncounted()),
        "passed_over": pile.passed_over,
        "remarks": list(pile.remarks),
        "headline": headline(tests, {}),
        "groups": [asdict(test) for test in tests],
        "selection": None if rates is None else _rates_json(rates),
        "scorers": [asdict(scorer) for scorer in pile.scorers],
        "versions": dict(pile.versions),
        "limits": LIMITS_OF_PILES,
    }


def _rates_json(rates: SelectionRates) -> dict[str, Any]:
    return {
        "rates": [{**asdict(rate), "rate": rate.rate} for rate in rates.rates],
        "without": dict(rates.without),
        "said": rates_said(rates, {}),
        "limits": LIMITS_OF_RATES,
    }


def _row_json(row: PileRow) -> dict[str, Any]:
    return {
        "name": row.name, "path": row.path_in_pile, "person": asdict(row.person), "occupation": row.occupation,
        "group": row.group, "figures": dict(row.figures), "marks": dict(row.marks), "claims": dict(row.claims),
        "balance": row.balance,
        "to_look_at": sum(row.to_look_at.values()), "reason": row.reason, "hint": row.hint,
        "notes": list(row.notes), "same_as": row.same_as, "outcome": row.outcome,
        "cv": row.cv.name if row.cv is not None else None,
    }  # fmt: skip


def _figure_json(figure: LetterFigure) -> dict[str, Any]:
    return {
        "name": figure.name, "title": figure.title, "value": figure.value, "unit": figure.unit, "n": figure.n,
        "low": figure.low, "high": figure.high, "reason": figure.reason,
        "scorer": figure.scorer.name if figure.scorer else None,
    }  # fmt: skip


# ---- A reading, a twin and a pile in calm words for people. What comes from a file is shown as text, whatever it
# holds

LONGEST = 160  # characters of a sentence that is quoted
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_COUNTED = ("unsupported", "contradicted", "grounded")


def tell_letter(
    reading: Reading, occupation: str, guess: OccupationGuess, twin: TwinDifference | NameTwins | None
) -> None:
    """Print everything about one letter."""
    kind = KINDS[reading.read_as.kind]
    say(f"{plain(reading.document.name)}: {_about(reading.person) if kind.of_person else f'{kind.noun}.'}")
    if said := said_of_kind(reading.read_as):
        say(f"{plain(said)} Say another with --kind.")
    if kind.of_person:
        say(_occupation(occupation, guess))
    for remark in (*reading.document.notes, *(suspicion.said for suspicion in reading.suspicions)):
        say(plain(remark))
    for other in reading.beside:
        say(plain(f"To read it for {other.full_name}: --name “{other.full_name}”"))
    if (verdict := verdict_of(reading)) is not None:
        say("")
        for sentence in verdict.sentences:
            say(plain(sentence))
    if not reading.stopped:
        _tell_marks(reading)
        _tell_balance(reading)
        _tell_about_person(reading)
    if isinstance(twin, NameTwins):
        _tell_names(twin)
    elif twin is not None:
        _tell_twin(twin)
    if kind.of_person:
        if not reading.stopped:
            say(_scorers(reading.scorers))
        say(LIMITS)


def tell_pile(pile: Pile, tests: Sequence[GroupTest], rates: SelectionRates | None) -> None:
    """Print the table, then the groups, then who was chosen."""
    shown = _shown(pile)
    print_table(
        ("file", "about", "occupation", "group", "to look at", *(column.title.lower() for column in shown), "remark"),
        [_row_words(row, shown) for row in pile.rows],
        right=["to look at", *(column.title.lower() for column in shown)],
    )
    read = sum(row.read for row in pile.rows)
    say("")
    say(f"{len(pile.rows)} files, {read} of them read. About, occupation and group are guesses.")
    if pile.passed_over:
        say(f"{pile.passed_over} files that systems leave behind were passed over.")
    say("")
    say(plain(headline(tests, {})))
    for pair, own in groupby(enough(tests), key=lambda test: test.groups):
        _tell_groups(pair, list(own))
    if left := few_said(tests, {}):
        say("")
        say(plain(left))
    if rates is not None:
        _tell_rates(rates)
    for remark in pile.remarks:
        say(plain(remark))
    say(_scorers(pile.scorers))
    say(LIMITS_OF_PILES)
    say(LIMITS)


def plain(text: str) -> str:
    """Return one line without what a terminal would obey: controls and marks of direction become a sign."""
    return _UNSEEN.sub("\ufffd", " ".join(text.split()))


def _about(person: Person) -> str:
    named = plain(person.full_name) or "nobody that it names"
    return f"about {named}{f' ({person.pronoun})' if person.pronoun else ''}, as far as it tells."


def _occupation(occupation: str, guess: OccupationGuess) -> str:
    if not occupation:
        return f"Occupation: not known. {plain(guess.reason)} Say it with --occupation."
    if occupation != guess.occupation or not guess.reason:
        return f"Occupation: {plain(occupation)}."
    return f"Occupation: {occupation}, a guess. {plain(guess.reason)} Say another with --occupation."


def _tell_about_person(reading: Reading) -> None:
    """Print what is found of somebody: support, figures, naming; nothing for what is about nobody."""
    if KINDS[reading.read_as.kind].of_person:
        _tell_support(reading)
        _tell_figures(reading)
        say(_naming(reading))
        say(plain(reading.reference))


def _tell_balance(reading: Reading) -> None:
    if reading.balance is not None:
        say("")
        say(reading.balance.line)


def _tell_marks(reading: Reading) -> None:
    say("")
    say("Language worth a second look")
    for group in grouped(reading.marks, reading.read_as.kind):
        count = f" ({len(group.marks)})" if group.counted else f", {MAY_BE}"
        say(f"  {group.title}{count}: {', '.join(map(_mark, group.marks))}")
        if group.sure:
            say(f"    {group.sure}")
        for reason, source in group.reasons:
            say(f"    {reason} Source: {source}")
    if not reading.marks:
        say("  None of the words that are looked for is in it.")
    if reading.said_of_marks and not reading.stopped:
        say(f"  {plain(reading.said_of_marks)}")


def _mark(mark: Mark) -> str:
    remark = plain(beside_category(mark))
    return f"“{plain(mark.words)}” (sentence {mark.sentence + 1}{f', {remark}' if remark else ''})"


def tell_model_reading(asked: ModelReading) -> None:
    """Print what a language model names in the letter, after the program's own reading."""
    say("")
    say("A language model's reading")
    say(f"  {plain(asked.summary)}")
    for title, marks in passages_by_category(asked):
        words = "; ".join(
            f"“{plain(mark.words)}” (sentence {mark.sentence + 1}{f': {plain(mark.reason)}' if mark.reason else ''})"
            for mark in marks
        )
        say(f"  {title} ({len(marks)}): {words}")


def _tell_support(reading: Reading) -> None:
    say("")
    counts = {verdict: sum(statement.verdict == verdict for statement in reading.support) for verdict in _COUNTED}
    claims = sum(counts.values())
    if not reading.context_name:
        say("Support: no context was given, so that no claim could be checked.")
        return
    counted = f"{claims} claims: {counts['grounded']} supported, {counts['unsupported']} not, {counts['contradicted']}"
    say(f"Support by {plain(reading.context_name)}. {counted} contradicted.")
    for statement in reading.support:
        if statement.verdict in ("unsupported", "contradicted"):
            for line in _claim(reading, statement):
                say(line)


def _claim(reading: Reading, support: Support) -> Iterator[str]:
    sentence = reading.sentence(support.sentence)
    yield f"  {support.verdict.capitalize()} (sentence {sentence.index + 1}): “{_short(sentence.text)}”"
    if support.fact:
        yield f"    {plain(support.fact)}"
    if support.passage:
        yield f"    Nearest passage: “{_short(support.passage)}”"


def _tell_figures(reading: Reading) -> None:
    by_name = {compared.name: compared for compared in reading.compared}
    say("")
    print_table(
        ("the letter as a whole", "value", "95 % interval", "reference, middle 80 %", ""),
        [
            _figure_words(figure, by_name.get(figure.name))
            for figure in reading.figures
            if figure.name not in _uncounted()  # too many of these marks are wrong for a share to mean anything
        ],
        right=("value", "95 % interval", "reference, middle 80 %"),
    )
    say("")


def _figure_words(figure: LetterFigure, compared: ComparedFigure | None) -> tuple[str, ...]:
    unit = figure.unit
    value, bounds = digits.written(figure.value, figure.low, figure.high, unit)
    middle = digits.written(compared.value, compared.middle_low, compared.middle_high, unit)[1] if compared else ""
    outside = {"high": "more than most", "low": "less than most", "": ""}[compared.stands_out if compared else ""]
    value = value if figure.value is not None else f"none: {figure.reason}"
    title = f"{figure.title}{f', {unit}' if not unit.startswith('share') else ''}"
    return title, value, _ends(bounds, unit), _ends(middle, unit), outside


def _ends(interval: str, unit: str) -> str:
    return interval and interval + digits.sign(unit)


def number(value: float | None, unit: str) -> str:
    """A share in per cent; "–" for none."""
    return "–" if value is None else digits.number(value, unit)


def _naming(reading: Reading) -> str:
    naming = reading.naming
    sentence = (
        f"Named {naming.titled} times with a title, {naming.last} by last name, {naming.full} in full, {naming.first} "
        "by first name."
    )
    return sentence + (" After the introduction the first name alone is used." if naming.first_only else "")


def _tell_twin(twin: TwinDifference) -> None:
    say("")
    say(f"The same letter {_about(twin.other).removesuffix(', as far as it tells.')}")
    if twin.twin is not None:
        say(f"  {len(twin.twin.changes)} places change.")
        for change in twin.twin.changes:
            if change.doubt:
                say(f"  To be looked at: “{plain(change.old)}” became “{plain(change.new)}”: it {plain(change.doubt)}.")
    for figure in changed(twin.figures):
        say(f"  {figure.title}: {number(figure.value, figure.unit)}, for the twin {number(figure.twin, figure.unit)}.")
    for finding in twin.findings:
        say(f"  {plain(finding)}")
    if twin.question:
        say(f"  {plain(twin.question)}")
    for asked in twin.asked:
        own, counterpart = twin.reading.sentence(asked.sentence), twin.twin_reading.sentence(asked.twin_sentence)
        say(f"  Sentence {own.index + 1}, {plain(asked.why)}: “{_short(own.text)}”")
        say(f"    Of the twin: “{_short(counterpart.text)}”")
    say("")


def _tell_names(names: NameTwins) -> None:
    say("")
    if names.figures:
        labels = [twin.label for twin in names.twins]
        rows = [
            (figure.title, number(figure.letter, figure.unit), *(number(value, figure.unit) for value in figure.values))
            for figure in names.figures
        ]
        print_table(("under another name", "letter", *labels), rows, right=("letter", *labels))
    for twin in names.twins:
        count = len(twin.twin.sentences)
        scores = "1 score of a sentence differs" if count == 1 else f"{count or 'no'} scores of sentences differ"
        say(f"  {plain(twin.label)}, as {plain(twin.twin.other.full_name)}: {scores} from the letter's.")
    for finding in names.findings:
        say(f"  {plain(finding)}")
    # Whatever the name, the same sentences are asked about.
    for asked in names.twins[0].twin.asked:
        own = names.twins[0].twin.reading.sentence(asked.sentence)
        say(f"  Sentence {own.index + 1}, {plain(asked.why)}: “{_short(own.text)}”")
    say("")


def _scorers(uses: Sequence[ScorerUse]) -> str:
    named = ", ".join(f"{use.name}{' (stand-in)' if use.stand_in else ''}" for use in uses)
    return f"Scorers: {named or 'none were needed'}."


def _short(text: str) -> str:
    line = plain(text)
    return line if len(line) <= LONGEST else f"{line[:LONGEST].rstrip()} …"


def _shown(pile: Pile) -> list[PileColumn]:
    """The columns that fit on a screen; the others are in the JSON."""
    wanted = ("words", "agency", "agentic", "communal", "standout", "unsupported")
    return [column for column in pile.columns if column.name in wanted]


def _row_words(row: PileRow, shown: Sequence[PileColumn]) -> tuple[str, ...]:
    figures = [look_written(row)]
    figures += [number(row.figures.get(column.name), column.unit) if row.read else "" for column in shown]
    same = f"The same text as {row.same_as}." if row.same_as else ""
    remark = " ".join(filter(None, (row.reason, same, *row.notes)))
    about = (plain(row.path_in_pile), plain(row.person.full_name), plain(row.occupation), row.group)
    return (*about, *figures, plain(remark))


def _tell_groups(pair: tuple[str, str], tests: Sequence[GroupTest]) -> None:
    say("")
    say(f"{pair[0]} against {pair[1]}")
    for test in tests:
        first, second = (number(mean, test.unit) for mean in test.means)
        p = "" if test.p_adjusted is None else f", {digits.p_value(test.p_adjusted)} after Holm"
        say(f"  {test.title}: {first} and {second}{p}. {test.said}")


def _tell_rates(rates: SelectionRates) -> None:
    say("")
    print_table(
        ("who was chosen", "chosen", "of", "rate", "95 % interval, %", "ratio to the highest", "95 % interval "),
        [
            (plain(rate.group), f"{rate.chosen:,}", f"{rate.n:,}", *rate_written(rate), *ratio_written(rate))
            for rate in rates.rates
        ],
        right=("chosen", "of", "rate", "95 % interval, %", "ratio to the highest", "95 % interval "),
    )
    say("")
    for line in (rates_said(rates, {}), without_said(rates), LIMITS_OF_RATES):
        if line:
            say(plain(line))
