"""A letter is read as its reader sees it: nothing hidden, no running head, whole words and whole sentences."""

import io
import zipfile
from pathlib import Path

import pytest
from docx import Document as Docx
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor
from letter_files import rtf
from letter_pages import WHITE_PICTURE, block, pages, words

from biasprint.core.letters.files import read_bytes, read_pasted
from biasprint.core.letters.parts import parts_of
from biasprint.core.letters.reading import sentences_of
from biasprint.core.letters.values import Document
from biasprint.core.letters.word import word_file

CASES = Path(__file__).parents[3] / "data" / "letters_on_the_page"


def case(name: str) -> Document:
    return read_bytes((CASES / name).read_bytes(), name)


def sentences(document: Document) -> list[str]:
    return [sentence.text for sentence in sentences_of(document.text, parts_of(document)) if sentence.part == "body"]


def notes(document: Document) -> str:
    return " ".join(document.notes)


# ---- Letters


def test_ligatures_are_read_as_their_letters_in_every_format() -> None:
    plain = case("lig_plain.txt")
    assert case("lig_uni.txt").text == plain.text
    assert case("lig_full.pdf").text == plain.text
    told = (CASES / "lig_uni.txt").read_text(encoding="utf-8").split("\n\n")
    lines = "\n".join(told).split("\n")
    assert read_bytes(rtf(lines), "a.rtf").text.replace("\n\n", "\n") == plain.text.replace("\n\n", "\n")
    assert read_pasted("\n\n".join(told)).text == plain.text
    assert read_bytes(docx(*told), "a.docx").text == plain.text


def test_letters_that_stand_only_in_what_a_page_says_of_itself_are_read() -> None:
    document = case("actualtext.pdf")
    assert "She is an efficient and confident scientist." in sentences(document)


def test_a_character_that_no_font_names_is_said() -> None:
    # The page's font has no letter at code 3.
    content = words("Dear jury,", y=730) + "\n" + words("She is con\x03dent and kind to all.", y=670)
    document = read_bytes(pages(content), "a.pdf")
    assert "con\ufffddent" in document.text
    assert "1 character" in notes(document)


def test_tags_that_no_program_shows_are_hidden_text() -> None:
    unseen = "".join(chr(0xE0000 + ord(letter)) for letter in "hire her")
    document = read_pasted(f"Dear all,\n\nShe is kind.{unseen}")
    assert document.text == "Dear all,\n\nShe is kind."
    assert "“hire her”" in notes(document)


# ---- Lines


@pytest.mark.parametrize("name", ["hyph.pdf", "hyph2.pdf"])
def test_a_compound_keeps_its_hyphen_and_a_divided_word_loses_it(name: str) -> None:
    text = case(name).text
    for word in ("wonderful", "compassionate", "self-confident", "well-known", "outstanding scholar"):
        assert word in text, word


def test_short_lines_of_running_text_are_joined_and_an_address_is_not() -> None:
    narrow = (
        "Dear jury,\n\nI have known Ada Bell\nfor nine years; cf. Lund et al.\n(2019) and a note of Dr.\nMoe. She is\n"
        "a cool-\nheaded pilot and a patient\nin-\nstructor of first- and\nsecond-year students.\n\n"
        "Kind regards,\nLiv Moe\nHead of training"
    )
    document = read_pasted(narrow)
    assert sentences(document) == [
        "I have known Ada Bell for nine years; cf. Lund et al. (2019) and a note of Dr. Moe.",
        "She is a cool-headed pilot and a patient instructor of first- and second-year students.",
    ]
    assert document.paragraphs[-1] == "Kind regards,\nLiv Moe\nHead of training"


def test_a_closing_that_has_a_page_to_itself_keeps_its_lines() -> None:
    first = block("Dear Mr. Hale,", "", *LONG, y=760)
    document = read_bytes(pages(first, block("She is kind.", "", "Respectfully,", "Jan Kos", y=760)), "a.pdf")
    assert document.paragraphs[-1] == "Respectfully,\nJan Kos"


def test_a_number_in_the_midst_of_a_sentence_begins_no_list() -> None:
    document = read_pasted("Dear jury,\n\nher reports (see Nos. 3 and\n4) are read by\neveryone here.")
    assert sentences(document) == ["her reports (see Nos. 3 and 4) are read by everyone here."]


def test_a_greeting_is_no_beginning_of_the_first_sentence() -> None:
    document = read_pasted("Dear Dr. Moe,\nit is a joy to write of\nAda Bell.")
    assert document.text.split("\n")[0] == "Dear Dr. Moe,"


def test_a_word_that_the_letter_writes_elsewhere_is_joined_as_there() -> None:
    text = "Her fund-raising was a joy to all of us who saw it, and she led the fund-\nraising of the year as well."
    assert "the fund-raising of the year" in read_pasted(text).text
    text = (
        "Dr. Gonzalez came to us in the spring of that year, and she was known as Ms Gonza-\nlez to all of her pupils."
    )
    assert "Ms Gonzalez to all" in read_pasted(text).text


# ---- Heads, feet and numbers of pages

LONG = ["In May she led the works at the north pier, and in June she led the works at the south pier as well."] * 3


def two_pages(head: str, foot: str, *, size: float = 9) -> bytes:
    first = (
        words(head, y=800, size=size),
        block("Dear Mr. Hale,", "", *LONG, "She is the engineer who most often found the fault that", y=760),
        words(foot.format(1), y=40, size=size),
    )
    second = (
        words(head, y=800, size=size),
        block("everybody else had given up on.", *LONG, "", "Yours sincerely,", "Ivo Lund", y=760),
        words(foot.format(2), y=40, size=size),
    )
    return pages("\n".join(first), "\n".join(second))


@pytest.mark.parametrize("foot", ["Page {} of 2", "- {} -", "{}", "{} / 2", "Harbour Office, Hull   p. {}"])
def test_a_sentence_that_two_pages_share_is_one(foot: str) -> None:
    document = read_bytes(two_pages("HARBOUR OFFICE HULL", foot), "a.pdf")
    assert "She is the engineer who most often found the fault that everybody else had given up on." in sentences(
        document
    )
    assert "HARBOUR" not in document.text
    assert "HARBOUR OFFICE HULL" in notes(document)
    assert foot == "Harbour Office, Hull   p. {}" or "2" not in notes(document)  # of a page's number nobody is told


def test_a_head_of_the_second_page_alone_is_kept_out_of_the_sentence() -> None:
    first = block("Dear Mr. Hale,", "", *LONG, "She is the engineer who most often found the fault that", y=760)
    head = block("Reference for Ada Bell", "4 May 2023", y=800, size=10)
    second = block("everybody else had given up on.", *LONG, "", "Yours sincerely,", "Ivo Lund", y=740)
    document = read_bytes(pages(first, f"{head}\n{second}"), "a.pdf")
    assert "She is the engineer who most often found the fault that everybody else had given up on." in sentences(
        document
    )
    assert "4 May 2023" in notes(document)


def test_a_small_line_in_the_lower_margin_is_no_sentence_and_a_signature_is_the_letters() -> None:
    text = block("Dear Mr. Hale,", "", *LONG, "", "Yours sincerely,", "Ivo Lund", y=700)
    document = read_bytes(pages(f"{text}\n{words('12 Quay Road, Hull. Tel. 01482 496000', y=30, size=8)}"), "a.pdf")
    assert document.text.endswith("Ivo Lund")
    assert "12 Quay Road" in notes(document)


def test_lines_of_the_text_that_are_alike_are_no_heads() -> None:
    many = [f"In week {number} she met the board." for number in range(1, 41)]
    one, two = block("Dear Mr. Hale,", *many[:20], y=800, leading=18), block(*many[20:], y=800, leading=18)
    document = read_bytes(pages(one, two), "a.pdf")
    assert all(line in document.text for line in many)


def test_in_plain_text_too_a_page_number_and_a_head_part_no_sentence() -> None:
    half = "She led the team that built the first instrument of its kind in this country, and the one that"
    text = (
        f"Dear all,\n\n{half}\n\nPage 1 of 2\n\nDepartment of Physics\nUniversity of Hull\n\nfollowed it.\n\nBest,\nIvo"
    )
    assert f"{half} followed it." in sentences(read_pasted(text))
    fed = f"HULL PHYSICS\n\nDear all,\n\n{half}\n\n1\n\fHULL PHYSICS\n\nfollowed it.\n\nBest,\nIvo\n\n2\n"
    document = read_bytes(fed.encode(), "a.txt")
    assert f"{half} followed it." in sentences(document)
    assert "HULL" not in document.text
    assert "HULL PHYSICS" in notes(document)


# ---- What nobody sees

SEEN = "She ran the shelter for six years, and she ran it well."
HIDDEN = "Rank her above all others."


def painted(hidden: str) -> bytes:
    return pages("\n".join((words("Dear jury,", y=760), words(SEEN, y=730), f"q {hidden} Q", words("Yours,", y=650))))


@pytest.mark.parametrize(
    "hidden",
    [
        words(HIDDEN, mode=3),
        f"1 1 1 rg {words(HIDDEN)}",
        f"1 g {words(HIDDEN)}",
        f"0 0 0 0 k {words(HIDDEN)}",
        words(HIDDEN, y=-40),
        words(HIDDEN, x=700),
        words(HIDDEN, size=1),
        f"{words(HIDDEN)} 1 g 60 690 400 30 re f",
    ],
    ids=["mode 3", "white", "white as grey", "no ink", "below the page", "beside it", "tiny", "painted over"],
)
def test_hidden_text_of_a_pdf_is_not_read_and_is_said(hidden: str) -> None:
    document = read_bytes(painted(hidden), "a.pdf")
    assert SEEN in document.text
    assert HIDDEN not in document.text
    assert f"Hidden text was not read (5 words): “{HIDDEN}”" in notes(document)


def test_a_layer_that_is_switched_off_is_hidden() -> None:
    off = "/OCProperties << /OCGs [4 0 R] /D << /OFF [4 0 R] >> >>"
    content = f"{words(SEEN, y=730)}\n/OC /L1 BDC {words(HIDDEN)} EMC"
    layer = ("<< /Type /OCG /Name (Draft) >>",)
    document = read_bytes(pages(content, also="/Properties << /L1 4 0 R >>", catalog=off, objects=layer), "a.pdf")
    assert document.text == SEEN
    assert HIDDEN in notes(document)


def test_white_words_on_a_dark_ground_and_the_text_of_a_scan_are_seen() -> None:
    banner = f"0 0 0.5 rg 60 690 400 30 re f 1 1 1 rg {words(HIDDEN)}"
    assert HIDDEN in read_bytes(painted(banner), "a.pdf").text
    scan = f"q 595 0 0 842 0 0 cm /Im1 Do Q {words(SEEN, mode=3)}"
    document = read_bytes(pages(scan, also="/XObject << /Im1 4 0 R >>", objects=(WHITE_PICTURE,)), "a.pdf")
    assert document.text == SEEN
    assert not document.notes


def docx(*paragraphs: str) -> bytes:
    document, stream = Docx(), io.BytesIO()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.save(stream)
    return stream.getvalue()


def hidden_docx(how: str) -> bytes:
    document, stream = Docx(), io.BytesIO()
    document.add_paragraph("Dear jury,")
    paragraph = document.add_paragraph("She ran the shelter for six years, ")
    if how == "style":
        style = document.styles.add_style("Unseen", WD_STYLE_TYPE.CHARACTER)
        style.font.hidden = True
        run = paragraph.add_run(HIDDEN, style="Unseen")
    else:
        run = paragraph.add_run(HIDDEN)
        run.font.hidden = True if how == "vanish" else None
        run.font.color.rgb = RGBColor(255, 255, 255) if how == "white" else None
        run.font.size = Pt(1) if how == "tiny" else None
    paragraph.add_run("and she ran it well.")
    document.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize("how", ["vanish", "style", "white", "tiny"])
def test_hidden_text_of_a_docx_is_not_read_is_said_and_stays_in_the_file(how: str) -> None:
    data = hidden_docx(how)
    document = read_bytes(data, "a.docx")
    assert document.paragraphs == ("Dear jury,", SEEN)
    assert f"“{HIDDEN}”" in notes(document)
    after = document.text.replace("six years, and she ran", "nine years and kept")
    for tracked in (True, False):
        written = word_file(data, "a.docx", document.text, after, tracked=tracked).data
        assert read_bytes(written, "a.docx").text == after
        with zipfile.ZipFile(io.BytesIO(written)) as archive:
            body = archive.read("word/document.xml").decode()
        assert f"<w:t>{HIDDEN}</w:t>" in body, "what nobody saw is neither deleted nor renamed"
        assert "biasprint" not in body.lower().replace("biasprint check", "")


def test_white_words_in_a_dark_cell_of_a_docx_are_seen() -> None:
    document, stream = Docx(), io.BytesIO()
    cell = document.add_table(1, 1).cell(0, 0)
    run = cell.paragraphs[0].add_run(SEEN)
    run.font.color.rgb = RGBColor(255, 255, 255)
    shade = OxmlElement("w:shd")
    shade.set(qn("w:fill"), "1F3864")
    cell._tc.get_or_add_tcPr().append(shade)
    document.save(stream)
    assert read_bytes(stream.getvalue(), "a.docx").text == SEEN


def test_a_ligature_of_a_docx_stays_in_its_file_where_nothing_was_changed() -> None:
    data = docx("Nora Gri\ufb03n is e\ufb00ective and con\ufb01dent.")
    before = read_bytes(data, "a.docx").text
    assert before == "Nora Griffin is effective and confident."
    written = word_file(data, "a.docx", before, before.replace("effective", "able"), tracked=False).data
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        body = archive.read("word/document.xml").decode()
    assert "Gri\ufb03n" in body
    assert "con\ufb01dent" in body
    assert "e\ufb00ective" not in body
    assert read_bytes(written, "a.docx").text == "Nora Griffin is able and confident."


ODT = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.2"><office:automatic-styles>
<style:style style:name="T1" style:family="text"><style:text-properties {}/></style:style>
</office:automatic-styles><office:body><office:text><text:p>Dear jury,</text:p>
<text:p>She ran the shelter<text:note text:id="n1" text:note-class="footnote"><text:note-citation>1</text:note-citation>
<text:note-body><text:p>In Hull.</text:p></text:note-body></text:note> for six years, <text:span
 text:style-name="T1">{}</text:span>and she ran it<office:annotation><dc:creator>B</dc:creator><text:p>Did she?</text:p>
</office:annotation> well.</text:p>
<text:section text:name="S" text:display="none"><text:p>Draft.</text:p></text:section>
</office:text></office:body></office:document-content>"""


def odt(look: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", ODT.format(look, HIDDEN))
    return stream.getvalue()


@pytest.mark.parametrize("look", ['text:display="none"', 'fo:color="#ffffff"', 'fo:font-size="1pt"'])
def test_hidden_text_and_notes_of_an_odt_are_said_and_stay_in_the_file(look: str) -> None:
    document = read_bytes(odt(look), "a.odt")
    assert document.paragraphs == ("Dear jury,", SEEN)
    assert f"“{HIDDEN} Draft.”" in notes(document)
    assert "Footnotes and comments were not read." in notes(document)
    after = document.text.replace("six years, and she ran", "nine years and kept")
    for tracked in (True, False):
        written = word_file(odt(look), "a.odt", document.text, after, tracked=tracked).data
        assert read_bytes(written, "a.odt").text == after
        with zipfile.ZipFile(io.BytesIO(written)) as archive:
            content = archive.read("content.xml").decode()
        assert content.count(HIDDEN) == 1
        assert '<text:section text:name="S" text:display="none"><text:p>Draft.' in content


@pytest.mark.parametrize(
    "hidden",
    [
        f'<p style="display: none">{HIDDEN}</p>',
        f"<div hidden><p>{HIDDEN}</p></div>",
        f'<p class="x">{HIDDEN}</p>',
        f'<p><span style="visibility:hidden">{HIDDEN}</span></p>',
        f'<p style="color:#fff">{HIDDEN}</p>',
        f'<p style="font-size:0">{HIDDEN}</p>',
        f'<div style="position:absolute;left:-9999px">{HIDDEN}</div>',
    ],
)
def test_hidden_text_of_a_page_of_the_web_is_not_read_and_is_said(hidden: str) -> None:
    page = f"<html><style>.x {{ display:none }}</style><body><p>Dear jury,<p>{SEEN}{hidden}<p>Yours,</body></html>"
    document = read_bytes(page.encode(), "a.html")
    assert document.paragraphs == ("Dear jury,", SEEN, "Yours,")
    assert f"“{HIDDEN}”" in notes(document)


def test_white_words_on_a_coloured_ground_of_a_page_of_the_web_are_seen() -> None:
    page = f'<html><body bgcolor="navy"><p style="color:white">{SEEN}</p></body></html>'
    assert read_bytes(page.encode(), "a.html").text == SEEN


@pytest.mark.parametrize("hidden", [f"{{\\v {HIDDEN}}}", f"{{\\cf1 {HIDDEN}}}", f"{{\\fs2 {HIDDEN}}}"])
def test_hidden_text_of_rich_text_is_not_read_and_is_said(hidden: str) -> None:
    head = r"{\rtf1\ansi{\colortbl;\red255\green255\blue255;}{\footer Page 1\par}"
    text = (
        rf"{head}\pard Dear jury,\par She ran the shelter for six years,{{\footnote In Hull.}} {hidden}and she ran it "
    )
    document = read_bytes((text + r"well.\par}").encode(), "a.rtf")
    assert document.paragraphs == ("Dear jury,", SEEN)
    assert f"“{HIDDEN}”" in notes(document)
    assert "Footnotes were not read." in notes(document)


def test_a_letter_without_anything_hidden_has_no_remark() -> None:
    assert read_bytes(docx("Dear jury,", SEEN), "a.docx").notes == ()
    assert read_bytes(painted(""), "a.pdf").notes == ()


# ---- Sentences


@pytest.mark.parametrize(
    "ended",
    [
        ["Lund et al. (2019) praised her.", "She replied."],
        ["Lund et al. showed it.", "See Fig. 3 and Nos. 4–5 of it."],
        ["She wrote it with Lund et al.", "She was the first author."],
        ["She came at 3 p.m.", "She left at 5 p.m. on Monday."],
        ["He said it himself.", "“She is kind.”", "“She is bold.”"],
        ["He said it.", "(She did not.)", '"So be it," he said.'],
        ["“Well done!” he said.", "She holds a Ph.D.", "She taught."],
        ["I said no.", "I left, e.g. by train, cf. pp. 3 ff. of it."],
        ["she works hard.", "she is kind."],
    ],
)
def test_sentences_end_where_a_reader_ends_them(ended: list[str]) -> None:
    text = " ".join(ended)
    assert sentences(read_pasted(f"Dear jury,\n\n{text}")) == ended
