"""Table 7 of the completion paper from the released replies of PaLM 2; skipped where they are absent."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from biasprint.core.compute import ComputeProcess
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.runs.measure import MeasuredStudy, measure_tables
from biasprint.core.studies.completion.cells import implied_tau, published
from biasprint.core.studies.kit.declared import MeasureOptions

pytestmark = pytest.mark.replication

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BIASPRINT_REPLICATION_DATA", ROOT.parent / "shared" / "data"))
LABELS = ("PPL", "PNL", "PNuL", "NPL", "NNL", "NNuL")
# Table 7, percent, and how many points METHODS.md allows.
TABLE_7 = {
    ("SAI", "ageism"): ((50.94, 33.97, 15.09, 28.33, 59.48, 12.17), 0.02),
    ("SAI", "beauty"): ((68.75, 2.60, 28.64, 3.72, 84.57, 11.70), 0.02),
    ("SAI", "nationality"): ((67.42, 17.28, 15.28, 55.73, 30.25, 14.00), 0.02),
    ("ASA", "ageism"): ((57.58, 19.19, 23.21, 32.09, 50.92, 16.97), 0.02),
    ("ASA", "beauty"): ((41.55, 26.83, 31.60, 4.97, 84.79, 10.23), 0.02),
    ("SAI", "beauty_profession"): ((61.95, 17.08, 20.95, 29.64, 39.60, 30.75), 0.3),
    ("ASA", "beauty_profession"): ((21.95, 49.32, 28.72, 11.32, 63.07, 25.60), 0.3),
    ("ASA", "nationality"): ((60.97, 3.52, 35.50, 31.39, 32.36, 36.24), 1.0),
}
INSTITUTION = {
    "SAI": (68.73, 20.77, 10.49, 19.61, 70.78, 9.59),
    "ASA": (63.13, 8.10, 28.75, 20.34, 36.87, 42.78),
}


def replies(name: str) -> Path:
    path = DATA / "completion" / name
    if not path.is_file():
        pytest.skip(f"the released replies are not at {path}; set BIASPRINT_REPLICATION_DATA to their folder")
    return path


@pytest.fixture(scope="module")
def compute() -> Iterator[ComputeProcess]:
    process = ComputeProcess()
    yield process
    process.close()


@pytest.fixture(scope="module")
def valid(compute: ComputeProcess) -> MeasuredStudy:
    paths = [replies("palm_valid.csv")]
    return measure_tables(JobContext(), paths, "completion", MeasureOptions(seed=1), compute, layout="kamruzzaman")


@pytest.fixture(scope="module")
def everything(compute: ComputeProcess) -> MeasuredStudy:
    paths = [replies("palm_valid.csv"), replies("palm_invalid.csv")]
    return measure_tables(JobContext(), paths, "completion", MeasureOptions(seed=1), compute, layout="kamruzzaman")


def findings(measured: MeasuredStudy, finding_id: str, **dims: str) -> list[Finding]:
    return [each for each in measured.result.findings if each.id == finding_id and each.dims == dims]


def percent(measured: MeasuredStudy, variant: str, direction: str, domain: str) -> dict[str, float]:
    found = findings(measured, "completion.likelihood", direction=direction, domain=domain)
    return {each.label: 100 * (each.estimate or 0.0) for each in found if each.variant == variant}


@pytest.mark.soak
@pytest.mark.parametrize("variant", ["default", "as_published"])
def test_eight_rows_of_table_7_come_out_in_both_variants(valid: MeasuredStudy, variant: str) -> None:
    compared = 0
    for (direction, domain), (printed, tolerance) in TABLE_7.items():
        ours = percent(valid, variant, direction, domain)
        for label, value in zip(LABELS, printed, strict=True):
            # The paper cuts its figures after the second decimal, so a difference may reach 0.01 beyond rounding.
            assert ours[label] == pytest.approx(value, abs=tolerance), (direction, domain, label)
            compared += 1
    assert compared == 48


def test_every_row_is_read_and_every_released_reply_names_an_option(valid: MeasuredStudy) -> None:
    assert valid.result.rows == 10_991
    assert valid.result.dropped == {}
    assert {record.values["term"] == "" for record in valid.tables[0].rows} == {False}


def test_the_given_terms_found_in_the_sentences_are_as_many_as_the_design_has(valid: MeasuredStudy) -> None:
    """METHODS: 22 ages, 72 attributes; 38 looks twice, 28 professions; 30 countries."""
    terms: dict[tuple[str, str], set[str]] = {}
    for record in valid.tables[0].rows:
        row = record.values
        terms.setdefault((row["domain"], row["direction"]), set()).add(row["term"])
    assert len(terms["ageism", "SAI"]) == 22
    assert len(terms["ageism", "ASA"]) == 72
    assert len(terms["beauty", "SAI"]) == len(terms["beauty_profession", "SAI"]) == 38
    assert len(terms["beauty_profession", "ASA"]) == 28
    assert len(terms["nationality", "SAI"]) == 30


@pytest.mark.soak
def test_the_irrelevant_replies_are_told_apart_and_counted(everything: MeasuredStudy) -> None:
    """The file of irrelevant replies has 949 rows; the paper left out 964 of another, smaller set."""
    assert everything.result.rows == 10_991 + 949
    left_out = everything.result.dropped["irrelevant"]
    assert left_out == 949
    by_direction = [
        each
        for direction in ("SAI", "ASA")
        for each in findings(everything, "completion.irrelevant", direction=direction)
        if each.variant == "default"
    ]
    assert sum(round((each.estimate or 0.0) * each.n) for each in by_direction) == left_out


def test_the_institution_rows_do_not_come_out_and_the_finding_says_why(valid: MeasuredStudy) -> None:
    for direction, printed in INSTITUTION.items():
        ours = percent(valid, "default", direction, "institution")
        assert max(abs(ours[label] - value) for label, value in zip(LABELS, printed, strict=True)) > 2
        for each in findings(valid, "completion.likelihood", direction=direction, domain="institution"):
            if each.label in LABELS:
                assert "nationwide" in each.note


def test_table_1_does_not_follow_from_tables_4_and_7_and_is_reported_as_inconsistent(valid: MeasuredStudy) -> None:
    for model, printed in published()["tau"].items():
        for direction, (tau, _) in printed.items():
            assert abs(implied_tau(model, direction) - tau) > 0.05, (model, direction)
    for direction in ("SAI", "ASA"):
        for each in findings(valid, "completion.tau_b", direction=direction):
            assert "Reported as inconsistent" in each.note


def test_intervals_that_know_of_shared_terms_are_wider_than_wilsons(valid: MeasuredStudy) -> None:
    for direction, domain in TABLE_7:
        found = findings(valid, "completion.likelihood", direction=direction, domain=domain)
        widths = {(each.variant, each.label): each.interval.high - each.interval.low for each in found if each.interval}
        for label in LABELS:
            assert widths["default", label] > 1.3 * widths["as_published", label]


def test_every_interval_holds_its_estimate_and_every_undefined_number_has_its_reason(everything: MeasuredStudy) -> None:
    assert everything.result.findings
    for each in everything.result.findings:
        if each.estimate is None or each.interval is None:
            assert each.reason
        else:
            assert each.interval.low <= each.estimate <= each.interval.high
