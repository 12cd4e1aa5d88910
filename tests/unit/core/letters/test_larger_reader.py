"""The larger reader of passages: when it reads, what it changes, what is said where it cannot. No model is loaded."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import biasprint.core.letters.passages as passages
import biasprint.core.scorers.passages as heads
from biasprint.core.cache import BatchCache
from biasprint.core.errors import AppError
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import LARGER_READER, Reading
from biasprint.core.scorers.passages import CLASSES
from training.files import MODELS

LETTER = "Jane Doe worked for me. She sat up all night with a homesick first-year. The office is open until five."
SAT = "She sat up all night with a homesick first-year"
Reads = Callable[[float, float], list[str]]


def reader_of(sure: float, asked: list[str]) -> Callable[[Sequence[str]], Iterator[tuple[float, ...]]]:
    """A reader that takes the night for warmth with this probability, and all else for neutral."""

    def probabilities(clauses: Sequence[str]) -> Iterator[tuple[float, ...]]:
        for clause in clauses:
            asked.append(clause)
            warm = sure if "homesick" in clause else 0.0
            yield tuple(warm if name == "communal" else float(name == "neutral") * (1 - warm) for name in CLASSES)

    return probabilities


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """Both readers, sure of the night's warmth to these degrees; gives the clauses that the larger one was asked."""

    def prepare(small: float, larger: float) -> list[str]:
        asked: list[str] = []
        for module, name, sure, seen in (
            (passages, "probabilities", small, []),
            (heads, "mpnet_probabilities", larger, asked),
        ):
            monkeypatch.setattr(module, name, reader_of(sure, seen))
        for name in ("_known", "_known_larger"):
            monkeypatch.setattr(passages, name, BatchCache[str, tuple[float, ...]](100))
        monkeypatch.setattr(heads, "readiness", lambda: (True, ""))
        return asked

    return prepare


def read() -> Reading:
    return read_letter(read_pasted(LETTER), ReadingRequest({"agency": "agency_minilm"}))


def marked(reading: Reading) -> list[str]:
    return [mark.words for mark in reading.marks if mark.passage]


def test_both_readers_together_decide_and_the_reading_says_so(reads: Reads) -> None:
    reads(0.4, 0.9)
    reading = read()
    assert marked(reading) == [SAT]
    assert "Passages were read by MiniLM and all-mpnet-base-v2." in reading.said_of_marks
    assert heads.MPNET_WEIGHTS_SHA256[:12] in reading.versions[LARGER_READER]
    reads(0.7, 0.0)
    assert marked(read()) == []


def test_the_larger_reader_is_asked_only_for_sentences_that_the_first_holds_possible(reads: Reads) -> None:
    asked = reads(0.3, 0.9)
    read()
    assert len(asked) == 1
    assert "homesick" in asked[0]
    assert not any("Jane" in clause or "She" in clause for clause in asked)
    asked = reads(0.1, 0.9)
    read()
    assert not asked


def test_without_the_larger_model_nothing_is_said_of_it(reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = reads(0.7, 0.9)
    monkeypatch.setattr(heads, "readiness", lambda: (False, ""))
    reading = read()
    assert marked(reading) == [SAT]
    assert "MiniLM" not in reading.said_of_marks
    assert LARGER_READER not in reading.versions
    assert not asked


def test_a_person_can_have_minilm_read_alone(reads: Reads) -> None:
    asked = reads(0.7, 0.9)
    request = ReadingRequest({"agency": "agency_minilm"}, larger=False)
    reading = read_letter(read_pasted(LETTER), request)
    assert marked(reading) == [SAT]
    assert LARGER_READER not in reading.versions
    assert not asked


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A place for heads, with the larger model on this computer as far as anybody can see."""
    monkeypatch.setattr(heads, "files", lambda _: tmp_path)
    monkeypatch.setattr(heads, "installed", lambda: object())
    heads._weights.cache_clear()
    (tmp_path / "passages").mkdir()
    return tmp_path / "passages" / heads.MPNET_FILE


def test_a_damaged_head_is_told_in_one_sentence_and_the_smaller_reader_goes_on(
    reads: Reads, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readiness = heads.readiness
    reads(0.7, 0.9)
    monkeypatch.setattr(heads, "readiness", readiness)
    here.write_bytes((MODELS / "passages" / heads.MPNET_FILE).read_bytes()[:-1])
    reading = read()
    assert marked(reading) == [SAT]
    said = "The weights of the larger passages head are not the program's own, so they were not loaded."
    assert f"Passages were read by MiniLM alone: {said}" in reading.said_of_marks
    assert LARGER_READER not in reading.versions


def test_a_model_that_cannot_be_read_is_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise AppError("The model in “mpnet” cannot be read.")

    here.write_bytes((MODELS / "passages" / heads.MPNET_FILE).read_bytes())
    monkeypatch.setattr(heads, "larger_encoder", broken)
    assert heads.readiness() == (False, "The model in “mpnet” cannot be read.")
