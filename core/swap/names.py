"""Places where a text names its person, with or without a title, and their replacements in the twin."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from biasprint.core.swap.page import Page, folded
from biasprint.core.swap.result import Change, Person, in_case_of
from biasprint.core.swap.vocabulary import SwapWords, is_singular_verb, swap_words, towards

_DOTTED = ("mr", "ms", "mrs", "mx")


def title_before(page: Page, place: int) -> int | None:
    """The place of the title right before a name, its full stop passed over; “we will miss Ann” has none."""
    at = place - 1
    if at >= 1 and page.tokens[at].text == "." and page.touching(at) == place:
        at -= 1
    if at < 0 or page.sentence[at] != page.sentence[place]:
        return None
    return at if _is_title(page, at) else None


def _is_title(page: Page, place: int) -> bool:
    """A word for a title with its capital; where the text has none (“ms. weber”), one that is no other word."""
    token = page.tokens[place]
    if page.lowered:
        return token.lower in (*_DOTTED, "dr", "prof")
    return token.text[:1].isupper() and token.lower in _all_titles()


def pronoun_of_title(title: str, words: SwapWords) -> str:
    """he or she for a title that is only theirs, they for Mx, "" for one that is everybody's or none."""
    rules = words.file.titles
    if title in rules.for_he or title in (pair[0] for pair in words.gendered.titles):
        return "he"
    if title in rules.for_she or title in (pair[1] for pair in words.gendered.titles):
        return "she"
    return "they" if title == rules.neutral else ""


def change_titles(page: Page, person: Person, other: Person, named: set[int], words: SwapWords) -> Iterator[Change]:
    """Titles of the person; a change whose new word is the old one is left alone with its doubt."""
    if person.pronoun == other.pronoun:
        return
    for place, token in enumerate(page.tokens):
        if page.kept[place] or not _is_title(page, place):
            continue
        after = place + 2 if page.lower(place + 1) == "." else place + 1
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
    end = token.end
    if page.lower(place + 1) == "." and new not in _DOTTED and token.lower in _DOTTED:
        end = page.tokens[place + 1].end
    dot = "." if token.lower not in _DOTTED and new in _DOTTED and _dotted(page) else ""
    old = page.text[token.start : end]
    yield Change(token.start, end, old, in_case_of(token.text, new) + dot, "title", doubt)


def _for(title: str, other: Person, words: SwapWords) -> str:
    rules = words.file.titles
    pairs = towards(words.gendered.titles, other.pronoun) if other.pronoun != "they" else {}
    if title in rules.no_neutral:
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


@cache
def _all_titles() -> frozenset[str]:

    words = swap_words()
    rules = words.file.titles
    pairs = {word for pair in words.gendered.titles for word in pair}
    return frozenset(rules.for_he | rules.for_she | rules.without_gender | pairs | {rules.neutral})


NAME_KEPT = "name kept"
_QUOTED = "inside a quotation: kept as it was said"
_SPOKEN = "inside a quotation: these are somebody else's words"
_SOMEONE = "may be the name of someone or something else"


@dataclass
class Names:
    """Changes of names, names left alone, and the places of tokens that name the person (or another, left alone)."""

    changes: list[Change] = field(default_factory=list)
    left: list[Change] = field(default_factory=list)
    person: set[int] = field(default_factory=set)
    others: set[int] = field(default_factory=set)
    covered: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class _Said:
    kind: str
    place: int
    last_place: int
    start: int
    end: int
    new: str


def find_names(page: Page, person: Person, other: Person, words: SwapWords, *, everywhere: bool = False) -> Names:
    """Find every mention by first name, last name or initials; others' names, quoted ones and addresses are left.

    `everywhere`: quoted ones and those that others may bear change too, with the doubt.
    """
    names = Names()
    for naming in sorted(_said(page, person, other), key=lambda named: named.start):
        old = page.text[naming.start : naming.end]
        here = set(range(naming.place, naming.last_place + 1))
        doubt = _doubt(page, naming, person, names, words)
        if doubt is None:
            continue
        names.covered |= here
        new = naming.new.upper() if old.isupper() and len(old) > 2 else naming.new
        if old.islower() and not page.text[naming.start].isupper():
            new = new.lower()
        same = folded(new) == folded(old)
        changed = everywhere and doubt in (_QUOTED, _SOMEONE) and not _is_only_a_word(page, naming, words)
        if doubt == _SOMEONE and not (changed and naming.kind == "first name"):
            names.others |= here
        elif not doubt or changed:
            names.person |= here
        if same:
            continue
        if doubt and not changed:
            names.left.append(Change(naming.start, naming.end, old, old, NAME_KEPT, doubt))
            continue
        names.changes.append(
            Change(naming.start, naming.end, old, new, naming.kind, _SPOKEN if doubt == _QUOTED else doubt)
        )
        names.changes += _possessive(page, naming, new)
    return names


def _said(page: Page, person: Person, other: Person) -> Iterator[_Said]:
    starts = {token.start: place for place, token in enumerate(page.tokens)}
    ends = {token.end: place for place, token in enumerate(page.tokens)}
    first, last = person.first_name.strip(), person.last_name.strip()
    patterns = [("first name", _pattern(first, page.lowered), other.first_name or first),
                ("last name", _pattern(last, page.lowered), other.last_name or last)]  # fmt: skip
    if first and last:
        first_part, second_part = re.escape(first[0]), re.escape(last[0])
        to = (other.first_name or first)[0]
        # “A. Weber”, “A. M. Weber”: the first initial alone is the first name's.
        patterns.append(
            ("initials", rf"(?<![\w.]){first_part}\.(?=\s?(?:[^\W\d_]\.\s?)*\s*{re.escape(last)}(?!\w))", f"{to}.")
        )
        for space in ("", " "):
            both = f"{to}.{space}{(other.last_name or last)[0]}."
            patterns.append(("initials", rf"(?<![\w.]){first_part}\.{space}{second_part}\.(?!\s?[A-Z][a-z])", both))
    yield from _by_one_family_name(page, person, other, starts)
    for kind, pattern, new in patterns:
        for match in re.finditer(pattern, page.text) if pattern else ():
            start, end = match.span()
            place = starts.get(start)
            if place is None:
                continue
            # “Weber-led” is one token; “Screamin'” is two.
            last_place = ends.get(end, ends.get(end - 1, place))
            yield _Said(kind, place, last_place, start, end, new)


def _by_one_family_name(page: Page, person: Person, other: Person, starts: dict[int, int]) -> Iterator[_Said]:
    """Yield “Dr. Moreno” where the person is Dr. García Moreno."""
    whole = person.last_name.split()
    for piece in whole if len(whole) > 1 and other.last_name else ():
        rest = r"\s+" + re.escape(whole[-1]) if piece != whole[-1] else ""
        for match in re.finditer(_pattern(piece, page.lowered) + (f"(?!{rest})" if rest else ""), page.text):
            place = starts.get(match.start())
            if piece[0].isupper() and place is not None and title_before(page, place) is not None:
                yield _Said("last name", place, place, match.start(), match.end(), other.last_name)


def _pattern(name: str, lowered: bool) -> str:
    if not name:
        return ""
    forms = {name, name.upper()} | ({name.lower()} if lowered else set())
    forms |= {unicodedata.normalize(way, form) for form in set(forms) for way in ("NFC", "NFD")}
    spelt = [re.sub(r"(?:\\?\s)+", r"\\s+", re.escape(folded(form) if "'" in folded(form) else form)) for form in forms]
    some = "|".join(sorted((spelling.replace("'", "['’]") for spelling in spelt), key=len, reverse=True))
    # Not in a longer word, nor in a double name (“Ann-Marie”); “Weber-led” is Weber's.
    return rf"(?<![\w@])(?<!\w-)(?:{some})(?![\w@])(?!-[A-Z])"


def _doubt(page: Page, naming: _Said, person: Person, names: Names, words: SwapWords) -> str | None:
    """ "" where it surely names the person, `None` where it is an address, else why it is left."""
    context_kind = page.kept[naming.place]
    if context_kind in ("address", "title"):
        return None if context_kind == "address" else _QUOTED
    if context_kind == "speech":
        return _QUOTED
    if context_kind in ("salutation", "signature"):
        return f"in the {context_kind}: the name of whom the letter is to or from"
    if naming.kind == "initials":
        return ""
    if _beside(page, naming, person, names):
        return ""
    if naming.kind == "last name" and not _is_own_family_name(page, naming, person, words):
        return _SOMEONE
    if naming.kind == "first name" and not _is_own_first_name(page, naming, person):
        return _SOMEONE
    return "a name that is also a word" if _is_only_a_word(page, naming, words) else ""


def _beside(page: Page, naming: _Said, person: Person, names: Names) -> bool:
    """Are first and last name together, with at most two names or initials between?"""
    if naming.kind == "last name":
        place, steps = naming.place - 1, 0
        while place >= 0 and steps < 4 and page.touching(place) is not None:
            if place in names.person:
                return True
            if not (page.looks_named(place) or page.tokens[place].text in (".", "“", "”", '"', "(", ")")):
                return False
            place, steps = place - 1, steps + 1
        return False
    last = person.last_name.split()
    before = naming.place - 1
    if last and before >= 0 and page.touching(before) == naming.place and page.tokens[before].text == last[-1]:
        return before in names.person  # “Carter Min-jun”, the family name first
    place, steps = naming.last_place, 0
    while last and steps < 5:
        after = page.touching(place)
        if after is None:
            return False
        if folded(page.tokens[after].text).lower() == folded(last[0]).lower():
            return page.tokens[after].text[0] == last[0][0] or page.tokens[after].text.isupper()
        if not (page.looks_named(after) or page.tokens[after].text in (".", "“", "”", '"', "(", ")")):
            return False
        place, steps = after, steps + 1
    return False


def _is_own_family_name(page: Page, naming: _Said, person: Person, words: SwapWords) -> bool:
    after = page.touching(naming.last_place)
    if page.looks_named(after) and page.lower(after) in words.file.titles.organisations:
        return False
    if page.lower(after) == "&" or (page.lower(after) == "family" and page.lower(naming.place - 1) == "the"):
        return False
    before = naming.place - 1
    title = title_before(page, naming.place)
    if title is not None:
        return pronoun_of_title(page.lower(title), words) in ("", person.pronoun)
    if before >= 1 and page.lower(before) == "." and len(page.lower(before - 1)) == 1:
        # Another initial: another person.
        return page.tokens[before - 1].text == "I" or page.sentence[before - 1] != page.sentence[naming.place]
    touching = before >= 0 and page.touching(before) == naming.place
    named = touching and page.looks_named(before) and page.tag(before).startswith("NN")
    return not (named and page.sentence[before] == page.sentence[naming.place])


def _is_own_first_name(page: Page, naming: _Said, person: Person) -> bool:
    """“Grace Hill” is not the Grace whose family name is Weber, nor is “Mary Ann” Ann."""
    after, before = page.touching(naming.last_place), naming.place - 1
    if after is not None and page.sentence[after] == page.sentence[naming.place] and page.looks_named(after):
        return not (person.last_name and page.tag(after).startswith("NN") and len(page.lower(after)) > 1)
    touching = (
        before >= 0 and page.touching(before) == naming.place and page.sentence[before] == page.sentence[naming.place]
    )
    title = title_before(page, naming.place) is not None
    return not (touching and not title and page.looks_named(before) and page.tag(before).startswith("NNP"))


def _is_only_a_word(page: Page, naming: _Said, words: SwapWords) -> bool:
    is_word = page.text[naming.start : naming.end].lower() in words.gendered.names_that_are_words
    return is_word and not _is_a_name(page, naming, words)


def _is_a_name(page: Page, naming: _Said, words: SwapWords) -> bool:
    """Is this “Will”, “Grace” or “May” the name, not the word?"""
    lower, before, after = page.text[naming.start : naming.end].lower(), naming.place - 1, naming.last_place + 1
    titles = words.file.titles
    if page.text[naming.start].islower():
        return False
    if lower in titles.months:
        if page.lower(before) in titles.month_signs - {"of", "from", "to", "by"} or page.tag(after) == "CD":
            return False
        if page.tag(before) == "CD" or page.lower(after).isdigit():
            return False
    if title_before(page, naming.place) is not None:
        return True
    if not page.tokens[naming.place].first:
        return not (page.tag(before) == "DT" and page.sentence[before] == page.sentence[naming.place])
    if page.tag(after).startswith(("PRP", "DT")):
        return False
    if page.lower(after) in ("'s", "’s", ",") or page.tag(after) in ("VBZ", "VBD", "VBN", "MD"):
        return True
    return is_singular_verb(page.lower(after)) or page.tag(after).startswith("RB") or page.lower(after) == "and"


def _possessive(page: Page, naming: _Said, new: str) -> Iterator[Change]:
    """“James' work” is “Ann's work”: a name that ends in s may do without the second one."""
    mark, after = page.text[naming.end : naming.end + 1], page.text[naming.end + 1 : naming.end + 2]
    ends = ("s", "x", "z")
    old = page.text[naming.start : naming.end]
    if mark in ("'", "’") and mark and not after.isalnum() and old.lower().endswith(ends):
        quoted = any(
            stretch.start < naming.start < stretch.end and stretch.end == naming.end + 1 for stretch in page.stretches
        )
        if not quoted and not new.lower().endswith(ends):
            yield Change(naming.end, naming.end + 1, mark, mark + "s", "possessive of the name")
