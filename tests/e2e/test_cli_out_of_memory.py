"""Children that run out of memory at any point: one sentence, what was finished stays, and the same command goes on."""

import json
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import compute_targets
import pytest
import warm_children
from cli_support import Answer, biasprint
from interrupted_jobs import end_children, generating, scoring
from trust.report import Figure

from biasprint.core.backends.llama_cpp.template import around
from biasprint.core.compute import process
from biasprint.core.errors import AppError
from biasprint.core.machine import child

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to its memory")

MEGABYTE = 1 << 20
START = child.start
LETTER = "Dear committee,\n\nI recommend Mary Brown. She is warm and led two projects.\n\nJohn Smith\n"
CHAT = (
    "{% for message in messages %}<{{ message.role }}>{{ message.content }}{% endfor %}"
    "{% for _ in range(200) %}a word or two {% endfor %}"
)
SENTENCES = (
    "There was not enough memory for this computation.", "There is not enough memory for",
    "The process for computing stopped unexpectedly (", "The process for computing could not start (",
    "takes more time or memory to read than a letter may, and was left.",
    "The chat template in the model file cannot be used: it takes more memory or time than a template may.",
    "llama.cpp cannot load the model file “",
)  # fmt: skip


@pytest.fixture(autouse=True)
def spawned() -> Iterator[None]:
    with warm_children.as_the_program_does():
        yield
        end_children()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], pytest.MonkeyPatch]]:
    """From now on each new child has so many bytes beside what it starts with; `undo` of what it returns ends that."""

    def hold(room: int) -> pytest.MonkeyPatch:
        end_children()
        patch = pytest.MonkeyPatch()
        for where in (process, child):
            patch.setattr(where, "start", partial(START, compute_targets.held, room))
        patches.append(patch)
        return patch

    patches: list[pytest.MonkeyPatch] = []
    yield hold
    for patch in patches:
        patch.undo()


Hold = Callable[[int], pytest.MonkeyPatch]


def rooms(count: int, seed: int, most: int) -> list[int]:
    """Bytes, as many small as large ones."""
    chance = random.Random(seed)
    return [int(MEGABYTE * most ** chance.random()) for _ in range(count)]


def starved(
    job: Callable[[], Answer],
    hold: Hold,
    sizes: list[int],
    check: Callable[[Answer], None],
    capfd: pytest.CaptureFixture[str],
) -> int:
    """Do the job with each of these rooms; in how many there was too little."""
    refused = 0
    for room in sizes:
        patch = hold(room)
        answer = job()
        patch.undo()
        end_children()
        refused += answer.code != 0
        assert answer.code in (0, 1), answer.err
        said = answer.err + capfd.readouterr().err
        assert "Traceback" not in said, f"{room / MEGABYTE:.0f} MB\n{said}"
        assert "not foreseen" not in said, f"{room / MEGABYTE:.0f} MB\n{said}"
        if answer.code:
            assert answer.out == ""
            assert any(sentence in answer.err for sentence in SENTENCES), f"{room / MEGABYTE:.0f} MB\n{answer.err}"
        check(answer)
    return refused


COUNTS = [pytest.param(2, id="two"), pytest.param(40, marks=[pytest.mark.soak, pytest.mark.timeout(3600)], id="forty")]


@pytest.mark.parametrize("count", COUNTS)
def test_scoring(
    study_file: Path, tmp_path: Path, held: Hold, count: int, capfd: pytest.CaptureFixture[str], figure: Figure
) -> None:
    scored = scoring(study_file, tmp_path)
    done = starved(scored.job, held, rooms(count, 1, 200), scored.check, capfd)
    figure(f"{done} of {count} times too little memory while texts were scored", count)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_generating(
    study_file: Path, tmp_path: Path, held: Hold, capfd: pytest.CaptureFixture[str], figure: Figure
) -> None:
    written = generating(study_file, tmp_path)
    done = starved(written.job, held, rooms(40, 2, 200), written.check, capfd)
    figure(f"{done} of 40 times too little memory while a model wrote", 40)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_loading_a_model_of_llama_cpp(
    study_file: Path, tmp_path: Path, held: Hold, capfd: pytest.CaptureFixture[str], figure: Figure
) -> None:
    pytest.importorskip("llama_cpp")
    from tiny_gguf import write_tiny

    model = write_tiny(tmp_path / "tiny.gguf")
    write = ("--study", "letters", "--backend", "llama_cpp", "--model", model, "--max-tokens", 4)

    def job() -> Answer:
        return biasprint("generate", study_file, *write, code=None)

    done = starved(job, held, rooms(40, 3, 2_000), lambda _: None, capfd)
    figure(f"{done} of 40 times too little memory while a model was loaded", 40)


@pytest.mark.parametrize("count", COUNTS)
def test_rendering_a_template(held: Hold, count: int, capfd: pytest.CaptureFixture[str], figure: Figure) -> None:
    rendered = around(CHAT, "", "")

    def job() -> Answer:
        try:
            return Answer(0, around(CHAT, "", "").after, "")
        except AppError as error:
            return Answer(1, "", str(error))

    def check(answer: Answer) -> None:
        assert answer.code == 1 or answer.out == rendered.after

    done = starved(job, held, rooms(count, 6, 100), check, capfd)
    figure(f"{done} of {count} times too little memory for a template", count)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_measuring(measured_file: Path, held: Hold, capfd: pytest.CaptureFixture[str], figure: Figure) -> None:
    findings = biasprint("measure", "letters", measured_file, "--json").out

    def job() -> Answer:
        return biasprint("measure", "letters", measured_file, "--json", code=None)

    def check(answer: Answer) -> None:
        assert answer.code == 1 or answer.out == findings

    done = starved(job, held, rooms(40, 4, 2_000), check, capfd)
    figure(f"{done} of 40 times too little memory while it was measured", 40)
    assert biasprint("measure", "letters", measured_file, "--json").out == findings


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_checking_a_letter(tmp_path: Path, held: Hold, capfd: pytest.CaptureFixture[str], figure: Figure) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text(LETTER, encoding="utf-8")
    reading = json.loads(biasprint("letter", letter, "--json").out)

    def job() -> Answer:
        return biasprint("letter", letter, "--json", code=None)

    def check(answer: Answer) -> None:
        assert answer.code == 1 or json.loads(answer.out) == reading

    done = starved(job, held, rooms(40, 5, 4_000), check, capfd)
    figure(f"{done} of 40 times too little memory while a letter was checked", 40)
