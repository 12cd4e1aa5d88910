"""The reader's language: English texts and numbers in it, where they meet a person.

What the program works out, keeps and exports is English. A text is put into the reader's language at its last step: the
window's `tr`, the lines of the command line, the blocks of a report. So projects, exports and scripts are the same in
every language, and what one person measured another reads in theirs.

A language is one catalogue, `resources/languages/CODE.po`, in gettext's format; English needs none.
"""

import os
import re
from collections.abc import Callable, Iterable
from functools import cache

from biasprint.core.language.catalogue import Catalogue, codes, load, name_of
from biasprint.core.language.phrases import Phrases

ENGLISH = "en"
PSEUDO = "xx"  # every translated text in brackets and longer: shows what is clipped, and what is not translated
VARIABLE = "BIASPRINT_LANGUAGE"  # also tells child processes


def choose(code: str) -> None:
    """Read texts in this language from now on, here and in processes that are started from here; English where there is
    no such catalogue."""
    os.environ[VARIABLE] = code if code in {PSEUDO, *codes()} else ENGLISH


def chosen() -> str:
    """Return the code of the reader's language: "en", "de"."""
    return os.environ.get(VARIABLE) or ENGLISH


@cache
def _phrases(code: str) -> Phrases | None:
    if code == PSEUDO:
        return Phrases(Catalogue.pseudo())
    return Phrases(load(code)) if code in codes() else None


def wanted(setting: str, of_system: Iterable[str] = ()) -> str:
    """Return the language that a person wants: of the variable, else of the setting, else the system's first that is
    known. `of_system`: codes such as "de-AT", the most wanted first."""
    known = {ENGLISH, PSEUDO, *codes()}
    for code in (os.environ.get(VARIABLE, ""), setting, *of_system):
        short = code.replace("_", "-").partition("-")[0].lower()
        if short in known:
            return short
    return ENGLISH


def languages() -> dict[str, str]:
    """Return the languages that can be chosen by their codes, each named in itself."""
    return {ENGLISH: "English"} | {code: name_of(code) for code in codes()}


def tr(text: str, code: str = "") -> str:
    """Return `text` in the reader's language, or in that of `code`: a text of the catalogue, one that was made from
    one, or several of them in a row. What is in no catalogue stays as it is, and so does what was put into the
    language before."""
    phrases = _phrases(code or chosen())
    if phrases is None or not text or isinstance(text, InLanguage):
        return text
    return InLanguage(phrases.translated(text))


class InLanguage(str):
    """A text that is in the reader's language already, or a name that a person gave: it stays as it is."""

    __slots__ = ()

    def format(self, *args: object, **kwargs: object) -> str:
        """Fill the places. With nothing English among what fills them the whole is in the language, too."""
        filled = super().format(*args, **kwargs)
        all_in = all(isinstance(each, InLanguage) or not isinstance(each, str) for each in (*args, *kwargs.values()))
        return InLanguage(filled) if all_in else filled


def joined(sign: str, *parts: str) -> str:
    """Return parts with a sign between them; with names that a person gave among them, the others are put into the
    language here, so that the names stay.
    """
    if any(isinstance(part, InLanguage) for part in parts):
        return InLanguage(sign.join(map(tr, parts)))
    return sign.join(parts)


# Between a number and its unit, a letter and its number, and in “95-%-Intervall”.
_JOINED = re.compile(r"(?<=\d) (?=[%×°](?!\w))|(?<=\b[a-zA-Z]) (?=[=<>≤≥≈] [-−+]?\.?\d)|(?<= [=<>≤≥≈]) (?=[-−+]?\.?\d)")
_HYPHENS = re.compile(r"(?<=\d)-(?=%)|(?<=\d-%)-(?=\w)")


def unbroken(text: str) -> str:
    """Return a text in which no line ends between a number and its sign: "5 %" and "p = 1.00" keep together."""
    kept = _HYPHENS.sub("\u2011", _JOINED.sub("\u00a0", text))
    return InLanguage(kept) if isinstance(text, InLanguage) else kept


def plural(n: int, one: str, many: str, number: Callable[[int], str] = str) -> str:
    """Return the phrase for `n` things, in the right plural of the reader's language; "%n" becomes the number."""
    phrases = _phrases(chosen())
    if phrases is None:
        return (one if n == 1 else many).replace("%n", number(n))
    return InLanguage(phrases.plural(n, one, many).replace("%n", number(n)))
