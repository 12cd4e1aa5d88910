"""Replies as the study reads them, and coded for counting."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np

from biasprint.core.backends.protocol import split_reasoning
from biasprint.core.errors import AppError
from biasprint.core.metrics.result import Bools, Ints
from biasprint.core.prompts.resource_files import packaged
from biasprint.core.studies.completion.prompts import (
    DIRECTIONS,
    DOMAINS,
    OPTIONS,
    ORDER_SEPARATOR,
    POLARITIES,
    PRONOUNS,
    pronoun_forms,
)
from biasprint.core.text import for_matching

# ---- The option that a reply chose

ARTICLES = ("a ", "an ", "the ")
_SAME_SIGN = str.maketrans({"’": "'", "‘": "'", "‐": "-", "‑": "-", " ": " "})


def chosen_option(reply: str, options: Sequence[str], *, as_shown: bool = True) -> int | None:
    """The place of the option that the reply chooses; None where it chooses none of them, or two different ones.

    Case does not count, and neither does an article before an option. Options are whole words, and the longest one
    wins where one lies within another: “Boston College” is not “Boston”, “non-critical” is not “critical”. An option
    that is denied (“not rich”, “anything but rich”, “rich is wrong”) is not chosen. Of several that are named the one
    counts that is said to be the answer (“my answer is …”), else one that the reply begins with and explains. Where
    none is named, a plain inflection of one counts (“surgeons”, “drove”), then its number or letter (“the third one”,
    “B”), which needs `as_shown`: the options are in the order in which they were shown.
    """
    reply = _kept(split_reasoning(reply)[0])
    plain_options = [as_option(option) for option in options]
    if as_option(reply) in plain_options:
        return plain_options.index(as_option(reply))
    lines = [as_option(line) for line in reply.splitlines() if line.strip()]
    marked = _with_options(reply, [(words, place) for place, words in enumerate(plain_options)])
    if not _OPTION.search(marked):
        forms = [(form, place) for place, words in enumerate(plain_options) for form in _forms(words)]
        marked = _with_options(reply, forms)
    if not _OPTION.search(marked):
        return _by_number(reply, plain_options) if as_shown else None
    if (condition := _CONDITION.search(marked)) and not _ANSWER.search(marked, condition.end()):
        return None
    named = {place for place, denied in _mentions(marked) if not denied}
    alone = lines[0] in plain_options and not any(line in plain_options for line in lines[1:])
    if len(named) > 1 and alone and not _FINAL.search(marked):
        return plain_options.index(lines[0])
    if len(named) > 1:
        for rule in (_FINAL, _ANSWER, _BEST, _COMPLETED):
            signs = [match[match.lastindex or 1] for match in rule.finditer(marked)]
            chosen = [place for place in map(_place_of, signs) if place in named]
            if chosen:
                named = {chosen[-1]} if rule is not _BEST else {*chosen}
                break
    opening = as_option(_OPENING.split(reply.strip(), maxsplit=1)[0])
    if len(named) > 1 and opening in plain_options:
        return plain_options.index(opening) if len(lines) == 1 or lines[0] != opening else None
    return named.pop() if len(named) == 1 else None


# ---- Signs and forms of words

_STRUCK = re.compile(r"~~.+?~~|<(s|del|strike)>.+?</\1>", re.IGNORECASE | re.DOTALL)
_CHECKED = re.compile(r"\[[xX✓✔]\]|[☑☒✅✔✓]")
_UNCHECKED = re.compile(r"\[ ?\]|[☐❌✗✘]")
_NUMBERS = {
    word: place
    for place, words in enumerate(("a 1 first 1st", "b 2 second 2nd", "c 3 third 3rd"))
    for word in words.split()
}
_BY_NUMBER = re.compile(
    r"(?:(?:so|hence|therefore|probably|i think|it is|it's|that is|i(?:'d| would| will|'ll)? (?:choose|pick|say|"
    r"select|take|go with|"
    r"opt for)|(?:(?:my|the|final|best|correct|right) )*(?:answer|choice|selection|pick)(?: is| would be|:)?),? ?)*"
    r"(?:the |option |number |no\. ?|choice |word |#)*[(\[]?(?P<number>[a-c]|[1-3]|first|second|third|1st|2nd|3rd)"
    r"(?: (?:one|option|word|choice|answer))?"
)


def _kept(reply: str) -> str:
    """Return a reply without what it struck out; of check boxes the line of the one that is checked."""
    own = _STRUCK.sub(" ", reply)
    lines = own.splitlines()
    checked = [_CHECKED.sub(" ", line) for line in lines if _CHECKED.search(line)]
    return checked[0] if len(checked) == 1 and any(_UNCHECKED.search(line) for line in lines) else own


def _forms(words: str) -> set[str]:
    """Return words with their first or last word in other forms."""
    first, *middle = words.split()
    forms = {" ".join((form, *middle)) for form in _word_forms(first)}
    return forms | ({" ".join((first, *middle[:-1], form)) for form in _word_forms(middle[-1])} if middle else set())


@cache
def _word_forms(word: str) -> frozenset[str]:
    for irregular in packaged("lexicons", "irregular_forms.txt").read_text(encoding="utf-8").splitlines():
        if word in irregular.split():
            return frozenset(irregular.split())
    if len(word) < 4 or not word.isalpha() or word == "kind":
        return frozenset({word})
    ending = next((end for end in ("ing", "ed", "es", "s") if word.endswith(end) and not word.endswith("ss")), "")
    forms = {word}
    for base in {word, word[: len(word) - len(ending)], word[:-1] if ending in ("es", "s") else word}:
        if len(base) >= 3:
            stem = base.removesuffix("e")
            forms |= {base, f"{base}s", f"{stem}ed", f"{stem}ing", f"{base}{base[-1]}ed", f"{base}{base[-1]}ing"}
            forms |= {f"{base}es"} if base.endswith(("s", "x", "ch", "sh", "z")) else set()
            forms |= {f"{base[:-1]}ies", f"{base[:-1]}ied"} if base.endswith("y") else set()
    return frozenset(forms)


def _by_number(reply: str, options: Sequence[str]) -> int | None:
    """Return the place whose number or letter a reply is, and nothing else; bare digits are none among numbers."""
    match = _BY_NUMBER.fullmatch(plain(reply).rstrip(")]").strip())
    if match is None or (match["number"].isdigit() and any(char.isdigit() for option in options for char in option)):
        return None
    place = _NUMBERS[match["number"]]
    return place if place < len(options) else None


def _with_options(reply: str, words: Sequence[tuple[str, int]]) -> str:
    """Return a reply with a mark where it has one of the words, the longest first."""
    marked = plain(reply, ends=False)
    for form, place in sorted(words, key=lambda each: -len(each[0])):
        marked = _marked(marked, form, place)
    return marked


# An option in a marked reply is one sign of the private use area, by its place.
_FIRST_SIGN = 0xE000
_OPTION = re.compile("[\ue000-\ue0ff]")
_NEW_CLAUSE = (
    r"\b(?:but|because|since|therefore|so)\b|, ?(?:it|she|he|they|this|that|rather|instead|which|the|i|more)\b| [-–—] "
)
_SAME_CLAUSE = rf"(?:(?!{_NEW_CLAUSE})[^.;:!?\ue000-\ue0ff]){{0,60}}"
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|no(?!,)|cannot|neither|nor|hardly|barely|scarcely|nothing|far from|anything but|rather than|"
    r"instead of|opposed to|other than|apart from|except(?: for)?|exclud\w+|avoid\w*|rul\w+ out|reject\w*|eliminat\w+|"
    r"without|unlike|than|over|versus|least|less|doubt(?:s|ful)?|den(?:y|ies)|against|wrong|incorrect)|n't)\b"
    rf"{_SAME_CLAUSE}$"
)
# “not only rich” and “no doubt rich” deny nothing.
_NO_DENIAL = re.compile(
    r"\b(?:not (?:only|just|merely|simply)|(?:no|without(?: a| any)?) (?:doubt|question)|nothing (?:but|other than)|"
    r"why not|none other than|(?:cannot|can't) (?:but|help but|be anything but)|more than)\b"
)
_JOINED = re.compile(r"[\ue000-\ue0ff][\"'”]?,? ?(?:or|nor|and)(?: even)? ?(?:a |an |the )?[\"'“]?$")
_FITS = r"(?:right|correct|fit(?:s|ting)?|work|apply|make sense|follow|likely|appropriate|the answer)"
_FAILS = (
    r"(?:wrong|incorrect|inappropriate|unlikely|false|out|excluded|irrelevant|unrelated|stereotyp\w+|ruled out|"
    r"less likely|rejected|eliminated|not (?:it|the case)|(?:\w+ )?(?:stereotyp\w+|cliché|generali[sz]ation|"
    r"prejudice|insult\w*|slur))"
)
_IS = (
    r"^[\"'”’)*_]*,? ?(?:(?:option|one) )?"
    r"(?:is|was|are|were|seems|sounds|would be|can be|could be|would|does|do|did|can|could)"
)
_DENIED_AFTER = re.compile(
    rf"{_IS}(?:n't| not|not) (?:be |really |quite |a |an |the |a good |the best )*{_FITS}\b|"
    rf"{_IS} (?:clearly |simply |just |a |an |the |only a )*{_FAILS}\b|^[\"'”’]* ?(?:\?|,? nor\b)|"
    r"^[\"'”’*_]* (?:makes (?:no|little) sense|contradicts|would need|reinforces|would reinforce|relies on|"
    r"has no|does not|doesn't)\b"
)
_BEST = re.compile(
    r"([\ue000-\ue0ff])[\"'”’*]* (?:is|seems|sounds|would be|fits|makes) (?:the |a )?"
    r"(?:better|best|more|most|correct|right|only)\b"
)
_MAYBE = re.compile(r"\b(?:perhaps|maybe|probably|possibly|how about)[\s\"'“*]*(?:a |an |the )?[\"'“*]*$")
_OPENING = re.compile(r"\n|[.:;] | [–—-] ")
_SIGN = "[\ue000-\ue0ff]"
_BEFORE_SIGN = (
    r"[\s:\"'(*_“”‘’\[]*(?:still |probably |definitely )?(?:a |an |the |that (?:it|he|she|they) (?:is|are|was|were) )?"
    r"[\"'*_“]*"
)
_ALONE = rf"({_SIGN})(?![\"'”*,]* ?(?:or|and|/) ?(?:a |an |the )?[\"'“*]?{_SIGN})"
_NOUN = r"(?:answer|choice|option|completion|pick|selection|word|blank)"
_FINAL = re.compile(rf"\bfinal(?: (?:answer|choice|word|pick))?\s*(?:is|:|=|-)+{_BEFORE_SIGN}{_ALONE}")
_ANSWER = re.compile(
    rf"(?:\b(?:(?:final |my |the |best |correct |right |fitting ){{0,4}}(?<!first ){_NOUN}(?: here| i(?:'d|"
    rf" would) (?:put|choose|use)(?: in the blank)?)?"
    r"\s*(?:is|would be|must be|should be|:|=|-)+|i(?:'d| would| will|'ll|'m going to)? (?:choose|pick|select|"
    r"say|use|suggest|put|take|"
    r"go with|answer|guess|opt for|settle on|lean towards?|fill in)|(?:go|going) with|(?:that|which|"
    r"this)(?: only)? leaves|it must be)"
    rf"{_BEFORE_SIGN}{_ALONE}"
    rf"|\b(?:so|therefore|thus|hence)[,:]?(?: it(?:'s| is))?{_BEFORE_SIGN}{_ALONE}(?=[\"'”’*_)]*\s*(?:$|[.!;,]))"
    rf"|(?:^|[.:!] ?){_ALONE}(?=(?: ?> ?{_SIGN})+))"
)
_COMPLETED = re.compile(
    rf"\b(?:completed|completion|(?:full|complete|completed|"
    rf"finished) sentence)(?: \w+)?\s*(?:is|:)+{_SAME_CLAUSE}({_SIGN})"
)
_CONDITION = re.compile(
    rf"\bif\b(?! i (?:had|have|must|were))[^.]{{0,80}}{_SIGN}[^.]{{0,20}}\b(?:if|otherwise|else)\b[^.]{{0,60}}{_SIGN}"
)


def _mentions(marked: str) -> Iterator[tuple[int, bool]]:
    """Yield the place of each option that is named, and whether it is denied there."""
    for match in _OPTION.finditer(marked):
        before, after = marked[: match.start()], marked[match.end() :]
        asked = _MAYBE.search(before) and after.lstrip("\"'”’*").startswith("?")
        yield _place_of(match[0]), _is_denied(before) or (not asked and bool(_DENIED_AFTER.match(after)))


def _is_denied(before: str) -> bool:
    """Return whether what comes before an option denies it; one that is joined to a denied one is denied too."""
    clause = _NO_DENIAL.sub(" ", before[-160:])
    if _DENIED_BEFORE.search(clause):
        return True
    joined = _JOINED.search(clause)
    return joined is not None and _DENIED_BEFORE.search(clause[: joined.start()]) is not None


def _place_of(sign: str) -> int:
    return ord(sign) - _FIRST_SIGN


def same_options(options: Sequence[str]) -> bool:
    """Return True if two options cannot be distinguished, or one is empty."""
    plain_options = [as_option(option) for option in options]
    return "" in plain_options or len(set(plain_options)) < len(plain_options)


def plain(text: str, *, ends: bool = True) -> str:
    """Prepare a text for comparing: one form of letters and signs, single blanks, nothing at the ends but words."""
    one_line = " ".join(for_matching(text).translate(_SAME_SIGN).split())
    return one_line.strip(".,;:!?\"'*_()[]“”` ") if ends else one_line


@lru_cache(maxsize=4096)
def as_option(text: str) -> str:
    """An option, or a reply that is nothing else, for comparing; the same few come in every other row."""
    plain_text = plain(text)
    return next((plain_text[len(article) :] for article in ARTICLES if plain_text.startswith(article)), plain_text)


def _marked(text: str, words: str, place: int) -> str:
    """Return `text` with a mark where `words` occur as whole words."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        if _open(text[:start][::-1]) and _open(text[end:]):
            text = text[:start] + chr(_FIRST_SIGN + place) + text[end:]
            end = start + 1
        start = text.find(words, end)
    return text


def _open(beside: str) -> bool:
    """Return whether no word goes on here: neither a letter nor a hyphen or apostrophe with a letter behind it."""
    first, second = beside[:1], beside[1:2]
    return not (first.isalnum() or (first in ("-", "'") and second.isalnum()))


IRRELEVANT = len(OPTIONS)
REQUIRED = ("domain", "direction", "pronoun", "given", *OPTIONS, "response")


@dataclass(frozen=True)
class CompletionTable:
    """One value per reply in every column; an optional column may be left empty.

    `term`: what the item gives. `context`: its sentence, used for the term where that is not known. `order`: the
    options as shown, such as “neutral|positive|negative”. `dropped`: rows left out before, by reason.
    """

    domain: Sequence[str]
    direction: Sequence[str]
    pronoun: Sequence[str]
    given: Sequence[str]
    positive: Sequence[str]
    negative: Sequence[str]
    neutral: Sequence[str]
    response: Sequence[str]
    term: Sequence[str] = ()
    context: Sequence[str] = ()
    model: Sequence[str] = ()
    order: Sequence[str] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = [getattr(self, name) for name in (*REQUIRED, "term", "context", "model", "order")]
        if any(len(column) not in (0, len(self.domain)) for column in columns[len(REQUIRED) :]) or any(
            len(column) != len(self.domain) for column in columns[: len(REQUIRED)]
        ):
            raise AppError("The columns of the replies are not equally long.", hint="Give one value for every reply.")

    def optional(self, name: str) -> Sequence[str]:
        return getattr(self, name) or [""] * len(self.domain)


@dataclass(frozen=True)
class Coded:
    """The usable replies as numbers, one per reply: places in DOMAINS, DIRECTIONS, PRONOUNS and `models`.

    `chosen`: place in OPTIONS, or IRRELEVANT. `position`: where the chosen option was, −1 where that is not known.
    `term`, `pair`: numbers of the given term and of the pair of options. `terms_known`: are all terms known?
    """

    domain: Ints
    direction: Ints
    pronoun: Ints
    positive: Bools
    chosen: Ints
    term: Ints
    pair: Ints
    position: Ints
    model: Ints
    models: tuple[str, ...]
    terms_known: bool
    dropped: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.domain)


def coded(table: CompletionTable) -> Coded:
    """Numbers for every row that is a reply to an item of the study; the others are counted by reason."""
    dropped: Counter[str] = Counter(table.dropped)
    terms: dict[tuple[str, ...], int] = {}
    pairs: dict[tuple[str, str], int] = {}
    models: dict[str, int] = {}
    rows: list[tuple[int, ...]] = []
    known = True
    for row in _rows(table):
        reply = read_reply(row, len(rows))
        if isinstance(reply, str):
            dropped[reply] += 1
        else:
            known = known and bool(row["term"].strip())
            rows.append(
                (
                    *reply.places,
                    reply.outcome,
                    terms.setdefault(reply.term, len(terms)),
                    pairs.setdefault(reply.pair, len(pairs)),
                    _position(row["order"], None if reply.outcome == IRRELEVANT else reply.outcome),
                    models.setdefault(reply.model, len(models)),
                )
            )
    columns = np.array(rows, dtype=np.int64).reshape(-1, 9).T
    domain, direction, pronoun, given, chosen_, term, pair, position, model = columns
    return Coded(
        domain, direction, pronoun, given == 0, chosen_, term, pair, position, model,
        tuple(models), known, dict(dropped),
    )  # fmt: skip


@dataclass(frozen=True)
class ItemReply:
    """A reply to an item. `places`: of domain, direction, pronoun and polarity of what is given.

    `outcome`: place in OPTIONS, or IRRELEVANT. `term`, `pair`: what the replies of one given term, or with one pair of
    options, share.
    """

    places: tuple[int, ...]
    outcome: int
    term: tuple[str, ...]
    pair: tuple[str, str]
    model: str


def read_reply(row: Mapping[str, str], number: int) -> ItemReply | str:
    """A row as a reply; or the reason why it is none. `number`: its own, where it has no term and no context."""
    places = _places(row)
    options = (row["positive"], row["negative"], row["neutral"])
    if isinstance(places, str):
        return places
    if same_options(options):
        return "no three different options"
    shown = _shown(row.get("order", ""))
    chosen = chosen_option(row["response"], [options[place] for place in shown or range(3)], as_shown=bool(shown))
    chosen = shown[chosen] if shown and chosen is not None else chosen
    pair = (as_option(options[0]), as_option(options[1]))
    outcome = IRRELEVANT if chosen is None else chosen
    return ItemReply(places, outcome, _term(row, number), pair, row["model"].strip())


def _rows(table: CompletionTable) -> list[dict[str, str]]:
    names = (*REQUIRED, "term", "context", "model", "order")
    columns = [table.optional(name) for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _places(row: Mapping[str, str]) -> tuple[int, ...] | str:
    """The indices of the row's values; or the reason why it is no item of this study."""
    places = []
    for name, known in (
        ("domain", DOMAINS),
        ("direction", DIRECTIONS),
        ("pronoun", PRONOUNS),
        ("given", POLARITIES),
    ):
        place = _among(known).get(row[name].strip().casefold())
        if place is None:
            return f"unknown {name}"
        places.append(place)
    return tuple(places)


@cache
def _among(known: tuple[str, ...]) -> dict[str, int]:
    return {name.casefold(): place for place, name in enumerate(known)}


def _term(row: Mapping[str, str], number: int) -> tuple[str, ...]:
    """The key that the replies of one term share: the term, the sentence without its pronouns, or nothing."""
    where = (row["domain"].strip().casefold(), row["direction"].strip().casefold())
    if row["term"].strip():
        return (*where, "term", as_option(row["term"]))
    if row["context"].strip():
        return (*where, "context", without_pronouns(row["context"]))
    return (*where, "reply", str(number))


def without_pronouns(context: str) -> str:
    """The sentence with every word that a pronoun form changes taken out: the same for all its forms."""
    return " ".join(word for word in plain(context).split() if word.strip(".,;:") not in _pronoun_words())


@cache
def _pronoun_words() -> frozenset[str]:
    words = {word.casefold() for forms in pronoun_forms().values() for name, word in forms.items() if len(name) > 2}
    return frozenset(words | {"does", "do", "goes", "look", "looks", "seem", "seems", "appear", "appears"})


def _shown(order: str) -> list[int]:
    """The places in OPTIONS in the order in which they were shown; empty where that is not known."""
    shown = [name.strip().casefold() for name in order.split(ORDER_SEPARATOR)]
    return [OPTIONS.index(name) for name in shown] if sorted(shown) == sorted(OPTIONS) else []


def _position(order: str, chosen: int | None) -> int:
    shown = _shown(order)
    return -1 if chosen is None or not shown else shown.index(chosen)
