"""The report of a study: who was audited, what was found, what it cannot say; and every number is a finding's."""

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import AppError, UsageError
from core.findings import Adjustment, Finding, Floor, Interval, ScorerUse
from core.report.audit import (
    ENDINGS,
    Audited,
    AuditReport,
    audit_report,
    report_bytes,
    write_audit_report,
    write_figures,
)
from core.report.blocks import Heading, ReportFigure, ReportParagraph, ReportTable, runs_of

STAND_IN = ScorerUse("embedding", "minilm", "1", sha256="ab" * 32, stand_in=True)
GENDER = Finding(
    id="creativity.rbs", label="gender", title="RBS of <gender> & 50 % of {it}_", groups=("man", "woman"),
    estimate=0.04321, unit="cosine distance", n=36, dims={"axis": "gender"}, interval=Interval(0.012, 0.081, 0.95, "F"),
    floor=Floor(0.02, 0.0312, 0.2), p=0.0021, p_adjusted=0.0042, adjust=Adjustment("Holm", "2 tests"),
    dropped={"refusal": 7}, scorers=(STAND_IN,), harm="Far from the default is othered.", source="Kumar, equation 9",
    note="A | note.",
)  # fmt: skip
RACE = replace(GENDER, label="race", title="RBS of race", dims={"axis": "race"}, estimate=0.0157, n=12, p=0.44,
               p_adjusted=0.44, interval=Interval(0.0, 0.0519, 0.95, "F"))  # fmt: skip
SHARE = Finding(
    id="creativity.abs", label="gender", title="ABS of gender", groups=("man", "woman"), estimate=0.213,
    unit="proportion", n=240, dims={"axis": "gender"}, interval=Interval(0.1, 0.321, 0.95, "made up"), p=0.3,
    p_adjusted=0.31, adjust=Adjustment("Holm", "1 test"),
)  # fmt: skip
LOST = replace(
    GENDER, label="orientation", title="RBS of orientation", dims={"axis": "orientation"}, estimate=None,
    interval=None, floor=None, p=None, p_adjusted=None, adjust=None, reason="fewer than two groups",
)  # fmt: skip
WHO = {
    "name": "qwen, temperature 0.2", "backend": "llama_cpp", "model": "qwen", "endpoint": "",
    "system_prompt": "Be #1.",
    "parameters": {"temperature": 0.2}, "revision": "f" * 64, "seeds": [7], "runs": [1], "n": 240,
    "first": "2026-03-01T10:00:00+00:00", "last": "2026-03-02T10:00:00+00:00",
}  # fmt: skip


def made(**changes: Any) -> AuditReport:
    fields: dict[str, Any] = {
        "study": "creativity", "texts": "Creative texts", "findings": (GENDER, RACE, SHARE, LOST), "generators": (WHO,),
        "recipe": {"seed": 11, "program_version": "0.1.0"}, "origin": "Project “Try”", "measured_at": "3 March 2026",
        "prompts": ("120 prompts of “CoGS”, version 1.",),
    }  # fmt: skip
    return audit_report(Audited(**(fields | changes)))


def text_of(report: AuditReport, page: int) -> str:
    parts = []
    for block in report.pages[page].blocks:
        if isinstance(block, Heading):
            parts.append(block.text)
        elif isinstance(block, ReportParagraph):
            parts.append("".join(run.text for run in block.runs))
        elif isinstance(block, ReportTable):
            parts += [" | ".join("".join(run.text for run in runs_of(cell)) for cell in row) for row in block.rows]
    return "\n".join(parts)


def test_the_first_page_says_who_what_and_what_not() -> None:
    report = made()
    first = text_of(report, 0)
    for told in ("qwen, temperature 0.2", "version ffffffffffff", "temperature 0.2; seed 7", "2026-03-01 to 2026-03-02",
                 "Be #1.", "120 prompts"):  # fmt: skip
        assert told in first
    assert "Of 2 questions asked of creative texts, 1 are answered by a difference; in 1 none is shown" in first
    assert "Yes, in 1 of 2 comparisons, most clearly: RBS of <gender> & 50 % of {it}_, 0.043 cosine distance" in first
    assert "(95 % interval 0.012–0.081, n = 36, by a stand-in scorer)" in first
    assert "stays below 0.031 in 95 of 100 cases. Far from the default is othered." in first
    assert "no proof that there is none; nearest is ABS of gender, 21 % (95 % interval 10–32, n = 240)" in first
    for limit in ("embedding by MiniLM", "1 of the 3 findings that answer rest on fewer than 30", "the smallest on 12",
                  "1 of 4 findings have no number", "7 × refusal", "English"):  # fmt: skip
        assert limit in first
    assert sum(isinstance(block, ReportFigure) for block in report.pages[0].blocks) == 1
    assert "pooled" not in first


def test_pooling_and_staleness_are_said() -> None:
    assert "pooled, by choice: qwen, temperature 0.2 (n = 240)" in text_of(made(recipe={"pooled": True}), 0)
    assert text_of(made(stale="These findings are stale: 5 texts came after."), 0).startswith(
        "These findings are stale"
    )
    assert "not known" in text_of(made(generators=()), 0)


def test_headings_are_words_and_the_pages_are_in_order() -> None:
    report = made()
    titles = [page.title for page in report.pages]
    assert titles[0] == "In short"
    assert titles[1].startswith("Do texts for some identities differ")
    assert titles[2].startswith("Are texts for some identities preferred")
    assert titles[-2:] == ["All findings", "How it was measured"]
    heads = [block.text for block in report.blocks() if isinstance(block, Heading)]
    assert not [head for head in heads if re.search(r"[a-z]\.[a-z]|_", head)]


def test_the_last_page_has_equations_sources_hashes_and_the_recipe() -> None:
    last = text_of(made(), -1)
    for told in ("RBS = population SD", "Kumar, equation 9", "SHA-256 " + "ab" * 32, "f" * 64, "seed | 11", "Holm"):
        assert told in last


def numbers(text: str) -> Iterator[tuple[float, int]]:
    """The numbers of a text, each with its decimals."""
    for found in re.findall(r"(?<![\w.])−?\d[\d,]*(?:\.\d+)?", text):
        plain = found.replace("−", "-").replace(",", "")
        yield float(plain), len(plain.partition(".")[2])


def is_rounded(shown: float, decimals: int, value: float) -> bool:
    return any(abs(value * factor - shown) <= 0.5000001 * 10**-decimals for factor in (1, 100))


def leaves(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for one in value.values():
            yield from leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def sample_findings(study: str, folder: Path) -> tuple[Finding, ...]:
    from core.project.project import Project
    from core.runs.sample import unpack_sample

    unpack_sample(folder / "Sample.biasprint")
    with Project.open(folder / "Sample.biasprint", read_only=True) as project:
        return tuple(Finding.from_json(row.body) for row in project.findings.all(study))


def test_every_number_of_the_report_is_found_again_in_the_json(tmp_path: Path) -> None:
    findings = sample_findings("letters", tmp_path)
    audited = Audited(study="letters", texts="Letters", findings=findings, recipe={})
    report = audit_report(audited)
    stored = [json.loads(json.dumps(one.to_json())) for group in audited.questions for one in group.findings]
    rows = [row for block in report.pages[-2].blocks if isinstance(block, ReportTable) for row in block.rows]
    assert len(rows) == len(stored) == len(findings)
    checked = 0
    for row, one in zip(rows, stored, strict=True):
        interval, floor = one["interval"] or {}, one["floor"] or {}
        expected = (
            [one["estimate"]], [interval.get("low"), interval.get("high"), interval.get("level")], [floor.get("p95")],
            [one["n"]], [one["p"]], [one["p_adjusted"]],
        )  # fmt: skip
        for cell, values in zip(row[1:], expected, strict=True):
            if "<" in str(cell):  # “< 0.001”
                assert values[0] < 0.001
                continue
            for (shown, decimals), value in zip(numbers(str(cell)), values, strict=False):
                assert is_rounded(shown, decimals, value), (one["id"], one["label"], cell)
                checked += 1
    assert checked > 500
    known = [value for one in stored for value in leaves(one)]
    for page in range(len(report.pages) - 2):
        said = re.sub(r"(?:fewer than|of) \d+", "", text_of(report, page))
        for shown, decimals in numbers(said):
            if decimals:
                assert any(is_rounded(shown, decimals, value) for value in known), (page, shown)


@pytest.mark.parametrize("ending", ENDINGS)
def test_each_format_says_it_all_and_no_text_is_markup(ending: str) -> None:
    written = report_bytes(made(), ending)
    if ending == ".pdf":
        from pdfminer.high_level import extract_text

        assert written.startswith(b"%PDF")
        page = extract_text(io.BytesIO(written))
        assert "RBS of <gender> & 50 % of {it}_" in " ".join(page.split())
    else:
        page = written.decode()
    for told in ("Who was audited", "What this cannot say", "All findings", "How it was measured"):
        assert told in page
    if ending == ".html":
        assert "RBS of &lt;gender&gt; &amp; 50 %" in page
        assert "<gender>" not in page
        assert "http" not in page.replace("http-equiv", "")
    if ending == ".md":
        assert r"RBS of \<gender\> & 50 % of {it}\_" in page
        assert r"A \| note." in page
        table = [line for line in page.splitlines() if line.startswith("| RBS")]
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} <= {8, 9}
    if ending == ".tex":
        assert r"RBS of \textless{}gender\textgreater{} \& 50 \% of \{it\}\_" in page
        assert page.count(r"\begin{longtable}") == page.count(r"\toprule") == page.count(r"\end{longtable}") > 5
        assert r"$\mathrm{RBS} = \sqrt" in page
        assert page.count("$") % 2 == 0


def test_figures_are_pdfs_of_their_own_and_a_report_is_written_whole(tmp_path: Path) -> None:
    report = made()
    written = write_figures(tmp_path / "figures", report)
    assert len(written) == len(report.figures) > 1
    assert all(path.read_bytes().startswith(b"%PDF") for path in written)
    with pytest.raises(UsageError, match=r"not “report\.doc”"):
        write_audit_report(tmp_path / "report.doc", report)
    with pytest.raises(AppError, match="no folder"):
        write_audit_report(tmp_path / "none" / "report.md", report)
    (tmp_path / "file").write_text("")
    with pytest.raises(AppError, match="could not be made"):
        write_figures(tmp_path / "file", report)
