"""Preference at equal length and place: against statsmodels, where nothing is adjusted, and where nothing can be."""

import json
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats
from simulations.preferences import LONGER, NONE, adjusted_p, power_trial, raw_p, studied

from biasprint.core.findings import Finding
from biasprint.core.metrics.preference import (
    NO_LENGTH_LEFT,
    NOTHING_LEFT,
    Placed,
    adjusted_shares,
    card_style,
    firth,
    flipped_scores,
)
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.judgments import measure_judgments

THREE = ("man", "woman", "non-binary")


def placed(n: int = 180, k: int = 3, seed: int = 0, liked: float = 1.5, spread: float = 0.3) -> Placed:
    rng = np.random.default_rng(seed)
    log_words = np.log(np.round(rng.lognormal(5, spread, (n, k))))
    log_words[:, 0] += np.log(1 + LONGER) if spread else 0.0
    utility = liked * log_words + rng.gumbel(size=(n, k))
    return Placed(log_words, np.argsort(rng.random((n, k)), axis=1), utility.argmax(axis=1), (np.arange(n),))


def table(given: Placed, raters: int = 1, **columns: object) -> JudgmentTable:
    """The same choices as the program keeps them: `raters` take turns over the comparisons."""
    k = given.place.shape[1]
    order = np.argsort(given.place, axis=1)
    n = len(given.chosen)
    words = np.round(np.exp(np.take_along_axis(given.log_words, order, axis=1))).astype(int)
    more: dict[str, object] = {"words": tuple(map(tuple, words.tolist()))} | columns
    return JudgmentTable(
        comparison=tuple(f"c{line // raters}" for line in range(n)),
        rater=tuple(f"R{line % raters}" for line in range(n)),
        axis=("gender",) * n,
        shown=tuple(tuple(THREE[:k][place] for place in one) for one in order),
        outcome=("choice",) * n,
        chosen=tuple(THREE[place] for place in given.chosen),
        **more,  # type: ignore[arg-type]
    )


def measured(judgments: JudgmentTable, identities: Sequence[str] = THREE) -> dict[tuple[str, str], Finding]:
    result = measure_judgments(judgments, axes={"gender": identities}, resamples=99, parts=True)
    json.dumps(result.to_json(), allow_nan=False)
    return {
        (one.id, one.label): one
        for one in result.findings
        if one.variant == "default" and dict(one.dims) == {"axis": "gender"}
    }


# ---- the model


def test_coefficients_and_clustered_errors_are_those_of_statsmodels() -> None:
    """Its ConditionalLogit for the coefficients; for the variance its scores summed by cluster, written out."""
    from statsmodels.discrete.conditional_models import ConditionalLogit

    given = placed()
    n, k = given.place.shape
    identity = np.broadcast_to(np.eye(k)[:, 1:], (n, k, k - 1))
    place = np.stack([given.place == other for other in (1, 2)], axis=2)
    features = np.concatenate([identity, place, given.log_words[:, :, None]], axis=2)
    picked = (np.arange(k) == given.chosen[:, None]).astype(int)
    model = ConditionalLogit(picked.ravel(), features.reshape(n * k, -1), groups=np.repeat(np.arange(n), k))
    fit = model.fit(disp=0, method="newton")
    odds = np.exp(np.append(0.0, fit.params[:2]))
    found = adjusted_shares(given)
    assert found.shares is not None
    assert found.shares == pytest.approx(odds / odds.sum(), abs=1e-4)
    assert found.doubled == pytest.approx(2.0 ** fit.params[-1], rel=1e-3)
    chance = np.exp(features @ fit.params)
    chance /= chance.sum(axis=1, keepdims=True)
    scores = features[np.arange(n), given.chosen] - np.einsum("nk,nkf->nf", chance, features)
    bread = fit.cov_params()
    robust = bread @ (scores.T @ scores) @ bread * n / (n - 5) * n / (n - 1)
    half = 1.9733 * np.sqrt(robust[-1, -1])  # t with 179 df
    assert found.interval is not None
    assert np.log2([found.interval.low, found.interval.high]) == pytest.approx(
        [fit.params[-1] - half, fit.params[-1] + half], abs=5e-3
    )


def test_without_anything_to_adjust_the_shares_are_the_raw_ones() -> None:
    rng = np.random.default_rng(1)
    n = 6 * 40
    place = np.tile(np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]), (40, 1))
    chosen = np.repeat(rng.permutation(np.repeat([0, 1, 2], [20, 12, 8])), 6)  # in all orders alike
    found = adjusted_shares(Placed(np.zeros((n, 3)), place, chosen, (np.arange(n) // 6,)))
    assert found.shares == pytest.approx([0.5, 0.3, 0.2])
    assert found.doubled is None


# ---- the findings


def test_length_takes_what_it_explains_and_says_so() -> None:
    found = measured(table(placed(seed=3)))
    raw, left = found["creativity.abs", "gender"], found["creativity.abs.adjusted", "gender"]
    assert raw.p is not None
    assert left.p is not None
    assert raw.p < 0.05 < left.p
    assert left.estimate is not None
    assert left.floor is not None
    assert left.interval is not None
    assert left.interval.low == 0
    assert f"As chosen {raw.estimate:.3f}; length accounts for +" in left.note
    share = found["creativity.share.adjusted", "man"]
    assert share.estimate is not None
    assert share.estimate < (found["creativity.share", "man"].estimate or 0)
    assert "points of it, the place for" in share.note
    length = found["creativity.length", "gender"]
    assert length.estimate is not None
    assert length.interval is not None
    assert length.interval.low > 1


def test_six_raters_are_units_here_too() -> None:
    found = measured(table(placed(seed=4), raters=6))
    assert "Raters and comparisons are the units: 6 raters" in found["creativity.abs.adjusted", "gender"].note


def test_a_model_judge_is_probed_for_length() -> None:
    given = placed(seed=5)
    judged = table(given, rater_kind=("model",) * len(given.chosen))
    result = measure_judgments(judged, axes={"gender": THREE}, resamples=99, parts=True)
    ids = {one.id for one in result.findings if one.estimate is not None}
    assert {"creativity.length", "creativity.abs.adjusted", "creativity.share.adjusted"} <= ids


def test_every_rater_has_a_length_effect_of_their_own() -> None:
    result = measure_judgments(table(placed(seed=6), raters=2), axes={"gender": THREE}, resamples=99, parts=True)
    of_raters = [one for one in result.findings if one.id == "creativity.length" and "rater" in one.dims]
    assert [one.dims["rater"] for one in of_raters] == ["R0", "R1"]


# ---- what cannot be told has a reason


def undefined(judgments: JudgmentTable, finding: str = "creativity.abs.adjusted") -> str:
    found = measured(judgments)[finding, "gender"]
    assert found.estimate is None
    return found.reason or ""


def test_no_lengths() -> None:
    judged = table(placed())
    assert undefined(JudgmentTable(**{**vars(judged), "words": ()})) == "the lengths of the texts are not known"


def test_the_longest_always_chosen() -> None:
    given = placed()
    longest = Placed(given.log_words, given.place, given.log_words.argmax(axis=1), given.groupings)
    found = measured(table(longest))
    assert found["creativity.abs.adjusted", "gender"].reason == NOTHING_LEFT
    length = found["creativity.length", "gender"]
    assert length.p_adjusted is not None
    assert length.p_adjusted < 0.001
    assert (length.estimate or 0) > 1
    assert length.reason == "interval: the choices are separated, so that its end is open"


# ---- separated choices have an exact answer


def always(n: int, k: int = 2) -> Placed:
    """The first identity in all comparisons, its text as often on every card; lengths alike."""
    place = np.stack([(np.arange(n) + identity) % k for identity in range(k)], axis=1)
    return Placed(np.zeros((n, k)), place, np.zeros(n, dtype=np.int64), (np.arange(n),))


def test_firths_estimate_of_two_identities_is_a_half_added_to_both_counts() -> None:
    identity = np.broadcast_to(np.eye(2)[:, 1:], (20, 2, 1))
    (slope,) = firth(identity, np.zeros(20, dtype=np.int64))
    assert slope == pytest.approx(np.log(0.5 / 20.5), abs=1e-3)
    (slope,) = firth(identity, np.repeat([0, 1], [14, 6]))
    assert slope == pytest.approx(np.log(6.5 / 14.5), abs=1e-3)


def test_always_the_same_identity_is_the_exact_sign_test() -> None:
    found = adjusted_shares(always(12))
    assert found.shares is not None
    assert found.shares[0] > 0.9
    assert found.flipped == (stats.binomtest(12, 12, 0.5).pvalue,) * 2
    assert found.all_flipped == stats.binomtest(12, 12, 0.5).pvalue
    assert adjusted_shares(always(40)).all_flipped == pytest.approx(1 / 10_001)  # drawn: too many to go through


def test_raters_are_flipped_as_wholes_where_there_are_fewer_of_them() -> None:
    given = always(48)
    of_raters = Placed(given.log_words, given.place, given.chosen, (np.arange(48) % 8, np.arange(48)))
    assert adjusted_shares(of_raters).flipped == (stats.binomtest(8, 8, 0.5).pvalue,) * 2


def test_flipped_scores_are_scipys_permutation_test_of_samples() -> None:
    """Ten choices of one of two, seven on the first: the signs of ± ½, all 2¹⁰ of them."""
    identity, chosen = np.broadcast_to(np.eye(2)[:, 1:], (10, 2, 1)), np.repeat([0, 1], [7, 3])
    p = flipped_scores(identity, np.zeros((10, 2, 0)), chosen, np.arange(10))
    assert p is not None
    by_scipy = stats.permutation_test(
        (chosen - 0.5, np.zeros(10)), lambda one, other: np.mean(one - other), permutation_type="samples",
        n_resamples=np.inf,
    )  # fmt: skip
    assert p[0] == pytest.approx(by_scipy.pvalue)
    assert p[0] == pytest.approx(stats.binomtest(3, 10, 0.5).pvalue)


@pytest.mark.parametrize("raters", [1, 8])
def test_one_identity_never_chosen_is_found_and_the_others_lengths_still_tell(raters: int) -> None:
    given = placed(192)
    never = Placed(given.log_words, given.place, given.log_words[:, :2].argmax(axis=1), given.groupings)
    noisy = np.where(np.random.default_rng(3).random(192) < 0.3, 1 - never.chosen, never.chosen)
    found = measured(table(Placed(given.log_words, given.place, noisy, given.groupings), raters))
    share = found["creativity.share.adjusted", "non-binary"]
    assert share.estimate == pytest.approx(0, abs=0.02)
    assert share.interval is not None
    assert share.p_adjusted is not None
    assert share.p_adjusted <= 0.05
    assert "Firth's" in share.note
    assert found["creativity.abs.adjusted", "gender"].p_adjusted is not None
    length = found["creativity.length", "gender"]
    assert length.p is not None
    assert length.p <= 0.05


@pytest.mark.soak
def test_where_choices_are_separated_by_chance_no_more_alarms_are_raised() -> None:
    """Eight comparisons, of which half are separated by length, place and identity together."""
    rng = np.random.default_rng(5)
    found = [adjusted_shares(studied(NONE[:2], LONGER, 1, 8, rng)) for _ in range(250)]
    separated = [one.all_flipped for one in found if one.separated and one.all_flipped is not None]
    assert len(separated) > 80
    alarms = np.mean([p is not None and p <= 0.05 for p in (one.all_flipped if one.separated else adjusted_p(one, 8)
                                                            for one in found)])  # fmt: skip
    assert alarms <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 250)


def test_always_the_first_card_leaves_nothing_for_identity_or_length() -> None:
    given = placed()
    first = Placed(given.log_words, given.place, given.place.argmin(axis=1), given.groupings)
    found = measured(table(first))
    assert found["creativity.abs.adjusted", "gender"].reason == NOTHING_LEFT
    assert found["creativity.length", "gender"].reason == NO_LENGTH_LEFT


def test_one_length_only_leaves_the_place_to_be_adjusted() -> None:
    judged = table(placed(spread=0.0))
    found = measured(judged)
    assert found["creativity.length", "gender"].reason == "the texts of every comparison are equally long"
    assert found["creativity.abs.adjusted", "gender"].estimate is not None
    assert "only the place is adjusted" in found["creativity.abs.adjusted", "gender"].note


def test_cards_always_in_one_order() -> None:
    given = placed()
    same = Placed(given.log_words, np.tile(np.arange(3), (len(given.chosen), 1)), given.chosen, given.groupings)
    assert "cannot be told apart" in undefined(table(same))


def test_too_few_choices() -> None:
    given = placed(5, seed=9)
    some = Placed(given.log_words, given.place, np.array([0, 1, 2, 0, 1]), given.groupings)
    assert "too few" in undefined(table(some))


def test_ties_alone() -> None:
    judged = table(placed(12))
    ties = JudgmentTable(**{**vars(judged), "outcome": ("tie",) * 12, "chosen": ("",) * 12})
    assert undefined(ties) == "no comparison with a choice"


def test_texts_whose_length_is_not_known_are_counted_and_left_out() -> None:
    judged = table(placed())
    words = ((0, 100, 90), *judged.words[1:])
    found = measured(JudgmentTable(**{**vars(judged), "words": words}))["creativity.abs.adjusted", "gender"]
    assert found.dropped == {"length not known": 1}
    assert found.n == 179


def test_two_identities_as_well() -> None:
    found = measured(table(placed(k=2, seed=2)), THREE[:2])
    assert found["creativity.abs.adjusted", "gender"].estimate is not None


# ---- what it is worth, in short


def test_length_alone_raises_no_alarm_once_adjusted_and_does_as_chosen() -> None:
    rng = np.random.default_rng(8)
    studies = [studied(NONE, LONGER, 3, 60, rng) for _ in range(80)]
    adjusted = [adjusted_p(adjusted_shares(one), len(one.chosen)) for one in studies]
    assert np.mean([p is not None and p <= 0.05 for p in adjusted]) <= 0.06 + 3 * np.sqrt(0.06 * 0.94 / 80)
    assert np.mean([raw_p(one, 3, rng) <= 0.05 for one in studies]) > 0.25


def test_where_lengths_are_alike_a_preference_is_seen_as_often() -> None:
    rng = np.random.default_rng(9)
    found = np.array([power_trial(2, 3, 60, rng) for _ in range(80)])
    assert found[:, 0].mean() >= found[:, 1].mean() - 0.05


# ---- markdown held equal too


def marked(n: int = 300, seed: int = 8) -> tuple[Placed, np.ndarray]:
    """Texts of which one identity's mostly have lists, which people like; nothing else is behind their choices."""
    rng = np.random.default_rng(seed)
    log_words = np.log(np.round(rng.lognormal(5, 0.3, (n, 3))))
    lists = (rng.random((n, 3)) < np.array([0.8, 0.3, 0.3])).astype(np.int64) * rng.integers(1, 5, (n, 3))
    style = card_style({"lists": lists.astype(float)}, np.ones((n, 3), bool)).only(("lists",))
    utility = 1.5 * style.columns[:, :, 0] + rng.gumbel(size=(n, 3))
    place = np.argsort(rng.random((n, 3)), axis=1)
    return Placed(log_words, place, utility.argmax(axis=1), (np.arange(n),), style), lists


def test_markdown_is_a_covariate_as_statsmodels_fits_it() -> None:
    from statsmodels.discrete.conditional_models import ConditionalLogit

    given, _ = marked()
    n, k = given.place.shape
    identity = np.broadcast_to(np.eye(k)[:, 1:], (n, k, k - 1))
    place = np.stack([given.place == other for other in (1, 2)], axis=2)
    features = np.concatenate([identity, place, given.markup.columns, given.log_words[:, :, None]], axis=2)
    picked = (np.arange(k) == given.chosen[:, None]).astype(int)
    model = ConditionalLogit(picked.ravel(), features.reshape(n * k, -1), groups=np.repeat(np.arange(n), k))
    fit = model.fit(disp=0, method="newton")
    odds = np.exp(np.append(0.0, fit.params[:2]))
    found = adjusted_shares(given)
    assert found.shares == pytest.approx(odds / odds.sum(), abs=1e-4)
    assert found.doubled == pytest.approx(2.0 ** fit.params[-1], rel=1e-3)
    assert found.markup[0].value == pytest.approx(np.exp(fit.params[4]), rel=1e-3)
    assert found.markup[0].interval.bounds.low < np.exp(1.5) < found.markup[0].interval.bounds.high


def test_who_is_preferred_for_lists_alone_is_not_at_equal_markdown() -> None:
    given, lists = marked()
    order = np.argsort(given.place, axis=1)
    markup = tuple(tuple((0, int(many), 0) for many in row) for row in np.take_along_axis(lists, order, axis=1))
    found = measured(table(given, markup=markup))
    raw, left = found["creativity.share", "man"], found["creativity.share.adjusted", "man"]
    assert raw.interval.low > 1 / 3
    assert left.interval.low < 1 / 3 < left.interval.high
    assert "place and markdown for +" in left.note
    effect = found["creativity.markdown", "lists"]
    assert effect.n == 300
    assert effect.interval.low > 1
    assert ("creativity.markdown", "bold") not in found
    some = Placed(given.log_words[:60], given.place[:60], given.chosen[:60], (np.arange(60),))
    few = measured(table(some, markup=markup[:60]))
    assert ("creativity.markdown", "lists") not in few
    assert "markdown" not in few["creativity.share.adjusted", "man"].note
