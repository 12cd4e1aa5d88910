"""Titles and ranks before a name, and their replacements in the twin."""

from collections.abc import Iterator
from functools import cache

from biasprint.core.swap.page import Change, Page, Person, in_case_of
from biasprint.core.swap.told import person_words
from biasprint.core.swap.vocabulary import SwapWords, swap_words, towards

_DOTTED = ("mr", "ms", "mrs", "mx")


def title_before(page: Page, place: int) -> int | None:
    """The place of the title right before a name, its full stop passed over; “we will miss Ann” has none."""
    at = place - 1
    if at >= 1 and page.tokens[at].text == "." and page.touching(at) == place:
        at -= 1
    if at < 0 or page.sentence[at] != page.sentence[place]:
        return None
    return at if is_title(page, at) else None


def is_title(page: Page, place: int) -> bool:
    """A word for a title with its capital; where the text has none (“ms. weber”), one that is no other word."""
    token = page.tokens[place]
    if page.lowered:
        return token.lower in (*_DOTTED, "dr", "prof")
    return token.text[:1].isupper() and token.lower in _all_titles()


def pronoun_of_title(title: str, words: SwapWords) -> str:
    """he or she for a title that is only theirs, they for Mx, "" for one that is everybody's or none."""
    rules = words.file.titles
    if title in rules.for_he or title in (pair[0] for pair in _pairs()):
        return "he"
    if title in rules.for_she or title in (pair[1] for pair in _pairs()):
        return "she"
    return "they" if title == rules.neutral else ""


def change_titles(page: Page, person: Person, other: Person, named: set[int], words: SwapWords) -> Iterator[Change]:
    """Titles of the person; a change whose new word is the old one is left alone with its doubt."""
    if person.pronoun == other.pronoun:
        return
    for place, token in enumerate(page.tokens):
        if page.kept[place] or not is_title(page, place):
            continue
        after = place + 2 if page.lower(place + 1) == "." else place + 1
        while after not in named and after < len(page.tokens) and is_title(page, after):  # “Mr. Justice Hart”
            after += 2 if page.lower(after + 1) == "." else 1
        if after in named:
            yield from _title(page, place, person, other, words)
        elif page.lower(after) in ("and", "&") and page.lower(after + 1) in _all_titles():
            yield Change(token.start, token.end, token.text, token.text, "title kept", "said of two people")
        elif page.lower(after) in words.file.titles.before_office and page.tokens[after].text[0].isupper():
            yield from _title(page, place, person, other, words)


def _title(page: Page, place: int, person: Person, other: Person, words: SwapWords) -> Iterator[Change]:
    token, rules = page.tokens[place], words.file.titles
    if pronoun_of_title(token.lower, words) != person.pronoun:
        return
    new, doubt = _for(token.lower, other, words), ""
    office = page.lower(place + 2 if page.lower(place + 1) == "." else place + 1) in rules.before_office
    if office and other.pronoun == "she":
        new = "madam"
    if not new:
        yield Change(token.start, token.end, token.text, token.text, "title kept", "has no form for everybody")
        return
    if token.lower in rules.no_neutral and new not in rules.no_neutral:
        doubt = "an honour: look whether the twin would have it"
    if token.lower in ("sister", "brother", "father", "mother"):
        doubt = "a title of an order or a ward: look whether the twin would have it"
    end = token.end
    if page.lower(place + 1) == "." and new not in _DOTTED and token.lower in _DOTTED:
        end = page.tokens[place + 1].end
    dot = "." if token.lower not in _DOTTED and new in _DOTTED and _dotted(page) else ""
    old = page.text[token.start : end]
    yield Change(token.start, end, old, in_case_of(token.text, new) + dot, "title", doubt)


def _for(title: str, other: Person, words: SwapWords) -> str:
    rules = words.file.titles
    pairs = towards(_pairs(), other.pronoun) if other.pronoun != "they" else {}
    if title in rules.no_neutral or any(title in pair for pair in rules.foreign):
        return pairs.get(title, "")
    if other.pronoun == "they":
        return rules.neutral
    own = other.title.strip().rstrip(".").lower()
    if own and own in (rules.for_he if other.pronoun == "he" else rules.for_she):
        return own
    return "mr" if other.pronoun == "he" else "ms"


def _dotted(page: Page) -> bool:
    """Does this letter write “Mr.” with a full stop? American English does, and it is the commoner."""
    short = (*_DOTTED, "dr", "prof")
    used = [page.lower(place + 1) == "." for place, token in enumerate(page.tokens) if token.lower in short]
    return all(used) if used else True


def _pairs() -> tuple[tuple[str, ...], ...]:
    words = swap_words()
    return (*words.gendered.titles, *words.file.titles.foreign)


@cache
def _all_titles() -> frozenset[str]:

    words = swap_words()
    rules = words.file.titles
    pairs = {word for pair in _pairs() for word in pair}
    every = rules.for_he | rules.for_she | rules.without_gender | pairs | {rules.neutral}
    return frozenset(every | {title for title in person_words().titles if " " not in title})
