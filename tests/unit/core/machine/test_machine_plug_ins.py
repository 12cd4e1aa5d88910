"""What third parties bring is found as it comes, and not read again where nothing did."""

import os
from itertools import count
from pathlib import Path

import pytest

from biasprint.core.machine import plug_ins

later = count(1_700_000_000_000_000_000, 1_000_000_000)


def bring(folder: Path, name: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[biasprint.tests]\n{name} = {name}:Thing\n")
    changed = next(later)
    os.utime(folder, ns=(changed, changed))  # two packages in one tick of the disk's clock would look like one


def found() -> list[str]:
    return sorted(point.name for point in plug_ins.entry_points(group="biasprint.tests"))


def test_plug_ins_are_read_once_until_a_package_comes_or_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    read, times = plug_ins.read_entry_points, []
    monkeypatch.setattr(plug_ins, "read_entry_points", lambda group: times.append(group) or read(group=group))
    assert found() == []
    bring(tmp_path, "songs")
    monkeypatch.syspath_prepend(tmp_path)
    assert found() == found() == ["songs"]
    bring(tmp_path, "dances")
    assert found() == found() == ["dances", "songs"]
    assert len(times) == 3
