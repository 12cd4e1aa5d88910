"""The two readings of “her” (his book, him) and of “his” (her book, hers), told apart by what follows."""

from collections.abc import Sequence
from typing import Literal

from core.swap.gendered import GenderedWords
from core.swap.tokens import Token

Reading = Literal["owner", "object"]
_INSIDE = ("JJ", "CD", "RB", "VBN", "VBG", "VBD")  # what may stand between “her” and its noun
_NOUN = ("NN", "FW")
_TIMES = ("today", "yesterday", "tomorrow", "tonight", "twice", "once")


def reading_of_her(tokens: Sequence[Token], place: int, words: GenderedWords) -> Reading:
    """Is this “her” an owner's (his) or an object (him)?

    An owner's leads to a noun within its phrase. Not every noun that follows belongs to it: some verbs take two
    objects, some are followed by what a person is or does. Where even a reader hesitates (“gave her flowers”), the
    verb decides.
    """
    noun = _noun_after(tokens, place)
    if noun is None:
        return "object"
    following, verb = tokens[place + 1], _verb_before(tokens, place)
    if following.lower in ("own", "first", "last", "late", "early", "debut", "entire", "whole"):
        return "owner"
    if verb is None:
        return "owner"
    kin = {word for pair in words.kin for word in pair}
    if _is(verb, words.seeing) and following.tag == "VB":
        return "object"
    if _is(verb, words.naming) and tokens[noun].lower not in kin and not _is_made(verb, tokens, noun):
        return "object"
    if _is(verb, words.two_objects) and not _says_so_of_herself(tokens, place):
        plain = tokens[noun].tag in ("NNS", "NN", "VB") and tokens[noun].lower not in kin
        return "object" if plain else "owner"
    return "owner"


def reading_of_his(tokens: Sequence[Token], place: int) -> Reading:
    """Is this “his” before its noun (her), or alone (hers)? “object” stands for alone."""
    return "object" if _noun_after(tokens, place) is None else "owner"


def _noun_after(tokens: Sequence[Token], place: int) -> int | None:
    """The place of the noun that the phrase after `place` leads to."""
    at = place + 1
    while at < len(tokens):
        token = tokens[at]
        if token.lower in _TIMES:
            return None
        if token.tag.startswith(_NOUN):
            return at
        if token.tag == "VB":
            # The tagger takes a noun such as “help” for a verb; before another noun phrase it is one.
            return at if at == place + 1 else None
        joins = token.text in (",", "“", '"', "-") or token.lower in ("and", "but")
        inside = token.tag.startswith(_INSIDE) or token.tag == ""
        if not (inside or (joins and at > place + 1)):
            return None
        if (
            token.tag.startswith("RB")
            and at + 1 < len(tokens)
            and tokens[at + 1].tag.startswith(("IN", "TO", ".", ","))
        ):
            return None
        at += 1
    return None


def _verb_before(tokens: Sequence[Token], place: int) -> Token | None:
    """The verb right before the pronoun, if that is what stands there."""
    token = tokens[place - 1] if place else None
    return token if token is not None and token.tag.startswith("VB") else None


def _is(verb: Token, verbs: Sequence[str]) -> bool:
    return _lemma(verb.lower) in verbs


def _is_made(verb: Token, tokens: Sequence[Token], noun: int) -> bool:
    """“made her debut”, “called her agent”: done with a thing of hers, not making her something."""
    name = tokens[noun].lower
    things = ("debut", "home", "name", "way", "mark", "living", "money", "fortune", "film", "career", "work", "album")
    return name in things or (tokens[noun].tag == "NNS" and _lemma(verb.lower) != "make")


def _says_so_of_herself(tokens: Sequence[Token], place: int) -> bool:
    """“She won her title”: within the sentence the last subject before the verb is the person."""
    for token in reversed(tokens[:place]):
        if token.lower in ("she", "he", "who"):
            return True
        if token.tag.startswith(("NN", "PRP", "DT")) or token.first:
            return token.tag == "NNP"
    return False


def _lemma(form: str) -> str:
    from core.scorers.segment import words

    irregular = {"found": "find", "saw": "see", "felt": "feel"}  # the lookup takes the first for “to found”
    if form in irregular:
        return irregular[form]
    found = words(form)
    return found[0].lemma if found else form
