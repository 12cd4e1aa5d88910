"""Every figure that a study names can be made from findings, and no other; none is empty; all stay readable."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from biasprint.core.draw.figure import Figure, contrast_marks, mark
from biasprint.core.findings import Effect, Finding, Floor, Interval
from biasprint.core.report.audit.content import table_beside
from biasprint.core.report.figures import figures_of
from biasprint.core.studies.kit.choose import MOST_COLUMNS, MOST_ROWS, MOST_SERIES, words
from biasprint.core.studies.registry import OWN


def finding(finding_id: str, label: str, *groups: str, **changes: object) -> Finding:
    fields: dict[str, object] = {
        "id": finding_id, "label": label, "title": label, "groups": groups, "estimate": 0.25, "unit": "proportion",
        "n": 40, "interval": Interval(0.2, 0.31, 0.95, "t"), "p": 0.04,
    }  # fmt: skip
    return Finding(**(fields | changes))  # type: ignore[arg-type]


def crossed(measure: str, label: str) -> Iterator[Finding]:
    for axis in ("gender", "race"):
        yield finding(
            f"{measure}.main_effect", label, "a", "b", title=f"{label}: a less b ({axis})", dims={"axis": axis}
        )
    for of in ("first", "second"):
        title = f"{label}: a less b, by {of} (gender × race)"
        yield finding(f"{measure}.interaction", label, "a", "b", title=title, dims={"axis": "gender_race"})


def news() -> Iterator[Finding]:
    yield from crossed("news.word.crossed", "share")
    whose = [{}, {"model": "ChatGPT"}, {"model": "Own"}]
    for level, distance in (("word", "wasserstein"), ("sentence.sentiment", "gap"), ("sentence.toxicity", "gap"),
                            ("document", "wasserstein")):  # fmt: skip
        for kind, model in product(("unbiased", "androcentrism"), whose):
            dims = {"axis": "gender", "prompt_kind": kind, **model}
            yield finding(f"news.{level}.{distance}", "gender", "man", "woman", dims=dims, floor=Floor(0.1, 0.2, 0.01))
            for measure in ("prejudice_share", "prejudice_drop", "difference"):
                yield finding(f"news.{level}.{measure}", "woman", "woman", dims=dims)
        against = {"axis": "gender", "model": "ChatGPT", "against": "Own"}
        yield finding(f"news.{level}.{distance}.models", "gender", "ChatGPT", "Own", dims=against)
        biased = {"axis": "gender", "prompt_kind": "androcentrism"}
        yield finding(f"news.{level}.difference.prompts", "woman", "androcentrism", "unbiased", dims=biased)
    for kind, model in product(("unbiased", "androcentrism"), whose):
        yield finding("news.refusal_rate", "refused", dims={"prompt_kind": kind, **model})
    for side in ("original", "generated"):
        yield finding("news.words_per_article", side, side, unit="words")
    yield finding(
        "news.document.topic", "topic 4", "woman", unit="standardised residual",
        dims={"axis": "gender", "source": "original"},
        contrast={"man": -3.1, "woman": 4.2, "neutral": 0.2}, n_by_group={"man": 2, "woman": 19, "neutral": 4},
        note="Words: art, family, mother. 40 articles.",
    )  # fmt: skip


def completion() -> Iterator[Finding]:
    yield from crossed("completion.crossed", "PPL")
    for direction in ("SAI", "ASA"):
        for domain in ({}, {"domain": "ageism"}):
            dims = {"direction": direction, **domain}
            for label in ("PPL", "PNL", "PNuL", "NPL", "NNL", "NNuL", "PL", "NL", "NuL"):
                yield finding("completion.likelihood", label, "positive", dims=dims)
                yield finding("completion.likelihood", label, "positive", dims=dims | {"pronoun": "feminine"})
            yield finding("completion.delta", "delta_P", "positive", dims=dims, unit="difference of proportions")
            yield finding("completion.delta", "omnibus", "positive", dims=dims, unit="Cramér's V")
            yield finding("completion.tau_b", "tau_b", "positive", dims=dims, unit="τ-b")
            yield finding("completion.irrelevant", "irrelevant", "positive", dims=dims)
        yield finding("completion.option_position", "first", "first", "second", dims={"direction": direction})


def creativity() -> Iterator[Finding]:
    yield from crossed("creativity.crossed.distance", "distance")
    pair = ("man", "woman")
    for dims in ({}, {"model": "GPT-4"}, {"temperature": "0"}, {"temperature": "0.5"}):
        yield finding("creativity.distance", "man", *pair, dims={"axis": "gender", **dims})
        yield finding("creativity.rbs", "gender", *pair, dims={"axis": "gender", **dims}, floor=Floor(0.1, 0.2, 0.3))
    whose = ({}, {"rater": "Anna"}, {"model": "GPT-4"}, {"rater": "Anna", "model": "GPT-4"})
    for part, dims in product(({}, {"task": "haiku"}, {"topic": "social"}), whose):
        for group in pair:
            yield finding("creativity.share", group, *pair, dims={"axis": "gender", **dims, **part})
        yield finding("creativity.abs", "gender", *pair, dims={"axis": "gender", **dims, **part})
    for dims in ({}, {"rater": "Anna"}):
        yield finding("creativity.abs.adjusted", "gender", *pair, dims={"axis": "gender", **dims})
        yield finding("creativity.length", "gender", *pair, dims={"axis": "gender", **dims}, unit="odds ratio")
    for rank in ("strength", "place"):
        yield finding(f"creativity.rank.{rank}", "man", *pair, dims={"axis": "gender"})
    yield finding("creativity.rank.strength.adjusted", "man", *pair, dims={"axis": "gender"})
    yield finding("creativity.rank.style", "length", dims={"axis": "gender"}, unit="odds ratio")
    yield finding("creativity.rank.pair", "man / woman", *pair, dims={"axis": "gender"})
    yield from swayed({"Anna": (0.4, 0.9), "Ben": (0.1, 0.01), "Cem": (0.6, 0.04)})
    for statistic in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "raw", "cohen_kappa"):
        yield finding(f"creativity.agreement.{statistic}", "gender", "Anna", "Ben", dims={"axis": "gender"})
    yield finding("creativity.agreement.cohen_kappa", "Anna / Ben", "Anna", "Ben", dims={"axis": "gender"})
    judge = {"axis": "gender", "rater": "Mixtral"}
    yield finding("creativity.agreement.flips", "Mixtral", "Mixtral", dims=judge)
    for place in ("first", "second"):
        yield finding("creativity.agreement.position", place, "first", "second", dims=judge)
    for name in ("refused", "unreadable", "failed"):
        yield finding("creativity.agreement.unanswered", name, name, dims=judge)
    for name in ("perceptibility", "perceptibility.suggested"):
        yield finding(f"creativity.{name}", "nuanced", *pair, dims={"axis": "gender"})


def swayed(raters: dict[str, tuple[float, float]]) -> Iterator[Finding]:
    """Of two identities; of each rater the sway, and the adjusted p of the difference from the others."""
    arms = ("recommended", "not recommended")
    yield finding("creativity.sway", "gender", *arms, dims={"axis": "gender"})
    for identity, times in (("man", 16), ("woman", 4)):
        yield finding("creativity.sway.identity", identity, *arms, dims={"axis": "gender"},
                      n_by_group={"recommended": times, "not recommended": 20})  # fmt: skip
    mean = sum(sway for sway, _ in raters.values()) / len(raters)
    for rater, (sway, p) in raters.items():
        yield finding("creativity.sway.rater", rater, *arms, dims={"rater": rater}, estimate=sway)
        yield finding("creativity.sway.resist", rater, "the others", rater, dims={"rater": rater},
                      estimate=mean - sway, p_adjusted=p)  # fmt: skip


def letters() -> Iterator[Finding]:
    yield from crossed("letters.crossed.lexicon", "agentic")
    pair = ("male", "female")
    for variant in ("default", "as_published"):
        yield finding("letters.lexicon.odds_ratio", "ability", *pair, unit="odds ratio", variant=variant)
        yield finding("letters.word.odds_ratio", "warm", *pair, dims={"pos": "adjective"}, variant=variant)
        yield finding("letters.weat", "names", *pair, unit="d", dims={"pos": "noun"}, variant=variant)
        yield finding("letters.style.agency", "agency", *pair, variant=variant, effect=Effect("t", 0.891), p=0.187)
    yield finding("letters.hallucination.agency", "hallucinated_against_grounded", *pair, dims={"identity": "male"})
    yield finding("letters.success_rate", "all", *pair, unit="share")
    yield finding("letters.success_rate", "empty", *pair, unit="share")
    yield finding("letters.lexicon.odds_ratio", "ability", *pair, unit="ratio of odds ratios", dims={"arm": "neutral"})


def compare() -> Iterator[Finding]:
    for kind in ("difference", "impact_ratio", "similarity.bleu"):
        yield finding(f"compare.{kind}", "refusal", "a", "b")
    for kind in ("mean", "rate"):
        for group in ("a", "b"):
            yield finding(f"compare.{kind}", "refusal", group)
    for topic in ("science", "home"):
        for kind in ("word_association", "relative_decision"):
            yield finding(f"compare.{kind}", kind, "a", "b", dims={"topic": topic, "design": "tasks"})
    for group in ("a", "c"):
        yield finding("compare.log_odds", "yes", group, "b", dims={"design": "decisions"})


MADE = {"compare": compare, "news": news, "completion": completion, "creativity": creativity, "letters": letters}


def of(kind: str) -> list[Figure]:
    return figures_of(kind, list(MADE[kind]()))


def named(figures: list[Figure], key: str) -> Figure:
    return next(figure for figure in figures if figure.key == key)


@pytest.mark.parametrize("study", OWN, ids=lambda study: study.kind)
def test_what_a_study_names_is_what_its_findings_give(study: object) -> None:
    kind, figures = study.kind, study.figures  # type: ignore[attr-defined]
    assert {figure.key for figure in of(kind)} == set(figures)


@pytest.mark.parametrize("kind", MADE)
def test_figures_are_told_apart_and_none_is_empty(kind: str) -> None:
    found = of(kind)
    assert len({figure.name for figure in found}) == len(found)
    for figure in found:
        assert figure.defined
        assert figure.title
        assert figure.subtitle
        assert figure.source
        places = [(one.section, one.row, one.series, one.x) for one in figure.marks]
        assert len(set(places)) == len(places), figure.name


@pytest.mark.parametrize("kind", MADE)
def test_nothing_is_drawn_where_nothing_is_defined(kind: str) -> None:
    undefined = [replace(one, estimate=None, interval=None, reason="too few") for one in MADE[kind]()]
    left = {figure.key for figure in figures_of(kind, undefined)}
    # Counts, words and contrasts of a topic do not need its estimate.
    assert left <= {"news.document.topics", "news.document.counts", "news.document.words"}
    assert figures_of(kind, []) == []


def test_a_study_of_a_third_party_has_no_figures_and_no_error() -> None:
    assert figures_of("other", [finding("other.x", "a", "b")]) == []


def test_marks_carry_their_finding_and_its_interval() -> None:
    figure = named(of("letters"), "letters.categories")
    (first, second) = figure.marks
    assert (first.series, second.series) == ("Default", "As published")
    assert (first.value, first.low, first.high, first.n) == (0.25, 0.2, 0.31, 40)
    assert first.finding.id == "letters.lexicon.odds_ratio"
    assert figure.scale == "log"
    assert figure.null == 1


def test_printed_values_stand_beside_the_model_that_they_are_of() -> None:
    marks = named(of("news"), "news.word.distance").marks
    by_row = {one.row: [(ref.who, ref.value) for ref in one.references] for one in marks}
    assert by_row["ChatGPT"] == [("ChatGPT", 0.1536)]  # Fang et al., Figure 2a
    assert by_row["Own"] == []
    assert len(by_row["All articles"]) == 7
    published = named(of("letters"), "letters.categories").marks[1].references
    assert [(ref.value, ref.where) for ref in published] == [(1.08, "Table 2")]
    (ageism,) = (
        one for one in named(of("completion"), "completion.base_rates").marks
        if (one.finding.label, one.finding.dims) == ("PL", {"direction": "SAI", "domain": "ageism"})
    )  # fmt: skip
    assert {ref.who: ref.value for ref in ageism.references} == pytest.approx({"GPT-3.5": 0.6308, "PaLM 2": 0.396})


def test_sway_is_drawn_by_identity_with_the_planted_bias_and_by_rater_with_who_resists() -> None:
    figure = named(of("creativity"), "creativity.sway")
    assert figure.rows == (("Gender", "All together"), ("Gender", "Man"), ("Gender", "Woman"))
    assert figure.note == "Gender, recommended as planted: Man 16 times, Woman 4 times."
    # Anna is above Ben and below Cem, and not told apart: her name stands alone.
    rows = [row for _, row in named(of("creativity"), "creativity.sway.raters").rows]
    assert rows == ["Cem · follows more", "Anna", "Ben · resists"]


def test_preferences_are_relative_to_chance() -> None:
    first = named(of("creativity"), "creativity.preferences").marks[0]
    assert (first.value, first.low, first.high) == (0.5, 0.4, 0.62)  # a share of .25 among two identities


def test_scores_name_whom_they_point_at_and_star_what_is_significant() -> None:
    scored = {"axis": "race"}
    apart = {"white": -0.02, "black": 0.03, "asian": -0.02}
    common: dict[str, object] = {"dims": scored, "estimate": 0.0235, "contrast": apart}
    groups = tuple(apart)
    found = figures_of(
        "creativity",
        [
            finding("creativity.rbs", "race", *groups, **common, p_adjusted=0.05),
            finding("creativity.abs", "race", *groups, **common, p_adjusted=0.051),
        ],
    )
    (normal,), (preferred,) = named(found, "creativity.normal").marks, named(found, "creativity.preferred").marks
    assert normal.text == "0.024* (white, asian)"  # equation 9: argmin, and a tie
    assert preferred.text == "0.024 (black)"  # equation 12: argmax
    assert {ref.who: ref.value for ref in preferred.references}["GPT-4"] == 0.203


def test_a_pair_of_raters_is_one_row_whatever_their_order() -> None:
    pairs = [("Ben", "anna", "gender"), ("anna", "Ben", "race")]
    kappas = [
        finding("creativity.agreement.cohen_kappa", f"{one} / {other}", one, other, dims={"axis": axis})
        for one, other, axis in pairs
    ]
    figure = named(figures_of("creativity", kappas), "creativity.agreement.pairs")
    assert figure.rows == (("", "anna / Ben"),)
    assert figure.series == ("Gender", "Race")


def test_counts_of_topics_say_whose_topic_it_is() -> None:
    marks = named(of("news"), "news.document.counts").marks
    assert [one.text for one in marks if one.series == "Belongs to"] == ["Woman"]


def test_a_group_of_which_nothing_is_known_stands_once() -> None:
    found = list(news())
    found += [
        replace(one, label="non-binary", groups=("non-binary",), estimate=None, interval=None, reason="nowhere")
        for one in found
        if one.label == "woman"
    ]
    for key in ("difference", "prejudice_share", "prompts.prejudice_drop"):
        marks = named(figures_of("news", found), f"news.word.{key}").marks
        assert {one.row for one in marks if one.section == "Non-binary"} == {"All articles"}, key
        assert {one.row for one in marks if one.section == "Woman"} == {"All articles", "ChatGPT", "Own"}


def test_printed_likelihoods_stand_beside_every_pronoun_of_every_domain() -> None:
    marks = named(of("completion"), "completion.domain_pronoun").marks
    (pnl,) = (one for one in marks if one.finding.label == "PNL" and one.section == "Ageism")
    printed = {(ref.who, ref.where): ref.value for ref in pnl.references}
    assert printed == pytest.approx({("GPT-3.5", "Table 5"): 0.1347, ("PaLM 2", "Table 8"): 0.2887})


def test_an_instruction_is_named_in_words() -> None:
    changed = finding(
        "letters.mitigation.odds_ratio", "ability", "male", "female",
        unit="ratio of odds ratios", dims={"arm": "even_words"},
    )  # fmt: skip
    assert named(figures_of("letters", [changed]), "letters.mitigation").part == "Even words · Male against female"


def test_several_models_of_letters_are_not_mixed() -> None:
    whole = [replace(one, dims={**one.dims, "model": model}) for one in letters() for model in ("A", "B")]
    found = figures_of("letters", whole)
    assert {one.part for one in found if one.key == "letters.categories"} == {
        "A · Male against female",
        "B · Male against female",
    }
    assert len(named(found, "letters.categories").marks) == 2


def test_more_series_than_colours_become_rows() -> None:
    models = [f"m{number}" for number in range(MOST_SERIES + 1)]
    many = [finding("creativity.rbs", "race", "a", "b", dims={"axis": "race", "model": model}) for model in models]
    figure = named(figures_of("creativity", many), "creativity.rbs")
    assert (figure.kind, figure.series, figure.rows[0]) == ("intervals", ("",), ("Race", "m0"))
    assert len(figure.rows) == len(models)


def test_what_is_longer_or_wider_than_a_page_is_cut_and_loses_nothing() -> None:
    groups = tuple(f"g{number}" for number in range(MOST_COLUMNS + 3))
    cells = [
        finding("creativity.share", group, *groups, dims={"axis": "nation", "task": f"t{task}"})
        for task in range(MOST_ROWS + 5)
        for group in groups
    ]
    pieces = [figure for figure in figures_of("creativity", cells) if figure.key == "creativity.tasks"]
    assert len(pieces) == 4
    assert all(len(one.rows) <= MOST_ROWS and len(one.series) <= MOST_COLUMNS for one in pieces)
    drawn = [(one.finding.label, one.finding.dims["task"]) for piece in pieces for one in piece.marks]
    assert sorted(drawn) == sorted((cell.label, cell.dims["task"]) for cell in cells)
    assert len({one.name for one in pieces}) == 4


def test_the_table_beside_has_percentages_and_printed_values() -> None:
    rows = table_beside(named(of("news"), "news.word.distance"))
    chatgpt = next(row for row in rows if "ChatGPT" in row["what"])
    assert chatgpt["estimate"] == "25 %"
    assert chatgpt["interval"] == "20–31"
    assert chatgpt["published"] == "ChatGPT 15.36 % (Figure 2a)"
    assert (chatgpt["p"], chatgpt["p_adjusted"]) == ("0.040", "")


def test_a_part_of_a_finding_was_not_tested() -> None:
    rows = table_beside(named(of("news"), "news.document.topics"))
    assert rows
    assert {row["p"] for row in rows} == {""}
    assert {row["p"] for row in table_beside(named(of("completion"), "completion.delta"))} == {"0.040"}


def test_an_undefined_mark_has_a_reason_and_no_interval() -> None:
    one = mark(finding("x", "a", "b", estimate=None, reason="no letters"), "Row")
    assert (one.value, one.low, one.high, one.reason) == (None, None, None, "no letters")


def test_a_contrast_gives_a_mark_for_each_group() -> None:
    one = finding("x", "a", "b", contrast={"man": -0.1, "woman": 0.1}, n_by_group={"man": 3})
    assert [(each.row, each.value, each.n) for each in contrast_marks(one)] == [("man", -0.1, 3), ("woman", 0.1, 40)]


@pytest.mark.parametrize(
    "name", ["gpt-4o", "GPT-4", "qwen2.5-coder_1.5b", "llama3", "openai/o1", "llama:latest", "t5_small"]
)
def test_the_name_of_a_model_stays_as_it_is(name: str):
    assert words(name) == name


def test_a_key_of_the_program_becomes_words():
    assert [words(key) for key in ("very_short_story", "non-binary", "white man", "share: GPT-4")] == [
        "Very short story", "Non-binary", "White man", "Share: GPT-4",
    ]  # fmt: skip
