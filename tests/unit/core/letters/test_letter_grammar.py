"""Letters read with the parser and without it: denials that are praise, honest doubts, and whom words are about."""

from pathlib import Path

import pytest
from recorded_parses import NAME, install

from biasprint.core.errors import AppError
from biasprint.core.letters import Reading, ReadingRequest, occupation_of, read_pasted
from biasprint.core.letters import grammar as grammar_module
from biasprint.core.letters.occupations import guess_occupation
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.report.full import _marks
from biasprint.core.scorers import parts_of_speech
from biasprint.core.swap import Person

FRAME = (
    "To the committee,\n\nI am pleased to recommend Dr. Emily Carter for your open post. She wrote six papers in four "
    "years. {}\n\nSincerely,\nJohn Smith"
)
EMILY = Person("Emily", "Carter", "Dr.", "she")


@pytest.fixture(params=["with the parser", "without"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both ways to read a letter."""
    if request.param == "with the parser":
        install(monkeypatch)
    return bool(request.param == "with the parser")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def read(sentence: str, *, model: bool = True) -> Reading:
    scorers = {"agency": "agency_minilm"} if model else {}
    return read_letter(read_pasted(FRAME.format(sentence)), ReadingRequest(scorers))


def marked(sentence: str, *, model: bool = True) -> list[tuple[str, str]]:
    """Category and words of the marks in the last sentences of a letter."""
    reading = read(sentence, model=model)
    begin = reading.document.text.index(sentence)
    return [(mark.category, mark.words) for mark in reading.marks if mark.start >= begin]


PRAISE = [
    "Not only is she a skilled chef, but she is also a cookbook author.",
    "Her achievements did not go unnoticed.",
    "Her talents are not limited to the kitchen.",
    "I cannot recommend her highly enough.",
    "She is second to none.",
    "She was never once late.",
    "That was no small feat for a young engineer.",
    "I would be remiss if I did not mention her kindness.",
    "I have no doubt that she will succeed.",
    "I have no doubts about her ability.",
    "I have no doubt whatsoever that she will be a fine colleague.",
    "There is no doubt that she is able.",
    "I do not doubt that she will succeed.",
    "I am in no doubt that she will excel.",
    "No one doubts her skill.",
    "She has never let us down.",
    "She never misses a deadline.",
    "She does not take no for an answer.",
    "Nobody in the firm works harder.",
    "I have never met a kinder nurse.",
    "She never fails to impress the board.",
    "Her work left nothing to be desired.",
    "She left no stone unturned.",
    "She will be sorely missed.",
    "We are sorry to lose her.",
    "She is anything but lazy.",
    "She is no stranger to hard work.",
    "It is no exaggeration that she saved the unit.",
    "It would be foolish to let her go.",
    "Her results are nothing short of remarkable.",
    "She is not easily discouraged.",
    "She is nothing if not thorough.",
    "She had few equals.",
    "Emily Carter did three things in that year.",
    "Carter did many things.",
]


HONEST = [
    "She is not a kind or patient manager.",
    "She was rarely confident with clients.",
    "She lacks initiative.",
    "Her lessons were never brilliant.",
    "I doubt that she will succeed.",
    "She is not yet an independent researcher.",
    "Her reports were adequate.",
    "Not once did she show initiative.",
]


def test_praise_in_the_words_of_a_denial_is_no_doubt_and_an_honest_doubt_stays_one(parser: bool) -> None:
    reading = read("\n\n".join(PRAISE + HONEST))
    doubts = [mark.start for mark in reading.marks if mark.category == "doubt"]
    begins = [reading.document.text.index(sentence) for sentence in PRAISE + HONEST]
    doubted = [
        sentence
        for sentence, begin in zip(PRAISE + HONEST, begins, strict=True)
        if any(begin <= doubt < begin + len(sentence) for doubt in doubts)
    ]
    assert doubted == HONEST


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("I do not think that, all in all, she is a gifted teacher.", "not think that, all in all, she is a gifted"),
        ("Nobody would call her a brilliant teacher.", "Nobody would call her a brilliant"),
        ("She is not someone who on most days works hard.", "not someone who on most days works hard"),
    ],
)
def test_a_negation_reaches_as_far_as_its_clause(sentence: str, words: str, parsed: None) -> None:
    assert ("doubt", words) in marked(sentence)


@pytest.mark.parametrize(
    ("sentence", "praise"),
    [
        ("She was not late and is a kind manager.", "kind"),
        ("She did not stay long, and her successor says that she was kind.", "kind"),
        ("We did not know then how brilliant she is.", "brilliant"),
    ],
)
def test_a_negation_reaches_no_further(sentence: str, praise: str, parsed: None) -> None:
    found = marked(sentence, model=False)
    assert praise in [words for _, words in found]
    assert "doubt" not in {category for category, _ in found}


def test_what_is_said_of_another_is_no_mark_however_far_the_subject_stands(parsed: None) -> None:
    assert marked("My colleague Jane Smith, who is a brilliant surgeon, did not know her.", model=False) == []
    assert "health" not in {category for category, _ in marked("Our keynote, a chemist from Turin, fell ill.")}


def test_she_is_another_woman_where_the_sentence_speaks_of_one(parsed: None) -> None:
    praise = ("ability", "brilliant")
    assert praise not in marked("Mrs. Jane Hale leads the unit, and she is brilliant.", model=False)
    assert praise in marked("Mrs. Jane Hale knows Emily, and she is brilliant.", model=False)


def test_he_is_nobody_else_than_the_candidate_unless_the_candidate_is_she(parsed: None) -> None:
    text = FRAME.format("She leads us, and her lab grows. She teaches well. He is brilliant.")
    reading = read_letter(read_pasted(text), ReadingRequest(person=EMILY))
    assert "brilliant" not in [mark.words for mark in reading.marks]


@pytest.mark.parametrize("word", ["confident", "independent", "assertive", "ambitious", "caring", "warm", "brilliant"])
@pytest.mark.parametrize("who", ["She is {}.", "Emily is {}.", "She is very {}."])
def test_plain_praise_is_meant(who: str, word: str, parser: bool) -> None:
    assert word in [words for _, words in marked(who.format(word))]


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("Not only is she a skilled chef.", "skilled"),
        ("Her talents are not limited to the kitchen.", "talents"),
        ("Her planning of the convoys was meticulous.", "meticulous"),
        ("Her colleagues describe her as supportive.", "supportive"),
    ],
)
def test_a_quality_that_grammar_gives_to_the_candidate_is_meant(sentence: str, word: str, parsed: None) -> None:
    assert word in [words for _, words in marked(sentence)]


@pytest.mark.parametrize(
    ("sentence", "category"),
    [
        ("Her parent company sold the unit.", "family"),
        ("Her parent company paid for it.", "family"),
        ("She wrote a parent class in Python.", "family"),
        ("She fixed the child process of the server.", "family"),
        ("She designed the mother board of the device.", "family"),
        ("She assisted in heart surgery.", "health"),
        ("She performed surgery on forty patients.", "health"),
        ("She is not the worst teacher.", "communal"),
        ("Our keynote fell ill, and she spoke without notes.", "health"),
        ("She applied to your programme in mental health.", "health"),
        ("I write about the post in mental health.", "health"),
        ("Authentication is disabled by default.", "health"),
        ("Her tool warns when authentication is disabled by default.", "health"),
        ("Glad to help if you need more.", "communal"),
        ("She packed sensitive items for the museum.", "communal"),
        ("She designed smart voice input for phones.", "ability"),
        ("She introduced a four-day week.", "age"),
        ("Best, John", "standout"),
    ],
)
@pytest.mark.parametrize("model", [True, False])
def test_everyday_words_are_no_marks(sentence: str, category: str, model: bool, parser: bool) -> None:
    if model or "parent class" not in sentence:  # which needs the model
        assert category not in {own for own, _ in marked(sentence, model=model)}


@pytest.mark.parametrize("sentence", ["She is always glad to help.", "She is sensitive.", "She was ill in May."])
def test_the_same_words_of_the_candidate_are(sentence: str, parser: bool) -> None:
    assert marked(sentence, model=False)


def test_british_spelling_is_marked_as_american(parser: bool) -> None:
    for sentence in ("She keeps an organi{}ed desk.", "She organi{}ed the fair.", "We found her organi{}ed and calm."):
        british, american = marked(sentence.format("s")), marked(sentence.format("z"))
        assert [category for category, _ in british] == [category for category, _ in american]


def test_list_numbers_are_no_sentences(parser: bool) -> None:
    reading = read_letter(read_pasted(FRAME.format("\n\n1. She led the unit.\n2. She wrote a book.")), ReadingRequest())
    texts = [sentence.text for sentence in reading.sentences if sentence.part == "body"]
    assert texts[-2:] == ["She led the unit.", "She wrote a book."]


@pytest.mark.parametrize(
    ("text", "occupation"),
    [
        ("Position held: Site Engineer", "site engineer"),
        ("Emily Carter was a finalist in the national award.", ""),
        ("Emily Carter was a finalist. She is a chef at our house.", "chef"),
        ("Her colleague Jane Carter is a chemist, and Emily Carter is a nurse.", "nurse"),
    ],
)
def test_an_occupation_is_what_the_candidate_is(text: str, occupation: str) -> None:
    assert occupation_of(read_pasted(f"Dear all,\n\n{text}\n\nShe worked with us.")).occupation == occupation


@pytest.mark.parametrize(
    ("text", "occupation"),
    [
        ("Emily Carter, whom the head of our unit chose in 2019 from many, is a radiographer.", "radiographer"),
        ("Our best surgeon, as my wife says, is the baker, and Emily Carter is a nurse.", "nurse"),
        ("We hired Emily Carter in the summer of 2018 as a plumber.", "plumber"),
    ],
)
def test_grammar_says_whose_attribute_an_occupation_is(text: str, occupation: str, parsed: None) -> None:
    assert guess_occupation(text, (), EMILY, by_grammar=True).occupation == occupation


def test_the_reading_says_that_the_parser_is_missing_in_every_place() -> None:
    reading = read("She is kind.")
    said = "Read without grammar: the tagger is not installed."
    assert said in reading.said_of_marks
    assert said in " ".join(map(str, _marks(reading)))
    assert "grammar" not in reading.versions


def test_praise_that_is_denied_is_not_told_as_left_out(parsed: None) -> None:
    reading = read("Nobody would call her a brilliant teacher.")
    assert [mark.words for mark in reading.marks if mark.category == "doubt"] == ["Nobody would call her a brilliant"]
    assert "brilliant" not in reading.said_of_marks


def test_with_the_parser_nothing_is_missing_and_the_version_is_told(parsed: None) -> None:
    reading = read("She is kind.")
    assert "grammar" not in reading.said_of_marks
    assert reading.versions["grammar"].startswith(f"{NAME}; rules ")


def test_a_damaged_parser_is_told_and_the_letter_is_read_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Path) -> None:
        raise AppError("spaCy's pipeline “en_core_web_sm” cannot be loaded.")

    monkeypatch.setattr(parts_of_speech, "installed", lambda: Path(NAME))
    monkeypatch.setattr(parts_of_speech, "parsing_pipeline", broken)
    reading = read("She is kind.", model=False)
    assert [mark.words for mark in reading.marks] == ["kind"]
    assert "Read without grammar: spaCy's pipeline “en_core_web_sm” cannot be loaded." in reading.said_of_marks


def test_neither_name_nor_gender_moves_the_grammar(parsed: None) -> None:
    texts = [
        "Emily Carter is not a gifted cook, and she knows her limits.",
        "O'Shea is not a gifted cook, and he knows his limits.",
    ]
    people = [EMILY, Person("", "O'Shea", "", "he")]
    trees = [
        grammar_module.parses([grammar_module.masked(text, who)])[0] for text, who in zip(texts, people, strict=True)
    ]
    shapes = [[(token.tag, token.relation) for token in tree.tokens if not token.named] for tree in trees]
    assert shapes[0] == shapes[1]
    for text, tree in zip(texts, trees, strict=True):
        assert all(text[token.start : token.end].lower() == token.text for token in tree.tokens if not token.named)
