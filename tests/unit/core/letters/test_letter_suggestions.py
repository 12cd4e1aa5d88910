"""Suggestions: what the sentence reads afterwards, word for word, that it can be taken back, and that it settles."""

import pytest

from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.suggestions import Suggestion, suggestion_words, suggestions_for, way_of
from biasprint.core.letters.values import Mark, Sentence
from biasprint.core.swap import Person

JANE = Person("Jane", "Smith", "Dr", "she")

# The sentence and what it reads after one of its suggestions.
CASES = [
    # doubt: plain, or dropped
    ("She seems to be reliable.", "She is reliable."),
    ("He seemed to be reliable.", "He was reliable."),
    ("She appears to have talent.", "She has talent."),
    ("He should be able to lead a small group.", "He can lead a small group."),
    ("She may become a good leader one day.", "She will become a good leader one day."),
    ("He might be a talented designer.", "He will be a talented designer."),
    ("Perhaps she is a talented baker.", "She is a talented baker."),
    ("She is, as far as I know, punctual.", "She is punctual."),
    ("As far as I know, he completed the training.", "He completed the training."),
    ("He completed the training, as far as I know.", "He completed the training."),
    ("He is a fairly competent clerk.", "He is a competent clerk."),
    ("He is a rather able clerk.", "He is an able clerk."),
    ("I think she will do well.", "She will do well."),
    ("It appears that her work is sound.", "Her work is sound."),
    ("Her reports were adequate.", "Her reports were good."),
    ("He is an acceptable driver.", "He is a good driver."),
    # communal praise and effort: the same fact as a skill
    ("He is a team player.", "He is a skilled collaborator."),
    ("They were team players.", "They were collaborators."),
    ("He is an outstanding team player.", "He is an outstanding collaborator."),
    ("She is an attentive listener.", "She is a skilled listener."),
    ("She has interpersonal skills.", "She has communication skills."),
    (
        "She has communication and interpersonal skills.",
        "She has communication and teamwork skills.",
    ),
    ("He gets along with everybody.", "He works well with everybody."),
    ("She nurtured the apprentices.", "She developed the apprentices."),
    ("Nurturing the young is her trade.", "Developing the young is her trade."),
    ("He is a pleasure to work with.", "He is a valued colleague."),
    ("She lent a hand at the fair.", "She assisted at the fair."),
    ("He is a hardworking clerk.", "He is a productive clerk."),
    # gender: neutral nouns and titles
    ("The chairwoman signed it.", "The chair signed it."),
    ("Chairman Jones left.", "Chair Jones left."),
    ("She is an actress.", "She is an actor."),
    ("A stewardess helped.", "A flight attendant helped."),
    ("A craftsman came.", "An artisan came."),
    ("As a female engineer she joined us.", "As an engineer she joined us."),
    ("He is an outstanding male nurse.", "He is an outstanding nurse."),
    ("She is a woman of few words.", "She is a person of few words."),
    ("She is a gifted woman painter.", "She is a gifted painter."),
    ("Mrs. Smith joined us.", "Dr Smith joined us."),
    ("Miss Smith joined us.", "Ms Smith joined us."),
    # a first name alone
    ("Jane joined us in May.", "Dr Smith joined us in May."),
    ("In May, Jane’s work began.", "In May, Dr Smith’s work began."),
    # what is private, left out where a sentence remains
    ("He is a 40-year-old engineer.", "He is an engineer."),
    ("He is 60 years old and has worked here.", "He has worked here."),
    ("At the age of 67, he began teaching.", "He began teaching."),
    ("He began teaching at the age of 67.", "He began teaching."),
    ("She is a young and energetic teacher.", "She is an energetic teacher."),
    ("He is able and young.", "He is able."),
    ("Despite her age, she learned it.", "She learned it."),
    ("A father of three, he is dependable.", "He is dependable."),
    ("She, a mother of two, runs the lab.", "She runs the lab."),
    ("She runs the lab and is married with three children.", "She runs the lab."),
    ("He is an attractive and gifted singer.", "He is a gifted singer."),
    ("She is an experienced and slim model.", "She is an experienced model."),
    ("Born in Nigeria, she came by way of Lyon.", "She came by way of Lyon."),
    ("She is a Nigerian engineer.", "She is an engineer."),
    ("She is an African American teacher.", "She is a teacher."),
    ("She uses a wheelchair.", ""),
    ("She is 34 years old.", ""),
]
HINTS = [
    "She is a helpful colleague.",
    "He is not a natural leader.",
    "She tries her best.",
    "She is kind.",
    "He has been married for years and works in Kent.",
    "The 52-year-old joined us in March.",
    "He was the first Hispanic artist in the hall.",
    "She was the only female member.",
    "He did it at such a young age.",
    "She is an absolute pleasure to work with.",
    "Born in Shelby, Ohio and Kent, she came in May.",
    "As a family man and a community leader, he knows the town.",
    "She is the first woman to hold the post.",
]


def prepared(text: str, person: Person | None = JANE, before: str = "") -> tuple[Sentence, tuple[Mark, ...]]:
    sentence = Sentence(0, len(before), len(before) + len(text), text, "body")
    return sentence, marks_of([sentence], person)


def apply(text: str, suggestion: Suggestion) -> str:
    """The text with the suggestion's words."""
    assert suggestion.new is not None
    assert text[suggestion.start : suggestion.end] == suggestion.old
    return text[: suggestion.start] + suggestion.new + text[suggestion.end :]


def suggested(text: str, person: Person | None = JANE) -> tuple[Suggestion, ...]:
    return suggestions_for(*prepared(text, person), person)


@pytest.mark.parametrize(("before", "after"), CASES)
def test_what_the_sentence_reads_afterwards(before: str, after: str) -> None:
    readings = [apply(before, one) for one in suggested(before) if one.new is not None]
    assert after in readings


def test_a_suggestion_says_which_characters_it_changes_leaves_a_sentence_in_form_and_is_not_made_again() -> None:
    for text, _ in CASES:
        letter = f"Dear all,\n\n{text} Yours."
        sentence = Sentence(0, 11, 11 + len(text), text, "body")
        for one in suggestions_for(sentence, marks_of([sentence], JANE), JANE):
            assert one.new is None or letter[one.start : one.end] == one.old != one.new, text
        for one in suggested(text):
            if one.new is None:
                continue
            after = apply(text, one)
            again = [other for other in suggested(after) if (other.old, other.new) == (one.old, one.new)]
            assert after != text
            assert not again or text.count(one.old) > 1, text
            if after:
                assert after[0].isupper(), after
                assert after.endswith("."), after
                assert not any(wrong in after for wrong in ("  ", " .", " ,", ",.")), after
                assert not any(f" {end}" in after for end in ("a.", "an.", "the.", "and.", "is.", "was.")), after


@pytest.mark.parametrize("text", HINTS)
def test_where_no_words_are_safe_there_is_only_a_hint(text: str) -> None:
    (hint,) = [one for one in suggested(text) if one.source][:1]
    assert hint.new is None
    assert hint.reason.endswith((".", "?"))


def test_every_suggestion_says_why_and_belongs_to_its_mark() -> None:
    text = "Perhaps the young chairwoman is a helpful, hardworking mother of two."
    sentence, marks = prepared(text)
    keys = {mark.key(text) for mark in marks}
    found = suggestions_for(sentence, marks, JANE)
    assert {one.mark_key for one in found} <= keys
    assert all(one.reason and one.source for one in found)


def test_only_categories_that_count_against_somebody_have_suggestions() -> None:
    assert suggested("She is an outstanding and brilliant leader.") == ()


def test_leaving_out_never_takes_praise_along() -> None:
    text = "As a 50-year-old woman with outstanding experience, she leads the ward."
    for one in suggested(text):
        assert one.new is None or "outstanding experience" in apply(text, one)


def test_a_whole_sentence_goes_only_where_it_says_nothing_else() -> None:
    assert [one.new for one in suggested("She is young.")] == [""]
    text = "She is married and designs bridges for a living."
    assert all(one.new is None or "designs bridges" in apply(text, one) for one in suggested(text))


def test_a_first_name_is_kept_beside_the_surname_in_quotations_and_in_addresses() -> None:
    assert suggested("Jane Smith wrote “Ask Jane” to jane@example.org.") == ()
    assert suggested("Jane joined us.", Person("Jane", "", "Dr", "she")) == ()
    (hint,) = suggested("Jane joined us.", Person("Jane", "Smith", "", "she"))
    assert hint.new is None
    assert hint.mark_key.startswith("name:")


def test_places_are_those_of_the_letter() -> None:
    before = "She came in May.\n\n"
    text = "The chairwoman signed it."
    sentence, marks = prepared(text, before=before)
    (one,) = suggestions_for(sentence, marks)
    assert apply(before + text, one) == before + "The chair signed it."


def test_marks_of_other_sentences_are_left_alone() -> None:
    _, marks = prepared("The chairwoman signed it.")
    other = Sentence(1, 40, 60, "She came on Monday.", "body")
    assert suggestions_for(other, marks) == ()


def test_what_is_no_sentence_has_no_suggestions() -> None:
    text = "The chairwoman signed it, and " * 200
    sentence, marks = prepared(text)
    assert len(marks) == 200
    assert suggestions_for(sentence, marks, JANE) == ()


def test_the_lexicon_is_consistent() -> None:
    found = suggestion_words()
    for category, ways in found.ways.items():
        for phrase, way in ways.items():
            assert "|" not in "".join((phrase, *way.use))
            assert bool(way.use) == (way.how == "replace"), (category, phrase)
            assert way.reason.endswith((".", "?"))
            assert not any("[" in use for use in way.use)  # brackets are for hints alone
    assert way_of("doubt", "Seems  to be") is not None
    assert way_of("agentic", "leader") is None
