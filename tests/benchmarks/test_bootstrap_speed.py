"""10,000 bootstrap resamples of 10,000 pairs take at most 3 s on one core and 500 MB; memory is linear in the input."""

import time
from collections.abc import Callable

import numpy as np
import pytest
from children import answer_of
from figures import at_most, figure, report, spread, title
from ratios import faster
from scipy import stats

from biasprint.core.metrics.resampling import bootstrap_means

pytestmark = pytest.mark.bench

PAIRS = 10_000
RESAMPLES = 10_000
RUNS = 3
PEER_RESAMPLES = 500


def per_resample(work: Callable[[], object], resamples: int) -> list[float]:
    """Seconds of processor time over all threads for one resample: what one core does, whoever else uses it."""
    seconds = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        seconds.append((time.process_time() - began) / resamples)
    return seconds


def test_speed_of_the_bootstrap() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=PAIRS)
    title(f"{RESAMPLES:,} bootstrap resamples of {PAIRS:,} pairs on one core")
    ours = spread([RESAMPLES * each for each in per_resample(lambda: bootstrap_means(values, rng), RESAMPLES)])

    def scipys() -> object:
        return stats.bootstrap(
            (values,), np.mean, n_resamples=PEER_RESAMPLES, method="percentile", batch=100, rng=rng, vectorized=True
        )

    peer = spread([RESAMPLES * each for each in per_resample(scipys, PEER_RESAMPLES)])
    figure("means of resamples", ours, "s")
    figure("scipy.stats.bootstrap, the same number", peer, "s")
    report(
        faster(
            f"{RESAMPLES:,} bootstrap resamples of {PAIRS:,} pairs", ours.values, "scipy.stats.bootstrap", peer.values
        )
    )
    at_most("time, median", ours.median, 3.0, "s")
    assert ours.median < 1.5 * peer.median


def test_memory_of_the_bootstrap() -> None:
    title("Memory of the bootstrap")
    alone, ordinary = (answer_of("bootstrap_run.py", PAIRS, resamples) for resamples in (0, RESAMPLES))
    figure("the program and the pairs alone", alone["peak"], "MB")
    at_most("peak", ordinary["peak"], 500, "MB")
    # Ten and a hundred times the pairs: what is added grows no faster than the input, and a chunk stays a chunk.
    more = {}
    for pairs in (100_000, 1_000_000):
        more[pairs] = answer_of("bootstrap_run.py", pairs, 200)["peak"]
        figure(f"peak with {pairs:,} pairs", more[pairs], "MB")
    # Each pair takes some float64 numbers; 32 of them are ample, an array of pairs × resamples would be 1.6 GB.
    at_most("added per added pair", (more[1_000_000] - more[100_000]) * 1024**2 / 900_000, 32 * 8, "bytes")
