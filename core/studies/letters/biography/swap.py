"""One biography for a person of another name and gender: what changes, what stays, and what a person should look at."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.errors import UsageError
from core.swap.readings import reading_of_her, reading_of_his
from core.swap.tokens import Token, tokens
from core.swap.vocabulary import GenderedWords, gendered_words, towards

PRONOUNS = ("he", "she")
_OWNERS = ("his", "her", "their", "my", "our", "'s", "’s")


@dataclass(frozen=True)
class Person:
    """Whom a biography is, or shall be, about. `pronoun`: he or she."""

    first_name: str
    last_name: str
    pronoun: str

    def __post_init__(self) -> None:
        if self.pronoun not in PRONOUNS:
            raise UsageError(
                f"A biography cannot be rewritten with the pronoun “{self.pronoun}”.",
                hint="Rewriting knows he and she; others change the verbs as well. Write that version yourself.",
            )


@dataclass(frozen=True)
class Change:
    """Characters `start` to `end` of the original became `new`; `doubt` says why a person should look, if at all."""

    start: int
    end: int
    old: str
    new: str
    doubt: str = ""


@dataclass(frozen=True)
class Prepared:
    """The text, every change, and words that were left alone although they may be about the person."""

    text: str
    changes: tuple[Change, ...]
    left_alone: tuple[Change, ...]


def rewrite(text: str, seed: Person, other: Person) -> Prepared:
    """The biography of `seed` as one of `other`: names, pronouns, gendered nouns and titles; case is kept.

    Names of others and relations (“her brother”) stay. Pronouns are taken to be about the person: a sentence that
    names a relation may hold one that is not, and such changes carry a doubt.
    """
    found = tokens(text)
    words = gendered_words()
    decided: list[Change] = []
    for place, token in enumerate(found):
        if not decided or token.start >= decided[-1].end:
            decided += _at(found, place, seed, other, words)
    changes = tuple(change for change in decided if change.new != change.old)
    left = tuple(change for change in decided if change.new == change.old and change.doubt)
    return Prepared(_applied(text, changes), changes, left)


def _at(found: Sequence[Token], place: int, seed: Person, other: Person, words: GenderedWords) -> Iterator[Change]:
    token = found[place]
    name = _name(found, place, seed, other, words)
    if name is not None:
        yield name
        return
    new = _pronoun(found, place, seed, other, words)
    if new is not None:
        yield _change(token, new, "" if _alone(found, place, words) else "may be about a relation named beside it")
        return
    if new := _title(found, place, seed, other, words):
        yield _change(token, new)
        return
    yield from _noun(found, place, other, words)


def _pronoun(found: Sequence[Token], place: int, seed: Person, other: Person, words: GenderedWords) -> str | None:
    if seed.pronoun == other.pronoun:
        return None
    token = found[place].lower
    to_he: dict[str, Callable[[], str]] = {
        "she": lambda: "he",
        "herself": lambda: "himself",
        "hers": lambda: "his",
        "her": lambda: "his" if reading_of_her(found, place, words) == "owner" else "him",
    }
    to_she: dict[str, Callable[[], str]] = {
        "he": lambda: "she",
        "himself": lambda: "herself",
        "him": lambda: "her",
        "his": lambda: "her" if reading_of_his(found, place) == "owner" else "hers",
    }
    decide = (to_he if other.pronoun == "he" else to_she).get(token)
    return decide() if decide else None


def _noun(found: Sequence[Token], place: int, other: Person, words: GenderedWords) -> Iterator[Change]:
    token = found[place]
    following = found[place + 1].lower if place + 1 < len(found) else ""
    if following in words.not_before.get(token.lower, ()) or (token.tag == "NNP" and not token.first):
        return
    if new := towards(words.self, other.pronoun).get(token.lower):
        yield _change(token, new)
    elif new := towards(words.kin, other.pronoun).get(token.lower):
        owned = any(before.lower in _OWNERS for before in found[max(0, place - 3) : place])
        if owned:
            yield _change(token, token.text, "a relation of the person" if new != token.lower else "")
        else:
            yield _change(token, new)


def _title(found: Sequence[Token], place: int, seed: Person, other: Person, words: GenderedWords) -> str | None:
    """“Mr. Lee”: a title before one of the person's names."""
    known = {word for pair in words.titles for word in pair} | {"mrs", "miss"}
    if found[place].lower.rstrip(".") not in known:
        return None
    after = [token.text for token in found[place + 1 : place + 3] if token.text != "."]
    if not after or after[0].lower() not in (seed.first_name.lower(), seed.last_name.lower()):
        return None
    titles = {**towards(words.titles, other.pronoun), "mrs": "ms", "miss": "ms"}
    if other.pronoun == "he":
        titles |= {"mrs": "mr", "miss": "mr"}
    return titles[found[place].lower.rstrip(".")]


def _name(found: Sequence[Token], place: int, seed: Person, other: Person, words: GenderedWords) -> Change | None:
    for old, new in ((seed.first_name, other.first_name), (seed.last_name, other.last_name)):
        length = len(old.split())
        here = found[place : place + length]
        said = " ".join(token.text for token in here)
        if not old or said not in (old, old.upper()):
            continue
        shown = new.upper() if said != old else new
        if old.lower() in words.names_that_are_words and not _surely_a_name(found, place, seed):
            return Change(here[0].start, here[-1].end, said, said, "a name that is also a word")
        return Change(here[0].start, here[-1].end, said, shown)
    return None


def _surely_a_name(found: Sequence[Token], place: int, seed: Person) -> bool:
    before = found[place - 1] if place else None
    after = found[place + 1] if place + 1 < len(found) else None
    names = (seed.first_name, seed.last_name)
    if (before and before.text in names) or (after and after.text in names):
        return True
    if before and before.lower.rstrip(".") in ("mr", "mrs", "ms", "miss", "dr", "prof", "professor"):
        return True
    if before and not found[place].first and before.tag.startswith(("IN", "DT", "JJ", "NNP", "CD")):
        return False
    return bool(after and (after.text in ("'s", "’s") or after.tag in ("VBZ", "VBD", "VBN", "MD")))


def _alone(found: Sequence[Token], place: int, words: GenderedWords) -> bool:
    """Is no relation named before this pronoun in its sentence?"""
    kin = {word for pair in words.kin for word in pair}
    for token in reversed(found[: place + 1]):
        if token.lower in kin:
            return False
        if token.first:
            return True
    return True


def _change(token: Token, new: str, doubt: str = "") -> Change:
    return Change(token.start, token.end, token.text, _like(token.text, new), doubt)


def _like(old: str, new: str) -> str:
    """`new` in the case of `old`: lower, Capitalised or UPPER."""
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _applied(text: str, changes: Sequence[Change]) -> str:
    parts, end = [], 0
    for change in changes:
        parts += [text[end : change.start], change.new]
        end = change.end
    return "".join([*parts, text[end:]])
