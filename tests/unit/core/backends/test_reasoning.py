"""What a model reasons before its answer is kept apart from the text that is measured."""

from typing import Any

import pytest
from bad_server import Answer, Asked, BadServer, answer, end_stream, send_event, start_stream

from biasprint.core.backends import openai_compatible
from biasprint.core.backends.protocol import LONGEST, NONE_LEFT, Completion, Request, kept, split_reasoning
from biasprint.core.machine.endpoints import Endpoint, save
from biasprint.core.runs.writing import without_reasoning

LETTER = "I recommend Mary Brown.\nShe leads."


@pytest.mark.parametrize(
    ("reply", "text", "reasoning"),
    [
        (f"<think>\nShe is kind.\n</think>\n\n{LETTER}", LETTER, "She is kind."),
        (f"<THINKING>one</THINKING>{LETTER}", LETTER, "one"),
        (f"She is kind.\n</think>\n{LETTER}", LETTER, "She is kind."),
        (f"<think>one</think> and <think>two</think>{LETTER}", LETTER, "one</think> and <think>two"),
        ("<think>She is kind, and", "", "She is kind, and"),
        (LETTER, LETTER, ""),
        ("I think <think> is a tag.", "I think <think> is a tag.", ""),
        (f"  {LETTER}\n", f"  {LETTER}\n", ""),
    ],
    ids=["closed", "another name", "bare end tag", "several", "never closed", "none", "a tag within", "left as it is"],
)
def test_reasoning_is_split_from_the_text(reply: str, text: str, reasoning: str) -> None:
    assert split_reasoning(reply) == (text, reasoning)


def test_where_a_text_may_be_repeated_only_opened_reasoning_is_taken_for_it() -> None:
    assert split_reasoning("An attack says: </think>\nB", unopened=False) == ("An attack says: </think>\nB", "")
    assert split_reasoning("<think>hm</think>B", unopened=False) == ("B", "hm")


def test_a_completion_keeps_its_reasoning_in_its_detail_and_one_that_is_nothing_else_has_failed() -> None:
    done = without_reasoning(Completion("<think>hm</think>A poem.", "stop", detail={"tries": 1}))
    assert (done.text, done.finish_reason, done.detail) == ("A poem.", "stop", {"tries": 1, "reasoning": "hm"})
    cut = without_reasoning(Completion("<think>hm and hm", "length"))
    assert (cut.text, cut.finish_reason, cut.failure, cut.error) == ("", "error", "cut", NONE_LEFT)
    failed = Completion("", "error", error="No.")
    assert without_reasoning(failed) is failed


def test_long_reasoning_is_kept_in_part_with_its_length() -> None:
    assert kept("x" * (LONGEST + 5)) == {"reasoning": "x" * LONGEST, "reasoning_characters": LONGEST + 5}


def message(stream: bool, text: str, reasoning: str) -> Answer:
    """A reply whose server gives reasoning in a field of its own."""

    async def give(writer: Any, asked: Asked) -> None:
        if not stream:
            choice = {"message": {"content": text, "reasoning_content": reasoning}, "finish_reason": "stop"}
            await answer("200 OK", {"choices": [choice]})(writer, asked)
            return
        start_stream(writer)
        for delta in [{"reasoning_content": part} for part in reasoning.split(" ")] + [{"content": text}]:
            send_event(writer, {"choices": [{"delta": delta, "finish_reason": None}]})
        send_event(writer, {"choices": [{"delta": {}, "finish_reason": "stop"}]})
        end_stream(writer)

    return give


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("text", [LETTER, ""])
def test_reasoning_in_a_field_of_its_own_is_kept_beside_the_text(stream: bool, text: str, own_home: object) -> None:
    with BadServer(lambda asked: message(stream, text, "She is kind")) as server:
        save(Endpoint("lab", server.url, retries=0))
        backend = openai_compatible.open("small", {"endpoint": "lab", "stream": stream})
        done = backend.generate(Request("key", "Write.", seed=1), lambda _: None, lambda: None)
        backend.close()
    if text:
        assert done.text == text
        assert str(done.detail["reasoning"]).replace(" ", "") == "Sheiskind"
    else:
        assert (done.finish_reason, done.failure) == ("error", "empty")
        assert NONE_LEFT in done.error
