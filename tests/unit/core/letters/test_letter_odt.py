"""A letter goes back into its own odt, and LibreOffice finds changes that give the old text or the new one."""

import io
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from word_files import CHANGES, decided, edited_by_chance
from word_files import text_of as text_of_docx

from biasprint.core.letters.readers.lines import cleaned
from biasprint.core.letters.readers.office import of_odt
from biasprint.core.letters.word import AUTHOR, Comment, word_file

NAMES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
}
JONAS = "<office:change-info><dc:creator>Jonas</dc:creator><dc:date>2024-01-02T03:04:05</dc:date></office:change-info>"
RICH = f"""<office:document-content {" ".join(f'xmlns:{key}="{uri}"' for key, uri in NAMES.items())}
 office:version="1.2"><office:body><office:text><text:tracked-changes><text:changed-region xml:id="c1" text:id="c1">
<text:insertion>{JONAS}</text:insertion></text:changed-region></text:tracked-changes>
<text:h text:outline-level="1">Letter of recommendation</text:h>
<text:p>I have worked with <text:span>Kel</text:span><text:span>ly</text:span> Moreno<text:note text:id="n1"
 text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Née Kell.</text:p>
</text:note-body></text:note> for four years. She is<text:s text:c="3"/>a warm and caring colleague.</text:p>
<text:p>She led the press,<text:tab/>twice<text:line-break/>and she raised its funds.</text:p>
<table:table><table:table-column table:number-columns-repeated="2"/><table:table-row><table:table-cell>
<text:p>Years</text:p></table:table-cell><table:table-cell><text:p>2017 to 2021</text:p></table:table-cell>
</table:table-row></table:table>
<text:p>Her <text:change-start text:change-id="c1"/>quiet and kind ways<text:change-end text:change-id="c1"/> please;
 see <text:a xmlns:xlink="http://www.w3.org/1999/xlink" xlink:type="simple" xlink:href="#prints">her
 prints</text:a>.</text:p><text:p>Dr. Jonas Field</text:p></office:text></office:body></office:document-content>"""


def odt() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        made.writestr("content.xml", '<?xml version="1.0" encoding="UTF-8"?>' + RICH)
        made.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" '
            'manifest:version="1.2"><manifest:file-entry manifest:full-path="/" '
            'manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry '
            'manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',
        )
    return stream.getvalue()


def text_of(data: bytes) -> str:
    return "\n\n".join(text for text in map(cleaned, of_odt(data, "letter.odt").paragraphs) if text)


def content(data: bytes) -> Any:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return etree.fromstring(archive.read("content.xml"))


BEFORE = text_of(odt())


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("tracked", [True, False])
def test_the_text_is_the_edited_one_and_a_clean_file_has_no_change_of_ours(what: str, tracked: bool) -> None:
    old, new = CHANGES[what]
    assert BEFORE.count(old) == 1
    found = word_file(odt(), "letter.odt", BEFORE, BEFORE.replace(old, new), tracked=tracked)
    assert (found.ending, found.notes) == ("odt", ())
    assert text_of(found.data) == BEFORE.replace(old, new)
    creators = [one.text for one in content(found.data).iterfind(".//text:changed-region//dc:creator", NAMES)]
    assert (AUTHOR in creators) == tracked
    assert "Jonas" in creators


def test_any_edits_give_the_edited_text() -> None:
    for seed in range(30):
        after = edited_by_chance(BEFORE, seed)
        found = word_file(odt(), "letter.odt", BEFORE, after, [Comment(0, 6, "A"), Comment(10, 30, "B")])
        if "not joined" not in " ".join(found.notes):
            assert text_of(found.data) == after, seed


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_finds_every_change_and_rejects_it_to_the_old_text(tmp_path: Path) -> None:
    for number, (old, new) in enumerate(CHANGES.values()):
        found = word_file(odt(), "letter.odt", BEFORE, BEFORE.replace(old, new), [Comment(0, 6, "A heading.")])
        (tmp_path / f"{number}.odt").write_bytes(found.data)
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "docx"]
    files = [f"{number}.odt" for number in range(len(CHANGES))]
    subprocess.run([*command, *files], cwd=tmp_path, check=True, capture_output=True, timeout=240)
    for number, (what, (old, new)) in enumerate(CHANGES.items()):
        data = (tmp_path / f"{number}.docx").read_bytes()
        assert text_of_docx(decided(data, accepted=True)) == BEFORE.replace(old, new), what
        assert text_of_docx(decided(data, accepted=False)) == BEFORE, what
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert b"A heading." in archive.read("word/comments.xml"), what
