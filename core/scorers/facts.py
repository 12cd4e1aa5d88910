"""Facts of a claim compared with those of a context: dates, numbers with their units, names, degrees, ranks, outcomes.

No vector is asked. A fact is compared with the lines of the context that the words around it are about, so that the
year of another post does not confirm it. Lists are data: resources/lexicons/facts.toml.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import log

from biasprint.core.given import packaged_toml
from biasprint.core.scorers.entailment import passages
from biasprint.core.scorers.entailment_minilm import (
    DATE,
    STILL,
    TOKEN,
    YEARS,
    Held,
    Quantity,
    Statement,
    hedged,
    held,
    numbers_in,
    same_stem,
    statement,
)
from biasprint.core.scorers.segment import function_words, lemma_of
from biasprint.core.text import for_matching

# ---- What is listed


@dataclass(frozen=True)
class _Lists:
    version: str
    date: re.Pattern[str]
    month: dict[str, int]
    starts: re.Pattern[str]
    ends: re.Pattern[str]
    ordinal: dict[str, int]
    currencies: dict[str, str]
    units: dict[str, str]
    outcomes: dict[str, tuple[int, int]]
    contrasts: dict[str, tuple[int, int]]
    before_the_same_word: frozenset[str]
    degrees: dict[str, re.Pattern[str]]
    ranks: frozenset[str]
    first_attempt: re.Pattern[str]
    later_attempt: re.Pattern[str]
    demonyms: dict[str, frozenset[str]]
    generic: frozenset[str]


@cache
def _lists() -> _Lists:
    data = packaged_toml("lexicons", "facts.toml")
    month = _places(data["months"])
    months = "|".join(sorted(month, key=len, reverse=True))
    day = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    return _Lists(
        version=data["version"],
        date=re.compile(
            rf"(?<![\w.,/])(?:(?:{day}\s+(?:of\s+)?)?(?P<month>{months})\.?,?\s+(?:(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?,\s+)?"
            rf"|(?:(?P<in_digits_day>\d{{1,2}})[./])?(?P<in_digits>\d{{1,2}})[./])?(?P<year>(?:19|20)\d\d)(?!\d|[.,]\d|['’]?s\b)",
            re.IGNORECASE,
        ),
        month={name: place + 1 for name, place in month.items()},
        starts=_just_before(data["starts"]),
        ends=_just_before(data["ends"]),
        ordinal=_places(data["ordinals"]),
        currencies=data["currencies"],
        units={word: unit for unit, words in data["units"].items() for word in words},
        outcomes=_kinds(data["families"]["outcomes"]),
        contrasts=_kinds(data["families"]["contrasts"]),
        before_the_same_word=frozenset(data["families"]["before_the_same_word"]),
        degrees={name: re.compile(pattern) for name, pattern in data["degrees"].items()},
        ranks=frozenset(data["ranks"]["words"]),
        first_attempt=re.compile(data["attempts"]["first"], re.IGNORECASE),
        later_attempt=re.compile(data["attempts"]["later"], re.IGNORECASE),
        generic=frozenset(data["generic"]),
        demonyms={word: frozenset(row.split("|")) for row in data["demonyms"]["rows"] for word in row.split("|")},
    )


def _places(rows: Sequence[str]) -> dict[str, int]:
    return {word: place for place, row in enumerate(rows) for word in row.split("|")}


def _kinds(families: Sequence[Sequence[str]]) -> dict[str, tuple[int, int]]:
    """Word → its family and its kind in it."""
    return {
        word: (family, kind)
        for family, kinds in enumerate(families)
        for kind, words in enumerate(kinds)
        for word in words.split("|")
    }


def _just_before(phrases: Iterable[str]) -> re.Pattern[str]:
    longest = sorted(phrases, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\s+(?:the\s+)?$", re.IGNORECASE)


def version() -> str:
    """Return a version that changes whenever another difference could be seen."""
    return f"facts {_lists().version}, rules 1"


# ---- Dates, counts and phrases of a text


@dataclass(frozen=True)
class _Date:
    """`role`: whether something begins (start) or ends (end) then, or happens (in)."""

    year: int
    month: int | None
    day: int | None
    role: str
    start: int
    words: str

    def agrees(self, other: "_Date") -> bool:
        """The same as far as both are given."""
        return self.year == other.year and all(
            mine is None or theirs is None or mine == theirs
            for mine, theirs in ((self.month, other.month), (self.day, other.day))
        )


_DASH = re.compile(r"\s*(?:[–—-]+|\bto\b|\btill\b|\buntil\b)\s*", re.IGNORECASE)
_ON = re.compile(
    r"\s*(?:[–—-]+\s*(?=$|[\s,;:.()])|(?:[–—-]+|\bto\b)\s*(?:present|today|date|now|current|ongoing)\b)", re.I
)
_SHORT_YEAR = re.compile(r"\s*[–—-]\s*(\d\d)(?!\d|-\d)")


def _dates(text: str) -> list[_Date]:
    lists = _lists()
    matches = list(lists.date.finditer(text))
    dates = []
    for place, match in enumerate(matches):
        before = text[max(0, match.start() - 40) : match.start()]
        previous = matches[place - 1] if place else None
        following = text[match.end() : matches[place + 1].start()] if place + 1 < len(matches) else ""
        if previous is not None and _DASH.fullmatch(text[previous.end() : match.start()]):
            role = "end"
        elif lists.starts.search(before) or _DASH.fullmatch(following) or _ON.match(text, match.end()):
            role = "start"
        else:
            role = "end" if lists.ends.search(before) else "in"
        short = _SHORT_YEAR.match(text, match.end())
        if short and int(short[1]) <= int(match["year"]) % 100:
            short = None
        month = lists.month[match["month"].lower()] if match["month"] else int(match["in_digits"] or 0) or None
        day = int(match["day"] or match["day_after"] or match["in_digits_day"] or 0) or None
        year = int(match["year"])
        given = match.group().strip()
        dates.append(_Date(year, month, day, "start" if short else role, match.start(), given))
        if short:
            century = year // 100 * 100
            dates.append(_Date(century + int(short[1]), None, None, "end", match.end(), short[1]))
    return dates


@dataclass(frozen=True)
class _Count:
    """A number that counts something. `units`: lemmas of what it counts, empty where the text does not say."""

    quantity: Quantity
    value: float
    units: frozenset[str]
    currency: str
    start: int
    words: str

    def holds(self, other: "_Count") -> bool:
        return self.quantity.low <= other.value <= self.quantity.high and not (
            self.currency and other.currency and self.currency != other.currency
        )


MOST_UNIT_WORDS = 4
COUNTED_OFF = 12  # so many things a context may list without a number
_LOOSELY = frozenset(("couple", "pair", "once", "twice", "thrice"))
_ENDS_UNIT = re.compile(r"[^\w%'’-]")
_NOT_PLURAL = ("ss", "us", "is")
_BLANK_IN_NUMBER = re.compile(r"(?<![\d.,])(\d{1,3})[ \u00a0\u202f](?=\d{3}(?!\d))")  # 12 000
_PARTS_OF_ONE = re.compile(
    r"\b(?:a |one )?half\b(?! (?:a|an|day|year|hour|term|dozen|past|of the (?:year|day))\b)", re.I
)


def _counts(text: str) -> list[_Count]:
    """The numbers of a text that are no years, no dates and no ordinals. “One” counts nothing."""
    plain = _BLANK_IN_NUMBER.sub(r"\1,", DATE.sub(_blank, _lists().date.sub(_blank, text)))
    matches = list(TOKEN.finditer(plain))
    tokens = [for_matching(match.group()) for match in matches]
    counts = []
    for value, start, end in numbers_in(tokens):
        if value == 1 or (value in YEARS and tokens[start][0].isdigit()) or tokens[start] in _LOOSELY:
            continue
        if tokens[start][0].isdigit() and tokens[end : end + 1] in (["st"], ["nd"], ["rd"], ["th"]):
            continue
        quantity = hedged(value, tokens, start, end)
        units, currency, last = _units(tokens, start, end)
        begins = matches[start].start() - (start > 0 and tokens[start - 1] in _lists().currencies)
        counts.append(
            _Count(quantity, value, units, currency, matches[start].start(), text[begins : matches[last].end()])
        )
        if end == start + 2 and tokens[end - 1] == "m" and not currency:  # 42 m are metres, or millions
            metres = float(tokens[start].replace(",", ""))
            counts.append(_Count(Quantity(metres, metres), metres, frozenset(), "", counts[-1].start, counts[-1].words))
    for match in _PARTS_OF_ONE.finditer(plain):
        before = [for_matching(token.group()) for token in TOKEN.finditer(plain[: match.start()])]
        half = hedged(50.0, [*before, "half"], len(before), len(before) + 1)
        counts.append(_Count(half, 50.0, frozenset({"percent"}), "", match.start(), match.group()))
    return counts


def _units(tokens: Sequence[str], start: int, end: int) -> tuple[frozenset[str], str, int]:
    """Return the unit, the currency of a sum, and the place of the last token that belongs to the number."""
    lists = _lists()
    if tokens[end - 1] in ("decade", "decades"):  # they belong to the number
        return frozenset({"time"}), "", end - 1
    before = tokens[start - 1] if start else ""
    currency = lists.currencies.get(before, "")
    unit, last = _unit_behind(tokens, end)
    units = {unit, tokens[last]} if unit else set()
    if unit in lists.currencies:
        currency = lists.currencies[unit]
    if unit == "" and tokens[end : end + 1] == ["of"]:
        return frozenset(), currency, end - 1  # “19 of them”
    if start > 1 and (before == "of" or (before == ":" and not unit)):
        units |= {lemma_of(tokens[start - 2]), tokens[start - 2]}
    if not units and tokens[start] in ("a", "one") and end == start + 2:
        units = {"percent"}  # “a third”
    if currency:
        units = {"money"}
    return frozenset(units | {lists.units[each] for each in units if each in lists.units}), currency, last


def _unit_behind(tokens: Sequence[str], end: int) -> tuple[str, int]:
    """The first noun behind a number that is a plural, else the first word, as a lemma; and its place."""
    if tokens[end : end + 2] == ["per", "cent"]:
        return "percent", end + 1
    behind: list[int] = []
    for place in range(end, min(end + MOST_UNIT_WORDS, len(tokens))):
        token = tokens[place]
        if token == "-" and not behind:
            continue
        if token == "%":
            return "percent", place
        if _ENDS_UNIT.search(token) or token in function_words() or token[0].isdigit() or token == "-":
            break
        behind.append(place)
    for place in behind:
        token = tokens[place]
        if token in _lists().units or (token.endswith("s") and not token.endswith(_NOT_PLURAL)):
            return lemma_of(token), place
    return (lemma_of(tokens[behind[0]]), behind[0]) if behind else ("", end - 1)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


@dataclass(frozen=True)
class _Phrase:
    """A word of a list, the lemmas behind it, and its place."""

    kind: int
    behind: frozenset[str]
    start: int
    words: str


_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


def _phrases(text: str, kinds: dict[str, int], reach: int = 3) -> list[_Phrase]:
    """Return the words of a list, each with the words that it describes: “second prize”, “deputy head”."""
    words = list(re.finditer(r"[^\W_]+", text))
    phrases = []
    for place, word in enumerate(words):
        form = for_matching(word.group())
        if form not in kinds:
            continue
        behind, end = [], word.end()
        for following in words[place + 1 : place + 1 + reach]:
            between = text[end : following.start()]
            if between.strip(" -–\n") or for_matching(following.group()) in function_words():
                break
            behind.append(lemma_of(for_matching(following.group())))
            end = following.end()
        phrases.append(_Phrase(kinds[form], frozenset(behind), word.start(), text[word.start() : end]))
    return phrases


# ---- A context, line by line


@dataclass(frozen=True)
class _Line:
    """A passage of a context. `entry`: lines of one post or degree have the same number."""

    text: str
    entry: int
    statement: Statement

    @cached_property
    def dates(self) -> list[_Date]:
        return _dates(self.text)

    @cached_property
    def counts(self) -> list[_Count]:
        return _counts(self.text)

    @cached_property
    def ranks(self) -> list[_Phrase]:
        return _phrases(self.text, _ranks())

    @cached_property
    def ordinals(self) -> list[_Phrase]:
        return _phrases(self.text, _lists().ordinal, 2)

    @cached_property
    def stems(self) -> dict[str, list[str]]:
        stems: dict[str, list[str]] = {}
        for form in self.statement.forms:
            stems.setdefault(form[:4], []).append(form)
        return stems

    def has(self, form: str) -> bool:
        return form in self.statement.forms or any(same_stem(form, other) for other in self.stems.get(form[:4], ()))


@dataclass(frozen=True)
class _Context:
    lines: tuple[_Line, ...]
    held: tuple[Held, ...]
    text: str

    @cached_property
    def latest(self) -> int:
        return max((date.year for line in self.lines for date in line.dates), default=0)

    @cached_property
    def capitals(self) -> frozenset[str]:
        return frozenset().union(*(line.statement.capitals | line.statement.forms for line in self.lines))

    @cached_property
    def initials(self) -> frozenset[str]:
        """“national health service” → “nhs”, of every run of words with capitals."""
        runs = re.findall(r"\b[A-Z][\w'’-]*(?:\s+(?:(?:of|and|the|for|&)\s+)?[A-Z][\w'’-]*)+", self.text)
        return frozenset("".join(word[0] for word in re.findall(r"\b[A-Z]\w*", run)).lower() for run in runs)

    def entries(self, lines: Iterable[_Line]) -> list[_Line]:
        wanted = {line.entry for line in lines}
        return [line for line in self.lines if line.entry in wanted]


@lru_cache(maxsize=256)
def _context(text: str) -> _Context:
    spans = passages(text)
    lines: list[_Line] = []
    entry, dated, end = 0, False, 0
    for start, until in spans:
        own = text[start:until].replace("\n", " ")
        has_date = _lists().date.search(own) is not None
        if re.search(r"\n\s*\n", text[end:start]) or (has_date and dated):
            entry, dated = entry + 1, False
        dated, end = dated or has_date, until
        lines.append(_Line(own, entry, statement(own)))
    return _Context(tuple(lines), tuple(held([line.text for line in lines])), text)


@cache
def _ranks() -> dict[str, int]:
    return {word: place for place, word in enumerate(sorted(_lists().ranks))}


# ---- What a fact of a claim is about

NEAR_WORDS = 6  # words around a fact that say what it is of
FAR_COUNTS = 0.25  # how much a word further away counts
KNOWN = 0.25  # of what all words around a fact weigh, below which no line is known to be about it
ALMOST = 0.6  # of the best line's sum, from which on another line is as good


@dataclass(frozen=True)
class _Claim:
    """A claim, and the words by which its lines are found: place among the words, form."""

    text: str
    statement: Statement
    context: _Context

    @cached_property
    def words(self) -> list[tuple[int, int, str]]:
        own = set(self.statement.content) | self.statement.names
        found = []
        for place, word in enumerate(_WORD.finditer(self.text)):
            form = for_matching(re.sub(r"['’]s$", "", word.group()))
            parts = {form, lemma_of(form), *form.split("-")}
            found += [(place, word.start(), part) for part in parts if part in own]
        return found

    @cached_property
    def weights(self) -> dict[str, float]:
        count = len(self.context.lines)
        weights = {}
        for form in {form for *_, form in self.words}:
            having = sum(line.has(form) for line in self.context.lines)
            weights[form] = log(1 + count / having) if having else 0.0
        return weights

    def _possible(self, at: int) -> float:
        """Return the sum of a line that has every word; one that no line has weighs as one that one line has."""
        absent = log(1 + len(self.context.lines))
        by_form: dict[str, float] = {}
        for place, _, form in self.words:
            weight = (self.weights[form] or absent) * (1 if abs(place - at) <= NEAR_WORDS else FAR_COUNTS)
            by_form[form] = max(weight, by_form.get(form, 0.0))
        return sum(by_form.values())

    def lines(self, start: int) -> list[_Line]:
        """The lines that the words around a place of the claim are about; all where too few words are in any."""
        at = len(_WORD.findall(self.text[:start]))
        sums = []
        for line in self.context.lines:
            by_form: dict[str, float] = {}
            for place, _, form in self.words:
                if self.weights[form] and line.has(form):
                    weight = self.weights[form] * (1 if abs(place - at) <= NEAR_WORDS else FAR_COUNTS)
                    by_form[form] = max(weight, by_form.get(form, 0.0))
            sums.append(sum(by_form.values()))
        most = max(sums, default=0.0)
        if most <= KNOWN * self._possible(at):
            return list(self.context.lines)
        return [line for line, own in zip(self.context.lines, sums, strict=True) if own >= ALMOST * most]


# ---- Differences


@dataclass(frozen=True)
class FactDifference:
    """A fact as the claim gives it, and as the context gives it; "" where the context gives none of that kind."""

    claimed: str
    given: str

    @property
    def words(self) -> str:
        """“2014, CV says 2017”"""
        return f"{self.claimed}, CV says {self.given}" if self.given else self.claimed


LONGEST_CONTEXT, LONGEST_CLAIM = 100_000, 2_000  # characters that are compared


def difference(context: str, claim: str, *, names: bool = True) -> FactDifference | None:
    """Return the first fact of a claim that the context gives otherwise or does not have; None where all agree.

    `names`: names are compared, too, those with a capital inside the sentence.
    """
    given = _context(context[:LONGEST_CONTEXT])
    if not given.lines:
        return None
    claim = claim[:LONGEST_CLAIM]
    own = _Claim(claim, statement(claim), given)
    checks = (_attempt, _wrong_dates, _wrong_counts, _wrong_ordinals, _wrong_words, _wrong_degrees, _wrong_ranks)
    for check in checks:
        for found in check(own):
            return found
    return next(_wrong_names(own), None) if names else None


def _attempt(claim: _Claim) -> Iterator[FactDifference]:
    """“At the first attempt” needs a context that says so."""
    lists = _lists()
    match = lists.first_attempt.search(claim.text)
    if match is None or lists.first_attempt.search(claim.context.text):
        return
    for line in claim.context.entries(claim.lines(match.start())):
        if later := lists.later_attempt.search(line.text):
            yield FactDifference(match.group(), line.text[later.start() :].split(",")[0].strip(" .;()"))
            return
    yield FactDifference(match.group(), "")


def _wrong_dates(claim: _Claim) -> Iterator[FactDifference]:
    for date in _dates(claim.text):
        about = claim.lines(date.start)
        dated = [line for line in about if line.dates] or [line for line in claim.context.entries(about) if line.dates]
        lines = dated or [line for line in claim.context.lines if line.dates]
        if not any(_has_date(line, date, claim.context.latest) for line in lines) and not _goes_on(date, claim, dated):
            there = [other for line in dated for other in line.dates]
            fitting = [other for other in there if date.role in ("in", other.role)] or there
            yield FactDifference(date.words, " and ".join(dict.fromkeys(other.words for other in fitting[:2])))


def _has_date(line: _Line, date: _Date, latest: int) -> bool:
    if any(date.agrees(other) and {date.role, other.role} != {"start", "end"} for other in line.dates):
        return True
    return (
        date.role == "in"
        and date.month is None
        and any(first < date.year < last for first, last in _spans(line, latest))
    )


def _goes_on(date: _Date, claim: _Claim, about: Sequence[_Line]) -> bool:
    """Return whether a span is open from then on, where no line that the claim is about has an open span."""
    latest = claim.context.latest

    def open_from(lines: Iterable[_Line]) -> set[int]:
        return {first for line in lines for first, last in _spans(line, latest) if last == latest + STILL}

    return date.role == "start" and not open_from(about) and date.year in open_from(claim.context.lines)


def _spans(line: _Line, latest: int) -> Iterator[tuple[int, int]]:
    for place, date in enumerate(line.dates):
        if date.role == "start":
            following = line.dates[place + 1] if place + 1 < len(line.dates) else None
            goes_on = following is None or following.role != "end"
            yield date.year, latest + STILL if goes_on or following is None else following.year


def _wrong_counts(claim: _Claim) -> Iterator[FactDifference]:
    everywhere = [count for line in claim.context.lines for count in line.counts]
    for count in _counts(claim.text):
        if "time" in count.units or (count.quantity.years and not count.units):
            if not count.quantity.among(claim.context.held):
                yield FactDifference(count.words, "")
            continue
        about = claim.lines(count.start)
        near = [other for line in claim.context.entries(about) for other in line.counts]
        same = [other for other in near if other.units & count.units]
        right = [other for other in near if count.holds(other)]
        if any(not other.units or not count.units or other.units & count.units or not same for other in right):
            continue
        if same:
            # The line's own number first: “four” before what another line of the same post counts.
            own = [other for line in about for other in line.counts if other in same]
            yield FactDifference(count.words, (own or same)[0].words)
            continue
        if any(
            count.holds(other) and (other.units & count.units or not count.units or not other.units)
            for other in everywhere
        ):
            continue
        if count.value <= COUNTED_OFF or count.words.lower().endswith("half"):
            continue  # “three languages” that are listed, “half the ward”
        alike = [other for other in everywhere if other.units & count.units]
        yield FactDifference(count.words, alike[0].words if alike else "")


def _wrong_ordinals(claim: _Claim) -> Iterator[FactDifference]:
    yield from _other_kinds(claim, _phrases(claim.text, _lists().ordinal, 2), lambda line: line.ordinals)


def _wrong_ranks(claim: _Claim) -> Iterator[FactDifference]:
    yield from _other_kinds(claim, _phrases(claim.text, _ranks()), lambda line: line.ranks)


def _other_kinds(
    claim: _Claim, phrases: Sequence[_Phrase], of: Callable[[_Line], list[_Phrase]]
) -> Iterator[FactDifference]:
    """“First prize” where the context has a second prize and no first one."""
    for phrase in phrases:
        every = [other for line in claim.context.lines for other in of(line) if other.behind & phrase.behind]
        if any(other.kind == phrase.kind for other in every):
            continue
        near = [other for line in claim.lines(phrase.start) for other in of(line) if other in every]
        if near:
            yield FactDifference(phrase.words, near[0].words)


def _wrong_words(claim: _Claim) -> Iterator[FactDifference]:
    """An outcome, or a word against its opposite, in what the claim is about."""
    lists = _lists()
    for kinds, whole in ((lists.outcomes, False), (lists.contrasts, True)):
        for word in _WORD.finditer(claim.text):
            form = for_matching(word.group())
            if form not in kinds or claim.statement.negated:
                continue
            family, kind = kinds[form]
            about = claim.lines(word.start())
            near = [(other, line) for line in about for other in _of_family(line.text, kinds, family)]
            there = near + [
                (other, line)
                for line in (claim.context.lines if whole else claim.context.entries(about))
                for other in _of_family(line.text, kinds, family)
            ]
            if not near or any(kinds[other.lower()][1] == kind for other, _ in there):
                continue
            other, line = near[0]
            if form in lists.before_the_same_word and not _same_behind(claim.text, word.end(), line.text, other):
                continue
            yield FactDifference(word.group(), other)


def _of_family(text: str, kinds: dict[str, tuple[int, int]], family: int) -> list[str]:
    found = [word.group() for word in _WORD.finditer(text)]
    return [word for word in found if kinds.get(for_matching(word), (-1, 0))[0] == family]


def _same_behind(text: str, end: int, other_text: str, other: str) -> bool:
    mine = _WORD.search(text, end)
    theirs = _WORD.search(other_text, other_text.find(other) + len(other))
    return mine is not None and theirs is not None and for_matching(mine.group()) == for_matching(theirs.group())


def _wrong_degrees(claim: _Claim) -> Iterator[FactDifference]:
    given = {name: match for name, pattern in _lists().degrees.items() if (match := pattern.search(claim.context.text))}
    for name, pattern in _lists().degrees.items():
        match = pattern.search(claim.text)
        if match and name not in given:
            yield FactDifference(match.group(), " and ".join(other.group() for other in given.values()))


def _wrong_names(claim: _Claim) -> Iterator[FactDifference]:
    lists, context = _lists(), claim.context
    for name in sorted(claim.statement.names):
        if name in lists.month or name in context.capitals or name in context.initials or "." in name:
            continue  # dotted initials are written in too many ways
        if name in lists.generic:
            continue
        if any(line.has(name) for line in context.lines) or lists.demonyms.get(name, frozenset()) & context.capitals:
            continue
        if any(
            pattern.fullmatch(match.group())
            for pattern in lists.degrees.values()
            for match in _WORD.finditer(claim.text)
            if for_matching(match.group()) == name
        ):
            continue
        written = next(
            (word.group() for word in _WORD.finditer(claim.text) if for_matching(word.group()).startswith(name)), name
        )
        yield FactDifference(re.sub(r"['’]s$", "", written), "")
