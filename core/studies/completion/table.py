"""Replies as the study reads them, and coded for counting."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.metrics.result import Bools, Ints
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


def chosen_option(reply: str, options: Sequence[str]) -> int | None:
    """The place of the option that the reply names; None where it names none of them, or two different ones.

    Case does not count, and neither does an article before an option. Options are whole words, and the longest one
    wins where one lies within another: “Boston College” is not “Boston”, “non-critical” is not “critical”.
    """
    plain_options = [as_option(option) for option in options]
    if as_option(reply) in plain_options:
        return plain_options.index(as_option(reply))
    plain_reply = plain(reply)
    places = set()
    for place in sorted(range(len(options)), key=lambda place: -len(plain_options[place])):
        rest = _without(plain_reply, plain_options[place])
        if rest != plain_reply:
            places.add(place)
            plain_reply = rest
    return places.pop() if len(places) == 1 else None


def same_options(options: Sequence[str]) -> bool:
    """Return True if two options cannot be distinguished, or one is empty."""
    plain_options = [as_option(option) for option in options]
    return "" in plain_options or len(set(plain_options)) < len(plain_options)


def plain(text: str) -> str:
    """Prepare a text for comparing: one form of letters and signs, single blanks, nothing at the ends but words."""
    return " ".join(for_matching(text).translate(_SAME_SIGN).split()).strip(".,;:!?\"'*_()[]“”` ")


@lru_cache(maxsize=4096)
def as_option(text: str) -> str:
    """An option, or a reply that is nothing else, for comparing; the same few come in every other row."""
    plain_text = plain(text)
    return next((plain_text[len(article) :] for article in ARTICLES if plain_text.startswith(article)), plain_text)


def _without(text: str, words: str) -> str:
    """Return `text` without the places where `words` occur as whole words."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        if _open(text[:start][::-1]) and _open(text[end:]):
            text = text[:start] + "\n" + text[end:]
            end = start
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
    chosen = chosen_option(row["response"], options)
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


def _position(order: str, chosen: int | None) -> int:
    shown = [name.strip().casefold() for name in order.split(ORDER_SEPARATOR)]
    if chosen is None or sorted(shown) != sorted(OPTIONS):
        return -1
    return shown.index(OPTIONS[chosen])
