"""Pronouns: which form each has, and its form for another person. `whose.py` says about whom it is.

Words that agree: verbs with he or she and with they (“she writes and is”, “they write and are”), “a” and “an”.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from biasprint.core.swap.names import Names
from biasprint.core.swap.page import Change, Kept, Page, Person, in_case_of
from biasprint.core.swap.readings import read_her, read_his
from biasprint.core.swap.vocabulary import (
    SwapWords,
    can_be_noun,
    is_base,
    is_singular_verb,
    plural_form,
    singular_form,
    swap_words,
)
from biasprint.core.swap.whose import Before, Mention, Role, Whose, other_people, whose, whose_they
from biasprint.core.text import article

ONE = ("is", "was", "has", "does")
MANY = ("are", "were", "have", "do")
_SHORT = {"'s": ("'re", "'ve"), "’s": ("’re", "’ve")}
_LONG = {"'re": "'s", "’re": "’s", "'ve": "'s", "’ve": "’s"}
_OWN_OBJECT = ("DT", "PRP", "CD", "PRP$")
FORMS: Mapping[str, Mapping[Role, str]] = {
    "he": {"subject": "he", "object": "him", "owner": "his", "alone": "his", "self": "himself"},
    "she": {"subject": "she", "object": "her", "owner": "her", "alone": "hers", "self": "herself"},
    "they": {"subject": "they", "object": "them", "owner": "their", "alone": "theirs", "self": "themself"},
}
_ALL = {form: key for key, forms in FORMS.items() for form in forms.values()} | {"themselves": "they"}
_QUOTED = "inside a quotation: these are somebody else's words"


class Verb(NamedTuple):
    """The token of a verb and its new form; the same form with a doubt where it was left."""

    place: int
    new: str
    doubt: str = ""


def agree(page: Page, subject: int, *, many: bool) -> Iterator[Verb]:
    """The verbs of the pronoun at `subject`, put into the form for they (`many`) or for he and she.

    The first verb of its clause (or the auxiliary before it: “Not only is she …”), then those joined to it by “and”,
    “or”, “but” or a comma, as long as no other subject's verb comes between.
    """
    if page.lower(subject - 1) in (*swap_words().file.lists.modals, "did") and not page.tokens[subject].first:
        return  # “Should they apply”
    inverted = _inverted(page, subject)
    first = inverted if inverted is not None else _slot(page, subject)
    if first is None:
        return
    joined = list(_joined(page, first if inverted is None else subject, first, many))
    new = _form(page, first, many)
    if not many and page.lower(first) in swap_words().file.verbs.same_in_the_past:
        # “They read fast and think faster”: what is joined to it tells the present.
        present = any(verb.new != page.tokens[verb.place].text for verb in joined)
        new = singular_form(page.lower(first)) if present else None
        if new is None:
            yield Verb(first, page.tokens[first].text, "may be of the present or of the past")
    if new is not None:
        yield Verb(first, in_case_of(page.tokens[first].text, new))
    yield from joined


def _slot(page: Page, subject: int) -> int | None:
    """Return the place of the subject's first verb, past adverbs and inserted words (“she, too, writes”)."""
    after = list(page.after(subject))
    if after and page.lower(after[0]) == "who":
        after = after[1:]
    at = 0
    while at < len(after):
        place = after[at]
        lower = page.lower(place)
        if lower in (",", "(", "—", "–"):
            closing = next(
                (n for n in range(at + 1, min(at + 10, len(after))) if page.lower(after[n]) in (",", ")", "—", "–")),
                None,
            )
            if closing is None:
                return None
            at = closing + 1
        elif lower in ("and", "or", "&", "/", ".", ";"):
            return None
        elif lower in _SHORT or lower in _LONG or not page.is_adverb(place):
            return place
        else:
            at += 1
    return None


def _inverted(page: Page, subject: int) -> int | None:
    place = subject - 1
    if page.lower(place) in ("n't", "n’t"):
        place -= 1
    if place < 0 or page.sentence[place] != page.sentence[subject] or page.lower(place) not in ONE + MANY:
        return None
    if (
        page.tokens[place].first
        or page.lower(place - 1) in swap_words().file.lists.before_inversion
        or page.tag(place - 1) in ("JJ", "RB")
    ):
        return place
    return None


def _form(page: Page, place: int, many: bool) -> str | None:
    """The verb's other form; `None` where it has none (the past, a modal, no verb)."""
    lower, rules = page.lower(place), swap_words().file.verbs
    if many:
        if lower in _SHORT:
            return _SHORT[lower][_is_has(page, place)]
        return plural_form(lower) if lower in ONE or (lower.endswith("s") and is_singular_verb(lower)) else None
    if lower in _LONG:
        return _LONG[lower]
    if lower == "were" and page.lower(place + 1) == "to":
        return None  # “if they were to leave”
    if lower in MANY:
        return singular_form(lower)
    is_past = lower in rules.same_in_the_past or lower in rules.mostly_past or page.tag(place) in ("VBN", "VBG")
    if is_past or lower in swap_words().file.lists.modals:
        return None
    return singular_form(lower) if is_base(lower) else None


def _is_has(page: Page, place: int) -> bool:
    """Is a shortened “'s” here “has”?"""
    rules = swap_words().file.verbs
    after = [at for at in page.after(place) if not page.is_adverb(at)]
    if not after:
        return False
    done, beyond = page.lower(after[0]), after[1] if len(after) > 1 else None
    with_object = page.tag(beyond) in _OWN_OBJECT or page.tag(beyond).startswith(("NN", "JJ"))
    if done in ("been", "had", "got", "become"):
        return True
    is_participle = page.tag(after[0]) in ("VBN", "VBD") or done.endswith("ed") or done in rules.has_done
    if done in rules.is_done:
        return page.tag(beyond) in _OWN_OBJECT
    if page.lower(after[0] + 1) in ("by", "seriously", "aback"):
        return False  # “she's taken seriously”
    return is_participle and (done in rules.has_done or with_object)


@dataclass
class _Run:
    """The verbs of one subject so far: the last one's place, how many, and what makes the next one unsure."""

    last: int
    verbs: int
    plain: bool  # after “can” or “to”, what follows “and” may be as plain as what stands before it
    blocked: bool = False  # another subject's verb stands between


def _joined(page: Page, start: int, first: int, many: bool) -> Iterator[Verb]:
    negated = page.lower(first) == "do" and page.lower(first + 1) in ("not", "n't", "n’t")
    run = _Run(first, 1, negated or page.lower(first) in swap_words().file.lists.modals)
    for place in page.after(start):
        lower = page.lower(place)
        if place <= run.last:
            continue
        if lower in ("he", "she", "they", ";", ":", "—", "“", '"', "("):
            return  # what follows a pronoun agrees with that one
        if lower in (",", "and", "or", "but", "nor", "yet", "then"):
            at = _next_word(page, place)
            if at is not None and page.looks_named(at) and not page.tokens[at].text.isupper():
                return
            verb = _joined_verb(page, at, place, run, many) if at is not None else None
            if verb is not None:
                run.last, run.verbs = verb.place, run.verbs + 1
                yield verb
            else:
                run.verbs = 1  # a list of nouns
            continue
        run.plain = run.plain or (lower == "to" and _is_infinitive(page, place + 1))
        run.blocked = run.blocked or _is_anothers(page, place, run.last, many)


def _joined_verb(page: Page, at: int, joint: int, run: _Run, many: bool) -> Verb | None:
    """The verb at `at`, if it is one of the subject's; unsure ones change only after a comma and “and”."""
    new = _form(page, at, many)
    if new is None or not _is_verb_here(page, at, joint, run, many):
        return None
    # An adverb (“and always go”) or a form that only the finite verb has makes it one of the subject's own.
    adverb = any(page.is_adverb(between) for between in range(joint + 1, at))
    plain = run.plain and not many and not adverb and page.lower(at) not in MANY
    unsure = run.blocked or plain
    comma = not plain and page.lower(joint) == "," and page.lower(joint + 1) in ("and", "but", "or", "yet")
    if unsure and not comma:
        return Verb(at, page.tokens[at].text, "may belong to another subject or not")
    return Verb(at, in_case_of(page.tokens[at].text, new), "may belong to another subject" if unsure else "")


def _is_infinitive(page: Page, place: int) -> bool:
    """Is this word after “to” a verb, also one that the tagger takes for a noun (“to return to school”)?"""
    goes_on = page.tag(place + 1).startswith(("DT", "IN", "TO", "PRP"))
    return page.tag(place).startswith("VB") or (is_base(page.lower(place)) and goes_on)


def _next_word(page: Page, place: int) -> int | None:
    for at in page.after(place):
        if page.lower(at) not in ("and", "or", "but", "yet", "then", "also", ",") and not page.is_adverb(at):
            return at
    return None


def _is_anothers(page: Page, place: int, last: int, many: bool) -> bool:
    """A finite verb that no “and” joins is another subject's; it blocks where it would take the same form."""
    if place <= last:
        return False
    lower, tag = page.lower(place), page.tag(place)
    before_is_subject = page.tag(place - 1) in ("WDT", "WP", "PRP") or page.lower(place - 1) in ("that", "who", "which")
    if many:
        return lower in ONE or tag == "VBZ" or (before_is_subject and lower.endswith("s") and is_singular_verb(lower))
    return (
        lower in MANY
        or (tag == "VBP" and lower != "am")
        or (before_is_subject and is_base(lower) and tag.startswith(("VB", "NN")))
    )


def _is_verb_here(page: Page, place: int, joint: int, run: _Run, many: bool) -> bool:
    """Is this word after “and”, which may be a noun (“plans”), a verb?"""
    lower, tag, after = page.lower(place), page.tag(place), page.tag(place + 1)
    if lower in ONE + MANY and page.lower(place + 1) in ("i", "we", "you", "he", "she", "they"):
        return False  # “nor has she”: that pronoun's own
    if lower in ONE + MANY:
        return True
    if tag in ("IN", "RP", "TO", "DT"):
        return False
    if not many and tag.startswith("JJ"):
        return False  # “kind and compassionate”
    if not can_be_noun(lower):
        return tag != "VBN"
    if after in _OWN_OBJECT or after == "WP" or (page.touching(place) is not None and page.is_adverb(place + 1)):
        return True
    if page.lower(place + 1) in ("nothing", "everything", "something", "anything"):
        return True
    if run.verbs > 1 and after.startswith("NN" if many else "NNS") and page.touching(place) is not None:
        return True  # the third of a list: “teaches, runs the club and marks exams”
    if many and after.startswith(("NN", "JJ")) and lower not in swap_words().file.lists.before_nouns:
        return True  # “marks exams”: a plural seldom stands before another noun
    if all(page.is_adverb(at) for at in range(run.last + 1, joint)):  # “sings and dances”: no object between
        return True
    ends = page.lower(place + 1) in (".", ",", ";", ")", "and", "or", "")
    return (tag == "VBZ" if many else tag in ("VB", "VBP")) and not ends


def change_articles(page: Page, changes: Iterable[Change]) -> Iterator[Change]:
    """Articles right before a change whose new word begins with another sound."""
    starts = {token.start: place for place, token in enumerate(page.tokens)}
    for change in changes:
        place = starts.get(change.start)
        if not place or not change.new or page.touching(place - 1) is None:
            continue
        token = page.tokens[place - 1]
        if token.lower in ("a", "an") and article(change.new) != token.lower and article(change.old) == token.lower:
            new = in_case_of(token.text, article(change.new))
            yield Change(token.start, token.end, token.text, new, "article before a changed word")


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
