"""Simulated studies of one planted size and n: written, and measured as a project's are. In the compute process.

The texts are the synthetic author's. Beside what its dial plants, articles, cells of letters and texts differ by
themselves, as `resources/calibration.toml` says: a study whose units are all alike would flatter every interval.
Scorers are those that look words up: what is tried out is the statistics, and a model would change no test of them.
News and letters are drawn with replacement from so many that were written and scored once: these are the population.
"""

import zlib

import numpy as np

from biasprint.core.jobs import JobContext
from biasprint.core.runs.calibrate.tally import Seen, seen
from biasprint.core.scorers.registry import remembered_scores
from biasprint.core.studies.kit.planting import planting_of
from biasprint.core.studies.registry import studies


def simulated_studies(
    study: str, planted: str, n: int, seed: int, repeats: int, ctx: JobContext | None = None
) -> list[list[Seen]]:
    """What the findings by default of each of `repeats` studies say. A study depends on its number and the seed."""
    ctx = ctx or JobContext()
    known, asked, told = studies()[study], planting_of(study), []
    setting = zlib.crc32(f"{study} {planted}".encode())
    with remembered_scores():
        for repeat in range(repeats):
            ctx.check()
            rng = np.random.default_rng([seed, setting, n, repeat])
            told.append(seen(known.simulated(planted, n, asked, seed + setting, rng)))
            ctx.report(repeat + 1, repeats)
    return told
