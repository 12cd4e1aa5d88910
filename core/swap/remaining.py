"""Words of the person's gender that no rule decided about: they stay in the twin, and are listed."""

from collections.abc import Iterator, Sequence

from biasprint.core.swap.names import NAME_KEPT, Names
from biasprint.core.swap.page import Page
from biasprint.core.swap.pronouns import FORMS
from biasprint.core.swap.result import Change, Person
from biasprint.core.swap.titles import is_title, pronoun_of_title
from biasprint.core.swap.vocabulary import is_a_word, is_singular_verb, swap_words

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
