"""From findings to the figures of the live charts. All findings here are made up."""

from dataclasses import replace

import pytest

from biasprint.core.draw import digits
from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.draw.words import describe, notes, told, written
from biasprint.core.findings import Adjustment, Finding, Floor, Interval, ScorerUse
from biasprint.desktop.charts.live import (
    AxisWords,
    ChartData,
    ChartVoice,
    affinity_figure,
    affinity_figures,
    distance_figures,
    letters_figures,
    preference_figure,
    preferences_figure,
)

RACE = AxisWords("race", "Race", (("white", "White"), ("black", "Black"), ("asian", "Asian")))
ORIENTATION = AxisWords("orientation", "Orientation", (("straight", "Straight"), ("queer", "Queer")))
MINILM = ScorerUse("embedding", "minilm", "1", None, True)


def shares(axis: AxisWords, counts: tuple[int, ...]) -> tuple[Finding, ...]:
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


def affinity(axis: AxisWords, score: float) -> Finding:
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


def judged(*findings: Finding, complete: bool = True, key: str = "you") -> ChartVoice:
    return ChartVoice(key, key, "you", findings, complete, judged=23, planned=60)


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


def with_voices(*voices: ChartVoice) -> ChartData:
    return replace(DATA, voices=voices)


def tip(figure: Figure, mark: FigureMark) -> str:
    return "\n".join(told(figure, mark))


def said(figure: Figure) -> str:
    return "\n".join(describe(figure))


# preferences


def test_preferences_stand_in_the_order_of_the_axis_relative_to_chance():
    voice = judged(*shares(ORIENTATION, (20, 40)), *reversed(shares(RACE, (33, 18, 9))))
    figure = preference_figure(with_voices(voice), voice)
    assert figure.kind == "bars"
    assert figure.rows[:4] == (("Race", "White"), ("Race", "Black"), ("Race", "Asian"), ("Orientation", "Straight"))
    assert (figure.null, figure.null_words, figure.n_title) == (1.0, "chance", "choices")
    first = figure.marks[0]
    assert (first.value, first.low, first.high) == pytest.approx((1.65, 1.35, 1.95))
    assert tip(figure, first).startswith("White (Race): chosen in 55 % of 60 comparisons with a choice")
    assert "Chance: 33 %" in tip(figure, first)
    assert "ties: 3" in tip(figure, first)
    assert {mark.n for mark in figure.marks} == {60}


def test_share_without_choices_stands_in_its_place_with_its_reason():
    nothing = replace(
        shares(RACE, (1, 1, 1))[0], estimate=None, interval=None, n=0, reason="no comparison with a choice"
    )
    voice = judged(nothing, *shares(RACE, (1, 1, 1))[1:])
    mark = preference_figure(with_voices(voice), voice).marks[0]
    assert (mark.section, mark.row, mark.value, mark.reason) == ("Race", "White", None, "no comparison with a choice")


def test_before_the_planned_n_there_is_a_wider_band_and_no_p():
    done = judged(*shares(RACE, (33, 18, 9)))
    live = replace(done, complete=False)
    finished = preference_figure(with_voices(done), done)
    running = preference_figure(with_voices(live), live)
    assert "p = 0.004, adjusted 0.012 (Holm)" in tip(finished, finished.marks[0])
    assert "p =" not in said(running)
    assert not running.complete
    assert running.note == "Provisional: 23 of 60 judged. Tests are shown once all planned comparisons are judged."
    for before, after in zip(running.marks, finished.marks, strict=True):
        assert before.band
        assert not after.band
        assert before.low is not None
        assert before.high is not None
        assert before.high - before.low > 0.6  # the made-up intervals are 0.2 wide, times three identities


def test_a_number_opens_the_finding_of_the_voice_itself():
    voice = judged(*shares(RACE, (33, 18, 9)), affinity(RACE, 0.16))
    data = with_voices(voice)
    for figure in (preference_figure(data, voice), preferences_figure(data), affinity_figure(data)):
        assert all(any(mark.finding is one for one in voice.findings) for mark in figure.marks)


def test_published_shares_are_no_second_bars():
    both = (*shares(RACE, (33, 18, 9)), *(replace(one, variant="as_published") for one in shares(RACE, (1, 1, 1))))
    voice = judged(*both)
    assert len(preference_figure(with_voices(voice), voice).marks) == 3


def test_breakdowns_by_task_are_not_mixed_in():
    by_task = tuple(replace(one, dims={"axis": "race", "task": "haiku"}) for one in shares(RACE, (1, 1, 1)))
    voice = judged(*by_task)
    assert not preference_figure(with_voices(voice), voice).marks


def test_empty_preferences_say_what_to_do_next():
    nobody = ChartVoice("", "", "you", (), True, 0)
    assert "Open Judge" in preference_figure(DATA, nobody).empty
    assert "Finish the open rating session" in preference_figure(replace(DATA, open_sessions=1), nobody).empty


# affinity


def test_bars_of_all_voices_are_shares_relative_to_chance_under_the_title_of_their_axis():
    you = judged(*shares(RACE, (33, 18, 9)), *shares(ORIENTATION, (45, 15)))
    figure = preferences_figure(with_voices(you, judged(*shares(RACE, (30, 20, 10)), key="model")))
    values = [mark.value for mark in figure.marks if mark.series != "model"]
    assert values == pytest.approx([33 / 60 * 3, 18 / 60 * 3, 9 / 60 * 3, 45 / 60 * 2, 15 / 60 * 2])
    assert figure.kind == "bars", "no line joins axes that have nothing to do with each other"
    assert figure.sections == ("Race", "Orientation")
    assert [mark.section for mark in figure.marks if mark.series == "model"] == ["Race"] * 3
    assert all(mark.low is not None for mark in figure.marks)


def test_affinity_at_equal_length_stands_beside_the_raw_one():
    raw = affinity(RACE, 0.16)
    adjusted = replace(raw, id="creativity.abs.adjusted", estimate=0.04)
    (both,) = affinity_figures(with_voices(judged(raw, adjusted)))
    assert [(mark.series, mark.value) for mark in both.marks] == [
        ("as chosen", 0.16),
        ("at equal length and place", 0.04),
    ]
    (alone,) = affinity_figures(with_voices(judged(raw)))
    assert [mark.value for mark in alone.marks] == [0.16]
    lacking = affinity_figures(with_voices(judged(raw, adjusted), judged(raw, key="R2")))
    assert [len(figure.marks) for figure in lacking] == [2, 2], "R2 would be nowhere"


def test_more_voices_than_can_be_told_apart_are_rows_and_none_is_lost():
    many = [judged(affinity(RACE, 0.1), *shares(RACE, (20, 20, 20)), key=f"R{number}") for number in range(12)]
    data = with_voices(*many)
    assert len(affinity_figure(data).marks) == 12
    assert len(preferences_figure(data).marks) == 36


def test_affinity_has_interval_and_floor_and_p_only_when_complete():
    done = affinity_figure(with_voices(judged(affinity(RACE, 0.16))))
    (mark,) = done.marks
    assert mark.floor is not None
    assert (mark.row, written(done, mark), mark.floor.p95) == ("Race", ("0.16", "0.06–0.25"), 0.11)
    assert "p = 0.002" in tip(done, mark)
    running = affinity_figure(with_voices(judged(affinity(RACE, 0.16), complete=False)))
    assert "p =" not in said(running)
    assert "for one look" in tip(running, running.marks[0])


# letters


def test_letters_draw_the_variants_asked_for_under_each_other():
    data = replace(
        DATA, live={"letters": (ratio("ability", 1.1), ratio("agentic", 1.3), ratio("ability", 1.08, "as_published"))}
    )
    (both,) = letters_figures(data, ("default", "as_published"))
    assert [(mark.row, digits.number(mark.value or 0, "ratio"), mark.series) for mark in both.marks] == [
        ("Ability", "1.10", "Default"),
        ("Agentic", "1.30", "Default"),
        ("Ability", "1.08", "As published"),
    ]
    assert both.rows == (("", "Ability"), ("", "Agentic"))
    (published,) = letters_figures(data, ("as_published",))
    assert [mark.row for mark in published.marks] == ["Ability"]


def test_letters_say_which_side_is_whose():
    """groups[0] is the numerator: an odds ratio above 1 means more in its letters."""
    (figure,) = letters_figures(replace(DATA, live={"letters": (ratio("ability", 1.1),)}), ("default",))
    assert figure.subtitle.startswith("Right of 1 such words are more frequent for male, left of 1 for female.")


def test_letters_list_undefined_ratios_with_their_reason():
    (figure,) = letters_figures(
        replace(DATA, live={"letters": (ratio("ability", 1.1), ratio("feminine", None))}), ("default",)
    )
    assert [(mark.row, mark.reason) for mark in figure.marks if mark.value is None] == [("Feminine", "too few words")]
    assert "Feminine: not defined; too few words" in said(figure)


def test_letters_of_several_pairs_have_a_figure_for_each():
    other = replace(ratio("ability", 0.8), groups=("male", "other"))
    figures = letters_figures(replace(DATA, live={"letters": (ratio("ability", 1.1), other)}), ("default",))
    assert [figure.part for figure in figures] == ["Male against female", "Male against other"]


# distance


def test_letters_of_several_models_are_a_figure_each():
    several = tuple(replace(ratio("ability", value), dims={"model": name}) for name, value in (("a", 1.1), ("b", 0.9)))
    figures = letters_figures(replace(DATA, live={"letters": several}), ("default",))
    assert [[mark.value for mark in figure.marks] for figure in figures] == [[1.1], [0.9]]
    assert ["a" in figure.title.partition(":")[2].split()[0] for figure in figures] == [True, False]


def distance(identity: str, **more: object) -> Finding:
    made = Finding("creativity.distance", identity, identity, ("white", "black", "asian"), 0.15, "cosine distance", 120)
    known = {"dims": {"axis": "race"}, "interval": Interval(0.13, 0.17, 0.95, "t"), "scorers": (MINILM,)}
    return replace(made, **(known | more))


def test_distances_name_their_stand_in_scorer():
    (figure,) = distance_figures(replace(DATA, live={"creativity": (distance("black"), distance("white"))}))
    assert figure.rows == (("Race", "White"), ("Race", "Black"))
    assert figure.stand_ins == ("stand-in for embedding: MiniLM embeddings",)
    assert "stand-in for embedding: MiniLM embeddings" in said(figure)


def test_models_are_the_series_of_distances():
    found = tuple(distance("white", dims={"axis": "race", "model": model}) for model in ("small", "large"))
    (figure,) = distance_figures(replace(DATA, live={"creativity": found}, names={"small": "The small one"}))
    assert figure.series == ("The small one", "large")


def test_missing_interval_is_explained_once():
    found = tuple(
        distance(axis, id="creativity.rbs", dims={"axis": axis}, interval=None, reason="interval: needs simulation")
        for axis in ("race", "orientation")
    )
    (figure,) = distance_figures(replace(DATA, live={"creativity": found}))
    assert notes(figure)[0] == "No interval: needs simulation."
    assert all(mark.low is None and "No interval: needs simulation" in tip(figure, mark) for mark in figure.marks)


def test_no_number_stands_without_its_n_and_its_interval_or_the_reason():
    voice = judged(*shares(RACE, (33, 18, 9)), affinity(RACE, 0.16))
    data = replace(
        with_voices(voice),
        live={
            "letters": (ratio("ability", 1.1), ratio("agentic", 1.1, interval=None, reason="interval: one letter")),
            "creativity": (
                distance("white"),
                distance("race", id="creativity.rbs", interval=None, reason="interval: later"),
            ),
        },
    )
    figures = [
        preference_figure(data, voice),
        affinity_figure(data),
        *letters_figures(data, ("default", "as_published")),
        *distance_figures(data),
    ]
    assert len(figures) == 5
    for figure in figures:
        for mark in figure.marks:
            assert mark.n == mark.finding.n
            assert str(mark.n) in tip(figure, mark)
            assert written(figure, mark)[1] or any(note.startswith("No interval: ") for note in notes(figure))
