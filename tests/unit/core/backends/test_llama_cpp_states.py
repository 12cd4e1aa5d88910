"""Models that cannot go back in what they have read: slower, but with the same results."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("gguf", reason="tiny models are written with the gguf package")
pytest.importorskip("llama_cpp", reason="llama_cpp is not installed")

from tiny_gguf import PROMPT, nothing, opened, request, write_tiny_mamba

from biasprint.core.backends.llama_cpp.writer import LlamaCpp
from biasprint.core.errors import JobCancelled


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_mamba(tmp_path_factory.mktemp("model") / "mamba.gguf")


@pytest.fixture
def cached(model: Path) -> Iterator[LlamaCpp]:
    made = opened(model)
    yield made
    made.close()


@pytest.fixture
def bare(model: Path) -> Iterator[LlamaCpp]:
    made = opened(model, prefix_cache=False)
    yield made
    made.close()


def test_texts_are_the_same_with_the_cache_and_without(cached: LlamaCpp, bare: LlamaCpp) -> None:
    for seed in range(6):
        asked = request(f"{PROMPT} Number {seed % 2}.", seed=seed)
        fresh = bare.generate(asked, nothing, nothing)
        assert fresh.text
        assert cached.generate(asked, nothing, nothing).text == fresh.text
    assert cached.generate(asked, nothing, nothing).usage["cached"] == 0  # there is no way back


def test_likelihoods_are_those_of_evaluations_apart(cached: LlamaCpp, bare: LlamaCpp) -> None:
    options = [" is kind", " leads", "", " knows twelve people"]
    together = [one.logprob for one in cached.likelihood(PROMPT, options, nothing)]
    apart = [bare.likelihood(PROMPT, [option], nothing)[0].logprob for option in options]
    assert together == pytest.approx(apart, abs=1e-4)
    assert all(logprob < 0 for logprob in (*together[:2], together[3]))
    # P(ab | prompt) = P(a | prompt) · P(b | prompt, a)
    first = bare.likelihood(PROMPT, [" is"], nothing)[0].logprob
    second = bare.likelihood(f"{PROMPT} is", [" kind"], nothing)[0].logprob
    assert together[0] == pytest.approx(first + second, abs=1e-4)


def test_a_cancelled_text_leaves_nothing_behind(cached: LlamaCpp, bare: LlamaCpp) -> None:
    pieces: list[str] = []

    def check() -> None:
        if len(pieces) > 3:
            raise JobCancelled

    with pytest.raises(JobCancelled):
        cached.generate(request(), pieces.append, check)
    assert cached.generate(request(), nothing, nothing).text == bare.generate(request(), nothing, nothing).text
