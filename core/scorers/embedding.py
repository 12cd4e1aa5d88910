"""Embedding with a loaded encoder: unit vectors, long texts in windows of equal length.

Only texts of equal length share a batch and nothing is padded, so that a text's value is the same, to the bit, in any
company. Padding would change the last bits of a value with the texts beside it, and on a processor it is not faster
once many texts are sorted together.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import AppError
from core.scorers.protocol import ScoreValue

# ---- Batches of equal length

BATCH = 16  # larger ones are slower on a processor
# The kernels of matrix products treat rows that do not fill a group of four otherwise, unless there are many.
GROUP = 4
ENOUGH_ROWS = 16


def batches(lengths: Sequence[int], most: int = BATCH) -> Iterator[list[int]]:
    """Places of equal length, at most `most` at a time, the shortest first; every place once."""
    by_length = sorted(range(len(lengths)), key=lambda place: lengths[place])
    for _, group in groupby(by_length, key=lambda place: lengths[place]):
        equal = list(group)
        for start in range(0, len(equal), most):
            yield equal[start : start + most]


def filled(count: int, length: int) -> int:
    """How many sequences of this length to compute for `count`: the last is repeated where few tokens are computed.

    With 16 tokens and more the sums are the same for any number; below, only for multiples of four that have 16 tokens
    together: four words of one piece, with their marks, have twelve.
    """
    return count if length >= ENOUGH_ROWS else whole_groups(max(count, -(-ENOUGH_ROWS // length)))


def whole_groups(count: int) -> int:
    """`count`, rounded up to a multiple of four."""
    return -(-count // GROUP) * GROUP


# ---- Embedding

Tokens = NDArray[np.int64]
Vectors = NDArray[np.float32]


class Embedder:
    """An encoder that gives one vector for the tokens of a text. Heavy: for the compute process only.

    `first` and `last`: the tokens that stand before and behind every text, a prompt included; `marks`: how many.
    """

    def __init__(self, tokenizer: Any, device: str = "cpu", prompt: str = "") -> None:
        """`tokenizer`: of the tokenizers library; it is set to cut and pad nothing. `prompt`: stands before each text.

        Raises `ValueError` where the tokenizer does not put its marks around a text.
        """
        self.device = device
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._prompt = prompt
        before, self.last = self._around()
        self.first = before + self._split(tokenizer.encode(f"{prompt}a", add_special_tokens=False))[0]
        self.marks = len(self.first) + len(self.last)

    def vectors(self, ids: Any) -> Any:
        """A vector per row of token ids, tensor[rows, tokens] → tensor[rows, width]."""
        raise NotImplementedError

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Token ids of whole texts, without what stands around them."""
        # The tokenizer refuses lone surrogates, which say nothing.
        whole = [self._prompt + text.encode("utf-8", "ignore").decode() for text in texts]
        found = self._tokenizer.encode_batch(whole, add_special_tokens=False)
        return [np.array(self._split(one)[1], dtype=np.int64) for one in found]

    def encode(self, windows: Sequence[Tokens]) -> list[Vectors]:
        """Unit vectors, float32[width] each. Only windows of equal length share a batch."""
        found: dict[int, Vectors] = {}
        for batch in batches([len(window) for window in windows]):
            found.update(zip(batch, self._encode_equal(np.stack([windows[place] for place in batch])), strict=True))
        return [found[place] for place in range(len(windows))]

    def _encode_equal(self, tokens: Tokens) -> Vectors:
        import torch

        count, length = len(tokens), tokens.shape[1] + self.marks
        # A graphics processor picks its kernels by the number of rows, so there each batch is full.
        rows = BATCH if self.device != "cpu" else filled(count, length)
        filled_up = np.pad(tokens, ((0, rows - count), (0, 0)), mode="edge")
        first, last = (np.tile(np.array(ids, dtype=np.int64), (rows, 1)) for ids in (self.first, self.last))
        with torch.inference_mode():
            ids = torch.from_numpy(np.hstack([first, filled_up, last])).to(self.device)
            unit: Vectors = torch.nn.functional.normalize(self.vectors(ids), dim=1).float().cpu().numpy()
        return unit[:count]

    def _split(self, encoded: Any) -> tuple[list[int], list[int]]:
        """The tokens of the prompt and those of the text behind it, which may take a blank of the prompt's along."""
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
    """A unit vector per text, empty for a text without a token, and no summary. `most`: tokens of a window.

    A longer text is cut into the fewest windows that hold it, all of the same length to one token; its vector is the
    mean of theirs, scaled to length 1. Without `windows` only its first tokens count.
    """
    cut = [_cut(tokens, most, windows) for tokens in embedder.tokens(texts)]
    vectors = iter(embedder.encode([window for of_one_text in cut for window in of_one_text]))
    return [ScoreValue(_mean([next(vectors) for _ in of_one_text]), None) for of_one_text in cut]


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
