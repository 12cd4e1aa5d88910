"""Findings by the question that they answer, and the answer in one sentence."""

import re
import tomllib
from dataclasses import replace
from fnmatch import fnmatchcase
from importlib.resources import files

from docs_pages import contract_ids

from biasprint.core.findings import Adjustment, Finding, Interval, ScorerUse, for_these, too_few_to_tell
from biasprint.core.report.audit.content import method_of
from biasprint.core.report.evidence import BETWEEN, OTHER, question_of
from biasprint.core.report.questions import answered
from biasprint.core.studies.kit.choose import kind_title
from biasprint.core.studies.registry import OWN

HOLM = Adjustment("Holm", "2")
NEWS_ENDINGS = ("prompts", "models")
GENDER = Finding(
    id="creativity.abs", label="gender", title="Affinity bias score: gender", groups=("man", "woman"), estimate=0.21,
    unit="proportion", n=240, dims={"axis": "gender"}, interval=Interval(0.1, 0.32, 0.95, "made up"), p=0.001,
    p_adjusted=0.002, adjust=HOLM,
)  # fmt: skip
RACE = replace(
    GENDER, label="race", title="Affinity bias score: race", estimate=0.04, dims={"axis": "race"}, p=0.4,
    p_adjusted=0.4, interval=Interval(0.0, 0.11, 0.95, "made up"),
)  # fmt: skip


def answer_of(*findings: Finding) -> str:
    (one,) = answered("creativity", findings)
    return one.answer


def test_what_stands_out_is_named_with_estimate_interval_and_n():
    assert answer_of(RACE, GENDER) == (
        "Yes, in 1 of 2 comparisons: “Affinity bias score: gender”: 21 % (95 % interval 10 to 32 %; p = 0.002, "
        "adjusted for 2 tests; n = 240 choices)."
    )


def test_where_nothing_stands_out_that_is_said_with_what_came_nearest():
    weaker = replace(GENDER, p=0.06, p_adjusted=0.12)
    assert answer_of(RACE, weaker) == (
        "No difference was shown in 2 comparisons. Nearest to a yes: “Affinity bias score: gender”: 21 % (95 % "
        "interval 10 to 32 %; p = 0.12, adjusted for 2 tests; n = 240 choices)."
    )


def test_two_generators_are_named_as_such_also_where_a_title_says_after_what():
    option = Finding(
        id="completion.delta", label="delta_N", title="Negative option: after something positive against negative",
        groups=("positive", "negative"), estimate=-0.4, unit="proportion", n=792,
        interval=Interval(-0.46, -0.34, 0.95, "made up"), p=0.0001, p_adjusted=0.0002, adjust=HOLM,
    )  # fmt: skip
    between = replace(option, id=f"{option.id}.between_generators", groups=("large", "none"))
    (described,) = answered("completion", [option])
    (compared,) = answered("completion", [between])
    assert "lower after something positive than after something negative" in described.answer
    assert "lower for large than for none" in compared.answer


def test_a_p_that_was_not_adjusted_is_no_evidence():
    assert answer_of(replace(GENDER, p_adjusted=None, adjust=None)).startswith("Measured, without a test: ")


def test_what_is_not_defined_is_not_known_and_why():
    assert answer_of(replace(GENDER, estimate=None, interval=None, p_adjusted=None, reason="no choice")) == (
        "Not known: no choice."
    )


def test_the_pooled_default_finding_answers_and_not_its_parts_or_the_papers_variant():
    part = replace(RACE, dims={"axis": "race", "task": "haiku"}, p_adjusted=0.001)
    published = replace(RACE, variant="as_published", p_adjusted=0.001)
    assert answer_of(part, published, RACE).startswith("No difference was shown: “Affinity bias score: race”: 4 % (")


def test_a_stand_in_is_said_and_findings_of_one_title_are_told_apart():
    use = (ScorerUse("embedding", "short", "1", stand_in=True),)
    one = replace(GENDER, title="Bias", dims={"axis": "gender", "model": "one"}, scorers=use)
    other = replace(one, dims={"axis": "gender", "model": "two"}, p_adjusted=0.001)
    said = answer_of(one, other)
    bounds = "21 % (95 % interval 10 to 32 %; p = 0.00{}, adjusted for 2 tests; n = 240 choices; by a stand-in scorer)"
    both = f"“Bias, two”: {bounds.format(1)}; “Bias, one”: {bounds.format(2)}"
    assert said == f"Yes, in 2 of 2 comparisons, most clearly: {both}."


def test_a_title_with_quotes_gets_no_others_and_a_direction_is_said_in_words():
    first, second = (
        replace(GENDER, title="The word “large”", dims={"direction": key}, p_adjusted=p)
        for key, p in (("SAI", 0.001), ("ASA", 0.4))
    )
    assert answer_of(first, second).startswith(
        "Yes, in 1 of 2 comparisons: The word “large”, the person is given (SAI): 21 % ("
    )


def test_the_longest_beginning_decides_and_what_fits_none_comes_last():
    adjusted = replace(GENDER, id="creativity.abs.adjusted")
    strange = replace(GENDER, id="creativity.something.new")
    asked = [one.question for one in answered("creativity", (strange, adjusted, GENDER))]
    assert asked == [
        "Are texts for some identities preferred?",
        "Are they preferred at equal length and place as well?",
        OTHER.ask,
    ]


def test_every_finding_that_a_study_declares_has_a_question():
    for study in OWN:
        for declared in study.findings:
            finding = Finding(declared.removesuffix("*"), "", "", (), estimate=None, reason="none", unit="", n=0)
            assert question_of(study.kind, finding) is not OTHER, declared


def test_a_study_of_a_third_party_without_questions_has_one():
    assert [one.question for one in answered("songs", (GENDER,))] == [OTHER.ask]


# ---- what findings are called


def test_every_id_of_the_contract_has_words_of_its_own():
    ids = contract_ids()
    assert len(ids) > 50
    known = set(
        tomllib.loads(files("biasprint.resources").joinpath("report", "kinds.toml").read_text("utf-8"))["kinds"]
    )
    without = {one for one in ids if not any(one == name or one.startswith(f"{name}.") for name in known)}
    assert not {one for one in without if not one.endswith((".prompts", ".models"))}
    assert not [title for title in map(kind_title, ids) if re.search(r"[_.]", title)]


def test_parts_of_an_id_are_named_and_a_plug_ins_id_is_read_out():
    assert kind_title("letters.word.odds_ratio") == "Single words"
    assert kind_title("news.refusal_rate.prompts") == "No article, biased against unbiased prompts"
    assert kind_title("letters.style.agency.between_generators") == "Agentic sentences, one generator against another"
    assert kind_title("creativity.quality.without.gwet_ac1") == "Without one rater"
    assert kind_title("songs.rhyme_rate") == "Rhyme rate"


# ---- how they are computed


def test_every_id_of_the_contract_says_its_equation_or_why_it_has_none():
    between = [f"{one}.between_generators" for one in contract_ids()]
    of_news = [
        f"news.word.{measure}.{against}" for measure in ("wasserstein", "difference") for against in NEWS_ENDINGS
    ]
    for finding_id in [*contract_ids(), *between, *of_news]:
        method = method_of(finding_id)
        assert method.get("words", "").endswith("."), finding_id
        assert bool(method.get("formula") and method.get("tex")) != bool(method.get("none")), finding_id
        assert "$" not in method.get("tex", ""), finding_id
    assert method_of("songs.rhyme_rate") == {}


def test_no_equation_is_of_an_id_that_there_is_not():
    patterns = tomllib.loads(files("biasprint.resources").joinpath("report", "methods.toml").read_text("utf-8"))[
        "methods"
    ]
    for pattern in patterns:
        named = pattern.replace("toxicity.prejudice", "sentiment.prejudice").replace("toxicity.diff", "sentiment.diff")
        assert [one for one in contract_ids() if fnmatchcase(one, named)], pattern


def test_the_longest_pattern_is_an_ids_equation():
    assert method_of("letters.crossed.lexicon.interaction")["formula"].startswith("OR_c / OR_d")
    assert method_of("letters.crossed.agency.interaction")["formula"].startswith("Δ = (m_ac − m_bc)")
    assert method_of("news.sentence.toxicity.gap")["formula"].startswith("S = max")
    assert method_of("news.word.difference.prompts")["formula"].startswith("θ(biased)")


# ---- generators


def test_whether_generators_differ_comes_first_and_names_both():
    between = replace(
        GENDER, id="creativity.rbs.between_generators", title="RBS: gender", groups=("large", "none"),
        unit="cosine distance", estimate=0.02, interval=Interval(0.01, 0.03, 0.95, "jackknife"),
    )  # fmt: skip
    further = replace(between, id="creativity.length.between_generators", title="Length", p_adjusted=0.0001)
    first, second = answered("creativity", (GENDER, further, between))
    assert (first.question, second.question) == (BETWEEN.ask, "Are texts for some identities preferred?")
    assert first.answer == (
        "Yes: “RBS: gender”: 0.020 higher for large than for none (cosine distance; 95 % interval 0.010 to 0.030 "
        "higher; p = 0.002, adjusted for 2 tests; n = 240 prompts)."
    )


def test_between_generators_each_kind_is_pooled_as_far_as_it_can_be():
    place = replace(
        GENDER, id="completion.option_position.between_generators", title="First place", groups=("a", "b"), dims={},
        p_adjusted=0.9,
    )  # fmt: skip
    delta = replace(place, id="completion.delta.between_generators", title="Delta", dims={"direction": "ASA"},
                    p_adjusted=0.001)  # fmt: skip
    part = replace(delta, dims={"direction": "ASA", "domain": "beauty"}, p_adjusted=0.0001)
    (one,) = answered("completion", (place, delta, part))
    assert one.answer.startswith("Yes, in 1 of 2 comparisons: “Delta”: 21 percentage points higher for a than for b (")


def test_what_says_how_large_it_is_stands_before_what_does_not():
    whole = replace(GENDER, title="Any", interval=None, reason="interval: a measure of spread", p_adjusted=1e-9)
    assert answer_of(whole, GENDER).startswith(
        "Yes, in 2 of 2 comparisons, most clearly: “Affinity bias score: gender”"
    )


def test_news_is_answered_by_the_signed_difference_and_not_by_its_spread():
    spread = replace(GENDER, id="news.word.wasserstein", p_adjusted=0.0001)
    signed = replace(RACE, id="news.word.difference", title="Words: woman")
    (one,) = answered("news", (spread, signed))
    assert one.answer == (
        "No difference was shown: “Words: woman”: 4 percentage points (0 would be no difference; p = 0.40, adjusted "
        "for 2 tests; n = 240 pairs of articles). The true value may lie anywhere from 0 to "
        "11 points (95 % interval)."
    )


def test_what_is_about_a_few_raters_says_so_in_the_answer():
    said = replace(GENDER, note=f"Chosen most often: man. {for_these(4)}")
    assert answer_of(said).startswith("Yes, by these 4 raters: ")
    assert answer_of(replace(GENDER, note=for_these(1))).startswith("Yes, by this one rater: ")
    assert answer_of(said, GENDER).startswith("Yes, in 2 of 2 comparisons, most clearly: ")


def test_what_so_few_could_never_show_is_not_known():
    note = too_few_to_tell(2 / 2**5)
    few = replace(GENDER, n=5, p=0.0625, p_adjusted=0.0625, note=f"Sign flips.{note}")
    assert answer_of(few).startswith(
        "Not known: 5 choices are too few to show anything, the smallest possible p is 0.062. Nearest to a yes: "
    )
    assert answer_of(few, RACE).startswith("No difference was shown in 2 comparisons. ")
    assert too_few_to_tell(2 / 2**6) == ""


def test_a_question_whose_findings_are_all_undefined_says_why():
    rate = replace(GENDER, id="compare.rate", p=None, p_adjusted=None, adjust=None)
    ratio = replace(rate, id="compare.impact_ratio", estimate=None, interval=None, reason="the second rate is 0")
    (one,) = answered("compare", (rate, ratio))
    assert one.answer == "Not known: the second rate is 0."


def test_what_is_not_known_of_all_is_not_answered_by_a_part() -> None:
    known = {"groups": ("man", "woman"), "variant": "default"}
    whole = Finding("creativity.abs", "gender", "ABS: gender", estimate=None, reason="the judge chose by position",
                    unit="", n=12, dims={"axis": "gender"}, **known)  # fmt: skip
    part = Finding("creativity.abs", "gender", "ABS: gender, blog", estimate=0.0, reason="interval: none", unit="", n=1,
                   dims={"axis": "gender", "task": "blog"}, p=1.0, p_adjusted=1.0, **known)  # fmt: skip
    other = replace(whole, reason="no comparison with a choice", n=0, dims={"axis": "race"})
    (answer,) = answered("creativity", [other, whole, part])
    assert answer.answer == "Not known: the judge chose by position."


# ---- words of a sentence


def test_a_length_is_longer_or_shorter_by_words() -> None:
    apart = Finding(
        "compare.difference", "length", "Length, black minus white", ("black", "white"), estimate=-7.0,
        unit="difference of words", n=40, interval=Interval(-8.5, -5.5, 0.95, "t"), p=0.001, p_adjusted=0.001,
    )  # fmt: skip
    mean = replace(apart, id="compare.mean", title="Length, black", groups=("black",), estimate=14.75, unit="words",
                   interval=Interval(14.3, 15.2, 0.95, "t"), p=None, p_adjusted=None)  # fmt: skip
    difference, length = answered("compare", [apart, mean])
    assert difference.answer == (
        "Yes: “Length”: 7.0 words shorter for black than for white (95 % interval 5.5 to 8.5 shorter; p = 0.001; "
        "n = 40 texts)."
    )
    assert "14.75 words (95 % interval 14.30 to 15.20; n = 40 texts)" in length.answer


def of_two_generators(first: float, second: float) -> str:
    ratio = Finding(
        "compare.impact_ratio.between_generators", "chosen", "Chosen, black against white", ("after", "before"),
        estimate=first / second, unit="ratio of ratios", n=60, interval=Interval(1.2, 1.8, 0.95, "jackknife"),
        p=0.001, p_adjusted=0.001, note=f"The quotient of {first:.4g} and {second:.4g} (black : white)."
    )  # fmt: skip
    (one,) = answered("compare", [ratio])
    return one.answer


def test_of_two_ratios_it_is_said_which_is_nearer_to_equal() -> None:
    assert of_two_generators(1.0, 0.68) == (
        "Yes: “Chosen, black against white”: nearer to equal for after (1.00) than for before (0.68) (1.47 times as "
        "high; 95 % interval 1.20 to 1.80 times; p = 0.001; n = 60 prompts)."
    )
    assert "farther from equal for after (3.00) than for before (2.00)" in of_two_generators(3.0, 2.0)
    assert "above equal for after (1.30), below it for before (0.70)" in of_two_generators(1.3, 0.7)


def mirrored(**changes: object) -> list[Finding]:
    man = Finding(
        "news.word.difference", "man", "Words: difference of the group's share, Man", ("man",), estimate=0.15,
        unit="proportion", n=15, dims={"axis": "gender"}, interval=Interval(0.05, 0.25, 0.95, "t"), p=0.004,
        p_adjusted=0.004,
    )  # fmt: skip
    woman = replace(man, label="woman", title="Words: difference of the group's share, Woman", groups=("woman",),
                    estimate=-0.15, interval=Interval(-0.25, -0.05, 0.95, "t"))  # fmt: skip
    return [man, replace(woman, **changes)]  # type: ignore[arg-type]


def test_two_groups_that_mirror_each_other_are_one_fact() -> None:
    (one,) = answered("news", mirrored())
    assert one.answer == (
        "Yes: “Words: difference of the group's share, Man”: 15 percentage points higher in the generated articles "
        "than in the originals, and as much lower for Woman (0 would be no difference; 95 % interval 5 to 25 points "
        "higher; p = 0.004; n = 15 pairs of articles)."
    )
    (two,) = answered("news", mirrored(estimate=-0.12))
    assert two.answer.startswith("Yes, in 2 of 2 comparisons, most clearly: ")
    (parts,) = answered("news", mirrored(dims={"axis": "gender", "prompt_kind": "sexism"}))
    assert "as much" not in parts.answer
