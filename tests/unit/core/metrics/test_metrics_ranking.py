"""Rankings: against choix and a likelihood written out, ties by hand, places, and what has no ranking."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize
from simulations.rankings import K, studied, styled

from biasprint.core.metrics import ranking as ranking_module
from biasprint.core.metrics.anytime import log_odds_band
from biasprint.core.metrics.preference import LENGTH, SECOND, card_style, tellable
from biasprint.core.metrics.ranking import IMAGINARY, NOBODY, NOT_LINKED, Ballots, fitted_strengths, ranking

STRENGTHS = np.array([0.9, 0.3, 0.0, -0.4, -0.8])


def ballots(
    rng: np.random.Generator, shown: np.ndarray, *, tie: float = 0.0, worst: bool = False, raters: int = 8
) -> Ballots:
    """Answers of the model itself, `tie` being δ of every number of cards."""
    best, last = [], []
    for cards in shown:
        some = [int(one) for one in cards if one != NOBODY]
        odds = np.exp(STRENGTHS[some])
        odds = np.append(odds, tie * np.prod(odds) ** (1 / len(some)))
        pick = rng.choice(len(odds), p=odds / odds.sum())
        best.append(NOBODY if pick == len(some) else some[pick])
        rest = [one for one in some if one != best[-1]]
        beaten = NOBODY
        if worst and len(rest) == 2:
            odds = np.exp(-STRENGTHS[rest])  # π_j / (π_j + π_k) to be the better one
            beaten = rest[rng.choice(2, p=odds / odds.sum())]
        last.append(beaten)
    n = len(shown)
    blocks = np.arange(n)
    return Ballots(shown, np.array(best), np.array(last), np.ones(n), rng.integers(0, raters, n), blocks)


def triples(n: int) -> np.ndarray:
    every = list(combinations(range(len(STRENGTHS)), 3))
    return np.array([every[place % len(every)] for place in range(n)])


def pairs(n: int) -> np.ndarray:
    every = list(combinations(range(len(STRENGTHS)), 2))
    return np.array([(*every[place % len(every)], NOBODY) for place in range(n)])


def test_pairs_best_of_three_and_orders_are_as_choix_fits_them() -> None:
    choix = pytest.importorskip("choix", reason="choix is not installed: see the extra “dev”")
    rng, k = np.random.default_rng(4), len(STRENGTHS)
    two = ballots(rng, pairs(120))
    won = [
        (int(best), next(int(x) for x in cards[:2] if x != best))
        for cards, best in zip(two.shown, two.best, strict=True)
    ]
    assert fitted_strengths(two, k, 0) == pytest.approx(choix.opt_pairwise(k, won, tol=1e-12), abs=1e-5)
    three = ballots(rng, triples(120))
    chosen = [(int(b), [int(x) for x in cards if x != b]) for cards, b in zip(three.shown, three.best, strict=True)]
    assert fitted_strengths(three, k, 0) == pytest.approx(choix.opt_top1(k, chosen, tol=1e-12), abs=1e-5)
    ends = ballots(rng, triples(120), worst=True)
    orders = [
        [int(b), next(int(x) for x in cards if x not in (b, w)), int(w)]
        for cards, b, w in zip(ends.shown, ends.best, ends.worst, strict=True)
    ]
    assert fitted_strengths(ends, k, 0) == pytest.approx(choix.opt_rankings(k, orders, tol=1e-12), abs=1e-5)


def test_davidsons_ties_of_two_by_hand() -> None:
    """Of two identities the model is saturated: π₁/π₂ = wins/losses, ν = ties/√(wins · losses)."""
    won, lost, tied = 18, 8, 9
    best = np.array([0] * won + [1] * lost + [NOBODY] * tied)
    n = len(best)
    found = fitted_strengths(
        Ballots(np.tile([0, 1, NOBODY], (n, 1)), best, np.full(n, NOBODY), np.ones(n), np.zeros(n, int), np.arange(n)),
        2,
        0,
    )
    assert found[0] - found[1] == pytest.approx(np.log(won / lost))
    assert np.exp(found[2]) == pytest.approx(tied / np.sqrt(won * lost))


def test_ties_of_three_maximise_the_likelihood_that_the_paper_writes_down() -> None:
    given = ballots(np.random.default_rng(5), triples(400), tie=0.9)

    def against(theta: np.ndarray) -> float:
        worth, delta, total = np.exp(theta[:5] - theta[:5].mean()), np.exp(theta[5]), 0.0
        for cards, best in zip(given.shown, given.best, strict=True):
            tie = delta * np.prod(worth[cards]) ** (1 / 3)
            total += np.log((tie if best == NOBODY else worth[best]) / (worth[cards].sum() + tie))
        return -total

    expected = minimize(against, np.zeros(6), options={"gtol": 1e-7}).x
    found = fitted_strengths(given, 5, 0)
    assert found[:5] == pytest.approx(expected[:5] - expected[:5].mean(), abs=1e-4)
    assert found[5] == pytest.approx(expected[5], abs=1e-4)


def test_who_won_every_time_has_an_estimate_and_the_imaginary_comparison_is_what_it_costs() -> None:
    """Two identities, n wins of the first: log π₁ = −log π₂ = x with n (1 − σ(2x)) = IMAGINARY (σ(x) − ½)."""
    n = 10
    given = Ballots(
        np.tile([0, 1, NOBODY], (n, 1)), np.zeros(n, int), np.full(n, NOBODY), np.ones(n), np.arange(n) % 5,
        np.arange(n),
    )  # fmt: skip
    x = fitted_strengths(given, 2)[0]
    pull = IMAGINARY * (1 / (1 + np.exp(-x)) - 0.5)
    assert n * (1 - 1 / (1 + np.exp(-2 * x))) == pytest.approx(pull, abs=1e-6)
    assert 0.8 < ranking(given, 2, by_rater=True).identities[0].strength < 1


def test_strong_differences_separate_places_and_none_leave_them_open() -> None:
    rng = np.random.default_rng(6)
    found = ranking(ballots(rng, triples(600), worst=True), 5, by_rater=True)
    first, last = found.identities[0], found.identities[4]
    assert (first.place, last.place) == (1, 5)
    assert first.places == (1, 1)
    assert last.places[0] >= 4
    assert first.interval.low > 0.5 > last.interval.high
    assert "8 raters and 600 sets of texts" in first.interval.method
    even = ballots(rng, triples(600))
    even = Ballots(even.shown, even.shown[np.arange(600), rng.integers(0, 3, 600)], *[even.worst, even.weight],
                   even.rater, even.block)  # fmt: skip
    assert {one.places for one in ranking(even, 5, by_rater=True).identities} == {(1, 5)}


def test_raters_who_differ_widen_the_interval() -> None:
    """Every rater has a favourite of their own: as many answers from few people say less."""
    rng = np.random.default_rng(7)
    shown, raters = pairs(400), np.arange(400) % 8
    best = np.where((shown[:, 0] == raters % 5) | (rng.random(400) < 0.5), shown[:, 0], shown[:, 1])
    given = Ballots(shown, best, np.full(400, NOBODY), np.ones(400), raters, np.arange(400))
    people, texts = (ranking(given, 5, by_rater=each).identities[0].interval for each in (True, False))
    assert people.high - people.low > texts.high - texts.low
    assert "raters" not in texts.method


def test_one_set_of_texts_and_few_raters_tell_no_interval() -> None:
    given = ballots(np.random.default_rng(8), triples(60))
    one = Ballots(given.shown, given.best, given.worst, given.weight, given.rater, np.zeros(60, int))
    found = ranking(one, 5, by_rater=False)
    assert found.identities[0].interval is None
    assert found.identities[0].places is None
    assert ranking(one, 5, by_rater=True).units == "8 raters"


def test_identities_that_nothing_links_have_no_ranking() -> None:
    shown = np.array([[0, 1, NOBODY], [2, 3, NOBODY]] * 4)
    given = Ballots(shown, shown[:, 0], np.full(8, NOBODY), np.ones(8), np.zeros(8, int), np.arange(8))
    assert ranking(given, 4, by_rater=False).reason == NOT_LINKED
    nothing = Ballots(shown[:0], shown[:0, 0], shown[:0, 0], np.ones(0), shown[:0, 0], shown[:0, 0])
    assert ranking(nothing, 4, by_rater=False).identities is None


def test_intervals_hold_and_nothing_is_told_apart_where_there_is_no_ranking() -> None:
    """A short form of the simulation: 15 studies of six raters who differ, 75 intervals."""
    rng = np.random.default_rng(12)
    found = [
        ranking(studied(3, True, np.zeros(K), 0.5, 6, rng), K, by_rater=True, seed=trial, resamples=100)
        for trial in range(15)
    ]
    held = [one.interval.low <= 0.5 <= one.interval.high for each in found for one in each.identities]
    assert len(held) == 75
    assert sum(held) >= 64
    assert sum(any(pair.adjusted <= 0.05 for pair in each.pairs) for each in found) <= 3


@pytest.mark.parametrize(("by_rater", "fewest"), [(False, 20), (True, 6)])
def test_who_wins_every_pair_everywhere_is_told_apart_by_sign_flips(by_rater: bool, fewest: int) -> None:
    """No draw differs from another: the bootstrap would give an interval of no width and p = 0."""
    raters, blocks = (each.ravel() for each in np.meshgrid(np.arange(6), np.arange(20)))
    shown = np.tile([0, 1, NOBODY], (120, 1))
    given = Ballots(shown, shown[:, 0], np.full(120, NOBODY), np.ones(120), raters, blocks)
    (pair,) = ranking(given, 2, by_rater=by_rater, resamples=50).pairs
    assert pair.p == stats.binomtest(fewest, fewest, 0.5).pvalue
    assert pair.interval is not None
    assert 0.5 < pair.interval.low < pair.chance < pair.interval.high <= 1


def test_contrasts_of_strengths_are_odds_ratios_and_those_of_two_are_their_pair() -> None:
    """π = (4, 2, 2, 1) in a two by two table: each factor doubles the odds, and together they multiply."""
    strengths, every = np.array([4.0, 2.0, 2.0, 1.0]), list(combinations(range(4), 2))
    shown = np.array([(*pair, NOBODY) for pair in every for _ in pair] * 2)
    best = np.array([one for pair in every for one in pair] * 2)
    other = shown[:, :2].sum(axis=1) - best
    weight = 5000 * strengths[best] / (strengths[best] + strengths[other])
    n = len(best)
    exact = Ballots(shown, best, np.full(n, NOBODY), weight, np.zeros(n, int), np.arange(n) // (n // 2))
    contrasts = np.array([[0.5, 0.5, -0.5, -0.5], [1.0, -1.0, -1.0, 1.0]])
    main, interaction = ranking(exact, 4, by_rater=False, contrasts=contrasts, resamples=20).contrasts
    assert main.value == pytest.approx(2, rel=0.002)  # the imaginary comparison with an average text is the rest
    assert interaction.value == pytest.approx(1, abs=0.002)
    assert interaction.interval.reason == "no variation between the units"  # both sets of texts say the same
    some = ballots(np.random.default_rng(9), pairs(60))
    step = np.array([[1.0, 0.0, -1.0, 0.0, 0.0]])
    found = ranking(some, len(STRENGTHS), by_rater=True, contrasts=step, seed=3, resamples=50)
    (ratio,) = found.contrasts
    pair = next(one for one in found.pairs if (one.first, one.second) == (0, 2))
    assert ratio.value == pytest.approx(pair.chance / (1 - pair.chance))
    assert ratio.p == pytest.approx(pair.p)
    bounds = ratio.interval.bounds
    assert bounds is not None
    assert pair.interval is not None
    assert bounds.low == pytest.approx(pair.interval.low / (1 - pair.interval.low))


def test_two_raters_who_say_the_opposite_of_two_sets_of_texts_bound_no_ratio() -> None:
    """Raters and sets are one: t has less than one degree of freedom, and ends beyond 10⁸⁰."""
    n = 40
    rater = np.arange(n) // (n // 2)
    opposite = Ballots(np.tile([0, 1, NOBODY], (n, 1)), rater, np.full(n, NOBODY), np.ones(n), rater, rater)
    (ratio,) = ranking(opposite, 2, by_rater=True, contrasts=np.array([[1.0, -1.0]]), resamples=50).contrasts
    assert ratio.value == pytest.approx(1)
    assert ratio.interval.bounds is None
    assert ratio.interval.reason == "2 raters and 2 sets of texts: so few bound nothing"


@pytest.mark.parametrize("identities", [6, 7_000])  # so many that a ballot fits into no number of 64 bits
def test_ballots_that_say_the_same_are_read_once_and_count_as_often_as_they_are(identities: int) -> None:
    rng = np.random.default_rng(1)
    shown = np.array([rng.permutation(6)[:3] for _ in range(300)]) + identities - 6
    best, worst = shown[:, 0], np.where(rng.random(300) < 0.5, shown[:, 1], NOBODY)
    number = np.arange(300)
    ballots = Ballots(shown, best, worst, np.ones(300), number, number)
    found, which = ranking_module._distinct(ballots, identities)
    assert np.array_equal(
        np.column_stack([found.shown, found.best, found.worst])[which], np.column_stack([shown, best, worst])
    )
    said = list(zip(map(tuple, shown.tolist()), best.tolist(), worst.tolist(), strict=True))
    assert len(found.best) == len(set(said)) < 300
    first = [said.index(each) for each in dict.fromkeys(said)]
    assert found.rater.tolist() == first  # in the order in which they come first


# ---- what went one way: no strength is too large for it, and draws of it hardly differ


def judged(rows: list[tuple[tuple[int, ...], int, int]], *, raters: int = 1) -> Ballots:
    """Comparisons of texts of their own: cards, best, worst."""
    shown = np.array([(*cards, NOBODY)[:3] for cards, _, _ in rows])
    best, worst = (np.array(column) for column in zip(*[row[1:] for row in rows], strict=True))
    n = len(rows)
    return Ballots(shown, best, worst, np.ones(n), np.arange(n) % raters, np.arange(n))


def mixed(first: int, second: int, times: int) -> list[tuple[tuple[int, ...], int, int]]:
    return [((first, second), (first, second)[turn % 2], NOBODY) for turn in range(times)]


def wins(first: int, second: int, times: int) -> list[tuple[tuple[int, ...], int, int]]:
    return [((first, second), first, NOBODY)] * times


@pytest.mark.parametrize("n", [4, 5, 6, 8, 20])
def test_what_won_every_time_has_the_exact_test_and_interval_of_n_of_n(n: int) -> None:
    found = ranking(judged([*wins(0, 1, n), *mixed(1, 2, 2 * n)]), 3, by_rater=False)
    pair = found.pairs[0]
    exact = stats.binomtest(n, n)
    assert pair.p == pytest.approx(exact.pvalue)
    assert pair.interval is not None
    assert (pair.interval.low, pair.interval.high) == pytest.approx(tuple(exact.proportion_ci()))
    assert (pair.interval.low > 0.5) == (pair.p <= 0.05)
    assert found.identities is not None
    top = found.identities[0]
    assert (top.p, top.interval) == (pair.p, pair.interval)  # through 1 it beat 2 as often


def test_a_chain_is_as_strong_as_its_weakest_link() -> None:
    found = ranking(judged([*wins(0, 1, 9), *wins(1, 2, 7), *wins(2, 3, 8)]), 4, by_rater=False)
    p = {(pair.first, pair.second): pair.p for pair in found.pairs}
    assert p[0, 3] == pytest.approx(2 * 0.5**7)
    assert p[2, 3] == pytest.approx(2 * 0.5**8)


@pytest.mark.parametrize("undone", [((0, 1), 1, NOBODY), ((0, 1), NOBODY, NOBODY)], ids=["lost once", "tied once"])
def test_one_answer_the_other_way_and_it_is_estimated_as_ever(undone: tuple[tuple[int, ...], int, int]) -> None:
    found = ranking(judged([*wins(0, 1, 11), undone, *mixed(1, 2, 12)]), 3, by_rater=False)
    assert found.pairs[0].interval is not None
    assert "bootstrap" in found.pairs[0].interval.method


def test_best_and_worst_of_three_that_are_always_the_same_are_exact_too() -> None:
    found = ranking(judged([((0, 1, 2), 0, 2)] * 8), 3, by_rater=False)
    assert [pair.p for pair in found.pairs] == pytest.approx([2 * 0.5**8] * 3)
    best_alone = ranking(judged([((0, 1, 2), 0, NOBODY)] * 8), 3, by_rater=False)
    assert [pair.p for pair in best_alone.pairs[:2]] == pytest.approx([2 * 0.5**8] * 2)
    assert best_alone.pairs[2].p == 1.0


def test_raters_are_the_units_where_they_are_fewer_than_the_texts() -> None:
    found = ranking(judged(wins(0, 1, 24) + mixed(1, 2, 24), raters=6), 3, by_rater=True)
    assert found.pairs[0].p == pytest.approx(2 * 0.5**6)


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_other_names_for_the_same_identities_change_nothing(order: tuple[int, ...]) -> None:
    rows = [*wins(0, 1, 8), *mixed(1, 2, 9), *mixed(0, 2, 7)]
    new = dict(enumerate(order))
    renamed = [(tuple(new[card] for card in cards), new[best], worst) for cards, best, worst in rows]
    one, other = ranking(judged(rows), 3, by_rater=False), ranking(judged(renamed), 3, by_rater=False)
    assert one.identities is not None
    assert other.identities is not None
    for old, at in new.items():
        assert other.identities[at].strength == pytest.approx(one.identities[old].strength)
        assert other.identities[at].p == pytest.approx(one.identities[old].p, rel=1e-6)


def test_without_a_preference_few_studies_with_few_comparisons_find_one() -> None:
    rng, alarms, contradictions = np.random.default_rng(3), 0, 0
    for _ in range(400):
        rows = [
            ((first, second), int(rng.choice([first, second])), NOBODY)
            for first, second in combinations(range(3), 2)
            for _ in range(6)
        ]
        pair = ranking(judged(rows), 3, by_rater=False, resamples=100).pairs[0]
        assert pair.p is not None
        assert pair.interval is not None
        alarms += pair.p <= 0.05
        contradictions += (pair.p <= 0.05) != (not pair.interval.low <= 0.5 <= pair.interval.high)
    assert alarms / 400 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)
    assert contradictions == 0


# ---- at equal style


def lengths_of(given: Ballots, rng: np.random.Generator) -> np.ndarray:
    return np.where(given.shown != NOBODY, rng.lognormal(5, 0.5, given.shown.shape), 0.0)


def with_style(given: Ballots, rng: np.random.Generator) -> Ballots:
    shown = given.shown != NOBODY
    amounts = {LENGTH: lengths_of(given, rng), "lists": rng.integers(0, 3, shown.shape).astype(float)}
    return replace(given, style=card_style(amounts, shown))


def test_the_covariate_of_an_amount_is_the_difference_over_the_sum() -> None:
    words = np.array([[300.0, 100.0, 0.0], [200.0, 100.0, 0.0]])
    style = card_style({LENGTH: words, "bold": np.array([[2.0, 0, 0], [0, 0, 0]])}, words > 0)
    assert style.names == (LENGTH, "bold", SECOND)
    apart = style.columns[:, 0] - style.columns[:, 1]
    assert apart[:, 0] / 3 == pytest.approx([200 / 400, 100 / 300])  # in units of a text twice as long
    assert list(apart[:, 1]) == [1, 0]
    assert list(apart[:, 2]) == [-1, -1]
    # Of three cards two differ by the same where the third has the mean of both.
    three = card_style({LENGTH: np.array([[300.0, 100.0, 200.0]])}, np.ones((1, 3), bool))
    assert (three.columns[0, 0, 0] - three.columns[0, 1, 0]) / 3 == pytest.approx(0.5)


def test_pairs_at_equal_style_are_as_statsmodels_logit_fits_the_same_design() -> None:
    from statsmodels.discrete.discrete_model import Logit

    rng, k = np.random.default_rng(11), len(STRENGTHS)
    given = with_style(ballots(rng, pairs(400)), rng)
    rows = np.arange(400)
    design = np.zeros((400, k))
    design[rows, given.shown[:, 0]] += 1
    design[rows, given.shown[:, 1]] -= 1
    apart = given.style.columns[:, 0] - given.style.columns[:, 1]
    fit = Logit((given.best == given.shown[:, 0]).astype(int), np.column_stack([design[:, 1:], apart])).fit(disp=0)
    found = fitted_strengths(given, k, 0)
    assert found[1:k] - found[0] == pytest.approx(fit.params[: k - 1], abs=1e-5)
    assert found[k:] == pytest.approx(fit.params[k - 1 :], abs=1e-5)


def test_ties_and_the_worst_of_three_at_equal_style_are_as_statsmodels_conditional_logit_fits_them() -> None:
    """Every stage of an answer is a stratum: the cards, and a tie that has the mean of their columns and its own δ."""
    from statsmodels.discrete.conditional_models import ConditionalLogit

    rng, k = np.random.default_rng(12), len(STRENGTHS)
    given = with_style(ballots(rng, triples(300), tie=0.6, worst=True), rng)
    given = replace(given, worst=np.where(given.best == NOBODY, NOBODY, given.worst))
    lines, picked, strata = [], [], []

    def add(options: list[np.ndarray], chosen: int) -> None:
        lines.extend(options)
        picked.extend(int(place == chosen) for place in range(len(options)))
        strata.extend([strata[-1] + 1 if strata else 0] * len(options))

    for cards, best, worst, style in zip(given.shown, given.best, given.worst, given.style.columns, strict=True):
        own = [np.concatenate([np.eye(k)[card], [0.0], style[place]]) for place, card in enumerate(cards)]
        tie = np.mean(own, axis=0) + np.eye(len(own[0]))[k]
        add([*own, tie], 3 if best == NOBODY else list(cards).index(best))
        if best != NOBODY:
            rest = [place for place, card in enumerate(cards) if card != best]
            add([own[place] for place in rest], next(at for at, place in enumerate(rest) if cards[place] != worst))
    design = np.array(lines)[:, 1:]
    fit = ConditionalLogit(np.array(picked), design, groups=np.array(strata)).fit(disp=0, method="newton")
    found = fitted_strengths(given, k, 0)
    assert found[1:k] - found[0] == pytest.approx(fit.params[: k - 1], abs=1e-4)
    assert found[k:] == pytest.approx(fit.params[k - 1 :], abs=1e-4)


def test_a_planted_preference_for_length_is_told_from_the_strengths() -> None:
    """The weakest writes twice as long, and people like that: raw it does not stand last, at equal style it does."""
    right = {"raw": 0, "equal": 0}
    for trial in range(12):
        given = styled(12, 0.0, np.random.default_rng([13, trial]))
        for name, one in (("raw", replace(given, style=None)), ("equal", given)):
            found = ranking(one, K, by_rater=True, resamples=2)
            right[name] += found.identities[K - 1].place == K
    assert right["raw"] <= 3
    assert right["equal"] >= 7


def test_each_style_has_its_odds_ratio_and_interval() -> None:
    found = ranking(styled(12, 0.0, np.random.default_rng(14)), K, by_rater=True, resamples=100)
    twice, second = found.styles
    assert twice.interval.bounds.low < 2 < twice.interval.bounds.high
    assert second.interval.bounds.low < 2 < second.interval.bounds.high
    assert twice.p < 0.05
    assert len(found.contrasts) == 0


def test_a_style_that_decides_everything_leaves_no_ranking_and_says_so() -> None:
    rng = np.random.default_rng(15)
    given = ballots(rng, pairs(200))
    words = lengths_of(given, rng)
    longer = given.shown[np.arange(200), words.argmax(axis=1)]
    styled_ballots = replace(given, best=longer, style=card_style({LENGTH: words}, given.shown != NOBODY))
    found = ranking(styled_ballots, 5, by_rater=False, resamples=2)
    assert found.identities is None
    assert found.reason.startswith("length decides every comparison")


def test_who_won_every_time_has_no_interval_at_equal_style() -> None:
    rng = np.random.default_rng(16)
    first = np.arange(40) % 2
    shown = np.column_stack([first, 1 - first, np.full(40, NOBODY)])
    best, none = np.zeros(40, int), np.full(40, NOBODY)
    given = Ballots(shown, best, none, np.ones(40), np.arange(40) % 8, np.arange(40))
    found = ranking(with_style(given, rng), 2, by_rater=True, resamples=20)
    assert found.identities[0].strength > 0.5
    assert found.identities[0].interval is None
    assert found.pairs[0].p is None


def test_what_never_differs_or_goes_with_who_wrote_is_left_out_with_its_reason() -> None:
    rng, n = np.random.default_rng(17), 60
    shown = np.argsort(rng.random((n, 3)), axis=1)
    there = np.ones((n, 3), bool)
    amounts = {
        LENGTH: rng.lognormal(5, 0.5, (n, 3)),
        "headings": np.zeros((n, 3)),
        "lists": (shown == 1).astype(float),  # only one of them writes lists
        "bold": rng.integers(0, 2, (n, 3)).astype(float),
    }
    found = tellable(card_style(amounts, there), np.eye(3)[shown], there)
    assert found.style.names == (LENGTH, "bold", SECOND, "third card")
    assert found.left_out["headings"] == "it never differs between the texts"
    assert "goes together with who wrote" in found.left_out["lists"]


# ---- A ranking that is looked at after every round


def test_the_error_of_a_watched_ranking_is_that_of_statsmodels_by_clusters() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(4)
    strengths, n = np.array([0.6, 0.1, -0.2, -0.5]), 6_000
    shown = np.array([rng.choice(4, 2, replace=False) for _ in range(n)])
    block = np.repeat(np.arange(n // 20), 20)
    taste = rng.normal(0, 0.7, (n // 20, 4))
    utility = strengths[shown] + taste[block[:, None], shown]
    won = rng.random(n) < 1 / (1 + np.exp(utility[:, 1] - utility[:, 0]))
    cards = np.column_stack([shown, np.full(n, NOBODY)])
    best = np.where(won, shown[:, 0], shown[:, 1])
    nobody = np.full(n, NOBODY)
    ballots = Ballots(cards, best, nobody, np.ones(n), np.zeros(n, dtype=np.int64), block)
    found = ranking(ballots, 4, by_rater=False, watched=True)
    design = np.zeros((n, 4))
    design[np.arange(n), shown[:, 0]], design[np.arange(n), shown[:, 1]] = 1.0, -1.0
    robust = {"groups": block, "use_correction": True, "df_correction": False}
    fit = sm.Logit(won.astype(float), design[:, 1:]).fit(disp=0, cov_type="cluster", cov_kwds=robust)
    pair = found.pairs[0]  # the first against the second: minus the coefficient of the second
    band = log_odds_band(-fit.params[0], fit.bse[0], n // 20 - 1, 1 - 0.05 / 6)  # of six pairs
    assert pair.interval is not None
    assert pair.interval.low == pytest.approx(1 / (1 + np.exp(-band.low)), abs=0.003)
    assert pair.interval.high == pytest.approx(1 / (1 + np.exp(-band.high)), abs=0.003)
    assert "anytime-valid" in pair.interval.method


def test_a_watched_pair_that_went_one_way_alone_is_a_share_of_units() -> None:
    n = 12
    shown = np.column_stack([np.zeros(n), np.ones(n), np.full(n, NOBODY)]).astype(np.int64)
    best, nobody = np.zeros(n, dtype=np.int64), np.full(n, NOBODY)
    found = ranking(Ballots(shown, best, nobody, np.ones(n), best, np.arange(n)), 2, by_rater=False, watched=True)
    assert found.pairs[0].p == pytest.approx((n + 1) / 2**n)  # the mean of pⁿ over p is 1/(n + 1)


def test_a_watched_ranking_is_wider_than_one_for_a_single_look() -> None:
    rng = np.random.default_rng(1)
    n = 300
    shown = np.array([[*rng.choice(3, 2, replace=False), NOBODY] for _ in range(n)])
    best, nobody = shown[np.arange(n), (rng.random(n) < 0.4).astype(int)], np.full(n, NOBODY)
    ballots = Ballots(shown, best, nobody, np.ones(n), np.zeros(n, dtype=np.int64), np.arange(n))
    once, always = (ranking(ballots, 3, by_rater=False, watched=watched) for watched in (False, True))
    for one, other in zip(once.pairs, always.pairs, strict=True):
        assert one.interval is not None
        assert other.interval is not None
        assert other.chance == one.chance
        assert other.interval.low < one.interval.low < one.interval.high < other.interval.high
