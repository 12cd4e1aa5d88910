"""What measures say of a workshop: everybody together, and of nobody alone."""

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.studies.creativity import columns as creativity_columns
from biasprint.core.studies.creativity.columns import without_codes, without_persons


def finding(label: str, groups: tuple[str, ...] = (), **dims: str) -> Finding:
    return Finding(
        id="creativity.share", label=label, title="t", groups=groups, dims=dims, estimate=0.5, reason="",
        unit="proportion", n=4, n_by_group=dict.fromkeys(groups, 1),
    )  # fmt: skip


def test_a_participant_is_a_number_and_the_same_one_throughout(monkeypatch) -> None:
    monkeypatch.setattr(creativity_columns, "participants", lambda project: frozenset({"P-ABC", "P-XYZ"}))
    columns, names = without_codes(None, {"rater": ["P-ABC", "R01", "P-XYZ", "P-ABC"], "axis": ["a"] * 4})
    assert names == {"participant 1", "participant 2"}
    assert columns["rater"][1] == "R01"
    assert columns["rater"][0] == columns["rater"][3] != columns["rater"][2]
    assert set(columns["rater"]) == names | {"R01"}


def test_findings_about_one_participant_are_left_out_and_nobody_is_listed() -> None:
    names = frozenset({"participant 1", "participant 11"})
    every = (
        finding("man", ("man", "woman")),
        finding("man", ("man", "woman"), rater="participant 11"),
        finding("participant 1 / R01", ("participant 1", "R01")),
        finding("gender", ("participant 1", "R01", "participant 11")),
        finding("participant 1"),
    )
    kept = without_persons(StudyResult("creativity", 5, {}, every), names).findings
    assert [one.label for one in kept] == ["man", "gender"]
    assert kept[1].groups == ("R01",)
    assert kept[1].n_by_group == {"R01": 1}
    assert "2 of them took part in a workshop" in kept[1].note
    assert without_persons(StudyResult("creativity", 5, {}, every), frozenset()).findings == every
