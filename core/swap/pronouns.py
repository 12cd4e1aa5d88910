"""Pronouns: which form each has, and its form for another person. `whose.py` says about whom it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from biasprint.core.swap.agreement import agree
from biasprint.core.swap.names import Names
from biasprint.core.swap.page import Kept, Page
from biasprint.core.swap.readings import read_her, read_his
from biasprint.core.swap.result import Change, Person, in_case_of
from biasprint.core.swap.vocabulary import SwapWords
from biasprint.core.swap.whose import Before, Mention, Role, Whose, other_people, whose, whose_they

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
    unsure: dict[int, str] = field(default_factory=dict)  # of these, those that may be about somebody else, and why
    verbs: set[int] = field(default_factory=set)
    others: Mapping[int, Mention] = field(default_factory=dict)


def change_pronouns(
    page: Page, person: Person, other: Person, names: Names, words: SwapWords, others: Sequence[Person] = ()
) -> Spoken:
    """Change every pronoun of `person`'s that is about the person, with the verbs that agree with it."""
    done = Spoken(others=other_people(page, names, words, others))
    before = Before()
    quoted = _quotations_with_names(page, names)
    for place, token in enumerate(page.tokens):
        if token.first:
            before.begin_sentence(person.pronoun)
        if place in names.person:
            before.here.append(Mention(place, "person", person.pronoun, _subject_like(page, place), by_name=True))
        elif place in done.others:
            before.here.append(done.others[place])
        if not _is_a_persons(page, place, person.pronoun, names):
            continue
        role, unsure = _role(page, place)
        about = (whose_they if person.pronoun == "they" else whose)(page, place, role, person.pronoun, before)
        if any(quotation.start < token.start < quotation.end for quotation in quoted):
            about = Whose(False, "inside a quotation that has the name: kept as it was said")
        if not about.person:
            done.left.append(_change(page, place, token.text, "pronoun kept", about.doubt))
            done.left += _verbs_left(page, place, role, person, other, about)
            before.here.append(Mention(place, "someone", person.pronoun, role == "subject"))
            continue
        done.person.add(place)
        if about.doubt:
            done.unsure[place] = about.doubt
        before.here.append(Mention(place, "person", person.pronoun, role == "subject", unsure=bool(about.doubt)))
        if person.pronoun != other.pronoun:
            about = Whose(True, about.doubt or unsure) if _differs(page.lower(place), person, other) else about
            _say(page, place, role, person.pronoun, other.pronoun, about, done)
    return done


def _verbs_left(page: Page, place: int, role: Role, person: Person, other: Person, about: Whose) -> list[Change]:
    """The verbs of a “they” that was left in doubt: if it is the person after all, they change too."""
    if role != "subject" or person.pronoun != "they" or not about.doubt or other.pronoun == "they":
        return []
    verbs = (verb.place for verb in agree(page, place, many=False) if verb.new != page.tokens[verb.place].text)
    return [_change(page, verb, page.tokens[verb].text, "verb kept", about.doubt) for verb in verbs]


def _say(page: Page, place: int, role: Role, old: str, new: str, about: Whose, done: Spoken) -> None:
    """The pronoun's change and, where they is one of the two, its verbs'."""
    token = page.tokens[place]
    doubt = _QUOTED if page.kept[place] == "speech" else about.doubt
    done.changes.append(_change(page, place, in_case_of(token.text, FORMS[new][role]), "pronoun", doubt))
    if role != "subject" or "they" not in (old, new):
        return
    for verb in agree(page, place, many=new == "they"):
        if verb.place not in done.verbs:
            done.verbs.add(verb.place)
            kind = done.changes if verb.new != page.tokens[verb.place].text else done.left
            kind.append(_change(page, verb.place, verb.new, "verb agrees with the pronoun", verb.doubt or doubt))


def _is_a_persons(page: Page, place: int, pronoun: str, names: Names) -> bool:
    """Is this one of the forms of `pronoun` that may be about somebody?"""
    if _ALL.get(page.lower(place)) != pronoun or place in names.covered:
        return False
    if page.kept[place] in ("address", "title", "salutation", "signature"):
        return False
    return not (_for_everybody(page, place) or _is_an_acronym(page, place))


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


def _change(page: Page, place: int, new: str, reason: str, doubt: str = "") -> Change:
    token = page.tokens[place]
    return Change(token.start, token.end, token.text, new, reason, doubt)
