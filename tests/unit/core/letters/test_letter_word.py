"""A letter goes out as a Word file with its changes tracked: rejected it is the old letter, accepted the new one."""

import copy
import io
import re
import shutil
import subprocess
import time
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from letter_files import PARAGRAPHS, docx
from lxml import etree
from seeded_part import seeded_part
from word_files import CHANGES, W, body, decided, edited_by_chance, text_of

from biasprint.core.errors import AppError
from biasprint.core.letters.readers.lines import cleaned, kept
from biasprint.core.letters.word import AUTHOR, Comment, word_file
from biasprint.core.letters.word.edits import edits

NAMESPACE = f'xmlns:w="{W[1:-1]}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
RICH = f"""<w:document {NAMESPACE}><w:body>
<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Letter of recommendation</w:t></w:r></w:p>
<w:p/>
<w:p><w:r><w:t xml:space="preserve">I have worked with </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Kel</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>ly</w:t></w:r><w:r><w:t xml:space="preserve"> Moreno</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t xml:space="preserve">  for four years. She is   a warm and caring colleague.</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>She led the press,</w:t><w:tab/><w:t>twice</w:t><w:br/><w:t>and she raised its funds.</w:t></w:r></w:p>
<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="100"/><w:gridCol w:w="100"/></w:tblGrid><w:tr><w:tc><w:tcPr/><w:p><w:r><w:t>Years</w:t></w:r></w:p></w:tc><w:tc><w:tcPr/><w:p><w:r><w:t>2017 to 2021</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:p><w:r><w:t xml:space="preserve">Her </w:t></w:r><w:ins w:id="7" w:author="Jonas" w:date="2024-01-02T03:04:05Z"><w:r><w:t>quiet and kind ways</w:t></w:r></w:ins><w:del w:id="8" w:author="Jonas"><w:r><w:delText>temper</w:delText></w:r></w:del><w:r><w:t xml:space="preserve"> please; see </w:t></w:r><w:hyperlink w:anchor="x"><w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t>her prints</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r></w:p>
<w:p><w:pPr><w:jc w:val="right"/></w:pPr><w:r><w:t>Dr. Jonas Field</w:t></w:r></w:p>
<w:sectPr/></w:body></w:document>"""  # noqa: E501
NOTE = '<w:footnote w:id="2"><w:p><w:r><w:t>Née Kell.</w:t></w:r></w:p></w:footnote>'
FOOTNOTES = f"<w:footnotes {NAMESPACE}>{NOTE}</w:footnotes>"


def with_parts(**parts: str | None) -> bytes:
    """A docx with some of its files replaced, added, or (None) left out."""
    stream = io.BytesIO()
    named = {f"word/{name}.xml": xml for name, xml in parts.items()}
    with zipfile.ZipFile(io.BytesIO(docx())) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            if part not in named:
                new.writestr(part, old.read(part))
        for part, xml in named.items():
            if xml is not None:
                new.writestr(part, xml)
    return stream.getvalue()


def rich() -> bytes:
    """A letter with a heading, a list, a table, a note, a link, runs that part words, and somebody's changes."""
    data = with_parts(document=RICH, footnotes=FOOTNOTES)
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    known = f'<Relationship Id="rId90" Type="{relation}" Target="footnotes.xml"/></Relationships>'
    added = {
        "[Content_Types].xml": f'<Override PartName="/word/footnotes.xml" ContentType="{kind}"/></Types>',
        "word/_rels/document.xml.rels": known,
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            end = added.get(part, "")
            new.writestr(part, re.sub(r"</\w+>\s*$", end, old.read(part).decode()) if end else old.read(part))
    return stream.getvalue()


def plain_xml(data: bytes) -> str:
    """The body without comments, and with runs, links and changes of one look and author put together again."""
    root = copy.deepcopy(body(data))
    for gone in list(root.iter(f"{W}commentRangeStart", f"{W}commentRangeEnd")):
        gone.getparent().remove(gone)
    for reference in list(root.iter(f"{W}commentReference")):
        reference.getparent().getparent().remove(reference.getparent())
    for own in [*root.iter(f"{W}rPr"), *root.iter(f"{W}pPr")]:
        if not len(own):
            own.getparent().remove(own)
    for part in list(root.iter(f"{W}ins", f"{W}del", f"{W}hyperlink")):
        before = part.getprevious()
        if before is not None and before.tag == part.tag and but_number(before) == but_number(part):
            before.extend(part)
            part.getparent().remove(part)
    for run in list(root.iter(f"{W}r")):
        before = run.getprevious()
        if before is not None and before.tag == f"{W}r" and look(before) == look(run):
            before.extend([one for one in run if one.tag != f"{W}rPr"])
            run.getparent().remove(run)
    for words in list(root.iter(f"{W}t")):
        words.attrib.pop("{http://www.w3.org/XML/1998/namespace}space", None)
        before = words.getprevious()
        if before is not None and before.tag == f"{W}t":
            before.text = (before.text or "") + (words.text or "")
            words.getparent().remove(words)
    return etree.tostring(root, method="c14n").decode()


def but_number(part: Any) -> dict[str, str]:
    return {key: value for key, value in part.attrib.items() if key != f"{W}id"}


def look(run: Any) -> bytes:
    found = run.find(f"{W}rPr")
    return b"" if found is None else etree.tostring(found, method="c14n")


@pytest.mark.parametrize("what", seeded_part(CHANGES, 6))
def test_rejected_it_is_the_old_letter_and_accepted_the_new_one(what: str) -> None:
    data = rich()
    before = text_of(data)
    old, new = CHANGES[what]
    assert before.count(old) == 1
    after = before.replace(old, new)
    found = word_file(data, "letter.docx", before, after)
    assert found.notes == ()
    assert text_of(found.data) == after, "our own reader takes changes as accepted"
    assert text_of(decided(found.data, accepted=True)) == after
    assert plain_xml(decided(found.data, accepted=False)) == plain_xml(data), "to the last tag"
    assert plain_xml(decided(word_file(data, "letter.docx", before, after, tracked=False).data, accepted=False)) == (
        plain_xml(decided(found.data, accepted=True))
    )


@pytest.mark.parametrize("seed", range(25))
def test_any_edits_come_apart_again(seed: int) -> None:
    data = rich()
    before = text_of(data)
    after = edited_by_chance(before, seed)
    found = word_file(data, "letter.docx", before, after)
    assert plain_xml(decided(found.data, accepted=False)) == plain_xml(data)
    if not found.notes:  # cells are never joined
        assert text_of(found.data) == after


def test_every_file_inside_that_is_not_changed_is_the_same_byte_for_byte() -> None:
    data = rich()
    before = text_of(data)
    found = word_file(data, "letter.docx", before, before.replace("warm", "able"))
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(io.BytesIO(found.data)) as new:
        assert new.namelist() == old.namelist()
        for part in old.namelist():
            if part != "word/document.xml":
                assert new.read(part) == old.read(part), part


def test_inserted_words_look_like_those_they_stand_for() -> None:
    data = rich()
    before = text_of(data)
    root = body(word_file(data, "letter.docx", before, before.replace("Kelly", "Kim")).data)
    (inserted,) = (root.iter(f"{W}ins"),)
    run = next(one for one in inserted if one.get(f"{W}author") == AUTHOR).find(f"{W}r")
    assert run.find(f"{W}rPr/{W}b") is not None


def test_a_mark_is_a_comment_on_its_words() -> None:
    data = rich()
    before = text_of(data)
    after = before.replace("four years", "five good years")
    said = {"a warm": "Communal words.\nSource: Madera 2009.", "five good": "New words.", "kind ways": "More of it."}
    comments = [Comment(after.index(words), after.index(words) + len(words), text) for words, text in said.items()]
    found = word_file(data, "letter.docx", before, after, comments, when=datetime(2026, 1, 2, tzinfo=UTC))
    document = Document(io.BytesIO(found.data))
    assert {comment.text: comment.author for comment in document.comments} == dict.fromkeys(said.values(), AUTHOR)
    assert all(comment.timestamp == datetime(2026, 1, 2, tzinfo=UTC) for comment in document.comments)
    root = body(found.data)
    for comment in document.comments:
        words = next(key for key, text in said.items() if text == comment.text)
        assert commented(root, comment.comment_id) == words
    assert plain_xml(decided(found.data, accepted=False)) == plain_xml(data)


def commented(root: Any, number: int) -> str:
    inside, found = False, ""
    for one in root.iter():
        if one.get(f"{W}id") == str(number) and one.tag in (f"{W}commentRangeStart", f"{W}commentRangeEnd"):
            inside = one.tag == f"{W}commentRangeStart"
        elif inside and one.tag == f"{W}t":
            found += one.text or ""
    return " ".join(found.split())


def test_comments_join_those_that_are_there() -> None:
    first = word_file(None, "Pasted text", "She is kind.", "She is kind.", [Comment(0, 3, "Who?")])
    second = word_file(first.data, "letter.docx", "She is kind.", "She is able.", [Comment(7, 11, "New.")])
    assert sorted(one.text for one in Document(io.BytesIO(second.data)).comments) == ["New.", "Who?"]
    assert len({one.comment_id for one in Document(io.BytesIO(second.data)).comments}) == 2


def test_a_header_is_changed_where_it_stands_and_has_no_comment() -> None:
    document = Document(io.BytesIO(docx()))
    document.sections[0].header.paragraphs[0].text = "Print Studio, Leeds"
    stream = io.BytesIO()
    document.save(stream)
    data = stream.getvalue()
    before = text_of(data)
    found = word_file(data, "letter.docx", before, before.replace("Leeds", "York"), [Comment(0, 5, "Head.")])
    assert text_of(found.data).startswith("Print Studio, York")
    assert found.notes == ("Marks without a comment, for they stand where Word has none: 1.",)


def test_a_letter_that_came_in_another_way_becomes_a_word_file() -> None:
    before, after = "\n\n".join(PARAGRAPHS), "\n\n".join(PARAGRAPHS[:-1])
    found = word_file(None, "letter.pdf", before, after, [Comment(0, 2, "Whom?")])
    assert text_of(found.data) == after
    assert text_of(decided(found.data, accepted=False)) == before
    clean = word_file(None, "letter.pdf", before, after, tracked=False)
    assert [one.text for one in Document(io.BytesIO(clean.data)).paragraphs] == list(PARAGRAPHS[:-1])


def test_another_file_than_the_one_that_was_read_is_refused() -> None:
    with pytest.raises(AppError, match="is not the letter that was opened"):
        word_file(docx(), "letter.docx", "Another text.", "Another text.")


def test_paragraphs_of_two_cells_are_not_joined_and_that_is_said() -> None:
    data = rich()
    before = text_of(data)
    found = word_file(data, "letter.docx", before, before.replace("Years\n\n2017", "Years 2017"))
    assert found.notes == ("Paragraphs that a table or section parts were not joined.",)
    assert plain_xml(decided(found.data, accepted=False)) == plain_xml(data)


def test_protection_stays_and_is_said() -> None:
    settings = f'<w:settings {NAMESPACE}><w:documentProtection w:edit="readOnly" w:enforcement="1"/></w:settings>'
    data = with_parts(settings=settings)
    found = word_file(data, "letter.docx", text_of(data), text_of(data).replace("kind", "firm"))
    assert [note.split(":")[0] for note in found.notes] == ["The document is protected"]


@pytest.mark.soak
def test_ten_thousand_changes_of_others_are_kept() -> None:
    many = "".join(
        f'<w:p><w:ins w:id="{n}" w:author="A"><w:r><w:t>word {n}</w:t></w:r></w:ins>'
        f'<w:del w:id="{n + 10_000}" w:author="A"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>'
        for n in range(5_000)
    )
    data = with_parts(document=f"<w:document {NAMESPACE}><w:body>{many}<w:sectPr/></w:body></w:document>")
    before = text_of(data)
    found = word_file(data, "letter.docx", before, before.replace("word 77\n", "words 77\n"))
    assert text_of(decided(found.data, accepted=True)).split("\n\n")[77] == "words 77"
    assert plain_xml(decided(found.data, accepted=False)) == plain_xml(data)
    ids = [one.get(f"{W}id") for one in body(found.data).iter(f"{W}ins", f"{W}del")]
    assert len(set(ids)) == len(ids) > 10_000


@pytest.mark.parametrize(
    "paragraph", ["", "a", "  a  b ", "a\u00a0\u00a0b\v\vc", "\u200bx\ufeff \u200b y\n\n z\x00", "\t"]
)
def test_what_stays_of_a_paragraph_has_its_place_in_it(paragraph: str) -> None:
    text, places = kept(paragraph)
    assert text == cleaned(paragraph)
    assert len(places) == len(text)
    assert places == sorted(set(places))


def test_edits_of_a_text_of_ten_thousand_paragraphs_are_found_in_seconds() -> None:
    """Every break was looked for at every other: half a minute, which the reading process never has."""
    lines = [f"Line {one} of a long text." for one in range(10_000)]
    first, after = "\n\n".join(lines), [*lines]
    after[3], after[5_000], after[-2] = "Line three.", "Line in the middle.", "The last but one."
    started = time.process_time()
    found = edits(first, "\n\n".join(after))
    assert time.process_time() - started < 5
    assert len(found) <= 9
    made = first
    for edit in reversed(found):
        made = made[: edit.start] + edit.text + made[edit.end :]
    assert made == "\n\n".join(after)


def test_edits_are_few_and_make_one_text_of_the_other() -> None:
    before, after = "She is a warm, kind colleague.\n\nYes.", "She is a driven, able colleague.\n\nNo.\n\nYes."
    found = edits(before, after)
    assert [before[one.start : one.end] for one in found] == ["warm", "kind", ""]
    for one in reversed(found):
        before = before[: one.start] + one.text + before[one.end :]
    assert before == after
    assert edits("Same.", "Same.") == ()
    assert [one.text for one in edits("a warm kind man", "a cold hard man")] == ["cold hard"], "one, not two"


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_finds_the_changes_and_comments_in_it(tmp_path: Path) -> None:
    data = rich()
    before = text_of(data)
    after = before.replace("Kelly", "Kim").replace("\n\nDr. Jonas", "\n\nSincerely,\n\nDr. Jonas")
    found = word_file(data, "letter.docx", before, after, [Comment(0, 6, "A heading.")])
    (tmp_path / "out.docx").write_bytes(found.data)
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "fodt"]
    subprocess.run([*command, "out.docx"], cwd=tmp_path, check=True, capture_output=True, timeout=240)
    root = etree.parse(tmp_path / "out.fodt").getroot()
    names = {**root.nsmap, "dc": "http://purl.org/dc/elements/1.1/"}
    changes = [
        (etree.QName(kind).localname, kind.findtext(".//dc:creator", namespaces=names))
        for kind in root.iterfind(".//text:changed-region/*", names)
    ]
    ours = [kind for kind, author in changes if author == AUTHOR]
    assert ours == ["deletion", "insertion", "insertion"], "a word for a word, and a paragraph"
    assert [kind for kind, author in changes if author == "Jonas"] == ["insertion", "deletion"]
    (note,) = root.iterfind(".//office:annotation", names)
    assert "A heading." in "".join(note.itertext())


def test_the_reading_process_writes_it(tmp_path: Path) -> None:
    from biasprint.core.letters.files import read_bytes, written_as_word

    data = rich()
    document = read_bytes(data, "letter.docx")
    found = written_as_word(data, document, document.text.replace("warm", "able"), [])
    assert text_of(found.data) == document.text.replace("warm", "able")
