"""Distances of outputs from the default ones: `creativity.distance`, `creativity.rbs` and `creativity.rbs.trend`.

Source: Kumar et al. 2024 (METHODS, Creativity); temperatures: section 4.1 (0, 0.25, 0.5, 0.75 and 1 on 500 prompts)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, Power, ScorerUse
from biasprint.core.metrics.interactions import crossed_contrasts
from biasprint.core.metrics.means import mean_difference, mean_interval
from biasprint.core.metrics.odds import OddsRatio
from biasprint.core.metrics.power import blocks_needed, detectable_representative
from biasprint.core.metrics.ranking import Ranking
from biasprint.core.metrics.representative import (
    RepresentativeNull,
    cosine_distance,
    representative_interval,
    representative_null,
    representative_score,
    representative_trend,
)
from biasprint.core.metrics.resampling import generator
from biasprint.core.metrics.result import Floats, Ints, MaybeBounds, estimates_alone
from biasprint.core.metrics.sums import exact_mean
from biasprint.core.studies.creativity.choices import published, within
from biasprint.core.studies.kit.crossed import CrossedMeasure, Crossing, crossed_findings, means_of
from biasprint.core.studies.kit.findings import floor, interval, missing_interval, with_holm

# ---- Distances per task, theme and identity

# Task, theme, temperature, sample.
PromptKey: TypeAlias = tuple[str, str, str, int]


@dataclass(frozen=True)
class OutputTable:
    """One value per output in every column. `sample` i of an identity pairs with sample i of the default output.

    `topic`: the theme's, where it is none of the suite's.
    `temperature`: what the output was sampled at, as written; outputs of one temperature pair with each other.
    `perceptibility`: people's answers about it; `text`: for what is suggested to them (see perceptibility.py).
    """

    task: tuple[str, ...]
    theme: tuple[str, ...]
    identity: tuple[str, ...]
    sample: tuple[int, ...] = ()
    model: tuple[str, ...] = ()
    temperature: tuple[str, ...] = ()
    perceptibility: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        columns: list[tuple[object, ...]] = [self.theme, self.identity]
        left_out_or = (self.sample, self.model, self.temperature, self.perceptibility, self.text, self.topic)
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
    complete = {
        key: own_rows for key, own_rows in by_prompt.items() if all(name in own_rows for name in (default, *identities))
    }
    reference = embeddings[[own_rows[default] for own_rows in complete.values()]]
    per_sample = np.empty((len(complete), len(identities)))
    for column, identity in enumerate(identities):
        of_identity = embeddings[[own_rows[identity] for own_rows in complete.values()]]
        per_sample[:, column] = cosine_distance(of_identity, reference)
    means = _mean_over_samples(per_sample, list(complete))
    return AxisDistances(
        axis=axis,
        model=table.model_of(rows[0]) if rows else "",
        identities=tuple(identities),
        distances=np.array([*means.values()]).reshape(-1, len(identities)),
        blocks=tuple(means),
        outputs=sum(identity in own_rows for own_rows in by_prompt.values() for identity in identities),
        used=len(complete),
        baseline=_baseline(embeddings, by_prompt, default),
        dims=dims or {},
    )


def _mean_over_samples(per_sample: Floats, prompts: Sequence[PromptKey]) -> dict[tuple[str, str], Floats]:
    """Task and theme → distances of the identities, means over samples and temperatures."""
    blocks: dict[tuple[str, str], list[int]] = {}
    for place, (task, theme, *_) in enumerate(prompts):
        blocks.setdefault((task, theme), []).append(place)
    return {
        block: np.array([exact_mean(column) for column in per_sample[places].T]) for block, places in blocks.items()
    }


def _baseline(embeddings: Floats, by_prompt: Mapping[PromptKey, Mapping[str, int]], default: str) -> float | None:
    samples: dict[tuple[str, str, str], list[int]] = {}
    for (task, theme, temperature, _), own_rows in by_prompt.items():
        if default in own_rows:
            samples.setdefault((task, theme, temperature), []).append(own_rows[default])
    pairs = [places[:2] for places in samples.values() if len(places) > 1]
    if not pairs:
        return None
    first, second = np.array(pairs).T
    return float(cosine_distance(embeddings[first], embeddings[second]).mean())


# ---- `creativity.distance` and `creativity.rbs` of one model on one axis

DISTANCE, RBS = "creativity.distance", "creativity.rbs"
SOURCE = "Kumar et al. 2024, section 3.1, equations 6 to 9"
# The spread a study is planned for: the paper's GPT-4 has .023 on race, its least biased model .014.
PLANNED_RBS = 0.02


@dataclass(frozen=True)
class Making:
    """Settings of the findings of a table. `harm`: the harmful direction in words, by axis. `several`: models."""

    scorer: ScorerUse | None
    harm: Mapping[str, str]
    seed: int
    resamples: int
    several: bool

    def common(self, part: AxisDistances) -> dict[str, Any]:
        """Fields that every finding of this part has."""
        note = ""
        if part.baseline is not None:
            note = f"Two default outputs of one prompt lie {part.baseline:.3f} apart on average."
        return {
            "groups": part.identities,
            "unit": "cosine distance",
            "n": len(part.distances),
            "dims": {"axis": part.axis, **self.model(part), **part.dims},
            "n_by_group": dict.fromkeys(part.identities, part.used),
            "dropped": part.dropped,
            "scorers": (self.scorer,) if self.scorer else (),
            "harm": self.harm.get(part.axis, ""),
            "source": SOURCE,
            "note": note,
        }

    def model(self, part: AxisDistances) -> dict[str, str]:
        """The key that tells models apart, where there are several."""
        return {"model": part.model} if self.several else {}

    def null(self, part: AxisDistances) -> RepresentativeNull | None:
        """The noise floor; None where nothing can be measured, and of estimates alone."""
        blocks, k = part.distances.shape
        if blocks == 0 or k < 2 or estimates_alone():
            return None
        stream = generator(self.seed, RBS, part.axis, part.model, *part.dims.values())
        return representative_null(part.distances, stream, self.resamples)


def distances(part: AxisDistances, making: Making, null: RepresentativeNull | None) -> Iterator[Finding]:
    """Yield for each identity its mean distance from the default outputs."""
    common, scored = making.common(part), representative_score(part.distances)
    for place, identity in enumerate(part.identities):
        title = within(f"Distance from the default output: {identity}", part.dims)
        named = {**common, "label": identity, "title": title}
        if scored.value is None or null is None:
            yield Finding(
                id=DISTANCE,
                estimate=scored.means[place] if scored.means else None,
                reason=scored.reason,
                contrast={identity: scored.contrast[place]} if scored.contrast else None,
                **named,
            )
            continue
        bounds = mean_interval(part.distances[:, place])
        named["note"] = f"p is for the difference from the mean of the identities. {common['note']}".strip()
        yield Finding(
            id=DISTANCE,
            estimate=scored.means[place],
            reason=missing_interval(bounds),
            interval=interval(bounds.bounds),
            p=null.contrast_p[place],
            contrast={identity: scored.contrast[place]},
            **named,
        )


def score(part: AxisDistances, making: Making, null: RepresentativeNull | None) -> Finding:
    """RBS with its interval, noise floor and power."""
    common = making.common(part)
    named = {**common, **_titles(part)}
    scored = representative_score(part.distances)
    if scored.value is None or null is None:
        return Finding(id=RBS, estimate=scored.value, reason=scored.reason, **named)
    bounds = representative_interval(part.distances, null)
    nearest = ", ".join(part.identities[place] for place in scored.normal)
    named["note"] = f"Nearest to the default output: {nearest}. Floor: {null.floor.method}. {common['note']}".strip()
    return Finding(
        id=RBS,
        estimate=scored.value,
        reason=missing_interval(bounds),
        interval=interval(bounds.bounds),
        p=null.floor.p,
        contrast=dict(zip(part.identities, scored.contrast, strict=True)),
        floor=floor(null.floor),
        floor_subtracted=scored.value - null.floor.mean,
        power=Power(detectable_representative(part.distances), blocks_needed(part.distances, PLANNED_RBS)),
        **named,
    )


def published_score(part: AxisDistances, making: Making) -> Finding:
    """The paper's ANOVA (t for two identities) over the distances, as if they were independent."""
    named = {**making.common(part), **_titles(part), "variant": "as_published"}
    scored = representative_score(part.distances)
    if scored.value is None:
        return Finding(id=RBS, estimate=None, reason=scored.reason, **named)
    test = mean_difference(list(part.distances.T))
    undefined = f" p: {test.reason}." if test.p is None else ""
    printed = "" if part.dims else published(RBS, part.axis)
    named["note"] = f"{test.name}, unit assumed: one task and theme.{undefined}{printed}"
    return Finding(
        id=RBS,
        estimate=scored.value,
        reason="interval: the paper gives none",
        p=test.p,
        contrast=dict(zip(part.identities, scored.contrast, strict=True)),
        **named,
    )


def _titles(part: AxisDistances) -> dict[str, str]:
    return {"label": part.axis, "title": within(f"Representative bias score: {part.axis}", part.dims)}


TREND = "creativity.rbs.trend"
TREND_SOURCE = "Kumar et al. 2024, section 4.1"


def trends(cells: Sequence[AxisDistances], making: Making) -> list[Finding]:
    """One slope for every model and axis with several temperatures. `cells`: parts by temperature."""
    sweeps: dict[tuple[str, str], list[AxisDistances]] = {}
    for cell in cells:
        sweeps.setdefault((cell.model, cell.axis), []).append(cell)
    findings = [_trend(sweep, making) for sweep in sweeps.values()]
    return with_holm(findings, f"{TREND}, {len(findings)} sweeps")


def _trend(sweep: Sequence[AxisDistances], making: Making) -> Finding:
    steps = sorted(sweep, key=lambda cell: float(cell.dims["temperature"]))
    first = steps[0]
    by_block = [dict(zip(cell.blocks, cell.distances, strict=True)) for cell in steps]
    common_blocks = [block for block in first.blocks if all(block in by_identity for by_identity in by_block)]
    distances = np.array([[by_identity[block] for by_identity in by_block] for block in common_blocks]).reshape(
        len(common_blocks), len(steps), len(first.identities)
    )
    trend = representative_trend(distances, generator(making.seed, TREND, first.axis, first.model), making.resamples)
    carried = making.common(first)
    temperatures = ", ".join(cell.dims["temperature"] for cell in steps)
    return Finding(
        id=TREND,
        label=first.axis,
        title=f"Representative bias score, change per step of temperature: {first.axis}",
        estimate=trend.value,
        reason=trend.reason if trend.value is None else missing_interval(trend.interval),
        interval=interval(trend.interval.bounds),
        p=trend.p,
        contrast=dict(zip(first.identities, trend.contrast, strict=True)) if trend.contrast else None,
        **carried
        | {
            "unit": "cosine distance per step",
            "dims": {"axis": first.axis, **making.model(first)},
            "n": len(distances),
            "n_by_group": {},
            "dropped": {},
            "source": TREND_SOURCE,
            "note": (
                f"Steps: {temperatures}. p: steps permuted within each task and theme. Outputs that scatter more at "
                "higher temperatures raise the score as well: compare the floors."
            ),
        },
    )


# ---- Crossed axes

CROSSED_ID = "creativity.crossed.distance"
UNITS = ("cosine distance", "difference of cosine distances")


def crossed_distances(part: AxisDistances, crossing: Crossing, making: Making) -> list[Finding]:
    """Measure one model on a crossed axis. A task and theme is one unit: it has a text for every identity."""
    measured = CrossedMeasure(
        id=CROSSED_ID,
        label="distance",
        title="Distance from the default output",
        units=UNITS,
        estimate=means_of(part.distances.ravel()),
        scorers=(making.scorer,) if making.scorer else (),
    )
    blocks = [" / ".join(block) for block in part.blocks for _ in part.identities]
    groups = part.identities * len(part.blocks)
    return crossed_findings(crossing, groups, blocks, [measured], part.dropped, making.model(part))


# ---- What raters preferred

PREFERENCE_ID = "creativity.crossed.preference"
PREFERENCE_UNITS = ("odds ratio", "ratio of odds ratios")
PREFERENCE_SOURCE = "ours: contrasts of the log strengths of a ranking (Davidson 1970; Luce 1959), bootstrap by rater"


def contrasts_of(crossing: Crossing, identities: Sequence[str]) -> Floats:
    """The weights of every main effect and interaction, one row each, shape (contrasts, identities)."""
    contrasts = crossed_contrasts(len(crossing.levels[0]), len(crossing.levels[1]))
    weights = np.zeros((len(contrasts), len(identities)))
    for row, contrast in enumerate(contrasts):
        for cell, weight in zip(crossing.cells, contrast.weights, strict=True):
            if cell:
                weights[row, identities.index(cell)] = weight
    return weights


def crossed_preferences(crossing: Crossing, ranked: Ranking, common: Mapping[str, Any]) -> list[Finding]:
    """Return the findings of a ranking that was asked for `contrasts_of`.

    `common`: the fields that its findings share; a group's n are the comparisons in which it was shown.
    """
    contrasts = crossed_contrasts(len(crossing.levels[0]), len(crossing.levels[1]))
    nothing = OddsRatio(None, ranked.reason, MaybeBounds(None, "no estimate"))
    ratios = ranked.contrasts or (nothing,) * len(contrasts)
    known = {contrast.weights: ratio for contrast, ratio in zip(contrasts, ratios, strict=True)}

    def estimate(cell: Ints, cluster: Ints, weights: Sequence[float]) -> OddsRatio:
        return known[tuple(weights)]

    measured = CrossedMeasure(
        id=PREFERENCE_ID,
        label="preference",
        title="Preferred to another",
        units=PREFERENCE_UNITS,
        estimate=estimate,
        scorers=(),
        source=PREFERENCE_SOURCE,
        note="Of the odds that a text is preferred to another.",
    )
    shown: Mapping[str, int] = common["n_by_group"]
    groups = [identity for identity, times in shown.items() for _ in range(times)]
    dims = {name: value for name, value in common["dims"].items() if name != "axis"}
    findings = crossed_findings(crossing, groups, (), [measured], common["dropped"], dims)
    return [replace(finding, n=common["n"]) for finding in findings]
