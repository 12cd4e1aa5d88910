"""From findings to what is drawn. All findings here are made up."""

import math
from dataclasses import replace

import pytest

from core.findings import Adjustment, Finding, Floor, Interval, ScorerUse
from desktop.charts.affinity import affinity_view, radar_view
from desktop.charts.data import AxisNames, ChartData, Voice
from desktop.charts.distance import distance_view, rbs_view
from desktop.charts.forest import forest_view
from desktop.charts.preferences import preference_view
from desktop.charts.view import RowsView
from desktop.charts.words import describe

RACE = AxisNames("race", "Race", (("white", "White"), ("black", "Black"), ("asian", "Asian")))
ORIENTATION = AxisNames("orientation", "Orientation", (("straight", "Straight"), ("queer", "Queer")))
MINILM = ScorerUse("embedding", "minilm", "1", None, True)


def shares(axis: AxisNames, counts: tuple[int, ...]) -> tuple[Finding, ...]:
    n = sum(counts)
    identities = tuple(key for key, _ in axis.identities)
    return tuple(
        Finding(
            "creativity.share",
            identity,
            identity,
            identities,
            count / n,
            "proportion",
            n,
            dims={"axis": axis.key},
            interval=Interval(max(0, count / n - 0.1), min(1, count / n + 0.1), 0.95, "Wilson"),
            dropped={"tie": 3},
            p=0.004,
            p_adjusted=0.012,
            adjust=Adjustment("Holm", "x"),
            note="Chance is 0.333; p: exact binomial.",
        )
        for identity, count in zip(identities, counts, strict=True)
    )


def affinity(axis: AxisNames, score: float) -> Finding:
    return Finding(
        "creativity.abs",
        axis.key,
        axis.title,
        tuple(key for key, _ in axis.identities),
        score,
        "proportion",
        60,
        dims={"axis": axis.key},
        interval=Interval(0.06, 0.25, 0.95, "noncentral chi-square"),
        floor=Floor(0.05, 0.11, 0.002),
        p=0.002,
    )


def judged(*findings: Finding, complete: bool = True, key: str = "you") -> Voice:
    return Voice(key, key, "you", findings, complete, judged=23, planned=60)


def ratio(category: str, estimate: float | None, variant: str = "default", **more: object) -> Finding:
    known = {"interval": Interval(0.9, 1.3, 0.95, "bootstrap")} if estimate is not None else {"reason": "too few words"}
    return Finding(
        id="letters.lexicon.odds_ratio",
        label=category,
        title=category,
        groups=("male", "female"),
        estimate=estimate,
        unit="odds ratio",
        n=120,
        variant=variant,
        **(known | more),
    )


DATA = ChartData(axes=(RACE, ORIENTATION), names={"male": "men", "female": "women"})


def with_voices(*voices: Voice) -> ChartData:
    return replace(DATA, voices=voices)


# preferences


def test_preferences_stand_in_the_order_of_the_axis_with_chance_and_n():
    voice = judged(*shares(ORIENTATION, (20, 40)), *reversed(shares(RACE, (33, 18, 9))))
    view = preference_view(with_voices(voice), voice)
    assert [block.heading for block in view.blocks] == ["Race", "Orientation"]
    assert [row.label for row in view.blocks[0].rows] == ["White", "Black", "Asian"]
    assert [block.reference for block in view.blocks] == [pytest.approx(1 / 3), 0.5]
    assert view.blocks[0].rows[0].figure == "55 %"
    assert {row.n for block in view.blocks for row in block.rows} == {"60"}
    assert "ties: 3" in view.blocks[0].note


def test_share_without_choices_is_listed_with_its_reason():
    nothing = replace(
        shares(RACE, (1, 1, 1))[0], estimate=None, interval=None, n=0, reason="no comparison with a choice"
    )
    voice = judged(nothing)
    view = preference_view(with_voices(voice), voice)
    assert view.blocks == ()
    assert [(missing.label, missing.reason) for missing in view.undefined] == [
        ("Race: White", "no comparison with a choice")
    ]


def test_before_the_planned_n_there_is_a_wider_band_and_no_p():
    done = judged(*shares(RACE, (33, 18, 9)))
    live = replace(done, complete=False)
    finished = preference_view(with_voices(done), done)
    running = preference_view(with_voices(live), live)
    assert "p = 0.004, adjusted 0.012 (Holm)" in finished.blocks[0].rows[0].tip
    assert "p =" not in describe(running)
    assert not running.complete
    assert running.notes == ("Provisional: 23 of 60 judged. Tests are shown once all planned comparisons are judged.",)
    for before, after in zip(running.blocks[0].rows, finished.blocks[0].rows, strict=True):
        assert before.band
        assert not after.band
        assert before.low is not None
        assert before.high is not None
        assert before.high - before.low > 0.2  # the made-up intervals are 0.2 wide


def test_published_shares_are_no_second_bars():
    both = (*shares(RACE, (33, 18, 9)), *(replace(one, variant="as_published") for one in shares(RACE, (1, 1, 1))))
    voice = judged(*both)
    assert len(preference_view(with_voices(voice), voice).blocks[0].rows) == 3


def test_breakdowns_by_task_are_not_mixed_in():
    by_task = tuple(replace(one, dims={"axis": "race", "task": "haiku"}) for one in shares(RACE, (1, 1, 1)))
    voice = judged(*by_task)
    assert preference_view(with_voices(voice), voice).empty


def test_empty_preferences_say_what_to_do_next():
    nobody = Voice("", "", "you", (), True, 0)
    assert "Open Judge" in preference_view(DATA, nobody).empty
    assert "Finish the open rating session" in preference_view(replace(DATA, open_sessions=1), nobody).empty


# affinity


def test_radar_spokes_are_shares_relative_to_chance():
    view = radar_view(with_voices(judged(*shares(RACE, (33, 18, 9)), *shares(ORIENTATION, (45, 15)))))
    values = [point.value for point in view.series[0].points if point]
    assert values == pytest.approx([33 / 60 * 3, 18 / 60 * 3, 9 / 60 * 3, 45 / 60 * 2, 15 / 60 * 2])
    assert [spoke.label for spoke in view.spokes] == ["White", "Black", "Asian", "Straight", "Queer"]


def test_radar_ring_is_what_choosing_at_random_gives():
    """60 choices among three: 13 to 27 of 60 by scipy.stats.binom.ppf, times three; among two: 22 to 38."""
    view = radar_view(with_voices(judged(*exact_shares(RACE), *exact_shares(ORIENTATION))))
    assert view.spokes[0].floor == pytest.approx((13 / 60 * 3, 27 / 60 * 3))
    assert view.spokes[3].floor == pytest.approx((22 / 60 * 2, 38 / 60 * 2))


def exact_shares(axis: AxisNames) -> tuple[Finding, ...]:
    """Sixty choices with Wilson's true intervals: low and high by (p + z²/2n ± z√(p(1−p)/n + z²/4n²)) / (1 + z²/n)."""
    n, z, k = 60, 1.959964, len(axis.identities)
    p = 1 / k
    centre, denominator = p + z * z / (2 * n), 1 + z * z / n
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    wilson = Interval((centre - half) / denominator, (centre + half) / denominator, 0.95, "Wilson")
    return tuple(replace(one, interval=wilson) for one in shares(axis, (n // k,) * k))


def test_radar_ring_widens_where_raters_judged_the_same_comparisons():
    alone = exact_shares(RACE)
    wider = tuple(
        replace(one, interval=replace(one.interval, low=one.interval.low - 0.08, high=one.interval.high + 0.08))
        for one in alone
        if one.interval
    )
    narrow = radar_view(with_voices(judged(*alone))).spokes[0].floor
    wide = radar_view(with_voices(judged(*wider))).spokes[0].floor
    assert narrow is not None
    assert wide is not None
    assert wide[0] < narrow[0]
    assert wide[1] > narrow[1]


def test_radar_of_two_identities_points_to_the_bars():
    view = radar_view(with_voices(judged(*shares(ORIENTATION, (45, 15)))))
    assert view.spokes == ()
    assert "Preferences" in view.empty


def test_voice_without_an_axis_leaves_its_spokes_open():
    you = judged(*shares(RACE, (20, 20, 20)), *shares(ORIENTATION, (30, 30)))
    model = judged(*shares(RACE, (30, 20, 10)), key="model")
    view = radar_view(with_voices(you, model))
    assert [point is None for point in view.series[1].points] == [False, False, False, True, True]


def test_affinity_has_interval_and_floor_and_p_only_when_complete():
    done = affinity_view(with_voices(judged(affinity(RACE, 0.16))))
    row = done.blocks[0].rows[0]
    assert (row.label, row.figure, row.interval, row.floor) == ("Race", "0.16", "0.06–0.25", 0.11)
    assert "p = 0.002" in row.tip
    running = affinity_view(with_voices(judged(affinity(RACE, 0.16), complete=False)))
    assert "p =" not in describe(running)
    assert "For one look" in running.blocks[0].rows[0].tip


# letters


def test_forest_draws_the_variants_asked_for_under_each_other():
    data = replace(DATA, letters=(ratio("ability", 1.1), ratio("agentic", 1.3), ratio("ability", 1.08, "as_published")))
    both = forest_view(data, ("default", "as_published"))
    assert [(row.label, row.figure, row.hollow) for row in both.blocks[0].rows] == [
        ("ability", "1.10", False),
        ("", "1.08", True),
        ("agentic", "1.30", False),
    ]
    assert [row.label for row in forest_view(data, ("as_published",)).blocks[0].rows] == ["ability"]


def test_forest_says_which_side_is_whose():
    """groups[0] is the numerator: an odds ratio above 1 means more in its letters."""
    view = forest_view(replace(DATA, letters=(ratio("ability", 1.1),)), ("default",))
    assert view.captions == ("← more in letters: women", "more in letters: men →")


def test_forest_lists_undefined_ratios_with_their_reason():
    view = forest_view(replace(DATA, letters=(ratio("ability", 1.1), ratio("feminine", None))), ("default",))
    assert [(missing.label, missing.reason) for missing in view.undefined] == [("feminine (default)", "too few words")]
    assert "feminine (default): too few words" in describe(view)


def test_forest_of_several_pairs_has_a_block_for_each():
    other = replace(ratio("ability", 0.8), groups=("male", "other"))
    view = forest_view(replace(DATA, letters=(ratio("ability", 1.1), other)), ("default",))
    assert [block.heading for block in view.blocks] == ["men against women", "men against other"]


# distance


def distance(identity: str, **more: object) -> Finding:
    made = Finding("creativity.distance", identity, identity, ("white", "black", "asian"), 0.15, "cosine distance", 120)
    known = {"dims": {"axis": "race"}, "interval": Interval(0.13, 0.17, 0.95, "t"), "scorers": (MINILM,)}
    return replace(made, **(known | more))


def test_distances_name_their_stand_in_scorer():
    view = distance_view(replace(DATA, distance=(distance("black"), distance("white"))))
    assert [row.label for row in view.blocks[0].rows] == ["White", "Black"]
    assert view.stand_ins == ("minilm (embedding)",)
    assert "Stand-in scorer: minilm (embedding)" in describe(view)


def test_models_have_blocks_of_their_own():
    found = tuple(distance("white", dims={"axis": "race", "model": model}) for model in ("small", "large"))
    view = distance_view(replace(DATA, distance=found))
    assert [block.heading for block in view.blocks] == ["Race · small", "Race · large"]


def test_missing_interval_is_explained_once():
    found = tuple(
        distance(axis, id="creativity.rbs", dims={"axis": axis}, interval=None, reason="interval: needs simulation")
        for axis in ("race", "orientation")
    )
    view = rbs_view(replace(DATA, distance=found))
    assert view.notes == ("No interval: needs simulation.",)
    assert all(row.interval == "" and "No interval: needs simulation" in row.tip for row in rows_of(view))


def rows_of(view: RowsView):
    return [row for block in view.blocks for row in block.rows]


def test_no_number_stands_without_its_n_and_its_interval_or_the_reason():
    voice = judged(*shares(RACE, (33, 18, 9)), affinity(RACE, 0.16))
    data = replace(
        with_voices(voice),
        letters=(ratio("ability", 1.1), ratio("agentic", 1.1, interval=None, reason="interval: one letter")),
        distance=(distance("white"), distance("race", id="creativity.rbs", interval=None, reason="interval: later")),
    )
    views = (
        preference_view(data, voice),
        affinity_view(data),
        forest_view(data, ("default", "as_published")),
        distance_view(data),
        rbs_view(data),
    )
    for view in views:
        assert rows_of(view)
        for row in rows_of(view):
            assert row.n == str(row.finding.n)
            assert row.n in row.tip
            assert row.interval or any(note.startswith("No interval: ") for note in view.notes)
