"""The swap twin of a text: names, titles, pronouns, verbs, gendered words, articles; each with its reason.

`swap` always gives a twin and says where a person should look; `strict_twin` gives one only where nothing is unsure.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from biasprint.core.errors import UsageError
from biasprint.core.swap.guess import guess_person
from biasprint.core.swap.mentions import NOUN_KEPT, change_nouns, with_partners
from biasprint.core.swap.names import NAME_KEPT, Names, change_titles, find_names, is_title, pronoun_of_title
from biasprint.core.swap.page import PRONOUNS, Change, Page, Person, Stretch, Twin, applied, read_page
from biasprint.core.swap.pronouns import FORMS, change_articles, change_pronouns
from biasprint.core.swap.vocabulary import is_a_word, is_singular_verb, swap_words

# Which engine made a twin, as it is stored beside it. Earlier ones: “rules 1”, for biographies, and “rules 2”.
ENGINE = "rules 3"
# The parser that read it too follows, where one did: “rules 3; en_core_web_sm-3.8.0”.
UNCHANGED = "nothing in it shows a name or gender"
DOUBTFUL = "a word in it may be about somebody else"
MIXED = "words of both genders stand in it"
REMAINS = "a word that tells the gender would stay in its twin"
# “Dear Sir or Madam” speaks to the reader.
_READER = re.compile(r"\b(?:sirs?\s*(?:/|or|and)\s*madams?|madams?\s*(?:/|or|and)\s*sirs?)\b", re.IGNORECASE)
# What going there and back may lose although it was right: which of him and his a “her” was, and “James' work”.
_LOST_ON_THE_WAY = (
    (re.compile(r"\b(?:him|his)\b", re.IGNORECASE), "his"),
    (re.compile(r"(?<=[sxz])(['’])s\b"), r"\1"),
)


def swap(
    text: str,
    person: Person,
    other: Person,
    *,
    parts: Sequence[Stretch] = (),
    others: Sequence[Person] = (),
    everywhere: bool = False,
    couples: bool = False,
    grammar: bool = True,
) -> Twin:
    """The text about `person` as one about `other`.

    A name that `other` lacks stays; a pronoun that `person` lacks is guessed from the text, one that `other` lacks
    is `person`'s. `parts`, where known, say what is salutation and signature; otherwise they are found by their form.
    Addresses, salutation and signature are kept, and so are names inside quotations and titles of works and names
    that others may bear: unless `everywhere`, for a text in which nothing may show `person`, such as a prompt.
    `others`: people of the text who are known by name, such as a second candidate: words about them stay.
    `couples`: “his wife” becomes “her husband” where nothing else tells the partner's gender; otherwise partners stay,
    as all relations do. `grammar`: ask the parser too, where it is installed; not for prompts, which must be the same
    on every computer. English only.

    Heavy at the first call (a tagger and a dictionary are loaded); raises `UsageError` for a pronoun it does not know.
    """
    for pronoun in (person.pronoun, other.pronoun):
        if pronoun not in PRONOUNS:
            raise UsageError(f"A twin cannot be made with the pronoun “{pronoun}”.", hint="Choose he, she or they.")
    words = swap_words()
    person = _without_titles(person)
    if not person.pronoun:
        person = replace(person, pronoun=guess_person(text, parts).pronoun)
    other = _without_titles(other)
    other = replace(other, pronoun=other.pronoun or person.pronoun)
    if not text.strip():
        return Twin(text, (), ())
    page = read_page(text, parts, grammar=grammar)
    names = find_names(page, person, other, words, everywhere=everywhere)
    spoken = change_pronouns(page, person, other, names, words, others)
    titles = list(change_titles(page, person, other, names.person, words))
    nouns = list(change_nouns(page, person, other, names, spoken, words)) if person.pronoun else []
    if couples:
        nouns = with_partners(page, nouns, person, other, spoken, words)
    decided = [*names.changes, *names.left, *spoken.changes, *spoken.left, *titles, *nouns]
    changes = _in_order(change for change in decided if change.new != change.old)
    changes = _in_order([*changes, *change_articles(page, changes)])
    left = [change for change in decided if change.new == change.old]
    if person.pronoun not in ("", other.pronoun):
        left += still_there(page, person, [*changes, *left], names)
    return Twin(applied(text, changes), tuple(changes), tuple(sorted(left, key=lambda item: item.start)))


def made_by() -> str:
    """Return the engine as it is stored beside a twin: its rules, and the parser where one is installed."""
    from biasprint.core.scorers.parts_of_speech import parser_version

    return "; ".join(filter(None, (ENGINE, parser_version())))


@dataclass(frozen=True)
class StrictTwin:
    """`text`: the twin; empty where `reason` says why there is none."""

    text: str
    reason: str = ""


def strict_twin(text: str, about: Person, other: Person) -> StrictTwin:
    """`text`, about `about`, as one about `other`, who is of the other gender; the family name stays.

    Refused unless every rule was sure, swapping back gives the text again (so no word of the other gender was in it
    before), and no word that tells the first gender is left.
    """
    family = about.last_name or _family_name(text, about.first_name)
    about, other = replace(about, last_name=family), replace(other, last_name=family)
    made = swap(text, about, other)
    if made.text == text:
        return StrictTwin("", UNCHANGED)
    if any(change.doubt for change in (*made.changes, *made.left_alone)):
        return StrictTwin("", DOUBTFUL)
    if _comparable(swap(made.text, other, about).text) != _comparable(text):
        return StrictTwin("", MIXED)
    if set(re.findall(r"\w+", _said_of_people(made).lower())) & _telling(about.pronoun):
        return StrictTwin("", REMAINS)
    return StrictTwin(made.text)


def strict_twins(texts: Sequence[tuple[str, Person, Person]]) -> list[StrictTwin]:
    """Return `strict_twin` of each text with the person it is about and the person of its twin."""
    return [strict_twin(*text) for text in texts]


def _said_of_people(twin: Twin) -> str:
    """Return the twin's text without words that surely refer to nobody: “bachelor's degree”, “to man the desk”."""
    nobody = [change for change in twin.left_alone if change.reason == NOUN_KEPT and not change.doubt]
    places = [(twin.place(change.start), twin.place(change.end)) for change in nobody]
    changes = [Change(start, end, twin.text[start:end], "", "") for start, end in places]
    return _READER.sub("", applied(twin.text, changes))


def _comparable(text: str) -> str:
    for lost, same in _LOST_ON_THE_WAY:
        text = lost.sub(same, text)
    return text


def _family_name(text: str, first_name: str) -> str:
    """The one word that follows the given name as a name does, so that “Ms Lee” is known to be her; else none."""
    following = set(re.findall(rf"\b{re.escape(first_name)} ([A-Z][a-zà-ÿ]+(?:-[A-Z][a-zà-ÿ]+)?)\b", text))
    return following.pop() if first_name and len(following) == 1 else ""


def _telling(pronoun: str) -> set[str]:
    """Return the words that refer only to a man, or only to a woman."""
    words = swap_words()
    place, titles = (0, words.file.titles.for_he) if pronoun == "he" else (1, words.file.titles.for_she)
    own = {word for word, forms in words.self.items() if forms[place] == word != forms[1 - place]}
    pairs = words.gendered.titles
    own_titles = {pair[place] for pair in pairs} - {pair[1 - place] for pair in pairs}
    return {*own, *titles, *own_titles, *FORMS[pronoun].values()}


def _in_order(changes: Iterable[Change]) -> list[Change]:
    """Sort changes by place; where two rules want the same characters the first holds."""
    in_order: list[Change] = []
    for change in sorted(changes, key=lambda each: (each.start, each.end)):
        if not in_order or change.start >= in_order[-1].end:
            in_order.append(change)
    return in_order


def _without_titles(person: Person) -> Person:
    """Strip blanks; move a title that is in the place of the first name (“Ms.” Renkow) to its own field."""
    first, last = " ".join(person.first_name.split()), " ".join(person.last_name.split())
    rules = swap_words().file.titles
    titles = rules.for_he | rules.for_she | {rules.neutral, "dr", "prof", "professor"}
    if first.rstrip(".").lower() in titles:
        return replace(person, first_name="", last_name=last, title=person.title or first)
    return replace(person, first_name=first, last_name=last)


# ---- Words of the person's gender that no rule decided about: they stay in the twin, and are listed

STAYS = "word kept"
_QUOTED = "in the title of a work, a greeting or a signature: kept"
_CALLED = "may be the person by another name"
_ALONE = "said to or of somebody whom no name tells"
_MAIDEN = "a name before marriage: look whether the twin would have one"


def still_there(page: Page, person: Person, decided: Sequence[Change], names: Names) -> Iterator[Change]:
    """Yield the pronouns, titles and forms of address of the person's gender that stay without having been decided on.

    Those of other people are decided: a pronoun is left with its reason, and “Mr. Hill” is not the person.
    """
    done = {at for change in decided for at in range(change.start, max(change.end, change.start + 1))}
    forms = {*FORMS[person.pronoun].values()} | ({"themselves"} if person.pronoun == "they" else set())
    for place, token in enumerate(page.tokens):
        if token.start in done or page.kept[place] == "address":
            continue
        if token.lower in forms and page.kept[place]:
            yield Change(token.start, token.end, token.text, token.text, STAYS, _QUOTED)
        elif token.lower in ("née", "nee") and person.pronoun == "she":
            yield Change(token.start, token.end, token.text, token.text, STAYS, _MAIDEN)
        elif _is_called(page, place, person, names):
            yield Change(token.start, token.end, token.text, token.text, NAME_KEPT, _CALLED)
        elif _is_address(page, place, person) or _is_title_of(page, place, person, names):
            yield Change(token.start, token.end, token.text, token.text, STAYS, _ALONE)


def _is_called(page: Page, place: int, person: Person, names: Names) -> bool:
    """“Kasia works here” of Katarzyna: an unknown name that acts as people do and begins as hers."""
    token, after = page.tokens[place], page.touching(place)
    if place in names.covered or after is None or page.looks_named(after) or page.looks_named(place - 1):
        return False
    alike = len(token.text) > 2 and token.text[:1] == person.first_name[:1] and token.text[1:].islower()
    known = (
        token.lower in swap_words().file.lists.no_names
        or any(token.lower in some for some in swap_words().file.given_names.values())
        or is_a_word(token.lower)
    )
    does = page.tag(after) in ("VBZ", "VBD", "MD") or is_singular_verb(page.lower(after))
    return alike and not known and (does or page.lower(after) in ("'s", "’s")) and not is_a_word(token.lower, "noun")


def _is_address(page: Page, place: int, person: Person) -> bool:
    """“Thank you, sir”, “Ma'am”: no name follows."""
    words = {"he": ("sir", "mister"), "she": ("ma'am", "ma’am", "madam", "miss")}.get(person.pronoun, ())
    beside = {page.lower(place - 1), page.lower(place + 1)}
    alone = not page.looks_named(place + 1) and not beside & {"or", "/", "and"}
    return page.lower(place) in words and alone and not page.tag(place).startswith("VB")


def _is_title_of(page: Page, place: int, person: Person, names: Names) -> bool:
    """A title that stayed although a name of the person follows, such as in a greeting."""
    if not is_title(page, place) or pronoun_of_title(page.lower(place), swap_words()) != person.pronoun:
        return False
    after = place + 2 if page.lower(place + 1) == "." else place + 1
    return after in names.covered and after not in names.others
