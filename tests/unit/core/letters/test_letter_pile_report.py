"""The report of a pile: its letters, groups and rates, and what there is to look at letter by letter."""

from dataclasses import replace
from pathlib import Path

import pytest
from inline_compute import Inline
from letter_files import PARAGRAPHS, txt

from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.letters.files import read_bytes
from biasprint.core.letters.pile import FilePlace, Pile, PileColumn, PileRow
from biasprint.core.letters.pile.compare import group_tests
from biasprint.core.letters.pile.outcomes import selection_rates
from biasprint.core.letters.pile.read import report_pile
from biasprint.core.letters.report import write_pile_report
from biasprint.core.letters.report.full import MOST_LETTERS, letters_to_tell, pile_report, report_of
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.report.blocks import Heading, ReportParagraph, ReportTable
from biasprint.core.swap import Person

SHARE = PileColumn("agentic", "Agentic", "share of sentences")
DOUBT = "She is not a natural leader."
LETTER = "\n\n".join(PARAGRAPHS).replace("I recommend", f"{DOUBT} I recommend")


def rows(count: int = 3) -> tuple[PileRow, ...]:
    return tuple(
        PileRow(
            f"{place}.txt", f"sub/{place}.txt", Person("Kelly", f"Moreno{place}"), "artist",
            "female" if place % 2 else "male", {"agentic": place / count}, {"doubt": place}, outcome=bool(place % 2),
        )
        for place in range(count)
    )  # fmt: skip


def told(pile: Pile) -> str:
    found = report_of(pile, group_tests(pile.rows, pile.columns), selection_rates(pile.rows), by_hand=2)
    said: list[str] = []
    for block in pile_report(found):
        if isinstance(block, Heading):
            said.append(block.text)
        elif isinstance(block, ReportParagraph):
            said.append("".join(run.text for run in block.runs))
        elif isinstance(block, ReportTable):
            said += [" | ".join(map(str, row)) for row in (block.header, *block.rows)]
    return "\n".join(said)


def test_the_report_holds_the_letters_their_groups_and_who_was_chosen() -> None:
    bad = PileRow("photo.jpg", "photo.jpg", reason="“photo.jpg” is a picture.")
    copy = replace(rows()[1], path_in_pile="copy.txt", same_as="sub/1.txt", cv=FilePlace(Path("cvs"), "kelly cv.pdf"))
    text = told(Pile("spring", (*rows(), bad, copy), (SHARE,), remarks=("A CV fits no letter by its name: “x”.",)))
    for words in (
        "Letters of “spring”",
        "4 of 5 files were read; 1 say the same as an earlier one.",
        "3 of 4 letters have something to look at, 0 places, and others that may be worth a look",
        "1 letters were held against a CV of their own.",
        "Too few letters to say whether the groups differ",
        "Somebody set 2 rows right",
        "A CV fits no letter by its name: “x”.",
        "sub/2.txt | Kelly Moreno2 | artist | Male | may be worth a look: doubt |  | Not chosen.",
        "photo.jpg |  |  |  |  |  | Not read: “photo.jpg” is a picture.",
        "kelly cv.pdf | Chosen. The same text as sub/1.txt.",
        "Female | 1 of 1 | 100 % (21–100) | –",
        "four fifths",
        "One letter cannot show bias.",
    ):
        assert words in text, words
    assert "complian" not in text.lower()


def test_a_long_pile_tells_the_first_letters_and_says_so() -> None:
    many = tuple(replace(rows()[2], path_in_pile=f"{place}.txt") for place in range(MOST_LETTERS + 3))
    assert len(letters_to_tell(many)) == MOST_LETTERS


def test_letters_are_told_by_their_sentences_and_a_lost_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "kelly.txt").write_text(LETTER, encoding="utf-8")
    (tmp_path / "cv.txt").write_bytes(txt())
    kelly = PileRow(
        "kelly.txt", "kelly.txt", Person("Kelly", "Moreno", "", "she"), "artist", "female", marks={"doubt": 1}
    )
    gone = replace(kelly, name="gone.txt", path_in_pile="gone.txt")
    plain = replace(kelly, path_in_pile="plain.txt", marks={"ability": 3})
    found = report_of(Pile("letters", (kelly, gone, plain)), (), None)
    target = tmp_path / "all.docx"
    lost = report_pile(JobContext(), tmp_path, target, found, Inline(), ReadingRequest())  # type: ignore[arg-type]
    assert lost == (f"“gone.txt” is no longer in “{tmp_path.name}”. Read the pile again.",)
    text = " ".join(read_bytes(target.read_bytes(), target.name).text.split())
    assert "kelly.txt: Kelly Moreno" in text
    assert f"“not a natural leader”: {DOUBT}" in text
    assert "plain.txt: " not in text, "praise alone is nothing to look at"
    tmp_path.rename(moved := tmp_path.with_name(f"{tmp_path.name} gone"))
    lost = report_pile(JobContext(), [tmp_path], moved / "all.docx", found, Inline(), ReadingRequest())  # type: ignore[arg-type]
    assert len(lost) == 1, "a stick that was pulled out is said once, not for each letter"
    assert lost[0].startswith(f"“{tmp_path.name}” is not there any more.")
    assert "lithography" not in text, "of a letter only the sentences with something to look at are in it"


def test_a_letter_whose_praise_leans_says_so_in_its_section_as_in_the_table(tmp_path: Path) -> None:
    warm = "Ann is warm, kind and caring. " * 4 + "She is gentle, friendly and cheerful with everybody here."
    (tmp_path / "ann.txt").write_text(f"I recommend Ann Weber for the post of nurse.\n\n{warm}", encoding="utf-8")
    row = PileRow("ann.txt", "ann.txt", Person("Ann", "Weber", "", "she"), "nurse", "female", {"words": 9.0})
    row, target = replace(row, balance="warmth"), tmp_path / "all.docx"
    request = ReadingRequest({"agency": "agency_minilm"})
    report_pile(JobContext(), tmp_path, target, report_of(Pile("p", (row,)), (), None), Inline(), request)  # type: ignore[arg-type]
    assert "mostly of warmth" in read_bytes(target.read_bytes(), target.name).text


def test_a_report_has_an_ending_that_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is a \.pdf or a \.docx file"):
        write_pile_report(tmp_path / "all.html", report_of(Pile("p", rows()), (), None))
    with pytest.raises(UsageError):  # before a letter is looked for
        report_pile(
            JobContext(),
            tmp_path,
            tmp_path / "all.html",
            report_of(Pile("p", rows()), (), None),
            Inline(),
            ReadingRequest(),
        )  # type: ignore[arg-type]
