"""Drawing comparisons: complete, balanced, seeded, and open about what was left out."""

import dataclasses
import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasprint.core.judging.plan import REPEAT_DISTANCE, Candidate, draw_plan, texts_digest
from biasprint.core.text import sha256_text

AXES = {"race": ("asian", "black", "white"), "orientation": ("queer", "straight")}
TASKS = [f"task{number}" for number in range(4)]
THEMES = [f"theme{number}" for number in range(5)]


def candidates(tasks=TASKS, themes=THEMES, axes=AXES, models=("m",), samples=(0,)) -> list[Candidate]:
    """One output with a text of its own for everything that can be asked for."""
    made = []
    for model, sample, task, theme in product(models, samples, tasks, themes):
        for axis, identities in axes.items():
            for identity in identities:
                number = len(made) + 1
                made.append(
                    Candidate(number, axis, identity, task, theme, sha256_text(f"text {number}"), model, sample)
                )
    return made


def test_a_comparison_shows_one_output_per_identity_at_equal_task_theme_model_and_sample():
    given_ones = candidates(models=("m", "n"), samples=(0, 1))
    by_output = {one.output: one for one in given_ones}
    drawn = draw_plan(given_ones, AXES, seed=3)
    assert len(drawn.comparisons) == 2 * 2 * 2 * len(TASKS) * len(THEMES)
    for comparison in drawn.comparisons:
        cards = [by_output[item.output] for item in comparison.items]
        assert sorted(item.identity for item in comparison.items) == sorted(AXES[comparison.axis])
        assert [item.identity for item in comparison.items] == [card.identity for card in cards]
        assert {(card.axis, card.task, card.theme) for card in cards} == {
            (comparison.axis, comparison.task, comparison.theme)
        }
        assert len({(card.model, card.sample) for card in cards}) == 1
        assert comparison.texts_sha256 == texts_digest(card.text_sha256 for card in cards)
    used = Counter(item.output for comparison in drawn.comparisons for item in comparison.items)
    assert set(used.values()) == {1}
    assert not drawn.left_out


@pytest.mark.parametrize("per_axis", [1, 7, 12, 20])
def test_tasks_and_themes_are_used_equally_often_up_to_one(per_axis):
    drawn = draw_plan(candidates(), AXES, per_axis=per_axis, seed=1)
    for axis in AXES:
        mine = [one for one in drawn.comparisons if one.axis == axis]
        assert len(mine) == per_axis
        for names, key in ((TASKS, "task"), (THEMES, "theme")):
            counts = [sum(getattr(one, key) == name for one in mine) for name in names]
            assert max(counts) - min(counts) <= 1, (axis, key, counts)


def test_models_are_used_equally_often_where_one_cell_has_several():
    drawn = draw_plan(candidates(tasks=["t"], themes=["x"], models=("m", "n"), samples=range(6)), AXES, per_axis=6)
    by_output = {one.output: one for one in candidates(tasks=["t"], themes=["x"], models=("m", "n"), samples=range(6))}
    models = Counter(by_output[one.items[0].output].model for one in drawn.comparisons if one.axis == "race")
    assert models == {"m": 3, "n": 3}


def test_the_same_seed_gives_the_same_plan_whatever_order_the_outputs_come_in():
    ordered = candidates()
    mixed = random.Random(0).sample(ordered, len(ordered))
    assert draw_plan(ordered, AXES, per_axis=9, seed=5) == draw_plan(mixed, AXES, per_axis=9, seed=5)
    assert draw_plan(ordered, AXES, per_axis=9, seed=5) != draw_plan(ordered, AXES, per_axis=9, seed=6)


def test_axes_alternate_so_that_stopping_early_leaves_them_even():
    drawn = draw_plan(candidates(), AXES, per_axis=10, seed=2)
    for stop in range(1, 20):
        counts = Counter(one.axis for one in drawn.comparisons[:stop])
        assert abs(counts["race"] - counts["orientation"]) <= 1


def test_what_cannot_be_compared_is_left_out_and_says_why():
    ones = candidates(tasks=["t"], themes=["a", "b", "c", "d"], axes={"race": AXES["race"]})
    by_place = {(one.theme, one.identity): index for index, one in enumerate(ones)}

    def change(theme: str, identity: str, **values: str) -> None:
        index = by_place[theme, identity]
        ones[index] = dataclasses.replace(ones[index], **values)

    change("a", "black", problem="its text is empty")
    change("b", "black", text_sha256=ones[by_place["b", "white"]].text_sha256)
    ones.append(Candidate(900, "", "default", "t", "c", sha256_text("d")))
    drawn = draw_plan(ones, {"race": AXES["race"]}, per_axis=1, seed=0)
    assert len(drawn.comparisons) == 1
    assert drawn.comparisons[0].theme in {"c", "d"}
    assert drawn.reasons == {
        "its text is empty": 1,
        "no output to compare it with: black is missing": 2,
        "two of the texts to compare are identical": 3,
        "its identity is not compared": 1,
        "not drawn: enough comparisons": 3,
    }
    shown = {item.output for one in drawn.comparisons for item in one.items}
    assert shown | {left.output for left in drawn.left_out} == {one.output for one in ones}


def test_a_second_output_for_the_same_card_is_reported_and_not_shown():
    ones = candidates(tasks=["t"], themes=["a"], axes={"race": AXES["race"]})
    twin = dataclasses.replace(ones[0], output=99, text_sha256=sha256_text("other"))
    drawn = draw_plan([twin, *ones], {"race": AXES["race"]})
    assert [left.output for left in drawn.left_out] == [99]


def test_hidden_repeats_come_later_and_show_the_same_outputs():
    drawn = draw_plan(candidates(), AXES, seed=4, repeat_share=0.25)
    originals = [one for one in drawn.comparisons if one.repeat_of is None]
    repeats = [one for one in drawn.comparisons if one.repeat_of is not None]
    assert len(repeats) == round(0.25 * len(originals)) == 10
    assert [one.position for one in drawn.comparisons] == list(range(len(drawn.comparisons)))
    for repeat in repeats:
        original = drawn.comparisons[repeat.repeat_of]
        assert original.repeat_of is None
        assert original.items == repeat.items
        assert repeat.position - original.position >= REPEAT_DISTANCE
    assert len({repeat.repeat_of for repeat in repeats}) == len(repeats)


def test_without_a_share_nothing_is_repeated():
    assert all(one.repeat_of is None for one in draw_plan(candidates(), AXES).comparisons)


@given(st.integers(0, 2**32), st.floats(0, 1), st.integers(0, 25))
@settings(max_examples=40, deadline=None)
def test_every_repeat_follows_its_original_for_any_share(seed, share, per_axis):
    drawn = draw_plan(candidates(), AXES, seed=seed, repeat_share=share, per_axis=per_axis)
    originals = sum(one.repeat_of is None for one in drawn.comparisons)
    assert len(drawn.comparisons) == originals + round(share * originals)
    assert all(one.repeat_of is None or one.repeat_of < one.position for one in drawn.comparisons)


@pytest.mark.parametrize(
    ("axes", "options"),
    [({"race": ("white",)}, {}), (AXES, {"repeat_share": 1.5}), (AXES, {"per_axis": -1})],
)
def test_a_plan_that_makes_no_sense_is_refused(axes, options):
    with pytest.raises(ValueError, match=r"two identities|repeat_share|negative"):
        draw_plan(candidates(), axes, **options)


def test_models_stay_even_over_the_plan_where_each_theme_is_used_once():
    themes = [f"theme{number}" for number in range(12)]
    ones = candidates(tasks=["t"], themes=themes, axes={"race": AXES["race"]}, models=("m", "n", "o"))
    drawn = draw_plan(ones, {"race": AXES["race"]}, per_axis=12, seed=3)
    by_output = {one.output: one for one in ones}
    assert Counter(one.theme for one in drawn.comparisons) == dict.fromkeys(themes, 1)
    assert Counter(by_output[one.items[0].output].model for one in drawn.comparisons) == {"m": 4, "n": 4, "o": 4}


def test_sources_are_drawn_like_outputs_and_blocks_are_kept_apart():
    ones = [
        Candidate(output, "origin", name, "news", "sports", sha256_text(f"{block} {name}"), source=source, block=block)
        for number, block in enumerate(("one", "two"))
        for name, output, source in (("generated", number + 1, None), ("original", None, number + 1))
    ]  # fmt: skip
    drawn = draw_plan(ones, {"origin": ("generated", "original")}, seed=1)
    assert sorted([item.key for item in one.items] for one in drawn.comparisons) == [
        [("output", 1), ("source", 1)],
        [("output", 2), ("source", 2)],
    ]
    lonely = draw_plan(ones[:3], {"origin": ("generated", "original")}, seed=1)
    assert [(left.output, left.source) for left in lonely.left_out] == [(2, None)]


def test_raters_read_the_shown_theme_and_the_plan_balances_by_the_other():
    ones = [
        dataclasses.replace(one, shown_theme=f"shown {one.theme}") for one in candidates(axes={"race": AXES["race"]})
    ]
    drawn = draw_plan(ones, {"race": AXES["race"]}, per_axis=5, seed=1)
    assert {one.theme for one in drawn.comparisons} == {f"shown {theme}" for theme in THEMES}
