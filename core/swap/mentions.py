"""The people that a letter names: every mention in full, by given or family name, by title or by noun, put together.

Relations of the person (“her husband”) are other people: they stay as they are, a couple's words with a doubt.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice

from biasprint.core.swap.names import Names
from biasprint.core.swap.page import (
    ARTICLES,
    HE_AND_SHE,
    OWNERS,
    Change,
    Page,
    Person,
    governor_of,
    in_case_of,
    is_inner,
    is_meant_as_verb,
    is_one_of,
    is_title_case,
    phrase_start,
)
from biasprint.core.swap.pronouns import FORMS, Spoken
from biasprint.core.swap.readings import lemma, read_her
from biasprint.core.swap.told import Telling, Words, person_words
from biasprint.core.swap.vocabulary import SwapWords, is_person, is_singular_verb, swap_words
from biasprint.core.swap.whose import Mention

_OF_ANOTHER = ("by", "with", "from", "under", "beside", "alongside", "against", "between", "near", "via", "to", "at")
_OF_THE_PERSON = ("as", "like", "of", "than", "in", "into")
PARTNER = "the person's partner is somebody else and stays: look whether that is meant"
_PLACE = {"he": 0, "she": 1, "they": 2}
NOUN_KEPT, KIN_KEPT = "gendered word kept", "relationship word kept"


def change_nouns(
    page: Page, person: Person, other: Person, names: Names, spoken: Spoken, words: SwapWords
) -> Iterator[Change]:
    """Return the changes of nouns; one whose new word is the old one was left alone, and its doubt says why."""
    if person.pronoun == other.pronoun:
        return
    for place, token in enumerate(page.tokens):
        if page.kept[place] in ("address", "title", "salutation", "signature") or place in names.covered:
            continue
        word, prefix = _word(token.lower, words)
        if words.said_of.get(word) != person.pronoun:
            if word in words.file.nouns.partners and _is_the_persons_own(page, place):
                yield Change(token.start, token.end, token.text, token.text, KIN_KEPT, PARTNER)
            continue
        new = (words.self.get(word) or words.kin[word])[_PLACE[other.pronoun]]
        reason, kept_reason = ("relationship word", KIN_KEPT) if word in words.kin else ("gendered word", NOUN_KEPT)
        doubt = _why_left(page, place, word, names, spoken, words)
        if doubt is not None:
            yield Change(token.start, token.end, token.text, token.text, kept_reason, doubt)
        elif new == word:
            missing = other.pronoun == "they" and word not in words.file.neutral.values()
            doubt = "has no form for everybody" if missing and word not in words.file.neutral else ""
            yield Change(token.start, token.end, token.text, token.text, kept_reason, doubt)
        else:
            doubt = "inside a quotation: these are somebody else's words" if page.kept[place] == "speech" else ""
            doubt = doubt or _doubt_of_whom(page, place, names, spoken)
            if not doubt and place in spoken.others and spoken.others[place].who == "someone":
                doubt = "may be another person"  # “the old headmistress retired”
            yield Change(token.start, token.end, token.text, in_case_of(token.text, prefix + new), reason, doubt)


def _doubt_of_whom(page: Page, place: int, names: Names, spoken: Spoken) -> str:
    """The doubt of the pronoun that this word describes: “she was a seamstress”."""
    for at in page.before(place):
        if at in names.person:
            return ""
        if at in spoken.person:
            return spoken.unsure.get(at, "")
    return ""


def _word(lower: str, words: SwapWords) -> tuple[str, str]:
    """Return the word and the part before its hyphen: “vice-chairman”; “son-in-law” is one word."""
    if lower in words.said_of or "-" not in lower:
        return lower, ""
    prefix, _, last = lower.rpartition("-")
    return (last, prefix + "-") if prefix in ("one", "vice", "co", "ex", "ex-vice", "deputy") else (lower, "")


def _why_left(page: Page, place: int, word: str, names: Names, spoken: Spoken, words: SwapWords) -> str | None:
    """Return why this word is not about the person ("" where that is plain); `None` where it is."""
    rules = words.file.nouns
    if page.lower(place + 1) in words.not_before.get(word, ()) and page.touching(place) is not None:
        return ""
    if is_meant_as_verb(page, place):
        return ""
    if not page.tokens[place].first and page.tokens[place].text[:1].isupper() and not is_title_case(page, place):
        if page.looks_named(place - 1) and page.touching(place - 1) == place:
            return "may be part of a name"
        if not (word in rules.jobs or (word.endswith(("man", "woman")) and len(word) > 5)):
            return "may be part of a name"
    if word in rules.traits or page.lower(place).startswith("one-"):
        return None
    if word in rules.adjectives:
        return _why_adjective_left(page, place, names, spoken, words)
    start = phrase_start(page, place)
    owner = page.lower(start - 1) if start and page.sentence[start - 1] == page.sentence[place] else ""
    if words.is_plural(word):
        return None if is_one_of(page, start) else "may be other people"
    if word in words.kin:
        return _why_kin_left(page, place, start, owner, spoken, names, words)
    return _why_noun_left(page, place, start, spoken, names, words)


def _why_kin_left(
    page: Page, place: int, start: int, owner: str, spoken: Spoken, names: Names, words: SwapWords
) -> str | None:
    joined = page.lower(start - 1) in (",", "and") and page.lower(start - 2) in words.kin
    if joined or (
        page.lower(start - 1) == "and" and page.lower(start - 2) == "," and page.lower(start - 3) in words.kin
    ):
        # “his daughter, granddaughter and great-granddaughter”
        first = start - 2 if joined else start - 3
        before = phrase_start(page, first)
        return _why_kin_left(page, first, before, page.lower(before - 1), spoken, names, words)
    owned = owner in OWNERS or (owner == "her" and read_her(page, start - 1).owner)
    if not owned:
        return _why_unowned_kin_left(page, place, start, spoken, names, words)
    # “my daughter Ann”: a relation of the writer who is the person.
    after = place + 2 if page.lower(place + 1) == "," else place + 1
    if after in names.person and owner not in ("his", "her", "their"):
        return None
    return PARTNER if page.lower(place) in words.file.nouns.partners and _is_the_persons_own(page, place) else ""


def _why_unowned_kin_left(
    page: Page, place: int, start: int, spoken: Spoken, names: Names, words: SwapWords
) -> str | None:
    """“a devoted mother” is the person; “she has a sister”, “a daughter of her own” and “with a brother” are not."""
    following = [page.lower(at) for at in range(place + 1, min(place + 4, len(page.tokens)))]
    if following[:1] == ["of"] and following[-1:] == ["own"]:
        return "may be a relation"
    governor = governor_of(page, start, place)
    opens = governor is None or page.tag(governor) == "WRB" or page.lower(governor) in ("if", "while", "because")
    if opens and page.lower(start) in ("a", "an", "one", "another", "every", "each") and _acts(page, place):
        return "may be a relation"  # “When a mother dies, she finds a home for her child”
    if governor is None or _nearest_mention(page, start, spoken, names) != "person":
        return None
    verb = page.tag(governor).startswith("VB") and lemma(page.lower(governor)) not in words.file.verbs.being
    return "may be a relation" if verb or page.lower(governor) in ("with", "from", "by", "for") else None


def _acts(page: Page, place: int) -> bool:
    """Does a verb of its own follow: “a mother dies”, not “A mother of two, she”?"""
    return page.tag(place + 1) in ("VBZ", "VBD", "MD") or is_singular_verb(page.lower(place + 1))


def _is_the_persons_own(page: Page, place: int) -> bool:
    """“her husband” and “Ann's husband”, not “my husband”."""
    return page.lower(phrase_start(page, place) - 1) in ("his", "her", "their", "'s", "’s")


def _why_noun_left(page: Page, place: int, start: int, spoken: Spoken, names: Names, words: SwapWords) -> str | None:
    if _names_another(page, place, spoken, names):
        return "may be about another person named beside it"
    governor = governor_of(page, start, place)
    if governor is None and page.lower(start) in ("no", "every", "each", "any"):
        return "may be about anybody"
    other = spoken.others.get(place)
    if other is not None and other.who == "someone" and other.pronoun != "?" and other.subject:
        return "may be another person"  # “One old man asked for her”, “a girl … the girl”
    if governor is None:
        after = [page.lower(at) for at in page.after(place)]
        return "may be another person" if {"him", "her", "them"} & set(_objects(page, place)) and after else None
    lower, tag = page.lower(governor), page.tag(governor)
    nearest = _nearest_mention(page, start, spoken, names)
    if lower == "of" and page.lower(governor - 1) in words.file.nouns.told_of:
        return "may be another person"
    if lower in _OF_THE_PERSON:
        return None if nearest != "other" or lower == "of" else "may be about another person named before it"
    if lower in _OF_ANOTHER:
        return "may be another person"
    if lower == "for" and start == place and nearest == "person":
        return None  # “she was sought for chairwoman”: without an article it is an office
    subject_is_person = nearest == "person"
    if tag == "IN":
        verb_before = page.tag(governor - 1).startswith("VB")
        return "may be another person" if subject_is_person and verb_before else None
    if lemma(lower) in words.file.verbs.being or lower in (
        "'s",
        "’s",
        "'re",
        "’re",
        "been",
        "herself",
        "himself",
        "themself",
    ):
        return "may be about another person named before it" if nearest == "other" else None
    if tag.startswith("VB"):
        return "may be another person" if subject_is_person else None
    return "may be about another person named before it" if nearest == "other" and lower == "," else None


def _objects(page: Page, place: int) -> Iterator[str]:
    """Pronouns right after a verb: “the actress hired him” has another person for its subject."""
    for at in page.after(place):
        if page.tag(at - 1).startswith("VB") and page.lower(at + 1) in (".", ",", "", "as", "for", "to", "in", "and"):
            yield page.lower(at)


def _why_adjective_left(page: Page, place: int, names: Names, spoken: Spoken, words: SwapWords) -> str | None:
    """“a female dancer” changes; “female colleagues” and “the female voice of a choir” are not the person."""
    head = place + 1
    while page.tag(head).startswith("JJ") or page.lower(head) in ("-", "and") or is_inner(page, head):
        head += 1
    lower = page.lower(head)
    is_noun = page.tag(head).startswith(("NN", "FW", "VB")) and page.sentence[head] == page.sentence[place]
    if not is_noun:
        # “She is female.”; “the only female in the team”
        before = page.lower(place - 1)
        about_person = (
            lemma(before) in words.file.verbs.being
            or before in ARTICLES
            or page.tag(place - 1).startswith(("JJ", "RB"))
        )
        return None if about_person else "may not be about the person"
    if page.tag(head) in ("NNS", "NNPS") or (lower.endswith("s") and not lower.endswith(("ss", "us", "is"))):
        return None if is_one_of(page, phrase_start(page, place)) else "may be other people"
    if not is_person(lower):
        return "may not be about the person"
    return _why_noun_left(page, head, phrase_start(page, place), spoken, names, words)


def _names_another(page: Page, place: int, spoken: Spoken, names: Names) -> bool:
    """“chairman Paul Reed”, “the chairman, Mr. Reed”: the noun is next to another's name."""
    after = place + 2 if page.lower(place + 1) == "," else place + 1
    if page.lower(after + 1) == ".":
        after += 2
    other: Mention | None = spoken.others.get(after)
    return bool((other and other.who == "named") or after in names.others)


def _nearest_mention(page: Page, start: int, spoken: Spoken, names: Names) -> str:
    for at in page.before(start):
        if at in names.person or (at in spoken.person and page.lower(at) in ("he", "she", "they")):
            return "person"
        mention = spoken.others.get(at)
        if (mention is not None and mention.who in ("named", "someone")) or at in names.others:
            return "other"
        if page.lower(at) in ("i", "we", "you", "it"):
            return "writer"
    return ""


# ---- Mentions

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
