"""Letters of every kind of file are read alike; what is no letter, or is hostile, is one sentence."""

import io
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path

import letter_files
import pytest
from letter_files import MAKERS, PARAGRAPHS, docx, odt, pdf, rtf
from seeded_part import seeded_part
from trust.report import Figure
from warm_children import as_the_program_does

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.letters import files as reading
from biasprint.core.letters import kinds
from biasprint.core.letters.files import read_bytes, read_file, read_pasted
from biasprint.core.letters.values import Extracted


@pytest.mark.parametrize("name", MAKERS)
def test_one_letter_reads_the_same_from_every_kind_of_file(name: str) -> None:
    document = read_bytes(MAKERS[name](), name)
    assert document.paragraphs == PARAGRAPHS
    assert document.text == "\n\n".join(PARAGRAPHS)
    assert document.name == name


def test_pasted_text_is_read_alike_and_needs_no_process() -> None:
    assert read_pasted("\n\n".join(PARAGRAPHS)).paragraphs == PARAGRAPHS
    assert read_pasted("To whom it may concern,<return><return>She is kind.").paragraphs == (
        "To whom it may concern,",
        "She is kind.",
    )


def test_an_address_keeps_its_lines() -> None:
    head = "Print Studio\n12 Mill Lane\nLeeds"
    long = "I have known her for many years, and in all of them she has been as good as anybody could ever wish for."
    assert read_pasted(f"{head}\n\n{long}").paragraphs == (head, long)


def test_every_other_encoding_gives_the_same_letters(tmp_path: Path) -> None:
    text = "To whom it may concern,\n\nRenée’s naïveté is charming – she said so herself, and so did everybody else."
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        path = tmp_path / f"{encoding}.txt"
        path.write_bytes(text.encode(encoding))
        assert read_file(path).paragraphs == tuple(text.split("\n\n")), encoding


def with_document(xml: str) -> bytes:
    """A docx whose body is this XML."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx())) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, xml if part == "word/document.xml" else old.read(part))
    return stream.getvalue()


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def test_tracked_changes_are_read_as_they_would_be_accepted() -> None:
    xml = (
        f"<w:document {W}><w:body><w:p><w:r><w:t>She is </w:t></w:r>"
        "<w:del><w:r><w:delText>not </w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>very </w:t></w:r></w:ins><w:r><w:t>able</w:t><w:br/><w:t>indeed.</w:t></w:r></w:p></w:body>"
        "</w:document>"
    )
    assert read_bytes(with_document(xml), "a.docx").paragraphs == ("She is very able\nindeed.",)


def encrypted_pdf() -> bytes:
    from fpdf import FPDF

    document = FPDF()
    document.set_encryption(owner_password="o", user_password="secret")
    document.add_page()
    document.set_font("helvetica")
    document.cell(text="hidden")
    return bytes(document.output())


def long_pdf(pages: int, words: int = 1) -> bytes:
    from fpdf import FPDF

    document = FPDF()
    document.set_font("helvetica")
    for number in range(pages):
        document.add_page()
        document.multi_cell(0, text=f"page {number} " * words)
    return bytes(document.output())


def scan() -> bytes:
    from fpdf import FPDF
    from PIL import Image

    document = FPDF()
    document.add_page()
    document.image(Image.new("L", (200, 300), 200), w=150)
    return bytes(document.output())


def zip_bomb() -> bytes:
    return with_document(f"<w:document {W}><w:body>" + "<w:p/>" * 12_000_000 + "</w:body></w:document>")


def entity_bomb() -> bytes:
    entities = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
    body = "<w:body><w:p><w:r><w:t>&a9;</w:t></w:r></w:p></w:body>"
    return with_document(f'<!DOCTYPE x [<!ENTITY a0 "ha">{entities}]><w:document {W}>{body}</w:document>')


def two_same_parts() -> bytes:
    stream = io.BytesIO(docx())
    with zipfile.ZipFile(stream, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("word/document.xml", "<a/>")
    return stream.getvalue()


BAD = {
    "empty.txt": (lambda: b"", "is empty"),
    "blank.docx": (lambda: b" \r\n\x00", "is empty"),
    "photo.pdf": (lambda: b"\xff\xd8\xff\xe0" + b"\0" * 100, "is a picture"),
    "photo.heic": (lambda: b"\0\0\0\x18ftypheic" + b"\0" * 100, "is a picture"),
    "old.doc": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100, "before 2007, or is protected"),
    "locked.pdf": (encrypted_pdf, "protected by a password"),
    "book.pdf": (lambda: long_pdf(300), "more than 50 pages"),
    "scan.pdf": (scan, "probably a scan"),
    "cut.pdf": (lambda: pdf()[:1000], "damaged or cut off|holds no text|has no pages|probably a scan"),
    "cut.docx": (lambda: docx()[:5000], "damaged or cut off"),
    "cut.odt": (lambda: odt()[:300], "damaged or cut off"),
    "bomb.docx": (zip_bomb, "unpacks to far more"),
    "entities.docx": (entity_bomb, "damaged or cut off"),
    "twice.docx": (two_same_parts, "not built like a letter"),
    "binary.txt": (lambda: bytes(range(256)) * 20, "is not a text"),
    "program.docx": (lambda: b"\x7fELF" + b"\0" * 100, "is a program"),
    "table.xlsx": (lambda: zipped({"xl/workbook.xml": "<a/>"}), "is a spreadsheet"),
    "letters.csv": (lambda: b"text,group\nShe is warm.,female\n", "is a table, not a letter"),
    "pile.zip": (lambda: zipped({"a.txt": "x"}), "is an archive"),
    "endless.txt": (lambda: b"word " * 400_000, "far more text"),
    "no-text.html": (lambda: b"<html><script>alert(1)</script></html>", "holds no text"),
}


def zipped(parts: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return stream.getvalue()


@pytest.mark.parametrize("name", seeded_part(BAD, 8))
def test_what_is_no_letter_is_said_in_one_sentence_with_a_way_on(name: str) -> None:
    make, said = BAD[name]
    with pytest.raises(AppError, match=said) as caught:
        read_bytes(make(), name)
    assert f"“{name}”" in caught.value.message
    assert caught.value.hint
    assert read_bytes(rtf(), "after.rtf").paragraphs == PARAGRAPHS  # the reading process goes on


def test_a_file_larger_than_a_letter_is_not_even_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 100)
    path = tmp_path / "large.txt"
    path.write_bytes(b"x" * 101)
    with pytest.raises(AppError, match="a letter has far less"):
        read_file(path)
    with pytest.raises(AppError, match="There is no file"):
        read_file(tmp_path / "none.txt")
    with pytest.raises(AppError, match="is a folder"):
        read_file(tmp_path)


def test_the_reading_process_is_held_to_its_memory() -> None:
    process = ComputeProcess()
    try:
        with as_the_program_does():
            assert process.call(letter_files.greedy, 50) == 50_000_000
        with pytest.raises(AppError, match="not enough memory"):
            process.call(letter_files.greedy, 600)
    finally:
        process.close()


def test_a_file_that_takes_too_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    read_bytes(rtf(), "a.rtf")  # the process is there
    monkeypatch.setattr(reading, "SECONDS", 0.0)
    monkeypatch.setattr(reading, "START_SECONDS", 0.0)
    with pytest.raises(AppError, match="takes more time or memory"):
        read_bytes(long_pdf(45, words=300), "slow.pdf")
    monkeypatch.undo()
    assert read_bytes(rtf(), "a.rtf").paragraphs == PARAGRAPHS


def mutants(seed: int, each: int) -> Iterator[tuple[str, bytes]]:
    chance = random.Random(seed)
    for name in ("letter.docx", "letter.odt", "letter.pdf", "letter.rtf", "letter.html"):
        whole = MAKERS[name]()
        for _ in range(each):
            data = bytearray(whole)
            for _ in range(chance.randint(1, 30)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            if chance.random() < 0.3:
                del data[chance.randrange(len(data)) :]
            yield name, bytes(data)


def read_all(seed: int, each: int) -> tuple[int, int]:
    read = refused = 0
    for name, data in mutants(seed, each):
        try:
            read_bytes(data, name)
            read += 1
        except AppError as error:
            refused += name in error.message and bool(error.hint)
    return read, refused


def test_broken_files_are_read_or_refused_and_never_stop_the_next(figure: Figure) -> None:
    read, refused = read_all(seed=1, each=12)
    assert min(read, refused) > 0
    assert read + refused == 60
    figure(f"60 broken letters: {read} read, {refused} refused in a sentence")
    assert read_bytes(rtf(), "after.rtf").paragraphs == PARAGRAPHS


@pytest.mark.soak
def test_a_thousand_broken_files(figure: Figure) -> None:
    read, refused = read_all(seed=2, each=200)
    assert min(read, refused) > 0
    assert read + refused == 1_000
    figure(f"1,000 broken letters: {read} read, {refused} refused in a sentence")


def test_every_format_of_the_table_is_told_by_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, make in MAKERS.items():
        found = kinds.format_of(make(), name)
        assert name.rpartition(".")[2] in found.endings
        assert reading.READERS[found.kind](make(), name).paragraphs
    assert {kinds.format_of(make(), name).kind for name, make in MAKERS.items()} == {one.kind for one in kinds.FORMATS}
    assert kinds.CHOOSE == "Choose a docx, odt, pdf, rtf, eml, html, md or txt file."
    assert set(reading.READERS) == {one.kind for one in kinds.FORMATS}
    own = kinds.LetterFormat("tex", ("tex",), lambda head: head.start[:6] == b"\\begin")
    monkeypatch.setattr(kinds, "FORMATS", (*kinds.FORMATS, own))
    assert kinds.format_of(b"\\begin She is kind.", "letter") is own


def test_a_number_of_thousands_of_digits_is_no_reason_to_refuse_a_letter() -> None:
    digits = "9" * 4400
    html = f"<html><body><p>She is kind &#{digits}; and&#x{'f' * 4400}; warm.</p></body></html>".encode()
    assert read_bytes(html, "letter.html").paragraphs == ("She is kind \ufffd and\ufffd warm.",)
    for spaces in (digits, "1e9", "-5", ""):
        packed = letter_files.odt_of_body(f'<text:p>She is<text:s text:c="{spaces}"/>kind.</text:p>')
        (paragraph,) = read_bytes(packed, "letter.odt").paragraphs
        assert paragraph == "She is kind."


def test_whatever_a_reader_fails_of_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(data: bytes, name: str) -> Extracted:
        raise OverflowError("too large")

    monkeypatch.setattr(kinds, "FORMATS", (kinds.LetterFormat("odd", ("odd",), lambda head: True),))
    monkeypatch.setitem(reading.READERS, "odd", fails)
    monkeypatch.setattr(reading, "limit_once", lambda: None)  # here is no process of its own to limit
    with pytest.raises(AppError, match="is damaged or cut off"):
        reading.parse_letter_file(b"x", "letter.odd")
