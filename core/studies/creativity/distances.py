"""Outputs as the representative measures need them: for one axis, distances per task and theme and identity."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from core.errors import AppError
from core.metrics.representative import cosine_distance
from core.metrics.result import Floats

# Task, theme, temperature, sample.
PromptKey: TypeAlias = tuple[str, str, str, int]


@dataclass(frozen=True)
class OutputTable:
    """One value per output in every column. `sample` i of an identity pairs with sample i of the default output.

    `temperature`: what the output was sampled at, as written; outputs of one temperature pair with each other.
    `perceptibility`: what people said of it; `text`: for what is suggested to them (see perceptibility.py).
    """

    task: tuple[str, ...]
    theme: tuple[str, ...]
    identity: tuple[str, ...]
    sample: tuple[int, ...] = ()
    model: tuple[str, ...] = ()
    temperature: tuple[str, ...] = ()
    perceptibility: tuple[str, ...] = ()
    text: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        columns: list[tuple[object, ...]] = [self.theme, self.identity]
        left_out_or = (self.sample, self.model, self.temperature, self.perceptibility, self.text)
        columns += [column for column in left_out_or if column]
        if any(len(column) != len(self) for column in columns):
            raise AppError("The columns of the outputs are not equally long.", hint="Give one value for every output.")

    def __len__(self) -> int:
        return len(self.task)

    def model_of(self, row: int) -> str:
        return self.model[row] if self.model else ""

    def prompt_of(self, row: int) -> "PromptKey":
        temperature = self.temperature[row] if self.temperature else ""
        return self.task[row], self.theme[row], temperature, self.sample[row] if self.sample else 0


@dataclass(frozen=True)
class AxisDistances:
    """`distances`: float[complete tasks and themes, identities], means over samples. `outputs`: of the axis, all.

    `blocks`: the task and theme of every row. `used`: outputs of each identity that are in the distances. `baseline`:
    mean distance between two default outputs of one prompt; None where there is only one. `dims`: what the outputs
    were narrowed to, besides axis and model.
    """

    axis: str
    model: str
    identities: tuple[str, ...]
    distances: Floats
    blocks: tuple[tuple[str, str], ...]
    outputs: int
    used: int
    baseline: float | None
    dims: Mapping[str, str] = field(default_factory=dict)

    @property
    def dropped(self) -> dict[str, int]:
        left_out = self.outputs - self.used * len(self.identities)
        return {"task and theme without every identity and the default": left_out} if left_out else {}


def usable_rows(table: OutputTable, embeddings: Floats, measured: set[str]) -> tuple[list[int], Counter[str]]:
    """The rows with a vector, of an identity that is measured, the first of each (model, prompt, identity, sample)."""
    if embeddings.ndim != 2 or len(embeddings) != len(table):
        raise AppError("There is not one vector for every output.", hint="Score the outputs with the embedding scorer.")
    lengths = np.linalg.norm(embeddings, axis=1)
    rows: list[int] = []
    dropped: Counter[str] = Counter()
    seen = set()
    for row in range(len(table)):
        key = (table.model_of(row), table.prompt_of(row), table.identity[row])
        if table.identity[row] not in measured:
            dropped["identity not measured"] += 1
        elif not (np.isfinite(lengths[row]) and lengths[row] > 0):
            dropped["no embedding"] += 1
        elif key in seen:
            dropped["same prompt and sample twice"] += 1
        else:
            seen.add(key)
            rows.append(row)
    return rows, dropped


def distances_on(
    table: OutputTable,
    embeddings: Floats,
    rows: Sequence[int],
    default: str,
    axis: str,
    identities: Sequence[str],
    dims: Mapping[str, str] | None = None,
) -> AxisDistances:
    """Distances of one model's outputs on one axis, from complete blocks only. `rows`: that model's usable rows."""
    by_prompt: dict[PromptKey, dict[str, int]] = {}
    for row in rows:
        by_prompt.setdefault(table.prompt_of(row), {})[table.identity[row]] = row
    complete = {key: found for key, found in by_prompt.items() if all(name in found for name in (default, *identities))}
    reference = embeddings[[found[default] for found in complete.values()]]
    per_sample = np.empty((len(complete), len(identities)))
    for column, identity in enumerate(identities):
        of_identity = embeddings[[found[identity] for found in complete.values()]]
        per_sample[:, column] = cosine_distance(of_identity, reference)
    means = _mean_over_samples(per_sample, list(complete))
    return AxisDistances(
        axis=axis,
        model=table.model_of(rows[0]) if rows else "",
        identities=tuple(identities),
        distances=np.array([*means.values()]).reshape(-1, len(identities)),
        blocks=tuple(means),
        outputs=sum(identity in found for found in by_prompt.values() for identity in identities),
        used=len(complete),
        baseline=_baseline(embeddings, by_prompt, default),
        dims=dims or {},
    )


def _mean_over_samples(per_sample: Floats, prompts: Sequence[PromptKey]) -> dict[tuple[str, str], Floats]:
    """Task and theme → distances of the identities, means over samples and temperatures."""
    blocks: dict[tuple[str, str], list[int]] = {}
    for place, (task, theme, *_) in enumerate(prompts):
        blocks.setdefault((task, theme), []).append(place)
    return {block: per_sample[places].mean(axis=0) for block, places in blocks.items()}


def _baseline(embeddings: Floats, by_prompt: Mapping[PromptKey, Mapping[str, int]], default: str) -> float | None:
    samples: dict[tuple[str, str, str], list[int]] = {}
    for (task, theme, temperature, _), found in by_prompt.items():
        if default in found:
            samples.setdefault((task, theme, temperature), []).append(found[default])
    pairs = [places[:2] for places in samples.values() if len(places) > 1]
    if not pairs:
        return None
    one, other = np.array(pairs).T
    return float(cosine_distance(embeddings[one], embeddings[other]).mean())
