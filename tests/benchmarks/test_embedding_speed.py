"""How fast texts are embedded, crossing into the compute process included: a plain SentenceTransformer is the peer.

Every text is new: nothing here comes from a cache. The two take turns, so that other work on the machine hits both.
"""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import embedding_run
import numpy as np
import pytest
from figures import at_least, figure, spread, title
from letter_sentences import letter_sentences, letters
from ratios import Ratio, more

from biasprint.core.compute import ComputeProcess
from biasprint.core.scorers.registry import info_of, score_batch

pytestmark = pytest.mark.bench

ROUNDS = 5
TEXTS = {"sentences": 600, "letters": 60}
SCORERS = {"minilm_cut": ("MiniLM", 1), "mpnet": ("all-mpnet-base-v2", 6)}  # title, and how much slower it is, about
LEAST_SHARE = 0.95
HERE = str(Path(__file__).parent)


@pytest.fixture(scope="module")
def compute() -> Iterator[ComputeProcess]:
    """One process for both, so that niceness and threads are the same."""
    sys.path.insert(0, HERE)
    process = ComputeProcess()
    yield process
    process.close()
    sys.path.remove(HERE)


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("kind", TEXTS)
def test_embedding_reaches_a_plain_sentence_transformer(
    compute: ComputeProcess, kind: str, scorer: str, record: Callable[[Ratio], None]
) -> None:
    if info_of(scorer).unavailable:
        pytest.skip(f"{scorer} is not here: biasprint models get all-mpnet-base-v2")
    model, slower = SCORERS[scorer]
    count, shares, ours, peers = TEXTS[kind] // slower, [], [], []
    warm = ["a letter"] * 8
    compute.call(score_batch, scorer, warm)
    compute.call(embedding_run.encode, scorer, warm)
    for number in range(ROUNDS):
        texts = letters(count, number + 1) if kind == "letters" else new_sentences(count, number + 1)
        began = time.perf_counter()
        _, values = compute.call(score_batch, scorer, texts)
        ours.append(count / (time.perf_counter() - began))
        seconds, vectors = compute.call(embedding_run.encode, scorer, texts)
        peers.append(count / seconds)
        shares.append(ours[-1] / peers[-1])
        assert np.allclose([value.values for value in values], vectors, atol=1e-5)

    title(f"{model}, {count} {kind} at a time")
    figure("in the compute process, crossing included", spread(ours), "a second")
    figure("plain SentenceTransformer.encode there", spread(peers), "a second")
    told = f"{model}: {count} {kind} embedded, process crossing included, by the clock"
    record(more(told, ours, "SentenceTransformer.encode", peers, "texts a second", "within 1e-05"))
    at_least("share of the plain one, median of rounds", spread(shares).median, LEAST_SHARE, "")


def new_sentences(count: int, seed: int) -> list[str]:
    return [sentence for _, sentence in letter_sentences(count, seed)]
