"""Encodings: marks, guesses that say so, and rows in another encoding named by their number."""

import codecs
from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.tables import FieldSpec, read_records

FIELDS = [FieldSpec("text", required=True)]
FRENCH = "Hélène a été une élève très appliquée – une énergie précieuse à l’équipe."
RUSSIAN = "Я с удовольствием рекомендую Анну; она ответственный и талантливый сотрудник."
POLISH = "Z przyjemnością polecam Małgorzatę, była sumienną pracownicą i źródłem wiedzy dla całego zespołu."


def write(tmp_path: Path, content: bytes, name: str = "letters.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def texts(path: Path, encoding: str | None = None) -> list[str]:
    return [row.values["text"] for row in read_records(path, FIELDS, encoding=encoding).rows]


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_unicode_files_are_read_without_a_notice(tmp_path: Path, mark: bytes, codec: str) -> None:
    path = write(tmp_path, mark + f"text,id\r\n{FRENCH},1\r\n{RUSSIAN} \U0001f600,2\r\n".encode(codec))
    read = read_records(path, FIELDS)
    assert [row.values["text"] for row in read.rows] == [FRENCH, f"{RUSSIAN} \U0001f600"]
    assert read.columns == ("text", "id")
    assert (read.encoding, read.notices) == (codec, ())


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_recognised(tmp_path: Path, codec: str) -> None:
    read = read_records(write(tmp_path, f"text,id\n{FRENCH},1\n".encode(codec)), FIELDS)
    assert read.rows[0].values["text"] == FRENCH
    assert codec in read.notices[0]


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1252", FRENCH),
        ("cp1252", "She wrote “a naïve plan” – it’s fine"),
        ("cp1252", "Frau Müller hat größte Sorgfalt gezeigt"),
        ("cp1250", POLISH),
        ("cp1251", RUSSIAN),
        ("cp1253", "Με μεγάλη χαρά συστήνω την Ελένη για τη θέση αυτή. Είναι υπεύθυνη και δημιουργική."),
        ("mac_roman", FRENCH),
    ],
)
def test_an_older_encoding_is_recognised_and_said(tmp_path: Path, codec: str, text: str) -> None:
    read = read_records(write(tmp_path, f"text\tid\n{text}\t1\n{text}\t2\n".encode(codec)), FIELDS)
    assert [row.values["text"] for row in read.rows] == [text, text]
    assert "not UTF-8" in read.notices[0]


def test_an_encoding_that_is_asked_for_is_used(tmp_path: Path) -> None:
    text = "私は喜んで佐藤さんを推薦いたします。"
    path = write(tmp_path, f"text,id\n{text},1\n".encode("cp932"))
    assert texts(path, encoding="shift_jis_2004") == [text]
    assert texts(write(tmp_path, codecs.BOM_UTF8 + b"text\nplain\n"), encoding="utf8") == ["plain"]


@pytest.mark.parametrize("name", ["utf-9", "rot13"])
def test_an_unknown_encoding_is_a_wrong_use(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=f"no encoding “{name}”"):
        read_records(write(tmp_path, b"text\na\n"), FIELDS, encoding=name)


def test_rows_that_are_not_in_the_files_encoding_are_named_and_nothing_else_is_lost(tmp_path: Path) -> None:
    lines = [b"text,id", FRENCH.encode(), RUSSIAN.encode(), FRENCH.encode("cp1252"), b"plain"]
    read = read_records(write(tmp_path, b",1\n".join(lines).replace(b"id,1", b"id") + b",1\n"), FIELDS)
    assert [row.values["text"] for row in read.rows] == [FRENCH, RUSSIAN, "plain"]
    [problem] = read.problems
    assert (problem.number, problem.line, problem.reason) == (3, 4, "wrong encoding")
    assert r"H\xe9l\xe8ne" in problem.excerpt
    assert read.dropped == {"wrong encoding": 1}
    assert "UTF-8" in read.notices[0]


def test_utf8_rows_inside_an_older_encoding_are_named_instead_of_shown_garbled(tmp_path: Path) -> None:
    lines = [b"text,id", FRENCH.encode("cp1252"), "Zoë".encode(), FRENCH.encode("cp1252") + b"!", b"plain"]
    read = read_records(write(tmp_path, b",1\n".join(lines).replace(b"id,1", b"id") + b",1\n"), FIELDS)
    assert [row.values["text"] for row in read.rows] == [FRENCH, FRENCH + "!", "plain"]
    assert [(problem.number, problem.reason) for problem in read.problems] == [(2, "wrong encoding")]
    assert "UTF-8 inside a file that is cp1252" in read.problems[0].detail


def test_bytes_of_no_recognisable_encoding_cost_only_their_rows(tmp_path: Path) -> None:
    read = read_records(write(tmp_path, b"text,id\nplain,1\n\x81\x8d\xff\xfe\x90,2\nmore,3\n"), FIELDS)
    assert [row.values["text"] for row in read.rows] == ["plain", "more"]
    assert [(problem.number, problem.excerpt) for problem in read.problems] == [(2, r"“\x81\x8d\xff\xfe\x90”")]


def test_a_bad_byte_in_a_column_nobody_asked_for_is_named_but_costs_nothing(tmp_path: Path) -> None:
    read = read_records(write(tmp_path, "text,note\né,è\nb,".encode() + b"\xe8\nc,d\n"), FIELDS)
    assert [row.values["text"] for row in read.rows] == ["é", "b", "c"]
    assert [(problem.number, problem.reason, problem.kept) for problem in read.problems] == [
        (2, "wrong encoding", True)
    ]
    assert read.dropped == {}


def test_a_truncated_utf16_file_loses_only_its_last_row(tmp_path: Path) -> None:
    content = codecs.BOM_UTF16_LE + "text,id\nwhole,1\ncut,2".encode("utf-16-le")[:-1]
    read = read_records(write(tmp_path, content), [FieldSpec("text", True), FieldSpec("id")])
    assert [row.values["text"] for row in read.rows] == ["whole"]
    assert [(problem.number, problem.reason) for problem in read.problems] == [(2, "wrong encoding")]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "a picture"),
        (b"PK\x03\x04" + bytes(200), "an Office file"),
        (b"SQLite format 3\x00" + bytes(200), "a Biasprint project"),
        (bytes(range(256)) * 4, "a binary file"),
    ],
)
def test_a_binary_file_called_csv_is_refused_with_what_it_is(tmp_path: Path, content: bytes, kind: str) -> None:
    with pytest.raises(AppError, match=kind) as caught:
        read_records(write(tmp_path, content), FIELDS)
    assert "save it as csv" in caught.value.hint
