"""The model process works in another folder: a relative path of a model is made whole on the way to it."""

from pathlib import Path

import pytest

from biasprint.core.runs.writing import whole_path


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("own.gguf", "large", "teaching"):
        (tmp_path / name).touch()
    return tmp_path


def test_a_model_in_the_current_folder_is_named_by_its_whole_path(work: Path) -> None:
    assert whole_path("llama_cpp", "own.gguf") == str(work / "own.gguf")


@pytest.mark.parametrize(
    ("backend", "model"),
    [("llama_cpp", "teaching"), ("llama_cpp", "missing.gguf"), ("synthetic", "large"), ("openai_compatible", "large")],
)
def test_a_name_stays_a_name_whatever_the_files_there_are_called(backend: str, model: str) -> None:
    assert whole_path(backend, model) == model
