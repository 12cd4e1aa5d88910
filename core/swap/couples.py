"""A person's partner: “his wife” becomes “her husband” of a woman, so that the couple reads as before.

Only where nothing else in the text tells the partner's gender: a name, or a pronoun that may be theirs, would
contradict the new word.
"""

from collections.abc import Sequence
from dataclasses import replace

from biasprint.core.swap.nouns import PARTNER
from biasprint.core.swap.page import Page
from biasprint.core.swap.pronouns import FORMS, Spoken
from biasprint.core.swap.result import HE_AND_SHE, Change, Person, in_case_of
from biasprint.core.swap.vocabulary import SwapWords

PARTNER_CHANGED = "the person's partner, changed so that the couple reads as before: look whether that is meant"


def with_partners(
    page: Page, nouns: Sequence[Change], person: Person, other: Person, spoken: Spoken, words: SwapWords
) -> list[Change]:
    """`nouns` with the words for the partner changed; as they are where one of them has to stay."""
    places = {token.start: place for place, token in enumerate(page.tokens)}
    partners = [one for one in nouns if one.doubt == PARTNER]
    both = {person.pronoun, other.pronoun} <= HE_AND_SHE.keys() and person.pronoun != other.pronoun
    if not both or any(_is_told_of(page, places[one.start], spoken, words) for one in partners):
        return list(nouns)
    return [_changed(one, words) if one.doubt == PARTNER else one for one in nouns]


def _changed(one: Change, words: SwapWords) -> Change:
    his, hers, _ = words.kin[one.old.lower()]
    new = hers if one.old.lower() == his else his
    return replace(one, new=in_case_of(one.old, new), reason="relationship word", doubt=PARTNER_CHANGED)


def _is_told_of(page: Page, place: int, spoken: Spoken, words: SwapWords) -> bool:
    """Does the text tell the partner's gender by a name beside the word, or by a pronoun that is not the person's?"""
    after = place + 2 if page.lower(place + 1) == "," else place + 1
    if page.looks_named(after) or page.looks_named(place - 1):
        return True
    forms = set(FORMS[words.said_of[page.lower(place)]].values())
    return any(page.lower(at) in forms and at not in spoken.person for at in range(len(page.tokens)))
