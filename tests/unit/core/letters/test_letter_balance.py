"""The balance of a letter's praise: the rule, what it is said to mean, and letters that it tells apart."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.errors import NotInstalledYet
from biasprint.core.letters import balance
from biasprint.core.letters.balance import KNOWN_FOR, TITLES, UNCLEAR, WEIGHTS_SHA256, balance_of, by_count, leaning_of
from biasprint.core.letters.files import read_bytes, read_pasted
from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.reading import read_letter, sentences_of
from biasprint.core.letters.report import write_note, write_report
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.twins import read_with_twin
from biasprint.core.letters.values import Balance, Leaning, Part, Reading, Sentence
from biasprint.core.swap import Person

DATA = Path(__file__).resolve().parents[3] / "data"
WARM = (
    "Dear colleagues,\n\nKelly is the kindest nurse on our ward. She sits with patients who are afraid and holds their "
    "hands. She listens to everybody and never hurries anyone. The younger nurses bring her their troubles, and she "
    "comforts them. Families write to thank her for her warmth.\n\nYours,\nPetra Lind"
)
DRIVEN = (
    "Dear colleagues,\n\nKelly took charge of the ward in her first week. She decided alone to move the theatre lists "
    "and pushed it through against the board. She sets the course and others follow. She won the contract by "
    "outbidding two rivals. She wants to lead the whole hospital, and says so.\n\nYours,\nPetra Lind"
)
FACTS = (
    "Dear colleagues,\n\nKelly was employed here from 2014 to 2019. Her post was in the records office. The office "
    "keeps the files of two wards. She used the usual software. Her contract ended in March.\n\nYours,\nPetra Lind"
)


class Head:
    """A head whose probabilities are known: agentic, communal, neutral of each sentence."""

    version = "known"

    def __init__(self, *rows: tuple[float, float, float]) -> None:
        self.rows = rows

    def probabilities(self, sentences: list[str]) -> np.ndarray:
        assert len(sentences) == len(self.rows)
        return np.array(self.rows)


def told(monkeypatch: pytest.MonkeyPatch, text: str, *rows: tuple[float, float, float]) -> Balance:
    body = sentences_of(text, (Part("body", 0, len(text)),))
    monkeypatch.setattr(balance, "_head", lambda: Head(*rows))
    found = balance_of(body, marks_of(body, Person()))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("warm", "driven", "sentences", "leaning"),
    [
        (10.0, 4.0, 20, "warmth"),  # 10 : 4 is the border
        (9.9, 4.0, 20, "balanced"),
        (4.0, 10.0, 20, "drive"),
        (4.0, 9.9, 20, "balanced"),
        (2.0, 2.0, 10, "balanced"),
        (2.0, 1.9, 10, "little praise"),
        (4.0, 0.0, 4, "warmth"),
        (3.0, 0.0, 3, "too short"),
        (0.0, 0.0, 9, "little praise"),
    ],
)
def test_praise_leans_to_what_there_is_two_and_a_half_times_as_much_of(
    warm: float, driven: float, sentences: int, leaning: str
) -> None:
    assert leaning_of(warm, driven, sentences) == leaning


def test_the_rule_treats_both_kinds_alike() -> None:
    other = {"warmth": "drive", "drive": "warmth"}
    for warm in np.arange(0, 8, 0.25):
        for driven in np.arange(0, 8, 0.25):
            leaning = leaning_of(warm, driven, 8)
            assert leaning_of(driven, warm, 8) == other.get(leaning, leaning)


def test_the_words_of_the_lists_count_beside_what_the_head_says(monkeypatch: pytest.MonkeyPatch) -> None:
    even = (0.3, 0.4, 0.3)
    said = told(monkeypatch, "Ann came in May. She went in June. She wrote twice. She is back.", even, even, even, even)
    assert (said.leaning, said.places) == ("balanced", ())
    said = told(
        monkeypatch,
        "Ann is warm and caring. She is kind. She is gentle. She is back.",
        even,
        even,
        even,
        (0.1, 0.6, 0.3),
    )
    assert said.words["warmth"] == 4
    assert (said.leaning, said.places) == ("warmth", (0, 1, 2, 3))  # three by their words, the last by the head
    assert (said.warm, said.driven) == pytest.approx((1.8, 1.0))


def test_it_is_said_in_words_with_how_many_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(0.0, 0.9, 0.1)] * 4
    said = told(monkeypatch, "Ann is warm. She is kind. She is gentle and hard-working. She is caring.", *rows)
    assert said.said == (
        "4 words of warmth, 1 of effort, none of drive, in 4 sentences. Sentences of warmth, by a stand-in scorer: "
        "4; of drive: none."
    )
    none = told(monkeypatch, "Ann came. She went. She wrote. She is back.", *[(0.1, 0.1, 0.8)] * 4)
    assert none.said.startswith("No words of warmth, effort or drive, in 4 sentences.")
    assert (none.title, none.reason, none.leans) == ("Little praise of either kind", "", False)


def test_three_sentences_get_no_verdict_but_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    said = told(monkeypatch, "Ann is warm. She is kind. She is caring.", *[(0.0, 1.0, 0.0)] * 3)
    assert (said.leaning, said.leans) == ("too short", False)
    assert "from 4 sentences on" in said.reason
    assert said.said.startswith("3 words of warmth, none of effort or drive, in 3 sentences.")


QUIET = (0.05, 0.3, 0.65)  # a little warmth in every sentence, and none that one could point to


def test_one_word_alone_does_not_turn_little_praise_into_mostly_of_warmth(monkeypatch: pytest.MonkeyPatch) -> None:
    """One word in a letter of facts."""
    plain = "Ann is a {}nurse. She came in May. She works nights. She left in June. She was on ward 3."
    rows = [(0.05, 0.5, 0.45), *[QUIET] * 4]
    without, with_it = (told(monkeypatch, plain.format(word), *rows) for word in ("", "warm "))
    assert with_it.words["warmth"] == 1
    assert without.leaning == "little praise"
    assert with_it.leaning == "little praise"


def test_mostly_of_warmth_needs_most_of_the_praise_that_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """4 words of warmth beside 6 of effort and 6 of talent are a quarter of them."""
    text = (
        "Ann is kind and gentle. She is warm and caring. She is diligent, thorough and hard-working. She is dedicated, "
        "conscientious and reliable. She is talented, gifted and intelligent. She is brilliant, bright and skilled."
    )
    said = told(monkeypatch, text, *[(0.0, 0.9, 0.1)] * 2, *[QUIET] * 4)
    assert said.words["warmth"] == 4
    assert min(said.words["effort"], said.words["talent"]) >= 4
    assert (said.leaning, said.leans) == ("balanced", False)
    assert said.title == UNCLEAR


def test_both_needs_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """One word of drive, none of warmth: a little of it in every sentence is no praise of both."""
    said = told(monkeypatch, "Ann is assertive. She came. She wrote. She is back.", *[(0.2, 0.4, 0.4)] * 4)
    assert (said.words["warmth"], said.words["drive"]) == (0, 1)
    assert said.said.startswith("1 word of drive, none of warmth")
    assert said.said.endswith("Sentences of warmth, by a stand-in scorer: none; of drive: none.")
    assert "both" not in said.title


@pytest.mark.parametrize(
    ("leaning", "counts", "title"),
    [
        ("warmth", (9, 8, 0), "Praise mostly of warmth"),  # more than half
        ("warmth", (9, 9, 0), "Praise of both warmth and drive"),
        ("warmth", (9, 1, 8), UNCLEAR),
        ("drive", (0, 5, 5), UNCLEAR),
        ("drive", (0, 6, 5), "Praise mostly of drive"),
        ("balanced", (4, 1, 0), "Praise of both warmth and drive"),  # a fifth of the two
        ("balanced", (5, 1, 0), "Praise mostly of warmth"),
        ("balanced", (5, 1, 4), UNCLEAR),  # just half
        ("balanced", (0, 2, 0), UNCLEAR),
        ("balanced", (0, 0, 0), UNCLEAR),
        ("little praise", (0, 0, 9), "Little praise of either kind"),
    ],
)
def test_what_is_said_is_true_of_the_counts(leaning: Leaning, counts: tuple[int, int, int], title: str) -> None:
    given = dict(zip(("warmth", "drive", "talent"), counts, strict=True))
    assert by_count(leaning, given)[1] == title


NURSE = (
    "Dear colleagues,\n\nMara Holt has been a nurse on our emergency ward for six years. Last winter she saw that a "
    "man in the waiting room had stopped breathing, took over and brought him back before the doctor came. "
    "She decided at once to clear the corridor and led two younger nurses through it. "
    "She is skilled, exact and quick, and her charts are without a fault. "
    "She now runs our training in resuscitation, which she set up herself. "
    "Patients thank her for her kindness.\n\nYours,\nPetra Lind"
)


def test_a_nurse_who_saved_a_life_is_not_praised_mostly_for_warmth() -> None:
    found = read_letter(read_pasted(NURSE), ReadingRequest({"agency": "agency_minilm"})).balance
    assert found is not None
    assert found.leaning != "warmth"


def test_no_more_is_said_of_ratings_than_the_source_found() -> None:
    reason, source = KNOWN_FOR["warmth"]
    assert "the lower its applicant was rated" in reason
    assert source == "Madera, Hebl and Martin 2009"
    assert KNOWN_FOR["drive"][1] == "convention of writing guides"  # the study found nothing of ratings for drive
    assert set(KNOWN_FOR) == {"warmth", "drive", "too short"}


def test_there_is_none_without_a_body_and_while_the_head_is_still_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    assert balance_of((), ()) is None

    def missing() -> Head:
        raise NotInstalledYet("The model is still to come.")

    monkeypatch.setattr(balance, "_head", missing)
    assert balance_of((Sentence(0, 0, 4, "Ann.", "body"),), ()) is None


def test_it_follows_with_the_scorers_and_not_without() -> None:
    assert read_letter(read_pasted(WARM), ReadingRequest({})).balance is None
    assert (
        read_letter(read_pasted("Bonjour à tous, " * 30), ReadingRequest({"agency": "agency_minilm"})).balance is None
    )


@pytest.mark.parametrize(("text", "leaning"), [(WARM, "warmth"), (DRIVEN, "drive"), (FACTS, "little praise")])
def test_letters_are_told_apart(text: str, leaning: str) -> None:
    reading = read_letter(read_pasted(text), ReadingRequest({"agency": "agency_minilm"}))
    assert reading.balance is not None
    assert reading.balance.leaning == leaning
    assert all(reading.sentence(place).part == "body" for place in reading.balance.places)
    assert bool(reading.balance.places) == reading.balance.leans
    assert reading.versions["balance"].startswith(f"rule 3; head {WEIGHTS_SHA256[:12]}; ")


KINDS = {"communal": "warmth", "agentic": "drive", "mixed": "balanced", "neutral": "little praise"}


def called(path: Path) -> Counter[tuple[str, str]]:
    """How many letters of each kind are called what."""
    counts: Counter[tuple[str, str]] = Counter()
    for letter in path.read_text(encoding="utf-8").removeprefix("# ").split("\n\n# "):
        head, _, text = letter.partition("\n")
        found = read_letter(read_pasted(text), ReadingRequest({"agency": "agency_minilm"})).balance
        assert found is not None
        counts[KINDS[head.split()[1]], found.leaning] += 1
    return counts


@pytest.mark.soak
def test_the_letters_that_the_rule_was_set_on_are_all_told_apart() -> None:
    assert called(DATA / "letters_balance.txt") == {(one, one): 20 for one in KINDS.values()}


@pytest.mark.soak
def test_letters_of_another_author_are_told_apart_as_often_as_the_documentation_says() -> None:
    """60, read once after the first rule was frozen; the present one was made with these figures known."""
    assert called(DATA / "letters_balance_2.txt") == {
        ("warmth", "warmth"): 15, ("drive", "drive"): 15, ("balanced", "balanced"): 14, ("balanced", "warmth"): 1,
        ("little praise", "little praise"): 14, ("little praise", "balanced"): 1,
    }  # fmt: skip


def test_both_in_one_letter_are_a_balance_and_so_they_are_of_the_twin() -> None:
    mixed = WARM.replace("\n\nYours", " " + DRIVEN.split("\n\n")[1] + "\n\nYours")
    found = read_with_twin(
        read_pasted(mixed), Person("Thomas", "", "", "he"), ReadingRequest({"agency": "agency_minilm"})
    )
    assert found.reading.balance is not None
    assert found.reading.balance.leaning == "balanced"
    assert found.twin_reading.balance == found.reading.balance


def leaning_letter() -> Reading:
    reading = read_letter(read_pasted(FACTS.replace("Kelly", "Dr. Kelly Moreno")), ReadingRequest({}))
    found = Balance(
        {"warmth": 8}, 7.0, 1.0, 5, "warmth", TITLES["warmth"], "8 words of warmth.", *KNOWN_FOR["warmth"], (0,)
    )
    return replace(reading, balance=found, versions={**reading.versions, "balance": "rule 2"})


LINE = (
    "Praise mostly of warmth: 8 words of warmth. In one study of letters for academic posts, the more words of warmth "
    "a letter held, the lower its applicant was rated. (Madera, Hebl and Martin 2009)"
)


def text_of(path: Path) -> str:
    return " ".join(read_bytes(path.read_bytes(), path.name).text.split())


def test_report_and_note_say_it_unless_it_was_put_aside(tmp_path: Path) -> None:
    reading, path = leaning_letter(), tmp_path / "it.docx"
    assert reading.balance is not None
    aside = (reading.balance.key,)
    write_report(path, reading)
    assert LINE in text_of(path)
    assert "Balance of praise: rule 2" in text_of(path)
    write_report(path, reading, dismissed=aside)
    assert "Praise mostly" not in text_of(path)
    write_note(path, reading)
    assert LINE in text_of(path)
    assert "Its praise is mostly of warmth, and no place asks for a second look." in text_of(path)
    write_note(path, reading, dismissed=aside)
    assert "Praise mostly" not in text_of(path)
    assert "No place asks for a second look." in text_of(path)
    write_note(path, replace(reading, balance=replace(reading.balance, leaning="balanced", title=TITLES["balanced"])))
    assert "Praise " not in text_of(path)  # a writer is told what to look at, not what is even
