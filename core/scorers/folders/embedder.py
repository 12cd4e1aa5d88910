"""Sentence embeddings by a sentence-transformers folder: the creativity paper's all-mpnet-base-v2, or another."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.machine.models import layout
from biasprint.core.scorers.embedding import Embedder, Tokens, Vectors, embedded, vectors_of
from biasprint.core.scorers.folders import loading
from biasprint.core.scorers.folders.classifier import longest
from biasprint.core.scorers.folders.loading import BATCH, batches, filled, held, read_settings, unreadable
from biasprint.core.scorers.folders.scorers import FolderScorer
from biasprint.core.scorers.protocol import ScoreValue

TOGETHER = 32  # texts that are embedded between two checks for a cancel
PARTS, LENGTH, PROMPTS = "modules.json", "sentence_bert_config.json", "config_sentence_transformers.json"
# The library's own parts that are computed here, none of which runs code of the folder's choosing.
_KNOWN_PARTS = ("Transformer", "Pooling", "Dense", "Normalize")
_PART_PLACE = re.compile(r"[0-9]{1,2}_[A-Za-z]{1,40}")


class FolderEmbedder(Embedder):
    """A SentenceTransformer with its own pooling, normalisation and prompt. `most`: tokens of a window."""

    def __init__(self, model: Any, where: str, name: str = "model") -> None:
        self._model = model
        self._name = name
        prompt = model.prompts.get(model.default_prompt_name) or ""
        super().__init__(model.tokenizer.backend_tokenizer, prompt)
        self.device = where
        kind = str(model[0].config.model_type)
        self.most = max(1, longest(kind, model[0].config, model.tokenizer) - self.marks)
        self._extra = {"prompt_length": len(self.first)} if prompt else {}

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        return loading.spelled(self._name, lambda: super(FolderEmbedder, self).tokens(texts))

    def encode(self, windows: Sequence[Tokens]) -> list[Vectors]:
        vectors: dict[int, Vectors] = {}
        for batch in batches([len(window) for window in windows]):
            vectors.update(zip(batch, self._encode_equal(np.stack([windows[place] for place in batch])), strict=True))
        return [vectors[place] for place in range(len(windows))]

    def _encode_equal(self, tokens: Tokens) -> Vectors:
        """Unit vectors, float32[rows, width], of rows of token ids."""
        import torch

        count, length = len(tokens), tokens.shape[1] + self.marks
        # A graphics processor picks its kernels by the number of rows, so there each batch is full.
        rows = BATCH if self.device != "cpu" else filled(count, length)
        filled_up = np.pad(tokens, ((0, rows - count), (0, 0)), mode="edge")
        first, last = (np.tile(np.array(ids, dtype=np.int64), (rows, 1)) for ids in (self.first, self.last))
        with torch.inference_mode():
            ids = torch.from_numpy(np.hstack([first, filled_up, last])).to(self.device)
            given = {"input_ids": ids, "attention_mask": torch.ones_like(ids), **self._extra}
            embedding = self._model(given)["sentence_embedding"]
            unit: Vectors = torch.nn.functional.normalize(embedding, dim=1).float().cpu().numpy()
        return unit[:count]


class MPNet(FolderScorer):
    """The unit vector of a text, as its folder's settings say: mostly the mean over the tokens; long texts in windows.

    `values`: float32[width of the model]; empty, with no summary, for a text without a token. `summary`: always None.
    A text longer than the model takes is cut into the fewest windows of equal length, and their vectors averaged.
    Source: creativity (Kumar et al.), RBS.
    """

    role = "embedding"
    name = "mpnet"
    papers = "the creativity paper's embedder, all-mpnet-base-v2"
    rules = "long texts in windows, averaged; rules 1"
    ahead = 256  # texts that are got ready together: about ten seconds of a processor
    shape = "unit vector of the model's width; empty for a text without words; no summary"

    def __init__(self) -> None:
        self._ready: dict[tuple[str, str], ScoreValue] = {}  # by the model's hash and the text

    def prepare(self, texts: Sequence[str], check: Callable[[], None]) -> None:
        """Embed texts in the order of their lengths in tokens, so that those of one length fill their batches.

        `check` is called between batches, and may raise. `score` hands out what is ready.
        """
        embedder, model = self._embedder()
        self._ready = {}
        split = sorted(zip(texts, embedder.tokens(texts), strict=True), key=lambda pair: len(pair[1]))
        for start in range(0, len(split), TOGETHER):
            check()
            together = split[start : start + TOGETHER]
            vectors = vectors_of(embedder, [tokens for _, tokens in together], embedder.most, windows=True)
            values = (ScoreValue(vector, None) for vector in vectors)
            self._ready |= {(model, text): value for (text, _), value in zip(together, values, strict=True)}

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        embedder, model = self._embedder()
        new = [text for text in dict.fromkeys(texts) if (model, text) not in self._ready]
        values = dict(zip(new, embedded(embedder, new, embedder.most, windows=True), strict=True))
        return [values[text] if text in values else self._ready[model, text] for text in texts]

    def _embedder(self) -> tuple[FolderEmbedder, str]:
        """Return the loaded embedder, and its model's hash."""
        model = self.model()
        return held(self.role, (model.path, model.sha256), lambda: load_embedder(model.path)), model.sha256


def load_embedder(folder: Path) -> FolderEmbedder:
    """Load an embedder. Raises `AppError` where the folder is no embedder that can be loaded safely."""
    import torch

    read = read_settings(folder)
    loading.class_for(read, "embedder", loading.configuration(read))
    where = loading.chosen()
    loading.refuse_without_memory(read, where, torch.float32)
    files = layout.look_at(folder).files
    documents = {layout.CONFIG: read.values, **_documents(folder, files)}
    linked = {name: folder / name for name in files if name not in (layout.CONFIG, PARTS, LENGTH, PROMPTS)}
    loading.quiet()
    with loading.staged(documents, linked) as place:
        model = loading.said(read.name, lambda: _loaded(place, where))
    _refuse_unless_whole(read.name, model[0].auto_model, folder, files)
    if getattr(model.tokenizer, "backend_tokenizer", None) is None:
        raise unreadable(read.name, "its tokenizer is of a kind that is not read", type(model.tokenizer).__name__)
    loading.said(read.name, lambda: model.tokenizer(loading.IN_NO_VOCABULARY), loading.NO_TOKENIZER)
    no_marks = "its tokenizer does not mark beginning and end"
    return loading.said(read.name, lambda: FolderEmbedder(model, where, read.name), no_marks)


def _loaded(place: Path, where: str) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(
        str(place), device=where, local_files_only=True, trust_remote_code=False,
        model_kwargs={"dtype": torch.float32, "use_safetensors": True},
    ).eval()  # fmt: skip


def _documents(folder: Path, files: Sequence[str]) -> dict[str, object]:
    """The settings of sentence-transformers that are followed: parts, longest text and prompts."""
    documents: dict[str, object] = {}
    if PARTS in files:
        documents[PARTS] = [_part(folder, place, part, files) for place, part in enumerate(_listed(folder))]
    settings = _json(folder / LENGTH) if LENGTH in files else {}
    documents[LENGTH] = {key: settings[key] for key in ("max_seq_length", "do_lower_case") if key in settings}
    settings = _json(folder / PROMPTS) if PROMPTS in files else {}
    documents[PROMPTS] = {key: settings[key] for key in ("prompts", "default_prompt_name") if key in settings}
    return documents


def _listed(folder: Path) -> list[Mapping[str, Any]]:
    listed = _json(folder / PARTS)
    if not isinstance(listed, list) or not all(isinstance(part, dict) for part in listed):
        raise unreadable(folder.name, "its list of parts (modules.json) is damaged")
    return listed


def _part(folder: Path, place: int, part: Mapping[str, Any], files: Sequence[str]) -> dict[str, object]:
    library, _, kind = str(part.get("type", "")).rpartition(".")
    if kind not in _KNOWN_PARTS or library.partition(".")[0] != "sentence_transformers":
        raise unreadable(folder.name, f"it has a part of the kind “{kind[:40]}”, which is not computed here")
    path = str(part.get("path", ""))
    if (path and not _PART_PLACE.fullmatch(path)) or (kind == "Transformer") != (not path):
        raise unreadable(folder.name, "its list of parts (modules.json) is damaged", path[:200])
    if kind == "Dense" and f"{path}/{layout.WEIGHTS}" not in files:
        raise unreadable(folder.name, "a part of it has no weights in the safetensors format", path)
    return {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}


def _refuse_unless_whole(name: str, model: Any, folder: Path, files: Sequence[str]) -> None:
    """The library fills weights that a folder lacks with random numbers, and says so in its log alone."""
    from safetensors import safe_open

    stored_keys: set[str] = set()
    for file in files:
        if file.endswith(".safetensors") and "/" not in file:
            with safe_open(folder / file, "pt") as weights:
                stored_keys |= {key.rpartition(f"{model.base_model_prefix}.")[2] for key in weights.keys()}  # noqa: SIM118
    needed = {key for key, _ in model.named_parameters() if not key.startswith("pooler.")}
    if needed - stored_keys:
        raise unreadable(
            name, "its weights lack parts that its settings name", ", ".join(sorted(needed - stored_keys)[:5])
        )


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise AppError(f"“{path.name}” in “{path.parent.name}” is damaged.", hint="Get the model again.") from error
