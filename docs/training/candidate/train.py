"""Fit the weights that tell whom a letter is about: `python -m training.candidate.train` writes letters/candidate.toml.

`persons.csv` has a row for each person that one of the letters names, with the features of `core.swap.candidate`.
`kind`: a letter as it was written, or one whose candidate's name was taken out (`unnamed`), which teaches when to say
nothing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from biasprint.core.metrics.proportions import wilson
from training.files import ROOT, read_rows

PERSONS = Path(__file__).with_name("persons.csv")
TARGET = ROOT / "resources" / "letters" / "candidate.toml"
PENALTY = 0.6
UNNAMED = 0.25  # such letters are made by hand, and real ones seldom
TAKEN, LIKELY, SURE = 0.3, 0.6, 0.9
TOLD = ("author", "letter", "kind", "label")

Floats = NDArray[np.float64]


class Persons(NamedTuple):
    """Rows: persons. `features`: float64[n, k]; the other columns have n entries."""

    names: tuple[str, ...]
    features: Floats
    label: Floats
    weight: Floats
    author: NDArray[np.str_]
    letter: NDArray[np.str_]


def read_persons() -> Persons:
    rows = read_rows(PERSONS)
    names = tuple(name for name in rows[0] if name not in TOLD)
    return Persons(
        names,
        np.array([[float(row[name]) for name in names] for row in rows]),
        np.array([float(row["label"] == "candidate") for row in rows]),
        np.array([UNNAMED if row["kind"] == "unnamed" else 1.0 for row in rows]),
        np.array([row["author"] for row in rows]),
        np.array([row["letter"] + row["kind"] for row in rows]),
    )


def fit(features: Floats, label: Floats, weight: Floats) -> Floats:
    """Constant and weights of a logistic regression, all but the constant with a squared penalty."""
    rows = np.column_stack([np.ones(len(features)), features])

    def loss(given: Floats) -> tuple[float, Floats]:
        score = rows @ given
        each = np.logaddexp(0, -score) * label + np.logaddexp(0, score) * (1 - label)
        chance = 1 / (1 + np.exp(-score))
        slope = rows.T @ (weight * (chance - label)) + PENALTY * np.concatenate([[0], given[1:]])
        return float((weight * each).sum() + PENALTY / 2 * (given[1:] ** 2).sum()), slope

    return np.asarray(minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x)


def left_out(persons: Persons) -> dict[str, tuple[int, int, int]]:
    """Of letters whose author was left out: how many are right, name a wrong person, and how many there are."""
    found = {"named": [0, 0, 0], "without a name": [0, 0, 0]}
    for author in sorted(set(persons.author)):
        here = persons.author == author
        given = fit(persons.features[~here], persons.label[~here], persons.weight[~here])
        chance = 1 / (1 + np.exp(-(given[0] + persons.features @ given[1:])))
        for letter in sorted(set(persons.letter[here & (persons.weight == 1)])):
            places = np.flatnonzero(persons.letter == letter)
            best = places[np.argmax(chance[places])]
            said, has = chance[best] >= TAKEN, persons.label[places].any()
            counts = found["named" if has else "without a name"]
            counts[0] += bool(said and persons.label[best]) if has else not said
            counts[1] += bool(said and not persons.label[best])
            counts[2] += 1
    return {name: (right, wrong, n) for name, (right, wrong, n) in found.items()}


def written(names: Sequence[str], given: Floats) -> str:
    lines = [f"{name} = {value:.2f}" for name, value in zip(names, given[1:], strict=True)]
    return (
        "# Written by docs/training/candidate/train.py. "
        "A person's logit of being whom the letter is about is the constant\n"
        "# and the sum of weight · feature; below `taken_from` no name is said.\n"
        f"version = 1\nconstant = {given[0]:.2f}\ntaken_from = {TAKEN}\nlikely_from = {LIKELY}\nsure_from = {SURE}\n\n"
        "[features]\n" + "\n".join(lines) + "\n"
    )


def main() -> None:
    persons = read_persons()
    for name, (right, wrong, n) in left_out(persons).items():
        bounds = wilson(right, n)
        span = f" ({bounds.low:.2f} to {bounds.high:.2f})" if bounds is not None else ""
        print(f"{name}, each author left out: {right} of {n} right{span}, {wrong} name a wrong person")
    TARGET.write_text(written(persons.names, fit(persons.features, persons.label, persons.weight)), encoding="utf-8")


if __name__ == "__main__":
    main()
