"""What the raters panel says: codes, packets that came back, answers by their letters, and findings in rows."""

from pathlib import Path

import pytest

from biasprint.core.findings import Finding, Interval
from biasprint.core.judging.packets.packet import MergedFile, MergeReport
from biasprint.core.metrics.agreement import Agreement, undefined
from biasprint.core.metrics.result import Bounds, MaybeBounds
from biasprint.core.runs.rater_quality import AgreementSoFar
from biasprint.desktop.operations.raters import MOST_RATERS, codes_of
from biasprint.desktop.panels.raters.quality import hidden_words, n_words, quality_rows, tables_of
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTableModel
from biasprint.desktop.wording import raters as words
from biasprint.desktop.wording.generators import Titles

HERE = Path("/made-up")


# whose packets


def test_a_number_makes_codes_that_nobody_has() -> None:
    assert codes_of("3", ()).codes == ("R01", "R02", "R03")
    assert codes_of(" 3 ", ("R02", "r03", "Ann")).codes == ("R01", "R04", "R05")


def test_typed_codes_stand_once_each_and_known_ones_may_be_typed() -> None:
    assert codes_of("R07, R08;R07\nAnn", ("R07",)).codes == ("R07", "R08", "Ann")
    assert codes_of("", ()).codes == ()


@pytest.mark.parametrize(
    "typed", ["0", str(MOST_RATERS + 1), " ".join(f"C{n}" for n in range(MOST_RATERS + 1)), "a, A"]
)
def test_what_cannot_be_made_is_said_and_gives_no_codes(typed: str) -> None:
    found = codes_of(typed, ())
    assert found.trouble
    assert found.codes == ()


# what came back


def file(name: str = "packet-R01.bpacket", **more: object) -> MergedFile:
    return MergedFile(**{"path": HERE / name, "name": name, "code": "R01", **more})  # type: ignore[arg-type]


def test_a_merged_file_says_what_is_new_repeated_conflicting_and_changed() -> None:
    said = words.merged_words(file(added=3, repeated=1, conflicting=2, changed_texts=("a", "b"), finished=True))
    assert said == (
        "3 answers are new. 1 was here already. 2 conflicts wait for a decision. "
        "2 comparisons show other texts: their answers are left out. Finished."
    )


def test_a_refused_file_says_why_and_what_to_do_and_has_no_counts() -> None:
    refused = file("x.bpacket", code="", refused="“x.bpacket” was changed.", hint="Ask the rater for the file.")
    (row,) = words.merge_rows(MergeReport((refused,), 0))
    assert row.cells == (
        "x.bpacket", "—", "—", "—", "—", "—", "Not merged. “x.bpacket” was changed. Ask the rater for the file.",
    )  # fmt: skip


def test_a_strangers_file_is_not_merged_until_somebody_takes_it_in() -> None:
    stranger = file(unknown_rater=True, added=4)
    assert "Not merged" in words.merged_words(stranger)
    assert not words.was_merged(stranger)
    assert words.was_merged(stranger, (stranger.path,))
    assert words.merged_words(stranger, (stranger.path,)).startswith("4 answers are new.")


def test_what_a_seal_says_is_told() -> None:
    altered, copy = file(held="altered"), file(held="copy", copies=True, added=2)
    assert not words.was_merged(altered)
    assert "altered outside the program" in words.merged_words(altered)
    assert "another finished copy" in words.merged_words(copy)
    assert words.merged_words(copy, (copy.path,)).startswith("2 answers are new. Merged by your decision")
    assert "two different finished copies" in words.merged_words(file(copies=True))
    assert "Unsealed" in words.merged_words(file(unsealed=True))


def test_the_report_counts_what_was_merged_and_what_was_left_out() -> None:
    report = MergeReport((file(added=2), file("b", refused="no"), file("c", unknown_rater=True)), 0)
    assert words.report_words(report) == "1 packet was merged, 2 new answers, 2 files were left out."
    assert words.report_words(report, (HERE / "c",)) == "2 packets were merged, 2 new answers, 1 file was left out."


def test_names_of_files_and_codes_are_shown_safely() -> None:
    (row,) = words.merge_rows(MergeReport((file("a\u202egnp.bpacket", code="R\n1"),), 0))
    assert "\u202e" not in row.cells[0]
    assert row.cells[1] == "R 1"


# answers by letters


def test_answers_are_told_by_the_letters_that_the_texts_stand_under() -> None:
    order = (2, 0, 1)  # item 2 stands under A
    assert words.outcome_words("choice", 2, order) == "A chosen"
    assert words.outcome_words("tie", None, order) == "a tie"
    said = [("choice", 0), ("choice", 2), ("choice", 0), ("none", None), ("tie", None)]
    assert words.counted_outcomes(said, order) == "A 1 · B 2 · tie 1 · none good 1"


def test_a_note_keeps_its_lines_and_loses_what_attacks_the_display() -> None:
    assert words.safe_lines("one\ntwo \u202e three\n") == "one\ntwo ↔ three"


# findings


def finding(id: str, label: str = "race", estimate: float | None = 0.4, **more: object) -> Finding:
    given = {
        "title": f"Made up: {label}",
        "groups": ("a", "b"),
        "unit": "proportion",
        "n": 12,
        "dims": {"axis": "race"},
        "reason": None if estimate is not None else "only one rater chose",
    }
    return Finding(id=id, label=label, estimate=estimate, **{**given, **more})  # type: ignore[arg-type]


def test_a_number_has_its_interval_and_n_and_an_undefined_one_its_reason() -> None:
    shown = finding("creativity.agreement.raw", interval=Interval(0.2, 0.6, 0.95, "made up"))
    without = finding("creativity.agreement.raw", "other", reason="interval: fewer than 10 comparisons")
    undefined = finding("creativity.agreement.raw", "third", None, n=0)
    rows, _ = quality_rows("axes", [shown, without, undefined], Titles())
    assert [row.cells[1:] for row in rows] == [
        ("0.40 (0.20–0.60)", "12 comparisons", ""),
        ("0.40", "12 comparisons", "No interval: fewer than 10 comparisons."),
        ("—", "0 comparisons", "Not defined: only one rater chose."),
    ]


def test_what_holds_for_every_row_is_said_once_below() -> None:
    both = "The interval resamples comparisons."
    found = [
        finding("creativity.agreement.raw", "one", note=f"{both} This one is odd."),
        finding("creativity.agreement.raw", "two", note=both),
        finding("creativity.agreement.raw", "three", None),
    ]
    rows, below = quality_rows("axes", found, Titles())
    assert below == both
    assert [row.cells[3] for row in rows] == ["This one is odd.", "", "Not defined: only one rater chose."]
    assert [row.cells[0] for row in rows] == ["One", "Two", "Three"]  # the head they share stands in the card's title


def test_n_is_counted_in_what_was_asked() -> None:
    counted = {
        "creativity.quality.consistency": "12 repeats",
        "creativity.quality.position": "12 choices",
        "creativity.quality.time": "12 judgments",
        "creativity.quality.without.abs": "12 choices",
        "creativity.quality.without.raw": "12 comparisons",
        "creativity.agreement.people_model": "12 comparisons",
    }
    assert {key: n_words(finding(key)) for key in counted} == counted
    assert n_words(finding("creativity.agreement.raw", n=1)) == "1 comparison"


def test_findings_stand_under_the_question_they_answer_in_a_fixed_order() -> None:
    found = [
        finding("creativity.agreement.people_model", "m"),
        finding("creativity.quality.without.raw", "R01"),
        finding("creativity.agreement.cohen_kappa", "R01 / R02"),
        finding("creativity.agreement.raw", dims={"axis": "race", "task": "haiku"}),
        finding("creativity.agreement.raw"),
        finding("creativity.agreement.flips", "m"),
        finding("creativity.quality.time", "everyone"),
        finding("creativity.quality.consistency", "everyone"),
        finding("creativity.quality.position", "first"),
        finding("creativity.quality.later", "of a later version"),
    ]
    tables = tables_of(found, Titles())
    assert [table.key for table in tables] == [
        "consistency", "position", "time", "axes", "tasks", "pairs", "without", "models", "orders", "other",
    ]  # fmt: skip
    assert all(len(table.rows) == 1 for table in tables)


def test_who_took_part_in_a_workshop_is_in_no_row_and_that_is_said() -> None:
    found = [
        finding("creativity.quality.consistency", "everyone"),
        finding("creativity.quality.consistency", "ZQ", dims={"rater": "ZQ"}),
        finding("creativity.agreement.cohen_kappa", "R01 / ZQ"),
        finding("creativity.quality.without.raw", "ZQ"),
    ]
    tables = tables_of(found, Titles(), frozenset(["ZQ"]))
    assert "ZQ" not in repr(tables)
    assert [(table.key, len(table.rows), table.hidden) for table in tables] == [
        ("consistency", 1, 1), ("pairs", 0, 1), ("without", 0, 1),
    ]  # fmt: skip
    assert hidden_words(1) == "1 row about a single participant of a workshop is not shown."
    assert hidden_words(0) == ""


# the small table


def test_who_hears_a_cell_hears_its_column_too() -> None:
    from PySide6.QtCore import Qt

    table = TextTableModel((TableColumn("Rater"), TableColumn("Left", 60, number=True), TableColumn("Note", 90)))
    assert table.set_rows([TableRow("a", ("R01", "3", "late"))])
    assert not table.set_rows([TableRow("a", ("R01", "3", "late"))])  # the same: nothing is touched, nothing jumps
    assert table.index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "Left: 3"
    table.fold([2])
    assert table.index(0, 0).data() == "R01\nlate"


def test_a_plan_of_several_axes_says_each_in_words() -> None:
    titles = Titles(axes={"gender": "Gender", "orientation": "Sexual orientation"})
    assert words.kind_words("identity", titles.axis("gender+orientation")) == "identity: Gender, Sexual orientation"
    assert titles.axis("skin_tone") == "Skin tone", "an axis that the project does not know"
    assert words.kind_words("model", titles.axis("model")) == "the generator that wrote it"


def test_agreement_so_far_is_told_with_n_interval_chance_and_who_is_out() -> None:
    bounds = MaybeBounds(Bounds(0.6, 0.8, "", 0.95))
    found = AgreementSoFar(Agreement(0.71, "", bounds, 52), Agreement(0.42, "", bounds, 52), 1 / 3, 3, 2)
    assert words.so_far_words(found) == (
        "Agreement so far: two raters chose the same text in 71 % of 52 comparisons (95 % interval 60 % to 80 %). "
        "Chance alone gives 33 %. Beyond chance: α = 0.42 (95 % interval 0.60 to 0.80); 0 is chance, 1 is full "
        "agreement. 3 raters so far. 2 have not finished yet."
    )
    nobody = AgreementSoFar(undefined("it needs two"), None, None, 1, 1)
    assert words.so_far_words(nobody) == "Agreement cannot be told yet: it needs two. 1 has not finished yet."
