"""A changed byte in whatever a scorer reads ends in one sentence, before anything is computed with it."""

import shutil
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

from biasprint.core.errors import AppError
from biasprint.core.letters import balance
from biasprint.core.machine.models import catalogue
from biasprint.core.scorers import (
    agency_minilm,
    bert,
    checked_files,
    passages,
    plain,
    segment,
    textblob_sentiment,
    toxicity_profanity,
)
from biasprint.core.scorers.embedding import read_weights

ROOT = Path(__file__).parents[4]
FITTED = tomllib.loads((ROOT / "models" / "weights.toml").read_text(encoding="utf-8"))
HEADS = {
    "agency/head.safetensors": agency_minilm.WEIGHTS_SHA256,
    "balance/head.safetensors": balance.WEIGHTS_SHA256,
    "passages/head.safetensors": passages.WEIGHTS_SHA256,
    "passages/larger.safetensors": passages.MPNET_WEIGHTS_SHA256,
    "passages/words.safetensors": passages.WORDS_SHA256,
}
NO_WEIGHTS = {"models/catalogue.toml", "models/weights.toml"}
IN_PACKAGES = {
    "textblob/en/en-sentiment.xml": ("textblob", textblob_sentiment.english.__wrapped__),
    "vaderSentiment/vader_lexicon.txt": ("vaderSentiment", plain._analyzer.__wrapped__),
    "spacy_lookups_data/data/en_lemma_lookup.json.gz": (
        "spacy-lookups-data",
        lambda: segment.lookups.__wrapped__("lemma_lookup"),
    ),
    "py3langid/data/model.npz.xz": ("py3langid", lambda: segment.language_of("Guten Tag")),
}


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def test_every_file_of_weights_that_comes_along_has_a_known_hash() -> None:
    known = {*FITTED, *(f"models/{name}" for name in HEADS), "models/teaching/teaching.gguf"} | NO_WEIGHTS
    kinds = {".safetensors", ".gguf", ".toml", ".json", ".npz", ".txt", ".bin"}
    files = {file.relative_to(ROOT).as_posix() for file in (ROOT / "models").rglob("*") if file.suffix in kinds}
    assert files <= known
    for name in FITTED:
        assert checked_files.fitted(*name.split("/"))
    teaching = next(entry for entry in catalogue.entries() if entry.name == "teaching")
    assert "teaching.gguf" in teaching.known_hashes()


@pytest.mark.parametrize("name", FITTED)
def test_a_changed_byte_in_what_was_fitted_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in (name, "models/weights.toml"):
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / each, tmp_path / each)
    monkeypatch.setattr(checked_files, "files", lambda package: tmp_path / package.removeprefix("biasprint."))
    assert checked_files.fitted(*name.split("/")) == (ROOT / name).read_bytes()
    windows = (ROOT / name).read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / name).write_bytes(windows)  # as git may check it out there
    assert checked_files.fitted(*name.split("/")) == windows
    flip(tmp_path / name)
    with pytest.raises(AppError, match=f"{name} is not the program's own, so it was not read"):
        checked_files.fitted(*name.split("/"))


@pytest.mark.parametrize("name", HEADS)
def test_a_changed_byte_in_a_head_is_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / "head.safetensors"
    shutil.copy(ROOT / "models" / name, file)
    assert read_weights(file, HEADS[name], "trained")
    flip(file)
    with pytest.raises(AppError, match="not the program's own, so they were not loaded"):
        read_weights(file, HEADS[name], "trained")


@pytest.mark.parametrize("name", IN_PACKAGES)
def test_a_changed_byte_in_a_packages_word_list_is_refused_before_it_is_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, load = IN_PACKAGES[name]
    installed = distribution(package)
    metadata = Path(str(installed.locate_file(""))) / f"{package.replace('-', '_')}-{installed.version}.dist-info"
    (tmp_path / metadata.name).mkdir()
    for each in ("METADATA", "RECORD"):
        shutil.copy(metadata / each, tmp_path / metadata.name)
    for row in (metadata / "RECORD").read_text(encoding="utf-8").splitlines():
        each = row.partition(",")[0]
        if Path(each).parent == Path(name).parent and not each.endswith((".py", ".pyc")):
            (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / each).symlink_to(str(installed.locate_file(each)))
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(whole)
    flip(tmp_path / name)
    monkeypatch.syspath_prepend(tmp_path)
    checked_files.require_unchanged.cache_clear()
    with pytest.raises(AppError, match=f"{name} of the package {package} is not as it was made, so it was not read"):
        load()
    (tmp_path / name).write_bytes(whole)
    checked_files.require_unchanged(package, name)
    checked_files.require_unchanged.cache_clear()


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_a_changed_byte_beside_the_embedders_weights_is_refused(name: str, tmp_path: Path) -> None:
    for each in bert.FILES:
        (tmp_path / each).symlink_to(bert._packaged() / each)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(content)
    flip(tmp_path / name)
    with pytest.raises(AppError, match="are not the official ones, so they were not loaded"):
        bert.checked_embedder(tmp_path)


@pytest.mark.parametrize("name", toxicity_profanity.FILES)
def test_a_changed_byte_in_the_profanity_classifier_is_refused(name: str, tmp_path: Path) -> None:
    for each in toxicity_profanity.FILES:
        shutil.copy(toxicity_profanity.data_folder() / each, tmp_path)
    flip(tmp_path / name)
    with pytest.raises(AppError, match=f"{name} in .* is not the one of"):
        toxicity_profanity.weights(tmp_path)
