"""Instructions, question and rubric as a person writes them."""

import pytest

from biasprint.core.errors import UsageError
from biasprint.core.judging.wording import instructions_of, question_of, rubric_of, rubric_text


def test_a_rubric_is_a_line_for_each_criterion_and_reads_back_as_it_was_written():
    text = "Imagery: it shows, and: does not tell\n\n  Sound \nForm:five, seven, five"
    rubric = rubric_of(text)
    assert rubric == (("Imagery", "it shows, and: does not tell"), ("Sound", ""), ("Form", "five, seven, five"))
    assert rubric_of(rubric_text(rubric)) == rubric
    assert rubric_of(" \n") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Sound: good\n: no name", "Line 2 of the rubric is no criterion."),
        (f"{'x' * 61}: long", "Line 1 of the rubric is no criterion."),
        ("Sound: a\nSound: b", "The rubric names “Sound” twice."),
        ("\n".join(f"C{n}" for n in range(13)), "The rubric has 13 criteria."),
    ],
)
def test_a_rubric_that_cannot_be_shown_is_refused_with_the_line(text: str, said: str):
    with pytest.raises(UsageError) as told:
        rubric_of(text)
    assert (told.value.message, told.value.kept, bool(told.value.hint)) == (said, "No plan was made.", True)


def test_a_question_is_one_short_line_and_instructions_end():
    assert question_of(" Which is\n truer? ") == "Which is truer?"
    assert instructions_of(" Read both.\n\nThen choose. ") == "Read both.\n\nThen choose."
    with pytest.raises(UsageError, match="question is too long"):
        question_of("x" * 121)
    with pytest.raises(UsageError, match="instructions are too long"):
        instructions_of("x" * 20_001)
