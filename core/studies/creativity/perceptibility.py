"""What can be seen of the identities in the outputs: `creativity.perceptibility`, and what a program suggests.

Source: Kumar et al. 2024, section 5 and Table 2.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.findings import Finding
from core.metrics.embeddings import group_margins
from core.metrics.proportions import design_effect, wilson
from core.metrics.result import Bools, Bounds, Floats, Ints
from core.studies.creativity.distances import OutputTable
from core.studies.creativity.suggestion import LABELS, suggested
from core.studies.findings import interval

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
        found = int(counts[:, place].sum())
        share = found / len(usable) if usable else None
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
            interval=interval(_wilson(counts, found)),
            n_by_group={identity: each.total() for identity, each in per_identity.items()},
            dropped={NOT_A_LABEL: left_out} if left_out else {},
            contrast=None if share is None else {identity: one - share for identity, one in seen.items()},
            source=SOURCE,
            note=ONLY_SUGGESTED if finding_id == SUGGESTED else "As people labelled the outputs.",
        )


def _counts(table: OutputTable, labels: Mapping[int, str]) -> Ints:
    """Outputs per task and theme and label: those of one prompt are alike, and count as what was sampled together."""
    blocks: dict[tuple[str, str], list[int]] = {}
    for row, label in labels.items():
        blocks.setdefault((table.task[row], table.theme[row]), [0] * len(LABELS))[LABELS.index(label)] += 1
    return np.array([*blocks.values()], dtype=np.int64).reshape(-1, len(LABELS))


def _wilson(counts: Ints, found: int) -> Bounds | None:
    n = int(counts.sum())
    if n == 0:
        return None
    effect = design_effect(counts)
    bounds = wilson(found / effect, n / effect)
    assert bounds is not None  # n > 0
    suffix = "" if effect == 1 else f", outputs divided by the design effect {effect:.2f}"
    return Bounds(bounds.low, bounds.high, f"Wilson{suffix}", bounds.level)


def _near(table: OutputTable, embeddings: Floats, defaults: Sequence[int], of_axis: Sequence[int]) -> Bools:
    """For each output of the axis: is it nearer to its own identity than default outputs come to any?"""
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
