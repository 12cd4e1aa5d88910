"""The people that a letter names: every mention in full, by given or family name, or with a title, put together."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice

from biasprint.core.swap.nouns import PARTNER
from biasprint.core.swap.page import HE_AND_SHE, Change, Page, Person, in_case_of
from biasprint.core.swap.pronouns import FORMS, Spoken
from biasprint.core.swap.told import Telling, Words, person_words
from biasprint.core.swap.vocabulary import SwapWords, swap_words

# ---- A person's partner

PARTNER_CHANGED = "the person's partner, changed so that the couple reads as before: look whether that is meant"


def with_partners(
    page: Page, nouns: Sequence[Change], person: Person, other: Person, spoken: Spoken, words: SwapWords
) -> list[Change]:
    """`nouns` with the words for the partner changed; as they are where one of them has to stay."""
    places = {token.start: place for place, token in enumerate(page.tokens)}
    partners = [change for change in nouns if change.doubt == PARTNER]
    both = {person.pronoun, other.pronoun} <= HE_AND_SHE.keys() and person.pronoun != other.pronoun
    if not both or any(_is_told_of(page, places[change.start], spoken, words) for change in partners):
        return list(nouns)
    return [_changed(change, words) if change.doubt == PARTNER else change for change in nouns]


def _changed(change: Change, words: SwapWords) -> Change:
    his, hers, _ = words.kin[change.old.lower()]
    new = hers if change.old.lower() == his else his
    return replace(change, new=in_case_of(change.old, new), reason="relationship word", doubt=PARTNER_CHANGED)


def _is_told_of(page: Page, place: int, spoken: Spoken, words: SwapWords) -> bool:
    """Does the text tell the partner's gender by a name beside the word, or by a pronoun that is not the person's?"""
    after = place + 2 if page.lower(place + 1) == "," else place + 1
    if page.looks_named(after) or page.looks_named(place - 1):
        return True
    forms = set(FORMS[words.said_of[page.lower(place)]].values())
    return any(page.lower(at) in forms and at not in spoken.person for at in range(len(page.tokens)))


@dataclass(frozen=True)
class NameMention:
    """`words` without the title; `sentence` is the number of the sentence it is in, -1 for a heading."""

    start: int
    end: int
    title: str
    words: tuple[str, ...]
    sentence: int


@dataclass
class Named:
    """Somebody whom the letter names: `words` are the name at its fullest."""

    words: tuple[str, ...]
    mentions: list[NameMention] = field(default_factory=list)

    @property
    def name(self) -> str:
        return " ".join(self.words)

    @property
    def titles(self) -> list[str]:
        return [mention.title for mention in self.mentions if mention.title]


MOST = 150  # mentions: a list of names is no letter
_UPPER = r"[^\W\d_a-zß-öø-ÿ]"
_NAME = rf"{_UPPER}[\w’'-]*\w|(?:{_UPPER}\.)+(?:-?{_UPPER}\.)*"


@cache
def _naming() -> re.Pattern[str]:
    """A stretch of capitalised words, with a title or without."""
    particles = "|".join(sorted(map(re.escape, person_words().particles), key=len, reverse=True))
    gap = r"[^\S\n]{1,3}"
    return re.compile(
        rf"(?<![\w’'-])(?:{_NAME})\.?(?:{gap}(?:(?:{particles})(?:{gap}|-)){{0,3}}"
        rf"(?:{_NAME}|[\"“](?:{_NAME})[\"”])){{0,6}}"
    )


def _mentions(page: Telling) -> Iterator[NameMention]:
    borne = _borne(page.text)
    for match in _naming().finditer(page.text):
        headed = any(start <= match.start() < end for start, end in page.headed)
        sentence = -1 if headed else page.sentence_at(match.start())
        for title, words, start, end in _names_in(match.group(), match.start(), borne, headed=headed):
            yield NameMention(start, end, title, words, sentence)


def _names_in(stretch: str, at: int, borne: Words, *, headed: bool) -> Iterator[tuple[str, tuple[str, ...], int, int]]:
    """The names in a stretch of capitalised words: without “When” and “'s”, the title apart."""
    title: list[str] = []
    words: list[str] = []
    start = end = at
    for match in re.finditer(r"\S+", stretch):
        raw = match.group()
        if re.fullmatch(r"[\"“].+[\"”]", raw):  # “Thaddeus "Buck" O'Shea”
            words += [raw] if words else []
            continue
        word = re.sub(r"['’]s$|['’]$", "", raw)
        bare = word.rstrip(".") if len(word) > 2 and not re.fullmatch(r"(?:\w\.)+", word) else word
        lower = bare.lower().rstrip(".")
        shout = bare.isupper() and len(bare) > 1 and "." not in bare
        if not words and (_is_title(lower) or (title and _is_title(" ".join([*title, lower]).lower()))):
            title.append(word)
        elif (
            (_is_no_name(lower) and lower not in (borne | _family(words)))
            or (shout and not headed and len(bare) > 2)
            or (shout and words and not words[0].isupper())
        ):
            if words:
                yield " ".join(title), tuple(words), start, end
            title, words = [], []
            continue
        else:
            start = at + match.start() if not words else start
            words.append(bare)
        end = at + match.start() + len(bare)
        if raw != word or (bare != word and words):
            if words:
                yield " ".join(title), tuple(words), start, end
            title, words = ([], []) if words else (title, words)
    if words:
        yield " ".join(title), tuple(words), start, end


@cache
def _offices() -> Words:
    """Return the words that may precede a name besides titles: “Driver Paul Rees”."""
    return swap_words().file.nouns.people | swap_words().file.nouns.beside | {"staff", "engineer", "officer", "nurse"}


def _is_title(lower: str) -> bool:
    return lower.rstrip(".") in person_words().titles


def _is_no_name(lower: str) -> bool:
    own = lower in person_words().no_names or lower in swap_words().file.lists.no_names
    return own or re.match(r"i['’]|\w+days?$", lower) is not None


def _family(words: Sequence[str]) -> Words:
    """Return the words that may be a family name after a given one: “Ann Best”."""
    return frozenset(swap_words().gendered.names_that_are_words if words else ())


_NAMES_TOO = ("sunday", "friday", "christian", "general", "justice", "trust")


def _borne(text: str) -> Words:
    """Words such as Will and April that are names in this letter: with a family name, or amid a sentence."""
    bearers = []
    months = swap_words().file.titles.months
    for word in (*swap_words().gendered.names_that_are_words, *_NAMES_TOO):
        name = re.escape(word.title())
        full = re.finditer(rf"(?<!\w){name}\s+({_NAME})", text)
        amid = word not in months and word not in _NAMES_TOO and re.search(rf"[a-z,;:]\s+{name}(?![\w-])", text)
        if amid or any(not _is_no_name(match.group(1).lower().rstrip(".")) for match in full):
            bearers.append(word)
    return frozenset(bearers)


def _cleaned(mention: NameMention, text: str, capitals: Mapping[str, int], given: Words) -> NameMention | None:
    """The mention without a rank before the name, or None where it is hardly a name."""
    words = list(mention.words)
    title = mention.title
    if mention.sentence < 0 and all(word.isupper() for word in words if len(word) > 2):
        words = [word.title() if len(word) > 2 else word for word in words]
    while len(words) > 1 and words[0].lower() in _offices() and words[0].lower() not in given:
        title, words = f"{title} {words[0]}".strip(), words[1:]
    while words and words[-1].lower() in person_words().particles:
        words.pop()
    if not words or any(word.lower() in swap_words().file.titles.organisations for word in words[1:]):
        return None
    first = re.search(r"(?:^|[.!?:…“\"]|\n)\s*$", text[max(0, mention.start - 4) : mention.start]) is not None
    if first and len(words) == 1 and not title and not _is_surely_a_name(words[0], text, capitals, given):
        return None
    return NameMention(mention.start, mention.end, title, tuple(words), mention.sentence)


def _is_surely_a_name(word: str, text: str, capitals: Mapping[str, int], given: Words) -> bool:
    """Is this first word of a sentence a name: “Blessing did not fight him”, not “Guests notice her”?"""
    if capitals.get(word, 0):
        return True
    small = re.search(rf"(?<![\w’'-]){re.escape(word.lower())}(?![\w’'-])", text) is not None
    return not small and (word.lower() in given or len(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", text)) > 1)


@cache
def given_names() -> frozenset[str]:
    return frozenset(name for some in swap_words().file.given_names.values() for name in some)


def people_of(page: Telling) -> tuple[Named, ...]:
    """Return the people in the order of their first mention; neither the writer nor the person greeted."""
    return tuple(_people(page))


def _people(page: Telling) -> Iterator[Named]:
    mentions = list(islice(_mentions(page), MOST))
    inside: dict[str, int] = {}
    for mention in mentions:
        begins = re.search(r"(?:^|[.!?:…“\"]|\n)\s*$", page.text[max(0, mention.start - 4) : mention.start]) is not None
        for place, word in enumerate(mention.words):
            if place or mention.title or not begins:
                inside[word] = inside.get(word, 0) + 1
    clean = [
        mention
        for mention in (_cleaned(mention, page.text, inside, given_names()) for mention in mentions)
        if mention is not None
    ]
    people: list[Named] = []
    for mention in sorted(
        clean, key=lambda mention: (-len(mention.words), -sum(map(len, mention.words)), mention.start)
    ):
        same = [person for person in people if _is_same(mention, person)]
        if same:
            max(same, key=lambda person: len(person.mentions)).mentions.append(mention)
        else:
            people.append(Named(mention.words, [mention]))
    for person in people:
        person.mentions.sort(key=lambda mention: mention.start)
    people = [person for person in people if not _is_place(person, page)]
    others = [person for person in people if not _is_writer(person, page) and not _is_greeted(person, page)]
    yield from sorted(others, key=lambda person: person.mentions[0].start)


def _is_same(mention: NameMention, person: Named) -> bool:
    """Can the mention be of this person, whose name is at least as full?"""
    he_or_she = {title_pronoun(title) for title in (mention.title, *person.titles)} - {""}
    if len(he_or_she) > 1:
        return False
    if len(mention.words) == 1:
        word = mention.words[0]
        return any(word == other.strip('"“”') or _is_short_for(word, other) for other in person.words)
    at = 0
    for word in mention.words:
        if word[0] in '"“':
            continue
        at = next((place + 1 for place in range(at, len(person.words)) if _matches(word, person.words[place])), -1)
        if at < 0:
            return False
    return True


def _matches(word: str, other: str) -> bool:
    initial = word.endswith(".") and other.startswith(word[0])
    return word == other or initial or _is_short_for(word, other) or word in other.split("-")


def _is_short_for(word: str, other: str) -> bool:
    short = swap_words().file.short_names.get(other.lower(), frozenset())
    return word.lower() in short or _is_within(word.lower(), other.lower())


def _is_within(word: str, other: str) -> bool:
    """“Rafiq” of Rafiqul, “Jide” of Babajide."""
    if len(other) < len(word) + 2:
        return False
    return (len(word) >= 3 and other.startswith(word)) or (len(word) >= 4 and other.endswith(word))


def title_pronoun(title: str) -> str:
    """he or she for a title that is only theirs, also a foreign one; "" for every other."""
    last = title.split()[-1].rstrip(".").lower() if title else ""
    if last in (
        "mr",
        "sir",
        "herr",
        "monsieur",
        "father",
        "brother",
        "uncle",
        "señor",
        "signor",
        "don",
        "lord",
        "shri",
    ):
        return "he"
    if last in (
        "mrs",
        "ms",
        "miss",
        "frau",
        "madame",
        "mme",
        "sister",
        "aunt",
        "auntie",
        "señora",
        "signora",
        "dame",
        "lady",
    ):
        return "she"
    return ""


@cache
def placing() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, person_words().placing))})\s+$", re.IGNORECASE)


def _is_place(person: Named, page: Telling) -> bool:
    """Is it never said but as a place is, and not called as people are?"""
    if person.titles or person.words[0].lower() in given_names():
        return False
    return all(placing().search(page.text[max(0, mention.start - 12) : mention.start]) for mention in person.mentions)


def _is_writer(person: Named, page: Telling) -> bool:
    return all(word in page.signed for word in person.words if word.lower() not in person_words().particles)


def _is_greeted(person: Named, page: Telling) -> bool:
    headed = any(mention.sentence < 0 for mention in person.mentions)
    return not headed and all(word in page.greeted for word in person.words)
