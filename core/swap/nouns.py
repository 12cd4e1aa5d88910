"""Gendered nouns and adjectives: what the person is (“an actress”, “a devoted mother”) changes; others' stay.

Relations of the person (“her husband”) are other people: they stay as they are, a couple's words with a doubt.
"""

from collections.abc import Iterator

from biasprint.core.swap.names import Names
from biasprint.core.swap.page import (
    ARTICLES,
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
from biasprint.core.swap.pronouns import Spoken
from biasprint.core.swap.readings import lemma, read_her
from biasprint.core.swap.vocabulary import SwapWords, is_person, is_singular_verb
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
