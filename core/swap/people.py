"""The other people of a letter, and whether a pronoun is about the letter's person or about one of them."""

from dataclasses import dataclass
from typing import Literal

from core.swap.names import Names
from core.swap.page import Page
from core.swap.titles import pronoun_of_title, title_before
from core.swap.verbs import plural_form
from core.swap.words import SwapWords, is_person, swap_words

Role = Literal["subject", "object", "owner", "alone", "self"]
_RELATIVE = ("which", "where", "whom")
_PLURAL = ("people", "others", "both", "those")


@dataclass(frozen=True)
class Mention:
    """Somebody at a token: the letter's person, or another with the pronoun that is theirs ("?" where not known)."""

    place: int
    who: Literal["person", "named", "relation", "several", "things"]
    pronoun: str
    subject: bool


@dataclass(frozen=True)
class Whose:
    """Is a pronoun about the letter's person, and is that sure?"""

    person: bool
    doubt: str = ""


def other_people(page: Page, names: Names, words: SwapWords) -> dict[int, Mention]:
    """Everybody named who is not the letter's person, relations (“her brother”), and plurals, by their token."""
    found: dict[int, Mention] = {}
    place = 0
    while place < len(page.tokens):
        mention = _named(page, place, names, words) or _relation(page, place, words) or _several(page, place)
        if mention is None or place in names.person:
            place += 1
            continue
        found[place] = mention
        place += 1
        while mention.who == "named" and page.looks_named(place) and place not in names.person:
            place += 1
    return found


def _named(page: Page, place: int, names: Names, words: SwapWords) -> Mention | None:
    token = page.tokens[place]
    if page.kept[place] in ("address", "title", "salutation", "signature") or not token.text[:1].isupper():
        return None
    title = title_before(page, place)
    if title is not None and place not in names.person:
        pronoun = pronoun_of_title(page.lower(title), words)
        pronoun = pronoun or _given(token.lower, words) or "?"
        return Mention(place, "named", pronoun, _is_subject(page, title))
    given = _given(token.lower, words)
    if not given or place in names.covered - names.others:
        return None
    # One word that begins a sentence may be “Will” or “Hope”: only a second name makes it one.
    is_word = token.lower in words.gendered.names_that_are_words
    if token.first and is_word and not page.looks_named(place + 1):
        return None
    if not token.first and is_word and token.lower in words.file.titles.months and not page.looks_named(place + 1):
        return None
    return Mention(place, "named", given, _is_subject(page, place))


def _given(lower: str, words: SwapWords) -> str:
    return next((key for key, some in words.file.given_names.items() if lower in some), "")


def _relation(page: Page, place: int, words: SwapWords) -> Mention | None:
    word = page.lower(place)
    pronoun = words.kin_pronoun(word)
    if not pronoun or words.is_plural(word):
        return None
    return Mention(place, "relation", pronoun, _is_subject(page, place))


def _several(page: Page, place: int) -> Mention | None:
    token, rules = page.tokens[place], swap_words().file.nouns
    if token.lower in rules.collectives and not page.kept[place]:
        return Mention(place, "several", "they", _is_subject(page, place))
    if not (token.tag in ("NNS", "NNPS") or token.lower in _PLURAL) or page.kept[place]:
        return None
    if token.tag == "NNS" and not token.lower.endswith(("s", "people", "men", "women", "children")):
        return None
    human = token.lower in (*_PLURAL, *rules.people_plural) or is_person(plural_form(token.lower))
    return Mention(place, "several" if human else "things", "they", _is_subject(page, place))


def _is_subject(page: Page, place: int) -> bool:
    """Nothing before it in its clause that would make it an object: no verb, no preposition."""
    for at in page.before(place):
        tag, lower = page.tag(at), page.lower(at)
        if lower in (",", ";", "that", "and", "but", "because", "when", "while", "as", "if"):
            return at != place - 1 or lower not in ("and", ",") or _is_subject(page, at)
        if tag.startswith("VB") or tag in ("IN", "TO", "MD"):
            return False
    return True


def whose(page: Page, place: int, role: Role, pronoun: str, before: list[Mention]) -> Whose:
    """About whom is the pronoun at `place`? `before`: who was mentioned in its sentence, in order.

    It is the letter's person's, who is whom a letter is about, unless somebody else of that pronoun is the subject of
    its sentence and the person was not mentioned there yet: then it is left. Wherever it could be somebody else's it
    carries a doubt. An object is never its own clause's subject (“Ms. Hill hired her”).
    """
    if role == "self" and _of_another_noun(page, place):
        return Whose(False, "may be about another person named before it, and was left")
    named = [one for one in before if one.who == "named" and one.pronoun in (pronoun, "?")]
    relations = [one for one in before if one.who == "relation" and one.pronoun == pronoun]
    persons = [one for one in before if one.who == "person"]
    if named:
        nearest = named[-1]
        if role == "self" and page.looks_named(place - 1):
            return Whose(False)
        open_subject = nearest.subject and nearest.pronoun == pronoun
        apposed = role == "owner" and page.lower(place - 1) == ","
        if open_subject and not persons and role != "object" and not apposed:
            return Whose(False, "may be about another person named before it, and was left")
        return Whose(True, "may be about another person named before it")
    if relations:
        return Whose(True, "may be about a relation named before it")
    return Whose(True)


def _of_another_noun(page: Page, place: int) -> bool:
    """“by the chairman himself”: it stresses a noun that a preposition brings in."""
    return (
        page.tag(place - 1) == "NN"
        and page.lower(place - 2) == "the"
        and page.lower(place - 3) in ("by", "with", "from")
    )


def whose_they(page: Page, place: int, role: Role, before: list[Mention], last_subject: str) -> Whose:
    """The same for they, which may also be several people's or things'. `last_subject`: of the sentence before.

    Several people that are the subject of the sentence, or that stand nearer to a clause of its own, take it; things
    (“her works”) only give a doubt, for letters say they of a person far more often than of things.
    """
    lower, joint = page.lower(place), page.lower(place - 1)
    if lower == "themself" or joint in ("/", "around", "behind", "beside") or page.lower(place - 2) == "ahead":
        return Whose(True)
    persons = [one for one in before if one.who == "person"]
    several = [one for one in before if one.who == "several"]
    if role == "self":
        subjects = [one for one in before if one.subject and one.who in ("person", "several", "things")]
        return Whose(not subjects or subjects[-1].who == "person")
    if role == "object" and persons and persons[-1].subject and not _new_subject(page, persons[-1].place, place):
        # “They met clients and advised them”: an object is not its own clause's subject.
        return Whose(False, "" if several else "may be about the person, and was left")
    if role == "subject" and page.tokens[place].first and last_subject == "several":
        return Whose(False, "may be about several people named before it, and was left")
    near = max((one.place for one in persons), default=-1)
    if several and several[-1].place > near and _is_of_several(page, place, role, several[-1], persons):
        return Whose(False, "may be about several people named before it, and was left")
    unsure = any(one.who in ("several", "things") and one.place > near for one in before)
    return Whose(True, "may be about several people or things named before it" if unsure else "")


def _is_of_several(page: Page, place: int, role: Role, several: Mention, persons: list[Mention]) -> bool:
    """Does the clause at `place` speak of the people that were named last before it?"""
    joint = page.lower(place - 1)
    own_subject = several.subject and not any(one.subject for one in persons)
    if role == "owner":
        # “helps writers improve their work”: a verb of theirs stands between
        theirs = not several.subject and page.tag(several.place + 1) in ("VB", "VBG", "TO")
        return theirs or (own_subject and not (joint == "that" or joint in _RELATIVE))
    if (
        role != "subject"
        or joint in ("and", "but", ",", ";", "so", *_RELATIVE)
        or (joint == "that" and not own_subject)
    ):
        return False
    # “works they made”: what the clause is about is not who it says it of.
    is_relative = page.tag(place - 1).startswith("NN")
    return not is_relative and (several.subject or page.tag(several.place) != "NN")


def _new_subject(page: Page, start: int, place: int) -> bool:
    """Does another clause begin between (“They said that we trust them”)?"""
    return any(
        page.tag(at) in ("PRP", "WP", "WDT", "WRB")
        or page.lower(at) in ("that", "who", "because", "when", "if", ";")
        or (page.tag(at) == "VBN" and page.tag(at - 1).startswith("NN"))
        or (page.lower(at) == "," and page.lower(at + 1) not in ("and", "or", "but"))
        for at in range(start + 1, place)
    )
