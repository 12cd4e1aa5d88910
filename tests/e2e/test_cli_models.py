"""`models` and `offline` on the command line."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_support import biasprint, refused
from fake_hub import FakeHub, Repository, Rule, classifier

from biasprint.core.machine import offline
from biasprint.core.machine.models import catalogue

NAME, REPOSITORY, COMMIT = "language-agency", "emmatliu/language-agency-classifier", "a" * 40
GGUF = b"GGUF" + (3).to_bytes(4, "little") + bytes(40)


@pytest.fixture(autouse=True)
def program_home(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Path:
    monkeypatch.setenv("BIASPRINT_HOME", str(own_home / "program"))
    monkeypatch.delenv(offline.VARIABLE, raising=False)
    return own_home / "program"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("biasprint.core.machine.models.hub.PAUSE_SECONDS", 0.01)
    with FakeHub({REPOSITORY: Repository({COMMIT: classifier(5000)}, COMMIT)}) as made:
        monkeypatch.setenv("HF_ENDPOINT", made.url)
        yield made


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    path = tmp_path / "writer.gguf"
    path.write_bytes(GGUF)
    return path


def test_the_list_has_every_model_and_what_fills_each_role() -> None:
    answer = biasprint("models", "list").out
    assert all(entry.name in answer for entry in catalogue.entries())
    assert "formality: formality_f (stand-in)" in answer
    data = biasprint("models", "list", "--json").json
    assert {model["name"] for model in data["models"]} == {entry.name for entry in catalogue.entries()}
    assert data["roles"]["sentiment"] == {
        "scorer": "textblob", "stand_in": False, "model": None, "because": "It is installed, and what the paper used.",
    }  # fmt: skip
    only = biasprint("models", "list", "--role", "agency", "--json").json
    assert {model["role"] for model in only["models"]} == {"agency"}


def test_a_model_is_got_listed_verified_preferred_and_removed(hub: FakeHub) -> None:
    got = biasprint("models", "get", NAME, "--json").json
    assert (got["name"], got["revision"], got["fetched"]) == (NAME, COMMIT, got["size"])
    assert Path(got["path"]).is_dir()
    assert "was here already" in biasprint("models", "get", NAME).out
    (row,) = biasprint("models", "list", "--role", "agency", "--json").json["models"]
    assert (row["here"], row["sha256"], row["size"]) == (True, got["sha256"], got["size"])
    assert biasprint("models", "verify", NAME, "--json").json == {
        "models": [{"name": NAME, "sound": True, "compared": 4, "problems": []}]
    }
    chosen = biasprint("models", "prefer", "agency", NAME, "--json").json
    assert chosen == {"role": "agency", "preferred": NAME, "scorer": "agency_classifier", "stand_in": False}
    assert biasprint("models", "remove", NAME, "--json").json == {"name": NAME, "deleted": True}
    assert biasprint("models", "list", "--role", "agency", "--json").json["roles"]["agency"]["stand_in"] is True


def test_a_broken_download_is_said_and_goes_on(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biasprint.core.machine.models.hub.TRIES", 1)
    hub.rules["model.safetensors"] = Rule("cut", at=2000)
    refused("models", "get", NAME, code=1, says="could not be reached")
    got = biasprint("models", "get", NAME, "--json").json
    assert got["size"] - got["fetched"] >= 2000


def test_a_changed_file_fails_verify(hub: FakeHub) -> None:
    folder = Path(biasprint("models", "get", NAME, "--json").json["path"])
    (folder / "vocab.txt").write_text("other")
    answer = biasprint("models", "verify", "--json", code=1)
    problems = {model["name"]: model["problems"] for model in answer.json["models"]}
    assert problems[NAME] == ["vocab.txt has changed: its hash is another."]
    assert "vocab.txt has changed" in biasprint("models", "verify", NAME, code=1).out


def test_a_file_is_added_and_forgotten(gguf: Path) -> None:
    added = biasprint("models", "add", gguf, "--role", "generator", "--name", "mine", "--json").json
    assert (added["name"], added["format"], added["path"]) == ("mine", "gguf", str(gguf))
    assert "mine" in biasprint("models", "list", "--role", "generator").out
    assert "its files are where they were" in biasprint("models", "remove", "mine").out
    assert gguf.exists()


def test_what_cannot_be_is_said_in_a_sentence(gguf: Path, tmp_path: Path) -> None:
    refused("models", "get", "nothing", code=2, says="no “nothing” in the catalogue")
    refused("models", "list", "--role", "mood", code=2, says="no role “mood”")
    refused("models", "verify", "nothing", code=2, says="is not on this computer")
    refused("models", "remove", "nothing", code=2, says="no model “nothing”")
    refused("models", "prefer", "agency", "nothing", code=2, says="cannot fill the role")
    refused("models", "add", gguf, "--role", "agency", code=2, says="A GGUF file writes texts")
    refused("models", "add", tmp_path / "none", "--role", "agency", code=1, says="no file or folder")
    (tmp_path / "m.bin").write_bytes(b"\x80\x04")
    refused("models", "add", tmp_path / "m.bin", "--role", "agency", code=1, says="can run any program")


def test_the_switch_is_set_told_and_obeyed(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    assert biasprint("offline", "--json").json == {"offline": False, "by": None}
    assert biasprint("offline", "on", "--json").json == {"offline": True, "by": "switch"}
    refused("models", "get", NAME, code=1, says="the offline switch is on")
    assert hub.asked == []
    assert "Online" in biasprint("offline", "off").out
    monkeypatch.setenv(offline.VARIABLE, "1")
    answer = biasprint("offline", "off")
    assert "stays on" in answer.err
    assert answer.out.startswith("Offline")
    refused("offline", "maybe", code=2, says="maybe")


def test_the_engine_is_said_to_be_here_or_why_it_cannot_come(monkeypatch, capsys):
    from biasprint.core.backends.llama_cpp import options
    from biasprint.desktop.__main__ import main

    monkeypatch.setattr(options, "installed", lambda: True)
    assert main(["models", "engine"]) == 0
    assert "is here" in capsys.readouterr().out
    monkeypatch.setattr(options, "installed", lambda: False)
    monkeypatch.setattr(options, "installed", lambda: False)
    monkeypatch.setattr(options, "why_not", lambda: "this Python has no pip")
    assert main(["models", "engine"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "this Python has no pip" in told.err
