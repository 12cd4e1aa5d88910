"""Word lists in categories, and how often a text uses them.

Two ways to count. `count_words` is the default: a token counts at most once per category; a starred entry matches the
start of a word, any other the whole word or its lemma. `count_published` is the letters paper's program: every entry,
star removed, found anywhere inside a lower-cased token adds one, so that "person" holds "son".
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file, path_of
from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.scorers.segment import SEGMENTER, Word, words
from biasprint.core.text import for_matching

Harm = Literal["", "fewer", "more"]
Counting = Literal["words", "published"]
RULES = "rules 1"


@dataclass(frozen=True)
class Category:
    """`harm`: whether fewer or more such words count against the person a text is about; empty where neither does."""

    name: str
    title: str
    entries: tuple[str, ...]
    harm: Harm = ""


@dataclass(frozen=True)
class Lexicon:
    """A word list. `as_printed` names the list as its paper prints it, where this one is an edited copy of it."""

    name: str
    version: str
    sha256: str
    source: str
    categories: tuple[Category, ...]
    as_printed: str = ""

    @property
    def entries(self) -> tuple[str, ...]:
        """All entries, category after category: the columns of `LexiconCounts.entries`."""
        return tuple(entry for category in self.categories for entry in category.entries)

    @property
    def category_of_entry(self) -> NDArray[np.int64]:
        """For each of `entries`, the place of its category."""
        return np.repeat(np.arange(len(self.categories)), [len(category.entries) for category in self.categories])


@dataclass(frozen=True)
class LexiconCounts:
    """`tokens` int64[n], `categories` int64[n, c], `entries` int64[n, e]: per text, in the lexicon's order."""

    tokens: NDArray[np.int64]
    categories: NDArray[np.int64]
    entries: NDArray[np.int64]

    def values(self) -> NDArray[np.float32]:
        """Return one row per text as scores are stored: [tokens, categories …, entries …]; exact up to 2²⁴."""
        return np.column_stack([self.tokens, self.categories, self.entries]).astype(np.float32)

    @classmethod
    def from_values(cls, values: NDArray[np.float32], lexicon: Lexicon) -> "LexiconCounts":
        """The inverse of `values`. Raises `AppError` where the rows were made with another lexicon."""
        width = len(lexicon.categories)
        if values.ndim != 2 or values.shape[1] != 1 + width + len(lexicon.entries):
            raise AppError(
                f"The stored counts do not fit the word list “{lexicon.name}”.", hint="Score the texts again."
            )
        exact = values.astype(np.int64)
        return cls(exact[:, 0], exact[:, 1 : 1 + width], exact[:, 1 + width :])


def load_lexicon(name: str | Path) -> Lexicon:
    """A packaged lexicon by name, or a person's own file by path. Raises `AppError`."""
    return _packaged(name) if isinstance(name, str) else _read(name)


@cache
def _packaged(name: str) -> Lexicon:
    return _read(name)


def _read(name: str | Path) -> Lexicon:
    place = name if isinstance(name, Path) else files("biasprint.resources").joinpath("lexicons", f"{name}.toml")
    try:
        content = place.read_bytes()
        data = tomllib.loads(content.decode("utf-8"))
        return _lexicon(data, hashlib.sha256(content).hexdigest())
    except FileNotFoundError as error:
        raise AppError(f"There is no word list “{name}”.", hint="Check its name or path.") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise AppError(
            f"The word list “{name}” cannot be read ({error}).", hint="Compare it with the packaged letters.toml."
        ) from error


def count_words(documents: Sequence[Sequence[Word]], lexicon: Lexicon) -> LexiconCounts:
    """The default count over segmented texts. The work is per distinct word, not per word."""
    rows = [[(word.text, word.lemma) for word in document] for document in documents]
    vocabulary = _number(chain.from_iterable(rows))
    matches = _match_words(list(vocabulary), lexicon)
    return _count(rows, vocabulary, matches, lexicon, once_per_category=True)


def count_published(texts: Sequence[str], lexicon: Lexicon) -> LexiconCounts:
    """The paper's count over raw cells, split on white space (`<return>` left in, as in the released file)."""
    rows = [text.lower().split() for text in texts]
    vocabulary = _number(chain.from_iterable(rows))
    matches = _match_inside(list(vocabulary), lexicon)
    return _count(rows, vocabulary, matches, lexicon, once_per_category=False)


class LexiconScorer:
    """Counts of a lexicon's categories and entries as a scorer. Published counting uses the list as printed."""

    role = "lexicon"
    stand_in = False

    def __init__(self, lexicon: str = "letters", counting: Counting = "words") -> None:
        chosen = load_lexicon(lexicon)
        self.lexicon = load_lexicon(chosen.as_printed) if counting == "published" and chosen.as_printed else chosen
        self.counting = counting
        self.name = "lexicon" if counting == "words" else "lexicon_published"
        self.sha256 = self.lexicon.sha256
        made_of = f"{self.lexicon.name} {self.lexicon.version}, {RULES}"
        self.version = f"{made_of}; {SEGMENTER}" if counting == "words" else made_of
        self.shape = (
            f"tokens, {len(self.lexicon.categories)} categories, {len(self.lexicon.entries)} entries; no summary"
        )

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [ScoreValue(row, None) for row in self.count(texts).values()]

    def count(self, texts: Sequence[str]) -> LexiconCounts:
        if self.counting == "published":
            return count_published(texts, self.lexicon)
        return count_words([words(text) for text in texts], self.lexicon)


# ---- a word list of one's own, as a scorer whose name is its path

OWN_WORDS = "words:"


class WordShares:
    """The rate at which a text uses each category of a word list: its words per 100 words of the text.

    `values`: float32[categories], in the order of `labels`; `summary`: that of the first category. A text without a
    word has none. Counted as `count_words` does.
    """

    role = "lexicon"
    stand_in = False
    shape = "words of each category per 100 words of the text; summary: of the first category"

    def __init__(self, path: Path) -> None:
        self.lexicon = words_of_file(path)
        self.name = f"{OWN_WORDS}{path}"
        self.labels = tuple(category.name for category in self.lexicon.categories)
        self.sha256 = self.lexicon.sha256
        self.version = f"{self.lexicon.sha256[:12]}, {RULES}; {SEGMENTER}"
        self.note = f"The word list “{self.lexicon.name}”: {', '.join(self.labels)}."

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        counts = count_words([words(text) for text in texts], self.lexicon)
        return [
            ScoreValue((100 * row / n).astype(np.float32), float(100 * row[0] / n)) if n else NOTHING_COUNTED
            for n, row in zip(counts.tokens.tolist(), counts.categories, strict=True)
        ]


NOTHING_COUNTED = ScoreValue(np.zeros(0, np.float32), None)


def words_of_file(path: Path) -> Lexicon:
    """A word list as letters.toml is one; or a text file with a word to a line, one category with the file's name.

    Raises `AppError` that names the file, also for a list without a word.
    """
    if path.suffix.lower() == ".toml":
        lexicon = load_lexicon(path)
    else:
        try:
            ordinary_file(path, follow=True)
            content = path.read_bytes()
            lines = [line.partition("#")[0].strip() for line in content.decode("utf-8-sig").splitlines()]
            own_category = {"name": path.stem, "entries": list(dict.fromkeys(line for line in lines if line))}
            lexicon = _lexicon(
                {"name": path.stem, "version": "1", "category": [own_category]}, hashlib.sha256(content).hexdigest()
            )
        except FileNotFoundError as error:
            raise AppError(f"There is no word list “{path}”.", hint="Check its path.") from error
        except (OSError, UnicodeDecodeError, TypeError, ValueError) as error:
            hint = "Write one word to a line, with a star at its end for every word that begins so."
            raise AppError(f"The word list “{path}” cannot be read ({error}).", hint=hint) from error
    if empty := [category.name for category in lexicon.categories if not category.entries] or not lexicon.categories:
        named = f" in {', '.join(empty)}" if isinstance(empty, list) else ""
        raise AppError(f"The word list “{path.name}” has no word{named}.", hint="Add words, one to a line.")
    return lexicon


def own_words(name: str) -> WordShares:
    """The scorer `words:PATH`; the same object while the file is the same."""
    path = path_of(name.removeprefix(OWN_WORDS))
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        changed = 0
    return _own_words(path, changed)


@lru_cache(maxsize=8)
def _own_words(path: Path, changed: int) -> WordShares:
    return WordShares(path)


def _lexicon(data: Mapping[str, Any], sha256: str) -> Lexicon:
    categories = tuple(_category(item) for item in data["category"])
    if len({category.name for category in categories}) < len(categories):
        raise ValueError("two categories have the same name")
    strings = {key: str(data.get(key, "")) for key in ("source", "as_printed")}
    return Lexicon(str(data["name"]), str(data["version"]), sha256, categories=categories, **strings)


def _category(item: Mapping[str, Any]) -> Category:
    entries = tuple(item["entries"])
    if not isinstance(item["entries"], list) or not all(isinstance(entry, str) for entry in entries):
        raise TypeError(f"the entries of category “{item['name']}” are not a list of words")
    for entry in entries:
        stem = entry.removesuffix("*")
        if not stem or "*" in stem or stem.split() != [stem]:
            raise ValueError(f"“{entry}” is not one word, with or without a star at its end")
    if len(set(entries)) < len(entries):
        raise ValueError(f"category “{item['name']}” holds an entry twice")
    harm = item.get("harm", "")
    if harm not in ("", "fewer", "more"):
        raise ValueError(f"harm is “{harm}”; it must be “fewer” or “more”, or be left out")
    return Category(item["name"], item.get("title", item["name"]), entries, harm)


def _number(tokens: Iterable[Any]) -> dict[Any, int]:
    """Number each distinct token, in order of appearance."""
    return {token: number for number, token in enumerate(dict.fromkeys(tokens))}


def _match_words(vocabulary: list[tuple[str, str]], lexicon: Lexicon) -> NDArray[np.bool_]:
    """Return which distinct (word, lemma) each entry matches: bool[vocabulary, entries]."""
    folded = [for_matching(entry) for entry in lexicon.entries]
    stems = [(entry[:-1], column) for column, entry in enumerate(folded) if entry.endswith("*")]
    every_stem = tuple(stem for stem, _ in stems)
    columns_of: dict[str, list[int]] = {}
    for column, entry in enumerate(folded):
        columns_of.setdefault(entry, []).append(column)
    matches = np.zeros((len(vocabulary), len(folded)), dtype=bool)
    for row, (text, lemma) in enumerate(vocabulary):
        form = for_matching(text)
        matches[row, columns_of.get(form, [])] = True
        matches[row, columns_of.get(lemma, [])] = True
        if form.startswith(every_stem):
            matches[row, [column for stem, column in stems if form.startswith(stem)]] = True
    return matches


def _match_inside(vocabulary: list[str], lexicon: Lexicon) -> NDArray[np.bool_]:
    """Return which distinct tokens contain each entry, star removed: bool[vocabulary, entries].

    Searches all tokens as one string, many times faster than one by one; no token holds the line break between them.
    """
    joined = "\n".join(vocabulary)
    starts = np.cumsum([0, *(len(token) + 1 for token in vocabulary[:-1])])
    matches = np.zeros((len(vocabulary), len(lexicon.entries)), dtype=bool)
    for column, entry in enumerate(lexicon.entries):
        stem = re.escape(entry.removesuffix("*").lower())
        starts_found = [match.start() for match in re.finditer(stem, joined)]
        matches[np.searchsorted(starts, starts_found, side="right") - 1, column] = True
    return matches


def _count(
    rows: Sequence[Sequence[Any]],
    vocabulary: Mapping[Any, int],
    matches: NDArray[np.bool_],
    lexicon: Lexicon,
    *,
    once_per_category: bool,
) -> LexiconCounts:
    from scipy.sparse import csr_array

    tokens = np.array([len(row) for row in rows], dtype=np.int64)
    numbers = np.fromiter(map(vocabulary.__getitem__, chain.from_iterable(rows)), np.int64, int(tokens.sum()))
    starts = np.concatenate([[0], np.cumsum(tokens)])
    documents = csr_array((np.ones(len(numbers), np.int64), numbers, starts), shape=(len(rows), len(vocabulary)))
    category_of_entry = np.eye(len(lexicon.categories), dtype=np.int64)[lexicon.category_of_entry]
    per_category = matches.astype(np.int64) @ category_of_entry
    if once_per_category:
        per_category = np.minimum(per_category, 1)
    entries = documents @ csr_array(matches.astype(np.int64))
    return LexiconCounts(tokens, documents @ per_category, entries.toarray())
