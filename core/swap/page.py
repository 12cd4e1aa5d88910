"""A text as the rules see it: tokens with tags, sentences, and stretches in which little or nothing may change.

The values of a swap: the people, the twin's text, every change with its reason, and places in both texts.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple, Protocol, get_args

from biasprint.core.swap.vocabulary import is_a_word, is_base, swap_words

Pronoun = Literal["he", "she", "they", ""]

PRONOUNS: tuple[Pronoun, ...] = get_args(Pronoun)
# Those between which a text has swap twins for judging, and for which biographies are rewritten.
HE_AND_SHE: Mapping[str, Pronoun] = {"he": "he", "she": "she"}
KeptKind = Literal["address", "title", "speech", "salutation", "signature"]

_ADDRESS = re.compile(
    r"(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?:https?://|www\.)[^\s<>“”\"]+"
    r"|(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|info|io|eu|de|fr|ch|nl|co\.uk|ac\.uk|pdf|docx?|odt|html?)\b"
    r"(?:/[^\s<>“”\"]*)?"
    r"|(?<!\w)[@#]\w+|\b\w+_\w+\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"“[^”]{1,600}”|\"[^\"\n]{1,600}\"|«[^»]{1,600}»|(?<!\w)‘[^‘\n]{1,300}?’(?!\w)|(?<!\w)'[^'\n]{1,300}?'(?!\w)"
)
_SALUTATION = re.compile(
    r"^[^\S\n]*(?:dear\b|hello\b|hi\b|greetings\b|attention\b|to whom\b)[^\n,:]{0,100}[,:]?",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSING = re.compile(
    r"^[^\S\n]*(?:(?:yours\s+)?(?:very\s+)?(?:sincerely|faithfully|truly|respectfully|cordially)(?:\s+yours)?|"
    r"(?:with\s+)?(?:my\s+)?(?:best|kind|kindest|warm|warmest)(?:\s+(?:regards|wishes))?|regards|yours)[^\S\n]*,?[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_POSTSCRIPT = re.compile(r"^[^\S\n]*p\.?\s?s\b", re.IGNORECASE | re.MULTILINE)
_LONGEST_SIGNATURE = 600


@dataclass(frozen=True)
class Person:
    """The person that a letter is about. Fields are "" where they are not known.

    `whole`: the name at its fullest, where there is more to it than the first and the last name.
    """

    first_name: str = ""
    last_name: str = ""
    title: str = ""
    pronoun: Pronoun = ""
    whole: str = ""

    @property
    def full_name(self) -> str:
        return self.whole or " ".join(name for name in (self.first_name, self.last_name) if name)


class Stretch(Protocol):
    """A part of a letter, such as its salutation: characters `start` to `end`."""

    @property
    def kind(self) -> str: ...

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


@dataclass(frozen=True)
class Change:
    """Characters `start` to `end` of the letter became `new`; left alone, `new` is `old`.

    `reason`: why, in words. `doubt`: why a person should look at it, "" where there is none.
    """

    start: int
    end: int
    old: str
    new: str
    reason: str
    doubt: str = ""


@dataclass(frozen=True)
class Twin:
    """The twin's text, its changes in order, and words left alone although they may be about the person."""

    text: str
    changes: tuple[Change, ...]
    left_alone: tuple[Change, ...]

    def place(self, offset: int) -> int:
        """The place in the twin of a place in the letter; never decreasing.

        The start of a change leads to the start of what replaced it, its end to the end, and a place within it as far
        into the new words as they reach.
        """
        moved = 0
        for change in self.changes:
            if offset < change.end or (offset == change.end and change.start == change.end):
                if offset <= change.start:
                    break
                return min(change.start + moved + offset - change.start, change.start + moved + len(change.new))
            moved += len(change.new) - (change.end - change.start)
        return offset + moved

    def back(self, offset: int) -> int:
        """The place in the letter of a place in the twin: `place` the other way round, up to what changes swallow."""
        moved = 0
        for change in self.changes:
            start, end = change.start + moved, change.start + moved + len(change.new)
            if offset < end or (offset == end and start == end):
                if offset <= start:
                    break
                return min(change.start + offset - start, change.end)
            moved += len(change.new) - (change.end - change.start)
        return offset - moved


def applied(text: str, changes: Sequence[Change]) -> str:
    """`text` with the changes made; they are in order and do not overlap."""
    parts, end = [], 0
    for change in changes:
        parts += [text[end : change.start], change.new]
        end = change.end
    return "".join([*parts, text[end:]])


def in_case_of(old: str, new: str) -> str:
    """`new` as `old` is written: lower, Capitalised or UPPER."""
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


class Kept(NamedTuple):
    kind: KeptKind
    start: int
    end: int


def kept(text: str, parts: Sequence[Stretch] = ()) -> list[Kept]:
    """Return the stretches to keep, in order of start; they may overlap. `parts`, if given, say what is salutation."""
    stretches = [Kept("address", *match.span()) for match in _ADDRESS.finditer(text)]
    stretches += [
        Kept("title" if is_title(match.group()[1:-1]) else "speech", *match.span()) for match in _QUOTED.finditer(text)
    ]
    if parts:
        stretches += [Kept("salutation", part.start, part.end) for part in parts if part.kind == "salutation"]
        stretches += [Kept("signature", part.start, part.end) for part in parts if part.kind == "signature"]
    else:
        stretches += [Kept("salutation", *match.span()) for match in _SALUTATION.finditer(text)]
        stretches += _signature(text)
    return sorted(stretches, key=lambda stretch: (stretch.start, stretch.end))


def is_title(quoted: str) -> bool:
    """A work's or a prize's name (“Her Own Room”), not something somebody said (“She never gave up.”)."""
    small = swap_words().file.lists.small
    words: list[str] = [word for word in re.findall(r"[^\W\d_][\w'’-]*", quoted) if word.lower() not in small]
    if not words:
        return True
    capitals = sum(word[0].isupper() for word in words)
    return capitals >= 0.7 * len(words)


def _signature(text: str) -> list[Kept]:
    closings = list(_CLOSING.finditer(text))
    if not closings or len(text) - closings[-1].end() > _LONGEST_SIGNATURE:
        return []
    start = closings[-1].end()
    later = _POSTSCRIPT.search(text, start)
    return [Kept("signature", start, later.start() if later else len(text))]


# Shortened forms are tokens of their own (“she's”, “they've”, “isn't”), as the tagger expects them.
_TOKEN = re.compile(
    r"n['’]t\b|['’](?:s|re|ve|ll|d|m)\b|\w+?(?=n['’]t\b)"
    r"|\w+(?:-\w+|\.(?:\d+|[A-Za-z]\b))*(?:['’](?!(?:s|re|ve|ll|d|m)\b)\w+)?|[^\w\s]",
    re.IGNORECASE,
)
_LONGEST_SENTENCE = 300  # tokens: rules look through a sentence, and a list without stops is none
_ENDS = (".", "!", "?", "…")
_CLOSERS = ("”", '"', ")", "’", "'", "»", "]")


class Token(NamedTuple):
    """`text[start:end]` of the text, its Penn Treebank tag, whether a sentence begins with it, and in lower case."""

    text: str
    start: int
    end: int
    tag: str
    first: bool
    lower: str  # every rule asks for it


class Branch(NamedTuple):
    """The grammar of a token: its Penn tag, its relation (“poss”), and the token it hangs on, itself for a root."""

    tag: str
    relation: str
    head: int


@dataclass(frozen=True)
class Page:
    """`sentence[i]` is the number of the sentence of token `i`; `kept[i]` what it is kept as, or "".

    `tree`: the grammar of each token by the parser; empty where none is installed.
    """

    text: str
    tokens: tuple[Token, ...]
    sentence: tuple[int, ...]
    kept: tuple[KeptKind | None, ...]
    stretches: tuple[Kept, ...]
    tree: tuple[Branch, ...] = ()

    @cached_property
    def lowered(self) -> bool:
        """Has the text no capital at all?"""
        return not any(sign.isupper() for sign in self.text)

    @cached_property
    def starts(self) -> dict[int, int]:
        """The first character of a token → its place."""
        return {token.start: place for place, token in enumerate(self.tokens)}

    @cached_property
    def ends(self) -> dict[int, int]:
        return {token.end: place for place, token in enumerate(self.tokens)}

    def before(self, place: int) -> Iterator[int]:
        """Places before `place` in its sentence, nearest first."""
        at = place - 1
        while at >= 0 and self.sentence[at] == self.sentence[place]:
            yield at
            at -= 1

    def after(self, place: int) -> Iterator[int]:
        at = place + 1
        while at < len(self.tokens) and self.sentence[at] == self.sentence[place]:
            yield at
            at += 1

    def touching(self, place: int) -> int | None:
        """The next token's place, if nothing but blanks of one line or paragraph lies between."""
        if place + 1 >= len(self.tokens):
            return None
        between = self.text[self.tokens[place].end : self.tokens[place + 1].start]
        return place + 1 if between.count("\n") <= 1 else None

    def lower(self, place: int | None) -> str:
        return self.tokens[place].lower if place is not None and 0 <= place < len(self.tokens) else ""

    def tag(self, place: int | None) -> str:
        return self.tokens[place].tag if place is not None and 0 <= place < len(self.tokens) else ""

    def branch(self, place: int) -> Branch | None:
        """The grammar of a token; None where there is no parser, or it reads no such word there."""
        known = bool(self.tree) and 0 <= place < len(self.tree) and self.tree[place].tag != ""
        return self.tree[place] if known else None

    def is_adverb(self, place: int) -> bool:
        token = self.tokens[place]
        return (
            token.tag.startswith("RB")
            or token.lower in swap_words().file.lists.adverbs
            or (token.lower.endswith("ly") and len(token.text) > 4 and not is_base(token.lower))
        )

    def looks_named(self, place: int | None) -> bool:
        """Is this capitalised as part of a name, not for beginning a sentence?"""
        if place is None or not 0 <= place < len(self.tokens):
            return False
        token = self.tokens[place]
        if not token.text[:1].isupper() or token.lower in ("i", "he", "she", "they", "his", "her", "their"):
            return False
        return not token.first or (token.tag == "NNP" and not is_a_word(token.lower))


def read_page(text: str, parts: Sequence[Stretch] = (), *, grammar: bool = False) -> Page:
    """The tokens of `text`; heavy at the first call (the tagger and a dictionary are loaded).

    `grammar`: with their grammar, where the parser is installed.
    """
    token_matches = list(_TOKEN.finditer(text))
    numbers = _sentences(text, token_matches)
    words = [match.group() for match in token_matches]
    tags = _tags(words, numbers)
    tokens = tuple(
        Token(word, *match.span(), tag, place == 0 or numbers[place] != numbers[place - 1], word.lower())
        for place, (word, match, tag) in enumerate(zip(words, token_matches, tags, strict=True))
    )
    tokens = _first_after_quotes(tokens)
    stretches = kept(text, parts)
    kinds: list[KeptKind | None] = [None] * len(tokens)
    # An address within a quotation stays an address, a title within speech a title.
    starts = [token.start for token in tokens]
    for kind in ("speech", "title", "signature", "salutation", "address"):
        for stretch in stretches:
            if stretch.kind == kind:
                here = slice(bisect_left(starts, stretch.start), bisect_left(starts, stretch.end))
                kinds[here] = [stretch.kind] * len(starts[here])
    tree = _tree(text, tokens, numbers) if grammar else ()
    return Page(text, tokens, tuple(numbers), tuple(kinds), tuple(stretches), tree)


_UNREAD = Branch("", "", -1)


def _tree(text: str, tokens: Sequence[Token], numbers: Sequence[int]) -> tuple[Branch, ...]:
    """The grammar of every token, sentence by sentence; a token of several parsed words has that of its head."""
    from biasprint.core.scorers.parts_of_speech import parsed

    ends = [place for place in range(1, len(tokens)) if numbers[place] != numbers[place - 1]]
    spans = list(pairwise([0, *ends, len(tokens)])) if tokens else []
    read = parsed([re.sub(r"\s", " ", text[tokens[low].start : tokens[high - 1].end]) for low, high in spans])
    if read is None:
        return ()
    tree = [_UNREAD] * len(tokens)
    for (low, high), words in zip(spans, read, strict=True):
        begins = [token.start - tokens[low].start for token in tokens[low:high]]
        places = [low + bisect_right(begins, word.start) - 1 for word in words]
        for word, place in zip(words, places, strict=True):
            head = places[word.head]
            if tree[place] is _UNREAD or head != place:
                tree[place] = Branch(word.tag, word.relation, head)
    return tuple(tree)


def folded(name: str) -> str:
    """A name for comparing: one way of writing accents and apostrophes."""
    return unicodedata.normalize("NFC", name).replace("’", "'")


def folded_to_letters(name: str) -> str:
    """A name without its accents, in lower case: for recognising one that is written with them and without."""
    apart = unicodedata.normalize("NFD", folded(name).lower())
    return "".join(sign for sign in apart if not unicodedata.combining(sign)).replace("ł", "l").replace("ø", "o")


def _first_after_quotes(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The word after an opening quotation mark or a bullet begins the sentence too."""
    done = list(tokens)
    for place, token in enumerate(done[:-1]):
        if token.first and not token.text[:1].isalnum():
            done[place + 1] = done[place + 1]._replace(first=True)
    return tuple(done)


def _sentences(text: str, tokens: Sequence[re.Match[str]]) -> list[int]:
    numbers, number, ended, length = [], 0, False, 0
    for place, match in enumerate(tokens):
        gap = text[tokens[place - 1].end() : match.start()] if place else ""
        word = match.group()
        length += 1
        paragraph = len(gap) > 1 and "\n\n" in re.sub(r"[^\S\n]", "", gap)
        if length > _LONGEST_SENTENCE or paragraph or (ended and word not in _CLOSERS):
            number, length = number + 1, 0
        numbers.append(number)
        if word in _ENDS:
            ended = _is_end(tokens, place)
        elif word not in _CLOSERS or (ended and numbers[-1] != number):
            ended = False
    return numbers


def _is_end(tokens: Sequence[re.Match[str]], place: int) -> bool:
    if tokens[place].group() != "." or not place:
        return True
    before = tokens[place - 1].group()
    if before.lower() in swap_words().file.lists.abbreviations or (
        len(before) == 1 and before.isalpha() and before != "I"
    ):
        return False
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    return after is None or not after.group()[0].islower()


def _tags(words: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """Return one tag per word; each sentence is tagged as one."""
    from biasprint.core.scorers.textblob_sentiment import english

    tag = english().tag
    tags: list[str] = []
    start = 0
    for place in range(len(words) + 1):
        if place == len(words) or numbers[place] != numbers[start]:
            sentence = [word.replace("’", "'") for word in words[start:place]]
            given = [pos for _, pos in tag(" ".join(sentence), tokenize=False)] if sentence else []
            # Where the tagger makes more or fewer of them, none can be trusted.
            tags += given if len(given) == len(sentence) else [""] * len(sentence)
            start = place
    return tags


# ---- The phrase of a noun: its first word, the word it depends on, and what kind of noun it is

OWNERS = ("my", "our", "your", "his", "their", "'s", "’s", "whose", "its")
_INSIDE = ("JJ", "CD", "VBN", "VBG", "NN", "FW", "RB")
ARTICLES = ("a", "an", "the", "this", "that", "every", "each", "no", "any", "another", "one", "such", "some")


def is_inner(page: Page, place: int) -> bool:
    """Is this a noun before the head: “female software engineer”?"""
    following = page.touching(place)
    return (
        following is not None
        and page.sentence[following] == page.sentence[place]
        and page.tag(place).startswith("NN")
        and page.tag(following).startswith("NN")
        and page.tokens[place].text.isalnum()
    )


def is_meant_as_verb(page: Page, place: int) -> bool:
    """“to man the desk”, “she fathered”: the tagger seldom sees these; the words around them show it."""
    before, after = page.lower(place - 1), page.lower(place + 1)
    return before in ("to", "will", "would", "can", "could", "must", "help") and after in (
        *ARTICLES,
        "our",
        "his",
        "her",
    )


def is_one_of(page: Page, start: int) -> bool:
    near = [page.lower(at) for at in range(max(0, start - 4), start + 1)]
    return ("one" in near and "of" in near) or "among" in near


def is_title_case(page: Page, place: int) -> bool:
    """A heading in capitals all through, where capitals tell nothing."""
    around = [
        page.tokens[at].text for at in (*page.before(place), *page.after(place)) if page.tokens[at].text.isalpha()
    ]
    return page.tokens[place].text.isupper() and len(around) > 1 and all(text.isupper() for text in around)


def phrase_start(page: Page, place: int) -> int:
    """The first token of the noun's phrase: its article, or else its first adjective."""
    at = place
    while at and page.sentence[at - 1] == page.sentence[place]:
        lower, tag = page.lower(at - 1), page.tag(at - 1)
        if lower in ARTICLES:
            return at - 1
        joined = lower in ("-", ",", "and") and page.tag(at - 2).startswith("JJ") and tag != "NN"
        if lower in OWNERS or lower == "her" or not (tag.startswith(_INSIDE) or joined):
            return at
        if page.looks_named(at - 1) and tag != "JJ":  # “her Swedish grandmother”
            return at
        at -= 1
    return at


def governor_of(page: Page, start: int, place: int) -> int | None:
    """The verb or preposition that the noun's phrase depends on; `None` where it is its sentence's subject."""
    at = start - 1
    while (
        at >= 0
        and page.sentence[at] == page.sentence[place]
        and (page.is_adverb(at) or page.lower(at) in ("all", "both"))
    ):
        at -= 1
    return at if at >= 0 and page.sentence[at] == page.sentence[place] else None
