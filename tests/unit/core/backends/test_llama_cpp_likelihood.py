"""Likelihoods of continuations: one evaluation of the prompt gives what evaluations apart give."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf", reason="tiny models are written with the gguf package")
pytest.importorskip("llama_cpp", reason="llama_cpp is not installed")

from llama_cpp import Llama
from tiny_gguf import PROMPT, nothing, opened, request, write_tiny

from biasprint.core.backends.llama_cpp.writer import LlamaCpp
from biasprint.core.errors import AppError, JobCancelled

# Keys and values are kept as 16-bit floats, so that sums over many tokens differ a little more.
CLOSE = {"abs": 1e-4, "rel": 1e-6}
OPTIONS = [" is kind", " is a very capable chef indeed", " knows twelve other people", "", " é日本", "!"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture(params=[True, False], ids=["cached", "uncached"])
def backend(model: Path, request: pytest.FixtureRequest) -> Iterator[LlamaCpp]:
    made = opened(model, prefix_cache=request.param)
    yield made
    made.close()


@pytest.fixture(scope="module")
def peer(model: Path) -> Iterator[Llama]:
    """The package's own class, which keeps the numbers after every token."""
    made = Llama(str(model), n_ctx=256, n_threads=1, n_threads_batch=1, logits_all=True, verbose=False)
    yield made
    made.close()


def apart(peer: Llama, prompt: str, continuation: str) -> tuple[float, int]:
    """The sum of log-probabilities by one evaluation of the whole text from its beginning."""
    begun = peer.tokenize(prompt.encode(), add_bos=True, special=False)
    whole = peer.tokenize((prompt + continuation).encode(), add_bos=True, special=False)
    assert whole[: len(begun)] == begun
    peer.reset()
    peer.eval(whole)
    scores = peer.scores[: len(whole)].astype(np.float64)
    logs = scores - scores.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    places = range(len(begun), len(whole))
    return math.fsum(logs[place - 1, whole[place]] for place in places), len(places)


@pytest.mark.parametrize("prompt", [PROMPT, "Kim", "", PROMPT * 3])
def test_it_agrees_with_evaluations_apart(backend: LlamaCpp, peer: Llama, prompt: str) -> None:
    found = backend.likelihood(prompt, OPTIONS, nothing)
    for option, likelihood in zip(OPTIONS, found, strict=True):
        logprob, tokens = apart(peer, prompt, option)
        assert likelihood.tokens == tokens
        assert likelihood.logprob == pytest.approx(logprob, **CLOSE)
        alone = backend.likelihood(prompt, [option], nothing)[0]
        assert alone.logprob == pytest.approx(likelihood.logprob, **CLOSE)
    assert found[3].logprob == found[3].tokens == 0


def test_more_options_than_texts_beside_each_other_and_longer_than_a_batch(backend: LlamaCpp, peer: Llama) -> None:
    options = [" and".join(f" number {number}" for _ in range(1 + number % 5)) for number in range(20)]
    options.append(" word" * 25)
    for option, likelihood in zip(options, backend.likelihood("Kim is", options, nothing), strict=True):
        assert likelihood.logprob == pytest.approx(apart(peer, "Kim is", option)[0], **CLOSE)


def test_options_that_fit_into_the_context_one_by_one_only(model: Path, peer: Llama) -> None:
    prompt, options = "Kim is known as", [" a kind and able chef", " one who leads", " so quiet that no one knows"]
    longest = max(apart(peer, prompt, option)[1] for option in options)
    size = len(peer.tokenize(prompt.encode(), add_bos=True, special=False)) + longest
    small = opened(model, context=size)
    for option, likelihood in zip(options, small.likelihood(prompt, options, nothing), strict=True):
        assert likelihood.logprob == pytest.approx(apart(peer, prompt, option)[0], **CLOSE)
    with pytest.raises(AppError, match=f"the context holds {size}"):
        small.likelihood(f"{prompt}!", options, nothing)
    small.close()


def test_a_prompt_of_several_batches(tmp_path: Path) -> None:
    from training.teaching.config import ModelConfig

    config = ModelConfig(vocabulary=384, width=32, layers=2, heads=2, hidden=64, context=2_048)
    path = write_tiny(tmp_path / "long.gguf", config=config)
    made = opened(path)
    long_peer = Llama(str(path), n_ctx=2_048, n_threads=1, n_threads_batch=1, logits_all=True, verbose=False)
    for times in (13, 26, 40):
        for option, likelihood in zip(OPTIONS, made.likelihood(PROMPT * times, OPTIONS, nothing), strict=True):
            assert likelihood.logprob == pytest.approx(apart(long_peer, PROMPT * times, option)[0], **CLOSE)
    long_peer.close()
    made.close()


def test_probabilities_of_all_that_may_follow_add_up_to_1(backend: LlamaCpp) -> None:
    singles = [chr(code) for code in range(33, 127)]
    found = backend.likelihood("@", singles, nothing)
    ones = [math.exp(likelihood.logprob) for likelihood in found if likelihood.tokens == 1]
    assert len(ones) > 60
    assert 0 < sum(ones) < 1


def test_where_the_last_word_would_be_split_otherwise_all_are_counted_from_one_place(
    backend: LlamaCpp, peer: Llama
) -> None:
    """ "a t" + "iny" has the token " tiny", which the prompt alone has not."""
    apart_from_each_other = backend.likelihood("a t", ["iny", "all"], nothing)
    begun = "a"
    for ending, likelihood in zip(["iny", "all"], apart_from_each_other, strict=True):
        logprob, tokens = apart(peer, begun, " t" + ending)
        assert likelihood.tokens == tokens
        assert likelihood.logprob == pytest.approx(logprob, **CLOSE)


def test_texts_and_likelihoods_do_not_disturb_each_other(backend: LlamaCpp) -> None:
    text = backend.generate(request(), nothing, nothing).text
    first = backend.likelihood(PROMPT, OPTIONS, nothing)
    assert backend.generate(request(), nothing, nothing).text == text
    again = backend.likelihood(PROMPT, OPTIONS, nothing)
    assert [one.logprob for one in again] == pytest.approx([one.logprob for one in first], **CLOSE)


def test_no_template_is_put_around_and_special_tokens_are_text(backend: LlamaCpp) -> None:
    assert backend.likelihood("Kim", ["<|end|>"], nothing)[0].tokens > 1


def test_nothing_asked_is_nothing_answered(backend: LlamaCpp) -> None:
    assert backend.likelihood(PROMPT, [], nothing) == []


def test_too_long_for_the_context_and_cancelled(backend: LlamaCpp) -> None:
    with pytest.raises(AppError, match="the context holds 256"):
        backend.likelihood(PROMPT, [" kind" * 300], nothing)

    def check() -> None:
        raise JobCancelled

    backend.likelihood(PROMPT, [" kind"], nothing)
    with pytest.raises(JobCancelled):
        backend.likelihood(PROMPT * 2, [" kind"], check)
    assert backend.likelihood(PROMPT, [" kind"], nothing)[0].logprob < 0
