"""Three packets through the real window: made, rated by keys on files of their own, dropped back in any order.

What must come back is known from what the raters saw and pressed alone.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_support import biasprint
from packets_people import Given, PacketRater, a_window, answer_of, drop, make_packets
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from raters_bench import Bench
from statsmodels.stats.inter_rater import fleiss_kappa

from biasprint.core.judging.assignment import assigned
from biasprint.core.judging.card_order import secret_of
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.project.check import check_project
from biasprint.core.project.project import Project

CODES = ("R01", "R02", "R03")
AXES = ("race", "orientation")
TYPED, PASTED = "The middle one rhymes: ", "“stars” – \U0001f31f نجوم"
CONSENT = "You rate short texts. Your answers are stored with your code.\n"


@dataclass(frozen=True)
class World:
    """What is left when everybody is done: two copies of the study, and what each rater gave by number on screen."""

    study: Path
    other: Path
    packets: tuple[Path, ...]
    bytes_sent: dict[str, bytes]  # as they came back, before any merging
    given: dict[str, dict[int, Given]]
    reports: dict[str, list[tuple[str, ...]]]


def drawn(texts: Path, folder: Path) -> Path:
    """A study with texts and one plan: two axes, six comparisons each, and hidden repeats of a quarter."""
    file, consent = Path(shutil.copy(texts, folder / "castle.biasprint")), folder / "consent.txt"
    consent.write_text(CONSENT, encoding="utf-8")
    chosen = [f"--axis={axis}" for axis in AXES]
    biasprint("compare", file, *chosen, "--seed", 3, "--per-axis", 6, "--repeats", 0.25, "--consent", consent)
    return file


def rate(rater: PacketRater) -> None:
    """The whole packet: a note, one answer that is gone back to and revised, and the rest by the rule."""
    rater.start()
    rater.write_note(TYPED, PASTED)
    outcome, chosen = answer_of(rater.code, rater.texts())
    rater.press(outcome, chosen, TYPED + PASTED)
    rater.answer()
    rater.rating.press("b")
    texts = rater.texts()
    before = rater.given[rater.ordinal].chosen
    rater.press("choice", next(text for text in sorted(texts) if text != before))
    rater.rate_all()
    rater.finish()


@pytest.fixture(scope="module")
def world(
    request: pytest.FixtureRequest,
    qapp: QApplication,
    scored_texts: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("packets")
    qtbot = QtBot(request)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASPRINT_HOME", str(folder / "home"))
        study = drawn(scored_texts, folder)
        with a_window(qtbot, folder) as window:
            packets = tuple(make_packets(Bench(qtbot, window, study), 3, folder / "stick"))
        other = Path(shutil.copy(study, folder / "second.biasprint"))
        given = {}
        for code, path in zip(CODES, packets, strict=True):
            with a_window(qtbot, folder) as window:
                rater = PacketRater(qtbot, window, path, code)
                rate(rater)
                given[code] = rater.given
        bytes_sent = {path.name: path.read_bytes() for path in packets}
        one, two, three = packets
        reports = {}
        with a_window(qtbot, folder) as window:
            reports["first"] = drop(Bench(qtbot, window, study), packets)
        with a_window(qtbot, folder) as window:
            bench = Bench(qtbot, window, other)
            reports["alone"] = drop(bench, [three])
            reports["rest"] = drop(bench, [one, two])
            reports["again"] = drop(bench, [two, three, one])
        yield World(study, other, packets, bytes_sent, given, reports)


def expected(project: Project, world: World) -> dict[tuple[str, str], tuple[Any, ...]]:
    """By comparison and rater: outcome, chosen item, order of the items on the screen, note."""
    (plan,) = project.judging.plans()
    rows, settings = project.judging.comparisons(plan.id), PlanSettings.of(plan.settings)
    wanted = {}
    for code, answers in world.given.items():
        places = assigned(rows, settings, secret=secret_of(plan), code=code)
        for ordinal, said in answers.items():
            row = rows[places[ordinal - 1]]
            texts = project.texts([item.key for item in row.items])
            stored = [texts[item.key] for item in row.items]
            assert sorted(stored) == sorted(said.texts), "the packet's numbers are those of the rater's order"
            assert len(set(stored)) == len(stored), "equal texts would make the test ambiguous"
            shown = tuple(stored.index(text) for text in said.texts)
            chosen = None if said.chosen is None else stored.index(said.chosen)
            wanted[row.id, code] = (said.outcome, chosen, shown, said.note)
    return wanted


def came_back(project: Project) -> dict[tuple[str, str], tuple[Any, ...]]:
    codes = {rater.id: rater.code for rater in project.judging.raters()}
    found = {}
    for session in project.judging.sessions():
        for row in project.judging.judgments(session.id):
            found[row.comparison_id, codes[session.rater_id]] = (row.outcome, row.chosen, row.shown, row.note)
    return found


def test_each_rater_has_answers_of_every_kind_to_give(world: World) -> None:
    outcomes = {said.outcome for answers in world.given.values() for said in answers.values()}
    assert outcomes == {"choice", "tie", "none", "skip"}
    with Project.open(world.study, read_only=True) as project:
        (plan,) = project.judging.plans()
        rows = project.judging.comparisons(plan.id)
    assert sum(row.repeat_of is not None for row in rows) >= 2
    assert {row.axis for row in rows} == set(AXES)
    assert {len(answers) for answers in world.given.values()} == {len(rows)}


@pytest.mark.parametrize("which", ["study", "other"])
def test_what_the_raters_pressed_is_what_comes_back(world: World, which: str) -> None:
    with Project.open(getattr(world, which), read_only=True) as project:
        assert came_back(project) == expected(project, world)
        assert all(session.revealed_at is not None for session in project.judging.sessions())
        assert {session.consent_text.strip() for session in project.judging.sessions()} == {CONSENT.strip()}
        every = project.judging.judgments(superseded=True)
        assert len(every) == len(project.judging.judgments()) + len(CODES), "a revised answer stays beside the new one"
    assert check_project(getattr(world, which)).sound


def test_the_report_counts_what_is_new_and_what_was_here(world: World) -> None:
    rows = len(next(iter(world.given.values()))) + 1  # and one that was revised
    new, known = (str(rows), "0", "0", "0"), ("0", str(rows), "0", "0")
    assert [row[1:6] for row in world.reports["first"]] == [(code, *new) for code in CODES]
    assert [row[1:6] for row in world.reports["alone"]] == [("R03", *new)]
    assert [row[1:6] for row in world.reports["rest"]] == [("R01", *new), ("R02", *new)]
    assert [row[1:6] for row in world.reports["again"]] == [(code, *known) for code in ("R02", "R03", "R01")]


def test_merging_leaves_the_packets_as_they_came(world: World) -> None:
    assert {path.name: path.read_bytes() for path in world.packets} == world.bytes_sent
    assert sorted(path.name for path in world.packets[0].parent.iterdir()) == sorted(world.bytes_sent)


def test_both_copies_hold_the_same_judgments_row_by_row(world: World) -> None:
    """Everything but the place in the file, which is the order in which files came."""
    tables = []
    for path in (world.study, world.other):
        with Project.open(path, read_only=True) as project:
            rows = project.judging.judgments(superseded=True)
            tables.append(sorted(({**vars(row), "sequence": 0} for row in rows), key=lambda row: row["id"]))
    assert tables[0] == tables[1]


@pytest.fixture(scope="module")
def findings(world: World) -> list[dict[str, Any]]:
    measured = [biasprint("measure", "creativity", path, "--json").json for path in (world.study, world.other)]
    assert measured[0] == measured[1], "the order in which packets come back must not be in the findings"
    found: list[dict[str, Any]] = measured[0]["findings"]
    return found


def by_rater(project: Project, world: World, axis: str) -> list[list[str | None]]:
    """One line per comparison of the axis, hidden repeats left out: whose text each rater chose; None for no choice."""
    wanted = expected(project, world)
    (plan,) = project.judging.plans()
    lines = []
    for row in project.judging.comparisons(plan.id):
        if row.axis == axis and row.repeat_of is None:
            chosen = [wanted[row.id, code][1] for code in CODES]
            lines.append([None if one is None else row.items[one].identity for one in chosen])
    return lines


def apart(chosen: list[str]) -> int:
    """Ordered pairs that chose differently."""
    return sum(one != other for one, other in permutations(chosen, 2))


@pytest.mark.parametrize("axis", AXES)
def test_agreement_is_that_of_an_independent_computation(
    world: World, findings: list[dict[str, Any]], axis: str
) -> None:
    with Project.open(world.study, read_only=True) as project:
        lines = by_rater(project, world, axis)
    kinds = sorted({one for line in lines for one in line if one is not None})
    judged = [chosen for line in lines if len(chosen := [one for one in line if one is not None]) > 1]
    pooled = [one for chosen in judged for one in chosen]
    # Krippendorff's α from the pairs themselves: those of a comparison, against those of all judgments.
    observed = sum(apart(chosen) / (len(chosen) - 1) for chosen in judged) / len(pooled)
    alpha = 1 - observed / (apart(pooled) / (len(pooled) * (len(pooled) - 1)))
    # Fleiss' κ needs comparisons with equally many choices: those of which there are most, of several the larger.
    counts = np.array([[line.count(kind) for kind in kinds] for line in lines])
    numbers = [int(n) for n in counts.sum(axis=1) if n > 1]
    most = max(set(numbers), key=lambda n: (numbers.count(n), n))
    kappa = fleiss_kappa(counts[counts.sum(axis=1) == most])
    told = {one["id"].rpartition(".")[2]: one["estimate"] for one in findings if agreement_on(axis, one)}
    assert told["krippendorff_alpha"] == pytest.approx(alpha, abs=1e-12)
    assert told["fleiss_kappa"] == pytest.approx(kappa, abs=1e-12)


def agreement_on(axis: str, finding: dict[str, Any]) -> bool:
    whole = finding["dims"] == {"axis": axis} and finding["variant"] == "default" and finding["label"] == axis
    return whole and finding["id"].startswith("creativity.agreement.")


@pytest.mark.parametrize("axis", AXES)
def test_shares_count_the_choices_that_were_pressed(world: World, findings: list[dict[str, Any]], axis: str) -> None:
    with Project.open(world.study, read_only=True) as project:
        chosen = [one for line in by_rater(project, world, axis) for one in line if one is not None]
    told = {
        one["label"]: (one["estimate"], one["n"])
        for one in findings
        if one["id"] == "creativity.share" and one["dims"] == {"axis": axis} and one["variant"] == "default"
    }
    assert {label: share for label, (share, _) in told.items()} == {
        label: pytest.approx(chosen.count(label) / len(chosen)) for label in told
    }
    assert sum(share for share, _ in told.values()) == pytest.approx(1.0)
