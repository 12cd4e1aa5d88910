"""Reading xlsx: plain text from every kind of cell, our own exports as they were, and no file that does harm."""

import contextlib
import json
import re
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path

import openpyxl
import pytest
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from biasprint.core.errors import AppError, JobCancelled, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.report.export import export_rows
from biasprint.core.tables import FieldSpec, look_at, read_records
from biasprint.core.tables.rows import TableRead
from biasprint.core.tables.typed_files import XlsxFile
from biasprint.core.text import store_text

FIELDS = [FieldSpec("text", required=True), FieldSpec("group"), FieldSpec("age")]
NAUGHTY = [json.loads(line) for line in (Path(__file__).parents[3] / "data" / "naughty_texts.jsonl").open("rb")]
FORMULAS = ["=1+1", "'=1+1", "''=1+1", "@SUM(A1)", "-x", "\t=1", "'quoted'", "_x000D_", "_x005F_x000D_", "a_b", "_"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "letters.xlsx"


def saved(path: Path, rows: list[list[object]], change: Callable[[Worksheet], object] = lambda sheet: None) -> Path:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    change(book.active)
    book.save(path)
    return path


def with_part(path: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    """The same archive with one part changed, or added."""
    with zipfile.ZipFile(path) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    parts[name] = change(parts.get(name, b""))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    return path


def values(read: TableRead, field: str = "text") -> list[str]:
    return [row.values[field] for row in read.rows]


# cells


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (60, "60"),
        (60.0, "60"),
        (0.1, "0.1"),
        (-2.5, "-2.5"),
        (1e-7, "1e-07"),
        (True, "true"),
        (date(2024, 3, 1), "2024-03-01"),
        (datetime(2024, 3, 1, 10, 30), "2024-03-01 10:30:00"),
        (time(8, 15), "08:15:00"),
        ("007", "007"),
        ("#N/A", None),  # openpyxl writes this text as an error, as spreadsheets do
    ],
)
def test_every_kind_of_cell_has_one_plain_form(path: Path, value: object, text: str | None) -> None:
    read = read_records(saved(path, [["text", "age"], ["Dear all", 1], ["x", value]]), FIELDS)
    if text is None:
        assert [str(problem) for problem in read.problems] == ["Row 2 (line 3): error in a formula; “age” holds #N/A"]
    else:
        assert values(read, "age") == ["1", text]


def test_rows_carry_the_number_that_the_spreadsheet_shows_and_empty_ones_are_skipped(path: Path) -> None:
    rows = [[], ["text", "group"], ["a", "x"], [], ["", None], ["b", "y"], [None, "z"]]
    read = read_records(saved(path, rows), FIELDS)
    assert [(row.number, row.line, row.values["text"]) for row in read.rows] == [(1, 3, "a"), (2, 6, "b")]
    assert [str(problem) for problem in read.problems] == ["Row 3 (line 7): no text"]
    assert read.total == 3


def test_a_cell_without_a_column_name_is_told_and_the_row_kept(path: Path) -> None:
    read = read_records(saved(path, [["text", "group"], ["a", "x"], ["b", "y", None, "look here"]]), FIELDS)
    assert values(read) == ["a", "b"]
    assert [(p.number, p.reason, p.excerpt, p.kept) for p in read.problems] == [
        (2, "cell without a column name", "“look here”", True)
    ]


def saved_value(formula: bytes, value: bytes) -> Callable[[bytes], bytes]:
    """As a spreadsheet saves a value beside a formula; how an empty one is written depends on the XML library."""
    pattern = rb"(<f>" + re.escape(formula) + rb"</f>)<v(?: ?/>|></v>)"
    return lambda xml: re.sub(pattern, rb"\1<v>" + value + rb"</v>", xml)


def test_formulas_give_the_value_saved_with_them(path: Path) -> None:
    saved(path, [["text", "age"], ["a", "=20+2"], ["b", "=6+1"]])
    sheet = "xl/worksheets/sheet1.xml"
    with_part(path, sheet, saved_value(b"20+2", b"22"))
    read = read_records(path, FIELDS)
    assert values(read, "age") == ["22", ""]
    assert "Some formulas have no saved value" in " ".join(read.notices)
    with_part(path, sheet, saved_value(b"6+1", b"7"))
    read = read_records(path, FIELDS)
    assert (values(read, "age"), read.notices) == (["22", "7"], ())


def test_merged_cells_are_told_of(path: Path) -> None:
    rows = [["text", "group"], ["a", "x"], ["b", None]]
    read = read_records(saved(path, rows, lambda sheet: sheet.merge_cells("B2:B3")), FIELDS)
    assert values(read, "group") == ["x", ""]
    assert "Cells are merged" in " ".join(read.notices)


def test_texts_in_pieces_of_formatting_come_whole(path: Path) -> None:
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont

    rich = CellRichText("She is ", TextBlock(InlineFont(b=True), "able"), ".")
    assert values(read_records(saved(path, [["text"], [rich]]), FIELDS)) == ["She is able."]


# sheets


def workbook(path: Path, sheets: dict[str, tuple[str, list[list[object]]]]) -> Path:
    book = Workbook()
    book.remove(book.active)
    for title, (state, rows) in sheets.items():
        sheet = book.create_sheet(title)
        sheet.sheet_state = state
        for row in rows:
            sheet.append(row)
    book.create_chartsheet("Chart")
    book.save(path)
    return path


def test_the_first_visible_sheet_with_rows_is_read_and_the_others_named(path: Path) -> None:
    table = [["text"], ["from it"]]
    hidden = ("hidden", [["text"], ["secret"]])
    sheets = {"Empty": ("visible", []), "Old": hidden, "Letters": ("visible", table), "More": ("visible", table)}
    read = read_records(workbook(path, sheets), FIELDS)
    assert values(read) == ["from it"]
    assert read.notices == ("The sheet “Letters” was read; not read: “Old”, “More”.",)


def test_a_hidden_sheet_is_read_where_no_other_has_rows_and_that_is_said(path: Path) -> None:
    sheets = {"Front": ("visible", []), "Data": ("veryHidden", [["text"], ["kept"]])}
    read = read_records(workbook(path, sheets), FIELDS)
    assert values(read) == ["kept"]
    assert read.notices == ("The sheet “Data” is hidden in the workbook; no other holds rows.",)


# our own exports


def test_naughty_texts_of_our_own_export_come_back(path: Path) -> None:
    cases = [case for case in NAUGHTY if case.get("text", "").strip()]  # the others are longer than a cell, or empty
    assert len(cases) > 40
    export_rows([{"text": case["text"], "group": case["name"]} for case in cases], path)
    found = dict(zip(*(values(read_records(path, FIELDS), field) for field in ("group", "text")), strict=True))
    # Lone surrogates are no characters: the export escapes them, in every format but jsonl.
    assert found == {case["name"]: store_text(case["text"]).text for case in cases}


def test_formula_guards_of_our_own_export_leave_no_trace(path: Path) -> None:
    export_rows([{"text": text} for text in FORMULAS], path)
    assert values(read_records(path, FIELDS)) == FORMULAS


def test_own_texts_come_back_after_a_spreadsheet_program_saved_them(path: Path) -> None:
    """Such programs move the texts to a shared table; here by hand, as openpyxl forgets what is escaped."""
    export_rows([{"text": text} for text in FORMULAS], path)
    texts: list[bytes] = []

    def share(xml: bytes) -> bytes:
        def one(hit: re.Match[bytes]) -> bytes:
            texts.append(hit[2])
            return b'<c%s t="s"><v>%d</v></c>' % (hit[1], len(texts) - 1)

        return re.sub(rb'<c([^>]*?) t="inlineStr"><is>(.*?)</is></c>', one, xml, flags=re.S)

    with_part(path, "xl/worksheets/sheet1.xml", share)
    space = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    table = b'<sst xmlns="%s">%s</sst>' % (space, b"".join(b"<si>%s</si>" % text for text in texts))
    with_part(path, "xl/sharedStrings.xml", lambda _: table)
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    part = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % kind
    with_part(path, "[Content_Types].xml", lambda xml: xml.replace(b"</Types>", part))
    assert len(texts) == len(FORMULAS) + 1
    assert values(read_records(path, FIELDS)) == FORMULAS


def test_numbers_of_our_own_export_come_back_plain(path: Path) -> None:
    export_rows([{"text": "a", "age": 60, "group": 0.5}, {"text": "b", "age": 12345678901234567890}], path)
    read = read_records(path, FIELDS)
    assert [tuple(row.values.values()) for row in read.rows] == [("a", "0.5", "60"), ("b", "", "12345678901234567890")]


# files that cannot be used


def failure(path: Path) -> AppError:
    with pytest.raises(AppError) as caught:
        read_records(path, FIELDS)
    return caught.value


def test_a_file_that_is_no_workbook_is_said(path: Path) -> None:
    path.write_text("text,group\na,male\n", "utf-8")
    assert "is not an xlsx workbook" in str(failure(path))


def test_a_protected_workbook_is_said(path: Path) -> None:
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le"))
    assert "is protected by a password" in str(failure(path))


def test_a_workbook_without_rows_is_said(path: Path) -> None:
    assert "has no rows" in str(failure(saved(path, [[]])))
    assert "has no rows below its header" in str(failure(saved(path, [["text"]])))


@pytest.mark.parametrize("kept", [0.2, 0.6, 0.95])
def test_a_cut_workbook_is_one_sentence(path: Path, kept: float) -> None:
    whole = saved(path, [["text"], *([f"letter {number}"] for number in range(200))]).read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    assert "“letters.xlsx” is" in str(failure(path))


@pytest.mark.parametrize(
    "part", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "[Content_Types].xml", "xl/styles.xml"]
)
@pytest.mark.parametrize("content", [b"", b"<not", b"<a/>", b"\x00\xff"])
def test_a_broken_part_never_ends_in_a_traceback(path: Path, part: str, content: bytes) -> None:
    with_part(saved(path, [["text"], ["a"]]), part, lambda _: content)
    with contextlib.suppress(AppError):  # any other error is a traceback to the person
        assert values(read_records(path, FIELDS)) == ["a"]


def test_an_archive_that_would_unpack_to_too_much_is_refused_unread(path: Path) -> None:
    saved(path, [["text"], ["a"]])
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/bomb", bytes(30 * 1024**2))
    assert "would unpack to 30 MB" in str(failure(path))


def test_entities_that_grow_are_refused(path: Path) -> None:
    levels = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 9))
    bomb = b'<!DOCTYPE x [<!ENTITY e0 "aaaaaaaaaa">' + levels + b"]>"

    def grow(xml: bytes) -> bytes:
        return bomb + xml.replace(b"<sheetData>", b"<sheetData><!-- -->", 1).replace(b"<v>0</v>", b"<v>&e8;</v>", 1)

    with_part(saved(path, [["text"], ["a"]]), "xl/worksheets/sheet1.xml", grow)
    assert "is broken" in str(failure(path))


def test_a_row_number_beyond_every_sheet_is_refused_quickly(path: Path) -> None:
    saved(path, [["text"], ["a"]])
    far = b'<row r="99999999999"><c r="A99999999999" t="str"><v>far</v></c></row></sheetData>'
    with_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"</sheetData>", far))
    assert "is broken" in str(failure(path))


def test_a_wrong_declared_size_loses_no_rows(path: Path) -> None:
    saved(path, [["text", "group"], ["a", "x"], ["b", "y"]])
    with_part(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b'ref="A1:B3"', b'ref="A1"'))
    assert values(read_records(path, FIELDS)) == ["a", "b"]


def test_an_encoding_cannot_be_asked_for(path: Path) -> None:
    with pytest.raises(UsageError, match="no encoding to choose"):
        look_at(saved(path, [["text"], ["a"]]), encoding="cp1252")


# jobs


def test_reading_stops_within_a_thousand_rows_when_cancelled(path: Path) -> None:
    saved(path, [["text"], *([f"letter {number}"] for number in range(3000))])
    ctx = JobContext()
    rows = XlsxFile.open(path).rows(["text"], ctx)
    next(rows)
    ctx.cancel()
    assert sum(1 for _ in islice(rows, 998)) == 998
    with pytest.raises(JobCancelled):
        next(rows)


def test_the_file_can_be_deleted_after_a_look(path: Path) -> None:
    table = look_at(saved(path, [["text"], *([f"letter {number}"] for number in range(200))]))
    assert len(table.sample_rows) == 50
    path.unlink()  # refused on Windows while anything holds it open
    openpyxl.Workbook().save(path)
