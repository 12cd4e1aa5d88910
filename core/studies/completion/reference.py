"""The paper's figures beside ours: lines for reference, from resources/published/completion.toml."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from core.metrics.likelihood import CONDITIONAL
from core.metrics.ranks import kendall_tau

SOURCE = "Kamruzzaman et al. 2024"
# Positive, negative, neutral in the tables; τ wants them in order.
ASCENDING = [1, 2, 0]
INSTITUTION = (
    "The paper's institution rows are for Massachusetts; the replies that its authors released are nationwide and "
    "more, and do not give these rows."
)


def likelihood_line(label: str, dims: Mapping[str, str]) -> str:
    """What the paper prints for this likelihood, each model and its table; empty where it prints none."""
    return _line({model: (row[label], number) for model, number, row in _rows(dims) if label in row}, " %", dims)


def delta_line(label: str, dims: Mapping[str, str]) -> str:
    """The same for a Δ, made from the printed likelihoods."""
    chosen = label.removeprefix("delta_")
    pair = (f"P{chosen}L", f"N{chosen}L")
    differences = {model: (row[pair[0]] - row[pair[1]], number) for model, number, row in _rows(dims) if pair[0] in row}
    return _line(differences, " points", dims)


def tau_line(dims: Mapping[str, str]) -> str:
    """The paper's τ, which is printed for each direction over all domains, and that its own tables do not give it."""
    if "domain" in dims or "pronoun" in dims:
        return ""
    direction = dims["direction"]
    printed = {model: values[direction][0] for model, values in published()["tau"].items()}
    implied = {model: implied_tau(model, direction) for model in printed}
    return (
        f"Paper: {_joined({model: f'{value:.3f}' for model, value in printed.items()})} (Table 1). Reported as "
        "inconsistent: its Tables 4 and 7 with its numbers of items give "
        f"{_joined({model: f'{value:.3f}' for model, value in implied.items()})}."
    )


def irrelevant_line(dims: Mapping[str, str]) -> str:
    """How many replies the paper left out, over both directions; only beside findings over all domains."""
    if "domain" in dims or "pronoun" in dims:
        return ""
    counts = published()["irrelevant"]
    models = {model: str(count) for model, count in counts.items() if model != "items"}
    return f"Paper: {_joined(models)} of {counts['items']:,} in both directions together."


def implied_tau(model: str, direction: str) -> float:
    """τ-b of the counts that Tables 4 and 7 imply, each row weighing the paper's number of items, half of each kind."""
    table = np.zeros((2, 3))
    for domain, items in published()["items"][direction].items():
        row = next(row for name, _, row in _rows({"direction": direction, "domain": domain}) if name == model)
        table += items / 2 * np.array([row[label] for label in CONDITIONAL]).reshape(2, 3) / 100
    value = kendall_tau(np.rint(table[::-1, ASCENDING])).value
    assert value is not None
    return value


@cache
def published() -> Mapping[str, Any]:
    text = resources.files("resources").joinpath("published", "completion.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _by_cell() -> Mapping[tuple[str, str, str], list[tuple[str, int, dict[str, float]]]]:
    """Direction, domain and pronoun → each model's row with its table."""
    found: dict[tuple[str, str, str], list[tuple[str, int, dict[str, float]]]] = {}
    for table in published()["tables"]:
        for model, direction, domain, pronoun, *values in table["rows"]:
            row = dict(zip(table["labels"], values, strict=True))
            found.setdefault((direction, domain, pronoun), []).append((model, table["number"], row))
    return found


def _rows(dims: Mapping[str, str]) -> list[tuple[str, int, dict[str, float]]]:
    key = (dims["direction"], dims.get("domain", ""), dims.get("pronoun", ""))
    # A domain stands in Table 2 (base rates) and in Table 4 or 7 (conditional): those with all six come first.
    return sorted(_by_cell().get(key, []), key=lambda row: -len(row[2]))


def _line(values: Mapping[str, tuple[float, int]], unit: str, dims: Mapping[str, str]) -> str:
    if not values:
        return ""
    tables = sorted({number for _, number in values.values()})
    where = f"Table{'s' if len(tables) > 1 else ''} {' and '.join(str(number) for number in tables)}"
    models = _joined({model: f"{value:.2f}{unit}" for model, (value, _) in sorted(values.items())})
    note = f" {INSTITUTION}" if dims.get("domain") == "institution" else ""
    return f"Paper: {models} ({where}).{note}"


def _joined(values: Mapping[str, str]) -> str:
    return ", ".join(f"{model} {value}" for model, value in values.items())
