"""Pronouns of the letter's person: which form each is, and its form for another."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.swap.agreement import agree
from core.swap.kept import Kept
from core.swap.names import Names
from core.swap.page import Page
from core.swap.people import Mention, Role, Whose, other_people, whose, whose_they
from core.swap.readings import her_is_an_owners, his_is_an_owners
from core.swap.result import Change, Person, in_case_of
from core.swap.words import SwapWords

FORMS: Mapping[str, Mapping[Role, str]] = {
    "he": {"subject": "he", "object": "him", "owner": "his", "alone": "his", "self": "himself"},
    "she": {"subject": "she", "object": "her", "owner": "her", "alone": "hers", "self": "herself"},
    "they": {"subject": "they", "object": "them", "owner": "their", "alone": "theirs", "self": "themself"},
}
_ALL = {form: key for key, forms in FORMS.items() for form in forms.values()} | {"themselves": "they"}
_QUOTED = "inside a quotation: these are somebody else's words"


@dataclass
class Spoken:
    """Changes of pronouns and of their verbs, what was left, and where the person is mentioned by a pronoun."""

    changes: list[Change] = field(default_factory=list)
    left: list[Change] = field(default_factory=list)
    person: set[int] = field(default_factory=set)
    verbs: set[int] = field(default_factory=set)
    others: Mapping[int, Mention] = field(default_factory=dict)


def change_pronouns(page: Page, person: Person, other: Person, names: Names, words: SwapWords) -> Spoken:
    """Every pronoun of `person`'s that is about the person, with the verbs that agree with it."""
    done = Spoken(others=other_people(page, names, words))
    before: list[Mention] = []
    last_subject = ""
    quoted = _quotations_with_names(page, names)
    for place, token in enumerate(page.tokens):
        if token.first:
            last_subject = _subject_of(before) or last_subject
            before = []
        if place in names.person:
            before.append(Mention(place, "person", person.pronoun, _subject_like(page, place)))
        elif place in done.others:
            before.append(done.others[place])
        if not _is_a_persons(page, place, person.pronoun, names):
            continue
        role = _role(page, place)
        about = _about(page, place, role, person.pronoun, before, last_subject)
        if any(one.start < token.start < one.end for one in quoted):
            about = Whose(False, "inside a quotation that has the name: kept as it was said")
        if not about.person:
            done.left.append(_change(page, place, token.text, "pronoun kept", about.doubt))
            continue
        done.person.add(place)
        before.append(Mention(place, "person", person.pronoun, role == "subject"))
        if person.pronoun != other.pronoun:
            _say(page, place, role, person.pronoun, other.pronoun, about, done)
    return done


def _say(page: Page, place: int, role: Role, old: str, new: str, about: Whose, done: Spoken) -> None:
    """The pronoun's change and, where they is one of the two, its verbs'."""
    token = page.tokens[place]
    doubt = about.doubt or (_QUOTED if page.kept[place] == "speech" else "")
    done.changes.append(_change(page, place, in_case_of(token.text, FORMS[new][role]), "pronoun", doubt))
    if role != "subject" or "they" not in (old, new):
        return
    for verb in agree(page, place, many=new == "they"):
        if verb.place not in done.verbs:
            done.verbs.add(verb.place)
            kind = done.changes if verb.new != page.tokens[verb.place].text else done.left
            kind.append(_change(page, verb.place, verb.new, "verb agrees with the pronoun", verb.doubt))


def _is_a_persons(page: Page, place: int, pronoun: str, names: Names) -> bool:
    """Is this one of the forms of `pronoun` that may be about somebody?"""
    if _ALL.get(page.lower(place)) != pronoun or place in names.covered:
        return False
    if page.kept[place] in ("address", "title", "salutation", "signature"):
        return False
    return not (_for_everybody(page, place) or _is_an_acronym(page, place))


def _about(page: Page, place: int, role: Role, pronoun: str, before: list[Mention], last_subject: str) -> Whose:
    if pronoun == "they":
        return whose_they(page, place, role, before, last_subject)
    return whose(page, place, role, pronoun, before)


def _role(page: Page, place: int) -> Role:
    form = page.lower(place)
    if form in ("he", "she", "they"):
        return "subject"
    if form in ("him", "them"):
        return "object"
    if form in ("himself", "herself", "themself", "themselves"):
        return "self"
    if form in ("hers", "theirs"):
        return "alone"
    if form == "their":
        return "owner"
    if form == "his":
        return "owner" if his_is_an_owners(page, place) else "alone"
    return "owner" if her_is_an_owners(page, place) else "object"


def _for_everybody(page: Page, place: int) -> bool:
    """“he or she”, “his/her”, “him and her”: two pronouns side by side are nobody's own."""
    mine = _ALL[page.lower(place)]
    for joint, beyond in ((place + 1, place + 2), (place - 1, place - 2)):
        if page.lower(joint) in ("or", "/") and _ALL.get(page.lower(beyond), mine) != mine:
            return True
    return page.lower(place - 1) == ")" and page.lower(place - 2) == "s"


def _is_an_acronym(page: Page, place: int) -> bool:
    """“staff in HE” (higher education): capitals in a sentence that has none else."""
    token = page.tokens[place]
    if not token.text.isupper():
        return False
    around = [page.tokens[at].text for at in (*page.before(place), *page.after(place)) if len(page.tokens[at].text) > 2]
    return not any(text.isupper() for text in around if text.isalpha())


def _quotations_with_names(page: Page, names: Names) -> list[Kept]:
    """Quotations that name the person stay as they were said, so that name and pronouns fit."""
    speech = [one for one in page.stretches if one.kind == "speech"]
    return [one for one in speech if any(one.start <= left.start < one.end for left in names.left)]


def _subject_like(page: Page, place: int) -> bool:
    """Is this name no owner's, and after no verb or preposition?"""
    if page.lower(place + 1) in ("'s", "’s", "'", "’"):
        return False
    before = next(page.before(place), None)
    return before is None or not (page.tag(before) in ("IN", "TO") or page.tag(before).startswith("VB"))


def _subject_of(before: list[Mention]) -> str:
    if any(one.who == "person" for one in before):
        return "person"
    subjects = [one for one in before if one.subject]
    return subjects[0].who if subjects else ""


def _change(page: Page, place: int, new: str, reason: str, doubt: str = "") -> Change:
    token = page.tokens[place]
    return Change(token.start, token.end, token.text, new, reason, doubt)
