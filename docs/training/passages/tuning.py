"""The last layers of an encoder, changed a little and learned together with a head: what all heads of letters share.

What the layers below make of a text is computed once, and of a large encoder kept in a temporary file. The seed is
fixed and one thread is used, so that a processor gives the same weights again; another one may round otherwise.
"""

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from biasprint.core.scorers.bert import TORCH_NAMES, Bert, Layer, checked_embedder
from biasprint.core.scorers.passages import larger_encoder

CHANGED = tuple(TORCH_NAMES)
RANK, SCALE = 8, 2.0
EPOCHS, BATCH, RATE, DROPOUT = 6, 32, 1e-3, 0.1
SHARPNESS = 12.0  # unit vectors are short beside the weights that a head is begun with
SEED = 0
torch.backends.mha.set_fastpath_enabled(False)  # it does not know a mask for each head


class Base(NamedTuple):
    """An encoder whose last layers are changed. `tuned`: how many of them for passages, and for words.

    `large`: its states are kept on disk in 16 bits, and products are computed in 16 bits (bfloat16).
    """

    load: Callable[[], Bert]
    tuned: tuple[int, int]
    large: bool = False

    def kept(self, task: int) -> int:
        return len(self.load().layers) - self.tuned[task]


BASES = {"minilm": Base(checked_embedder, (2, 3)), "mpnet": Base(larger_encoder, (2, 3), large=True)}


class LowRank(nn.Module):
    """A matrix that is kept, and the product of a tall and a wide one beside it, which begins at zero."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.tall = nn.Parameter(torch.zeros(rows, RANK))
        self.wide = nn.Parameter(torch.randn(RANK, columns) / columns**0.5)

    def forward(self, kept: Tensor) -> Tensor:
        return kept + SCALE * self.tall @ self.wide


class Tuned(nn.Module):
    """The layers of the base above the first `kept`, with changes of low rank, and a head of so many `outputs`.

    `parts`: means of its states that the head looks at. With `shared` the head has a row beside the others, which is
    added to each of them.
    """

    def __init__(self, base: Base, kept: int, parts: int, outputs: int, *, shared: bool = False) -> None:
        super().__init__()
        self.kept, self.base, self.model = kept, base, base.load()
        inputs = parts * self.model.width
        self.layers = layers_of(self.model, kept).requires_grad_(False)
        for layer in self.layers:
            for name in CHANGED:
                path, _, part = name.rpartition(".")
                module = layer.get_submodule(path)
                parametrize.register_parametrization(module, part, LowRank(*getattr(module, part).shape))
        self.dropout = nn.Dropout(DROPOUT)
        self.head = nn.Linear(inputs, outputs)
        self.shared = nn.Linear(inputs, 1) if shared else None
        if shared:
            nn.init.zeros_(self.head.weight)
            nn.init.zeros_(self.head.bias)

    def forward(self, states: Tensor, *parts: Tensor) -> Tensor:
        """Scores by the means of these parts of each text, bool[texts, tokens]: the first is all there is of it."""
        mask = masked(self.model, parts[0])
        with torch.autocast("cpu", torch.bfloat16) if self.base.large else nullcontext():
            for layer in self.layers:
                states = layer(states, src_mask=mask)
        states = states.float()
        means = [(states * one[..., None]).sum(1) / one.sum(1, keepdim=True) for one in parts]
        unit = torch.cat([nn.functional.normalize(one, dim=1) for one in means], 1)
        seen = self.dropout(unit) * SHARPNESS
        scores: Tensor = self.head(seen)
        return scores if self.shared is None else scores + self.shared(seen)

    def weights(self) -> dict[str, Any]:
        """As the program reads them."""
        weight, bias = self.head.weight, self.head.bias
        if self.shared is not None:
            weight, bias = weight + self.shared.weight, bias + self.shared.bias
        found = {"weight": weight * SHARPNESS, "bias": bias}
        for number, layer in enumerate(self.layers, self.kept):
            for name in CHANGED:
                path, _, part = name.rpartition(".")
                (low,) = layer.get_submodule(path).parametrizations[part]
                found[f"layers.{number}.{name}.tall"] = SCALE * low.tall
                found[f"layers.{number}.{name}.wide"] = low.wide
        return {name: one.detach().contiguous().numpy().astype(np.float32) for name, one in found.items()}


def layers_of(model: Bert, kept: int) -> nn.ModuleList:
    """Its layers above the first `kept` as torch's own, which can be taught."""
    return nn.ModuleList([_taught(layer, model) for layer in model.layers[kept:]])


def _taught(layer: Layer, model: Bert) -> nn.TransformerEncoderLayer:
    wide, small = len(layer.wide_bias), float(model.small)
    made = nn.TransformerEncoderLayer(
        model.width, model.heads, wide, DROPOUT, "gelu", layer_norm_eps=small, batch_first=True
    )
    made.self_attn.dropout = made.dropout.p = 0.0  # only what a layer adds to the states is dropped
    weights = {name: getattr(layer, matrix).T for name, matrix in TORCH_NAMES.items()}
    biases = {
        "self_attn.in_proj_bias": layer.attention_bias,
        "self_attn.out_proj.bias": layer.mixed_bias,
        "linear1.bias": layer.wide_bias,
        "linear2.bias": layer.narrow_bias,
    }
    norms = {"norm1.weight": layer.norm[0], "norm1.bias": layer.norm[1]}
    norms |= {"norm2.weight": layer.last_norm[0], "norm2.bias": layer.last_norm[1]}
    made.load_state_dict({name: torch.tensor(values) for name, values in (weights | biases | norms).items()})
    return made


def states_of(base: Base, rows: Sequence[Any], kept: int) -> list[Tensor]:
    """What the first `kept` layers make of each row of token ids; of a large base kept on disk."""
    if not base.large:
        return [torch.tensor(states) for states in base.load().states(rows, kept)]
    asked = hashlib.sha256(b"".join(row.tobytes() + b"|" for row in rows) + bytes([kept])).hexdigest()[:16]
    file = Path(tempfile.gettempdir()) / f"states-{asked}.npy"
    if not file.is_file():
        distinct = {row.tobytes(): row for row in rows}
        states = [state.astype(np.float16) for state in base.load().states([*distinct.values()], kept)]
        made = dict(zip(distinct, states, strict=True))
        np.save(file, np.concatenate([made[row.tobytes()] for row in rows]))
    cuts = np.cumsum([len(row) for row in rows])[:-1]
    return list(torch.from_numpy(np.load(file)).tensor_split(torch.from_numpy(cuts)))


def padded(states: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """One tensor of all, and where something is."""
    whole = nn.utils.rnn.pad_sequence(list(states), batch_first=True)
    whole = whole.float() if whole.dtype == torch.float16 else whole
    lengths = torch.tensor([len(one) for one in states])
    return whole, torch.arange(whole.shape[1])[None] < lengths[:, None]


def masked(model: Bert, there: Tensor) -> Tensor:
    """What torch's layers add to attention, float32[texts · heads, tokens, tokens]: −∞ for what is padding."""
    near = torch.from_numpy(model.nearness(there.shape[1]))
    return (torch.where(there, 0.0, -torch.inf)[:, None, None] + near).reshape(-1, *near.shape[1:])


def trained(make: Callable[[], Tuned], lengths: Any, loss_of: Callable[[Tuned, Any], Tensor]) -> Tuned:
    """A model that `make` begins. `lengths`: of the texts, in tokens; `loss_of`: the loss of those at some places."""
    torch.manual_seed(SEED)
    drawn = np.random.RandomState(SEED)
    model = make()
    changes = [one for one in model.layers.parameters() if one.requires_grad]
    head = [*model.head.parameters(), *(model.shared.parameters() if model.shared is not None else ())]
    steps = EPOCHS * len(_batches(lengths, np.random.RandomState(SEED)))
    groups = [{"params": changes, "lr": RATE}, {"params": head, "lr": RATE if model.shared is not None else 3 * RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, 10 * step / steps) * (1 - step / steps))
    model.train()
    for _ in range(EPOCHS):
        for places in _batches(lengths, drawn):
            loss = loss_of(model, places)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*changes, *head], 1.0)
            optimizer.step()
            rate.step()
    return model.eval()


def _batches(lengths: Any, drawn: np.random.RandomState) -> list[Any]:
    """Places in batches of about the same length, in an order by chance."""
    found = []
    for part in np.array_split(drawn.permutation(len(lengths)), max(1, len(lengths) // 512)):
        by_length = part[np.argsort(lengths[part], kind="stable")]
        found += np.array_split(by_length, max(1, len(part) // BATCH))
    return [found[place] for place in drawn.permutation(len(found))]
