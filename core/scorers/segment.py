"""Sentences and words of a text as the whole project counts them, and whether the words are English.

Large libraries kept out while another is imported that takes them along, although nobody here asks for them.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from biasprint.core.scorers.checked_files import require_unchanged
from biasprint.core.text import for_matching

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.lookups import Table

SEGMENTER = f"spacy-blank-en {version('spacy')}, lookup lemmas {version('spacy-lookups-data')}, rules 1"

# A letter's paragraphs: "To Whom It May Concern," ends at its blank line, though no full stop stands there.
BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
UNBROKEN_RUN = re.compile(r"\S{1000}")
KEPT_TEXTS, LONGEST_KEPT = 2_000, 10_000  # the texts, 20 million characters at most
TRANSFORMERS = ("spacy_curated_transformers", "spacy_transformers")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@contextmanager
def hidden(*packages: str) -> Iterator[None]:
    """Hide the packages as if they were not installed; one that is imported already stays."""
    away = [package for package in packages if package not in sys.modules]
    for package in away:
        sys.modules[package] = None  # type: ignore[assignment]  # what Python takes for “cannot be imported”
    try:
        yield
    finally:
        for package in away:
            del sys.modules[package]


@contextmanager
def in_place_of(module: str, **names: object) -> Iterator[None]:
    """Replace the module of a package by one with these names only; a module that is imported already stays."""
    away = [name for name in (module.rpartition(".")[0], module) if name not in sys.modules]
    for name in away:
        sys.modules[name] = ModuleType(name)
    if module in away:
        sys.modules[module].__dict__.update(names)
    try:
        yield
    finally:
        for name in away:
            del sys.modules[name]


class Word(NamedTuple):
    """A token with a letter or digit in it; `text[start:end]` is the word. `lemma` is ready for matching."""

    text: str
    lemma: str
    start: int
    end: int


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of every sentence, without the blanks around it. A blank line always ends a sentence."""
    return list(_kept_sentences(text) if len(text) <= LONGEST_KEPT else _sentences(text))


def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    spans = []
    for start, end in _pieces(text):
        for sentence in _sentence_pipeline()(_spacy_safe(text[start:end])).sents:
            inner = sentence.text.strip()
            if inner:
                first = start + sentence.start_char + sentence.text.index(inner)
                spans.append((first, first + len(inner)))
    return tuple(spans)


# Several scorers ask for the sentences of the same texts, one after another.
_kept_sentences = lru_cache(maxsize=KEPT_TEXTS)(_sentences)


def words(text: str) -> list[Word]:
    """Return every word in order, no punctuation or blanks. Lemmas are looked up for the folded word ("Sons" → son)."""
    words_found = []
    for start, end in _pieces(text):
        for token in _tokenizer()(_spacy_safe(text[start:end])):
            form = token.text
            if any(map(str.isalnum, form)):
                first = start + token.idx
                words_found.append(Word(form, lemma_of(form), first, first + len(form)))
    return words_found


def _pieces(text: str) -> list[tuple[int, int]]:
    """Start and end of each paragraph, unbroken runs cut: spaCy's rules take the square of a run's length."""
    gaps = [gap.span() for gap in BLANK_LINE.finditer(text)]
    cuts = [(run.end(), run.end()) for run in UNBROKEN_RUN.finditer(text)]
    edges = [0, *(edge for span in sorted(gaps + cuts) for edge in span), len(text)]
    return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]


def _spacy_safe(text: str) -> str:
    """spaCy stores its strings as UTF-8, which has no lone surrogates; one sign for one keeps every place."""
    return LONE_SURROGATE.sub("\ufffd", text)


def import_spacy() -> None:
    """Import spaCy without torch, where nothing needs it.

    spaCy takes torch along wherever it is installed, 1.4 s of processor time, and its own command line, 0.2 s. The
    rules need neither; of its trained pipelines only those do that are transformers, with a package of their own.
    """
    with_torch = any(map(find_spec, TRANSFORMERS))
    with nullcontext() if with_torch else hidden("torch"), in_place_of("spacy.cli.info", info=None):
        import spacy

    # Else it loads whatever an installed package calls a part of a pipeline, with the first pipeline of any kind.
    spacy.util.registry._entry_point_factories.entry_points = with_torch


@cache
def _sentence_pipeline() -> "Language":
    """spaCy's rules that find sentences."""
    import_spacy()
    import spacy

    pipeline = spacy.blank("en")
    pipeline.max_length = 2**31  # the limit guards trained models' memory; rules need little
    pipeline.add_pipe("sentencizer")
    return pipeline


@cache
def _tokenizer() -> Any:
    return _sentence_pipeline().tokenizer


@lru_cache(maxsize=100_000)
def lemma_of(form: str) -> str:
    """Return the lemma of a word, ready for matching; the word itself where the table has none."""
    folded = for_matching(form)
    return for_matching(lookups("lemma_lookup").get(folded, folded))


@cache
def lookups(name: str) -> "Table":
    """Return a spaCy table of English words, such as “lemma_lookup”. Raise `AppError` if its file was changed."""
    require_unchanged("spacy-lookups-data", f"spacy_lookups_data/data/en_{name}.json.gz")
    from spacy.lookups import load_lookups

    return load_lookups("en", [name]).get_table(name)


def language_of(text: str) -> str:
    """The code of the language that a text is most likely in, by py3langid. Raises as `lookups` does."""
    require_unchanged("py3langid", "py3langid/data/model.npz.xz")
    from py3langid import langid

    return str(langid.classify(text)[0])


# About 45 % of the words of English prose are function words of spaCy's list, of other languages' prose below 15 %.
FEWEST_FUNCTION_WORDS = 0.22
SHORTEST = 20  # words; below it a text is taken as English


def is_english(words: Sequence[Word]) -> bool:
    """Enough English function words, or too short to tell."""
    if len(words) < SHORTEST:
        return True
    return sum(for_matching(word.text) in function_words() for word in words) >= FEWEST_FUNCTION_WORDS * len(words)


@cache
def function_words() -> frozenset[str]:
    """spaCy's English stop words, folded."""
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)
