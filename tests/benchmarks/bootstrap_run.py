"""Bootstraps the mean difference of so many pairs in a process of its own; tells the time and the memory it took.

`PAIRS RESAMPLES`. With 0 resamples: the memory that the program and the pairs take alone.
"""

import sys
import time

import numpy as np
from children import peak_megabytes, tell

from biasprint.core.metrics.resampling import bootstrap_means


def main(pairs: int, resamples: int) -> None:
    rng = np.random.default_rng(1)
    differences = rng.normal(size=pairs) - rng.normal(size=pairs)
    began = time.process_time()
    if resamples:
        draws = bootstrap_means(differences, rng, resamples)[:, 0]
        low, high = np.quantile(draws, [0.025, 0.975])
        assert low < float(differences.mean()) < high
    tell({"seconds": time.process_time() - began, "peak": peak_megabytes()})


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
