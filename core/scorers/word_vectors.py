"""Vectors of single words from a person's own word2vec or GloVe file, read by Gensim."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import AppError
from core.scorers.protocol import ScoreValue

BINARY = (".bin", ".bin.gz")
KINDS = "word2vec (text, or binary with the ending .bin), GloVe text"


class WordVectors:
    """The vector of a word: as written, else in lower case, else with a capital; empty for a word without one.

    `values`: float32[dimensions]. `summary`: always None.
    """

    role = "word_vectors"
    stand_in = False
    shape = "the word's vector; empty for a word without one; no summary"

    def __init__(self, path: Path) -> None:
        """Reads the file once to hash it; raises `AppError` where that fails."""
        self._path = path
        try:
            with path.open("rb") as file:
                self.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise AppError(f"The word vectors “{path}” cannot be read ({error.strerror}).", hint=KINDS) from error
        self.name = path.name
        self.version = f"file {self.sha256[:12]}"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        vectors = _loaded(self._path, self.sha256)
        return [ScoreValue(_vector(vectors, text.strip()), None) for text in texts]


def _vector(vectors: Any, word: str) -> NDArray[np.float32]:
    form = next((form for form in (word, word.lower(), word.capitalize()) if form in vectors), None)
    return np.empty(0, np.float32) if form is None else np.asarray(vectors[form], dtype=np.float32)


@lru_cache(maxsize=1)
def _loaded(path: Path, sha256: str) -> Any:
    """Loaded once; a file with another content is loaded anew."""
    from gensim.models import KeyedVectors

    binary = path.name.lower().endswith(BINARY)
    try:
        return KeyedVectors.load_word2vec_format(
            str(path), binary=binary, no_header=not binary and not _has_header(path)
        )
    except (OSError, ValueError, IndexError, UnicodeDecodeError, EOFError) as error:
        raise AppError(
            f"“{path.name}” is no file of word vectors ({error}).", hint=f"It must be one of: {KINDS}."
        ) from error


def _has_header(path: Path) -> bool:
    """word2vec's text files begin with the number of words and of dimensions, GloVe's with the first word."""
    from gensim.utils import open as open_maybe_packed

    with open_maybe_packed(str(path), "rb") as file:
        first = file.readline().split()
    return len(first) == 2 and all(part.isdigit() for part in first)
