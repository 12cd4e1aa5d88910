"""One letter as a file of every kind, made here so that no file of somebody else's is needed."""

import html
import io
import zipfile
from collections.abc import Callable, Sequence

PARAGRAPHS = (
    "To whom it may concern,",
    "I have worked with Kelly Moreno for four years at the print studio. She is a warm and caring colleague who is "
    "always glad to help others. In 2021 she led the restoration of the lithography press and secured its funding.",
    "Her kindness makes the studio a pleasant place to be. She received the national prize for graphic art twice. Her "
    "prints were shown in three solo exhibitions, and the city museum acquired two of them.",
    "She listens patiently to students and supports them with great sensitivity. Before that she taught for ten years "
    "in Lyon, “the best of schools” – or so she says; naïve as it may be, I agree.",
    "I recommend her for the residency.",
    "Sincerely,",
    "Dr. Jonas Field",
)


def docx(paragraphs: Sequence[str] = PARAGRAPHS) -> bytes:
    from docx import Document

    document, stream = Document(), io.BytesIO()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.save(stream)
    return stream.getvalue()


def odt(paragraphs: Sequence[str] = PARAGRAPHS) -> bytes:
    return odt_of_body("".join(f"<text:p>{html.escape(paragraph, quote=False)}</text:p>" for paragraph in paragraphs))


def odt_of_body(body: str) -> bytes:
    content = (
        '<?xml version="1.0" encoding="UTF-8"?><office:document-content '
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2">'
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", content)):
            # Of no time of its own: the same letter is the same bytes whenever it is made.
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def pdf(paragraphs: Sequence[str] = PARAGRAPHS) -> bytes:
    from importlib.resources import files

    from fpdf import FPDF

    document = FPDF(format="A4")
    document.add_page()
    document.add_font("Inter", fname=str(files("biasprint.resources").joinpath("fonts", "Inter-Regular.ttf")))
    document.set_font("Inter", size=11)
    for paragraph in paragraphs:
        document.multi_cell(0, 5.5, paragraph, new_x="LMARGIN", new_y="NEXT", align="L")
        document.ln(4)
    return bytes(document.output())


def rtf(paragraphs: Sequence[str] = PARAGRAPHS) -> bytes:
    def escaped(text: str) -> str:
        return "".join(
            f"\\{sign}" if sign in "\\{}" else sign if ord(sign) < 128 else f"\\u{ord(sign)}?" for sign in text
        )

    return ("{\\rtf1\\ansi\\deff0 " + "\\par\n".join(map(escaped, paragraphs)) + "\\par}").encode("ascii")


def html_page(paragraphs: Sequence[str] = PARAGRAPHS) -> bytes:
    body = "\n".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs)
    page = f"<!DOCTYPE html><html><head><title>x</title><script>alert(1)</script></head><body>{body}</body></html>"
    return page.encode()


def txt(paragraphs: Sequence[str] = PARAGRAPHS) -> bytes:
    return "\n\n".join(paragraphs).encode()


def wrapped(paragraphs: Sequence[str] = PARAGRAPHS) -> bytes:
    """Plain text broken at 72 characters, as e-mail has it."""
    import textwrap

    return "\r\n\r\n".join("\r\n".join(textwrap.wrap(one, 72)) for one in paragraphs).encode()


def markdown(paragraphs: Sequence[str] = PARAGRAPHS) -> bytes:
    return ("# " + "\n\n".join(paragraphs).replace("always glad", "**always** glad")).encode()


def mail(paragraphs: Sequence[str] = PARAGRAPHS) -> bytes:
    """A mail whose writer's text is the letter, with nothing around it but a sender and a date."""
    from email.message import EmailMessage

    message = EmailMessage()
    message["From"], message["Date"] = "Jonas Field <jonas@field.example>", "Mon, 02 Mar 2026 09:00:00 +0000"
    message.set_content("\n\n".join(paragraphs), cte="quoted-printable")
    return message.as_bytes()


MAKERS: dict[str, Callable[..., bytes]] = {
    "letter.docx": docx, "letter.odt": odt, "letter.pdf": pdf, "letter.rtf": rtf, "letter.html": html_page,
    "letter.txt": txt, "wrapped.txt": wrapped, "letter.md": markdown, "letter.eml": mail,
}  # fmt: skip


def greedy(megabytes: int) -> int:
    """In the reading process: takes memory."""
    from biasprint.core.machine.child import limit_this_process

    limit_this_process()
    return len(bytearray(megabytes * 1_000_000))
