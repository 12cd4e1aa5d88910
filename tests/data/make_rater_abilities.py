"""Makes rater_abilities.json: simulated answers with what girth and crowd-kit estimate from them.

    python -m venv peers && peers/bin/pip install girth==0.8.0 pandas scikit-learn tqdm attrs nltk
    peers/bin/pip install --no-deps crowd-kit==1.4.2
    peers/bin/python tests/data/make_rater_abilities.py

`known`: right (1) and wrong (0) answers, a line for each rater, and girth's one-parameter model by marginal likelihood
with raters as its items: difficulty and the common discrimination. `latent`: cards chosen, and the share that
crowd-kit's one-coin Dawid–Skene finds right of each rater. Each comparison is given to it a second time with the cards
exchanged, so that its estimate of how often each card is right is one half, as for cards that lie there by chance.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation.classification.dawid_skene import OneCoinDawidSkene
from girth import onepl_mml

SETS = 24
HERE = Path(__file__).parent


def known(seed: int) -> dict[str, object]:
    rng = np.random.default_rng([1, seed])
    raters, items = int(rng.integers(5, 13)), int(rng.integers(30, 80))
    while True:
        ability, spread = rng.normal(0.8, 0.7, raters), rng.uniform(0.5, 1.5)
        logit = ability[:, None] + spread * rng.normal(size=items)
        right = (rng.random((raters, items)) < 1 / (1 + np.exp(-logit))).astype(int)
        if right.sum(axis=1).min() > 0 and right.sum(axis=1).max() < items:
            break
    fit = onepl_mml(right, options={"quadrature_n": 121})
    return {
        "answers": ["".join(map(str, row)) for row in right.tolist()],
        "difficulty": [round(float(value), 6) for value in fit["Difficulty"]],
        "discrimination": round(float(np.mean(fit["Discrimination"])), 6),
    }


def latent(seed: int) -> dict[str, object]:
    rng = np.random.default_rng([2, seed])
    raters, items = int(rng.integers(4, 10)), int(rng.integers(40, 100))
    share = rng.uniform(0.55, 0.9, raters)
    truth = rng.integers(0, 2, items)
    given = np.where(rng.random((raters, items)) < share[:, None], truth, 1 - truth)
    lines = [
        (f"{item}{side}", rater, int(card) if side == "a" else 1 - int(card))
        for rater in range(raters)
        for item, card in enumerate(given[rater])
        for side in "ab"
    ]
    model = OneCoinDawidSkene(n_iter=400, tol=1e-12)
    model.fit(pd.DataFrame(lines, columns=["task", "worker", "label"]))
    return {
        "answers": ["".join(map(str, row)) for row in given.tolist()],
        "right": [round(float(model.skills_[rater]), 6) for rater in range(raters)],
    }


if __name__ == "__main__":
    made = {"known": [known(seed) for seed in range(SETS)], "latent": [latent(seed) for seed in range(SETS)]}
    (HERE / "rater_abilities.json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
