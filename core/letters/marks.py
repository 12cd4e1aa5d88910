"""Words in a letter that are worth a second look, by category, with the reason and the source of each mark.

Categories are data: resources/letters/marks. Praise that is denied or weakened is marked as doubt.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal, NamedTuple

from biasprint.core.letters.categories import (
    CANDIDATE,
    MASK,
    SPACE,
    WORD,
    CategoryWords,
    Scope,
    categories,
    idioms,
    lists,
    reason_of,
    scope,
)
from biasprint.core.letters.grammar import Parse, Whose, in_turn, masked, parses
from biasprint.core.letters.values import CATEGORIES, Category, Mark, Sentence
from biasprint.core.swap import Person

# ---- Whose the words are

_MASKED = re.compile(rf"{MASK}(?:[{MASK}\s]*{MASK})?('s?(?!\w))?")
WINDOW = 240  # characters before and after an entry that are looked at: far more than any rule reaches


@dataclass(frozen=True)
class MarkedText:
    """A sentence and its readings, all of one length, so that places are the same in each.

    `parse`: its grammar, where the letter is read with it.
    """

    sentence: Sentence
    cased: str
    lower: str
    parse: Parse | None = None

    @cached_property
    def first(self) -> int:
        """The place of the first letter or digit."""
        word_match = re.search(r"\w", self.sentence.text)
        return word_match.start() if word_match else 0

    @cached_property
    def idioms(self) -> list[tuple[int, int]]:
        """The places of praise that is said in the words of a denial."""
        return [match.span() for match in idioms().finditer(self.lower)]

    @cached_property
    def denials(self) -> list[tuple[int, int]]:
        """The places of words that deny something."""
        return _meant(scope().negations, scope().no_negations, self.lower)

    @cached_property
    def hedges(self) -> list[tuple[int, int]]:
        """The places of words that weaken something."""
        return _meant(scope().hedges, scope().no_hedges, self.lower)

    def before(self, place: int) -> str:
        return self.lower[max(0, place - WINDOW) : place]

    def after(self, place: int) -> str:
        return self.lower[place : place + WINDOW]


def marked_text(sentence: Sentence, person: Person | None) -> MarkedText:
    """Return the sentence's page. The candidate's names, written with a capital, are masked throughout."""
    cased = masked(sentence.text, person)
    lower = cased.lower()
    if len(lower) != len(cased):  # a few letters grow when they are folded
        lower = "".join(character if len(character.lower()) != 1 else character.lower() for character in cased)
    return MarkedText(sentence, cased, lower)


def pages_of(sentences: Sequence[Sentence], person: Person | None, by_grammar: bool) -> list[MarkedText]:
    """Return the pages of the body, with their grammar if they are read by it."""
    pages = [marked_text(sentence, person) for sentence in sentences if sentence.part == "body"]
    if not by_grammar:
        return pages
    pronoun = person.pronoun if person is not None else ""
    trees = in_turn(parses([page.cased for page in pages]), pronoun)
    return [replace(page, parse=tree) for page, tree in zip(pages, trees, strict=True)]


def unnamed(sentence: Sentence, person: Person | None) -> str:
    """The sentence with “they” and “their” for the candidate's names."""
    return _MASKED.sub(lambda match: "their" if match[1] else "they", marked_text(sentence, person).cased)


_W = rf"{WORD}\s{{1,9}}"
_NOT_THE_WRITER = frozenset(
    {
        "her", "him", "his", "hers", "she", "he", "they", "them", "their", "its", "this", "that", "such",
        "another", "each", "every", "with", "as", "for", "someone",
    }
)  # fmt: skip
_ARTICLES, _BEING = frozenset({"a", "an", "the"}), frozenset({"am", "was", "are", "were", "being"})
_WRITER = re.compile(rf"(?<![\w-])(?:i|we)(?P<being>'(?:m|re))?(?:'(?:ve|d|ll))?\s{{1,9}}(?P<between>(?:{_W}){{0,2}})$")
_WRITERS_OWN = re.compile(rf"(?<![\w-])(?:my|our)\s{{1,9}}(?:{_W})?$")
_GENERIC = re.compile(
    rf"(?<![\w-])any\s{{1,9}}(?:{_W}){{0,2}}$"
    rf"|(?<![\w-])(?:that|which)\s{{1,9}}(?:values?|requires?|demands?|needs?|rewards?|calls? for|looks? for)"
    rf"\s{{1,9}}(?:(?!(?:her|his|she|he)(?!\w))[^.;:]){{0,80}}$"
)
_THEIRS = re.compile(rf"(?<![\w-])their\s{{1,9}}(?:{_W}){{0,2}}$")
_ONE = re.compile(r"(?<![\w-])(?:he|she|his|her|him|hers)(?![\w-])")
_THING = re.compile(
    rf"(?:^|[,;]\s{{1,9}}|(?<![\w-])and\s{{1,9}}|^\W{{1,3}})(?:this|that|it|these|those|which)\s{{1,9}}"
    rf"(?:(?:has|have|had|will|also)\s{{1,9}})?(?:is|was|are|were|been|be|proved|proves)\s{{1,9}}(?:{_W})?$"
)
_AMONG = re.compile(r"(?<![\w-])(?:one of|among|amongst|most|best of|first of)\s{1,9}[^.;:]{0,80}$")
# “I myself am an old man”, and not “I was struck by how young …”
_WRITER_IS = re.compile(
    rf"(?<![\w-])(?:i|we)(?:\s{{1,9}}myself)?(?:'(?:m|re)|\s{{1,9}}(?:am|was|were|are|became|(?:have|had)\s{{1,9}}been))\s{{1,9}}"
    rf"(?:(?!(?:by|that|to|how|what|of|with|about|at)\s){_W}){{0,4}}$"
    rf"|(?<![\w-])myself\s{{1,9}}(?:{_W}){{0,2}}$"
)
_LIKE_THE_WRITER = re.compile(rf"\s{{1,9}}(?:{_W}){{0,3}}(?:myself|like me)(?![\w-])")
_SEEN = re.compile(
    r"(?:have|had|yet|never|no)\s"
)  # what the writer has yet to see, and the like: it is said of somebody
_SOMEBODY_ELSE = re.compile(
    rf"(?<![\w-])(?:from|replac(?:ed|es|ing)|succeed(?:ed|s|ing)|unlike|beside)\s{{1,9}}an?\s{{1,9}}(?:{_W}){{0,2}}$"
)
# “Amanda Lear, a French singer”, where the candidate has another name.
_NAMED = re.compile(
    r"(?P<name>[A-Z][\w'.-]{1,40}(?:\s{1,9}[A-Z][\w'.-]{1,40}){0,3}),\s{1,9}(?:an?|another|then an?)\s{1,9}"
    r"(?:[\w'-]{1,40}\s{1,9}){0,4}$"
)
# “A patient's hearing loss”, “children with diabetes”
_THEIR_HEALTH = re.compile(
    r"(?<![\w-])(?:(?:patient|client|customer|student|pupil|resident|user|visitor|veteran|animal|dog|cat|horse|adult)"
    r"(?:s|'s|s')?|child(?:ren)?(?:'s)?|people(?:'s)?|those|others|"
    r"(?:for|helping|treating|of) an? (?:boy|girl|man|woman))"
    rf"\s{{1,9}}(?:{_W}){{0,4}}$"
)
# A word of gender names somebody else: “the office lady”, “our foreman”, “one man on the board”, “a man's trade”. “The
# lad”, “the young man” and “the best salesman we had” can be the candidate.
_BESIDE = re.compile(r"(?<![\w-])(?:around|with|by|to|from|behind|past|beside|against|before|after)\s{1,9}$")
_NAMES_ONE = re.compile(
    r"(?:anchor|business|camera|chair|crafts|fire|fore|police|sales|spokes|sports)?(?:man|woman)|lady|gentleman|girl|boy|gal|guy|lad|lass|chap|bloke|dude"
)
_BEFORE_ANOTHER = re.compile(
    rf"(?<![\w-])(?P<whose>the|our|my|one|some|another|every|each|any)\s{{1,9}}(?P<what>(?:{_W}){{0,2}})$"
    rf"|(?<![\w-])there\s{{1,9}}(?:is|was|'s)\s{{1,9}}(?:{_W}){{1,3}}$"
)
_IS = re.compile(
    r"(?<![\w-])(?:is|was|are|be|been|being|became|become|remains|as|like|calls?|called)\s{1,9}(?:[\w'-]{1,40}\s{1,9})?$"
    r"|'s\s{1,9}(?:[\w'-]{1,40}\s{1,9})?$|,\s{1,9}$"
)
_NAMED_HERE = re.compile(rf",?\s{{1,9}}{MASK}")  # “our office lady, Joan Smith, has done the wages”
_CAN_BE_THE_CANDIDATE = re.compile(
    r"(?:first|only|right|same|new|perfect|ideal|most|young|younger|old|older|little|poor|good|nice|lovely|dear|best|\w+est)\s"
)
_PLACED = re.compile(r"(?<![\w-])(?:in|at|from|near)\s{1,9}$")
_FUNCTION_WORDS = frozenset(
    {
        "in", "of", "that", "to", "for", "and", "or", "as", "is", "are", "was", "were", "will", "would", "can",
        "with", "at", "by", "on", "from", "which", "who", "but", "when", "if",
    }
)  # fmt: skip


def is_about_another(page: MarkedText, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Return whether the entry at `start` to `end` praises somebody or something that is not the candidate."""
    before, after, words = page.before(start), page.after(end), page.lower[start:end]
    whose = _whose(page, start, end)
    if whose == "other" or (whose == "writer" and category != "standout"):
        return not (_ONE.search(words) or _SEEN.match(words))
    if whose == "candidate":
        return bool(_GENERIC.search(before))
    return (
        (not _ONE.search(words) and not _SEEN.match(words) and _is_the_writers(page, start, before, after, category))
        or bool(_GENERIC.search(before))
        or is_theirs(page, start, words, person)
        or _is_others(before, after, words, category)
        or _is_a_named_others(page, start, person)
        or bool(_SOMEBODY_ELSE.search(before) or _other_subject().search(before))
        or (category == "communal" and bool(_THING.search(before)))
    )


def _whose(page: MarkedText, start: int, end: int) -> Whose:
    """Return whom the words describe by the sentence's grammar; "" without one, or where it does not tell."""
    return "" if page.parse is None else page.parse.whose(start, end)


def is_of_another(page: MarkedText, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Return whether something private or a doubt at `start` to `end` is about the writer, others, or a work."""
    before, after, words = page.before(start), page.after(end), page.lower[start:end]
    if is_theirs(page, start, words, person):
        return True
    if category == "doubt":
        return False
    return (
        bool(_WRITER_IS.search(before) or _LIKE_THE_WRITER.match(after))
        or _is_in_a_title(page, start, end)
        or _is_a_named_others(page, start, person)
        or (category not in {"family", "personal_life"} and bool(_of_relative().search(before)))
        or (category == "gender" and _names_another(before, after, words))
        or (category == "health" and bool(_THEIR_HEALTH.search(before)))
        or (category in {"age", "gender", "health", "origin"} and _describes_people(before, after, words))
    )


_OFFERS = re.compile(r"(?:glad|happy|pleased|ready|delighted) to ")


def _is_the_writers(page: MarkedText, start: int, before: str, after: str, category: Category) -> bool:
    """“I led”, “we have always worked hard”, “our expertise”; not “I found her reliable” nor “our best engineer”."""
    if start == page.first and _OFFERS.match(page.lower, start):
        return True  # “Glad to help if you need more.”
    writer = _WRITER.search(before)
    if writer:
        between = page.cased[start - len(writer["between"]) : start].split()
        named = any(word in _NOT_THE_WRITER or word[0].isupper() or MASK in word for word in between)
        met = not (writer["being"] or _ARTICLES.isdisjoint(between)) and _BEING.isdisjoint(between)
        if not named and not met:
            return True
    if not _WRITERS_OWN.search(before):
        return False
    following = re.match(rf"\s{{1,9}}({WORD})", after)
    describes = following is not None and following[1] not in _FUNCTION_WORDS and not following[1].endswith("s")
    return category != "standout" and not describes


def is_theirs(page: MarkedText, start: int, words: str, person: Person | None) -> bool:
    """“The team developed their skills”, “the poor and their children”, where the candidate is he or she."""
    if not words.startswith(("their ", "they ")) and not _THEIRS.search(page.before(start)):
        return False
    if person is not None and person.pronoun:
        return person.pronoun != "they"
    return bool(_ONE.search(page.lower))


def _is_others(before: str, after: str, words: str, category: Category) -> bool:
    """“Many talented students”, “the hard work of his colleagues”, “her colleagues’ skills”; not “one of the best”."""
    if _possessed().search(before):
        return True
    if category in {"ability", "grindstone", "communal"} and _of_others().match(after):
        return bool(re.search(rf"(?<![\w-])the\s{{1,9}}(?:{_W})?$", before))
    if category not in {"ability", "grindstone", "standout"} and words not in lists()["leaders"]:
        return False
    if not _people_after().match(after) and words not in lists()["leaders"]:
        return False
    return not _AMONG.search(f"{before}{words} ")


@cache
def _people() -> str:
    return "|".join(map(re.escape, lists()["people"]))


@cache
def _possessed() -> re.Pattern[str]:
    owners = rf"(?:{_people()})'s?|others'|everyone's|everybody's|someone's|team's|team\s{{1,9}}members'?"
    return re.compile(rf"(?<![\w-])(?:{owners})\s{{1,9}}(?:{_W})?$")


@cache
def _of_others() -> re.Pattern[str]:
    whose = r"(?:his|her|their|the|our|my|other|all)\s{1,9}"
    return re.compile(rf"\s{{1,9}}of\s{{1,9}}(?:others|(?:{whose}){{0,2}}(?:{_people()}|team|staff))(?![\w-])")


@cache
def _people_after() -> re.Pattern[str]:
    return re.compile(rf"\s{{1,9}}(?:(?:and|or)\s{{1,9}}{_W})?(?:{_W})?(?:{_people()})(?![\w'-])")


def _is_a_named_others(page: MarkedText, start: int, person: Person | None) -> bool:
    """“Theodore Dreiser, a prominent American writer”, in a letter whose candidate is known by name."""
    if person is None or not person.full_name:
        return False
    window = page.cased[max(0, start - WINDOW) : start]
    named = _NAMED.search(window)
    if named is None or MASK in named["name"]:
        return False
    opens = start - len(window) + named.start() <= page.first and " " not in named["name"]
    return not opens and not _PLACED.search(window[: named.start()])


def _is_in_a_title(page: MarkedText, start: int, end: int) -> bool:
    """Return whether it is in quotation marks, or in a capitalised title: “The Black Woman Is God”."""
    before = page.cased[:start]
    if before.count("“") > before.count("”") or before.count('"') % 2:
        return True
    last = page.cased[start:end].split()[-1]
    return " " in page.cased[start:end] and last[:1].isupper() and last.lower() in lists()["person"]


def _names_another(before: str, after: str, words: str) -> bool:
    """“The office lady calls her spicy”; not “she is our lady of the lamp”."""
    if not _NAMES_ONE.fullmatch(words):
        return False
    if re.match(r"'s?\s", after):
        return True
    another = _BEFORE_ANOTHER.search(before)
    if another is None or another["whose"] is None:
        return another is not None
    beginning = before[: another.start()]
    if _IS.search(beginning) or _CAN_BE_THE_CANDIDATE.search(another["what"]) or _NAMED_HERE.match(after):
        return False
    return bool(
        another["what"] or another["whose"] != "the" or after.startswith(" of the ") or _BESIDE.search(beginning)
    )


def _describes_people(before: str, after: str, words: str) -> bool:
    """“Female students”, “elderly women”; not “one of our young teachers”."""
    if words.endswith(("woman", "man", "girl", "boy", "lady", "gentleman")) or _AMONG.search(f"{before}{words} "):
        return False
    return bool(_people_after().match(after))


@cache
def _of_relative() -> re.Pattern[str]:
    """Match a relative of the candidate before an entry, in the same breath: “her mother's cancer”."""
    relatives = "|".join(map(re.escape, lists()["relative"]))
    return re.compile(
        rf"(?<![\w-])(?:her|his|their|a|the)\s{{1,9}}(?:{_W}){{0,2}}(?:{relatives})(?:'s?)?\s{{1,9}}(?:{_W}){{0,4}}$"
    )


@cache
def _other_subject() -> re.Pattern[str]:
    """“The team was”, “counsel was”: the words that follow are about others."""
    owners = f"(?:{_people()}|{'|'.join(map(re.escape, lists()['groups']))})"
    return re.compile(
        rf"(?:^\W{{0,3}}|[,;:]\s{{1,9}}|(?<![\w-])and\s{{1,9}})(?:(?:the|our|my|these|those|all|some|most|other|many)\s{{1,9}})?"
        rf"(?:{_W})?{owners}\s{{1,9}}(?:is|was|are|were|(?:has|have|had)\s{{1,9}}been|(?:do|does|did|can|could)\s{{1,9}}not)"
        rf"\s{{1,9}}(?:{_W}){{0,2}}$"
    )


class Turned(NamedTuple):
    """A negated or weakened entry: the kind, and where the words that do it and the entry begin and end together."""

    how: Literal["denied", "weakened"]
    start: int
    end: int


# “Never late and puts in long hours”: the verb begins a statement of its own, which no “never” before it denies.
_AND = re.compile(r"(?<![\w-])and\s{1,9}$")
_NEW_VERB = re.compile(
    r"(?:puts?|works|worked|goes|went|takes|took|leads|led|makes|made|stands|stood|keeps|kept|brings|brought|gives|gave"
    r"|learns|learned|helps|helped|cares|cared|listens|listened|meets|met|stays|stayed|treats|treated|shares|shared"
    r"|drives|drove|runs|ran|sets|wins|won)(?![\w-])"
)


def turned(page: MarkedText, start: int, end: int) -> Turned | None:
    """Return what denies the entry at `start` to `end`, else what weakens it; `None` where nothing does."""
    reach = scope()
    place = page.parse.at(start, end) if page.parse is not None else None
    if page.parse is not None and place is not None:
        return _turned_by_grammar(page, page.parse, place, start, end)
    near = (
        ""
        if _NEW_VERB.match(page.lower, start) and _AND.search(page.before(start))
        else (_within_reach(page.before(start), reach))
    )
    offset = start - len(near)
    window = page.before(start)
    denied = _nearest(reach.negations, reach.no_negations, near, window)
    if denied is not None:
        return Turned("denied", offset + denied, end)
    behind = _denied_behind(page, end)
    if behind is not None:
        return Turned("denied", start, behind)
    weakened = _nearest(reach.hedges, reach.no_hedges, near, window)
    return None if weakened is None else Turned("weakened", offset + weakened, end)


def _turned_by_grammar(page: MarkedText, parse: Parse, place: int, start: int, end: int) -> Turned | None:
    def governing(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        return [
            (low, high) for low, high in places if (high <= start or end <= low) and parse.governs(low, high, place)
        ]

    denials = governing(page.denials)
    behind = _denied_behind(page, end)
    if behind is not None:
        denials.append((start, behind))
    nobody = parse.denied_by_nobody(place)
    if nobody is not None:
        denials.append(nobody)
    hedges = governing(page.hedges)
    if len(denials) % 2 and not (_is_outdone(page, parse, place)):
        low, high = denials[-1]
        return Turned("denied", min(low, start), max(high, end))
    if hedges and not denials:
        low, high = hedges[-1]
        return Turned("weakened", min(low, start), max(high, end))
    return None


def _denied_behind(page: MarkedText, end: int) -> int | None:
    """Return where words end that deny the entry before them: “her skill is lacking”; `None` where there are none."""
    skipped = len(page.after(end)) - len(page.after(end).lstrip())
    match = scope().denied_after.match(page.after(end)[skipped:])
    if match is None or is_idiom(page, end, end + skipped + match.end()):
        return None
    return end + skipped + match.end()


def _is_outdone(page: MarkedText, parse: Parse, place: int) -> bool:
    """“I have never met a kinder nurse”, “nobody works harder”: what is denied is that anybody is better."""
    return parse.is_compared(place) and parse.is_said_by_nobody(place)


def _meant(pattern: re.Pattern[str], exceptions: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Return the places of a pattern where no exception holds them."""
    not_meant = [match.span() for match in exceptions.finditer(text)]
    not_meant += [match.span() for match in idioms().finditer(text)]
    return [
        match.span()
        for match in pattern.finditer(text)
        if not any(low <= match.start() < high for low, high in not_meant)
    ]


def is_idiom(page: MarkedText, start: int, end: int) -> bool:
    """Return whether the words from `start` to `end` touch praise that is said in the words of a denial."""
    return any(low < end and start < high for low, high in page.idioms)


# What is no fault although it begins like one.
_NO_FAULT = frozenset({"unique", "united", "universal", "understanding", "under", "until", "unless", "unto", "unified"})


def denies_a_fault(page: MarkedText, start: int, end: int) -> bool:
    """Return whether a negation in these words denies a fault: “never unprepared”. Without a parse nothing does."""
    if page.parse is None:
        return False
    faults = [
        number
        for number, token in enumerate(page.parse.tokens)
        if start <= token.start < end
        and ((token.text.startswith("un") and token.text not in _NO_FAULT) or token.text in lists()["weak"])
        and token.tag[:2] in ("JJ", "RB", "VB", "NN")
    ]
    return any(page.parse.governs(low, high, fault) for low, high in page.denials for fault in faults)


_DENIED = re.compile(
    rf"\W{{0,3}}(?:{CANDIDATE}{SPACE}(?:(?:is|was|has been)(?:n't|{SPACE}(?:not|never|hardly|no)))(?![\w-]))"
)


def is_denied(page: MarkedText, start: int, end: int) -> bool:
    """Return whether a whole clause denies something of the candidate: “she is not the worst teacher”."""
    match = _DENIED.match(_without_opening(page.lower[start:end]))
    return match is not None and not is_idiom(page, start, end)


_PLAINLY = re.compile(
    rf"(?:^|[,;:]\s{{1,9}}|(?<![\w-])(?:and|that|says|but)\s{{1,9}})\W{{0,3}}{CANDIDATE}(?:'s|\s{{1,9}}(?:is|was|has\s{{1,9}}been|remains))\s{{1,9}}"
    rf"(?:(?:a|an|also|very|so|always|both|truly|quite|extremely|highly|consistently)\s{{1,9}}){{0,2}}$"
)
_PLAIN_END = re.compile(r"\s{0,9}(?:[.,;!]|$|(?:and|but|in|with|at)(?![\w-]))")


def is_plainly_said(page: MarkedText, start: int, end: int) -> bool:
    """Return whether the clause is plain praise of the candidate: “she is confident”, “Emily is very kind, and …”."""
    return bool(_PLAINLY.search(page.before(start)) and _PLAIN_END.match(page.after(end)))


def _within_reach(before: str, reach: Scope) -> str:
    """Return the end of the text before an entry: a few words, and nothing on the other side of a “but”."""
    last = 0
    for match in reach.ends.finditer(before):
        last = match.end()
    near = before[last:]
    words = list(re.finditer(r"\S+", near))
    return near[words[-reach.reach].start() :] if len(words) >= reach.reach else near


def _nearest(pattern: re.Pattern[str], exceptions: re.Pattern[str], near: str, window: str) -> int | None:
    """Return where the nearest match of `pattern` begins in `near`; `None` where all are exceptions or there is none.

    The exceptions are looked for in the whole window: they may begin before the reach does.
    """
    offset = len(window) - len(near)
    places = [low - offset for low, _ in _meant(pattern, exceptions, window) if low >= offset]
    return places[-1] if places else None


# ---- The subject of a clause

DEEDS: frozenset[Category] = frozenset({"agentic", "communal", "ability", "grindstone"})
PRIVATE = frozenset({"personal_life", "age", "family", "appearance", "health", "origin"})
_BE = r"(?:is|are|was|were|has|had|have|can|could|will|would|did|does|do|fell|falls|became|becomes|got|went)"
_DETERMINERS = r"(?:the|our|my|your|some|many|most|all|other|another|those|these|this|that|an?|each|every|both|few)"
_OPENING = re.compile(
    r"^\W*(?:(?:and|but|or|so|then|though|although|because|while|when|if|until|where|even|also|still|just|in fact)\s+)*"
)
# “The pay here is adequate”, “some of them can be difficult”: the clause has a subject of its own, and it is not the
# candidate. “The best pair of hands I have seen” has none.
_NOUN_SUBJECT = re.compile(
    rf"{_DETERMINERS}(?!\w)(?P<noun>(?:(?!(?:i|we|who|that|which|you)\s)[^.;:?!]){{0,60}}?)\s{_BE}(?![\w-])"
)
_PRONOUN_SUBJECT = re.compile(r"(?:i|we|it|there|you|one|people|nobody|somebody|everybody|everyone)(?:'\w+)?\s")
_WRITERS = re.compile(r"(?:i|we|my|our)(?:'\w+)?\s")
# “I left before he did” is no deed of the candidate's; “I saw her take it” is.
_WRITERS_DEED = re.compile(
    r"(?:i|we)(?:'\w+)?\s(?!(?:(?:have|had|once|ever|never|often)\s){0,2}(?:seen|saw|see|watched|found|find|heard|known|met)\s)"
)
# Where the clause that some words stand in begins: after a sign, or where a subject of its own follows.
_NEW_CLAUSE = re.compile(
    r"[;:—–(!?]\s{0,9}"
    r"|(?:,\s{1,9}|\s)(?:(?:and|but|or|so|yet|though|although|because|while|whereas|when|since|as)\s{1,9})"
    rf"(?=(?:{_DETERMINERS}|he|she|they|i|we|it|there|you|people|{MASK}{{1,40}})\s)"
)
# What is the candidate's own without saying so: “the work was patchy” is a doubt.
_THE_CANDIDATES = frozenset(
    {
        "work", "works", "job", "result", "results", "performance", "attendance", "timekeeping", "punctuality",
        "attitude", "manner", "manners", "tone", "conduct", "behaviour", "behavior", "grade", "grades", "mark", "marks",
        "report", "reports", "draft", "drafts", "essay", "essays", "thesis", "paper", "papers", "writing", "spelling",
        "english", "progress", "start", "beginning", "weakness", "weaknesses", "drawback", "downside", "concern",
        "concerns", "worry", "reservation", "reservations", "doubt", "doubts", "problem", "problems", "trouble",
        "complaint", "complaints", "quality", "output", "effort", "lessons", "teaching", "presentation",
        "presentations", "notes", "planning", "paperwork", "record", "thing", "things", "fault", "side", "one", "rest",
        "candidate", "applicant", "person", "woman", "man", "girl", "boy", "lad", "lady", "colleague", "employee",
        "month", "months", "week", "weeks", "year", "years", "term", "days", "placement", "probation",
    }
)  # fmt: skip


def is_said_elsewhere(page: MarkedText, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Return whether words, private or a doubt, are in a clause with another subject than the candidate.

    Only the part of the clause before them is looked at: “the pay is adequate, he says” is of the pay.
    """
    low = max(0, start - WINDOW)
    window = page.lower[low:end]
    begins = [match.end() for match in _NEW_CLAUSE.finditer(window) if match.end() <= start - low]
    clause = _without_opening(window[begins[-1] :] if begins else window)
    whose = _whose(page, start, end)
    if whose == "candidate":
        return False
    if whose and category not in ("doubt", "family"):
        return True
    if _names(person).search(clause):
        return category != "family" and _theirs().match(clause) is not None
    if category == "doubt":
        # “We had our doubts” and “there were problems” are doubts about the candidate.
        match = _NOUN_SUBJECT.match(clause)
        return match is not None and not _is_the_candidates(match["noun"])
    return _has_another_subject(clause)


def is_of_the_candidate(page: MarkedText, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Return whether a whole clause can be about the candidate: it names them, or has no subject of its own."""
    clause = _without_opening(page.lower[start:end])
    named = bool(_names(person).search(clause))
    if page.parse is not None:
        named = page.parse.names_candidate(start, end)
        if not named and _whose(page, start, end) == "other":
            return False
    if not named:
        return not (_has_another_subject(clause) or _others().match(clause))
    if category in PRIVATE or category == "doubt":
        theirs = category != "family" and _theirs().match(clause)  # “her parents live with her” is her family
        return not (theirs or (category in PRIVATE and _WRITERS.match(clause)))
    return not (category in DEEDS and _WRITERS_DEED.match(clause))


def _without_opening(clause: str) -> str:
    opening = _OPENING.match(clause)
    return clause[opening.end() :] if opening else clause


def _has_another_subject(clause: str) -> bool:
    return bool(_PRONOUN_SUBJECT.match(clause) or _NOUN_SUBJECT.match(clause))


def _is_the_candidates(noun: str) -> bool:
    """Judge by the words of the subject before its complement: “work in the archive”."""
    noun = re.sub(r"^\s+of\s+", "", noun)  # “some of them”
    head = re.split(r"\s(?:of|in|at|on|for|with|from|about|to|here|there)(?!\w)", noun, maxsplit=1)[0].split()
    return not head or head[-1] in _THE_CANDIDATES


@cache
def _named(also: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'-])(?:he|she|him|her|his|hers|himself|herself{also}|{MASK}{{1,40}})(?![\w-])")


def _names(person: Person | None) -> re.Pattern[str]:
    """“They” is the candidate unless the candidate is known to be he or she."""
    other = person is not None and person.pronoun in ("he", "she")
    return _named("" if other else "|they|them|their|theirs|themselves")


@cache
def _others() -> re.Pattern[str]:
    """“Patients are poor”, “residents with dementia”."""
    return re.compile(rf"(?:{'|'.join(map(re.escape, (*lists()['people'], *lists()['groups'])))})(?![\w-])")


@cache
def _theirs() -> re.Pattern[str]:
    """“Her patients have cancer”, “his boss was ill”."""
    people = "|".join(map(re.escape, (*lists()["people"], *lists()["groups"], "boss", "supervisor", "predecessor")))
    return re.compile(rf"(?:her|his|their)\s{{1,9}}(?:[\w'-]{{1,40}}\s{{1,9}})?(?:{people})(?![\w'-])")


# ---- Marks of listed words

_TRAILING = re.compile(r"\s+(?:a|an|the|our|its|his|her|their|she|he|they|about|for|to|as|be|become|of)$")
_LEADING = re.compile(rf"{CANDIDATE}{SPACE}")
_OF_A_SUBJECT = PRIVATE | {"doubt"}
_SAID = {
    "denied": "Praise that is taken back: “{praise}” is denied here.",
    "weakened": "Praise that is weakened: “{praise}” is only hoped for or supposed here.",
}


def marks_of(
    sentences: Sequence[Sentence], person: Person | None = None, *, by_grammar: bool = False
) -> tuple[Mark, ...]:
    """The marks of all sentences, in order. `person`: whose names are no words. Only the body has marks.

    `by_grammar`: negations and subjects are found by the parser and not by the distance of words. Raises `AppError`
    where there is none.
    """
    return tuple(mark for page in pages_of(sentences, person, by_grammar) for mark in _of_page(page, person))


# “Best, John” at the end of a paragraph, where no line of its own shows that the letter closes.
_CLOSING = re.compile(
    r"\W{0,3}(?:(?:all|with) )?(?:the |my )?(?:very )?best(?: wishes| regards)?,(?:\W{1,3}\w+){0,4}\W{0,3}"
)


def _of_page(page: MarkedText, person: Person | None) -> list[Mark]:
    if _CLOSING.fullmatch(page.lower):
        return []
    marks: list[Mark] = []
    for category in (categories()[key] for key in CATEGORIES):
        for start, end in _places(page, category):
            marks += _mark(page, start, end, category, person)
    return _whole(page.sentence, _settled(marks))


def _places(page: MarkedText, category: CategoryWords) -> Iterator[tuple[int, int]]:
    """Yield the places of entries that none of the category's exceptions touches and that name nobody."""
    plain = [
        match.span()
        for match in category.pattern.finditer(page.lower)
        # Peoples and faiths are written with a capital.
        if category.key == "origin" or not _is_name(page, match.start(), match.end())
    ]
    places = plain + [match.span() for match in category.cased_pattern.finditer(page.cased)]
    if not places:
        return
    excepted = [match.span() for match in category.exceptions.finditer(page.lower)]
    passed = 0
    for start, end in sorted(places):
        while passed < len(excepted) and excepted[passed][1] <= start:
            passed += 1
        if passed == len(excepted) or excepted[passed][0] >= end:
            yield start, start + len(page.lower[start:end].rstrip(",.;"))


def _is_name(page: MarkedText, start: int, end: int) -> bool:
    """A word with a capital within a sentence names something: “Brilliant Foods”, “the M. H. de Young Museum”."""
    words = page.cased[start:end]
    return start > page.first and words[:1].isupper() and not words.isupper()


def _mark(page: MarkedText, start: int, end: int, category: CategoryWords, person: Person | None) -> Iterator[Mark]:
    if not category.praise:
        if is_of_another(page, start, end, category.key, person):
            return
        if category.key == "doubt" and is_idiom(page, start, end):
            return
        if category.key in _OF_A_SUBJECT and is_said_elsewhere(page, start, end, category.key, person):
            return
        leading = _LEADING.match(page.lower, start, end)
        start = leading.end() if leading else start  # “she seemed” is found by “she”, and said of “seemed”
        # Mentioning a family is mentioning it, whatever is said; only a doubt that is denied is none.
        how = turned(page, start, end) if category.key == "doubt" else None
        if how is None or how.how != "denied":
            yield _plain(page.sentence, start, end, category)
        return
    trailing = _TRAILING.search(page.lower[start:end])
    end = start + trailing.start() if trailing else end
    if is_about_another(page, start, end, category.key, person):
        return
    how = turned(page, start, end)
    yield (_plain(page.sentence, start, end, category) if how is None else _doubt(page.sentence, start, end, how))


def _doubt(sentence: Sentence, start: int, end: int, how: Turned) -> Mark:
    """Praise that is denied or weakened, marked with the words that do it."""
    praise = sentence.text[start:end]
    doubt = _plain(sentence, how.start, how.end, categories()["doubt"])
    return replace(
        doubt, reason=_SAID[how.how].format(praise=praise), negated=how.how == "denied", hedged=how.how == "weakened"
    )


def _plain(sentence: Sentence, start: int, end: int, category: CategoryWords) -> Mark:
    words = sentence.text[start:end]
    place, reason = sentence.start + start, reason_of(category, words.lower().replace("’", "'"))
    return Mark(
        category.key, place, place + len(words), sentence.index, words, reason.known_for, reason.source,
        unlawful=reason.unlawful,
    )  # fmt: skip


# “mother” or “mother of” is found; what is marked goes on to “mother of two” or “mother of three young children”.
_PARENT = re.compile(r"(?:mother|mum|mom|father|dad|parent|grandmother|grandfather)(?: of)?$", re.IGNORECASE)
_OF_WHOM = re.compile(
    r"(?: of)?(?: (?:a|an|two|three|four|five|six|seven|\d+))?(?: (?:young|small|little|grown|teenage|adult))*"
    r"(?: (?:child|children|kids|boys?|girls?|sons?|daughters?|twins|toddlers?|teenagers?|baby))?\b",
    re.IGNORECASE,
)


def _whole(sentence: Sentence, marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks of families as whole phrases; none is carried on into the next mark."""
    whole = []
    for mark, after in zip(marks, [*marks[1:], None], strict=False):  # no mark: none
        end = mark.end - sentence.start
        tail = _OF_WHOM.match(sentence.text, end) if mark.category == "family" and _PARENT.search(mark.words) else None
        more = tail is not None and len(tail[0].split()) > (0 if mark.words.endswith(" of") else 1)
        if tail is not None and more and (after is None or sentence.start + tail.end() <= after.start):
            mark = replace(mark, end=sentence.start + tail.end(), words=mark.words + tail[0])
        whole.append(mark)
    return whole


def _settled(marks: Sequence[Mark]) -> list[Mark]:
    """Keep the first and longest of overlapping marks of one category; praise inside longer praise counts once."""
    order: list[Category] = list(categories())
    settled: list[Mark] = []
    ends: dict[str, int] = {}
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end, order.index(mark.category))):
        group = "praise" if categories()[mark.category].praise else mark.category
        inside = mark.end <= ends.get(group, -1)
        overlaps = mark.start < ends.get(mark.category, -1)
        if inside or overlaps:
            continue
        ends[mark.category] = max(mark.end, ends.get(mark.category, -1))
        ends[group] = max(mark.end, ends.get(group, -1))
        settled.append(mark)
    return settled
