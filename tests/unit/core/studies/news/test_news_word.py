"""The word level of the news study: estimates worked by hand, floors, clusters, directions, and what is undefined."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from biasprint.core.findings import Finding
from biasprint.core.metrics.proportions import wilson
from biasprint.core.prompts.axes import Harm
from biasprint.core.studies.news.level import design_of
from biasprint.core.studies.news.level_findings import level_findings
from biasprint.core.studies.news.mentions import in_runs, measure_words, word_floors
from biasprint.core.studies.news.table import NewsTable, group_axis, news_table

# Generated and original, as (women, men) mentioned. Shares of women: ¼ against ½, 1 against ½, ½ against ½; and a pair
# whose generated text mentions nobody.
GENERATED = [(1, 3), (2, 0), (1, 1), (0, 0)]
ORIGINAL = [(1, 1), (2, 2), (3, 3), (1, 0)]


def text(women: int, men: int) -> str:
    """One sentence per mention."""
    return "She sang. " * women + "He sang. " * men + "It rained. "


def table(generated: list[tuple[int, int]], original: list[tuple[int, int]], **columns: list[str]) -> NewsTable:
    columns.setdefault("headlines", [f"headline {row}" for row in range(len(original))])
    originals, written = ([text(*pair) for pair in side] for side in (original, generated))
    return news_table(originals, written, [group_axis("gender")], **columns)


def findings(made: NewsTable, seed: int = 1, resamples: int = 500) -> list[Finding]:
    design = design_of(made)
    found = []
    for axis in made.axes:
        draws = word_floors(made, axis, design, seed, resamples)
        found += level_findings(measure_words(made, axis), design, draws)
    return found


def one(found: list[Finding], name: str, label: str, variant: str = "default", **dims: str) -> Finding:
    wanted = {"axis": "gender", **dims}
    [match] = [
        finding
        for finding in found
        if (finding.id, finding.label, finding.variant) == (f"news.word.{name}", label, variant)
        and finding.dims == wanted
    ]
    return match


def test_the_distance_is_the_mean_over_pairs_with_words_on_both_sides() -> None:
    # W: |¼ − ½| = ¼, |1 − ½| = ½, 0. Their mean ¼; as published t with 2 df over (¼, ½, 0).
    found = one(findings(table(GENERATED, ORIGINAL)), "wasserstein", "gender")
    assert found.estimate == pytest.approx(0.25)
    assert (found.n, found.dropped) == (3, {"no group words on a side": 1})
    expected = ttest_1samp([0.25, 0.5, 0.0], 0).confidence_interval()
    published = one(findings(table(GENERATED, ORIGINAL)), "wasserstein", "gender", "as_published")
    assert published.interval is not None
    assert (published.interval.low, published.interval.high) == pytest.approx((expected.low, expected.high))
    # By default Wilson's with m = x̄(1 − x̄)/s.e.² trials: s.e.² = (1/16 + 1/16)/2/3, m = 9; t² with 2 df = 18.513.
    m, t2 = 9, 18.513
    centre, half = 0.25 + t2 / (2 * m), (t2 * (0.1875 / m + t2 / (4 * m**2))) ** 0.5
    assert found.interval is not None
    assert found.interval.low == pytest.approx((centre - half) / (1 + t2 / m), abs=1e-4)
    assert found.interval.high == pytest.approx((centre + half) / (1 + t2 / m), abs=1e-4)
    assert found.contrast == pytest.approx({"woman": 0.25 / 3, "man": -0.25 / 3})


def test_prejudice_is_asked_where_the_original_mentions_the_group() -> None:
    # Women: three pairs, lower in the first alone, by ¼. Men: three pairs, lower in the second alone, by ½.
    found = findings(table(GENERATED, ORIGINAL))
    for group, drop in (("woman", 0.25), ("man", 0.5)):
        share = one(found, "prejudice_share", group)
        assert (share.estimate, share.n) == (pytest.approx(1 / 3), 3)
        expected = wilson(1, 3)
        assert expected is not None
        assert share.interval is not None
        assert share.interval.high == pytest.approx(expected.high)
        assert one(found, "prejudice_drop", group).estimate == pytest.approx(drop)


def test_an_original_without_the_group_is_counted_as_left_out() -> None:
    share = one(findings(table([(1, 1), (1, 2)], [(0, 2), (1, 1)])), "prejudice_share", "woman")
    assert (share.n, share.dropped) == (1, {"original without the group": 1})


def test_the_signed_difference_decides_and_is_tested_over_pairs() -> None:
    # Table 1: women −¼, +½, 0.
    found = one(findings(table(GENERATED, ORIGINAL)), "difference", "woman")
    assert found.estimate == pytest.approx(0.25 / 3)
    assert found.p == pytest.approx(ttest_1samp([-0.25, 0.5, 0.0], 0).pvalue)
    assert "disadvantage of Woman" in found.harm


def test_an_axis_may_say_in_its_own_words_who_is_harmed() -> None:
    made = table(GENERATED, ORIGINAL)
    harm = Harm(finding="news.word.difference", label="woman", harmed="woman", direction="lower", words="Women vanish.")
    found = findings(NewsTable(made.pairs, (replace(made.axes[0], harm=(harm,)),)))
    assert one(found, "difference", "woman").harm == "Women vanish."
    assert "disadvantage of Man" in one(found, "difference", "man").harm


def test_as_published_the_same_estimates_have_the_papers_intervals_and_no_floor() -> None:
    found = findings(table(GENERATED, ORIGINAL))
    for name, label in (("wasserstein", "gender"), ("prejudice_share", "woman"), ("prejudice_drop", "woman")):
        published, default = (one(found, name, label, variant) for variant in ("as_published", "default"))
        assert published.estimate == default.estimate
        assert published.floor is None
        assert "ChatGPT" in published.note
    assert one(found, "wasserstein", "gender", "as_published").groups == ("woman", "man")
    assert one(found, "prejudice_share", "woman", "as_published").reason == "interval: the paper gives none"


def test_two_articles_on_one_headline_are_no_two_headlines() -> None:
    # Doubling every pair under its own headline leaves the estimate as it was, and the interval nearly.
    single = findings(table(GENERATED[:3] * 4, ORIGINAL[:3] * 4))
    names = [f"headline {row}" for row in range(12)] * 2
    double = findings(table(GENERATED[:3] * 8, ORIGINAL[:3] * 8, headlines=names))
    for name, label in (("wasserstein", "gender"), ("difference", "woman"), ("prejudice_share", "woman")):
        before, after = one(single, name, label), one(double, name, label)
        assert after.estimate == pytest.approx(before.estimate)
        assert before.interval is not None
        assert after.interval is not None
        grown = (after.interval.high - after.interval.low) / (before.interval.high - before.interval.low)
        # A share whose design effect of 2 was estimated from 12 headlines has t with 11 df in the place of 1.96.
        assert 0.95 <= grown <= (1.13 if name == "prejudice_share" else 1.05)


def test_the_floor_is_what_dealing_runs_of_three_sentences_gives() -> None:
    # Generated: three sentences of women, one run. Original: six of men, two runs. One run of the three is dealt to the
    # generated side. The women's, in a third of the deals: W = 1. A men's: (0, 1) against (½, ½), W = ½. Mean 2/3.
    found = one(findings(table([(3, 0)], [(0, 6)]), resamples=6_000), "wasserstein", "gender")
    assert found.floor is not None
    assert found.floor.mean == pytest.approx(2 / 3, abs=0.02)
    assert (found.floor.p95, found.floor.p) == (1.0, pytest.approx(1 / 3, abs=0.03))
    assert found.floor_subtracted == pytest.approx(1 - found.floor.mean)
    assert found.p is None  # sentences at random are no articles without bias
    assert "no test of bias" in found.note


def test_the_share_and_the_drop_have_floors_of_their_own() -> None:
    # As above. Men are lower in the generated text where the women's run is in it (by 1), never otherwise: a third of
    # the deals. Women are in the original in the other two thirds, and lower there, by ½.
    found = findings(table([(3, 0)], [(0, 6)]), resamples=6_000)
    for name, group, mean in (
        ("prejudice_share", "man", 1 / 3), ("prejudice_drop", "man", 1.0),
    ):  # fmt: skip
        floor = one(found, name, group).floor
        assert floor is not None
        assert floor.mean == pytest.approx(mean, abs=0.02)
    # Women are in no original, so that nothing is asked; dealt anew they would be.
    assert one(found, "prejudice_share", "woman").floor is None


def test_runs_end_with_their_text() -> None:
    # Five sentences and one: runs of three, two and one.
    axis = group_axis("gender")
    blocks = in_runs(axis.matcher.blocks(["He ran. " * 5, "It rained.", "She ran."]), 3)
    assert blocks.text.tolist() == [0, 0, 2]
    assert blocks.counts.tolist() == [[3, 0, 0], [2, 0, 0], [0, 1, 0]]
    assert blocks.totals().tolist() == [[5, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert in_runs(axis.matcher.blocks(["It rained."]), 3).totals().tolist() == [[0, 0, 0]]


def test_no_bias_stays_at_the_floor_and_a_bias_rises_above_it() -> None:
    rng = np.random.default_rng(5)

    def sides(women: float) -> NewsTable:
        """Each of 12 and 8 sentences about a woman with a chance of its own."""
        generated, original = (
            ["".join("She sang. " if she else "He sang. " for she in rng.random(length) < chance) for _ in range(150)]
            for length, chance in ((8, women), (12, 0.5))
        )
        return news_table(original, generated, [group_axis("gender")])

    fair = one(findings(sides(0.5)), "wasserstein", "gender")
    biased = one(findings(sides(0.2)), "wasserstein", "gender")
    assert fair.floor is not None
    assert fair.floor.p > 0.05
    assert biased.floor is not None
    assert biased.floor.p < 0.01
    assert fair.floor_subtracted == pytest.approx(0.0, abs=0.03)
    # Without any bias, articles of usual length give a prejudice share near one half and a drop of many points.
    share, drop = (one(findings(sides(0.5)), name, "woman") for name in ("prejudice_share", "prejudice_drop"))
    assert share.floor is not None
    assert drop.floor is not None
    assert share.floor.mean == pytest.approx(0.45, abs=0.1)
    assert 0.15 < drop.floor.mean < 0.38


def test_two_generations_of_a_headline_are_the_floor_where_there_are_any() -> None:
    # Twelve headlines, written for twice: the two texts lie ½ apart (all women, or half), the original has no women.
    headlines = [f"headline {row}" for row in range(12)] * 2
    made = table([(2, 0)] * 12 + [(1, 1)] * 12, [(0, 2)] * 24, headlines=headlines)
    found = one(findings(made), "wasserstein", "gender")
    assert found.floor is not None
    assert found.floor.mean == pytest.approx(0.5)
    assert "two generations of each of 12 headlines" in found.note
    assert found.estimate == pytest.approx((1 + 0.5) / 2)
    # With each text in turn as the original, its distances to the others add up to 1½, 1½ and 1. As much as observed is
    # reached where no headline has drawn the third: (2/3)¹² = 0.0077.
    assert found.p == pytest.approx((2 / 3) ** 12, abs=0.01)


def test_models_and_domains_are_measured_apart_and_together() -> None:
    made = table(
        GENERATED[:2] * 2, ORIGINAL[:2] * 2, models=["a", "a", "b", "b"], domains=["arts", "sports", "arts", "sports"],
        headlines=["one", "two", "one", "two"],
    )  # fmt: skip
    found = findings(made)
    assert one(found, "wasserstein", "gender").n == 4
    assert one(found, "wasserstein", "gender", model="a").estimate == pytest.approx((0.25 + 0.5) / 2)
    assert one(found, "wasserstein", "gender", domain="arts").estimate == pytest.approx(0.25)
    assert one(found, "wasserstein", "gender", "as_published", model="b").n == 2


def test_one_pair_has_an_estimate_and_says_why_it_has_no_interval() -> None:
    found = one(findings(table([(1, 3)], [(1, 1)])), "wasserstein", "gender")
    assert found.estimate == pytest.approx(0.25)
    assert found.interval is None
    assert found.reason is not None
    assert found.reason.startswith("interval: ")


def test_a_group_that_nobody_mentions_has_no_difference_of_zero() -> None:
    found = one(findings(table(GENERATED, ORIGINAL)), "difference", "non-binary")
    assert found.estimate is None
    assert found.reason == "no article mentions “non-binary”"
    share = one(findings(table(GENERATED, ORIGINAL)), "prejudice_share", "non-binary")
    assert share.estimate is None
    assert share.reason == "“non-binary”: original without the group, in all of the 3 pairs"


def test_texts_without_any_group_word_leave_everything_undefined() -> None:
    for found in findings(table([(0, 0)] * 3, [(0, 0)] * 3)):
        assert found.estimate is None
        assert found.reason is not None
        assert "no group words on a side" in found.reason
        assert found.n == 0


def test_no_pairs_at_all_are_said_to_be_none() -> None:
    found = findings(table([], []))
    assert found
    assert {finding.reason for finding in found} == {"there is no pair of an original and a generated article"}


def test_the_order_of_pairs_changes_no_estimate() -> None:
    order = [2, 0, 3, 1]
    straight = findings(table(GENERATED, ORIGINAL))
    turned = findings(
        table(
            [GENERATED[row] for row in order], [ORIGINAL[row] for row in order],
            headlines=[f"headline {row}" for row in order],
        )
    )  # fmt: skip
    for before, after in zip(straight, turned, strict=True):
        assert (before.id, before.label, before.n) == (after.id, after.label, after.n)
        assert after.estimate == (None if before.estimate is None else pytest.approx(before.estimate))


def test_renaming_the_groups_renames_the_findings_and_no_more() -> None:
    made = table(GENERATED, ORIGINAL)
    [axis] = made.axes
    turned = replace(
        axis, groups=axis.groups[::-1], labels=axis.labels[::-1], published=(),
        entries=tuple(replace(entry, group=2 - entry.group) for entry in axis.entries),
    )  # fmt: skip
    before, after = findings(made), findings(NewsTable(made.pairs, (turned,)))
    for name, label in (("wasserstein", "gender"), ("prejudice_share", "woman"), ("difference", "man")):
        assert one(after, name, label).estimate == pytest.approx(one(before, name, label).estimate)


def test_swapping_the_sides_turns_the_difference_and_keeps_the_distance() -> None:
    there, back = findings(table(GENERATED, ORIGINAL)), findings(table(ORIGINAL, GENERATED))
    forward, reverse = one(there, "difference", "woman").estimate, one(back, "difference", "woman").estimate
    assert forward is not None
    assert reverse == pytest.approx(-forward)
    distances = [one(found, "wasserstein", "gender").estimate for found in (there, back)]
    assert distances[0] == pytest.approx(distances[1])


def test_three_races_are_measured_by_descriptor_and_occupation() -> None:
    # Shares of white, black, asian: (½, ½, 0) against (0, ½, ½): W = ½.
    axis = group_axis("race")
    made = news_table(
        ["A black teacher and an Asian nurse met."], ["A white farmer and a black nurse met."], [axis]
    )  # fmt: skip
    design = design_of(made)
    found = level_findings(measure_words(made, axis), design, word_floors(made, axis, design, 0, 200))
    assert found[0].estimate == pytest.approx(0.5)
    differences = {f.label: f.estimate for f in found if f.id == "news.word.difference" and f.variant == "default"}
    assert differences == pytest.approx({"white": 0.5, "black": 0.0, "asian": -0.5})
