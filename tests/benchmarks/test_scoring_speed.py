"""How long every stand-in takes for the sentences of the papers' letters: 60 seconds together on two cores."""

import time
from collections.abc import Iterator

import psutil
import pytest
from figures import at_most, figure, title
from letter_sentences import letter_sentences

from biasprint.core.compute import ComputeProcess
from biasprint.core.scorers.entailment import pair
from biasprint.core.scorers.registry import describe, score_batch

pytestmark = pytest.mark.bench

SENTENCES = 1928
SECONDS = 60.0
MOST = 0.75  # of the sentences have a value: one about nobody has none of regard


@pytest.fixture
def compute() -> Iterator[ComputeProcess]:
    process = ComputeProcess()
    yield process
    process.close()


def test_every_stand_in_scores_the_sentences_within_a_minute(compute: ComputeProcess) -> None:
    found = letter_sentences(SENTENCES, seed=3)
    stand_ins = [info for info in describe() if info.stand_in and not info.unavailable]
    assert len(stand_ins) >= 5
    title(f"{SENTENCES:,} sentences, loading and crossing included")
    whole = 0.0
    compute.call(score_batch, "lexicon", ["a letter"])  # the process is up
    child = psutil.Process(compute.pid)
    for info in stand_ins:
        texts = [pair(*each) if info.role == "entailment" else each[1] for each in found]
        began, before = time.perf_counter(), child.cpu_times()
        _, values = compute.call(score_batch, info.name, texts)
        seconds, after = time.perf_counter() - began, child.cpu_times()
        computing = after.user + after.system - before.user - before.system
        assert len(values) == SENTENCES
        assert sum(value.values.size > 0 for value in values) > MOST * SENTENCES
        figure(info.name, seconds, f"s, of the processors {computing:.1f} s")
        whole += seconds
    at_most("all together", whole, SECONDS, "s")
