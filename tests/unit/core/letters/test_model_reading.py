"""What a language model says that it finds in a letter: kept where it stands in the letter, or left out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inline_compute import Inline

from biasprint.core.backends.protocol import Completion
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.letters import Generator, Reading, ReadingRequest, passages_by_category, read_by_model
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.model_reading import MEANINGS, passages_of_reply, prompt_for
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.values import CATEGORIES
from biasprint.core.runs.writing import Written

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "model-reading.md"
LETTER = """To whom it may concern,

I have known Maria Kowalski for six years as a nurse on our ward. She is a warm and caring colleague, and at 34 she
still asks to learn more. She “rarely” complains about her bad hip, and she led the new intake from scratch. She is a
warm person, which our patients tell me every week.

Sincerely,
Paul Brenner
"""


@pytest.fixture(scope="module")
def reading() -> Reading:
    return read_letter(read_pasted(LETTER), ReadingRequest())


class Scripted(Inline):
    """A process in which the model answers what the test says."""

    def __init__(self, completion: Completion) -> None:
        super().__init__()
        self.completion, self.requests = completion, []

    def call(self, function: Callable[..., Any], *given: Any, on_partial: Any = None, **more: Any) -> Any:
        self.requests += given[3]
        on_partial(Written({0: self.completion}))
        return True


def of(reading: Reading, reply: str) -> tuple[list[tuple[str, str]], dict[str, int]]:
    body = [sentence for sentence in reading.sentences if sentence.part == "body"]
    marks, left_out = passages_of_reply(reply, body)
    text = reading.document.text
    assert all(text[mark.start : mark.end] == mark.words for mark in marks)
    return [(mark.category, " ".join(mark.words.split())) for mark in marks], left_out


def test_passages_stand_where_the_letter_has_them_in_its_own_writing(reading: Reading) -> None:
    reply = """health | HER bad hip | an ailment
communal | a warm and caring colleague | warmth
doubt | She "rarely" complains | hedged
personal-life | nothing of it
age | at 34 she still asks | tells her age"""
    marks, left_out = of(reading, reply)
    assert marks == [
        ("communal", "a warm and caring colleague"),
        ("age", "at 34 she still asks"),
        ("doubt", "She “rarely” complains"),
        ("health", "her bad hip"),
    ]
    assert left_out == {"not in the letter's text": 1}


def test_the_same_words_are_found_twice_where_they_stand_twice_and_no_third_time(reading: Reading) -> None:
    marks, left_out = of(reading, "\n".join(["communal | a warm | warmth"] * 3))
    assert marks == [("communal", "a warm")] * 2
    assert left_out == {"named twice": 1}


def test_what_is_no_passage_is_left_out_and_counted(reading: Reading) -> None:
    reply = """Here are the lines:
```
category | words | why
|---|---|---|
| communal | caring | warmth |
kindness | caring | warmth
agentic | took over the hospital | made up
ability |
END
communal | a warm person | after the end"""
    marks, left_out = of(reading, reply)
    assert marks == [("communal", "caring")]
    assert left_out == {"not in the format": 2, "of no category": 1, "not in the letter's text": 1}


def test_words_are_found_as_words_and_not_within_others(reading: Reading) -> None:
    assert of(reading, "communal | car | half a word")[0] == []


def test_letterhead_and_closing_are_neither_sent_nor_searched(reading: Reading) -> None:
    models = Scripted(Completion("communal | Sincerely | polite\nEND", "stop"))
    asked = read_by_model(JobContext(), reading, models, Generator("llama_cpp", "some model"))  # type: ignore[arg-type]
    (request,) = models.requests
    assert "Sincerely" not in request.prompt
    assert "a warm and caring colleague" in " ".join(request.prompt.split())
    assert (request.temperature, request.max_tokens) == (0.0, 900)
    assert asked.marks == ()
    assert asked.summary == (
        "some model (llama_cpp) names 0 passages; 1 of its lines was left out (1 not in the letter's text). This is "
        "that model's reading, and counts nowhere."
    )


def test_the_reading_keeps_the_reply_and_groups_its_passages_by_title(reading: Reading) -> None:
    reply = "health | her bad hip | an ailment\ncommunal | caring | warmth"
    models = Scripted(Completion(reply, "length"))
    asked = read_by_model(JobContext(), reading, models, Generator("llama_cpp", "some model"))  # type: ignore[arg-type]
    assert asked.reply == reply
    assert [(title, [mark.words for mark in marks]) for title, marks in passages_by_category(asked)] == [
        ("Communal", ["caring"]), ("Health", ["her bad hip"]),
    ]  # fmt: skip
    assert "names 2 passages; its reply was cut off at the longest length." in asked.summary


def test_a_model_that_fails_or_says_nothing_is_told_in_a_sentence(reading: Reading) -> None:
    for completion, why in (
        (Completion("", "error", error="The server is busy.", failure="server"), "The server is busy."),
        (Completion(" \n", "stop"), "it wrote nothing"),
    ):
        with pytest.raises(AppError, match=why):
            read_by_model(JobContext(), reading, Scripted(completion), Generator("llama_cpp", "m"))  # type: ignore[arg-type]


def test_what_is_no_letter_is_not_sent() -> None:
    german = " ".join(
        ["Ich habe mit ihr in Köln gearbeitet, und sie war eine sehr gute Ärztin, der ich gern alles anvertraut habe."]
        * 6
    )
    stopped = read_letter(read_pasted(german), ReadingRequest())
    assert stopped.stopped
    models = Scripted(Completion("communal | x | y", "stop"))
    with pytest.raises(UsageError, match="no letter that a model could read"):
        read_by_model(JobContext(), stopped, models, Generator("llama_cpp", "m"))  # type: ignore[arg-type]
    assert models.requests == []


def test_every_category_is_explained_and_the_page_has_the_whole_prompt() -> None:
    assert set(MEANINGS) == set(CATEGORIES)
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert " ".join(prompt_for("{letter}").split()) in page
