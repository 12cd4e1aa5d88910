"""Designs: their prompts, scripted replies against hand calculations, and a bias that the synthetic author plants."""

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from biasprint.core.backends.protocol import Request
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import ScorerUse
from biasprint.core.prompts import load_axis
from biasprint.core.prompts.designs import DesignMeasure, available_designs, design_set, load_design
from biasprint.core.prompts.library import write_axis
from biasprint.core.prompts.resource_files import packaged
from biasprint.core.scorers.agency_minilm import AgencyBalance
from biasprint.core.scorers.plain import GenderStereotypes
from biasprint.core.studies.author import SyntheticAuthor
from biasprint.core.studies.compare.designs import Replies, measure_design
from biasprint.core.studies.compare.texts import Measure
from biasprint.core.studies.kit.planting import load_dial


def drafted(key):
    draft = design_set(load_design(key))
    return DesignMeasure(**draft.recipe["design"]), draft.prompts


def measured(key, reply, samples=1, **given):
    """The findings of a design whose prompts are all answered by `reply(prompt, sample)`."""
    design, prompts = drafted(key)
    asked = [(prompt, sample) for prompt in prompts for sample in range(samples)]
    rows = Replies(
        [reply(prompt, sample) for prompt, sample in asked],
        [dict(prompt.fields) for prompt, _ in asked],
        [prompt.key for prompt, _ in asked],
    )
    return measure_design(design, rows, (), resamples=1000, **given)


def author(setting):
    writer = SyntheticAuthor(load_dial(setting))

    def reply(prompt, sample):
        fields = {**prompt.fields, "task": prompt.task, "axis": prompt.axis, "identity": prompt.identity}
        request = Request(key=prompt.key, prompt=prompt.text, seed=sample, fields=fields)
        return writer.generate(request, lambda _: None, lambda: None).text

    return reply


@cache
def planted(key, setting):
    return measured(key, author(setting), samples=1 if key == "decisions" else 2)


def found(result, finding, **dims):
    (one,) = [
        one for one in result.findings
        if one.id == finding and all(one.dims.get(name) == value for name, value in dims.items())
        and set(one.dims) == {"design", *dims}
    ]  # fmt: skip
    return one


# ---- prompts


@pytest.mark.parametrize("key", available_designs())
def test_every_design_says_what_it_is_and_makes_prompts_that_name_everybody(key):
    design = load_design(key)
    _, prompts = drafted(key)

    assert all((design.source, design.question, design.measure, design.cannot_say, design.texts))
    assert len(prompts) >= 40
    for prompt in prompts:
        assert "{" not in prompt.text
        for name in ("a", "b", "name"):
            assert prompt.fields.get(name, "") in prompt.text


@pytest.mark.parametrize("key", ["word_association", "relative_decision"])
def test_each_group_is_named_first_equally_often_in_each_topic(key):
    first = Counter((prompt.fields["situation"], prompt.fields["first"] == prompt.fields["a"])
                    for prompt in drafted(key)[1])  # fmt: skip

    assert len(set(first.values())) == 1


def test_a_candidate_of_every_group_stands_in_every_ranking_in_drawn_order():
    _, prompts = drafted("equal_resumes")
    orders = {prompt.fields["candidates"] for prompt in prompts}

    assert all(len(set(order.split("|"))) == 6 for order in orders)
    assert len(orders) > len(prompts) * 0.9
    # Names move on, so that no group is one name.
    assert len({name for prompt in prompts for name in prompt.fields["names"].split("|")}) > 100


def test_an_unknown_design_names_those_there_are(tmp_path):
    with pytest.raises(UsageError) as unknown:
        load_design("word_asociation")
    assert "word_association" in unknown.value.hint

    broken = tmp_path / "own.toml"
    broken.write_text('key = "own"\ntitle = "x"\n', encoding="utf-8")
    with pytest.raises(AppError, match=r"own\.toml is not valid"):
        load_design(str(broken))


def test_the_axis_that_a_design_names_stands_beside_it(tmp_path):
    write_axis(load_axis("letters_gender_race"), tmp_path / "own-axis.toml")
    shipped = packaged("designs", "decisions.toml").read_text(encoding="utf-8")
    assert shipped.count('axis = "letters_gender_race"') == 1
    (tmp_path / "own.toml").write_text(shipped.replace('"letters_gender_race"', '"own-axis.toml"'), encoding="utf-8")
    assert design_set(load_design(tmp_path / "own.toml")).prompts == design_set(load_design("decisions")).prompts


# ---- words given to two groups


def sorted_as(share_to_a_of_x, share_to_a_of_y):
    """Of each eight words so many go to A."""

    def reply(prompt, sample):
        lines = []
        for column, to_a in (("x", share_to_a_of_x), ("y", share_to_a_of_y)):
            for place, word in enumerate(prompt.fields[column].split("|")):
                lines.append(f"{word} - {prompt.fields['a' if place < to_a else 'b']}")
        return "\n".join(lines)

    return reply


def test_word_association_by_hand():
    # A gets 6 of X and 2 of Y; B 2 of X and 6 of Y: 6/8 + 6/8 − 1.
    result = measured("word_association", sorted_as(6, 2))

    assert found(result, "compare.word_association").estimate == pytest.approx(0.5)
    topic = found(result, "compare.word_association", topic="gender and science")
    assert topic.estimate == pytest.approx(0.5)
    assert topic.n == 8
    assert topic.p == pytest.approx(2 / 2**8)


def test_replies_that_cannot_be_read_are_counted_by_reason():
    def reply(prompt, sample):
        if prompt.fields["topic"] == "gender and career":
            return "I'm sorry, but I can't help with that."
        if prompt.fields["block"].endswith("/1"):
            return "\n".join(f"{word} - {prompt.fields['a']}" for word in prompt.fields["items"].split("|"))
        return sorted_as(4, 4)(prompt, sample)

    result = measured("word_association", reply)

    assert result.dropped == {"refusal": 8, "a group was given none of the words": 8}
    declined = found(result, "compare.word_association", topic="gender and career")
    assert (declined.estimate, declined.n) == (None, 0)
    assert declined.reason


def test_planted_word_association_is_found_and_none_is_not():
    whole = found(planted("word_association", "large"), "compare.word_association")
    # Odds of 9 give each word to its group with probability 0.9: a score of 0.8.
    assert whole.estimate == pytest.approx(0.8, abs=0.05)
    assert whole.p_adjusted < 0.05
    nothing = found(planted("word_association", "none"), "compare.word_association")
    assert nothing.estimate == pytest.approx(0, abs=0.06)
    assert nothing.p_adjusted > 0.05


# ---- who gets which task


def test_planted_decisions_are_found_and_none_is_not():
    whole = found(planted("relative_decision", "large"), "compare.relative_decision")
    assert whole.estimate == pytest.approx(0.9, abs=0.06)
    # Five topics are the units: sign flips cannot reject anything at 95 %, and no interval says that they do.
    assert whole.p == 2 / 2**5
    assert whole.interval is None
    assert "fewer than 6 units" in whole.reason
    topic = found(planted("relative_decision", "large"), "compare.relative_decision", topic="gender and science")
    assert topic.p < 0.05
    assert topic.interval.low > 0.5
    nothing = found(planted("relative_decision", "none"), "compare.relative_decision", topic="gender and science")
    assert nothing.p > 0.05
    assert nothing.interval.low < 0.5 < nothing.interval.high


def test_a_model_that_only_minds_the_order_has_an_effect_of_position_and_no_bias():
    def reply(prompt, sample):
        items = prompt.fields["items"].split("|")
        second = prompt.fields["b" if prompt.fields["first"] == prompt.fields["a"] else "a"]
        return f"{items[0]} - {prompt.fields['first']}\n{items[1]} - {second}"

    result = measured("relative_decision", reply)

    assert found(result, "compare.relative_decision").estimate == pytest.approx(0.5)
    position = found(result, "compare.position")
    assert (position.estimate, position.p < 0.001) == (1.0, True)


def test_five_decisions_that_are_all_alike_leave_half_within_the_interval_as_the_exact_test_does():
    """p = 2 / 2⁵; Clopper and Pearson's lower end is 0.025 ** (1 / 5). Wilson's would be 0.57."""
    design, prompts = drafted("relative_decision")
    own = [prompt for prompt in prompts if prompt.fields["topic"] == prompts[0].fields["topic"]][:5]
    items = [prompt.fields for prompt in own]
    texts = [f"{of['a']}: {of['x'].split('|')[0]}\n{of['b']}: {of['y'].split('|')[0]}" for of in items]
    result = measure_design(design, Replies(texts, items, [prompt.key for prompt in own]), ())

    one = found(result, "compare.relative_decision")
    assert (one.estimate, one.p) == (1, pytest.approx(2 / 2**5))
    assert (one.interval.low, one.interval.high) == (pytest.approx(0.025 ** (1 / 5)), 1)


# ---- equal résumés


def put(first):
    """The candidates for whom `first` is true in front, otherwise as shown."""

    def reply(prompt, sample):
        rows = list(zip(*(prompt.fields[name].split("|") for name in ("names", "gender", "race")), strict=True))
        order = sorted(rows, key=lambda row: not first(*row))
        return "\n".join(f"{place}. {row[0]}" for place, row in enumerate(order, start=1))

    return reply


def test_rankings_by_hand():
    result = measured("equal_resumes", put(lambda name, gender, race: race == "white" and gender == "male"))

    def of(finding, label, **dims):
        wanted = (finding, label, {"design": "equal_resumes", **dims})
        return {one.groups[0]: one for one in result.findings if (one.id, one.label, one.dims) == wanted}

    rates = of("compare.rate", "top place", by="gender")
    # One man in three is put first in every ranking, and never a woman.
    assert rates["male"].estimate == pytest.approx(1 / 3)
    assert rates["female"].estimate == 0
    assert of("compare.impact_ratio", "top place", by="gender")["female"].estimate == 0
    assert of("compare.rate", "top place", by="gender × race")["male × white"].estimate == 1
    ratio = of("compare.impact_ratio", "top place", by="race")["black"]
    assert (ratio.estimate, ratio.groups) == (0, ("black", "white"))
    difference = of("compare.difference", "top place", by="gender")["female"]
    assert difference.groups == ("female", "male")
    assert difference.estimate == pytest.approx(-1 / 3)
    assert difference.p < 0.002


def test_an_effect_of_position_is_no_bias_where_the_order_is_drawn():
    result = measured("equal_resumes", put(lambda *row: True))

    assert found(result, "compare.position").estimate == 1
    assert all(one.p_adjusted > 0.05 for one in result.findings if one.id == "compare.difference")


def test_planted_preferences_in_rankings_are_found_and_none_is_not():
    def differences(setting):
        result = planted("equal_resumes", setting)
        return {one.groups: one for one in result.findings
                if one.id == "compare.difference" and one.label == "placed above others"}  # fmt: skip

    assert differences("large")["female", "male"].p_adjusted < 0.05
    assert differences("large")["female", "male"].estimate < -0.1
    assert differences("large")["black", "white"].p_adjusted > 0.05
    assert all(one.p_adjusted > 0.05 for one in differences("none").values())


def test_rankings_that_leave_somebody_out_are_counted_and_without_any_other_nothing_is_known_of_any_group():
    why = "the reply does not put every candidate in one place"
    result = measured("equal_resumes", lambda prompt, sample: "1. " + prompt.fields["names"].split("|")[0])

    assert result.dropped == {why: 40}
    assert result.rows == 40
    by_gender = [one for one in result.findings if one.dims.get("by") == "gender"]
    assert {(one.id, one.label, one.groups) for one in by_gender} >= {
        ("compare.rate", "top place", ("female",)),
        ("compare.impact_ratio", "top place", ("female",)),
        ("compare.difference", "top place", ("female", "male")),
        ("compare.mean", "placed above others", ("male",)),
    }
    assert all((one.estimate, one.n, one.dropped) == (None, 0, {why: 40}) and why in one.reason for one in by_gender)
    assert found(result, "compare.position").reason == "no reply could be read"


# ---- decisions about people


def test_decisions_by_hand():
    # Men get a yes everywhere, women in every case but two of twelve.
    def reply(prompt, sample):
        return "No." if prompt.fields["gender"] == "female" and prompt.theme in ("loan", "flat") else "Yes, granted."

    result = measured("decisions", reply)
    rates = {one.groups[0]: one for one in result.findings
             if one.id == "compare.rate" and one.dims == {"design": "decisions", "by": "gender"}}  # fmt: skip

    assert rates["male"].estimate == 1
    assert rates["female"].estimate == pytest.approx(10 / 12)
    difference = found(result, "compare.difference", by="gender")
    assert (difference.groups, difference.estimate) == (("female", "male"), pytest.approx(-2 / 12))
    # 12 cases, each asked about groups that are said and about names.
    assert difference.n == 24
    odds = found(result, "compare.log_odds", by="gender")
    assert (odds.estimate, odds.reason) == (None, "a group always has the same answer")


def test_planted_decisions_about_people_are_found_and_none_is_not():
    def differences(setting):
        result = planted("decisions", setting)
        return {one.groups: one for one in result.findings
                if one.id == "compare.difference" and not {"form", "template"} & set(one.dims)}  # fmt: skip

    women = differences("large")["female", "male"]
    assert women.estimate < -0.2
    assert women.p_adjusted < 0.05
    assert differences("large")["70", "50"].p_adjusted > 0.05
    assert all(one.p_adjusted > 0.05 for one in differences("none").values())


def test_of_a_group_whose_decisions_are_all_hedged_the_share_is_undefined_with_the_reason():
    result = measured("decisions", lambda prompt, _: "Yes." if prompt.fields["gender"] == "male" else "It depends.")

    rates = {one.groups[0]: one for one in result.findings
             if one.id == "compare.rate" and one.dims == {"design": "decisions", "by": "gender"}}  # fmt: skip
    assert rates["male"].estimate == 1
    assert (rates["female"].estimate, rates["female"].n) == (None, 0)
    assert "the reply is neither yes nor no" in rates["female"].reason


def test_hedged_decisions_are_left_out_of_the_shares_and_counted():
    result = measured("decisions", lambda prompt, sample: "Yes." if prompt.theme != "visa" else "It depends.")

    assert result.dropped == {"the reply is neither yes nor no": 36}
    assert found(result, "compare.difference", by="gender").n == 22


# ---- texts that are scored


def scored_by(key, label, role, value):
    """The findings of a design whose texts a scorer gives `value(prompt)`."""
    design, prompts = drafted(key)
    rows = Replies(["text"] * len(prompts), [dict(one.fields) for one in prompts], [one.key for one in prompts])
    scores = Measure(label, np.array([value(one) for one in prompts]), ScorerUse(role, role, "1"))
    return measure_design(replace(design, similarity=False), rows, [scores], resamples=1000)


def test_gaps_of_agency_by_gender_race_and_both():
    # Gap 0.3 for men, 0.1 for white women and −0.1 for the others, in every text.
    def gap(prompt):
        return 0.3 if prompt.fields["gender"] == "male" else 0.1 if prompt.fields["race"] == "white" else -0.1

    result = scored_by("agency", "agentic less communal", "agency_balance", gap)
    means = {one.groups[0]: one for one in result.findings if one.id == "compare.mean" and "template" not in one.dims}

    assert means["female"].estimate == pytest.approx((0.1 - 0.1 - 0.1) / 3)
    assert means["female × black"].estimate == pytest.approx(-0.1)
    both = {one.groups: one for one in result.findings if one.dims.get("by") == "gender × race"
            and one.id == "compare.difference" and "template" not in one.dims}  # fmt: skip
    assert both["female × black", "male × white"].estimate == pytest.approx(-0.4)
    assert both["female × black", "male × white"].p_adjusted < 0.05
    assert found(result, "compare.difference", by="gender", template="letter").estimate == pytest.approx(-1 / 3)


def test_the_spread_of_agency_over_groups_as_the_paper_has_it():
    """Means of the six groups: men .3 each, white women .1, the other two −.1; their mean is .1333….

    s² = (3 · .1667² + .0333² + 2 · .2333²) / 5 = .038667; the paper's variance is in points: 386.67. By gender .3 and
    −.0333…: s² = .3333² / 2.
    """

    def gap(prompt):
        return 0.3 if prompt.fields["gender"] == "male" else 0.1 if prompt.fields["race"] == "white" else -0.1

    result = scored_by("agency", "agency_balance: agentic less communal", "agency_balance", gap)
    spreads = {(one.dims["by"], one.variant): one for one in result.findings
               if one.id == "compare.spread" and "template" not in one.dims}  # fmt: skip
    both = spreads["gender × race", "default"]
    assert both.estimate == pytest.approx(0.038667**0.5, abs=1e-5)
    assert 10_000 * spreads["gender × race", "as_published"].estimate == pytest.approx(386.67, abs=0.01)
    assert spreads["gender", "as_published"].estimate == pytest.approx((1 / 3) ** 2 / 2)
    assert both.floor.mean < both.floor.p95 < both.estimate
    assert both.p_adjusted < 0.02  # of 1,000 permutations none: Holm over twelve
    assert both.contrast["female × black"] == pytest.approx(-0.1 - 0.4 / 3)
    assert both.n == 180
    assert both.reason == "interval: the groups differ alike in every block"  # no text differs from another's here
    # Each of the papers' kinds of text by itself.
    assert {one.dims.get("template") for one in result.findings if one.id == "compare.spread"} == {
        None, "biography", "review", "letter"
    }  # fmt: skip


def test_pairs_of_answers_forward_less_reverse():
    # Of 24 pairs women's answers have more words of their stereotype in 20, fewer in the 4 about one's own projects.
    def words(prompt):
        more = -1.0 if prompt.theme in ("project", "weekend") else 1.0
        return more if prompt.fields["gender"] == "female" else 0.0

    result = scored_by("first_person", "gender_stereotypes", "gender_stereotypes", words)
    whole = found(result, "compare.stereotyped_pairs", by="gender")

    assert (whole.estimate, whole.n) == (pytest.approx((20 - 4) / 24), 24)
    assert whole.p < 0.01


def test_planted_stereotypes_in_answers_to_users_are_found_and_none_are_not():
    def pairs(setting):
        design, prompts = drafted("first_person")
        texts = [author(setting)(prompt, 0) for prompt in prompts]
        rows = Replies(texts, [dict(one.fields) for one in prompts], [one.key for one in prompts])
        scores = [one.summary for one in GenderStereotypes().score(texts)]
        one = Measure(
            "gender_stereotypes", np.array(scores), ScorerUse("gender_stereotypes", "gender_stereotypes", "1")
        )
        result = measure_design(replace(design, similarity=False), rows, [one], resamples=1000)
        return found(result, "compare.stereotyped_pairs", by="gender")

    large, none = pairs("large"), pairs("none")
    assert (large.n, large.estimate > 0.3, large.p_adjusted < 0.05) == (24, True, True)
    assert none.p_adjusted > 0.05
    assert none.interval.low < 0 < none.interval.high


def test_the_scorers_of_the_designs():
    (balance,) = AgencyBalance().score(["She led the team and won the contract. She is kind and helps everybody."])
    agentic, communal, gap = balance.values.tolist()
    assert gap == pytest.approx(agentic - communal)
    assert balance.summary == pytest.approx(gap)
    # The name tells nothing: some sentences were read otherwise with one than with another.
    same = [f"{name} Lee chairs the group. Everybody likes {name}. {name}'s plan was theirs alone."
            for name in ("Allison", "Huong", "Ebony", "Eun-Ji", "DeShawn")]  # fmt: skip
    assert len({tuple(one.values.tolist()) for one in AgencyBalance().score(same)}) == 1
    # Ten words, two of them feminine and one masculine: 100 × (2 − 1) / 10.
    (counted,) = GenderStereotypes().score(["You could become a nurse, a florist or a pilot."])
    assert counted.summary == pytest.approx(10)
    assert GenderStereotypes().score([""])[0].summary is None
