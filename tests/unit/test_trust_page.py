"""The page of what must never go wrong says what was measured, and nothing else."""

from pathlib import Path

import pytest
from fuzzing.targets import TARGETS
from trust.report import Ended, Row, matches, page, results, rows

ROOT = Path(__file__).parents[2]
ABOUT = {"short": True, "tests": 3, "minutes": 1.0, "fuzz_seconds": 5.0, "fuzz_seed": 7}


def test_every_test_that_a_row_names_is_there() -> None:
    for test in {test for row in rows() for test in row.tests}:
        file, _, name = test.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert not name or f"\ndef {name.partition('[')[0]}(" in text, test


def test_every_kind_of_damaged_input_belongs_to_a_row() -> None:
    cases = {f"tests/unit/test_fuzzing.py::test_damaged_inputs_end_well[{kind}]" for kind in TARGETS}
    assert {case for case in cases if not any(row.has(case) for row in rows())} == set()


def test_a_test_is_named_whole_by_its_cases_or_by_its_file() -> None:
    assert matches("a.py::test[1]", "a.py::test")
    assert matches("a.py::test[1]", "a.py")
    assert not matches("a.py::test_more", "a.py::test")


ROW = Row("Fire", "no | smoke", ("a.py::test_one", "a.py::test_two"))
PASSED = (Ended("a.py::test_one", "passed", ("20 fires; worst 1.5 s, at most 2 s",)), Ended("a.py::test_two", "passed"))


@pytest.mark.parametrize(
    ("ended", "verdict", "said"),
    [
        (PASSED, "held", "20 fires; worst 1.5 s, at most 2 s; 2 of 2 tests passed"),
        ((PASSED[0],), "held in part", "1 of 1 tests passed"),
        ((PASSED[0], Ended("a.py::test_two", "failed")), "MISSED", "failed: test_two"),
        ((PASSED[0], Ended("a.py::test_two", "skipped", why="no root")), "held in part", "not run: test_two (no root)"),
        ((), "not measured", ""),
        ((Ended("a.py::test_one", "skipped", why="no root"),), "not measured", "no root"),
    ],
)
def test_a_verdict_is_no_better_than_what_was_run(ended: tuple[Ended, ...], verdict: str, said: str) -> None:
    (found,) = results([*ended, Ended("b.py::test_other", "failed")], [ROW])
    assert (found.verdict, said in found.said) == (verdict, True)
    line = page([found], ABOUT).splitlines()[-1]
    assert line.startswith("| Fire | no \\| smoke |")
    assert line.endswith(f"| **{verdict}** |")


@pytest.mark.parametrize(
    ("done", "told"), [((20,), "**held so far** (20 of 1,000 kills)"), ((20, 1_000), "**held** (1,020 of 1,000 kills)")]
)
def test_less_than_is_required_is_held_so_far(done: tuple[int, ...], told: str) -> None:
    row = Row("Kill", "every answer is there", ("a.py::test_one",), wanted=1_000, counted="kills")
    (found,) = results([Ended(f"a.py::test_one[{n}]", "passed", done=n) for n in done], [row])
    assert found.told == told


def test_what_a_failed_test_did_is_not_counted() -> None:
    row = Row("Kill", "every answer is there", ("a.py::test_one",), wanted=10, counted="kills")
    (found,) = results([Ended("a.py::test_one", "failed", done=10)], [row])
    assert found.told == "**MISSED**"


def test_how_a_test_ended_is_kept_for_a_run_that_goes_on() -> None:
    assert [Ended.from_json(one.to_json()) for one in PASSED] == list(PASSED)


def test_what_no_test_shows_yet_is_said() -> None:
    (found,) = results(PASSED, [Row(ROW.threat, ROW.required, ROW.tests, open="the cellar")])
    assert found.verdict == "held in part"
    assert "open: the cellar" in found.said
