"""The parser of spaCy's trained pipeline: each word of a sentence with its tag, its relation, and the word it hangs on.

Nothing is parsed where no pipeline is installed: whoever asks goes on by rules alone.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from biasprint.core.cache import BatchCache
from biasprint.core.errors import AppError
from biasprint.core.scorers import parts_of_speech
from biasprint.core.scorers.segment import LONE_SURROGATE

UNUSED = ("ner", "senter", "lemmatizer", "attribute_ruler")


class ParsedWord(NamedTuple):
    """Characters `start` to `end` of the sentence, Penn tag, relation to the word `head` (its own number: a root)."""

    start: int
    end: int
    tag: str
    relation: str
    head: int


_kept: BatchCache[str, tuple[ParsedWord, ...]] = BatchCache(5_000)  # by the sentence


@cache
def pipeline(data: Path) -> Any:
    """Load the pipeline with its parser. Raises `AppError` where it has none or cannot be loaded."""
    loaded = parts_of_speech.loaded(data, UNUSED)
    if "parser" not in loaded.pipe_names:
        raise AppError(f"spaCy's pipeline “{data.name}” has no parser.", hint=parts_of_speech.HOW_TO_GET)
    return loaded


def parsed(sentences: Sequence[str]) -> list[tuple[ParsedWord, ...]] | None:
    """Return the words of each sentence; None where no parser is installed, or it cannot be loaded."""
    if parts_of_speech.installed() is None:
        return None
    try:
        return _kept.get(sentences, _parsed)
    except AppError:
        return None


def _parsed(sentences: Sequence[str]) -> Iterator[tuple[ParsedWord, ...]]:
    safe = (LONE_SURROGATE.sub("\ufffd", sentence) for sentence in sentences)
    for read in pipeline(parts_of_speech.place()).pipe(safe):
        yield tuple(
            ParsedWord(token.idx, token.idx + len(token), token.tag_, token.dep_, token.head.i) for token in read
        )


def parser_version() -> str:
    """Return name and version of the installed pipeline, such as “en_core_web_sm-3.8.0”; "" where there is none."""
    data = parts_of_speech.installed()
    return parts_of_speech.called(data) if data is not None else ""
