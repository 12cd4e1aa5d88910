"""Pronouns: about whom each is, which form it has, and its form for another person."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from biasprint.core.swap.agreement import agree
from biasprint.core.swap.names import Names, pronoun_of_title, title_before
from biasprint.core.swap.page import Kept, Page
from biasprint.core.swap.readings import read_her, read_his
from biasprint.core.swap.result import Change, Person, in_case_of
from biasprint.core.swap.vocabulary import SwapWords, is_person, plural_form, swap_words

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
    mentions: dict[int, Mention] = {}
    place = 0
    while place < len(page.tokens):
        mention = _named(page, place, names, words) or _relation(page, place, words) or _several(page, place)
        if mention is None or place in names.person:
            place += 1
            continue
        mentions[place] = mention
        place += 1
        while mention.who == "named" and page.looks_named(place) and place not in names.person:
            place += 1
    return mentions


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
    """Is there nothing before it in its clause that would make it an object: no verb, no preposition?"""
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
    named = [mention for mention in before if mention.who == "named" and mention.pronoun in (pronoun, "?")]
    relations = [mention for mention in before if mention.who == "relation" and mention.pronoun == pronoun]
    persons = [mention for mention in before if mention.who == "person"]
    if named:
        nearest = named[-1]
        if role == "self" and page.looks_named(place - 1):
            return Whose(False)
        open_subject = nearest.subject and nearest.pronoun == pronoun and not _one_of_several(page, nearest.place)
        apposed = role == "owner" and page.lower(place - 1) == ","
        if open_subject and not persons and role != "object" and not apposed:
            return Whose(False, "may be about another person named before it, and was left")
        return Whose(True, "may be about another person named before it")
    if relations:
        return Whose(True, "may be about a relation named before it")
    return Whose(True)


def _one_of_several(page: Page, place: int) -> bool:
    """“Robert Reed and Terrence Hill”: two people named together have no he or she in common."""
    end = place
    while page.looks_named(end + 1):
        end += 1
    after = page.lower(end + 1) in ("and", "&") and page.looks_named(end + 2)
    return after or (page.lower(place - 1) in ("and", "&") and page.looks_named(place - 2))


def _of_another_noun(page: Page, place: int) -> bool:
    """“by the chairman himself”: it stresses a noun that a preposition brings in."""
    return (
        page.tag(place - 1) == "NN"
        and page.lower(place - 2) == "the"
        and page.lower(place - 3) in ("by", "with", "from")
    )


def whose_they(page: Page, place: int, role: Role, before: list[Mention], last_subject: str) -> Whose:
    """Return the referent of they, which may also be several people or things. `last_subject`: of the sentence before.

    Several people that are the subject of the sentence, or that are nearer to a clause of its own, take it; things
    (“her works”) only give a doubt, for letters say they of a person far more often than of things.
    """
    lower, joint = page.lower(place), page.lower(place - 1)
    if lower == "themself" or joint in ("/", "around", "behind", "beside") or page.lower(place - 2) == "ahead":
        return Whose(True)
    persons = [mention for mention in before if mention.who == "person"]
    several = [mention for mention in before if mention.who == "several"]
    if role == "self":
        subjects = [mention for mention in before if mention.subject and mention.who in ("person", "several", "things")]
        return Whose(not subjects or subjects[-1].who == "person")
    if role == "object" and persons and persons[-1].subject and not _new_subject(page, persons[-1].place, place):
        # “They met clients and advised them”: an object is not its own clause's subject.
        return Whose(False, "" if several else "may be about the person, and was left")
    if role == "subject" and page.tokens[place].first and last_subject == "several":
        return Whose(False, "may be about several people named before it, and was left")
    near = max((mention.place for mention in persons), default=-1)
    if several and several[-1].place > near and _is_of_several(page, place, role, several[-1], persons):
        return Whose(False, "may be about several people named before it, and was left")
    unsure = any(mention.who in ("several", "things") and mention.place > near for mention in before)
    return Whose(True, "may be about several people or things named before it" if unsure else "")


def _is_of_several(page: Page, place: int, role: Role, several: Mention, persons: list[Mention]) -> bool:
    """Does the clause at `place` speak of the people that were named last before it?"""
    joint = page.lower(place - 1)
    own_subject = several.subject and not any(mention.subject for mention in persons)
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
    """Change every pronoun of `person`'s that is about the person, with the verbs that agree with it."""
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
        role, unsure = _role(page, place)
        about = _about(page, place, role, person.pronoun, before, last_subject)
        if any(quotation.start < token.start < quotation.end for quotation in quoted):
            about = Whose(False, "inside a quotation that has the name: kept as it was said")
        if not about.person:
            done.left.append(_change(page, place, token.text, "pronoun kept", about.doubt))
            continue
        done.person.add(place)
        before.append(Mention(place, "person", person.pronoun, role == "subject"))
        if person.pronoun != other.pronoun:
            about = Whose(True, about.doubt or unsure) if _differs(page.lower(place), person, other) else about
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


TWO_FORMS = "this word has two forms in the twin, and the sentence allows both"
_ROLES: Mapping[str, Role] = {
    "he": "subject", "she": "subject", "they": "subject", "him": "object", "them": "object", "himself": "self",
    "herself": "self", "themself": "self", "themselves": "self", "hers": "alone", "theirs": "alone", "their": "owner",
}  # fmt: skip


def _role(page: Page, place: int) -> tuple[Role, str]:
    """The form that the pronoun has, and the doubt of it."""
    form = page.lower(place)
    if form in _ROLES:
        return _ROLES[form], ""
    answer = read_his(page, place) if form == "his" else read_her(page, place)
    role: Role = "owner" if answer.owner else "alone" if form == "his" else "object"
    return role, "" if answer.sure else TWO_FORMS


def _differs(form: str, person: Person, other: Person) -> bool:
    """Do the two readings of this form differ in the twin? “His” is his whether it is before a noun or not."""
    return form in ("his", "her") and person.pronoun != other.pronoun


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
    speech = [stretch for stretch in page.stretches if stretch.kind == "speech"]
    return [stretch for stretch in speech if any(stretch.start <= left.start < stretch.end for left in names.left)]


def _subject_like(page: Page, place: int) -> bool:
    """Is this name no owner's, and after no verb or preposition?"""
    if page.lower(place + 1) in ("'s", "’s", "'", "’"):
        return False
    before = next(page.before(place), None)
    return before is None or not (page.tag(before) in ("IN", "TO") or page.tag(before).startswith("VB"))


def _subject_of(before: list[Mention]) -> str:
    if any(mention.who == "person" for mention in before):
        return "person"
    subjects = [mention for mention in before if mention.subject]
    return subjects[0].who if subjects else ""


def _change(page: Page, place: int, new: str, reason: str, doubt: str = "") -> Change:
    token = page.tokens[place]
    return Change(token.start, token.end, token.text, new, reason, doubt)
