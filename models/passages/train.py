"""Train the passages head: `python -m models.passages.train` writes `models/passages/head.safetensors`.

    python -m models.passages.train           all authors, and the file that the program reads
    python -m models.passages.train --check   each author in turn left out, and how good the head is on theirs

clauses.csv has single passages by their class, letters.jsonl whole letters in which the passages are set off. Changes
of low rank to the last layers of MiniLM are learned together with the head. The seed is fixed and one thread is used,
so that a processor gives the same weights again; another one may round otherwise.
"""

import argparse
import csv
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from core.documents.passages import clauses
from core.metrics.proportions import wilson
from core.scorers.agency_minilm import neutral
from core.scorers.embedding import batches
from core.scorers.minilm import checked_embedder
from core.scorers.passages_minilm import CLASSES, FILE, FOUND

HERE = Path(__file__).parent
KEPT_LAYERS = 4  # of six
CHANGED = ("self_attn.in_proj_weight", "self_attn.out_proj.weight", "linear1.weight", "linear2.weight")
RANK, SCALE = 8, 2.0
EPOCHS, BATCH, RATE, DROPOUT, SMOOTHING = 6, 32, 1e-3, 0.1, 0.05
SHARPNESS = 12.0  # unit vectors are short beside the weights that a head is begun with
LONGEST = 60  # tokens
SEED = 0


class Passage(NamedTuple):
    text: str
    label: str
    author: str


def passages() -> list[Passage]:
    """Every passage of the two files, and the clauses of the letters as the program cuts them: most are neutral."""
    with (HERE / "clauses.csv").open(encoding="utf-8", newline="") as file:
        found = [Passage(row["text"], row["label"], row["author"]) for row in csv.DictReader(file)]
    for row in sentences_of_letters():
        found += [Passage(text, label, "d") for text, label in _of_sentence(row["text"], row["passages"])]
    return list(dict.fromkeys(found))


def _of_sentence(text: str, given: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    yield from ((one["text"], one["label"]) for one in given)
    if not given:
        yield text, "neutral"
    places = [(text.index(one["text"]), one) for one in given]
    for start, end in clauses(text):
        over = [(min(end, at + len(one["text"])) - max(start, at), one["label"]) for at, one in places]
        most, label = max(over, default=(0, ""))
        if most <= 0:
            yield text[start:end], "neutral"
        elif 2 * most > end - start:
            yield text[start:end], label


def sentences_of_letters() -> list[Mapping[str, Any]]:
    lines = (HERE / "letters.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


class LowRank(nn.Module):
    """A matrix that is kept, and the product of a tall and a wide one beside it, which begins at zero."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.tall = nn.Parameter(torch.zeros(rows, RANK))
        self.wide = nn.Parameter(torch.randn(RANK, columns) / columns**0.5)

    def forward(self, kept: Tensor) -> Tensor:
        return kept + SCALE * self.tall @ self.wide


class Tuned(nn.Module):
    """The last layers of MiniLM, with changes of low rank, and the head."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = last_layers()
        for layer in self.layers:
            layer.dropout1.p = layer.dropout2.p = DROPOUT
            for name in CHANGED:
                module, part = (
                    layer.get_submodule(name.rpartition(".")[0]) if "." in name else layer,
                    name.rpartition(".")[2],
                )
                parametrize.register_parametrization(module, part, LowRank(*getattr(module, part).shape))
        self.dropout = nn.Dropout(DROPOUT)
        self.head = nn.Linear(self.layers[0].linear1.in_features, len(CLASSES))

    def forward(self, states: Tensor, nothing: Tensor) -> Tensor:
        for layer in self.layers:
            states = layer(states, src_key_padding_mask=nothing)
        there = (~nothing)[..., None]
        mean = (states * there).sum(1) / there.sum(1)
        scores: Tensor = self.head(self.dropout(nn.functional.normalize(mean, dim=1)) * SHARPNESS)
        return scores

    def weights(self) -> dict[str, Any]:
        """As the program reads them."""
        found = {"weight": self.head.weight * SHARPNESS, "bias": self.head.bias}
        for number, layer in enumerate(self.layers, KEPT_LAYERS):
            for name in CHANGED:
                path, _, part = name.rpartition(".")
                (low,) = layer.get_submodule(path).parametrizations[part] if path else layer.parametrizations[part]
                found[f"layers.{number}.{name}.tall"] = SCALE * low.tall
                found[f"layers.{number}.{name}.wide"] = low.wide
        return {name: one.detach().contiguous().numpy().astype(np.float32) for name, one in found.items()}


def last_layers() -> nn.ModuleList:
    """Copies, whose own weights are not learned."""
    import copy

    layers = copy.deepcopy(checked_embedder().layers[KEPT_LAYERS:])
    return layers.requires_grad_(False)


def states_of(texts: Sequence[str]) -> list[Tensor]:
    """What the kept layers make of each text: computed once."""
    embedder = checked_embedder()
    tokens = [np.concatenate([embedder.first, one[:LONGEST], embedder.last]) for one in embedder.tokens(texts)]
    found: dict[int, Tensor] = {}
    with torch.no_grad():
        for places in batches([len(one) for one in tokens], BATCH):
            ids = torch.from_numpy(np.stack([tokens[place] for place in places]).astype(np.int64))
            found.update(zip(places, embedder.below(ids, KEPT_LAYERS), strict=True))
    return [found[place] for place in range(len(texts))]


def padded(states: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """One tensor of all, and where nothing is."""
    whole = nn.utils.rnn.pad_sequence(list(states), batch_first=True)
    lengths = torch.tensor([len(one) for one in states])
    return whole, torch.arange(whole.shape[1])[None] >= lengths[:, None]


def trained(states: Sequence[Tensor], of: Sequence[int]) -> Tuned:
    torch.manual_seed(SEED)
    drawn = np.random.RandomState(SEED)
    model, lengths = Tuned(), np.array([len(one) for one in states])
    learned = [one for one in model.layers.parameters() if one.requires_grad]
    steps = EPOCHS * sum(1 for _ in _batches(lengths, np.random.RandomState(SEED)))
    groups = [{"params": learned, "lr": RATE}, {"params": model.head.parameters(), "lr": 3 * RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, 10 * step / steps) * (1 - step / steps))
    wanted = torch.tensor(of)
    model.train()
    for _ in range(EPOCHS):
        for places in _batches(lengths, drawn):
            scores = model(*padded([states[place] for place in places]))
            loss = nn.functional.cross_entropy(scores, wanted[torch.from_numpy(places)], label_smoothing=SMOOTHING)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*learned, *model.head.parameters()], 1.0)
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


def predicted(model: Tuned, states: Sequence[Tensor]) -> Any:
    """The probabilities of each: float[n, classes]."""
    with torch.no_grad():
        parts = [states[start : start + BATCH] for start in range(0, len(states), BATCH)]
        return torch.cat([torch.softmax(model(*padded(part)), 1) for part in parts]).numpy()


def check(given: Sequence[Passage], states: Sequence[Tensor], of: Sequence[int]) -> Any:
    """Print how good a head is that has seen nothing of an author, for each in turn; return the probabilities."""
    shares = np.zeros((len(given), len(CLASSES)))
    for author in sorted({one.author for one in given}):
        left = [place for place, one in enumerate(given) if one.author == author]
        rest = [place for place, one in enumerate(given) if one.author != author]
        model = trained([states[place] for place in rest], [of[place] for place in rest])
        shares[left] = predicted(model, [states[place] for place in left])
        _said(author, shares[left], np.array(of)[left])
    _said("all", shares, np.array(of))
    return shares


def _said(name: str, shares: Any, of: Any) -> None:
    best, sure = shares.argmax(1), shares.max(1)
    print(f"left out {name}: {(best == of).sum()} of {len(of)} right, {wilson(int((best == of).sum()), len(of))}")
    for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        marked = (sure >= least) & (best < len(FOUND))
        right, there = int((marked & (best == of)).sum()), int((of < len(FOUND)).sum())
        print(f"  from {least}: {right} of {marked.sum()} marks right, {right} of {there} passages found")


def main() -> None:
    from safetensors.numpy import save

    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--check", action="store_true")
    torch.set_num_threads(1)
    given = passages()
    states = states_of([neutral(one.text.strip(" ,;:—–()")) for one in given])
    of = [CLASSES.index(one.label) for one in given]
    if asked.parse_args().check:
        check(given, states, of)
        return
    content = save(trained(states, of).weights())
    (HERE / FILE).write_bytes(content)
    print(f"{len(given)} passages; SHA-256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
