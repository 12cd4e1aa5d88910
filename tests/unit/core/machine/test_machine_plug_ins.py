"""What third parties bring is found as it comes, and not read again where nothing did."""

import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from biasprint.core.machine import plug_ins
from biasprint.core.machine.current_folder import NO_PLUG_INS

KEYRING = "PYTHON_KEYRING_BACKEND"
LOAD_ALL = "import importlib\nfor point in entry_points(group='pydantic'):\n    importlib.import_module(point.module)"

later = count(1_700_000_000_000_000_000, 1_000_000_000)


def bring(folder: Path, name: str, group: str = "biasprint.tests") -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {name}:Thing\n")
    changed = next(later)
    os.utime(folder, ns=(changed, changed))  # two packages in one tick of the disk's clock would look like one


def found() -> list[str]:
    return sorted(point.name for point in plug_ins.entry_points(group="biasprint.tests"))


def test_plug_ins_are_read_once_until_a_package_comes_or_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    read, times = plug_ins.read_entry_points, []
    monkeypatch.setattr(plug_ins, "read_entry_points", lambda: times.append(1) or read())
    monkeypatch.syspath_prepend(tmp_path)
    assert found() == found() == []
    bring(tmp_path, "songs")
    assert found() == found() == ["songs"]
    bring(tmp_path, "dances")
    assert found() == found() == ["dances", "songs"]
    assert len(times) == 3


def test_a_package_with_plug_ins_is_named_once_before_it_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert plug_ins.news() == ()
    site = tmp_path / "site"
    bring(site, "songs", "biasprint.scorers")
    bring(site, "dances", "pytest11")  # of somebody else
    monkeypatch.syspath_prepend(site)

    (sentence,) = plug_ins.news()

    assert f"the package “songs” 1.0 (in {site}) brings the scorer “songs”." in sentence
    assert "uninstall it" in sentence
    assert plug_ins.news() == ()
    bring(tmp_path / "other", "songs", "biasprint.scorers")  # the same name from elsewhere
    monkeypatch.syspath_prepend(tmp_path / "other")
    assert [f"in {tmp_path / 'other'}" in each for each in plug_ins.news()] == [True]


def test_where_it_cannot_be_kept_it_is_named_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    bring(tmp_path, "songs", "biasprint.studies")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("BIASPRINT_HOME", "/dev/null/home")
    assert len(plug_ins.news()) == len(plug_ins.news()) == 1


# ---- What libraries would load because it is installed

STRANGER = """
import sys
sys.stderr.write("STRANGER RAN\\n")
"""
GROUPS = ("pydantic", "keyring.backends", "spacy_factories", "torch.backends")
WORK = {
    "pydantic": "import pydantic; pydantic.create_model('M', a=int)(a=1)",
    "keyring": "from biasprint.core.machine import keys; keys.ring_available()",
    "spacy": "from biasprint.core.scorers.segment import _sentence_pipeline; _sentence_pipeline()('A b.')",
    "torch": "import torch",
}


@pytest.mark.parametrize("library", ["pydantic", "keyring", "spacy", pytest.param("torch", marks=pytest.mark.soak)])
def test_no_library_loads_a_package_because_it_is_installed(tmp_path: Path, library: str):
    info = tmp_path / "stranger-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("".join(f"[{group}]\nstranger = stranger:run\n" for group in GROUPS))
    (tmp_path / "stranger.py").write_text(STRANGER)
    environment = {name: value for name, value in os.environ.items() if name not in (*NO_PLUG_INS, KEYRING)}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), environment["PYTHONPATH"]])
    kept_out = "from biasprint.core.machine import current_folder; current_folder.leave_out()\n"

    said = [
        subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        ).stderr
        for script in (kept_out + WORK[library], f"from importlib.metadata import entry_points\n{LOAD_ALL}")
    ]

    assert ["STRANGER RAN" in each for each in said] == [False, True]
