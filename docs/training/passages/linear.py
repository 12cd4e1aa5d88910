"""Print how good linear heads on unchanged vectors are at passages: of MiniLM, of all-mpnet-base-v2, and of both.

    python -m training.passages.linear n+o              these authors left out, as in train.py (in docs)

A softmax regression on unit vectors, C chosen by hand; all-mpnet-base-v2 must be on this computer.
"""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from training.passages.material import passages
from training.passages.train import OfPassages
from training.passages.tuning import BASES, BATCH, layers_of, masked, padded

PENALTY = 10.0  # C; from 3 to 30 the authors that are left out fare alike


def vectors_of(task: OfPassages) -> Any:
    """Unit vectors of all texts, float32[texts, width]: the mean over the last layer's states."""
    model = task.base.load()
    layers = layers_of(model, task.kept).eval()
    found = []
    with torch.no_grad():
        for start in range(0, len(task.states), BATCH):
            states, there = padded(task.states[start : start + BATCH])
            for layer in layers:
                states = layer(states, src_mask=masked(model, there))
            mean = (states * there[..., None]).sum(1)
            found.append(torch.nn.functional.normalize(mean, dim=1).numpy())
    return np.concatenate(found)


def check(tasks: Sequence[OfPassages], authors: str) -> None:
    from sklearn.linear_model import LogisticRegression

    vectors = [vectors_of(task) for task in tasks]
    left = np.array([author in authors.split("+") for author in tasks[0].authors])
    for name, given in (*zip(BASES, vectors, strict=True), ("both", np.hstack(vectors))):
        head = LogisticRegression(C=PENALTY, max_iter=500).fit(given[~left], tasks[0].of[~left])
        shares = np.zeros((left.sum(), head.classes_.max() + 1))
        shares[:, head.classes_] = head.predict_proba(given[left])
        tasks[0].said(f"{authors}, linear on {name}", shares, np.flatnonzero(left))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("authors")
    torch.set_num_threads(1)
    given = passages()
    check([OfPassages(base, given) for base in BASES.values()], asked.parse_args().authors)


if __name__ == "__main__":
    main()
