"""Damaged model files in a child process: each ends with a text or a sentence here, and the next call goes on."""

import math
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from trust.report import Figure

pytest.importorskip("gguf", reason="tiny models are written with the gguf package")
pytest.importorskip("llama_cpp", reason="llama_cpp is not installed")

from tiny_gguf import crash, outcome, patched, try_file, write_tiny, write_tiny_mamba

from biasprint.core.compute import ComputeCrashed, ComputeProcess
from biasprint.core.errors import AppError

MUTANTS = 60
EXTREMES = {
    "UINT32": [struct.pack("<I", value) for value in (0, 1, 3, 7, 64, 1_000, 2**20, 2**31 - 1, 2**31, 2**32 - 1)],
    "FLOAT32": [struct.pack("<f", value) for value in (0.0, 1e-38, 1e38, -1.0, math.inf, math.nan)],
    "BOOL": [b"\0", b"\1"],
}
ENDINGS = ("stop", "length")


@pytest.fixture(scope="module")
def compute() -> Iterator[ComputeProcess]:
    process = ComputeProcess()
    yield process
    process.close()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("model") / "tiny.gguf")


def mutant(data: bytes, number: int) -> bytes:
    """Bits flipped, bytes overwritten, pieces cut out or doubled: half of them in the head, the others anywhere."""
    draw = random.Random(number)
    end = data.index(b"token_embd.weight") + 2_000 if number % 2 else len(data)
    changed = bytearray(data)
    for _ in range(draw.choice([1, 1, 4, 30])):
        at = draw.randrange(min(end, len(changed)))
        kind = draw.randrange(4)
        if kind == 0:
            changed[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            changed[at : at + 8] = draw.randbytes(8)
        elif kind == 2:
            del changed[at : at + draw.randrange(1, 64)]
        else:
            changed[at:at] = changed[at : at + draw.randrange(1, 64)]
    return bytes(changed)


def test_mutants_end_in_a_text_or_a_sentence(
    compute: ComputeProcess, model: Path, tmp_path: Path, figure: Figure
) -> None:
    data = model.read_bytes()
    refused = 0
    for number in range(MUTANTS):
        path = tmp_path / f"mutant-{number}.gguf"
        path.write_bytes(mutant(data, number))
        answer = outcome(compute, path)
        if isinstance(answer, AppError):
            refused += 1
            assert answer.message.endswith(".")
            assert answer.hint
            assert "not foreseen" not in answer.message, answer.details
        else:
            assert answer in ENDINGS or answer.endswith("."), answer
    assert refused > MUTANTS / 3
    figure(f"{MUTANTS} damaged GGUF files, {refused} refused in a sentence, the others gave a text")
    assert outcome(compute, model) in ENDINGS  # whatever happened before


@pytest.mark.parametrize(
    ("write", "every"),
    [
        (write_tiny, 3),
        pytest.param(write_tiny, 1, marks=pytest.mark.soak),
        pytest.param(write_tiny_mamba, 1, marks=pytest.mark.soak),
    ],
)
def test_numbers_of_the_head_at_their_extremes_crash_nothing(
    compute: ComputeProcess, tmp_path: Path, write: Callable[[Path], Path], every: int
) -> None:
    """None of these reaches native code that dies of it: the child is the same one all along."""
    import gguf

    model = write(tmp_path / "good.gguf")
    data = model.read_bytes()
    assert outcome(compute, model) in ENDINGS
    child, extremes = compute.pid, []
    for key, field in gguf.GGUFReader(model).fields.items():
        values = EXTREMES.get(field.types[0].name, []) if len(field.types) == 1 and "GGUF." not in key else []
        extremes += [(key, value) for value in values]
    assert len(extremes) > 80
    for key, value in extremes[::every]:
        path = tmp_path / "extreme.gguf"
        path.write_bytes(patched(data, key, value))
        answer = outcome(compute, path)
        assert isinstance(answer, AppError) or answer in ENDINGS or answer.endswith("."), (key, value, answer)
        assert compute.pid == child, (key, value)


def test_a_native_crash_ends_the_child_and_nothing_else(compute: ComputeProcess, model: Path) -> None:
    with pytest.raises(ComputeCrashed, match="stopped unexpectedly"):
        compute.call(crash, str(model))
    assert outcome(compute, model) in ENDINGS


def test_weights_that_are_no_numbers_are_noticed(compute: ComputeProcess, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "nan.gguf"
    path.write_bytes(model.read_bytes()[:-40_000] + b"\xff\xff\xff\x7f" * 10_000)
    answer = outcome(compute, path)
    assert isinstance(answer, AppError)
    assert "damaged" in answer.message or "cannot load" in answer.message


def test_an_architecture_that_the_library_does_not_know_is_a_sentence_with_its_log_as_details(
    compute: ComputeProcess, model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "unknown.gguf"
    path.write_bytes(model.read_bytes().replace(b"llama", b"lloma"))
    answer = outcome(compute, path)
    assert isinstance(answer, AppError)
    assert "llama.cpp cannot load the model file “unknown.gguf”." in answer.message
    assert "lloma" in answer.details


def test_nothing_of_the_library_goes_to_stdout_or_stderr(
    model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert try_file(str(model)) in ENDINGS
    path = tmp_path / "wrong.gguf"
    path.write_bytes(patched(model.read_bytes(), "llama.embedding_length", (64).to_bytes(4, "little")))
    with pytest.raises(AppError, match="cannot load") as refused:
        try_file(str(path))
    assert refused.value.details
    assert capfd.readouterr() == ("", "")
