"""A fingerprint in words, rule by rule. All numbers are made up."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from biasprint.core.judging.fingerprint import AxisChoice, AxisTest, Fingerprint, PreferencePower, ShareOfChoices
from biasprint.core.judging.fingerprint_words import limits, missed_of_20, one_of, paragraphs

THREE = ("White", "Black", "Asian")
SEEN = PreferencePower(60, 1, (0.55, 0.30, 0.15), 0.947)


def axis(
    counts: Sequence[float],
    *,
    title: str = "Race",
    labels: Sequence[str] = THREE,
    p: float | None = 0.5,
    tested: int = 1,
    planned: int | None = None,
    **more: object,
) -> AxisChoice:
    n = round(sum(counts))
    identities = tuple(
        ShareOfChoices(label.lower(), label, count, count / n if n else None, None, None)
        for label, count in zip(labels, counts, strict=False)
    )
    testing = None if p is None else AxisTest(p / tested, p, tested)
    made = AxisChoice(title.lower(), title, identities, n, n if planned is None else planned, testing=testing)
    return replace(made, **more)  # type: ignore[arg-type]


def fingerprint(*axes: AxisChoice, kind: str = "person", complete: bool = True) -> Fingerprint:
    return Fingerprint("id", "LARK", kind, axes, complete, ())  # type: ignore[arg-type]


def said(*axes: AxisChoice, **more: object) -> list[str]:
    return [one.text for one in paragraphs(fingerprint(*axes, **more))]  # type: ignore[arg-type]


def test_evidence_names_the_identity_its_count_what_chance_gives_and_how_rare_that_is() -> None:
    assert said(axis((33, 15, 12), p=0.0042)) == [
        "You chose these texts: in 60 comparisons on race, the one for White 33 times (Black 15, Asian 12). Choosing "
        "blindly would give about 20. Luck alone gives such a lean, to one of the three, in about 1 of 240 sessions of "
        "people without a preference: a hint, and no proof."
    ]


def test_of_two_identities_the_other_one_needs_no_words() -> None:
    (text,) = said(axis((45, 15), title="Orientation", labels=("Straight", "Queer"), p=0.001))
    assert (
        "in 60 comparisons on orientation, the one for Straight 45 times. Choosing blindly would give about 30." in text
    )
    assert "such a lean, to one of the two, in" in text


def test_what_is_chosen_seldom_is_said_where_that_is_furthest_from_chance() -> None:
    (text,) = said(axis((27, 26, 7), p=0.004))
    assert "in 60 comparisons on race, the one for Asian only 7 times (White 27, Black 26)." in text


def test_several_axes_are_several_tests_and_the_sentence_says_so() -> None:
    texts = said(
        axis((33, 15, 12), p=0.01, tested=3),
        axis((32, 16, 12), title="Gender", p=0.03, tested=3),
        axis((30, 30), title="Orientation", labels=("Straight", "Queer"), p=1.0, tested=3),
    )
    assert texts[0].endswith(
        "in one of the three things compared, in about 1 of 100 sessions of people without a preference: a hint, and "
        "no proof."
    )
    assert texts[1].startswith("In 60 comparisons on gender it was the one for White 32 times")
    assert "about 1 of 33 sessions" in texts[1]
    assert texts[2] == "About orientation nothing can be said: the choices are too few, or nearly even."


def test_what_is_read_first_is_that_so_few_choices_say_nothing() -> None:
    few = axis((3, 2, 2), seeing=PreferencePower(7, 1, (0.55, 0.30, 0.15), 0.08))
    first, counted, missed = paragraphs(fingerprint(few))
    assert (first.text, first.large) == ("You chose 7 texts. That is too few to say anything about you.", True)
    assert (counted.text, counted.quiet) == ("On race you chose texts for: White 3, Black 2 and Asian 2.", True)
    assert missed.text == (
        "A clear preference can stay unseen: after 7 choices on race, in 18 of 20 people who have one (one kind of "
        "text 55 times in 100, the others 30 and 15 times)."
    )
    model = said(few, kind="model")
    assert model[0] == "The model chose 7 texts. That is too few to say anything about it."


def test_of_many_choices_nobody_says_that_they_are_few() -> None:
    assert said(axis((22, 20, 18), seeing=SEEN))[0] == (
        "You chose 60 texts. They show no clear preference: luck alone could give such counts."
    )


def test_evidence_ends_at_five_in_a_hundred() -> None:
    assert not axis((33, 15, 12), p=0.0501).evidence
    assert axis((33, 15, 12), p=0.05).evidence


def test_axes_that_show_the_same_share_a_sentence() -> None:
    two = PreferencePower(56, 3, (0.675, 0.325), 0.54)
    texts = said(
        axis((20, 20, 20), seeing=SEEN),
        axis((28, 28), title="Orientation", labels=("Straight", "Queer"), seeing=two),
        axis((18, 18, 18), title="Gender", seeing=replace(SEEN, n=54, chance=0.83)),
    )
    assert texts[0] == "You chose 170 texts. That is too few to say anything about you."  # orientation: 0.54
    assert texts[2] == (
        "A clear preference can stay unseen: after 54 to 60 choices on each of race and gender, in 1 to 3 of 20 people "
        "who have one (one kind of text 55 times in 100, the others 30 and 15 times). A clear preference can stay "
        "unseen: after 56 choices on orientation, in 9 of 20 people who have one (one kind of text 68 times in 100, "
        "the other 32 times)."
    )


@pytest.mark.parametrize(("chance", "missed"), [(0.9999, 1), (0.0001, 19), (0.47, 11), (0.1, 18), (0.05, 19)])
def test_a_chance_of_seeing_is_said_of_20_and_never_a_promise(chance: float, missed: int) -> None:
    assert missed_of_20(chance) == missed
    assert (
        f", in {missed} of 20 people who have one" in said(axis((20, 20, 20), seeing=replace(SEEN, chance=chance)))[2]
    )


def test_comparisons_that_were_left_leave_nothing_to_conclude() -> None:
    found = axis((30, 5, 5), p=None, planned=60, left=20, seeing=SEEN)
    (text,) = said(found, complete=False)
    assert text == (
        "You chose these texts, but 20 of 60 comparisons have no answer. The result was planned for all of them "
        "together, so there is none."
    )


def test_no_choice_at_all_is_said() -> None:
    none = axis((0, 0, 0), p=None, planned=20, ties=20)
    assert said(none)[0] == "You chose these texts in none of 20 comparisons, so there is nothing to say."
    texts = said(none, axis((33, 15, 12), title="Gender", p=0.001))
    assert "You chose no text in the 20 comparisons on race." in texts[1]


def test_many_comparisons_without_a_choice_are_counted_by_kind() -> None:
    texts = said(axis((16, 16, 16), planned=60, ties=8, none=3, skips=1))
    assert texts[-1] == (
        "Of 60 comparisons on race, 12 ended without a choice (8 ties, 3 with no good text and 1 skipped). "
        "They are not counted."
    )
    assert "1 tie)" in said(axis((3, 1, 0), planned=5, ties=1))[-1]


def test_few_comparisons_without_a_choice_are_not_mentioned() -> None:
    assert not any("without a choice" in text for text in said(axis((17, 16, 16), planned=60, ties=11)))


def test_of_a_model_it_is_the_model_that_chose_and_averages_are_said() -> None:
    texts = said(axis((33.5, 14.5, 12), p=0.004, planned=90, unread=30), kind="model")
    assert texts[0].startswith(
        "The model chose these texts: in 60 comparisons on race, the one for White 33.5 times (Black 14.5, Asian 12), "
        "on average over the orders in which the texts were shown. Choosing blindly would give about 20."
    )
    assert texts[-1].startswith("In 30 of 90 comparisons on race it made no choice in every order of the texts.")


@pytest.mark.parametrize("p", [0.5, 0.00001, 0.04])
@pytest.mark.parametrize("complete", [True, False])
def test_it_always_begins_with_what_was_chosen_and_never_says_no_difference(p: float, complete: bool) -> None:
    texts = said(axis((33, 15, 12), p=p if complete else None, seeing=SEEN), complete=complete)
    assert texts[0].startswith(("You chose these texts", "You chose 60 texts"))
    assert not any("no difference" in text.lower() for text in texts)


def test_a_very_small_probability_is_not_spelled_out() -> None:
    assert "fewer than 1 of 10,000 sessions" in said(axis((50, 5, 5), p=1e-9))[0]


@pytest.mark.parametrize(("p", "of"), [(0.05, 20), (0.0042, 240), (0.0025, 400), (0.03, 33), (0.0001, 10_000)])
def test_one_of_how_many_has_two_digits(p: float, of: int) -> None:
    assert one_of(p) == of


def test_labels_are_plain_text_whatever_they_hold() -> None:
    label = "<b>{n}</b> {axis} %s & co"
    texts = said(axis((33, 15, 12), title="A{xis}<i>", labels=(label, "b", "c"), p=0.001))
    assert f"the one for {label} 33 times" in texts[0]
    assert "comparisons on A{xis}<i>, " in texts[0]


def test_only_labels_are_bold() -> None:
    (first, *_) = paragraphs(fingerprint(axis((33, 15, 12), p=0.001)))
    assert [span.text for span in first.spans if span.strong] == ["race", "White"]


def test_a_title_of_capitals_keeps_them() -> None:
    assert "comparisons on LGBT, " in said(axis((33, 15, 12), title="LGBT", p=0.001))[0]


def test_limits_say_that_texts_differ_and_that_this_judges_nobody() -> None:
    text = limits(fingerprint(axis((33, 15, 12)))).text
    assert "Texts differ in quality too" in text
    assert "not a judgment of a person" in text


def test_sentences_and_numbers_can_be_translated() -> None:
    found = fingerprint(axis((33, 15, 12), p=0.001))
    texts = paragraphs(found, lambda text: text.replace("You chose", "Sie wählten"), lambda value, _: f"<{value:g}>")
    assert texts[0].text.startswith("Sie wählten these texts")
    assert "in <60> comparisons on race, the one for White <33> times" in texts[0].text


def test_the_identity_furthest_from_chance_may_be_preferred_or_avoided() -> None:
    assert axis((33, 15, 12)).preferred == "white"
    assert axis((24, 24, 12)).preferred is None
    found = axis((24, 24, 12)).furthest
    assert found is not None
    assert found.label == "Asian"
