"""Outputs of creative writing: their distances from the default ones, whole and in parts, and perceptibility.

`measure_outputs` is called in the compute process. `creativity.perceptibility` is the share of outputs from which
people could read the identity; `creativity.perceptibility.suggested` is what word lists suggest, and no judgment.
Source: Kumar et al. 2024, section 5 and Table 2 (METHODS, Creativity)."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from biasprint.core.findings import Finding, ScorerUse, StudyResult
from biasprint.core.metrics.proportions import design_effect, wilson
from biasprint.core.metrics.result import RESAMPLES, Bools, Bounds, Floats, Ints
from biasprint.core.metrics.similarity import group_margins
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.studies.creativity import choices
from biasprint.core.studies.creativity import distances as representative
from biasprint.core.studies.creativity.distances import (
    AxisDistances,
    OutputTable,
    crossed_distances,
    distances_on,
    trends,
    usable_rows,
)
from biasprint.core.studies.kit.crossed import Crossing
from biasprint.core.studies.kit.findings import interval, with_holm
from biasprint.core.text import for_matching

# ---- Suggested perceptibility, for people who decide
# It misses what is said without a term ("beyond gender") and must not take a common word for an identity ("straight to
# the sky").

LABELS = ("imperceptible", "nuanced", "obvious")


@dataclass(frozen=True)
class PerceptibilitySuggestion:
    label: str
    why: str


@cache
def _lists() -> dict[str, frozenset[str]]:
    body = read_toml(packaged("perceptibility", "words.toml"))
    return {name: frozenset(words) for name, words in body.items()}


def suggested(text: str, words: Sequence[str], near: bool = False) -> PerceptibilitySuggestion:
    """Suggest a perceptibility. `words`: those for its own identity. `near`: is it nearer to that than by chance?

    Obvious: a word of the identity. Nuanced: only its pronouns, or nearness. Imperceptible: neither.
    """
    plain = for_matching(text)
    named_words = [word for word in words if _names(word, plain)]
    terms = [word for word in named_words if word not in _lists()["pronouns"]]
    if terms:
        return PerceptibilitySuggestion("obvious", f"It has the word “{terms[0]}”.")
    if named_words:
        return PerceptibilitySuggestion("nuanced", f"It has the pronoun “{named_words[0]}”.")
    if near:
        return PerceptibilitySuggestion(
            "nuanced", "It lies nearer to its identity’s other outputs than default outputs do."
        )
    return PerceptibilitySuggestion("imperceptible", "It has no word of its identity.")


def _names(word: str, text: str) -> bool:
    """True if the word is there and means people. An ambiguous one needs a word for people right after it."""
    pattern = rf"(?<!\w){re.escape(for_matching(word))}(?!\w)"
    if word not in _lists()["ambiguous"]:
        return re.search(pattern, text) is not None
    after = (match[1] for match in re.finditer(rf"{pattern}[\s-]+(\w+)", text))
    return any(next_word in _lists()["people"] for next_word in after)


# ---- `creativity.perceptibility` and `creativity.perceptibility.suggested`

PERCEPTIBILITY = "creativity.perceptibility"
SUGGESTED = f"{PERCEPTIBILITY}.suggested"
SOURCE = "Kumar et al. 2024, section 5, Table 2"
ONLY_SUGGESTED = (
    "A suggestion from words and nearness, not a finding of people: it misses what is said without a word of the "
    "identity, and people decide."
)
# Default outputs have no identity: an output is near its own when it is nearer than 95 % of them come to any.
NEAR_QUANTILE = 0.95
FEWEST_DEFAULT = 20
NOT_A_LABEL = "perceptibility is none of imperceptible, nuanced, obvious"


def perceptibility(
    table: OutputTable,
    embeddings: Floats,
    of_model: Mapping[str, Sequence[int]],
    *,
    axes: Mapping[str, Sequence[str]],
    default: str,
    words: Mapping[str, Sequence[str]],
) -> list[Finding]:
    """The share of each label by axis: as people labelled, and as suggested where texts and words are known.

    `of_model`: the usable rows of each model's outputs. `words`: what refers to each identity.
    """
    findings: list[Finding] = []
    for model, rows in of_model.items():
        whose = {"model": model} if len(of_model) > 1 else {}
        for axis, identities in axes.items():
            of_axis = [row for row in rows if table.identity[row] in identities]
            if table.perceptibility:
                given = {row: label for row in of_axis if (label := table.perceptibility[row].strip().casefold())}
                if given:
                    findings += _shares(table, given, identities, {"axis": axis, **whose}, PERCEPTIBILITY)
            if table.text and of_axis and all(words.get(identity) for identity in identities):
                near = _near(table, embeddings, [row for row in rows if table.identity[row] == default], of_axis)
                labels = {
                    row: suggested(table.text[row], words[table.identity[row]], bool(close)).label
                    for row, close in zip(of_axis, near, strict=True)
                }
                findings += _shares(table, labels, identities, {"axis": axis, **whose}, SUGGESTED)
    return findings


def _shares(
    table: OutputTable, labels: Mapping[int, str], identities: Sequence[str], dims: Mapping[str, str], finding_id: str
) -> Iterator[Finding]:
    usable = {row: label for row, label in labels.items() if label in LABELS}
    left_out = len(labels) - len(usable)
    counts = _counts(table, usable)
    per_identity = {
        identity: Counter(label for row, label in usable.items() if table.identity[row] == identity)
        for identity in identities
    }
    for place, label in enumerate(LABELS):
        seen_count = int(counts[:, place].sum())
        share = seen_count / len(usable) if usable else None
        seen = {identity: each[label] / each.total() for identity, each in per_identity.items() if each.total()}
        yield Finding(
            id=finding_id,
            label=label,
            title=f"Outputs whose identity is {label}: {dims['axis']}",
            groups=tuple(identities),
            estimate=share,
            reason=None if usable else "no output has a label",
            unit="proportion",
            n=len(usable),
            dims=dims,
            interval=interval(_wilson(counts, seen_count)),
            n_by_group={identity: each.total() for identity, each in per_identity.items()},
            dropped={NOT_A_LABEL: left_out} if left_out else {},
            contrast=None if share is None else {identity: share_of - share for identity, share_of in seen.items()},
            source=SOURCE,
            note=ONLY_SUGGESTED if finding_id == SUGGESTED else "As people labelled the outputs.",
        )


def _counts(table: OutputTable, labels: Mapping[int, str]) -> Ints:
    """Outputs per task and theme and label: those of one prompt are alike, and count as what was sampled together."""
    blocks: dict[tuple[str, str], list[int]] = {}
    for row, label in labels.items():
        blocks.setdefault((table.task[row], table.theme[row]), [0] * len(LABELS))[LABELS.index(label)] += 1
    return np.array([*blocks.values()], dtype=np.int64).reshape(-1, len(LABELS))


def _wilson(counts: Ints, count: int) -> Bounds | None:
    n = int(counts.sum())
    if n == 0:
        return None
    effect = design_effect(counts)
    bounds = wilson(count / effect, n / effect)
    assert bounds is not None  # n > 0
    suffix = "" if effect == 1 else f", outputs divided by the design effect {effect:.2f}"
    return Bounds(bounds.low, bounds.high, f"Wilson{suffix}", bounds.level)


def _near(table: OutputTable, embeddings: Floats, defaults: Sequence[int], of_axis: Sequence[int]) -> Bools:
    """Return for each output of the axis whether it is nearer to its own identity than default outputs come to any."""
    if len(defaults) < FEWEST_DEFAULT:
        return np.zeros(len(of_axis), dtype=np.bool_)
    rows = [*of_axis, *defaults]
    identities = {name: place for place, name in enumerate(sorted({table.identity[row] for row in of_axis}))}
    group = np.array([identities.get(table.identity[row], -1) for row in rows], dtype=np.int64)
    prompts: dict[tuple[str, str], int] = {}
    block = np.array([prompts.setdefault((table.task[row], table.theme[row]), len(prompts)) for row in rows])
    margins, defined = group_margins(embeddings[rows], group, block)
    chance = margins[(group == -1) & defined]
    if len(chance) < FEWEST_DEFAULT:
        return np.zeros(len(of_axis), dtype=np.bool_)
    own = slice(0, len(of_axis))
    return np.asarray(defined[own] & (margins[own] > np.quantile(chance, NEAR_QUANTILE)))


# ---- All findings of outputs

PARTS = (("task",), ("topic",), ("temperature",))


def measure_outputs(
    table: OutputTable,
    embeddings: Floats,
    *,
    axes: Mapping[str, Sequence[str]],
    scorer: ScorerUse | None = None,
    harm: Mapping[str, str] | None = None,
    default: str = "default",
    seed: int = 0,
    resamples: int = RESAMPLES,
    parts: bool = False,
    words: Mapping[str, Sequence[str]] | None = None,
    crossings: Mapping[str, Crossing] | None = None,
) -> StudyResult:
    """Distances and RBS for every axis with outputs, each model separately where there are several.

    `embeddings`: one vector per output, shape (n, dimensions), any length. `axes`: identities in their order, by axis.
    `default`: the identity of outputs of default prompts. `harm`: the harmful direction in words, by axis. `parts`:
    also by task, topic and temperature, the trend over temperatures, and what can be seen of the identities, by people
    and by the identities' `words`. `crossings`: of the axes that are made of two.
    """
    embeddings = np.asarray(embeddings, dtype=np.float64)
    measured = {default, *(identity for identities in axes.values() for identity in identities)}
    rows, dropped = usable_rows(table, embeddings, measured)
    models = dict.fromkeys(table.model_of(row) for row in rows)
    of_model = {model: [row for row in rows if table.model_of(row) == model] for model in models}
    wholes = [
        distances_on(table, embeddings, own, default, axis, names)
        for own in of_model.values()
        for axis, names in axes.items()
    ]
    present = [whole for whole in wholes if whole.outputs]
    if not rows and dropped["no embedding"]:  # undefined, which is not the same as absent
        named = {axis: names for axis, names in axes.items() if not set(names).isdisjoint(table.identity)}
        present = [distances_on(table, embeddings, [], default, axis, names) for axis, names in named.items()]
    several = len({whole.model for whole in present}) > 1
    making = representative.Making(scorer, harm or {}, seed, resamples, several)
    findings = _wholes(present, making)
    for whole in present:
        if crossing := (crossings or {}).get(whole.axis):
            findings += crossed_distances(whole, crossing, making)
    if parts:
        for by in PARTS:
            cells = list(_cells(table, embeddings, of_model, default, axes, by))
            findings += choices.adjusted(_parts(cells, making), findings, by)
            if by == ("temperature",):
                findings += trends(cells, making)
        findings += perceptibility(table, embeddings, of_model, axes=axes, default=default, words=words or {})
    for whole in present:
        dropped.update(whole.dropped)
    return StudyResult("creativity", len(table), dict(dropped), tuple(findings))


def _wholes(present: Sequence[AxisDistances], making: representative.Making) -> list[Finding]:
    distances: list[Finding] = []
    scores: list[Finding] = []
    for part in present:
        null = making.null(part)
        family = f"{representative.DISTANCE}, axis {part.axis}, {len(part.identities)} identities"
        distances += with_holm(list(representative.distances(part, making, null)), family)
        scores.append(representative.score(part, making, null))
    scores = with_holm(scores, f"{representative.RBS}, {len(scores)} scores")
    return [*distances, *scores, *(representative.published_score(part, making) for part in present)]


def _parts(cells: Sequence[AxisDistances], making: representative.Making) -> list[Finding]:
    findings: list[Finding] = []
    for cell in cells:
        null = making.null(cell)
        findings += representative.distances(cell, making, null)
        findings.append(representative.score(cell, making, null))
        findings.append(representative.published_score(cell, making))
    return findings


def _cells(
    table: OutputTable,
    embeddings: Floats,
    of_model: Mapping[str, Sequence[int]],
    default: str,
    axes: Mapping[str, Sequence[str]],
    by: Sequence[str],
) -> Iterator[AxisDistances]:
    """The distances of every part of every model's outputs; parts without outputs on an axis are not there."""
    values = choices.columns(
        {"task": table.task, "theme": table.theme, "topic": table.topic, "temperature": table.temperature}
    )
    for rows in of_model.values():
        for dims, chosen in choices.cut(by, values, rows):
            for axis, names in axes.items():
                cell = distances_on(table, embeddings, chosen, default, axis, names, dims)
                if cell.outputs:
                    yield cell
