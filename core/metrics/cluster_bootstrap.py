"""The one-way cluster bootstrap: what was sampled together is resampled together."""

import numpy as np

from core.metrics.bootstrap import bootstrap_means
from core.metrics.result import RESAMPLES, Floats


def cluster_bootstrap_sums(per_cluster: Floats, rng: np.random.Generator, resamples: int = RESAMPLES) -> Floats:
    """Sums of `per_cluster` over as many clusters drawn with replacement: shape (resamples, c).

    `per_cluster`: sums (or counts) of each cluster's items, shape (clusters, c); ratios are made from the sums, so
    that larger clusters weigh more. ValueError for NaN or no clusters.
    """
    return bootstrap_means(per_cluster, rng, resamples) * len(per_cluster)
