"""Two seeds of a generator are samples clustered within a prompt: our own measure of texts whose truth is known."""

from typing import Any

import numpy as np
import pytest
from inline_compute import Inline
from scipy.stats import ttest_rel

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.runs.measure.between import between, paired
from biasprint.core.studies.kit.plain_measuring import Prepared, taken
from biasprint.core.texts.generators import StudyGenerator

INLINE: Any = Inline()
PROMPTS, SEEDS = 20, 2
TRUTH = 4.0  # words that the first generator writes more


def mean_length(columns: dict[str, list[str]]) -> StudyResult:
    """A study as short as can be: how many words a text has."""
    lengths = [len(text.split()) for text in columns["text"]]
    mean = Finding("lengths.mean", "mean", "Mean length", (), sum(lengths) / len(lengths), "words", len(lengths))
    return StudyResult("lengths", len(lengths), {}, (mean,))


def take(args: tuple[Any, ...], places: Any) -> tuple[Any, ...]:
    return (taken(args[0], places),)


def lengths(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Words of the texts of two generators, shape (prompts, seeds): prompts vary, and what each makes of one does too,
    four times as much as its seeds."""
    prompts = rng.normal(60, 12, (PROMPTS, 1))
    sides = [
        prompts + more + rng.normal(0, 8, (PROMPTS, 1)) + rng.normal(0, 2, (PROMPTS, SEEDS)) for more in (TRUTH, 0.0)
    ]
    one, other = (np.rint(side).astype(int) for side in sides)
    return one, other


def difference(one: np.ndarray, other: np.ndarray) -> Finding:
    """As `measure --compare` has it, of texts with so many words."""
    keys = tuple(f"p{prompt}" for prompt in range(PROMPTS) for _ in range(SEEDS))

    def written(name: str, sizes: np.ndarray) -> tuple[StudyGenerator, Prepared]:
        texts = [" ".join(["word"] * int(size)) for size in sizes.ravel()]
        return StudyGenerator(name, "b", name), Prepared(mean_length, ({"text": texts},), take, keys, keys)

    pair = paired(written("long", one), written("short", other), 1)
    assert pair is not None
    (found,) = between(JobContext(), [pair], INLINE)
    return found


def test_with_two_seeds_it_is_the_paired_t_test_of_the_prompts_and_not_of_the_texts() -> None:
    one, other = lengths(np.random.default_rng(3))
    found = difference(one, other)
    known = ttest_rel(one.mean(axis=1), other.mean(axis=1))
    bounds = known.confidence_interval(0.95)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((bounds.low, bounds.high))
    assert found.p == pytest.approx(known.pvalue, rel=1e-6)
    assert (found.n, found.n_by_group) == (PROMPTS, {"long": PROMPTS * SEEDS, "short": PROMPTS * SEEDS})


@pytest.mark.soak
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng, studies = np.random.default_rng(4), 2_000
    held, as_independent = 0, 0
    for _ in range(studies):
        one, other = lengths(rng)
        found = difference(one, other)
        assert found.interval is not None
        held += found.interval.low <= TRUTH <= found.interval.high
        # Every text as a unit by itself, paired or not, which is what this is not.
        texts = ttest_rel(one.ravel(), other.ravel()).confidence_interval(0.95)
        as_independent += texts.low <= TRUTH <= texts.high
    assert 0.935 <= held / studies <= 0.965
    assert as_independent / studies < 0.88
