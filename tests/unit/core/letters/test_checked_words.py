"""Listed words that a model doubts: what is left out, what stays, and who says so. No model is loaded."""

from collections.abc import Callable, Iterator, Sequence

import pytest

import biasprint.core.letters.passages as checked_words
import biasprint.core.letters.passages as passages
import biasprint.core.letters.reading as reading_module
from biasprint.core.cache import BatchCache
from biasprint.core.letters.about_whom import marked_text
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.passages import as_asked, without_doubted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.report.full import _marks
from biasprint.core.letters.request import HouseEntry, HouseList, ReadingRequest
from biasprint.core.letters.values import Reading, Sentence
from biasprint.core.letters.word import comments_on
from biasprint.core.scorers.passages import CLASSES, Words
from biasprint.core.swap import Person

JANE = Person("Jane", "Doe", "", "she")
Doubts = Callable[..., list[Words]]


@pytest.fixture
def doubts(monkeypatch: pytest.MonkeyPatch) -> Doubts:
    """A reader that doubts these words and no others; gives what it was asked."""
    asked: list[Words] = []

    def prepare(*words: str) -> list[Words]:
        def shares(given: Sequence[Words]) -> Iterator[float]:
            for one in given:
                asked.append(one)
                yield 0.01 if one.words.lower() in words else 0.99

        def probabilities(given: Sequence[str]) -> Iterator[tuple[float, ...]]:
            for clause in given:
                name = "appearance" if "looking" in clause else "neutral"
                yield tuple(0.9 if one == name else 0.1 / (len(CLASSES) - 1) for one in CLASSES)

        monkeypatch.setattr(checked_words, "shares", shares)
        monkeypatch.setattr(passages, "probabilities", probabilities)
        monkeypatch.setattr(passages, "_known", BatchCache[str, tuple[float, ...]](100))
        monkeypatch.setattr(checked_words, "_known", BatchCache[Words, float](100))
        return asked

    return prepare


def sentence(text: str) -> Sentence:
    return Sentence(0, 0, len(text), text, "body")


def left(text: str) -> list[tuple[str, str]]:
    one = sentence(text)
    return [(mark.category, mark.words) for mark in without_doubted([one], marks_of([one], JANE), JANE)]


def test_what_is_doubted_is_no_mark_and_the_rest_stays(doubts: Doubts) -> None:
    doubts("warm")
    assert left("Jane is kind and the room was warm.") == [("communal", "kind")]


def test_words_of_a_clause_that_is_surely_of_another_category_are_doubted(doubts: Doubts) -> None:
    doubts()
    assert left("Jane is pleasant looking on the whole, and she is always kind.") == [("communal", "kind")]


def test_a_title_is_how_somebody_is_called_and_no_mark(doubts: Doubts) -> None:
    doubts()
    assert left("Mrs Jane Doe taught here.") == []
    assert [category for category, _ in left("Jane is a lady of few words.")] == ["gender"]


def test_praise_that_is_denied_stays(doubts: Doubts) -> None:
    doubts("not a kind", "not kind", "kind")
    assert [category for category, _ in left("Jane is not a kind manager.")] == ["doubt"]


def test_what_is_read_tells_neither_name_nor_gender(doubts: Doubts) -> None:
    asked = doubts()
    left("Jane Doe led her team, and she is a mother.")
    assert asked
    assert not any(word in " ".join(one[:3]) for one in asked for word in ("Jane", "Doe", "she", "her ", "mother"))


def test_words_of_gender_keep_it() -> None:
    page = marked_text(sentence("She is a good girl."), JANE)
    assert as_asked(page, 14, 18, "gender") == Words("They is a good", "girl", ".", "gender")
    assert as_asked(page, 14, 18, "age").words != "girl"


LETTER = "I recommend Jane Doe.\n\nJane is kind. She owns the leader rotation service, and the room is always warm."


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Reading]:
    monkeypatch.setattr(reading_module, "styles_of", lambda *_: ((), ()))
    monkeypatch.setattr(reading_module, "passages_of", lambda *_, **_options: ())
    monkeypatch.setattr(reading_module, "balance_of", lambda *_: None)

    def with_(house: HouseList | None = None, *, agency: bool = True) -> Reading:
        scorers = {"agency": "agency_minilm"} if agency else {}
        return read_letter(read_pasted(LETTER), ReadingRequest(scorers, person=JANE, house=house))

    return with_


def test_a_reading_leaves_out_what_is_doubted_and_says_so(doubts: Doubts, read: Callable[..., Reading]) -> None:
    doubts("leader", "warm")
    reading = read()
    assert [mark.words for mark in reading.marks] == ["kind"]
    assert [mark.words for mark in reading.doubted] == ["leader", "warm"]
    assert "“leader”, “warm”" in reading.said_of_marks
    assert reading.versions["checked words"].startswith("words 4; head ")
    assert len(comments_on(reading)) == 1
    assert reading.said_of_marks in " ".join(str(block) for block in _marks(reading))


def test_figures_count_all_listed_words_as_reference_letters_do(doubts: Doubts, read: Callable[..., Reading]) -> None:
    doubts("leader", "warm")
    with_model, without = read(), read(agency=False)
    assert [one.value for one in with_model.figures] == [one.value for one in without.figures]
    assert len(without.marks) > len(with_model.marks)


def test_without_the_model_all_words_are_marked_and_it_says_so(doubts: Doubts, read: Callable[..., Reading]) -> None:
    asked = doubts("leader", "warm")
    reading = read(agency=False)
    assert [mark.words for mark in reading.marks] == ["kind", "leader", "warm"]
    assert not asked
    assert reading.by_words_alone
    assert reading.said_of_marks.startswith("Marked by word lists alone")


def test_what_the_house_list_asks_for_is_never_left_out(doubts: Doubts, read: Callable[..., Reading]) -> None:
    doubts("leader", "warm", "room")
    reading = read(HouseList((HouseEntry("warm", "mark", "communal"), HouseEntry("leader", "ignore"))))
    assert [(mark.words, mark.of_house) for mark in reading.marks] == [("kind", False), ("warm", True)]
    assert reading.doubted == ()
    house = [mark for mark in reading.marks if mark.of_house]
    assert without_doubted(reading.sentences, house, JANE) == tuple(house)
