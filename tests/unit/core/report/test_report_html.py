"""The HTML report holds every figure, escapes every text, and loads nothing."""

from pathlib import Path

import pytest

from core.errors import AppError
from core.findings import Finding, Floor, Interval, ScorerUse, StudyResult
from core.report.html import report_html, write_report

STAND_IN = ScorerUse("embedding", "minilm", "1", stand_in=True)


def finding(**changes: object) -> Finding:
    fields: dict[str, object] = {
        "id": "creativity.rbs", "label": "race", "title": "RBS on <race>", "groups": ("black", "white"),
        "estimate": 0.04321, "unit": "cosine distance", "n": 36, "interval": Interval(0.012, 0.081, 0.95, "F"),
        "floor": Floor(0.02, 0.0312, 0.2), "p": 0.2, "scorers": (STAND_IN,), "note": "A <b>note</b>.",
    }  # fmt: skip
    return Finding(**(fields | changes))  # type: ignore[arg-type]


def test_every_figure_is_there_and_no_text_is_markup() -> None:
    page = report_html(StudyResult("creativity", 40, {"no text": 4}, (finding(),)), title="T & T", recipe={"seed": 7})
    for text in ("0.043", "0.012–0.081", "0.031", "36", "0.20", "4 × no text", "embedding: stand-in", "T &amp; T"):
        assert text in page
    assert "MiniLM embeddings: minilm 1 (stand-in)" in page
    assert "<race>" not in page
    assert "<b>" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_an_undefined_estimate_says_why() -> None:
    one = finding(estimate=None, interval=None, floor=None, p=None, reason="expected count 1.5 is below 5", note="")
    page = report_html(StudyResult("creativity", 1, {}, (one,)), title="T", recipe={})
    assert "undefined" in page
    assert "race: expected count 1.5 is below 5" in page


def test_a_remark_shared_by_findings_stands_once() -> None:
    two = (finding(), finding(label="gender"))
    page = report_html(StudyResult("creativity", 1, {}, two), title="T", recipe={})
    assert page.count("A &lt;b&gt;note") == 1
    assert "race, gender: A" in page


def test_a_report_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    result = StudyResult("creativity", 1, {}, (finding(),))
    with pytest.raises(AppError, match="no folder"):
        write_report(result, tmp_path / "none" / "report.html", title="T", recipe={})
    write_report(result, tmp_path / "report.html", title="T", recipe={})
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
