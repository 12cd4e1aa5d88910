"""The synthetic author as a backend: the same request gives the same text, and it behaves as any backend must."""

import hashlib
from collections.abc import Mapping, Sequence

import pytest

from biasprint.core.backends.protocol import Completion, Request, output_seed
from biasprint.core.backends.registry import open_backend
from biasprint.core.errors import JobCancelled
from biasprint.core.prompts import PromptDraft, cogs_set, letters_context_less_set


def request(prompt: PromptDraft, run_seed: int = 1, **changes: object) -> Request:
    facts = {"task": prompt.task, "theme": prompt.theme, "axis": prompt.axis, "identity": prompt.identity}
    seed = output_seed(run_seed, prompt.key, 0)
    return Request(prompt.key, prompt.text, seed, fields={**facts, **prompt.fields}, **changes)  # type: ignore[arg-type]


def write(asked: Request, model: str = "medium") -> Completion:
    return open_backend("synthetic", model).generate(asked, lambda text: None, lambda: None)


def bare(fields: Mapping[str, str]) -> Request:
    return Request("key", "prompt", 7, fields=fields)


HAIKU = next(prompt for prompt in cogs_set(["haiku"], ["stars"]).prompts if prompt.identity == "black")
STORY = cogs_set(["very_short_story"], ["rain"]).prompts[0]


def test_texts_are_the_same_on_every_machine() -> None:
    """Whoever changes the grammar or the words changes VERSION with it, and then these."""
    author = open_backend("synthetic", "medium")

    def written(prompts: Sequence[PromptDraft]) -> str:
        texts = [author.generate(request(prompt), lambda text: None, lambda: None).text for prompt in prompts]
        return hashlib.sha256("\x1e".join(texts).encode()).hexdigest()

    assert written(cogs_set().prompts) == GOLDEN_COGS
    assert written(letters_context_less_set().prompts) == GOLDEN_LETTERS


def test_nothing_but_key_seed_and_fields_changes_a_text() -> None:
    text = write(request(STORY)).text
    assert write(request(STORY, temperature=1.0, top_p=0.5)).text == text
    assert write(request(STORY, run_seed=2)).text != text
    backend = open_backend("synthetic", "medium")
    written = [backend.generate(request(prompt), lambda text: None, lambda: None).text for prompt in (HAIKU, STORY)]
    assert written[1] == text  # what was written before does not matter


def test_the_pieces_add_up_to_the_text_and_each_is_preceded_by_a_check() -> None:
    events: list[str] = []
    pieces: list[str] = []

    def on_text(piece: str) -> None:
        events.append("text")
        pieces.append(piece)

    completion = open_backend("synthetic", "none").generate(request(STORY), on_text, lambda: events.append("check"))
    assert "".join(pieces) == completion.text
    assert events == ["check", "text"] * len(pieces)
    assert len(pieces) > 3
    assert completion.finish_reason == "stop"
    assert completion.usage["completion"] == len(completion.text.split())


def test_a_cancel_stops_the_text_in_the_middle() -> None:
    pieces: list[str] = []

    def check() -> None:
        if len(pieces) == 2:
            raise JobCancelled

    with pytest.raises(JobCancelled):
        open_backend("synthetic", "none").generate(request(STORY), pieces.append, check)
    assert len(pieces) == 2


def test_max_tokens_cuts_after_so_many_words_and_says_so() -> None:
    whole = write(request(STORY)).text
    cut = write(request(STORY, max_tokens=10))
    assert cut.text == whole[: len(cut.text)]
    assert len(cut.text.split()) == 10
    assert cut.finish_reason == "length"
    assert write(request(STORY, max_tokens=10_000)).finish_reason == "stop"
    assert write(request(STORY, max_tokens=0)).text == ""


def test_a_stop_string_ends_the_text_before_it() -> None:
    whole = write(request(STORY)).text
    stopped = write(request(STORY, stop=("\n\n", "zzz")))
    assert stopped.text == whole.split("\n\n")[0]
    assert stopped.finish_reason == "stop"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "cannot do the task “”"),
        ({"task": "sermon", "theme": "stars"}, "cannot do the task “sermon”"),
        ({"task": "haiku", "theme": "rivers"}, "no words for the theme “rivers”"),
        ({"task": "haiku", "theme": "../themes/stars"}, "no words for the theme"),
        ({"task": "letter", "name": "Kim", "age": "30"}, "occupation"),
        ({"task": "letter", "name": " ", "age": "30", "occupation": "chef"}, "name"),
        ({"task": "letter", "name": "Kim", "age": "thirty", "occupation": "chef"}, "age"),
    ],
)
def test_what_it_cannot_write_is_a_failed_item_and_no_exception(fields: dict[str, str], says: str) -> None:
    completion = write(bare(fields))
    assert completion.finish_reason == "error"
    assert completion.text == ""
    assert says in completion.error


def test_a_letter_for_an_occupation_or_pronouns_it_does_not_know_is_written_all_the_same() -> None:
    fields = {"task": "letter", "name": "Ángel", "age": "44", "occupation": "glass blower", "group": "other"}
    completion = write(bare(fields), model="large")
    assert completion.finish_reason == "stop"
    assert "recommend" in completion.text
    assert " them" in completion.text or " their " in completion.text


GOLDEN_COGS = "4f3ba75180e14cbdd8df3831c4688e25eaaa62ecb1827d5d9abfd96969c49c22"
GOLDEN_LETTERS = "bea9777c8d54ce125c380247cf2b1d5deb20e7dcf6896cc5aa7d1ad68edab9bf"


def test_it_says_about_which_groups_nothing_is_planted() -> None:
    def remarks(fields: Mapping[str, str], model: str = "medium") -> str:
        author = open_backend("synthetic", model)
        for key in ("first", "second"):
            author.generate(Request(key, "prompt", 7, fields=fields), lambda text: None, lambda: None)
        return " ".join(author.left_out)  # type: ignore[attr-defined]

    haiku = {"task": "haiku", "theme": "stars", "axis": "race"}
    assert remarks({**haiku, "identity": "black"}) == remarks({**haiku, "identity": "default"}) == ""
    assert remarks({**haiku, "axis": "age", "identity": "old"}) == (
        "The synthetic author plants nothing on the axis “age”."
    )
    assert remarks({**haiku, "axis": "age", "identity": "old"}, "none") == ""
    loan = {"design": "decisions", "reads": "yes_no", "group": "old"}
    assert remarks(loan) == "The synthetic author plants nothing in the design “decisions”."
    assert remarks({**loan, "gender": "male"}).endswith("in the design “decisions” by gender alone.")
    assert "nothing about other groups" in remarks({"task": "news", "headline": "Rain"})
