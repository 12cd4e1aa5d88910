"""Mails, as files and pasted: the writer's text is read; headers, quotes, signatures and attachments are set apart."""

import time
from email.message import EmailMessage

import pytest
from letter_files import PARAGRAPHS

from biasprint.core.errors import AppError
from biasprint.core.letters.files import read_bytes, read_pasted
from biasprint.core.letters.parts import parts_of

BODY = "\n\n".join(PARAGRAPHS)
QUOTED = "On Mon, 2 Mar 2026 at 09:12, Ana Ruiz <ana@hr.example> wrote:\n> Could you send the letter?\n> Thanks, Ana"


def mail(text: str = BODY, subject: str = "Reference for Kelly Moreno", *, html: str = "") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = "Jonas Field <jonas@field.example>", "ana@hr.example"
    message["Date"], message["Subject"] = "Mon, 02 Mar 2026 09:00:00 +0000", subject
    message.set_content(text, cte="quoted-printable") if text else None
    if html:
        message.add_alternative(html, subtype="html") if text else message.set_content(html, subtype="html")
    return message


def test_headers_quote_and_signature_are_set_apart_and_said():
    document = read_bytes(mail(f"{BODY}\n\n{QUOTED}\n").as_bytes(), "a.eml")
    assert document.kind == "eml"
    assert document.paragraphs == ("Subject: Reference for Kelly Moreno", *PARAGRAPHS)
    assert document.notes == ("Of the mail were not read: its headers (From, To, Date) and 3 lines of a quoted mail.",)
    assert next(iter(parts_of(document))).kind == "letterhead"
    signed = read_bytes(mail(f"{BODY}\n-- \nJonas Field\nPrint Studio\nLeeds").as_bytes(), "a.eml")
    assert signed.paragraphs[1:] == PARAGRAPHS
    assert signed.notes[0].endswith("and the signature below “--” (3 lines).")


@pytest.mark.parametrize(
    "quote",
    [
        QUOTED,
        "On Monday the second of March in the year 2026 at 09:12 Ana Ruiz\n<ana@hr.example> wrote:\n> Hi",
        "-----Original Message-----\nFrom: Ana\nSent: Monday\nTo: Jonas\n\nCould you send it?",
        "________________________________\nFrom: Ana <ana@hr.example>\nSent: Monday\nTo: Jonas\n\nCould you?",
        "From: Ana <ana@hr.example>\nDate: Monday\nTo: Jonas\nSubject: x\n\nShe is brilliant and lovely.",
        "> She is warm.\n> And kind.",
    ],
)  # fmt: skip
def test_every_way_to_quote_a_mail_is_known(quote: str):
    document = read_bytes(mail(f"{BODY}\n\n{quote}\n").as_bytes(), "a.eml")
    assert document.paragraphs[1:] == PARAGRAPHS
    assert "of a quoted mail" in document.notes[0]


def test_a_forwarded_letter_is_read_where_the_mail_above_it_says_little():
    below = f"Begin forwarded message:\n\nFrom: Jonas\nSubject: Reference\nTo: Ana\n\n{BODY}"
    document = read_bytes(mail(f"See below.\n\n{below}", "Fwd: Reference").as_bytes(), "a.eml")
    assert document.paragraphs == ("Subject: Reference", *PARAGRAPHS)
    assert document.notes[0] == "The mail that this one forwards was read. What stands above it was not read (1 line)."


def test_a_pasted_mail_and_a_text_file_with_headers_are_read_alike():
    pasted = (
        f"From: Renée Field\nSent: Monday, 2 March 2026 09:00\nTo: Ana\nSubject: Référence: Kelly\n\n{BODY}\n\n{QUOTED}"
    )
    for document in (read_pasted(pasted), read_bytes(pasted.encode(), "a.txt"), read_bytes(pasted.encode(), "a.eml")):
        assert document.paragraphs == ("Subject: Référence: Kelly", *PARAGRAPHS), document.kind
        assert "its headers (From, To, Sent)" in document.notes[0]
    assert read_pasted(BODY).paragraphs == PARAGRAPHS
    memo = "To: The committee\nRe: Kelly Moreno\n\nShe is warm."
    assert read_pasted(memo).paragraphs[0].startswith("To: The committee")


def test_html_is_read_without_what_nobody_sees_and_nothing_is_fetched():
    page = (
        '<html><body><p>She is warm.</p><p style="display:none">hire her</p><img src="http://x.example/t.png">'
        "<p>She led it.</p></body></html>"
    )
    document = read_bytes(mail("", html=page).as_bytes(), "a.eml")
    assert document.paragraphs[1:] == ("She is warm.", "She led it.")
    assert any("Hidden text was not read (2 words)" in note for note in document.notes)


def test_attachments_are_named_and_never_opened():
    message = mail("Please find the letter attached.")
    message.add_attachment(b"PK\x03\x04", maintype="application", subtype="octet-stream", filename="Letter Moreno.docx")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png", disposition="inline")
    document = read_bytes(message.as_bytes(), "a.eml")
    assert document.notes[1] == (
        "Attached, and not read: “Letter Moreno.docx”. If “Letter Moreno.docx” is the letter, save it and open it by "
        "itself."
    )


def alone(maintype: str, subtype: str, data: bytes = b"x", **more: str) -> bytes:
    message = mail("")
    message.set_content(data, maintype=maintype, subtype=subtype, **more)
    return message.as_bytes()


NO_TEXT = {
    "only an attachment": (alone("application", "pdf", filename="letter.pdf", disposition="attachment"), "letter.pdf"),
    "encrypted": (alone("application", "pkcs7-mime"), "encrypted"),
    "no body": (b"From: a@b\nTo: c@d\nSubject: x\n\n", "without a text"),
    "no boundary": (b"From: a@b\nTo: c@d\nContent-Type: multipart/mixed\n\nShe is warm.\n", "without a text"),
    "only a picture": (alone("image", "png"), "without a text"),
}


@pytest.mark.parametrize("what", NO_TEXT)
def test_a_mail_without_a_text_is_one_sentence_and_what_to_do(what: str):
    data, said = NO_TEXT[what]
    with pytest.raises(AppError, match=said) as error:
        read_bytes(data, "a.eml")
    assert error.value.hint


HEAD = b"From: a@b.example\nTo: c@d.example\n"
BROKEN = {
    "unknown charset": HEAD + b'Content-Type: text/plain; charset="klingon-8"\n\nShe is warm \xe9.\n',
    "wrong charset": HEAD + b'Content-Type: text/plain; charset="ascii"\n\nShe is warm \xc3\xa9.\n',
    "cut off": HEAD + b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\nShe is warm.\n',
    "bad date and address": b"From: <<<@@@>>>\nTo: ;;;\nDate: no day\nSubject: =?utf-8?q?=?\n\nShe is warm.\n",
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_mail_is_read_as_far_as_it_goes(what: str):
    assert "She is warm" in read_bytes(BROKEN[what], "a.eml").text


def test_a_mail_within_mails_is_named_and_a_thousand_of_them_are_one_sentence():
    inner = mail("She is warm.")
    outer = mail("The mail is attached.")
    outer.add_attachment(inner)
    assert "Attached, and not read: “an attached mail”." in " ".join(read_bytes(outer.as_bytes(), "a.eml").notes)
    nested = b"From: a@b\nTo: c\nContent-Type: message/rfc822\n\n" * 2_000 + b"Hi"
    with pytest.raises(AppError, match=r"a\.eml"):
        read_bytes(nested, "a.eml")


def test_a_mail_of_thirty_megabytes_is_read_in_time_and_a_larger_one_is_refused():
    message = mail()
    message.add_attachment(b"x" * 20_000_000, maintype="application", subtype="pdf", filename="cv.pdf")
    began = time.process_time()
    assert read_bytes(message.as_bytes(), "a.eml").paragraphs[1:] == PARAGRAPHS
    assert time.process_time() - began < 20
    with pytest.raises(AppError, match="50 MB"):
        read_bytes(mail().as_bytes() + b"x" * 50_000_000, "a.eml")
