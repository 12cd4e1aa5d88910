"""Writing with llama.cpp: a tiny random model behaves as any backend must."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("gguf", reason="tiny models are written with the gguf package")
pytest.importorskip("llama_cpp", reason="llama_cpp is not installed")

from tiny_gguf import PROMPT, nothing, opened, request, write_tiny, written

from biasprint.core.backends.llama_cpp import native_model, writer
from biasprint.core.backends.llama_cpp.drawing import ends_sentence
from biasprint.core.backends.llama_cpp.options import LlamaOptions
from biasprint.core.backends.llama_cpp.writer import LlamaCpp
from biasprint.core.backends.protocol import Backend, LikelihoodBackend
from biasprint.core.errors import AppError, JobCancelled, UsageError

LONG = PROMPT * 4


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture
def backend(model: Path) -> Iterator[LlamaCpp]:
    made = opened(model, prefix_cache=False)
    yield made
    made.close()


def test_it_is_a_backend_and_says_what_it_is(model: Path, backend: LlamaCpp) -> None:
    assert isinstance(backend, Backend)
    assert isinstance(backend, LikelihoodBackend)
    info = backend.describe()
    assert (info.backend, info.model) == ("llama_cpp", "tiny.gguf")
    assert info.parameters == {
        "temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05, "repeat_penalty": 1.0, "max_tokens": 24,
        "context": 256, "prefix_cache": False, "chat_template": True, "gpu_layers": 0,
    }  # fmt: skip
    again = opened(model, **info.parameters)
    assert again.describe() == info
    again.close()


def test_the_same_seed_gives_the_same_text_and_another_one_another(model: Path, backend: LlamaCpp) -> None:
    first = backend.generate(request(), nothing, nothing)
    backend.generate(request("Something else.", seed=5), nothing, nothing)
    assert backend.generate(request(), nothing, nothing).text == first.text == written(model).text
    assert backend.generate(request(seed=2), nothing, nothing).text != first.text
    assert backend.generate(request(seed=2**40 + 1), nothing, nothing).text == first.text  # the lower 32 bits
    assert first.usage == {"prompt": first.usage["prompt"], "cached": 0, "completion": 24}
    assert first.finish_reason == "length"
    assert first.seconds > 0


def test_the_pieces_add_up_to_the_text_and_a_check_precedes_every_token(backend: LlamaCpp) -> None:
    events: list[str] = []
    completion = backend.generate(request(), events.append, lambda: events.append(""))
    assert "".join(events) == completion.text
    assert events.count("") >= 24
    assert events[0] == ""


def test_temperature_0_takes_the_most_likely_token_whatever_the_seed(backend: LlamaCpp) -> None:
    texts = {backend.generate(request(seed=seed, temperature=0.0), nothing, nothing).text for seed in range(4)}
    assert len(texts) == 1
    hot = {backend.generate(request(seed=seed, temperature=3.0), nothing, nothing).text for seed in range(4)}
    assert len(hot) == 4
    assert backend.generate(request(top_p=0.0001), nothing, nothing).text in texts  # leaves one token


ANSWERS = ("A", "B", "C")


def test_of_few_answers_the_likeliest_is_chosen_by_its_likelihood(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "MOSTLY", 0.0)  # a model of random weights rarely begins with one of them
    backend = opened(model, prefix_cache=False, chat_template=False, temperature=0.0)
    asked = replace(request(), temperature=None, answers=ANSWERS)
    done = backend.generate(asked, nothing, nothing)
    shares = done.detail["answers"]
    of_each = [likelihood.logprob for likelihood in backend.likelihood(asked.prompt, ANSWERS, nothing)]
    backend.close()
    assert [math.log(shares[answer]) for answer in ANSWERS] == pytest.approx(of_each, abs=0.05)
    assert (done.text, done.finish_reason) == (ANSWERS[of_each.index(max(of_each))], "stop")


def test_an_answer_that_the_model_would_not_give_is_not_put_into_its_mouth(model: Path) -> None:
    backend = opened(model, prefix_cache=False, temperature=0.0)
    free = backend.generate(replace(request(), temperature=None), nothing, nothing)
    asked = backend.generate(replace(request(), temperature=None, answers=ANSWERS), nothing, nothing)
    drawn = backend.generate(replace(request(), temperature=1.0, answers=ANSWERS), nothing, nothing)
    backend.close()
    assert (asked.text, "answers" in asked.detail) == (free.text, False)
    assert "answers" not in drawn.detail


def test_max_tokens_and_stop_strings_end_a_text(backend: LlamaCpp) -> None:
    whole = backend.generate(request(), nothing, nothing).text
    short = backend.generate(request(max_tokens=5), nothing, nothing)
    assert whole.startswith(short.text.rstrip("\ufffd"))
    assert (short.usage["completion"], short.finish_reason) == (5, "length")
    assert backend.generate(request(max_tokens=0), nothing, nothing).text == ""
    stop = whole[6:8]
    said: list[str] = []
    stopped = backend.generate(request(stop=("never in it", stop)), said.append, nothing)
    assert stopped.text == "".join(said) == whole[: whole.index(stop)]
    assert stopped.finish_reason == "stop"


def test_a_shortest_length_keeps_the_model_from_ending_its_text(model: Path) -> None:
    def lengths(**parameters: int) -> list[int]:
        backend = opened(model, max_tokens=200, top_k=0, min_p=0.0, **parameters)
        asked = (request(seed=seed, temperature=100.0, top_p=1.0) for seed in range(20))  # any token is as likely
        found = [backend.generate(one, nothing, nothing).usage["completion"] for one in asked]
        backend.close()
        return found

    earliest = min(lengths())
    bound = lengths(min_tokens=earliest + 1)
    assert earliest < min(bound) < 200  # afterwards it may end


def test_rounding_off_ends_a_long_text_with_a_sentence(model: Path) -> None:
    exact, rounded = opened(model, max_tokens=60), opened(model, max_tokens=60, round_off=50)
    shorter = 0
    for seed in range(40):
        asked = request(seed=seed, temperature=3.0)
        whole, text = exact.generate(asked, nothing, nothing), rounded.generate(asked, nothing, nothing)
        assert whole.text.startswith(text.text.rstrip("\ufffd"))
        if text.usage["completion"] < whole.usage["completion"]:
            shorter += 1
            assert ends_sentence(text.text)
            assert text.finish_reason == "length"  # it did not end by itself
            assert text.usage["completion"] > 10
    exact.close()
    rounded.close()
    assert shorter


@pytest.mark.parametrize("text", ["Yes.", "Why?", "She said: “No!”", "A line\n", "(It works.)"])
def test_a_sentence_ends_with_its_sign_or_its_line(text: str) -> None:
    assert ends_sentence(text)
    assert not ends_sentence(f"{text} And")


def test_stop_words_of_the_parameters_end_a_text(model: Path, backend: LlamaCpp) -> None:
    whole = backend.generate(request(), nothing, nothing).text
    stopped = written(model, stop=f"never in it|{whole[6:8]}", prefix_cache=False)
    assert stopped.text == whole[: whole.index(whole[6:8])]
    assert stopped.finish_reason == "stop"
    assert LlamaOptions(stop="Sincerely|\\nP.S.|").stops == ("Sincerely", "\nP.S.")


def test_the_repeat_penalty_looks_as_far_back_as_it_is_told(model: Path) -> None:
    def text(**parameters: float) -> str:
        return written(model, request(temperature=0.0), max_tokens=120, **parameters).text

    plain = text()
    assert text(repeat_penalty=1.5, penalty_window=0) == plain
    assert len({plain, text(repeat_penalty=1.5, penalty_window=4), text(repeat_penalty=1.5, penalty_window=120)}) == 3


def test_what_was_added_later_is_recorded_where_it_is_set(model: Path) -> None:
    backend = opened(model, min_tokens=3, system="Be kind.")
    assert {"min_tokens": 3, "system": "Be kind."}.items() <= backend.describe().parameters.items()
    assert not {"stop", "round_off", "penalty_window"} & set(backend.describe().parameters)


def test_a_system_message_stands_before_the_prompt(model: Path) -> None:
    plain, told = opened(model), opened(model, system="Write about rain.")
    asked = request(temperature=0.0)
    assert (
        told.generate(asked, nothing, nothing).usage["prompt"] > plain.generate(asked, nothing, nothing).usage["prompt"]
    )
    plain.close()
    told.close()
    with pytest.raises(UsageError, match="no system message"):
        opened(model, system="Write about rain.", chat_template=False)


def test_the_build_names_the_release_and_the_instructions(backend: LlamaCpp) -> None:
    from importlib.metadata import version

    release, _, used = backend.build.partition(": ")
    assert release == f"llama-cpp-python {version('llama_cpp_python')}"
    assert all(part.isupper() or part[0].isalpha() for part in used.split())


def test_the_models_own_end_of_text_is_a_stop_and_is_not_spelled(model: Path) -> None:
    backend = opened(model, max_tokens=200)
    ended = [backend.generate(request(seed=seed, temperature=3.0), nothing, nothing) for seed in range(80)]
    backend.close()
    stopped = [completion for completion in ended if completion.finish_reason == "stop"]
    assert stopped
    assert all("<|" not in completion.text for completion in ended)
    assert all(completion.usage["completion"] < 200 for completion in stopped)


def test_a_text_ends_with_the_context_and_a_prompt_beyond_it_fails_alone(model: Path) -> None:
    backend = opened(model, context=64, max_tokens=1_000)
    asked = request()
    completion = backend.generate(asked, nothing, nothing)
    assert completion.finish_reason == "length"
    assert completion.usage["prompt"] + completion.usage["completion"] == 64
    too_long = backend.generate(request(PROMPT * 3), nothing, nothing)
    assert (too_long.text, too_long.finish_reason, too_long.failure) == ("", "error", "context")
    assert too_long.error.endswith("tokens, and the context holds 64.")
    assert backend.generate(asked, nothing, nothing).finish_reason == "length"
    backend.close()


def test_a_tiny_context_and_an_empty_prompt_are_no_trouble(model: Path) -> None:
    for parameters in ({"context": 9}, {"chat_template": False}, {"context": 1}):
        completion = written(model, request(""), **parameters)
        assert completion.finish_reason == ("length" if completion.failure == "" else "error")


@pytest.mark.parametrize("watched", [False, True])
def test_a_cancel_stops_between_tokens_and_while_the_prompt_is_evaluated(
    model: Path, monkeypatch: pytest.MonkeyPatch, watched: bool
) -> None:
    monkeypatch.setattr(native_model, "_SECONDS_BETWEEN_CHECKS", 0.0)
    if watched:
        monkeypatch.setattr(native_model, "_WATCHED_FROM", 0)
    backend = opened(model, prefix_cache=False)
    backend.generate(request(), nothing, nothing)
    whole = backend.generate(request(LONG), nothing, nothing)

    def checks_until(most: int) -> tuple[int, list[str]]:
        pieces: list[str] = []
        checks = 0

        def check() -> None:
            nonlocal checks
            checks += 1
            if checks > most:
                raise JobCancelled

        with pytest.raises(JobCancelled):
            backend.generate(request(LONG), pieces.append, check)
        return checks, pieces

    assert checks_until(0) == (1, [])
    if watched:  # in the middle of a batch, from within native code
        assert checks_until(3) == (4, [])
    pieces = checks_until(60 if watched else 12)[1]
    assert whole.text.startswith("".join(pieces))
    assert backend.generate(request(LONG), nothing, nothing).text == whole.text
    backend.close()


def test_loading_can_be_cancelled(model: Path) -> None:
    backend = opened(model)

    def check() -> None:
        raise JobCancelled

    with pytest.raises(JobCancelled):
        backend.generate(request(), nothing, check)
    assert backend.generate(request(), nothing, nothing).text
    backend.close()
    backend.close()
    assert backend.generate(request(), nothing, nothing).text  # loaded again
    backend.close()


def test_the_shared_beginning_of_prompts_is_kept(model: Path) -> None:
    cached, bare = opened(model), opened(model, prefix_cache=False)
    same, most = 0, 0
    for seed in range(20):
        asked = request(f"{LONG} Number {seed % 5}.", seed=seed)
        kept, fresh = cached.generate(asked, nothing, nothing), bare.generate(asked, nothing, nothing)
        assert fresh.usage["cached"] == 0
        assert kept.usage["prompt"] == fresh.usage["prompt"] > 60
        if seed:
            assert kept.usage["cached"] > 0.8 * kept.usage["prompt"]
        same += kept.text == fresh.text
        most += 1
    assert same >= 0.9 * most  # sums are rounded in another order
    repeated = cached.generate(asked, nothing, nothing)
    assert repeated.usage["cached"] == repeated.usage["prompt"] - 1  # what follows the last token is worked out anew
    cached.close()
    bare.close()


def test_a_prompt_of_several_batches_is_evaluated_whole(tmp_path: Path) -> None:
    from training.teaching.config import ModelConfig

    config = ModelConfig(vocabulary=384, width=32, layers=2, heads=2, hidden=64, context=4_096)
    path = write_tiny(tmp_path / "long.gguf", config=config)
    checks: list[int] = []
    backend = opened(path)
    completion = backend.generate(request(PROMPT * 30, max_tokens=1), nothing, lambda: checks.append(1))
    assert completion.usage["prompt"] > 2 * native_model.BATCH
    other = written(path, request(PROMPT * 30, max_tokens=1, temperature=0.0))
    assert backend.generate(request(PROMPT * 30, max_tokens=1, temperature=0.0), nothing, nothing).text == other.text
    assert len(checks) >= 3
    backend.close()


def test_a_text_that_native_code_gives_up_is_a_completion_that_failed(
    backend: LlamaCpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = backend.generate(request(), nothing, nothing)
    lib = backend._load(nothing).native.lib
    decode, calls = lib.llama_decode, []

    def failing(*arguments: object) -> int:
        calls.append(1)
        return -3 if len(calls) > 8 else decode(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(lib, "llama_decode", failing)
        completion = backend.generate(request(), nothing, nothing)
    assert (completion.finish_reason, completion.failure) == ("error", "other")
    assert "could not go on" in completion.error
    assert whole.text.startswith(completion.text)
    assert completion.text
    assert backend.generate(request(), nothing, nothing).text == whole.text


def test_a_file_that_changed_since_it_was_opened_is_not_loaded(tmp_path: Path) -> None:
    path = write_tiny(tmp_path / "tiny.gguf")
    backend = opened(path)
    write_tiny(path, seed=2)
    with pytest.raises(AppError, match="has changed since"):
        backend.generate(request(), nothing, nothing)


def test_numbers_that_are_none_are_told(backend: LlamaCpp, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = backend._load(nothing)
    import numpy as np

    monkeypatch.setattr(loaded.native, "logits", lambda place: np.full(384, np.nan, dtype=np.float32))
    with pytest.raises(AppError, match="no numbers"):
        backend.generate(request(), nothing, nothing)
