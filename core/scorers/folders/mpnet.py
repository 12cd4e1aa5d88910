"""Sentence embeddings by an embedder from a folder: the creativity paper's all-mpnet-base-v2, or another."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.errors import AppError
from core.scorers.embedding import Embedder, embedded
from core.scorers.folders import device, loading, settings
from core.scorers.folders.classifier import longest
from core.scorers.folders.held import held
from core.scorers.folders.scorer import FolderScorer
from core.scorers.folders.settings import Settings, unreadable
from core.scorers.protocol import ScoreValue

_KNOWN_PARTS = ("Transformer", "Pooling", "Normalize")


class FolderEmbedder(Embedder):
    """`most`: tokens of a window, the two marks left out."""

    def __init__(self, model: Any, tokenizer: Any, where: str, most: int) -> None:
        super().__init__(model, tokenizer, where)
        self.most = most
        self.device = where


class MPNet(FolderScorer):
    """The unit vector of a text: the last layer's mean over the tokens, scaled to length 1; long texts in windows.

    `values`: float32[width of the model]; empty, with no summary, for a text without a token. `summary`: always None.
    A text longer than the model takes is cut into the fewest windows of equal length, and their vectors averaged.
    Source: creativity (Kumar et al.), RBS.
    """

    role = "embedding"
    name = "mpnet"
    papers = "the creativity paper's embedder, all-mpnet-base-v2"
    rules = "long texts in windows, averaged; rules 1"
    shape = "unit vector of the model's width; empty for a text without words; no summary"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        model = self.model()
        embedder = held(self.role, (model.path, model.sha256), lambda: load_embedder(model.path))
        return embedded(embedder, texts, embedder.most, windows=True)


def load_embedder(folder: Path) -> FolderEmbedder:
    """Raises `AppError` where the folder is no embedder with mean pooling that can be loaded safely."""
    import torch

    read = settings.read(folder)
    refuse_unless_mean(folder)
    config = loading.configuration(read)
    tokenizer = loading.tokenizer(read, config)
    where = device.chosen()
    model = loading.model(read, "embedder", config, where, torch.float32)
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise unreadable(read.name, "its tokenizer is of a kind that is not read", type(tokenizer).__name__)
    most = min(_said_length(read), longest(read.kind, config, tokenizer)) - 2
    try:
        return FolderEmbedder(model, backend, where, most)
    except ValueError as error:
        raise unreadable(read.name, "its tokenizer does not mark beginning and end", repr(error)) from error


def refuse_unless_mean(folder: Path) -> None:
    """Only mean pooling is computed here: raises `AppError` for a folder whose settings ask for anything else."""
    listed = _json(folder / "modules.json", [])
    if not isinstance(listed, list) or not all(isinstance(part, dict) for part in listed):
        raise unreadable(folder.name, "its list of parts (modules.json) is damaged")
    for part in listed:
        kind = str(part.get("type", "")).rpartition(".")[2]
        if kind not in _KNOWN_PARTS:
            raise unreadable(folder.name, f"it has a part of the kind “{kind[:40]}”, which is not computed here")
        if kind == "Pooling" and not _is_mean(_json(folder / str(part.get("path", ""))[:60] / "config.json", {})):
            raise unreadable(folder.name, "it does not take the mean of its tokens, which alone is computed here")


def _is_mean(pooling: Any) -> bool:
    if not isinstance(pooling, dict):
        return False
    if "pooling_mode" in pooling:
        return bool(pooling["pooling_mode"] == "mean")
    modes = [key for key, value in pooling.items() if key.startswith("pooling_mode_") and value is True]
    return modes == ["pooling_mode_mean_tokens"]


def _said_length(read: Settings) -> int:
    """What the embedder's settings give as its longest text, in tokens; else what its kind mostly takes."""
    said = _json(read.folder / "sentence_bert_config.json", {})
    length = said.get("max_seq_length") if isinstance(said, dict) else None
    return length if isinstance(length, int) and not isinstance(length, bool) and 8 <= length <= 10**6 else 512


def _json(path: Path, missing: Any) -> Any:
    if not path.is_file():
        return missing
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise AppError(f"“{path.name}” in “{path.parent.name}” is damaged.", hint="Get the model again.") from error
