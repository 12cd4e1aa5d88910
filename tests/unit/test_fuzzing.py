"""Damaged files and replies end with a result or a sentence: those that once did not, and thousands in the soak."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fuzzing.campaign import campaign, hold
from fuzzing.contract import CANARY, READ, attempt
from fuzzing.targets import DATA, TARGETS
from seeded_part import seeded_part
from trust.report import Figure

FUZZED = DATA / "fuzzed"
KEPT = sorted(file for file in FUZZED.rglob("*") if file.is_file())


@pytest.mark.parametrize("kept", seeded_part(KEPT, 3), ids=lambda file: str(file.relative_to(FUZZED)))
def test_what_was_found_once_ends_well(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = TARGETS[kept.parent.name]
    held = hold(target, tmp_path, monkeypatch)
    try:
        if target.apart:
            assert not (ending := held.end_of(kept.read_bytes(), target.place)).fault, ending.details
        else:  # in this process, which is quicker
            path = tmp_path / target.place
            path.write_bytes(kept.read_bytes())
            _, fault, details, _, _ = attempt(target.name, str(path), str(tmp_path))
            assert not fault, details
    finally:
        held.close()


def test_every_find_belongs_to_a_kind() -> None:
    assert {file.parent.name for file in KEPT} <= TARGETS.keys()


# ---- A contract that nothing can break would show nothing


def reads_a_key(path: Path) -> str:
    return {}[path.read_text()]


def says_nothing_clear(path: Path) -> str:
    return "<class 'ValueError'>"


def writes_beside(path: Path) -> str:
    (path.parents[1] / READ / CANARY).write_text("changed")
    return ""


def deletes_beside(path: Path) -> str:
    (path.parents[1] / READ / CANARY).unlink()
    return ""


def is_slow(path: Path) -> str:
    until = time.process_time() + 0.02
    while time.process_time() < until:
        sum(range(1_000))
    return ""


def takes_memory(path: Path) -> str:
    return "x"[len(bytearray(b"1") * 600_000_000) :]


@pytest.mark.parametrize(
    ("take", "fault"),
    [
        (reads_a_key, "KeyError"), (says_nothing_clear, "no clear sentence"), (writes_beside, "wrote elsewhere"),
        (deletes_beside, "wrote elsewhere"), (is_slow, "too long"),
        pytest.param(
            takes_memory, "memory",
            marks=pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux says it"),
        ),
    ],
)  # fmt: skip
def test_each_breach_is_seen(
    take: Callable[[Path], str], fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / READ).mkdir()
    (tmp_path / READ / CANARY).touch()
    path = tmp_path / "in" / "a"
    path.touch()
    seconds = 0.01 if take is is_slow else 10
    monkeypatch.setattr("fuzzing.targets.TARGETS", {"bad": replace(TARGETS["csv"], take=take, seconds=seconds)})
    _, seen, _, _, _ = attempt("bad", str(path), str(tmp_path))
    assert fault in seen


@pytest.mark.soak(budgeted=True)
@pytest.mark.timeout(0)
@pytest.mark.parametrize("kind", TARGETS)
def test_damaged_inputs_end_well(kind: str, tmp_path: Path, request: pytest.FixtureRequest, figure: Figure) -> None:
    budget, first = request.config.getoption("fuzz_seconds"), request.config.getoption("fuzz_seed")
    told = campaign(TARGETS[kind], tmp_path, seconds=budget, first_seed=first)
    figure(str(told))
    for number, find in enumerate(told.finds.values()):
        find.file(FUZZED, TARGETS[kind], number)
    assert not told.finds, "\n".join(f"{fault}: {find.ending.details}" for fault, find in told.finds.items())
    assert told.inputs > 0
