"""A guess of a letter's candidate: the name and how sure it is; and the pronoun, by `guess_pronoun`."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from biasprint.core.swap.candidate import (
    PartsAbout,
    Ranked,
    has_evidence,
    ranked,
    recommended_beside,
    spoken_of,
    turns_of,
    weights,
)
from biasprint.core.swap.guess_pronoun import PronounGuess, Sureness, contradicts, given_pronoun, guess_pronoun
from biasprint.core.swap.mentions import Named, given_names, people_of, title_pronoun
from biasprint.core.swap.page import PRONOUNS, Person, Stretch, folded_to_letters
from biasprint.core.swap.told import Telling, person_words, told
from biasprint.core.swap.vocabulary import swap_words


@dataclass(frozen=True)
class Guess:
    """The person as far as the letter says, how sure name and pronoun are, and what that rests on, in words."""

    person: Person
    name: Sureness
    pronoun: Sureness
    reason: str
    mixed: bool = False  # he and she are both said, and neither far oftener
    beside: tuple[Person, ...] = ()  # others whom the letter recommends too


def doubt_of(guess: Guess) -> str:
    """Return what to check before the guess is relied on, in a sentence; "" where nothing contradicts it.

    No name at all is no contradiction, and is reported elsewhere.
    """
    person = guess.person
    if contradicts(person):
        bearers = "men" if person.pronoun == "she" else "women"
        return (
            f"The letter seems to be about {person.full_name} and says “{person.pronoun}”, though {person.first_name} "
            f"is mostly a name of {bearers}. Look whether the candidate is found rightly, before a twin is made."
        )
    if guess.mixed:
        guessed = f"“{person.pronoun}” is a guess" if person.pronoun else "neither is taken for the candidate's"
        return (
            f"The letter says both “he” and “she”, so that {guessed}. Look whether the candidate's pronoun is right, "
            "before a twin is made."
        )
    return ""


def guess_person(text: str, parts: Sequence[Stretch] = ()) -> Person:
    """Guess the candidate's name, title and pronoun; "" for what the letter does not say."""
    return guess(text, parts).person


def guess(text: str, parts: Sequence[Stretch] = ()) -> Guess:
    """`guess_person` with how sure it is. The addressee and the writer are not asked: whom a letter greets or who
    signed it is not whom it is about.
    """
    page = told(text, parts)
    everybody = ranked(page)
    people = [named for named in everybody if has_evidence(named)]
    best = people[0] if people and people[0].probability >= weights().taken_from else None
    name = best.person.name if best else ""
    title, first, last = _taken_apart(best.person, page) if best else ("", "", "")
    pronouns = spoken_of(page, [named.person for named in everybody])[everybody.index(best)] if best else None
    pronoun = guess_pronoun(page.text, name, title, pronouns)
    whole = name if name != f"{first} {last}".strip() else ""
    person = Person(first, last, title, pronoun.pronoun, whole)
    beside = _beside(page, everybody, best.person) if best else ()
    if beside and pronouns is not None:
        pronoun = _pronoun_of(pronouns, title, first, pronoun)
        person = replace(person, pronoun=pronoun.pronoun)
    return Guess(
        person, _sure(people), pronoun.sure, f"{_why(best)}; {pronoun.reason}.", pronoun.mixed and not beside, beside
    )


def _pronoun_of(counts: Counter[str], title: str, first: str, by_all: PronounGuess) -> PronounGuess:
    """The pronoun of one of several candidates: by the title, this one's pronouns, or the given name."""
    most = title_pronoun(title) or max(counts, key=lambda each: counts[each], default="") or given_pronoun(first)
    known = next((pronoun for pronoun in PRONOUNS if pronoun == most), by_all.pronoun)
    times = ", ".join(f"{pronoun} {count} times" for pronoun, count in counts.items()) or "neither he nor she"
    return PronounGuess(known, "likely" if counts else "unsure", f"of this candidate it says {times}")


def _beside(page: Telling, ranking: Sequence[Ranked], best: Named) -> tuple[Person, ...]:
    """Return the others whom the letter recommends too."""
    others, people = recommended_beside(page, ranking, best), [named.person for named in ranking]
    spoken = spoken_of(page, people) if others else {}
    beside = []
    for other in others:
        title, first, last = _taken_apart(other, page)
        pronoun = _pronoun_of(spoken[people.index(other)], title, first, guess_pronoun("", other.name, title)).pronoun
        beside.append(Person(first, last, title, pronoun, other.name if other.name != f"{first} {last}" else ""))
    return tuple(beside)


def guess_called(text: str, name: str, parts: Sequence[Stretch] = ()) -> Guess:
    """The guess of whoever is called `name` in the letter, as a person gave it; its name is sure.

    The letter says where its family name begins, with which title it is said, and which pronoun is this person's.
    """
    page = told(text, parts)
    ranking = ranked(page)
    everybody = [named.person for named in ranking]
    _, words = _without_title(name)
    own = next((person for person in everybody if _has_name(person, words)), None)
    mentions = own.mentions if own is not None else []
    title, first, last = _taken_apart(Named(words, mentions), page) if words else ("", "", "")
    pronouns = spoken_of(page, everybody)[everybody.index(own)] if own is not None else None
    pronoun = guess_pronoun(page.text, " ".join(words), title, pronouns)
    whole = own.name if own is not None and len(own.words) > len(words) else " ".join(words)
    beside = _beside(page, ranking, own) if own is not None else ()
    if beside and pronouns is not None:
        pronoun = _pronoun_of(pronouns, title, first, pronoun)
    person = Person(first, last, title, pronoun.pronoun, whole if whole != f"{first} {last}".strip() else "")
    return Guess(
        person, "sure", pronoun.sure, f"the name was given; {pronoun.reason}.", pronoun.mixed and not beside, beside
    )


def _without_title(name: str) -> tuple[str, tuple[str, ...]]:
    """Take the title from a name as it is typed: “Sergeant First Class Tyrone Banks”."""
    words, title = name.split(), ""
    for longest in (3, 2, 1) * 2:
        first = " ".join(words[:longest])
        if len(words) > longest and first.lower().replace(".", "") in person_words().titles:
            words, title = words[longest:], f"{title} {first}".strip()
    return title, tuple(words)


def turns_between(text: str, parts: Sequence[Stretch], candidates: Sequence[Person]) -> PartsAbout:
    """Return which of several candidates the letter speaks of, place by place; numbers are places in `candidates`."""
    page = told(text, parts)
    people = people_of(page)
    found = []
    for person in candidates:
        words = tuple(person.full_name.split())
        found.append(next((one for one in people if _has_name(one, words)), Named(words)))
    return turns_of(page, found, [person.pronoun for person in candidates])


def named(name: str) -> Person:
    """A name as it is typed: title, given names and initials, family name (“Dr. J. R. Shaw”, “Kelly van Dyke”)."""
    title, words = _without_title(name)
    initials = [place for place, word in enumerate(words[1:-1], 1) if re.fullmatch(r"\w\.?", word)]
    more = len(words) == 3 and words[1].lower() in given_names() and words[1][:1].isupper()
    cut = (initials[-1] + 1) if initials else 2 if more or (len(words) == 4 and words[2][:1].isupper()) else 1
    return Person(" ".join(words[:cut]), " ".join(words[cut:]), title)


def _has_name(person: Named, words: Sequence[str]) -> bool:
    """Is everything of the shorter of both names in the longer one, accents apart?"""
    ours, theirs = ({folded_to_letters(word) for word in some} for some in (person.words, words))
    return bool(ours) and bool(theirs) and (ours <= theirs or theirs <= ours)


def _sure(people: Sequence[Ranked]) -> Sureness:
    """Surer, the likelier the best is, and the less likely everybody else."""
    if not people or people[0].probability < weights().taken_from:
        return "unsure"
    best, next_best = people[0].probability, people[1].probability if len(people) > 1 else 0.0
    if next_best >= weights().taken_from:
        return "unsure"
    return "sure" if best >= weights().sure_from else "likely" if best >= weights().likely_from else "unsure"


def _why(best: Ranked | None) -> str:
    if best is None:
        return "no name was found in it"
    if best.features["headed"] or best.features["told_surely"]:
        return f"the letter says that it is about “{best.person.name}”"
    return f"“{best.person.name}” is the name that most speaks for"


_BEFORE_GIVEN_NAMES = ("Sir", "Dame", "Sister", "Brother", "Father", "Mother", "Lady", "Lord", "Coach", "Miss")


def _taken_apart(person: Named, page: Telling) -> tuple[str, str, str]:
    """Title, given and family name."""
    title = next((title for title in person.titles), "")
    words = list(person.words)
    if len(words) == 1:
        family = bool(title) and title.rstrip(".") not in _BEFORE_GIVEN_NAMES
        return (
            (title, "", words[0])
            if family and all(mention.title for mention in person.mentions)
            else (title, words[0], "")
        )
    called = [
        mention.words[0]
        for mention in person.mentions
        if len(mention.words) == 1 and mention.title and mention.title.rstrip(".") not in _BEFORE_GIVEN_NAMES
    ]
    if called and words[0] in called and words[-1] not in called:
        return title, " ".join(words[1:]), words[0]  # “Lin Mei-Hua”, who is Ms Lin
    if re.fullmatch(r"\w\.", words[0]) and len(words) > 2 and re.fullmatch(r"\w\.", words[-2]):
        return title, " ".join(words[:-1]), words[-1]  # “M. K. Shaw”
    if _family_name_first(words, page.text):
        return title, " ".join(words[1:]), words[0]
    cut = next((place for place, word in enumerate(words) if place and word.islower()), len(words) - 1)
    if cut == len(words) - 1 and len(words) == 4 and _has_two_of_both(words, page.text):
        return title, " ".join(words[:2]), " ".join(words[2:])
    if cut == len(words) - 1 and len(words) == 3 and _has_two_family_names(words, page.text):
        cut = 1
    return title, words[0], " ".join(words[cut:])


def _family_name_first(words: Sequence[str], body: str) -> bool:
    """“Carter Min-jun”, “Nguyễn Thị Hạnh”: the letter uses the last name alone, as given names are, never the first."""
    first, last = words[0], words[-1]
    alone = _stands_alone(last, words[-2], body) and not _stands_alone(first, "", body, but_before=words[1])
    given = last.lower() in given_names() and first.lower() not in given_names()
    return alone and (given or folded_to_letters(first) in swap_words().file.lists.family_first)


def _stands_alone(word: str, before: str, body: str, *, but_before: str = "") -> bool:
    """Does the letter use the name without a title, and not right after (or before) another part of it?"""
    titles = "|".join(map(re.escape, person_words().titles))
    for match in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", body):
        earlier = body[: match.start()].rstrip()
        titled = re.search(rf"(?<!\w)(?:{titles})\.?$", earlier, re.IGNORECASE) is not None
        joined = bool(before) and earlier.endswith(before)
        goes_on = bool(but_before) and body[match.end() :].lstrip().startswith(but_before)
        if not (titled or joined or goes_on):
            return True
    return False


def _has_two_of_both(words: Sequence[str], body: str) -> bool:
    """“Thomas José García Moreno”, whom the letter also calls García Moreno."""
    family = rf"(?<!{re.escape(words[1])}\s)\b{re.escape(words[2])}\s+{re.escape(words[3])}\b"
    return all(len(word.rstrip(".")) > 1 for word in words) and re.search(family, body) is not None


def _has_two_family_names(words: Sequence[str], body: str) -> bool:
    """“Rosario Quispe Mamani”; not “Mary Jane Smith”, nor one whom the letter also calls by the last of them."""
    middle, last = words[1], words[2]
    alone = re.search(rf"(?<!\b{re.escape(middle)}\s)\b{re.escape(last)}\b", body)
    return len(middle.rstrip(".")) > 1 and middle.lower() not in given_names() and alone is None
