"""Two crossed axes in creative writing, news and completion, against scipy and statsmodels."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.spatial.distance import cosine
from scipy.stats import ttest_1samp

from biasprint.core.findings import Finding
from biasprint.core.prompts import load_axis
from biasprint.core.prompts.axes import Axis
from biasprint.core.report.figures import figures_of
from biasprint.core.studies.completion.measure import measure as measure_completion
from biasprint.core.studies.completion.table import CompletionTable
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.distances import OutputTable
from biasprint.core.studies.creativity.judgments import measure_judgments
from biasprint.core.studies.creativity.outputs import measure_outputs
from biasprint.core.studies.kit.choose import kind_title
from biasprint.core.studies.kit.crossed import crossing_of
from biasprint.core.studies.news.measure import NewsRequest, measure, measure_rows
from biasprint.core.studies.news.table import group_axis, news_table

AXIS = load_axis("gender_race")
CELLS = ("white-man", "black-man", "white-woman", "black-woman")
BLOCKS = 12


def narrowed() -> Axis:
    """The shipped axis with four of its nine identities."""
    definition = AXIS.definition()
    own = [identity for identity in definition["identities"] if identity["key"] in CELLS]
    return Axis(**{**definition, "identities": sorted(own, key=lambda one: CELLS.index(one["key"]))})


def by_id(findings: "tuple[Finding, ...]", end: str, axis: str) -> Finding:
    (found,) = [one for one in findings if one.id.endswith(end) and one.dims["axis"] == axis]
    return found


# ---- creative writing


def planted(rng: np.random.Generator) -> tuple[OutputTable, np.ndarray]:
    """Black women's texts alone lie further from the default ones."""
    rows, vectors = [], []
    for block in range(BLOCKS):
        centre = rng.normal(size=24)
        for identity in ("default", *CELLS):
            rows.append((f"task {block % 3}", f"theme {block}", identity))
            vectors.append(centre + rng.normal(size=24) * (1.2 if identity == "black-woman" else 0.5))
    task, theme, identity = zip(*rows, strict=True)
    return OutputTable(task, theme, identity), np.array(vectors)


def test_distances_on_a_crossed_axis_have_the_effects_of_both_axes_and_their_interaction() -> None:
    table, vectors = planted(np.random.default_rng(3))
    crossing = crossing_of(CELLS, [AXIS.definition()])
    assert crossing is not None
    found = measure_outputs(table, vectors, axes={"gender_race": CELLS}, crossings={"gender_race": crossing}).findings
    places = {(theme, who): place for place, (theme, who) in enumerate(zip(table.theme, table.identity, strict=True))}

    def distance(block: int, who: str) -> float:
        return float(cosine(vectors[places[f"theme {block}", who]], vectors[places[f"theme {block}", "default"]]))

    distances = np.array([[distance(block, who) for who in CELLS] for block in range(BLOCKS)])
    for end, axis, weights in (
        ("distance.interaction", "gender_race", (1, -1, -1, 1)),
        ("distance.main_effect", "race", (0.5, -0.5, 0.5, -0.5)),
    ):
        one, known = by_id(found, end, axis), ttest_1samp(distances @ weights, 0)
        assert one.estimate == pytest.approx((distances @ weights).mean())
        assert one.p == pytest.approx(known.pvalue)
        assert one.interval is not None
        assert (one.interval.low, one.interval.high) == pytest.approx(tuple(known.confidence_interval()))
    # The same estimate from least squares with both factors, their product and a constant for each task and theme.
    woman, black = (np.tile([0, 0, 1, 1], BLOCKS), np.tile([0, 1, 0, 1], BLOCKS))
    themes = np.repeat(np.eye(BLOCKS), 4, axis=0)
    fit = sm.OLS(distances.ravel(), np.column_stack([woman, black, woman * black, themes])).fit()
    interaction = by_id(found, "distance.interaction", "gender_race")
    assert interaction.estimate == pytest.approx(fit.params[2])
    assert interaction.p_adjusted is not None
    assert interaction.p_adjusted < 0.05
    assert interaction.groups == CELLS
    assert interaction.n_by_group == dict.fromkeys(CELLS, BLOCKS)


def test_preferences_on_a_crossed_axis_have_main_effects_and_an_interaction() -> None:
    """Raters prefer texts for Black women alone, whatever they are beside: neither axis by itself says so."""
    rng, rows = np.random.default_rng(5), []
    for number in range(120):
        one, other = list(combinations(CELLS, 2))[number % 6]
        for rater in ("A", "B", "C", "D", "E", "F"):
            liked = "black-woman" if "black-woman" in (one, other) and rng.random() < 0.8 else rng.choice([one, other])
            rows.append((f"c{number}", rater, (one, other), str(liked)))
    comparison, rater, shown, chosen = zip(*rows, strict=True)
    n = len(rows)
    table = JudgmentTable(
        comparison, rater, ("gender_race: ranking",) * n, shown, ("choice",) * n, chosen, ranked=("gender_race",) * n
    )
    result = measure_judgments(table, axes={}, parts=True, resamples=9, crossed={"gender_race": AXIS.definition()})
    crossed = tuple(one for one in result.findings if one.id.startswith("creativity.crossed.preference"))
    assert [(one.dims["axis"], one.groups) for one in crossed] == [
        ("gender", ("man", "woman")),
        ("race", ("white", "black")),
        ("gender_race", ("white-man", "black-man", "white-woman", "black-woman")),
    ]
    gender, race, both = crossed
    # Its odds to be preferred are 0.9 to 0.1; the others are equal. So ln π is ln 9 for it and 0 for three of them.
    assert gender.estimate == pytest.approx(1 / 3, rel=0.3)  # exp(−½ ln 9)
    assert race.estimate == pytest.approx(1 / 3, rel=0.3)
    assert both.estimate == pytest.approx(9, rel=0.35)
    assert both.interval is not None
    assert 1 < both.interval.low < 9 < both.interval.high
    assert both.p_adjusted is not None
    assert both.p_adjusted < 0.01
    assert (both.unit, both.n) == ("ratio of odds ratios", n)
    assert both.n_by_group["black-woman"] == n // 2  # a pair of six has it in three
    told = [figure.key for figure in figures_of("creativity", list(crossed))]
    assert "creativity.crossed" in told


def test_an_axis_that_is_not_crossed_has_no_such_findings() -> None:
    table, vectors = planted(np.random.default_rng(3))
    found = measure_outputs(table, vectors, axes={"gender_race": CELLS}).findings
    assert not [one for one in found if ".crossed." in one.id]


# ---- news

MENTIONS = {
    "white-man": "white man",
    "black-man": "black man",
    "white-woman": "white woman",
    "black-woman": "black woman",
}


def article(counts: "dict[str, int]") -> str:
    return "".join(f"A {MENTIONS[who]} spoke. " * count for who, count in counts.items()) + "It rained."


def test_news_on_a_crossed_axis_compares_the_differences_of_the_groups_by_headline() -> None:
    rng = np.random.default_rng(4)
    originals = rng.integers(1, 5, size=(9, 4))
    generated = rng.integers(1, 5, size=(9, 4))
    texts = [[article(dict(zip(CELLS, row.tolist(), strict=True))) for row in side] for side in (originals, generated)]
    axis = narrowed()
    counted = group_axis(axis)
    table = news_table(*texts, [counted], headlines=[f"h{row}" for row in range(9)])
    crossing = crossing_of(counted.groups, [axis.definition()])
    assert crossing is not None
    result = measure(table, resamples=50, crossings={counted.id: crossing})
    shares = generated / generated.sum(axis=1, keepdims=True) - originals / originals.sum(axis=1, keepdims=True)
    known = ttest_1samp(shares @ (1, -1, -1, 1), 0)
    one = by_id(result.findings, "news.word.crossed.interaction", "gender_race")
    assert (one.estimate, one.p) == pytest.approx(((shares @ (1, -1, -1, 1)).mean(), known.pvalue))
    main = by_id(result.findings, "news.word.crossed.main_effect", "gender")
    assert main.estimate == pytest.approx((shares @ (0.5, 0.5, -0.5, -0.5)).mean())
    assert main.groups == ("man", "woman")


def test_a_group_that_no_article_mentions_is_named() -> None:
    originals = [article({"white-man": 2, "black-man": 1, "white-woman": 1})] * 4
    generated = [article({"white-man": 1, "black-man": 1, "white-woman": 2})] * 4
    columns = {"originals": originals, "generated": generated, "headlines": list("abcd")}
    found = measure_rows(columns, NewsRequest(axes=(narrowed(),), resamples=50)).findings
    one = by_id(found, "news.word.crossed.interaction", "gender_race")
    assert (one.estimate, one.reason) == (None, "no texts of black-woman")


# ---- completion


def replies(pronouns: tuple[str, ...] = ("masculine", "feminine")) -> CompletionTable:
    """What is given decides after “he” alone; after “she” the positive option is chosen for two of four pairs."""
    rows = []
    for given in ("positive", "negative"):
        for term in range(8):
            for pair in range(4):
                for pronoun in pronouns:
                    chosen = given if pronoun == "masculine" else "positive" if pair < 2 else "negative"
                    options = {name: f"{name}{pair}" for name in ("positive", "negative", "neutral")}
                    rows.append(
                        {"domain": "ageism", "direction": "SAI", "pronoun": pronoun, "given": given, **options,
                         "response": options[chosen], "term": f"{given} {term}"}
                    )  # fmt: skip
    return CompletionTable(**{name: [row[name] for row in rows] for name in rows[0]})


def test_completion_says_how_far_the_effect_of_what_is_given_depends_on_the_pronoun() -> None:
    found = {(one.id, one.label): one for one in measure_completion(replies(), resamples=2000).findings}
    # Masculine: 1 − 0; feminine: ½ − ½. So the interaction is 1, and with both polarities alike the share ½ for both.
    both = found["completion.crossed.interaction", "delta_P"]
    assert (both.estimate, both.groups, dict(both.dims)) == (
        1.0, ("masculine", "feminine"), {"direction": "SAI", "domain": "ageism"},
    )  # fmt: skip
    # Of the C(16, 8) = 12,870 ways to call 8 of 16 terms positive two are as extreme.
    assert both.p == pytest.approx(1 / 2001, rel=1.1)
    assert (both.n, both.n_by_group) == (128, {"masculine": 64, "feminine": 64})
    main = found["completion.crossed.main_effect", "positive"]
    assert main.estimate == pytest.approx(0)
    assert (main.interval, main.p) == (None, None)  # every term has the same share with both pronouns
    assert "nothing varies" in (main.reason or "")


def test_one_pronoun_crosses_nothing() -> None:
    found = measure_completion(replies(("masculine",)), resamples=200).findings
    assert not [one for one in found if ".crossed." in one.id]


@pytest.mark.parametrize(
    ("finding", "title"),
    [
        (
            "creativity.crossed.distance.interaction",
            "Distance from the default text, how far two axes depend on each other",
        ),
        (
            "letters.crossed.agency.main_effect.between_generators",
            "Agentic sentences, one axis whatever the other is, one generator against another",
        ),
    ],
)
def test_crossed_findings_are_called_in_words(finding: str, title: str) -> None:
    assert kind_title(finding) == title


def test_a_figure_shows_each_effect_in_a_row_and_the_interaction_apart() -> None:
    table, vectors = planted(np.random.default_rng(3))
    crossing = crossing_of(CELLS, [AXIS.definition()])
    assert crossing is not None
    found = measure_outputs(table, vectors, axes={"gender_race": CELLS}, crossings={"gender_race": crossing}).findings
    main, interaction = [one for one in figures_of("creativity", found) if one.key == "creativity.crossed"]
    assert [(one.section, one.row) for one in main.marks] == [
        ("Gender, each race counting alike", "Man against woman"),
        ("Race, each gender counting alike", "White against black"),
    ]
    (one,) = interaction.marks
    assert one.row == "Man against woman, how far it differs between white and black"
    assert (one.value, interaction.null) == (by_id(found, "distance.interaction", "gender_race").estimate, 0.0)


def test_figures_of_replies_by_pronoun_are_by_kind_of_option() -> None:
    found = measure_completion(replies(), resamples=200).findings
    shown = [one for one in figures_of("completion", found) if one.key == "completion.crossed"]
    assert [mark.row for mark in shown[0].marks] == ["Positive", "Negative"]
