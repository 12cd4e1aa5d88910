"""Marks of whole passages: where they stand, what they say, and what is no passage. No model is loaded."""

from collections.abc import Callable, Iterator, Sequence

import pytest

import biasprint.core.letters.passages as passages
from biasprint.core.cache import BatchCache
from biasprint.core.letters.categories import categories
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.passages import COUNTED, SAID, clauses, passages_of
from biasprint.core.letters.reading import figures_of, read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.suggestions import BY_A_MODEL, suggestions_for
from biasprint.core.letters.values import Mark, Sentence, how_said
from biasprint.core.letters.word import comments_on
from biasprint.core.scorers.passages import CLASSES
from biasprint.core.swap import Person

JANE = Person("Jane", "Doe", "", "she")
Reader = Callable[..., list[str]]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reader:
    """A reader that takes clauses with these words for these classes; gives the clauses that it was asked."""
    asked: list[str] = []

    def prepare(said: dict[str, str], sure: float = 0.9) -> list[str]:
        def probabilities(given: Sequence[str]) -> Iterator[tuple[float, ...]]:
            for clause in given:
                asked.append(clause)
                name = next((label for words, label in said.items() if words in clause), "neutral")
                yield tuple(sure if one == name else (1 - sure) / (len(CLASSES) - 1) for one in CLASSES)

        monkeypatch.setattr(passages, "probabilities", probabilities)
        monkeypatch.setattr(passages, "_known", BatchCache[str, tuple[float, ...]](100))
        return asked

    return prepare


def test_the_head_knows_every_category_but_gender() -> None:
    assert (*passages.FOUND, "approval", "neutral") == CLASSES
    assert set(passages.LEAST) == set(passages.FOUND)


def sentence(text: str, start: int = 0) -> Sentence:
    return Sentence(0, start, start + len(text), text, "body")


def found(text: str, person: Person | None = JANE) -> list[tuple[str, str]]:
    one = sentence(text)
    return [(mark.category, mark.words) for mark in passages_of([one], marks_of([one], person), person)]


SAT = "She sat up all night with a homesick first-year"


def test_a_passage_is_marked_by_what_it_says_and_says_that_a_model_read_it(reads: Reader) -> None:
    reads({"homesick": "communal"})
    one = sentence(f"{SAT}, and the report was on my desk at nine.", 100)
    (mark,) = passages_of([one], (), JANE)
    assert (mark.category, mark.words, mark.start, mark.passage) == ("communal", SAT, 100, True)
    assert mark.reason == f"{SAID} {categories()['communal'].known_for} {COUNTED}"
    assert mark.source == categories()["communal"].source
    assert how_said(mark) == "a model's reading"


def test_a_private_passage_does_not_speak_of_counted_words(reads: Reader) -> None:
    reads({"her chest": "health", "their chest": "health"})
    (mark,) = passages_of([sentence("She has had trouble with her chest since March")], (), JANE)
    assert mark.reason == f"{SAID} {categories()['health'].known_for}"


def test_what_the_model_is_not_sure_of_is_no_mark(reads: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(passages.LEAST, "communal", 0.7)
    reads({"homesick": "communal"}, 0.69)
    assert not found(SAT)
    reads({"homesick": "communal"}, 0.71)
    assert found(SAT) == [("communal", SAT)]


@pytest.mark.parametrize("label", ["approval", "neutral"])
def test_praise_of_no_category_and_plain_facts_are_no_marks(reads: Reader, label: str) -> None:
    reads({"homesick": label})
    assert not found(SAT)


def test_a_clause_is_read_without_name_and_gender(reads: Reader) -> None:
    asked = reads({})
    found("When Jane Doe walked in she had her plan ready.")
    assert asked
    assert not any(word in " ".join(asked) for word in ("Jane", "Doe", "she", "her "))


def test_words_of_a_list_are_not_said_again(reads: Reader) -> None:
    reads({"homesick": "communal", "worked": "ability"})
    assert not found("She is warm with every homesick first-year")
    assert not found("She is a hard worker who worked late")  # praise there already


@pytest.mark.parametrize(
    "says",
    [
        "Our patients are never seen by a homesick doctor",
        "I sat up all night with a homesick first-year",
        "Her patients are homesick all the time",
    ],
)
def test_what_is_told_of_others_is_no_passage(reads: Reader, says: str) -> None:
    reads({"homesick": "health"})
    assert not found(says)


@pytest.mark.parametrize(
    "says",
    ["She has never failed to impress", "Her timing is second to none", "It is an opportunity for her not to be missed",
     "Her work is always of high quality", "I am certain that she will do well"],
)  # fmt: skip
def test_praise_that_is_read_as_a_doubt_is_no_passage(reads: Reader, says: str) -> None:
    reads({"": "doubt"})
    assert not found(says)
    assert found("Paperwork was not really her thing") == [("doubt", "Paperwork was not really her thing")]


def test_what_the_writer_did_and_a_short_remark_are_no_passages(reads: Reader) -> None:
    reads({"": "agentic"})
    assert not found("I left the place before she did")
    assert not found("Pay her properly")
    assert found("I saw her walk into the ministry")


def test_a_clause_counts_as_much_as_its_sentence(reads: Reader) -> None:
    reads({"took the whole office and left": "neutral", "took the whole office": "agentic"})
    assert found("She took the whole office and left for lunch at one") == []  # its sentence tells something else
    reads({"took the whole office": "agentic"})
    assert [category for category, _ in found("She took the whole office and left for lunch at one")] == ["agentic"]


def test_clauses_that_follow_each_other_are_one_passage(reads: Reader) -> None:
    reads({"homesick": "communal", "made tea": "communal"})
    assert found("She sat with the homesick ones, made tea for the others and left") == [
        ("communal", "She sat with the homesick ones, made tea for the others and left")
    ]


@pytest.mark.parametrize("text", ["", "No", "She led it, and he, who came, went", "—, ; (a) b"])
def test_clauses_cover_the_sentence_in_order(text: str) -> None:
    spans = clauses(text)
    assert "".join(text[start:end] for start, end in spans) == text


def test_only_the_body_has_passages(reads: Reader) -> None:
    asked = reads({"homesick": "communal"})
    assert not passages_of([Sentence(0, 0, len(SAT), SAT, "signature")], (), JANE)
    assert not asked


@pytest.mark.parametrize("category", ["doubt", "health", "age", "communal"])
def test_a_passage_has_a_hint_and_never_words_for_the_letter(reads: Reader, category: str) -> None:
    reads({"chest": category})
    one = sentence("She has had trouble with the chest since March")
    offers = suggestions_for(one, passages_of([one], (), JANE), JANE)
    assert [offer.new for offer in offers] == [None]
    assert offers[0].reason.startswith(BY_A_MODEL)
    assert len(offers[0].reason) > len(BY_A_MODEL) + 1


def test_a_passage_is_no_reason_to_leave_out_a_sentence() -> None:
    one = sentence("She is married and sings at night in a choir.")
    words = marks_of([one], JANE)
    passage = Mark("personal_life", 20, 44, 0, one.text[20:44], "", "", passage=True)
    offers = suggestions_for(one, [*words, passage], JANE)
    assert all(offer.new is None or offer.old != one.text for offer in offers)


LETTER = f"I recommend Jane Doe.\n\n{SAT}. She is warm."


def test_figures_count_words_alone(reads: Reader) -> None:
    one = sentence(SAT)
    mark = Mark("communal", 0, len(SAT), 0, SAT, "", "", passage=True)
    figures = {figure.name: figure.value for figure in figures_of([one], [mark], (), ())}
    assert figures["communal"] == 0


def test_without_a_model_or_for_a_reference_set_only_words_are_marked(reads: Reader) -> None:
    asked = reads({"homesick": "communal"})
    assert "passages" not in read_letter(read_pasted(LETTER), ReadingRequest({})).versions
    assert not asked


def test_a_reading_has_both_in_order_and_a_word_file_says_nothing_of_models(
    reads: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    import biasprint.core.letters.reading as reading_module

    reads({"homesick": "communal"})
    monkeypatch.setattr(reading_module, "styles_of", lambda *_: ((), ()))
    reading = read_letter(read_pasted(LETTER), ReadingRequest({"agency": "agency_minilm"}))
    assert [(mark.words, mark.passage) for mark in reading.marks if mark.category == "communal"] == [
        (SAT, True),
        ("warm", False),
    ]
    assert reading.versions["passages"].startswith("passages 6; head ")
    assert [one.text.startswith("Communal, may be worth a look: ") for one in comments_on(reading)][:1] == [True]
    assert not any("model" in one.text for one in comments_on(reading))
