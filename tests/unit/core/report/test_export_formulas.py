"""No exported cell is read as a formula, and what a cell cannot hold is reported."""

import csv
import html
import re
import zipfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasprint.core.errors import AppError
from biasprint.core.report import export
from biasprint.core.report.export import export_rows
from biasprint.core.text import with_guard, without_guard

HOSTILE = [
    '=HYPERLINK("http://example.org","click")',
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "  =1+1",
    "\ufeff=1+1",
    "＝1+1",
    "- a list\n- of points",
    "'=1+1",
    "''=1+1",
    "=",
    "-",
]
HARMLESS = ["plain", "a=b", "'quoted'", "", "3 + 4", "#N/A", "TRUE", "007"]
NUMBERS = ["-3.5", "+2", "-1e-05", "12"]


def csv_cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def sheet_cells(path: Path) -> list[tuple[str, str, str]]:
    """Reference, type and text of each cell, from the XML itself: what any spreadsheet will see."""
    with zipfile.ZipFile(path) as book:
        xml = book.read("xl/worksheets/sheet1.xml").decode("utf-8")
    assert "<f>" not in xml
    assert "<f " not in xml
    found = re.findall(r'<c r="([A-Z]+\d+)"([^>]*?)(?:/>|>(.*?)</c>)', xml, flags=re.S)
    kinds = [
        (ref, re.search(r't="(\w+)"', attributes), re.sub("<[^>]+>", "", inner)) for ref, attributes, inner in found
    ]
    return [(ref, kind[1] if kind else "n", html.unescape(text)) for ref, kind, text in kinds]


def test_csv_cells_that_look_like_formulas_are_guarded(tmp_path: Path) -> None:
    report = export_rows([{"text": text} for text in HOSTILE], tmp_path / "out.csv")
    cells = [row[0] for row in csv_cells(tmp_path / "out.csv")[1:]]
    assert all(cell.startswith("'") for cell in cells)
    assert [without_guard(cell) for cell in cells] == HOSTILE
    assert report.guarded == len(HOSTILE)
    assert "formulas" in report.notices()[0]


def test_other_csv_cells_and_numbers_stay_as_they_are(tmp_path: Path) -> None:
    texts = HARMLESS + NUMBERS
    report = export_rows([{"text": text, "n": -3.5, "i": -7} for text in texts], tmp_path / "out.csv")
    rows = csv_cells(tmp_path / "out.csv")[1:]
    assert [row[0] for row in rows] == texts
    assert {(row[1], row[2]) for row in rows} == {("-3.5", "-7")}
    assert report.guarded == 0


def test_column_names_are_guarded_too(tmp_path: Path) -> None:
    export_rows([{"=cmd": 1}], tmp_path / "out.csv")
    assert csv_cells(tmp_path / "out.csv")[0] == ["'=cmd"]
    export_rows([{"=cmd": 1}], tmp_path / "out.xlsx")
    assert sheet_cells(tmp_path / "out.xlsx")[0] == ("A1", "inlineStr", "=cmd")


@given(st.text(alphabet="'=-+@ \t\r\nab1", max_size=6))
def test_the_guard_comes_off_again(text: str) -> None:
    assert without_guard(with_guard(text)) == text


def test_every_text_in_xlsx_is_a_string_cell(tmp_path: Path) -> None:
    texts = HOSTILE + [text for text in HARMLESS if text] + NUMBERS
    export_rows([{"text": text, "n": -3.5} for text in texts], tmp_path / "out.xlsx")
    cells = sheet_cells(tmp_path / "out.xlsx")[2:]
    assert {kind for ref, kind, _ in cells if ref.startswith("A")} == {"inlineStr"}
    assert {(kind, text) for ref, kind, text in cells if ref.startswith("B")} == {("n", "-3.5")}


def test_a_guarded_xlsx_cell_stays_text_when_someone_edits_it(tmp_path: Path) -> None:
    export_rows([{"a": "=1+1", "b": "plain"}], tmp_path / "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert (sheet["A2"].quotePrefix, sheet["B2"].quotePrefix) == (True, False)
    assert (sheet["A2"].data_type, sheet["A2"].value) == ("s", "=1+1")


def test_a_text_that_is_too_long_for_an_xlsx_cell_is_cut_and_reported(tmp_path: Path) -> None:
    exact, long, astral = "x" * 32_767, "y" * 40_000, "z" + "\U0001f600" * 20_000
    report = export_rows([{"text": exact}, {"text": long}, {"text": astral}], tmp_path / "out.xlsx")
    assert [(cut.row, cut.column, cut.length, cut.kept) for cut in report.cut] == [
        (2, "text", 40_000, 32_767),
        (3, "text", 20_001, 16_384),  # an emoji takes two of the 32,767 units: 1 + 16,383 whole ones
    ]
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert sheet["A2"].value == exact
    assert sheet["A3"].value == long[:32_767]
    assert sheet["A4"].value == astral[:16_384]
    assert "2 texts were longer" in report.notices()[0]


def test_characters_that_xml_cannot_hold_are_written_in_the_formats_own_escape(tmp_path: Path) -> None:
    text = "a\x00b\x0bc\rd\ufffee _x0041_ \n\t"
    export_rows([{"text": text}], tmp_path / "out.xlsx")
    [(_, _, written)] = sheet_cells(tmp_path / "out.xlsx")[1:]
    assert written == "a_x0000_b_x000B_c_x000D_d_xFFFE_e _x005F_x0041_ \n\t"
    assert re.sub("_x([0-9A-F]{4})_", lambda hit: chr(int(hit[1], 16)), written) == text


def test_a_text_of_escapes_is_still_cut_to_what_the_cell_holds(tmp_path: Path) -> None:
    report = export_rows([{"text": "\x00" * 10_000}], tmp_path / "out.xlsx")
    [(_, _, written)] = sheet_cells(tmp_path / "out.xlsx")[1:]
    assert written == "_x0000_" * 4681  # 4,681 × 7 = 32,767
    assert report.cut[0].kept == 4681


def test_long_whole_numbers_keep_their_digits_in_xlsx(tmp_path: Path) -> None:
    export_rows([{"seed": 2**63 - 1, "small": 123456789012345}], tmp_path / "out.xlsx")
    cells = sheet_cells(tmp_path / "out.xlsx")[2:]
    assert cells == [("A2", "inlineStr", "9223372036854775807"), ("B2", "n", "123456789012345")]


def test_more_rows_than_a_sheet_holds_are_refused_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "MOST_ROWS", 3)
    export_rows([{"a": 1}, {"a": 2}], tmp_path / "fits.xlsx")
    with pytest.raises(AppError, match="holds 2 rows") as caught:
        export_rows([{"a": 1}, {"a": 2}, {"a": 3}], tmp_path / "out.xlsx")
    assert "csv or parquet" in caught.value.hint
    assert not (tmp_path / "out.xlsx").exists()
