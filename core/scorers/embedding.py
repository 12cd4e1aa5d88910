"""Embedding with a loaded encoder: unit vectors, long texts in windows of equal length."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.scorers.checked_files import REINSTALL
from biasprint.core.scorers.protocol import ScoreValue

# ---- Embedding

Tokens = NDArray[np.int64]
Vectors = NDArray[np.float32]


class Embedder:
    """An encoder that gives one vector for the tokens of a text. Heavy: for the compute process only.

    `first` and `last`: the tokens before and after every text, a prompt included; `marks`: how many.
    """

    def __init__(self, tokenizer: Any, prompt: str = "") -> None:
        """`tokenizer`: of the tokenizers library; truncation and padding are turned off. `prompt`: precedes each text.

        Raises `ValueError` where the tokenizer does not put its marks around a text.
        """
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._prompt = prompt
        before, self.last = self._around()
        self.first = before + self._split(tokenizer.encode(f"{prompt}a", add_special_tokens=False))[0]
        self.marks = len(self.first) + len(self.last)

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the token ids of whole texts, without the tokens around them."""
        # The tokenizer refuses lone surrogates, which say nothing.
        whole = [self._prompt + text.encode("utf-8", "ignore").decode() for text in texts]
        encodings = self._tokenizer.encode_batch(whole, add_special_tokens=False)
        return [np.array(self._split(encoding)[1], dtype=np.int64) for encoding in encodings]

    def encode(self, windows: Sequence[Tokens]) -> list[Vectors]:
        """Unit vectors, float32[width] each; none depends on the other windows, to the last bit."""
        raise NotImplementedError

    def _split(self, encoded: Any) -> tuple[list[int], list[int]]:
        """Split the tokens of the prompt from those of the text after it, which may take a blank from the prompt."""
        ids: list[int] = encoded.ids
        if not self._prompt:
            return [], ids
        prompted = sum(end <= len(self._prompt) for _, end in encoded.offsets)
        return ids[:prompted], ids[prompted:]

    def _around(self) -> tuple[list[int], list[int]]:
        """The tokens that the tokenizer puts before and behind a text."""
        plain, marked = self._tokenizer.encode("a", add_special_tokens=False).ids, self._tokenizer.encode("a").ids
        for start in range(len(marked) - len(plain) + 1):
            if plain and marked[start : start + len(plain)] == plain:
                return marked[:start], marked[start + len(plain) :]
        raise ValueError(f"{marked} is not {plain} with marks around it")


def embedded(embedder: Embedder, texts: Sequence[str], most: int, *, windows: bool) -> list[ScoreValue]:
    """A unit vector per text, empty for a text without a token, and no summary; as `vectors_of` its tokens."""
    vectors = vectors_of(embedder, embedder.tokens(texts), most, windows=windows)
    return [ScoreValue(vector, None) for vector in vectors]


def vectors_of(embedder: Embedder, texts: Sequence[Tokens], most: int, *, windows: bool) -> list[Vectors]:
    """A unit vector for the tokens of each text, empty where there are none. `most`: tokens of a window.

    A longer text is cut into the fewest windows that hold it, all of the same length to one token; its vector is the
    mean of theirs, scaled to length 1. Without `windows` only its first tokens count.
    """
    cut = [_cut(tokens, most, windows) for tokens in texts]
    vectors = iter(embedder.encode([window for of_one_text in cut for window in of_one_text]))
    return [_mean([next(vectors) for _ in of_one_text]) for of_one_text in cut]


def _cut(tokens: Tokens, most: int, windows: bool) -> list[Tokens]:
    if not tokens.size:
        return []
    if not windows:
        return [tokens[:most]]
    # Equal windows: a short last one would weigh as much as a full one.
    return np.array_split(tokens, math.ceil(tokens.size / most))


def _mean(vectors: list[Vectors]) -> Vectors:
    """Mean of unit vectors, scaled to length 1; empty for none. One vector is returned as it is."""
    if len(vectors) < 2:
        return vectors[0].copy() if vectors else np.empty(0, dtype=np.float32)
    mean = np.stack(vectors).mean(axis=0, dtype=np.float64)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


# ---- Vectors of single words from a person's own word2vec or GloVe file, read by Gensim

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
    """Load the word vectors once; load them again when the file's content has changed."""
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


# ---- Small heads on embeddings: softmax regressions whose weights are checked before they are used

Probabilities = NDArray[np.float64]


@dataclass(frozen=True)
class SoftmaxHead:
    """Weights float64[classes, 384] and biases float64[classes]."""

    weight: Probabilities
    bias: Probabilities

    def of(self, vector: NDArray[np.float32]) -> Probabilities:
        """The probabilities of one embedding's classes: row by row, for a product of matrices may round otherwise."""
        return softmax(self.weight @ vector.astype(np.float64) + self.bias)


def read_head(file: Traversable, sha256: str, name: str) -> SoftmaxHead:
    """The head in a file of safetensors. Raises `AppError` where it cannot be read or is not the program's own."""
    return head_of(read_weights(file, sha256, name))


def head_of(weights: Mapping[str, NDArray[np.float32]]) -> SoftmaxHead:
    return SoftmaxHead(weights["weight"].astype(np.float64), weights["bias"].astype(np.float64))


def read_weights(file: Traversable, sha256: str, name: str) -> Mapping[str, NDArray[np.float32]]:
    """Return every array of such a file, by its name there."""
    from safetensors.numpy import load

    try:
        content = file.read_bytes()
    except OSError as error:
        raise AppError(f"The {name} head cannot be read ({error.strerror}).", hint=REINSTALL) from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != sha256:
        raise AppError(
            f"The weights of the {name} head are not the program's own, so they were not loaded.",
            kept="Nothing was changed.",
            hint=REINSTALL,
            details=f"SHA-256 of {file.name}: expected {sha256}, found {digest}",
        )
    return load(content)


def softmax(scores: Probabilities) -> Probabilities:
    """exp(x) / Σ exp(x) over the last axis, without overflow."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Probabilities = powers / powers.sum(axis=-1, keepdims=True)
    return shares
