"""The people of a text beside its person, and about whom each pronoun is: the person, or one of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from biasprint.core.swap.names import Names, pronoun_of_title, title_before
from biasprint.core.swap.page import OWNERS, Page, Person, governor_of, phrase_start
from biasprint.core.swap.readings import lemma
from biasprint.core.swap.vocabulary import (
    SwapWords,
    is_base,
    is_person,
    is_singular_verb,
    people_met,
    plural_form,
    swap_words,
)

Role = Literal["subject", "object", "owner", "alone", "self"]
_RELATIVE = ("which", "where", "whom")
_PRONOUNS = ("he", "she", "him", "her", "his", "hers", "himself", "herself")
_PLURAL = ("people", "others", "both", "those")
_OTHER, _RELATED = "may be about another person named before it", "may be about a relation named before it"
_SEVERAL = "may be about several people named before it"


@dataclass(frozen=True)
class Mention:
    """Somebody at a token: the text's person, or another with the pronoun that is theirs ("?" where not known).

    “someone” is not named: “a patient”, “an old man”. `by_name`: of the person, by name and not by a pronoun.
    `unsure`: of the person, by a pronoun that may be somebody else's.
    """

    place: int
    who: Literal["person", "named", "relation", "someone", "several", "things"]
    pronoun: str
    subject: bool
    by_name: bool = False
    unsure: bool = False

    @property
    def is_person(self) -> bool:
        """Is it surely the text's person?"""
        return self.who == "person" and not self.unsure

    def may_be(self, pronoun: str) -> bool:
        """Can he or she be this other person?"""
        return self.who in ("named", "relation", "someone") and self.pronoun in (pronoun, "?")


@dataclass(frozen=True)
class Whose:
    """Is a pronoun about the text's person, and is that sure?"""

    person: bool
    doubt: str = ""


@dataclass
class Before:
    """The mentions before a pronoun: of its sentence, and of the one before it.

    `topic`: the other person that the sentences before it go on about. `last_subject`: who their subject was.
    """

    here: list[Mention] = field(default_factory=list)
    last: list[Mention] = field(default_factory=list)
    topic: Mention | None = None
    last_subject: str = ""

    def begin_sentence(self, pronoun: str) -> None:
        """Make the sentence that ended the one before. `pronoun`: the person's."""
        persons = [mention for mention in self.here if mention.is_person]
        led = (mention for mention in self.here if mention.subject and mention.who != "things" and not mention.unsure)
        first = next(led, None)
        if persons and (persons[0].by_name or first is None or first.who == "person"):
            self.topic = None
        elif first is not None:
            self.topic = first if first.may_be(pronoun) and not persons else None
        subject = "person" if persons else first.who if first is not None else ""
        self.last_subject, self.last, self.here = subject or self.last_subject, self.here, []


# ---- The others


def other_people(page: Page, names: Names, words: SwapWords, known: Sequence[Person] = ()) -> dict[int, Mention]:
    """Everybody who is not the text's person, named or not, relations (“her brother”), and plurals, by their token.

    `known`: others whose names and pronouns are known.
    """
    pronouns = {word: person.pronoun or "?" for person in known for word in person.full_name.split()}
    mentions: dict[int, Mention] = {}
    place = 0
    while place < len(page.tokens):
        mention = (
            _known(page, place, names, pronouns)
            or _named(page, place, names, words)
            or _related(page, place, words)
            or _someone(page, place, names, words)
            or _several(page, place)
        )
        if mention is None or place in names.person:
            place += 1
            continue
        mentions[place] = mention
        place += 1
        while mention.who == "named" and page.looks_named(place) and place not in names.person:
            place += 1
    return mentions


def _known(page: Page, place: int, names: Names, pronouns: Mapping[str, str]) -> Mention | None:
    pronoun = pronouns.get(page.tokens[place].text, "")
    return Mention(place, "named", pronoun, _is_subject(page, place)) if pronoun and place not in names.person else None


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
    if place in names.covered - names.others:
        return None
    if not given:
        return Mention(place, "named", "?", True) if _acts_as_a_person(page, place) else None
    # One word that begins a sentence may be “Will” or “Hope”: only a second name makes it one.
    is_word = token.lower in words.gendered.names_that_are_words
    if token.first and is_word and not page.looks_named(place + 1):
        return None
    if not token.first and is_word and token.lower in words.file.titles.months and not page.looks_named(place + 1):
        return None
    return Mention(place, "named", given, _is_subject(page, place))


def _acts_as_a_person(page: Page, place: int) -> bool:
    """“Antigone buries him”, “Antigone and her brother”: a capitalised word that does what people do."""
    token, after = page.tokens[place], page.touching(place)
    unknown = page.looks_named(place) and token.tag.startswith("NNP") and token.text[1:].islower()
    placed = ("the", "a", "an", "in", "at", "of", "from")
    single = not page.looks_named(place - 1) and page.lower(place - 1) not in placed
    if not unknown or not single or after is None:
        return False
    if page.lower(after) == "and" and page.lower(after + 1) in ("his", "her"):
        return True
    acts = page.tag(after) in ("VBZ", "VBD") or (is_singular_verb(page.lower(after)) and page.tag(after) == "NNS")
    return acts and page.lower(after) not in ("is", "was", "has", "had")


def _given(lower: str, words: SwapWords) -> str:
    return next((key for key, some in words.file.given_names.items() if lower in some), "")


def _related(page: Page, place: int, words: SwapWords) -> Mention | None:
    word = page.lower(place)
    pronoun = words.kin_pronoun(word)
    if not pronoun or words.is_plural(word):
        return None
    return Mention(place, "relation", pronoun, _is_subject(page, place))


def _someone(page: Page, place: int, names: Names, words: SwapWords) -> Mention | None:
    """“a patient”, “an old man who”: one whom no name tells. Not what the person is said to be (“as a nurse”)."""
    token = page.tokens[place]
    pronoun = words.said_of.get(token.lower, "") if token.lower in words.self else ""
    adjective = token.lower in words.file.nouns.adjectives or token.lower in words.file.nouns.traits
    if page.kept[place] or adjective or words.is_plural(token.lower) or not (pronoun or _is_met(page, place)):
        return None
    start, after = phrase_start(page, place), page.touching(place)
    owned = page.lower(start - 1) in ("my", "our", "your", "his", "her", "their", "'s", "’s")
    alone = page.lower(place) in ("one", "another", "each", "neither", "either")
    if (start == place or page.lower(start) in ("no", "any")) and not (owned or alone):
        return None
    if after is not None and (after in names.person or _is_inner(page, place, after)):
        return None  # “nurse Ann”, “patient care”
    if _is_what_somebody_is(page, place, start, words):
        return None
    # “The heroine of her day, she …” is mostly the person, but “the girl” is a girl who was mentioned before.
    earlier = (at for at in range(place) if page.lower(at) == token.lower)
    known = page.lower(start) != "the" or any(page.lower(phrase_start(page, at)) in ("a", "an") for at in earlier)
    return Mention(place, "someone", pronoun if pronoun and known else "?", _is_subject(page, place))


def _is_inner(page: Page, place: int, after: int) -> bool:
    branch = page.branch(place)
    if branch is not None:
        return branch.relation == "compound" and branch.head == after
    may_act = is_base(page.lower(after)) or page.lower(after).endswith("ed") or is_singular_verb(page.lower(after))
    return page.tag(after).startswith("NN") and not may_act


def _is_met(page: Page, place: int) -> bool:
    lower = page.lower(place)
    if lower in ("one", "another", "each", "neither", "either"):
        of_them = page.lower(place + 1) == "of" and _several_follow(page, place + 2)
        return of_them or page.tag(place + 1) in ("VBD", "VBZ")
    return lower in people_met() and page.tag(place) in ("NN", "NNP", "JJ", "VB", "VBP")


def _several_follow(page: Page, place: int) -> bool:
    """“One of them wrote”, “one of her pupils”, not “one of her greatest strengths”."""
    near = [page.lower(at) for at in range(place, place + 4)]
    plurals = swap_words().file.nouns.people_plural
    return near[0] in ("them", "us", "these", "those") or any(
        word in plurals or (word.endswith("s") and word[:-1] in people_met()) for word in near
    )


def _is_what_somebody_is(page: Page, place: int, start: int, words: SwapWords) -> bool:
    """“She is a nurse and a teacher”, “as her coach”, “Ann, a gifted teacher”: the words describe somebody else's."""
    branch = page.branch(place)
    if branch is not None and branch.relation in ("attr", "oprd", "appos"):
        return True
    owned = start > 0 and page.lower(start - 1) in (*OWNERS, "her")
    governor = governor_of(page, start - 1 if owned else start, place)
    if governor is None:
        return _opens_for_a_subject(page, place)
    lower = page.lower(governor)
    if lower in ("such", "quite", "rather"):
        governor -= 1
        lower = page.lower(governor)
    if lower == "," and page.looks_named(governor - 1):
        return True  # “Ann Weber, a gifted teacher”
    if page.looks_named(governor) or lower in ("him", "her", "them"):
        # “call Joseph a gentleman”
        return lemma(page.lower(governor - 1)) in (*words.gendered.naming, *words.file.verbs.being)
    if lower in ("and", "or", ",") and (before := _noun_before(page, governor)) is not None:
        return _is_what_somebody_is(page, before, phrase_start(page, before), words)
    is_so = lemma(lower) in words.file.verbs.being and page.tag(governor).startswith("VB")
    return is_so or lower in ("as", "like", "than", "'s", "’s", "'m", "’m")


def _opens_for_a_subject(page: Page, place: int) -> bool:
    """“A mother of two, she …”, “What a man!”: the words before the subject that they describe."""
    if page.lower(phrase_start(page, place) - 1) in ("what", "such"):
        return True
    comma = next((at for at in page.after(place) if page.lower(at) == ","), None)
    if comma is None or any(page.tag(at) in ("VBZ", "VBD", "VBP", "MD") for at in range(place + 1, comma)):
        return False
    return page.lower(comma + 1) in ("he", "she", "they", "his", "her") or page.looks_named(comma + 1)


def _noun_before(page: Page, joint: int) -> int | None:
    """The noun that is joined to the next: the word before “and”, or before the comma before it."""
    at = joint - 1 if page.lower(joint - 1) != "," else joint - 2
    inside = at >= 0 and page.sentence[at] == page.sentence[joint]
    return at if inside and page.tag(at) in ("NN", "NNP") and not page.looks_named(at) else None


def _several(page: Page, place: int) -> Mention | None:
    token, rules = page.tokens[place], swap_words().file.nouns
    if token.lower in rules.collectives and not page.kept[place]:
        return Mention(place, "several", "they", _is_subject(page, place))
    if not (token.tag in ("NNS", "NNPS") or token.lower in _PLURAL) or page.kept[place]:
        return None
    if is_singular_verb(token.lower) and page.looks_named(place - 1) and page.touching(place - 1) == place:
        return None  # “Rosa works under her”
    if token.tag == "NNS" and not token.lower.endswith(("s", "people", "men", "women", "children")):
        return None
    human = token.lower in (*_PLURAL, *rules.people_plural) or is_person(plural_form(token.lower))
    return Mention(place, "several" if human else "things", "they", _is_subject(page, place))


def _is_subject(page: Page, place: int) -> bool:
    """Is it its clause's subject? Without a parser: nothing before it would make it an object."""
    branch = page.branch(place)
    for _ in range(4):
        if branch is None or branch.relation not in ("compound", "conj", "flat", "appos"):
            break
        branch = page.branch(branch.head)
    if branch is not None:
        return branch.relation in ("nsubj", "nsubjpass", "csubj")
    for at in page.before(place):
        tag, lower = page.tag(at), page.lower(at)
        if lower in (",", ";", "that", "and", "but", "because", "when", "while", "as", "if"):
            return at != place - 1 or lower not in ("and", ",") or _is_subject(page, at)
        if tag.startswith("VB") or tag in ("IN", "TO", "MD"):
            return False
    return True


# ---- About whom he and she are


def whose(page: Page, place: int, role: Role, pronoun: str, before: Before) -> Whose:
    """About whom is the pronoun at `place`?

    It is the person's, who is whom a text is about, unless somebody else of that pronoun is the subject of its
    sentence, or of the one before, and the person was not mentioned since: then it is left. Wherever it could be
    somebody else's it carries a doubt. An object is never its own clause's subject (“Ms. Hill hired her”).
    """
    others = [mention for mention in before.here if mention.may_be(pronoun)]
    persons = [mention for mention in before.here if mention.is_person]
    if role == "self":
        return _whose_self(page, place, before)
    if role == "object" and page.tag(place - 1).startswith("VB"):
        subject = _clause_subject(page, place, before.here)
        if subject is not None and subject.who == "person":
            return Whose(False, "" if others or before.topic else "may be about the person, and was left")
        if subject is not None and others == [subject]:
            return Whose(True)
    if role == "object" and page.tag(place - 1) in ("IN", "TO") and _is_beside(page, place, pronoun, before):
        return Whose(True, _OTHER)
    if not others:
        return _whose_of_topic(page, role, pronoun, before)
    nearest = others[-1]
    if nearest.who == "relation":
        return Whose(True, _RELATED)
    apposed = role == "owner" and page.lower(place - 1) == ","
    if page.lower(nearest.place) in _PRONOUNS and (role == "object" or not persons):
        return Whose(False, f"{_OTHER}, and was left")  # the pronoun before it was left
    leads = nearest.subject and nearest.pronoun == pronoun and not _one_of_several(page, nearest.place)
    told_of = role != "object" and _is_told_of(page, place, nearest)
    if (leads and not persons and role != "object" and not apposed) or told_of:
        return Whose(False, f"{_OTHER}, and was left")
    if role == "subject" and nearest.pronoun == "?" and _goes_on(page, place, persons, nearest):
        return Whose(True)
    # “With David Hall, Ann made a name by her work”: the person is named after somebody who did nothing.
    last = persons[-1] if persons and not any(other.subject for other in others) else None
    clear = last is not None and last.by_name and last.subject and last.place > nearest.place
    return Whose(True, "" if clear else _OTHER)


def _led_by_who(page: Page, place: int, here: Sequence[Mention]) -> Mention | None:
    """“her grandmother, who ran a farm by herself”: whom the last “who” before the pronoun is about."""
    who = next((at for at in page.before(place) if page.lower(at) == "who"), None)
    near = (who - 1, who - 2) if who is not None else ()
    return next((mention for mention in reversed(here) if mention.place in near), None)


def _is_beside(page: Page, place: int, pronoun: str, before: Before) -> bool:
    """“Ann works under her”: brought in by a preposition, in a clause whose subject is the person already."""
    subject = _clause_subject(page, place, before.here)
    if subject is None or subject.who != "person":
        return False
    met = before.topic is not None or any(mention.may_be(pronoun) for mention in (*before.last, *before.here))
    return met or page.lower(place - 1) in ("under", "by", "from", "against", "alongside", "beside", "for", "like")


def _whose_self(page: Page, place: int, before: Before) -> Whose:
    if (  # “by the chairman himself” stresses a noun that a preposition brings in
        page.tag(place - 1) == "NN"
        and page.lower(place - 2) == "the"
        and page.lower(place - 3) in ("by", "with", "from")
    ):
        return Whose(False, f"{_OTHER}, and was left")
    subject = _led_by_who(page, place, before.here) or _clause_subject(page, place, before.here)
    several = [mention for mention in before.here if mention.who != "things"]
    subject = subject or next((mention for mention in reversed(several) if mention.subject), None)
    subject = subject or (several[-1] if several else None)
    if subject is not None and subject.who != "person":
        return Whose(False)
    return Whose(not page.looks_named(place - 1) or subject is not None or not before.here)


def _whose_of_topic(page: Page, role: Role, pronoun: str, before: Before) -> Whose:
    """Nobody else was mentioned in the sentence yet: does the text go on about somebody of the sentence before?"""
    if any(mention.is_person for mention in before.here):
        return Whose(True)
    if before.topic is not None:
        same = before.topic.pronoun == pronoun and before.topic.who != "relation"
        return Whose(not same, f"{_OTHER}, and was left" if same else _OTHER)
    last = [mention for mention in before.last if mention.who != "things"]
    led = any(mention.is_person and mention.subject for mention in last[:1]) or before.last_subject == "person"
    others = [mention for mention in last if mention.may_be(pronoun) and mention.pronoun == pronoun]
    if led and role == "subject":  # “She has a sister. She …”: whoever was mentioned last may go on
        others = [mention for mention in others if mention is last[-1] and not _one_of_several(page, mention.place)]
    return Whose(True, _OTHER if others and (role == "subject" or (role == "owner" and not led)) else "")


def _clause_subject(page: Page, place: int, here: Sequence[Mention]) -> Mention | None:
    """The subject of the clause that the pronoun is in; `None` where another clause begins after the last one."""
    if page.branch(place) is not None:
        return _subject_by_grammar(page, place, here)
    subjects = [mention for mention in here if mention.subject and mention.who not in ("things", "several")]
    if not subjects or _new_subject(page, subjects[-1].place, place):
        return None
    between = range(subjects[-1].place + 1, place)
    several = [mention.place for mention in here if mention.who in ("things", "several") and mention.subject]
    infinitive = any(page.tag(at) == "TO" and page.tag(at + 1).startswith("VB") for at in between)
    return None if infinitive or set(several) & set(between) else subjects[-1]


def _subject_by_grammar(page: Page, place: int, here: Sequence[Mention]) -> Mention | None:
    """The mention that is the subject of the pronoun's verb; `None` where that is nobody of `here`."""
    verb = place
    for _ in range(12):
        branch = page.branch(verb)
        if branch is None:
            return None
        if verb != place and branch.tag.startswith("V"):
            subject = next((at for at in _children(page, verb) if _relation(page, at) in ("nsubj", "nsubjpass")), None)
            if subject is not None:
                return next((mention for mention in here if _stem(page, mention.place) == subject), None)
            if branch.relation not in ("conj", "aux", "auxpass"):
                return None
        if branch.head == verb:
            return None
        verb = branch.head
    return None


def _children(page: Page, head: int) -> Iterator[int]:
    for at in (*page.before(head), *page.after(head)):
        branch = page.branch(at)
        if branch is not None and branch.head == head:
            yield at


def _relation(page: Page, place: int) -> str:
    branch = page.branch(place)
    return branch.relation if branch is not None else ""


def _stem(page: Page, place: int) -> int:
    """The last word of the name that a token belongs to: “Hale” of “Ruth Hale”."""
    for _ in range(4):
        branch = page.branch(place)
        if branch is None or branch.relation not in ("compound", "flat", "nmod"):
            break
        place = branch.head
    return place


def _is_told_of(page: Page, place: int, other: Mention) -> bool:
    """“a patient who lost his leg”, “a boy whose mother”: the clause right after somebody is about them."""
    after = other.place + 1
    return page.lower(after) in ("who", "whose") and "," not in [page.lower(at) for at in range(after, place)]


def _goes_on(page: Page, place: int, persons: Sequence[Mention], other: Mention) -> bool:
    """“She met a client and she wrote”: a second main clause has the first one's subject."""
    led = bool(persons) and persons[0].subject and not other.subject
    return led and page.lower(place - 1) in ("and", "but", ",", ";", "so", "then")


def _one_of_several(page: Page, place: int) -> bool:
    """“Robert Reed and Terrence Hill”: two people named together have no he or she in common."""
    end = place
    while page.looks_named(end + 1):
        end += 1
    after = page.lower(end + 1) in ("and", "&") and page.looks_named(end + 2)
    return after or (page.lower(place - 1) in ("and", "&") and page.looks_named(place - 2))


def whose_they(page: Page, place: int, role: Role, pronoun: str, earlier: Before) -> Whose:
    """Return the referent of they, which may also be several people or things.

    Several people that are the subject of the sentence, or that are nearer to a clause of its own, take it; things
    (“her works”) only give a doubt, for letters say they of a person far more often than of things.
    """
    before = earlier.here
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
    if role == "subject" and page.tokens[place].first and earlier.last_subject == "several":
        return Whose(False, f"{_SEVERAL}, and was left")
    near = max((mention.place for mention in persons), default=-1)
    if several and several[-1].place > near and _is_of_several(page, place, role, several[-1], persons):
        return Whose(False, f"{_SEVERAL}, and was left")
    if role == "subject" and several and _are_they_all(page, place, before):
        return Whose(False, f"{_SEVERAL}, and was left")
    unsure = several or any(mention.who == "things" and mention.place > near for mention in before)
    return Whose(True, "may be about several people or things named before it" if unsure else "")


def _are_they_all(page: Page, place: int, before: Sequence[Mention]) -> bool:
    """“and they all say”, “Customers see them, and they feel”: several people are said to be, or led the sentence."""
    subject = next((mention for mention in before if mention.subject and mention.who != "things"), None)
    named = any(mention.by_name for mention in before)
    parallel = subject is not None and subject.who == "several" and not named
    joined = page.lower(place - 1) in ("and", "but", ",", ";", "so")
    return page.lower(place + 1) in ("all", "both", "each") or (parallel and joined)


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
