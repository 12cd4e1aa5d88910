"""The catalogue of one language: texts by their English, read from gettext's PO format."""

import gettext
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_STRINGS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
_ENTRY = re.compile(rf"^msgid {_STRINGS}(?:msgid_plural {_STRINGS})?((?:msgstr(?:\[\d\])? {_STRINGS})+)", re.M)
_WRITTEN = re.compile(rf"msgstr(?:\[\d\])? {_STRINGS}")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)")
_SENTENCES = r"(?<=[.!?…]) +(?=[^a-z])"
_MEANT = {"n": "\n", "t": "\t", "r": "\r"}
SUFFIX = ".po"
Entry = tuple[str, str, tuple[str, ...]]  # a text, its plural, and what is written for them


class Signs(NamedTuple):
    point: str
    thousands: str


@dataclass(frozen=True)
class Catalogue:
    """Texts of a language by their English, `plurals` by both English forms.

    `plural_of` gives the place of a number's form. Months and days are texts as all others.
    """

    signs: Signs
    texts: dict[str, str]
    plurals: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    plural_of: Callable[[int], int] = lambda n: n != 1
    has_english: bool = False  # of the language for trying: English in a translation is no fault there

    def plural(self, n: int, one: str, many: str) -> str | None:
        forms = self.plurals.get((one, many))
        return None if forms is None else forms[self.plural_of(n)]

    @staticmethod
    def pseudo() -> "Catalogue":
        """A language for trying: English in brackets and a third longer, with another decimal point.

        What has no brackets is in no catalogue, and so is translated nowhere.
        """
        every = [entry for code in codes() for entry in _entries(_read(code))]
        return Catalogue(
            Signs(",", "."),
            {english: stretched(english) for english, several, _ in every if english and not several},
            {(one, many): (stretched(one), stretched(many)) for one, many, _ in every if many},
            has_english=True,
        )


def stretched(english: str) -> str:
    """Return "[English text. oooo]", each sentence a third longer: as long as other languages often are."""
    return " ".join(f"[{each}{' oooo' * round(len(each) / 15)}]" for each in re.split(_SENTENCES, english))


@cache
def codes() -> tuple[str, ...]:
    """Return the codes of the languages that have a catalogue."""
    folder = files("biasprint.resources").joinpath("languages")
    return tuple(sorted(each.name.removesuffix(SUFFIX) for each in folder.iterdir() if each.name.endswith(SUFFIX)))


@cache
def load(code: str) -> Catalogue:
    """Read the catalogue of a language; an entry without a translation is left out."""
    return parse(_read(code))


@cache
def name_of(code: str) -> str:
    """Return what a language calls itself, without reading its texts: every start of the window asks."""
    return _head(next(_entries(_read(code))))["X-Language-Name"]


def parse(text: str) -> Catalogue:
    """Read a PO file. Its header says the language's plural forms and its number signs."""
    entries = list(_entries(text))
    head = _head(entries[0])
    plural_of = gettext.c2py(head["Plural-Forms"].partition("plural=")[2].rstrip("; "))
    return Catalogue(
        Signs(head["X-Decimal-Point"], head["X-Thousands"]),
        {english: written[0] for english, several, written in entries[1:] if written[0] and not several},
        {(one, many): written for one, many, written in entries if many and all(written)},
        plural_of,
    )


def _read(code: str) -> str:
    return files("biasprint.resources").joinpath("languages", f"{code}{SUFFIX}").read_text("utf-8")


def _head(entry: Entry) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in entry[2][0].splitlines())


def _entries(text: str) -> Iterator[Entry]:
    """Yield each text, its plural where it has one, and what is written for them; the header is of an empty text."""
    for match in _ENTRY.finditer(text):
        written = tuple(_joined(each[1]) for each in _WRITTEN.finditer(match[3]))
        yield _joined(match[1]), _joined(match[2] or ""), written


def _joined(strings: str) -> str:
    return _ESCAPE.sub(lambda sign: _MEANT.get(sign[1], sign[1]), "".join(_STRING.findall(strings)))
