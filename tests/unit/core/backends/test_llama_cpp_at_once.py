"""Several texts beside each other: each is what it would be alone, whatever comes before, beside and after it."""

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("gguf", reason="tiny models are written with the gguf package")
pytest.importorskip("llama_cpp", reason="llama_cpp is not installed")

from tiny_gguf import PROMPT, nothing, opened, request, write_tiny

from biasprint.core.backends.llama_cpp import native_model
from biasprint.core.backends.llama_cpp.native_model import SEQUENCES
from biasprint.core.backends.protocol import Completion, ConcurrentBackend, Request
from biasprint.core.errors import JobCancelled, UsageError

REQUESTS = [
    replace(request(f"Text {number}. {PROMPT}", seed=number), max_tokens=4 + 5 * (number % 5)) for number in range(23)
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("model") / "tiny.gguf")


def always() -> bool:
    return True


def many(model: Path, requests: list[Request], at_once: int) -> tuple[dict[int, Completion], dict[int, str]]:
    backend = opened(model, prefix_cache=False, at_once=at_once)
    assert isinstance(backend, ConcurrentBackend)
    done: dict[int, Completion] = {}
    said: dict[int, str] = {}

    def on_done(place: int, completion: Completion) -> None:
        assert place not in done
        done[place] = completion

    def on_text(place: int, piece: str) -> None:
        said[place] = said.get(place, "") + piece

    backend.generate_many(requests, on_done, on_text, nothing, always)
    backend.close()
    return done, said


@pytest.mark.parametrize("at_once", [2, SEQUENCES, 16, 64])
def test_each_text_is_what_it_is_alone(model: Path, at_once: int) -> None:
    alone, _ = many(model, REQUESTS, 1)
    beside, said = many(model, REQUESTS, at_once)
    assert set(beside) == set(alone) == set(range(len(REQUESTS)))
    for place, completion in alone.items():
        assert beside[place].text == completion.text == said.get(place, "")
        assert beside[place].finish_reason == completion.finish_reason
        assert beside[place].usage == completion.usage
        assert beside[place].seconds > 0


def test_stops_and_lengths_hold_beside_each_other(model: Path) -> None:
    whole = many(model, [replace(REQUESTS[0], max_tokens=30)], 1)[0][0].text
    stop = whole[6:8]
    done, _ = many(model, [replace(REQUESTS[0], stop=(stop,), max_tokens=30), replace(REQUESTS[1], max_tokens=0)], 4)
    assert (done[0].text, done[0].finish_reason) == (whole[: whole.index(stop)], "stop")
    assert (done[1].text, done[1].usage["completion"]) == ("", 0)


def test_a_prompt_that_is_too_long_fails_alone(model: Path) -> None:
    done, _ = many(model, [REQUESTS[0], replace(REQUESTS[1], prompt="long " * 5_000), REQUESTS[2]], 4)
    assert [done[place].failure for place in range(3)] == ["", "context", ""]


def test_paused_it_finishes_what_runs_and_begins_nothing(model: Path) -> None:
    backend = opened(model, at_once=4)
    done: list[int] = []
    backend.generate_many(REQUESTS, lambda place, _: done.append(place), lambda *_: None, nothing, lambda: not done)
    assert 1 <= len(done) <= 4
    left = [place for place in range(len(REQUESTS)) if place not in done]
    backend.generate_many([REQUESTS[place] for place in left], lambda *_: None, lambda *_: None, nothing, always)
    backend.close()


def test_cancelled_in_the_middle_it_can_write_again(model: Path) -> None:
    backend = opened(model, prefix_cache=False, at_once=4)
    checks = 0

    def cancel() -> None:
        nonlocal checks
        checks += 1
        if checks > 12:
            raise JobCancelled

    with pytest.raises(JobCancelled):
        backend.generate_many(REQUESTS, lambda *_: None, lambda *_: None, cancel, always)
    done: dict[int, Completion] = {}
    backend.generate_many(REQUESTS, done.__setitem__, lambda *_: None, nothing, always)
    backend.close()
    alone, _ = many(model, REQUESTS, 1)
    assert {place: each.text for place, each in done.items()} == {place: each.text for place, each in alone.items()}


def test_little_memory_means_fewer_beside_each_other(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = opened(model, at_once=16)
    backend.generate(request(max_tokens=1), nothing, nothing)
    monkeypatch.setattr(native_model, "free_bytes", lambda: 0)
    done: list[int] = []
    backend.generate_many(REQUESTS[:5], lambda place, _: done.append(place), lambda *_: None, nothing, always)
    backend.close()
    assert done == [0, 1, 2, 3, 4]


def test_it_is_recorded_only_where_it_is_asked_for_and_has_bounds(model: Path) -> None:
    plain, asked = opened(model), opened(model, at_once=4)
    assert "at_once" not in plain.describe().parameters
    assert asked.describe().parameters["at_once"] == 4
    for wrong in (0, 65, 1.5, True):
        with pytest.raises(UsageError, match="at_once"):
            opened(model, at_once=wrong)
