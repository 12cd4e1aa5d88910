"""Places where a text names its person, with or without a title, and their replacements in the twin."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from biasprint.core.swap.guess_pronoun import beside_the_candidate
from biasprint.core.swap.page import Change, Page, Person, folded, folded_to_letters, in_case_of
from biasprint.core.swap.told import person_words
from biasprint.core.swap.vocabulary import SwapWords, can_be_noun, is_singular_verb, swap_words, towards

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


# ---- Names

NAME_KEPT = "name kept"
_QUOTED = "inside a quotation: kept as it was said"
_SPOKEN = "inside a quotation: these are somebody else's words"
_SOMEONE = "may be the name of someone or something else"
_WORD_LEFT = "a name that is also a word"
_WORD = "this name is also a word: look whether the name is meant"
_PART = "a part of the name: it may be the given or the family name"
_SHORT = "may be a short form of the first name"
_ADDRESS = "in an address: kept"


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
    """Characters that name the person, their tokens, and the twin's. `whole`: given and family name side by side."""

    kind: str
    place: int
    last_place: int
    start: int
    end: int
    new: str
    whole: bool = False
    doubt: str = ""


def find_names(page: Page, person: Person, other: Person, words: SwapWords, *, everywhere: bool = False) -> Names:
    """Find every mention by a name, a part of it, a short form or initials; others' names and quoted ones are left.

    `everywhere`: quoted ones and those that others may bear change too, with the doubt.
    """
    names, person = Names(), _with_particles(page.text, person)
    for naming in sorted(_said(page, person, other), key=lambda named: named.start):
        old = page.text[naming.start : naming.end]
        here = set(range(naming.place, naming.last_place + 1))
        doubt = _doubt(page, naming, person, names, words)
        names.covered |= here
        new = naming.new.upper() if old.isupper() and len(old) > 2 and re.search(r"\w\w", old) else naming.new
        if old.islower() and not page.text[naming.start].isupper():
            new = new.lower()
        changed = everywhere and doubt in (_QUOTED, _SOMEONE) and not _is_only_a_word(page, naming, words)
        left = doubt in (_QUOTED, _SOMEONE, _WORD_LEFT, _ADDRESS) or doubt.startswith("in the ")
        if doubt == _SOMEONE and not (changed and naming.kind == "first name"):
            names.others |= here
        elif not left or changed:
            names.person |= here
        if folded(new) == folded(old) or (new and re.fullmatch(_spelt(new, False), old)):
            continue
        if left and not changed:
            names.left.append(Change(naming.start, naming.end, old, old, NAME_KEPT, doubt))
            continue
        names.changes.append(
            Change(naming.start, naming.end, old, new, naming.kind, _SPOKEN if doubt == _QUOTED else doubt)
        )
        names.changes += _possessive(page, naming, new)
    names.left += _in_addresses(page, person)
    return names


# ---- The places of a name


def _with_particles(text: str, person: Person) -> Person:
    """The person whose family name has the small words before it that the text has: “Josephine Van Quaid”."""
    if not person.first_name or not person.last_name:
        return person
    small = "|".join(map(re.escape, person_words().particles))
    full = rf"{re.escape(person.first_name)}\s+((?:(?:{small})\s+){{1,3}}){re.escape(person.last_name)}(?!\w)"
    match = re.search(full, text, re.IGNORECASE)
    return replace(person, last_name=f"{match.group(1)}{person.last_name}") if match is not None else person


def _said(page: Page, person: Person, other: Person) -> Iterator[_Said]:
    """Yield the mentions; of two that share characters the longer, which is found first."""
    taken: list[tuple[int, int]] = []
    for naming in (*_together(page, person, other), *_alone(page, person, other)):
        if not any(naming.start < end and start < naming.end for start, end in taken):
            taken.append((naming.start, naming.end))
            yield naming


def _placed(
    page: Page, kind: str, span: tuple[int, int], new: str, doubt: str = "", *, whole: bool = False
) -> Iterator[_Said]:
    place = page.starts.get(span[0])
    if place is None and page.text[span[0] : span[0] + 1].isspace():
        place = page.starts.get(
            span[0] + len(page.text[span[0] : span[1]]) - len(page.text[span[0] : span[1]].lstrip())
        )
    if place is not None:
        # “Weber-led” is one token; “Screamin'” is two.
        last = page.ends.get(span[1], page.ends.get(span[1] - 1, place))
        yield _Said(kind, place, last, *span, new, whole, doubt)


_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][\w’'-]*"
_INITIAL = r"[^\W\d_]\."
_BEFORE, _AFTER = r"(?<![\w@])(?<!\w-)", r"(?![\w@])(?!-[A-Z])"


def _together(page: Page, person: Person, other: Person) -> Iterator[_Said]:
    """Yield the mentions of several words: “María José van Dyke”, “Robert (Bob) Kowalski”, “Carter Min-jun”.

    Names between given and family name are left out, but for initials: the twin has none.
    """
    first, last = person.first_name.split(), person.last_name.split()
    every = list(dict.fromkeys([*person.whole.split(), *first, *last]))
    if len(every) < 2:
        return
    shorts = [short for short, _ in _called(page, person)] if last else []
    spelt = {word: _spelt(word, page.lowered) for word in (*every, *shorts)}
    name = "|".join(sorted(spelt.values(), key=len, reverse=True))
    between = rf"{_INITIAL}|[“\"‘'(]{_CAPITAL}[”\"’')]" + (rf"|{_CAPITAL}" if first and last else "")
    pattern = rf"{_BEFORE}(?:{name})(?:\s+(?:(?:{between})\s+){{0,2}}?(?:{name}))+{_AFTER}"
    firsts, lasts = ("|".join(spelt[word] for word in some) for some in ((*first, *shorts), last))
    for match in re.finditer(pattern, page.text):
        if "\n\n" in match.group() or (match.group().islower() and not page.lowered):
            continue
        pieces = [(piece.group(), match.start() + piece.start()) for piece in re.finditer(r"\S+", match.group())]
        roles = "".join(_role_of(word, firsts, lasts) for word, _ in pieces)
        yield from _by_roles(page, pieces, roles, person, other)


def _role_of(word: str, firsts: str, lasts: str) -> str:
    """f for a first name, l for a family name, i for an initial, else m for a name between."""
    if re.fullmatch(firsts, word):
        return "f"
    return "l" if re.fullmatch(lasts, word) else "i" if re.fullmatch(_INITIAL, word) else "m"


def _by_roles(
    page: Page, pieces: Sequence[tuple[str, int]], roles: str, person: Person, other: Person
) -> Iterator[_Said]:
    first, last = other.first_name or person.first_name, other.last_name or person.last_name
    ends = [start + len(word) for word, start in pieces]
    in_order = re.fullmatch(r"(f+)([im]*)(l+)", roles)
    if in_order is None:
        both = "f" in roles and "l" in roles
        kind, new = ("last name", last) if "l" in roles else ("first name", first)
        kind, new = ("full name", f"{first} {last}") if both else (kind, new)
        yield from _placed(page, kind, (pieces[0][1], ends[-1]), new, whole=both)
        return
    given, family = in_order.end(1) - 1, in_order.start(3)
    yield from _placed(page, "first name", (pieces[0][1], ends[given]), first, whole=True)
    for place in range(given + 1, family):
        if roles[place] == "m":
            yield from _placed(page, "name between", (ends[place - 1], ends[place]), "", whole=True)
    yield from _placed(page, "last name", (pieces[family][1], ends[-1]), last, whole=True)


def _alone(page: Page, person: Person, other: Person) -> Iterator[_Said]:
    """Yield the mentions by one name, by initials, by one of several names, and by a short form."""
    first, last = person.first_name.strip(), person.last_name.strip()
    given, family = other.first_name or first, other.last_name or last
    called = [word for word in given.split() if not re.fullmatch(_INITIAL, word)]
    given = " ".join(called) or given  # “Linda T. Novak” is called Linda
    patterns = [("last name", last, family, ""), ("first name", first, given, "")]
    patterns = [row for row in patterns if not re.fullmatch(rf"(?:{_INITIAL}\s?)+", row[1])]
    for piece in _pieces(person):
        if piece in last.split():
            patterns.append(("last name", piece, family, ""))
        else:
            patterns.append(("first name", piece, given, "" if piece in first.split() else _PART))
    patterns += [("first name", short, given, doubt) for short, doubt in _called(page, person)]
    for kind, name, new, doubt in patterns:
        for match in re.finditer(_pattern(name, page.lowered), page.text) if name else ():
            place = page.starts.get(match.start())
            titled = place is not None and " " not in name and title_before(page, place) is not None
            if titled and name not in (first, last):  # “Dr. Moreno” is Dr. García Moreno, “Ms Hạnh” is Nguyễn Thị Hạnh
                yield from _placed(page, "last name", match.span(), family)
            else:
                yield from _placed(page, kind, match.span(), new, doubt)
    for pattern, new in _initials(first, last, given, other.last_name):
        for match in re.finditer(pattern, page.text):
            yield from _placed(page, "initials", match.span(), new)


def _pieces(person: Person) -> list[str]:
    """The words of a longer name that may be used alone: “García” of “José Luis García Muñoz”."""
    whole = (person.first_name, person.last_name)
    words = dict.fromkeys(" ".join((person.whole, *whole)).split())
    return [word for word in words if word not in whole and word[0].isupper() and not re.fullmatch(_INITIAL, word)]


def _called(page: Page, person: Person) -> Iterator[tuple[str, str]]:
    """Yield the names that the person is called by: a nickname beside the name, and short forms, with a doubt."""
    first = person.first_name
    if not first:
        return
    told = re.search(rf"{_pattern(first, False)}\s+[“\"‘'(]({_CAPITAL})[”\"’')]", page.text)
    if told is not None:
        yield told.group(1), ""
    for short in swap_words().file.short_names.get(first.lower(), ()):
        if told is None or short != told.group(1).lower():
            yield short.capitalize(), _SHORT


def _initials(first: str, last: str, given: str, family: str) -> Iterator[tuple[str, str]]:
    """Yield patterns of initials and their replacements: “A. Weber”, “A. M. Weber”, “A.W.”, “Ann W.”."""
    if not first or not last:
        return
    one, two, to = re.escape(first[0]), re.escape(last[0]), given[0]
    others = "".join(rf"\s?{re.escape(name[0])}\." for name in first.split()[1:])
    if others:  # “M. J. García López” of María José
        yield rf"(?<![\w.]){one}\.{others}(?=\s*{re.escape(last)}(?!\w))", f"{to}."
    # “A. M. Weber”: the first initial alone is the first name's.
    yield rf"(?<![\w.]){one}\.(?=\s?(?:[^\W\d_]\.\s?)*\s*{re.escape(last)}(?!\w))", f"{to}."
    for space in ("", " "):
        both = f"{to}.{space}{(family or last)[0]}."
        yield rf"(?<![\w.]){one}\.{space}{two}\.(?!\s?[A-Z][a-z])", both
    if family and not first.endswith("."):
        yield rf"(?<={re.escape(first)}\s){two}\.(?!\w)(?!\s+{re.escape(last)})", f"{family[0]}."


def _pattern(name: str, lowered: bool) -> str:
    # Not in a longer word, nor in a double name (“Ann-Marie”); “Weber-led” is Weber's.
    return rf"{_BEFORE}(?:{_spelt(name, lowered)}){_AFTER}" if name else ""


@cache
def _spelt(name: str, lowered: bool) -> str:
    """A pattern for the name with its accents and without, as it is, in capitals, and in a text without any, small."""
    forms = dict.fromkeys((folded(name), folded(name).upper(), *((folded(name).lower(),) if lowered else ())))
    return "|".join("".join(_letter(sign) for sign in form) for form in forms)


def _letter(sign: str) -> str:
    if sign.isspace():
        return r"\s+"
    if sign == "'":
        return "['’]"
    if not sign.isalpha():
        return re.escape(sign)
    alike = f"[{_alike().get(_base(sign), '')}{sign}][\u0300-\u036f]*"
    return f"(?:{_base(sign)}e|{alike})" if sign.lower() in "äöü" else alike


def _base(sign: str) -> str:
    return {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D"}.get(sign, unicodedata.normalize("NFD", sign)[0])


@cache
def _alike() -> dict[str, str]:
    """A letter → itself and the letters that are it with an accent."""
    letters: dict[str, str] = {}
    for sign in map(chr, (*range(0x41, 0x7B), *range(0xC0, 0x250), *range(0x1E00, 0x1F00))):
        if sign.isalpha():
            letters[_base(sign)] = letters.get(_base(sign), "") + sign
    return letters


def _in_addresses(page: Page, person: Person) -> Iterator[Change]:
    """The addresses that hold the name: “zoe.mueller@uni.de”. Nothing in an address is changed."""
    parts = {folded_to_letters(word) for word in (person.first_name, person.last_name, *_pieces(person))} - {""}
    for stretch in page.stretches:
        address = page.text[stretch.start : stretch.end]
        here = set(re.findall(r"[a-z]+", folded_to_letters(address)))
        if stretch.kind == "address" and any(
            len(part) > 2 and (part in here or part in "".join(here)) for part in parts
        ):
            yield Change(stretch.start, stretch.end, address, address, NAME_KEPT, _ADDRESS)


# ---- Whether the person is meant


def _doubt(page: Page, naming: _Said, person: Person, names: Names, words: SwapWords) -> str:
    """ "" where it surely names the person, else why a person should look, or why it is left."""
    context_kind = page.kept[naming.place]
    if context_kind == "address":
        return _ADDRESS
    if context_kind in ("title", "speech"):
        return _QUOTED
    if context_kind in ("salutation", "signature"):
        return f"in the {context_kind}: the name of whom the letter is to or from"
    if _is_beside(page, naming, person, names):
        return _SOMEONE
    if naming.kind == "initials" or naming.whole:
        return naming.doubt
    own = _is_own_family_name if naming.kind == "last name" else _is_own_first_name
    if not own(page, naming, person, names, words):
        return _SOMEONE
    return _doubt_of_word(page, naming, words) or naming.doubt


def _is_beside(page: Page, naming: _Said, person: Person, names: Names) -> bool:
    """“Her colleague José García” is not María José García López, whose names he shares."""
    before = naming.place - 1
    if before in names.others and naming.whole:
        return True
    if page.lower(before) not in beside_the_candidate() or page.lower(before - 1) not in ("her", "his", "their"):
        return False
    if page.touching(before) != naming.place or page.sentence[before - 1] != page.sentence[naming.place]:
        return False
    return not folded(page.text[naming.start :]).startswith(folded(person.full_name))


def _is_own_family_name(page: Page, naming: _Said, person: Person, names: Names, words: SwapWords) -> bool:
    after = page.touching(naming.last_place)
    if page.looks_named(after) and page.lower(after) in words.file.titles.organisations:
        return False
    if page.lower(after) == "&" or (page.lower(after) == "family" and page.lower(naming.place - 1) == "the"):
        return False
    before = naming.place - 1
    title = title_before(page, naming.place)
    if title is not None:
        related = page.lower(title - 2 if page.lower(title - 1) == "," else title - 1)
        return pronoun_of_title(page.lower(title), words) in ("", person.pronoun) and related not in words.kin
    if before >= 1 and page.lower(before) == "." and len(page.lower(before - 1)) == 1:
        # Another initial: another person.
        return (
            before - 1 in names.person
            or page.tokens[before - 1].text == "I"
            or page.sentence[before - 1] != page.sentence[naming.place]
        )
    touching = before >= 0 and page.touching(before) == naming.place
    named = touching and page.looks_named(before) and page.tag(before).startswith("NN")
    return not (named and page.sentence[before] == page.sentence[naming.place])


def _is_own_first_name(page: Page, naming: _Said, person: Person, names: Names, words: SwapWords) -> bool:
    """“Grace Hill” is not the Grace whose family name is Weber, nor is “Mary Ann” Ann."""
    after, before = page.touching(naming.last_place), naming.place - 1
    if after is not None and page.sentence[after] == page.sentence[naming.place] and page.looks_named(after):
        return not (person.last_name and page.tag(after).startswith("NN") and len(page.lower(after)) > 1)
    touching = (
        before >= 0 and page.touching(before) == naming.place and page.sentence[before] == page.sentence[naming.place]
    )
    title = title_before(page, naming.place) is not None
    return not (touching and not title and page.looks_named(before) and page.tag(before).startswith("NNP"))


def _doubt_of_word(page: Page, naming: _Said, words: SwapWords) -> str:
    """Return the doubt about “Will” or “Faith”; "" where the name is surely meant, or is no word."""
    lower = page.text[naming.start : naming.end].lower()
    if lower not in words.gendered.names_that_are_words:
        return ""
    by_rules, branch = _is_a_name(page, naming, words), page.branch(naming.place)
    if not page.tokens[naming.place].first:
        return "" if by_rules else _WORD_LEFT
    after = page.lower(naming.last_place + 1)
    by_grammar = branch is not None and branch.tag.startswith("NNP")
    acts = page.tag(naming.last_place + 1) in ("VBZ", "VBD") and not (can_be_noun(lower) and after in _OF_THINGS)
    if by_rules and (acts or by_grammar or after in ("'s", "’s") or title_before(page, naming.place) is not None):
        return ""
    return _WORD if by_rules or by_grammar else _WORD_LEFT


_OF_THINGS = ("is", "was", "has", "had", "does", "did", "comes", "came")  # “Faith is a strong word”


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
