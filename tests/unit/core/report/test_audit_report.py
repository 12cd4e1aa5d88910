"""The report of a study: who was audited, what was found, what it cannot say; and every number is a finding's."""

import io
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_numbers import is_rounded, leaves, numbers

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Adjustment, Finding, Floor, Interval, ScorerUse, scorer_error
from biasprint.core.report.audit import (
    ENDINGS,
    AskedSet,
    Audited,
    AuditReport,
    audit_report,
    report_bytes,
    write_audit_report,
    write_figures,
)
from biasprint.core.report.blocks import Heading, ReportFigure, ReportParagraph, ReportTable, runs_of

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
        "asked": (AskedSet("CoGS", 1, 120, "cd" * 32, {"Write a haiku about {theme}": 118, "Be <b>_": 2}),),
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
                 "Be #1.", "Asked: 120 prompts of “CoGS”, version 1."):  # fmt: skip
        assert told in first
    assert "2 questions about creative texts. Yes: 1; not shown: 1." in first
    assert "Yes, in 1 of 2 comparisons: “RBS of <gender> & 50 % of {it}_”: 0.043 (cosine distance)." in first
    assert "stays below 0.031 in 95 of 100 cases; 95 % interval 0.012 to 0.081; p " in first
    assert "n = 36 prompts; by a stand-in scorer." in first
    assert "Far from the default is othered." in first
    assert "preferred? No difference was shown: “ABS of gender”: 21 %. This does not prove" in first
    assert "\n“ABS of gender”: 95 % interval 10 to 32 %; p = " in first
    for limit in ("MiniLM embeddings (embedding)",
                  "1 of the 3 findings behind these answers rests on fewer than 30 items (12)",
                  "1 of the 4 findings could not be computed", "7 × refusal", "English"):  # fmt: skip
        assert limit in first
    assert sum(isinstance(block, ReportFigure) for block in report.pages[0].blocks) == 1
    assert "pooled" not in first


def of_generators(*names: str) -> tuple[Finding, ...]:
    """The same finding of each generator; that of the first alone stands out."""
    return tuple(
        replace(GENDER, title="RBS of gender", dims={"axis": "gender", "generator": name}, harm="",
                p_adjusted=0.001 if name == names[0] else 0.5)
        for name in names
    )  # fmt: skip


def test_each_generator_is_answered_for_and_drawn_beside_the_other() -> None:
    report = made(findings=of_generators("large", "none"))
    first = text_of(report, 0)
    amount = "“RBS of gender”: 0.043 (cosine distance)"
    sure = "95 % interval 0.012 to 0.081; p = 0.{}, adjusted for 2 tests; n = 36 prompts; by a stand-in scorer"
    bounds = f"“RBS of gender”: chance alone stays below 0.031 in 95 of 100 cases; {sure.format('001')}."
    assert f"differ from those for others? “large”: yes: {amount}. Texts for nobody" in first
    assert f" “none”: no difference was shown: {amount}.\n" in first
    assert f"\n“large” · {bounds} “none” · “RBS of gender”: {sure.format('50')}." in first
    (picture,) = [block.figure for block in report.pages[0].blocks if isinstance(block, ReportFigure)]
    assert (picture.series, [row for _, row in picture.rows]) == (("large", "none"), ["RBS of gender"])
    many = text_of(made(findings=of_generators("a", "b", "c", "d")), 0)
    assert f"Yes for 1 of 4 generators, most clearly for “a”. Yes: {amount}." in many
    assert f"\n“a” · {bounds}" in many


def test_whether_generators_differ_is_the_first_page_after_the_first() -> None:
    between = replace(
        GENDER, id="creativity.rbs.between_generators", title="RBS of gender", groups=("large", "none"), floor=None
    )
    report = made(findings=(*of_generators("large", "none"), between))
    assert report.pages[1].title == "Do the generators differ from each other?"
    first = text_of(report, 0)
    assert "differ from each other? Yes: “RBS of gender”: 0.043 higher for large than for none (cosine" in first


def test_remarks_that_differ_in_their_numbers_stand_once() -> None:
    notes = {at: f"The interval is {at}.5 times as wide." for at in range(2, 7)}
    alike = tuple(replace(GENDER, title=f"RBS {at}", note=note) for at, note in notes.items())
    page = text_of(made(findings=alike), -2)
    assert "RBS 2 (gender): The interval is 2.5 times as wide. The same, with other numbers, of 4 more." in page
    assert page.count("times as wide") == 1
    bare = replace(GENDER, interval=None, reason="interval: one block")
    assert "of {it}_: No interval: one block" in text_of(made(findings=(bare, RACE)), -2)
    shared = text_of(made(findings=(GENDER, RACE)), -2)
    assert "\nA | note." in shared  # of all of them: nobody is named
    some = text_of(made(findings=(*(replace(one, note="Shared.") for one in alike), replace(RACE, note=""))), -2)
    assert "RBS 2 (gender); RBS 3 (gender); RBS 4 (gender); and 2 more: Shared." in some


def test_the_rows_read_and_left_out_are_told_once() -> None:
    first = text_of(made(recipe={"rows": 1250, "left_out": {"refusal": 7}}), 0)
    assert "Measured: 1,250 rows; left out: 7 × refusal." in first
    assert first.count("refusal") == 1


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
    for told in ("In JSON: creativity.rbs |", "RBS = population SD", "Kumar, equation 9", "SHA-256 " + "ab" * 32,
                 "Holm", "f" * 64, "seed | 11",
                 "118 × Write a haiku about {theme}", "2 × Be <b>_", "cd" * 32):  # fmt: skip
        assert told in last


def sample_findings(study: str, folder: Path) -> tuple[Finding, ...]:
    from biasprint.core.project.project import Project
    from biasprint.core.runs.sample import unpack_sample

    unpack_sample(folder / "Sample.biasprint")
    with Project.open(folder / "Sample.biasprint", read_only=True) as project:
        return tuple(Finding.from_json(row.body) for row in project.findings.all(study))


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Audited, AuditReport]:
    findings = sample_findings("letters", tmp_path_factory.mktemp("sample"))
    audited = Audited(study="letters", texts="Letters", findings=findings, recipe={})
    return audited, audit_report(audited)


def rows_of_all(report: AuditReport) -> list[tuple[str, ...]]:
    """The rows of the page of all findings."""
    (page,) = [one for one in report.pages if one.title == "All findings"]
    return [row for block in page.blocks if isinstance(block, ReportTable) for row in block.rows]  # type: ignore[misc]


def test_every_number_of_the_report_is_found_again_in_the_json(sampled: tuple[Audited, AuditReport]) -> None:
    audited, report = sampled
    stored = [json.loads(json.dumps(one.to_json())) for group in audited.questions for one in group.findings]
    rows = rows_of_all(report)
    assert len(rows) == len(stored) == len(audited.findings)
    checked = 0
    for row, one in zip(rows, stored, strict=True):
        interval, floor = one["interval"] or {}, one["floor"] or {}
        expected = (
            [one["estimate"]], [interval.get("low"), interval.get("high"), interval.get("level")], [floor.get("p95")],
            [one["n"]], [one["p"]], [one["p_adjusted"]],
        )  # fmt: skip
        for cell, values in zip(row[1:], expected, strict=True):
            if "<" in cell:  # “< 0.001”
                assert values[0] < 0.001
                continue
            for (shown, decimals), value in zip(numbers(cell), values, strict=False):
                assert is_rounded(shown, decimals, value), (one["id"], one["label"], cell)
                checked += 1
    assert checked > 500
    known = [value for one in stored for value in leaves(one)]
    errors = filter(None, map(scorer_error, audited.findings))  # of a note
    known += [
        float(value)
        for error in errors
        for value in (error.sensitivity, error.specificity, error.value, error.low, error.high)
        if value is not None
    ]
    for page in range(len(report.pages) - 2):
        said = re.sub(r"(?:fewer than|of) \d+", "", text_of(report, page))
        for shown, decimals in numbers(said):
            if decimals:
                assert any(is_rounded(shown, decimals, value) for value in known), (page, shown)


def test_every_number_is_in_the_pdf_and_the_pdf_has_no_other(sampled: tuple[Audited, AuditReport]) -> None:
    from pdfminer.high_level import extract_text

    some = replace(sampled[0], findings=sampled[0].findings[::8])
    report = audit_report(some)
    only = replace(report, pages=tuple(one for one in report.pages if one.title == "All findings"))
    printed = Counter(numbers(extract_text(io.BytesIO(report_bytes(only, ".pdf")))))
    wanted = Counter(number for row in rows_of_all(report) for cell in row[1:] for number in numbers(cell))
    assert sum(wanted.values()) > 120
    assert not wanted - printed
    told = json.dumps([one.to_json() for one in some.findings], ensure_ascii=False)
    written, known = set(numbers(told)), list(leaves(json.loads(told)))
    for shown, decimals in printed - wanted:
        in_words = (shown, decimals) in written  # of a note
        assert in_words or not decimals or any(is_rounded(shown, decimals, value) for value in known), shown


HOSTILE = r"a&b 50% c_d~e\f{g}^ #1 $5 <b> --x ,,y 'q' `z` مح 😀 Łódź ħ [o] *"


def test_latex_has_every_sign_of_a_hostile_name_and_none_of_them_as_a_command() -> None:
    page = report_bytes(made(findings=(replace(GENDER, title=HOSTILE),), origin=HOSTILE), ".tex").decode()
    assert (
        r"a\&b 50\% c\_d\textasciitilde{}e\textbackslash{}f\{g\}\textasciicircum{} \#1 \$5 \textless{}b\textgreater{} "
        r"-{}-x ,{},y \textquotesingle{}q\textquotesingle{} \textasciigrave{}z\textasciigrave{} "
        r"\biasprintsign{0645}{م}\biasprintsign{062D}{ح} \biasprintsign{1F600}{😀} Łódź \biasprintsign{0127}{ħ} "
        r"{[}o] {*}"
    ) in page
    # Of signs that mean something to LaTeX only those of our own commands are left: braces are balanced in every line.
    for line in page.splitlines():
        bare = re.sub(r"\\[\\{}$&#%_]", "", line)
        assert bare.startswith("%") or "%" not in bare
        assert "#" not in bare or "providecommand" in line
        assert bare.count("{") == bare.count("}"), line


def test_what_a_model_or_a_file_wrote_is_no_markup_in_markdown() -> None:
    page = report_bytes(made(findings=(replace(GENDER, title="![x](y) <b>&lt; |"),)), ".md").decode()
    assert r"!\[x\](y) \<b\>\&lt; \|" in page
    assert "\n1\\. study · " in report_bytes(made(origin="1. study"), ".md").decode()


@pytest.mark.parametrize("ending", [one for one in ENDINGS if one != ".htm"])
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
        assert r"RBS of \<gender\> \& 50 % of {it}\_" in page
        assert r"A \| note." in page
        table = [line for line in page.splitlines() if line.startswith("| RBS")]
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} <= {8, 9}
    if ending == ".tex":
        assert r"RBS of \textless{}gender\textgreater{} \& 50 \% of \{it\}\_" in page
        assert page.count(r"\begin{longtable}") == page.count(r"\toprule") == page.count(r"\end{longtable}") > 5
        assert r"$\mathrm{RBS} = \sqrt" in page
        assert page.count("$") % 2 == 0


def test_a_screen_reader_can_tell_the_page() -> None:
    """Its language and title, what each figure shows, and what the cells of each table belong to."""
    page = report_bytes(made(), ".html").decode()
    assert re.search(r'<html lang="en">.*<title>[^<]+</title>', page, re.DOTALL)
    figures = re.findall(r"<svg[^>]*>\s*<title>[^<]+</title><desc>[^<]+", page)
    assert len(figures) == page.count("<svg") == len(re.findall(r'<svg[^>]* role="img" aria-label="[^"]+', page)) > 1
    tables = re.findall(r"<table.*?</table>", page, re.DOTALL)
    assert len(tables) > 1
    assert all('<th scope="col">' in table for table in tables)
    assert re.findall(r"<a [^>]*>\s*</a>", page) == []


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
