"""`letter` and `reference` from the command line: what is said of good letters, of bad files, and of piles."""

import json
import zipfile
from pathlib import Path

import pytest
from cli_support import biasprint, refused
from docx import Document

from biasprint.core import letters
from biasprint.core.letters import kinds
from biasprint.core.letters.kept import saved_letter
from biasprint.core.letters.references import reference
from biasprint.core.project.project import Project

PARAGRAPHS = (
    "To whom it may concern,",
    "I have worked with Kelly Moreno, a 40 year old artist, for four years at the print studio. She is a warm and "
    "caring colleague who is always glad to help others. In 2021 she led the restoration of the lithography press.",
    "She received the national prize for graphic art twice. She is not a natural leader.",
    "I recommend her for the residency.",
    "Sincerely,",
    "Dr. Jonas Field",
)
CV = (
    "Kelly Moreno\n\nKelly Moreno led the restoration of the lithography press in 2021. She received the national "
    "prize for graphic art in 2015 and in 2019.\n"
)
LETTER_KEYS = {
    "file", "kind", "pages", "notes", "text", "person", "occupation", "occupation_guess", "stopped", "suspicions",
    "verdict",
    "parts", "sentences", "marks", "uncounted", "beside", "doubted",
    "said_of_marks", "scores", "context", "support", "figures", "naming",
    "balance", "compared", "reference", "twin", "name_twins", "scorers", "versions", "read_as",
}  # fmt: skip
LIMITS = (
    "One letter cannot show bias; it can show language worth a second look. About four in ten such passages are missed."
)


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    path = tmp_path / "letter.txt"
    path.write_text("\n\n".join(PARAGRAPHS), encoding="utf-8")
    return path


@pytest.fixture
def cv(tmp_path: Path) -> Path:
    path = tmp_path / "cv.txt"
    path.write_text(CV, encoding="utf-8")
    return path


@pytest.mark.soak
def test_a_checked_letter_is_kept_in_a_project_as_the_window_opens_it_and_taken_out(
    letter: Path, cv: Path, tmp_path: Path
) -> None:
    file = tmp_path / "kept.biasprint"
    biasprint("new", file)
    added = biasprint("saved-letters", "add", file, letter, "--context", cv, "--title", "Kelly", "--json").json
    assert added["occupation"] == "artist"
    listed = biasprint("saved-letters", "list", file, "--json").json["letters"]
    assert [(one["id"], one["title"]) for one in listed] == [(added["id"], "Kelly")]
    with Project.open(file, read_only=True) as project:
        kept = saved_letter(project, added["id"])
    assert kept.document.text == letter.read_text(encoding="utf-8")
    assert kept.context is not None
    assert kept.context.text == cv.read_text(encoding="utf-8").rstrip("\n")
    refused("saved-letters", "remove", file, "kelly", code=2, says="There is no saved letter “kelly”")
    biasprint("saved-letters", "remove", file, added["id"])
    assert biasprint("saved-letters", "list", file, "--json").json == {"letters": []}


def test_help_names_every_kind_of_file_and_of_document() -> None:
    shown = " ".join(biasprint("letter", "--help").out.split())
    assert f"Letters: {kinds.NAMES};" in shown
    assert f"What it is read as: {', '.join(letters.DOCUMENT_KINDS)};" in shown


def test_a_letter_is_read_under_a_name_of_every_group(letter: Path) -> None:
    (one,) = biasprint("letter", letter, "--twin", "names:all", "--json").json["letters"]
    assert one["twin"] is None
    names = one["name_twins"]
    assert [twin["group"] for twin in names["twins"]] == ["white", "black", "hispanic", "asian"]
    assert all(twin["person"]["pronoun"] == "she" and "Kelly" not in twin["text"] for twin in names["twins"])
    assert all(len(figure["values"]) == 4 for figure in names["figures"])
    assert names["findings"][-1].startswith("One name stands for no group")


def of_pages(count: int, password: str = "") -> bytes:
    from fpdf import FPDF

    document = FPDF()
    document.set_font("Helvetica", size=12)
    if password:
        document.set_encryption(owner_password=password, user_password=password)
    for page in range(count):
        document.add_page()
        document.cell(text=f"She is kind, and this is page {page}.")
    return bytes(document.output())


def test_a_letter_is_told_in_calm_words_and_nothing_is_left_behind(letter: Path, cv: Path) -> None:
    before = sorted(letter.parent.iterdir())
    said = biasprint("letter", letter, "--context", cv, "--twin", "Thomas Field:he").out
    for part in (
        "letter.txt: about Kelly Moreno (she), as far as it tells.",
        "Occupation: artist, a guess.",
        "Praise of both warmth and drive: ",
        "Communal (",
        "“warm” (sentence 3)",
        "Doubt-raising, may be worth a look: “not a natural leader” (sentence 6, denied)",
        "Support by cv.txt.",
        "Compared with 60 letters for artist: no person wrote these letters.",
        "The same letter about Thomas Field (he)",
        "(stand-in)",
    ):
        assert part in said, said
    assert said.rstrip().endswith(LIMITS)
    assert sorted(letter.parent.iterdir()) == before


def test_json_has_every_key_and_places_that_fit_the_text(letter: Path, cv: Path) -> None:
    answer = biasprint("letter", letter, "--context", cv, "--twin", "Thomas Field:he", "--json").json
    assert (answer["version"], answer["limits"]) == (1, LIMITS)
    (one,) = answer["letters"]
    assert set(one) == LETTER_KEYS
    assert one["person"] == {"first_name": "Kelly", "last_name": "Moreno", "title": "", "pronoun": "she", "whole": ""}
    assert (one["occupation"], one["occupation_guess"]["likely"]) == ("artist", True)
    assert all(one["text"][mark["start"] : mark["end"]] == mark["words"] for mark in one["marks"])
    assert all(one["text"][s["start"] : s["end"]] == s["text"] for s in one["sentences"])
    led = next(s["index"] for s in one["sentences"] if s["text"].startswith("In 2021 she led"))
    assert next(found["verdict"] for found in one["support"] if found["sentence"] == led) == "grounded"
    assert {scorer["stand_in"] for scorer in one["scorers"]} == {True}
    assert {figure["name"] for figure in one["compared"]} >= {"words", "agency"}
    twin = one["twin"]
    assert "Thomas Field" in twin["text"]
    assert "Kelly" not in twin["text"]
    assert {figure["name"]: figure["difference"] for figure in twin["figures"]}["words"] == 0
    assert twin["findings"]


def test_what_a_person_says_goes_before_what_is_guessed(letter: Path) -> None:
    options = ("--occupation", "Chefs", "--name", "Jonas Field", "--pronoun", "he")
    (one,) = biasprint("letter", letter, *options, "--json").json["letters"]
    assert one["person"] == {"first_name": "Jonas", "last_name": "Field", "title": "", "pronoun": "he", "whole": ""}
    assert one["occupation"] == "Chefs"
    assert one["reference"].startswith("Compared with 60 letters for chef:")
    (other,) = biasprint("letter", letter, "--occupation", "surgeon", "--json").json["letters"]
    assert other["compared"] == []
    assert other["reference"].startswith("There is no reference for this occupation")


@pytest.mark.soak
def test_several_letters_of_one_candidate_are_answered_one_after_the_other(letter: Path, tmp_path: Path) -> None:
    second = tmp_path / "second.md"
    second.write_text("# Reference\n\nKelly Moreno is diligent. " + "She works hard every day. " * 8, encoding="utf-8")
    answer = biasprint("letter", letter, second, "--json").json
    assert [one["file"] for one in answer["letters"]] == ["letter.txt", "second.md"]
    assert biasprint("letter", letter, second).out.count(LIMITS) == 2


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.txt", b"", "“empty.txt” is empty."),
        ("blank.txt", b" \n\n ", "“blank.txt” is empty."),
        ("photo.jpg", b"\xff\xd8\xff\xe0 a photo", "“photo.jpg” is a picture, not a text."),
        ("secret.pdf", "PASSWORD", "“secret.pdf” is protected by a password"),
        ("book.pdf", "BOOK", "“book.pdf” has more than 50 pages: that is no letter."),
        ("scan.pdf", "SCAN", "“scan.pdf”"),
        ("missing.docx", None, "There is no file"),
        ("letter.docx", b"PK\x03\x04 cut off", "“letter.docx” is damaged or cut off."),
    ],
)
def test_a_bad_file_is_one_sentence_and_exit_code_1(
    tmp_path: Path, name: str, content: bytes | str | None, says: str
) -> None:
    path = tmp_path / name
    if content == "SCAN":
        from fpdf import FPDF

        scan = FPDF()
        scan.add_page()
        scan.rect(10, 10, 50, 50)
        path.write_bytes(bytes(scan.output()))
    elif isinstance(content, str):
        path.write_bytes(of_pages(300) if content == "BOOK" else of_pages(1, "hidden"))
    elif content is not None:
        path.write_bytes(content)
    refused("letter", path, code=1, says=says)


def test_a_bad_context_is_told_too(letter: Path, tmp_path: Path) -> None:
    (tmp_path / "cv.png").write_bytes(b"\x89PNG and more")
    refused("letter", letter, "--context", tmp_path / "cv.png", code=1, says="“cv.png” is a picture, not a text.")


def test_a_cv_in_place_of_the_letter_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text(
        "Kelly Moreno\n\nWork experience\n\n2019 to 2023 Printer, City Studio\n\n2015 to 2019 Assistant, Lyon\n\n"
        "Education\n\n2012 to 2015 School of Arts, Lyon\n\nSkills\n\nLithography, etching\n\nLanguages\n\n"
        "English, French\n",
        encoding="utf-8",
    )
    assert "This looks like a CV, not a letter." in biasprint("letter", path).out


def test_two_letters_in_one_file_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "letters.txt"
    body = "Kelly Moreno is a warm colleague who helps everybody in the studio."
    one = f"Dear committee,\n\n{body}\n\nSincerely,\n\nJonas Field"
    path.write_text(f"{one}\n\n{one.replace('Kelly', 'Ann')}", encoding="utf-8")
    assert "This file seems to hold more than one letter." in biasprint("letter", path).out


def test_what_a_terminal_would_obey_is_shown_and_not_done(tmp_path: Path, cv: Path) -> None:
    path = tmp_path / "[red]\u202eletter.txt"
    claim = "In 2021 \x1b[31mKelly Moreno\x1b[0m won a [bold]national\u202e prize[/bold] in\x9b2J Lyon\u2066."
    text = f"{claim} I have known her for a long time, and she was one of the best of us all. " * 6 + "\x07"
    path.write_text(text, encoding="utf-8")
    said = biasprint("letter", path, "--context", cv).out
    assert not set(said) & {"\x1b", "\x07", "\x9b", "\u202e", "\u2066"}
    assert "[red]" in said
    assert "a [bold]national\ufffd prize[/bold]" in said


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pile = tmp_path / "letters"
    (pile / "2024").mkdir(parents=True)
    whole = "\n\n".join(PARAGRAPHS)
    (pile / "kelly.txt").write_text(whole, encoding="utf-8")
    he = whole.replace("Kelly", "Thomas").replace("She ", "He ").replace("she ", "he ").replace(" her ", " him ")
    (pile / "2024" / "thomas.txt").write_text(he, encoding="utf-8")
    (pile / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 a photo")
    return pile


def test_a_folder_and_a_zip_are_tables_that_no_bad_file_stops(folder: Path, tmp_path: Path) -> None:
    found = biasprint("letter", folder, "--json").json
    assert set(found) == {
        "version", "pile", "columns", "rows", "passed_over", "remarks", "headline", "groups", "selection",
        "scorers", "uncounted", "versions", "limits",
    }  # fmt: skip
    rows = {row["path"]: row for row in found["rows"]}
    assert [(path, row["group"], row["occupation"]) for path, row in rows.items()] == [
        ("2024/thomas.txt", "male", "artist"), ("kelly.txt", "female", "artist"), ("photo.jpg", "", ""),
    ]  # fmt: skip
    assert rows["photo.jpg"]["reason"] == "“photo.jpg” is a picture, not a text."
    assert rows["kelly.txt"]["figures"]["words"] == rows["2024/thomas.txt"]["figures"]["words"]
    assert {test["few"] for test in found["groups"]} == {True}
    assert {test["p"] for test in found["groups"]} == {None}
    with zipfile.ZipFile(tmp_path / "letters.zip", "w") as archive:
        for path in sorted(folder.rglob("*.*")):
            archive.write(path, path.relative_to(folder))
    zipped = biasprint("letter", tmp_path / "letters.zip", "--json").json
    assert zipped["rows"] == found["rows"]
    assert found["selection"] is None
    outcomes = tmp_path / "outcomes.csv"
    outcomes.write_text("file,invited\nkelly,no\nthomas.txt,yes\nmary,yes\n", encoding="utf-8")
    report = tmp_path / "all.pdf"
    said = biasprint("letter", folder, "--outcomes", outcomes, "--report", report).out
    assert report.read_bytes().startswith(b"%PDF")
    for part in (
        "3 files, 2 of them read.",
        "Too few letters to say",
        "is a picture, not a text",
        "male” and 1 in “female”",
        "Of “female” 0 % were chosen, 0 of 1: 0.0 (95 % interval 0.0–",
        f"The report is in {report}.",
        "1 line of “outcomes.csv” belongs to no letter here: “mary”.",
    ):
        assert part in said, said


def test_files_become_a_pile_where_that_is_asked(folder: Path, cv: Path) -> None:
    options = ("--pile", "--context", cv, "--occupation", "printer", "--json")
    found = biasprint("letter", folder / "kelly.txt", folder / "photo.jpg", *options).json
    assert [row["reason"] != "" for row in found["rows"]] == [False, True]
    assert found["rows"][0]["occupation"] == "printer"
    assert 0 <= found["rows"][0]["figures"]["unsupported"] <= 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--twin", "Thomas"), "“Thomas” is no name with a pronoun."),
        (("--twin", "Thomas:xe"), "“xe” is no pronoun that is known here."),
        (("--twin", "names:us", "--report", "report.pdf"), "A full report has one twin."),
        (("--pronoun", "it"), "“it” is no pronoun that is known here."),
        (("--reference", "mine"), "There is no reference set “mine”."),
        (("--report", "report.txt"), "“report.txt” has no ending to write to."),
        (("--word", "letter.pdf"), "“letter.pdf” has no ending to write to."),
        (("--word", "letter.docm"), "“letter.docm” has no ending to write to."),
        (("--word", "checked.odt"), "Only a letter that came as odt is written as odt."),
        (("--note", "note.txt"), "“note.txt” has no ending to write to."),
        (("--appendix",), "--appendix belongs to the note."),
        (("--original", "first.docx"), "--original is for a note or a report."),
        (("--pile", "--note", "note.pdf"), "--note is about one letter."),
        (("--pile", "--twin", "Thomas:he"), "--twin is about one letter."),
        (("--outcomes", "invited.csv"), "--outcomes is about a pile."),
        (("--cvs", "cvs"), "--cvs is about a pile."),
        (("--pile", "--cvs", "cvs", "--context", "cv.txt"), "--context is one CV for every letter"),
        (("FOLDER",), "One folder or zip is checked at a time."),
    ],
)
def test_a_request_that_makes_no_sense_is_answered_in_a_sentence(
    letter: Path, folder: Path, options: tuple[str, ...], says: str
) -> None:
    refused("letter", letter, *(str(folder) if part == "FOLDER" else part for part in options), code=2, says=says)


@pytest.mark.soak
def test_a_report_is_written_beside_the_answer_and_never_over_what_it_is_made_from(
    letter: Path, cv: Path, tmp_path: Path
) -> None:
    for name, start in (("report.pdf", b"%PDF-"), ("report.docx", b"PK")):
        target = tmp_path / name
        note = tmp_path / f"note{target.suffix}"
        files = ("--report", target, "--word", tmp_path / "checked.docx", "--note", note, "--appendix")
        said = biasprint("letter", letter, "--context", cv, "--twin", "Thomas Field:he", *files).out
        assert f"The report is in {target}." in said
        assert f"The letter with its marks as comments is in {tmp_path / 'checked.docx'}." in said
        assert f"The note to the writer is in {note}." in said
        assert target.read_bytes().startswith(start)
        assert note.read_bytes().startswith(start)
    comments = [comment.text for comment in Document(str(tmp_path / "checked.docx")).comments]
    marks = [comment for comment in comments if "\nSource: " in comment]
    assert 0 < len(marks) < len(comments), "the CV does not carry each claim"
    told = [cell.text for cell in Document(str(tmp_path / "note.docx")).tables[0].columns[0].cells]
    assert any("40 year old" in one for one in told), told
    docx = tmp_path / "report.docx"
    refused(
        "letter",
        letter,
        "--context",
        docx,
        "--report",
        docx,
        code=2,
        says="would take the place of what it is made from",
    )
    first, note = tmp_path / "first.txt", tmp_path / "n.docx"
    first.write_text(letter.read_text(encoding="utf-8").replace("warm", "bossy"), encoding="utf-8")
    files = ("--report", tmp_path / "r.pdf", "--note", note, "--original", first)
    answer = json.loads(biasprint("letter", letter, "--json", *files).out)
    assert (Path(answer["report"]).name, Path(answer["note"]).name) == ("r.pdf", "n.docx")
    changed = [cell.text for cell in Document(str(note)).tables[0].rows[1].cells]
    assert "bossy" in changed[0]
    assert "warm" in changed[1]


@pytest.mark.soak
def test_a_reference_is_made_from_a_project_listed_used_and_removed(
    empty: Path, few_letters: int, letter: Path
) -> None:
    biasprint("prompts", empty, "--study", "letters")
    biasprint("generate", empty, "--study", "letters", "--backend", "synthetic", "--model", "large", "--seed", 5)
    (bundled,) = biasprint("reference", "list", "--json").json["references"]
    assert (bundled["name"], bundled["stand_in"], bundled["letters"]) == ("bundled", True, 720)
    made = biasprint("reference", "make", "ours", empty, "--title", "Our letters", "--json").json
    assert (made["letters"], made["groups"]) == (few_letters, ["female", "male"])
    assert "written by large" in made["made_from"]
    kept = reference("ours")
    assert kept.stand_in
    said = biasprint("letter", letter, "--reference", "ours").out
    assert "“Our letters” has 10 letters for “artist”: too few to compare with (20 are needed)." in said
    only = biasprint("reference", "make", "actors", empty, "--occupation", "actors", "--json").json
    others = {"no such occupation": few_letters - 10}
    assert (only["letters"], only["occupations"], only["dropped"]) == (10, ["actor"], others)
    assert "ours" in biasprint("reference", "list").out
    assert biasprint("reference", "remove", "ours", "--json").json == {"removed": "ours"}
    refused("reference", "remove", "ours", code=2, says="There is no reference set “ours”.")
    refused("reference", "remove", "bundled", code=2, says="The bundled reference set stays as it is.")


def test_a_project_without_letters_makes_no_reference(empty: Path) -> None:
    refused("reference", "make", "ours", empty, code=1, says="The project has no letters study.")


def test_imported_letters_make_a_reference_by_occupation_and_group(empty: Path) -> None:
    table = empty.with_name("letters.csv")
    rows = [f'"Letter {n}: she leads and helps everybody who works in our studio.",female,chefs' for n in range(3)]
    table.write_text("\n".join(["text,group,occupation", *rows, '"No occupation given here.",male,']), encoding="utf-8")
    biasprint("import", empty, table, "--study", "letters")
    made = biasprint("reference", "make", "ours", empty, "--json").json
    assert (made["letters"], made["occupations"], made["dropped"]) == (3, ["chef"], {"no occupation": 1})
    assert made["made_from"] == "letters of a project, 3 imported, by whoever wrote them."
    assert not reference("ours").stand_in


def test_a_house_list_ignores_and_marks_and_a_bad_line_of_it_is_named(letter: Path, tmp_path: Path) -> None:
    house = tmp_path / "house.csv"
    house.write_text(
        "words,what,category,reason\nwarm,ignore,,\nkind,hide,,\nprint studio,mark,origin,ours\n", encoding="utf-8"
    )
    answer = biasprint("letter", letter, "--house-list", house, "--json")
    (read,) = answer.json["letters"]
    marked = {(mark["category"], mark["words"]) for mark in read["marks"]}
    assert ("communal", "caring") in marked
    assert ("communal", "warm") not in marked
    assert ("origin", "print studio") in marked
    assert len(read["versions"]["house list"]) == 12
    assert "house.csv: Line 3 was left out: “hide” is neither “ignore” nor “mark”." in answer.err
    refused("letter", letter, "--house-list", letter, code=1, says="is no house list")


def test_an_advert_and_a_mail_with_a_review_are_read_as_what_they_are(tmp_path: Path) -> None:
    advert, mail = tmp_path / "advert.txt", tmp_path / "review.eml"
    advert.write_text(
        "Sales Lead\n\nWe are looking for a confident salesman to dominate the market. Your responsibilities: lead, "
        "compete, win. To apply, send your CV with a photo.\n", "utf-8",
    )  # fmt: skip
    mail.write_text(
        "From: Owen <o@x.example>\nTo: hr@x.example\nSubject: Annual performance review\n\nDana met all of her "
        "objectives and led the migration. She should watch her tone. Overall rating: 4.\n\n> Friday?\n", "utf-8",
    )  # fmt: skip
    first, second = biasprint("letter", advert, mail, "--json").json["letters"]
    assert first["read_as"]["kind"] == "advert"
    assert first["read_as"]["guessed"]
    assert "We are looking for" in first["read_as"]["reason"]
    assert [mark["words"] for mark in first["marks"] if mark["category"] == "masculine"][:2] == ["Lead", "confident"]
    assert (second["kind"], second["read_as"]["title"]) == ("eml", "Performance review")
    assert second["notes"] == ["Of the mail were not read: its headers (From, To) and 1 line of a quoted mail."]
    chosen = biasprint("letter", advert, "--kind", "reference", "--json").json["letters"][0]
    assert (chosen["read_as"]["kind"], chosen["read_as"]["guessed"]) == ("reference", False)
    refused("letter", advert, "--kind", "poem", code=2, says="“poem” is no kind of document.")
    refused("letter", advert, "--twin", "Tom Hale:he", code=1, says="There is no twin of a job advert")
