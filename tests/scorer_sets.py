"""The sets in docs/training on which stand-ins were chosen and measured, and how both are done."""

import csv
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.runs.measure import measure_tables
from biasprint.core.scorers import registry
from biasprint.core.studies.kit.declared import MeasureOptions
from training.files import MODELS, TRAINING, read_rows

OURS = {
    "formality_f": "biasprint.core.scorers.parts_of_speech:FormalityF",
    "positivity_lexicon": "biasprint.core.scorers.plain:PositivityLexicon",
    "toxicity_profanity": "biasprint.core.scorers.toxicity_profanity:ToxicityProfanity",
    "entailment_minilm": "biasprint.core.scorers.entailment_minilm:EntailmentMiniLM",
}

DEVELOPMENT, LINES, HELD_OUT = "development", "lines", "held-out"


def rows(role: str, part: str, name: str = "sentences") -> list[dict[str, str]]:
    return [row for row in read_rows(TRAINING / role / f"{name}.csv") if row["part"] == part]


def values(score: Callable[[str], float], of: Sequence[dict[str, str]]) -> np.ndarray:
    return np.array([score(row["text"]) for row in of])


def are(label: str, of: Sequence[dict[str, str]]) -> np.ndarray:
    return np.array([row["label"] == label for row in of])


def best_threshold(found: np.ndarray, wanted: np.ndarray) -> float:
    """The middle of the widest range of thresholds with the highest accuracy; “wanted” lies above."""
    edges = np.unique(found)
    middles = (edges[1:] + edges[:-1]) / 2
    right = np.array([np.mean((found > middle) == wanted) for middle in middles])
    best = np.flatnonzero(right == right.max())
    return float(middles[best[np.argmax(np.diff(edges)[best])]])


def fitted_slope(found: np.ndarray, wanted: np.ndarray, threshold: float) -> float:
    """The slope of 1 / (1 + exp(−slope (value − threshold))) of the highest likelihood."""
    from scipy.optimize import minimize_scalar

    signed = np.where(wanted, 1, -1) * (found - threshold)
    scale = 1 / np.std(found)
    return float(minimize_scalar(lambda slope: np.logaddexp(0, -slope * signed).sum(), bounds=(0, 50 * scale)).x)


def wilson(right: np.ndarray) -> tuple[float, float, float]:
    """Accuracy with its interval of 95 %, by a second library."""
    low, high = proportion_confint(int(right.sum()), len(right), method="wilson")
    return float(right.mean()), float(low), float(high)


def in_words(right: np.ndarray) -> str:
    """As cards say it: “0.84 (0.77 to 0.89), n = 122”."""
    return "{:.2f} ({:.2f} to {:.2f}), n = {}".format(*wilson(right), len(right))


def on_card(role: str, line: str) -> str:
    """What the card says after “line: ”."""
    card = (MODELS / role / "card.md").read_text(encoding="utf-8")
    found: Any = re.search(rf"^- {re.escape(line)}: (.*)$", card, re.MULTILINE)
    return found[1].rstrip(".") if found else f"the card has no line “{line}”"


def pairs(part: str) -> list[dict[str, str]]:
    """Pairs with their premise in full."""
    contexts = {row["context"]: row["text"] for row in rows("entailment", part, "contexts")}
    return [{**row, "premise": contexts[row["context"]]} for row in rows("entailment", part, "pairs")]


PENALTY = 0.1  # inverse strength: the lowest log loss, leaving out one context after the other, of .01 to 10


def fitted_weights(table: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Multinomial logistic regression on standardised features, as intercepts and coefficients of the raw ones."""
    from sklearn.linear_model import LogisticRegression

    centre, spread = table.mean(axis=0), table.std(axis=0)
    model = LogisticRegression(C=PENALTY, max_iter=10_000, tol=1e-8).fit((table - centre) / spread, wanted)
    coefficients = model.coef_ / spread
    return model.intercept_ - coefficients @ centre, coefficients


class _Inline:
    """Does in this process what the compute process does in its own."""

    def call(self, function: Any, *args: Any, ctx: JobContext | None = None, on_report: Any = None) -> Any:
        takes = function.__code__.co_varnames[: function.__code__.co_argcount + function.__code__.co_kwonlyargcount]
        return function(*args, **({"ctx": ctx or JobContext()} if "ctx" in takes else {}))


def study_findings(
    monkeypatch: Any, study: str, table: Path, made: Sequence[dict[str, str]], roles: Sequence[str]
) -> list[Finding]:
    """The findings of a study over rows that are written as a table, with the stand-ins among the scorers."""
    for name, place in OURS.items():
        monkeypatch.setitem(registry.OWN, name, (place, {}))
    registry.load.cache_clear()
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(made[0]))
        writer.writeheader()
        writer.writerows(made)
    options = MeasureOptions(scorers={name.split("_")[0]: name for name in OURS if name.split("_")[0] in roles})
    measured = measure_tables(JobContext(), [table], study, options, _Inline())  # type: ignore[arg-type]
    registry.load.cache_clear()
    return list(measured.result.findings)
