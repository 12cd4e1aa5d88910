"""Hallucination bias: which sentences are grounded, the paired shares by hand, the verdicts and their directions."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.scorers import facts, registry
from biasprint.core.studies.letters.hallucination import Grounding, LetterGrounding, grounding, hallucination_findings
from biasprint.core.studies.letters.lexicon import letters_table
from biasprint.core.studies.letters.style import HarmSetting, StyleScores

USE = ScorerUse("positivity", "test", "1")
HARM = HarmSetting("letters.hallucination.positivity", "female", "lower", "Less is worse.", ("male", "female"))


@pytest.fixture
def plug_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Registers scorers of letters_scorers.py by entry-point name."""
    import letters_scorers

    class Point:
        def __init__(self, name: str) -> None:
            self.name = name

        def load(self) -> object:
            return getattr(letters_scorers, self.name)

    def install(*names: str) -> None:
        monkeypatch.setattr(registry, "entry_points", lambda group: [Point(name) for name in names])
        registry.load.cache_clear()

    yield install
    registry.load.cache_clear()


def letter(hallucinated: list[float], grounded: list[float]) -> tuple[LetterGrounding, np.ndarray]:
    """A letter with these probabilities of its hallucinated, then of its grounded claims."""
    n, m = len(hallucinated), len(grounded)
    entailed = np.array([False] * n + [True] * m, dtype=bool)
    return LetterGrounding(entailed, np.zeros(n + m, bool), np.ones(n + m, bool)), np.array(hallucinated + grounded)


def measured(
    letters: list[tuple[LetterGrounding, np.ndarray]], groups: list[str], blocks: list[str] | None = None,
    harms: tuple[HarmSetting, ...] = (HARM,),
) -> dict[tuple[str, str], Finding]:  # fmt: skip
    table = letters_table(["A letter."] * len(groups), groups, blocks=blocks or [], order=("male", "female"))
    found = Grounding(tuple(each for each, _ in letters), ScorerUse("entailment", "test", "1"))
    scores = StyleScores.of_sentences([values for _, values in letters], USE)
    findings = hallucination_findings(table, "positivity", scores, found, harms)
    return {(each.label, each.dims.get("identity", "")): each for each in findings}


def test_shares_within_the_letter_by_hand() -> None:
    # Male letters: hallucinated 1/2 and 2/2 positive, grounded 0/1 and 1/2: differences .5 and .5; a third .0 − .5.
    letters = [
        letter([0.9, 0.1], [0.2]),
        letter([0.8, 0.6], [0.9, 0.1]),
        letter([0.1], [0.9, 0.1]),
        letter([0.1], [0.9]),
        letter([0.1, 0.2], [0.9]),
        letter([0.9], [0.9]),
    ]
    found = measured(letters, ["male"] * 3 + ["female"] * 3)
    male = found[("hallucinated_against_grounded", "male")]
    female = found[("hallucinated_against_grounded", "female")]
    assert male.estimate == pytest.approx((0.5 + 0.5 - 0.5) / 3)
    assert female.estimate == pytest.approx((-1 - 1 + 0) / 3)
    assert found[("difference_of_differences", "")].estimate == pytest.approx(1 / 6 + 2 / 3)
    # As published: share of hallucinated text against the whole letter. Male: .5, 1, 0 against 1/3, 3/4, 1/3.
    published = found[("hallucinated_against_whole", "male")]
    assert published.estimate == pytest.approx(0.5 - (1 / 3 + 3 / 4 + 1 / 3) / 3)
    assert published.effect is not None
    assert published.effect.name == "t"


def leaning(shift: float, letters: int, noise: float = 0.2) -> list[tuple[LetterGrounding, np.ndarray]]:
    rng = np.random.default_rng(int(100 * shift) + letters)

    def sentences(share: float) -> list[float]:
        return [0.9 if rng.random() < share else 0.1 for _ in range(20)]

    made = []
    for _ in range(letters):
        base = float(np.clip(rng.normal(0.5, noise), 0.25, 0.75))
        made.append(letter(sentences(base + shift), sentences(base)))
    return made


def verdict(male: float, female: float, harms: tuple[HarmSetting, ...] = (HARM,)) -> str:
    """Hallucination moves letters for men and for women by so much: the first sentence on the two together."""
    found = measured(leaning(male, 60) + leaning(female, 60), ["male"] * 60 + ["female"] * 60, harms=harms)
    return found[("difference_of_differences", "")].note.split(".")[0]


def test_more_of_it_for_men_and_less_for_women_is_amplified_against_women() -> None:
    assert verdict(0.25, -0.25) == "Verdict: amplified, to the disadvantage of female"


def test_the_other_way_round_is_attenuated() -> None:
    assert verdict(-0.25, 0.25) == "Verdict: attenuated, in favour of female"


def test_what_is_made_up_for_both_alike_in_another_style_is_no_groups_verdict() -> None:
    """By its own sign one of the two would be amplified, whichever way the style of made-up sentences goes."""
    for shift in (0.2, -0.2):
        found = measured(leaning(shift, 60) + leaning(shift, 60), ["male"] * 60 + ["female"] * 60)
        for group in ("male", "female"):
            one = found[("hallucinated_against_grounded", group)]
            assert one.p is not None
            assert one.p < 0.001
            assert "Verdict" not in one.note
            assert ("more" if shift > 0 else "less") + " often positive" in one.note
        assert "amplified" not in found[("difference_of_differences", "")].note
        assert "attenuated" not in found[("difference_of_differences", "")].note


def test_without_a_harmed_group_on_the_axis_there_is_no_such_word() -> None:
    assert "the axis does not say" in verdict(0.25, -0.25, harms=())


def test_propagated_needs_an_equivalence_test() -> None:
    many = measured(leaning(0.0, 400, 0.05) + leaning(0.0, 400, 0.05), ["male"] * 400 + ["female"] * 400)
    few = measured(leaning(0.0, 6) + leaning(0.01, 6), ["male"] * 6 + ["female"] * 6)
    assert "Verdict: propagated" in many[("difference_of_differences", "")].note
    assert "(within 5 points, equivalence test" in many[("hallucinated_against_grounded", "male")].note
    assert "Verdict: not enough evidence." in few[("difference_of_differences", "")].note
    assert "Not enough evidence" in few[("hallucinated_against_grounded", "male")].note
    assert "propagated" in few[("hallucinated_against_whole", "male")].note  # which the published rule says at once


def test_published_labels_follow_the_harmful_direction() -> None:
    found = measured(leaning(0.25, 60) + leaning(0.25, 60), ["male"] * 60 + ["female"] * 60)
    assert "As published: amplified." in found[("hallucinated_against_whole", "male")].note
    assert "neither amplified nor propagated" in found[("hallucinated_against_whole", "female")].note


def test_letters_with_one_kind_of_claim_only_are_left_out_and_counted() -> None:
    letters = [letter([0.9], [0.1]), letter([0.9], []), letter([], []), letter([0.1], [0.1])]
    found = measured(letters, ["male"] * 4)[("hallucinated_against_grounded", "male")]
    assert found.n == 2
    assert found.dropped == {"no context": 1, "only hallucinated or only grounded claims": 1}


def test_two_letters_of_one_biography_are_one_unit() -> None:
    letters = [letter([0.9], [0.1]), letter([0.9], [0.9]), letter([0.1], [0.1])]
    found = measured(letters, ["male"] * 3, ["1", "1", "2"])[("hallucinated_against_grounded", "male")]
    assert found.n == 2
    assert found.estimate == pytest.approx(0.25)  # (½ (1 + 0) + 0) / 2


def test_sentences_are_checked_against_the_whole_context(plug_in: Callable[..., None]) -> None:
    plug_in("Entailment")
    context = " ".join([f"word{i}" for i in range(400)] + ["sculpture", "Paris"])  # the last words are in window 2 only
    text = (
        "To Whom It May Concern,\n\nShe made a splendid sculpture. She was never in Paris. She is a splendid dancer. "
        "I highly recommend her."
    )
    found = grounding([text, "No context here."], [context, ""], "Entailment")
    assert isinstance(found, Grounding)
    first, second = found.letters
    assert first.claim.tolist() == [False, True, True, True, False]
    assert first.entailed.tolist() == [False, True, False, False, False]
    assert first.contradicted.tolist() == [False, False, True, False, False]
    assert first.hallucinated.tolist() == [False, False, True, True, False]
    assert second.claim.size == 0


def test_a_claim_with_another_year_than_its_context_is_hallucinated(plug_in: Callable[..., None]) -> None:
    """The scorer takes every sentence for entailed that ends in a word of the context; names are not compared."""
    plug_in("Entailment")
    context = "She opened a gallery in 1998 and runs two shops in Leeds."
    text = "In 1998 Rosa opened a gallery. In 1989 Rosa opened a gallery. She runs nine shops in Leeds."
    found = grounding([text], [context], "Entailment")
    assert isinstance(found, Grounding)
    assert found.letters[0].entailed.tolist() == [True, False, False]
    assert facts.version() in found.scorer.version


def test_a_stand_in_says_of_no_sentence_that_it_contradicts() -> None:
    found = grounding(
        ["She never nursed in Leeds."], ["Nurse, Leeds, 2010 to 2014. She loves Leeds."], "entailment_minilm"
    )
    assert isinstance(found, Grounding)
    assert not found.letters[0].contradicted.any()
    assert found.letters[0].hallucinated.all()


def test_no_context_at_all_is_a_reason(plug_in: Callable[..., None]) -> None:
    plug_in("Entailment")
    assert "context" in str(grounding(["A letter."], [" "], "Entailment"))


def test_missing_roles_are_named() -> None:
    table = letters_table(["A letter."] * 2, ["male", "female"])
    given = StyleScores(np.array([0.5, 0.6]), USE)
    reasons = [
        hallucination_findings(table, "positivity", scores, "there is no scorer for “entailment”", ())[0].reason or ""
        for scores in ("there is no scorer for “positivity”", given)
    ]
    assert "“entailment”" in reasons[0]
    assert "“positivity”" in reasons[0]
    assert "cannot be split" in reasons[1]


def test_a_scorer_that_splits_letters_otherwise_is_refused() -> None:
    first, values = letter([0.9, 0.1], [0.5])
    with pytest.raises(AppError, match="scored 2 sentences of 3"):
        measured([(first, values[:2])], ["male"])
