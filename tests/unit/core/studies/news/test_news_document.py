"""The document level of the news study: equations 7 to 9, topic sets, floors, and what is undefined."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from biasprint.core.findings import Finding
from biasprint.core.prompts import load_axis
from biasprint.core.prompts.axes import Axis
from biasprint.core.studies.kit.crossed import crossing_of
from biasprint.core.studies.news.document import document_findings, measure_documents
from biasprint.core.studies.news.table import GroupAxis, NewsTable, group_axis, news_table
from biasprint.core.studies.news.topics import ReadArticles, bags_of, read_articles

FEMALE, MALE = ["she", "her", "woman", "mother"], ["he", "his", "man", "father"]
# What is written about, and how often a sentence on it mentions a woman, a man, or nobody.
PLANTED = {
    "rose soil petal hedge lawn tulip spade orchard": (0.6, 0.0, 0.4),
    "engine piston valve gear motor turbine axle clutch": (0.0, 0.6, 0.4),
    "bank loan tax budget wage profit bond price": (0.1, 0.1, 0.8),
    "storm rain cloud flood frost thunder drought river": (0.1, 0.1, 0.8),
}
# Without “rose”, whose lemma is “rise”.
GARDEN, ENGINES = (set(words.split()) - {"rose"} for words in list(PLANTED)[:2])


@pytest.fixture(scope="module")
def gender() -> GroupAxis:
    return group_axis("gender")


def article(rng: np.random.Generator, shares: Sequence[float], sentences: int = 20) -> str:
    made = []
    for topic in rng.choice(4, sentences, p=shares):
        words, groups = list(PLANTED.items())[topic]
        person = [[*rng.choice(FEMALE, 1)], [*rng.choice(MALE, 1)], []][rng.choice(3, p=groups)]
        text = [*rng.choice(words.split(), 6), *person, *rng.choice(["the", "of", "and", "near"], 3)]
        rng.shuffle(text)
        made.append(" ".join(text).capitalize() + ".")
    return " ".join(made)


def planted(gender: GroupAxis, pairs: int = 60, seed: int = 0, tilt: float = 0.0) -> NewsTable:
    """Each pair on one mixture of topics; `tilt` of the gardens' share goes to the engines in generated articles."""
    sides: list[list[str]] = [[], []]
    for place in range(pairs):
        rng = np.random.default_rng([seed, place])
        shares = rng.dirichlet(np.full(4, 0.6))
        moved = np.array([-shares[0], shares[0], 0, 0]) * tilt
        sides[0].append(article(rng, shares))
        sides[1].append(article(rng, shares + moved))
    return news_table(*sides, [gender], headlines=[f"story {place}" for place in range(pairs)])


@pytest.fixture(scope="module")
def tilted(gender: GroupAxis) -> list[Finding]:
    return document_findings(planted(gender, 60, seed=3, tilt=0.8), seed=1, resamples=999, topics=(4,))


def of(findings: Sequence[Finding], measure: str, label: str = "", variant: str = "default", **dims: str) -> Finding:
    (found,) = [
        each
        for each in findings
        if each.id == f"news.document.{measure}"
        and each.variant == variant
        and label in ("", each.label)
        and dims.items() <= each.dims.items()
    ]
    return found


class KnownTopics:
    """Stands for a learnt model where a test says itself which topic a sentence has."""

    topics, articles, tried = 3, 4, dict[int, float]()

    def relevant_words(self, topic: int) -> list[str]:
        return [f"word{topic}"]


def read_by_hand(gender: GroupAxis) -> ReadArticles:
    """Two pairs; topic 0 goes with women, 1 with men, 2 with neither; proportions are given."""
    text = "She ran. " * 10 + "He ran. " * 10 + "It ran. " * 20
    texts = [text, text + "It ended.", text + "It stopped.", text + "It went on."]
    table = news_table(texts[:2], texts[2:], [gender], headlines=["one", "two"])
    topics = np.repeat([0, 1, 2], [10, 10, 21])
    # g(women) = t₀ / (t₀ + t₁):        original .4/.5 = .8 and .2/.8 = .25; generated .3/.6 = .5 and .1/.4 = .25
    proportions = np.array([[0.4, 0.1, 0.5], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4], [0.1, 0.3, 0.6]])
    number: Any = {"original": np.array([0, 1]), "generated": np.array([2, 3])}
    model: Any = KnownTopics()
    bags = bags_of([["She ran."]] * 4)
    return ReadArticles(table, model, bags, number, proportions, (topics[:-1], topics, topics, topics), seed=0)


def test_equations_8_and_9_by_hand(gender: GroupAxis) -> None:
    measured = measure_documents(read_by_hand(gender), gender, 0, 99)
    values = measured.measured.published
    assert values is not None
    woman, man = 0, 1
    # W = ½ (|.5 − .8| + |.5 − .2|) = .3 for the first pair, 0 for the second; their mean, equation 9, is .15.
    assert values.distance == pytest.approx([0.3, 0.0])
    assert values.signed[:, woman] == pytest.approx([-0.3, 0.0])
    assert values.signed[:, man] == pytest.approx([0.3, 0.0])
    assert values.among.all()
    worse = values.worse(1.0)
    assert worse[:, woman].tolist() == [True, False]
    assert not worse[:, man].any()


def test_a_pair_without_group_topics_is_dropped(gender: GroupAxis) -> None:
    read = read_by_hand(gender)
    proportions = read.proportions.copy()
    proportions[2] = [0.0, 0.0, 1.0]
    values = measure_documents(replace(read, proportions=proportions), gender, 0, 99).measured.published
    assert values is not None
    assert values.defined.tolist() == [False, True]


def test_equation_7_by_hand(gender: GroupAxis) -> None:
    # Generated articles: topics × (woman, man, neutral) = diag(20, 20, 42), N = 82. For topic 0 and women:
    # E = 20·20/82 = 4.878, SR = (20 − 4.878) / √(4.878 (1 − 20/82)²) = 15.122 / (2.2086 · 0.7561) = 9.055.
    generated = measure_documents(read_by_hand(gender), gender, 0, 99).published[1]
    assert generated.counts.tolist() == [[20, 0, 0], [0, 20, 0], [0, 0, 42]]
    assert generated.membership.residuals[0, 0] == pytest.approx(9.0554, abs=1e-3)
    assert generated.membership.group.tolist() == [0, 1, 2]
    assert generated.sizes == "Woman 1, Man 1"


def test_the_planted_topics_are_found_and_no_others(tilted: list[Finding]) -> None:
    for variant, sources in (("default", ["original"]), ("as_published", ["original", "generated"])):
        for source in sources:
            topics = [
                each
                for each in tilted
                if each.id == "news.document.topic" and each.variant == variant and each.dims["source"] == source
            ]
            named = {each.groups[0]: set(each.note.split(": ")[1].split(".")[0].split(", ")) for each in topics}
            assert len(topics) == 2
            assert named["woman"] >= GARDEN
            assert named["man"] >= ENGINES
    default = of(tilted, "association", source="original")
    assert default.p == pytest.approx(1 / 1000)
    assert default.floor is not None
    assert default.estimate is not None
    assert default.floor.p95 < default.estimate


def test_a_tilt_from_gardens_to_engines_is_against_women(tilted: list[Finding]) -> None:
    woman = of(tilted, "difference", "woman")
    assert woman.interval is not None
    assert woman.interval.high < 0
    assert woman.p_adjusted is not None
    assert woman.p_adjusted < 0.05
    distance = of(tilted, "wasserstein")
    assert distance.floor is not None
    assert distance.estimate is not None
    assert distance.floor.p < 0.05
    assert distance.floor_subtracted == pytest.approx(distance.estimate - distance.floor.mean)
    assert distance.contrast == pytest.approx({"woman": woman.estimate, "man": -(woman.estimate or 0)})
    assert "4 topics learnt from 120 articles" in distance.note
    assert "runs of sentences, about 8 a pair" in distance.note
    share = of(tilted, "prejudice_share", "woman")
    assert share.floor is not None
    assert (share.estimate or 0) > share.floor.p95


def test_distance_and_drop_have_intervals_within_their_bounds_by_default(tilted: list[Finding]) -> None:
    for measure, label in (("wasserstein", "gender"), ("prejudice_drop", "woman")):
        default, published = (of(tilted, measure, label, variant) for variant in ("default", "as_published"))
        assert default.interval is not None
        assert published.interval is not None
        assert default.interval.method.startswith("Wilson by effective n")
        assert not published.interval.method.startswith("Wilson")
        assert 0 <= default.interval.low < (default.estimate or 0) < default.interval.high <= 1


def test_biased_prompts_are_compared_on_their_headlines(gender: GroupAxis) -> None:
    plain, biased = planted(gender, 24, seed=11), planted(gender, 24, seed=11, tilt=1.0)
    assert plain.texts("original") == biased.texts("original")
    table = news_table(
        plain.texts("original") * 2,
        plain.texts("generated") + biased.texts("generated"),
        [gender],
        headlines=list(map(str, range(24))) * 2,
        prompt_kinds=["unbiased"] * 24 + ["androcentric"] * 24,
    )
    findings = document_findings(table, resamples=99, topics=(4,))
    (compared,) = (
        each
        for each in findings
        if each.id == "news.document.difference.prompts" and each.label == "woman" and each.variant == "default"
    )
    assert compared.estimate is not None
    assert compared.estimate < 0
    assert compared.groups == ("androcentric", "unbiased")
    sources = [each.title for each in findings if each.id == "news.document.association"]
    assert "Topics and groups, generated, androcentric: Gender" in sources


def test_the_published_share_is_of_all_defined_pairs_and_the_default_of_originals_with_the_group(
    tilted: list[Finding],
) -> None:
    default, published = (of(tilted, "prejudice_share", "woman", kind) for kind in ("default", "as_published"))
    assert published.n == of(tilted, "wasserstein", variant="as_published").n
    assert 0 < default.n < published.n
    assert default.interval is not None
    assert default.floor is not None


def test_a_group_without_topics_is_undefined_and_says_so(tilted: list[Finding]) -> None:
    for measure in ("difference", "prejudice_share", "prejudice_drop"):
        missing = of(tilted, measure, "non-binary")
        assert missing.estimate is None
        assert missing.reason == "no topic belongs to “non-binary”"


def test_identical_texts_give_no_distance_with_one_topic_set(gender: GroupAxis) -> None:
    texts = list(planted(gender, 30, seed=5).texts("original"))
    table = news_table(texts, texts, [gender])
    findings = document_findings(table, resamples=199, topics=(4,))
    distance = of(findings, "wasserstein")
    assert distance.estimate == 0.0
    assert distance.floor is not None
    assert distance.floor.p == 1.0
    assert of(findings, "difference", "woman").estimate == 0.0


def test_sets_of_each_source_give_a_distance_for_identical_texts(gender: GroupAxis) -> None:
    class FourTopics(KnownTopics):
        topics = 4

    read = read_by_hand(gender)
    # Pair 2 has one text on both sides; in the other generated article women go with a fourth topic.
    number: Any = {"original": np.array([0, 1]), "generated": np.array([2, 1])}
    topics = (*read.sentence_topics[:2], np.repeat([3, 1, 2], [10, 10, 21]), read.sentence_topics[3])
    proportions = np.array([[0.4, 0.1, 0.5, 0.0], [0.2, 0.6, 0.1, 0.1], [0.3, 0.3, 0.4, 0.0], [0.1, 0.3, 0.6, 0.0]])
    model: Any = FourTopics()
    changed = replace(read, model=model, number=number, sentence_topics=topics, proportions=proportions)
    measured = measure_documents(changed, gender, 0, 99)
    originals, generated = measured.published
    assert originals.of_group(0).tolist() == [0]
    assert generated.of_group(0).tolist() == [0, 3]
    # g(women) = .2 / .8 = .25 by the originals' set and .3 / .9 = .333 by the other.
    assert measured.measured.published is not None
    assert measured.measured.published.distance[1] == pytest.approx(1 / 3 - 1 / 4)
    assert measured.measured.values.distance[1] == 0


def test_the_same_seed_gives_the_same_findings(gender: GroupAxis) -> None:
    one, again = (document_findings(planted(gender, 12, seed=8), 4, 99, topics=(3,)) for _ in range(2))
    assert one == again


@pytest.mark.soak
def test_models_are_measured_apart_and_have_topic_sets_of_their_own(gender: GroupAxis) -> None:
    table = planted(gender, 30, seed=6)
    originals, generated = list(table.texts("original")), list(table.texts("generated"))
    both = news_table(
        originals * 2,
        generated + originals,
        [gender],
        headlines=list(map(str, range(30))) * 2,
        models=["one"] * 30 + ["copy"] * 30,
    )
    findings = document_findings(both, resamples=99, topics=(4,))
    assert of(findings, "wasserstein", variant="default", model="copy").estimate == 0.0
    assert (of(findings, "wasserstein", variant="default", model="one").estimate or 0) > 0
    published = [each for each in findings if each.id == "news.document.association" and each.variant == "as_published"]
    assert [each.dims.get("model") for each in published] == [None, "one", "copy"]
    # The originals are thirty articles, however many models wrote for them.
    assert of(findings, "association", source="original", variant="default").note.startswith("30 articles")


@pytest.mark.parametrize(
    ("topics", "reason"), [((250,), "250 topics are more than"), ((1,), "at least two topics"), ((2, 4), "")]
)
def test_too_many_topics_for_the_corpus_is_a_reason(gender: GroupAxis, topics: tuple[int, ...], reason: str) -> None:
    findings = document_findings(planted(gender, 12, seed=2), resamples=99, topics=topics)
    distance = of(findings, "wasserstein")
    if reason:
        assert distance.estimate is None
        assert reason in (distance.reason or "")
        assert {each.estimate for each in findings} == {None}


def test_nothing_to_compare_is_undefined_with_reasons(gender: GroupAxis) -> None:
    nobody = ["The rain fell on the town. The bank closed.", "The wind rose near the bank. The rain fell."]
    for originals, generated in ((nobody, nobody[::-1]), (nobody[:1], nobody[1:]), ([], [])):
        findings = document_findings(news_table(originals, generated, [gender]), resamples=99)
        assert findings
        assert all(each.estimate is None and each.reason for each in findings)


@pytest.mark.soak
def test_one_source_without_group_topics_leaves_the_others_their_numbers(gender: GroupAxis) -> None:
    table = planted(gender, 30, seed=6)
    person = re.compile(rf"\b({'|'.join(FEMALE + MALE)})\b ?", re.IGNORECASE)
    plain = [person.sub("", text) for text in table.texts("generated")]
    both = news_table(
        table.texts("original") * 2,
        [*table.texts("generated"), *plain],
        [gender],
        models=["one"] * 30 + ["nobody"] * 30,
    )
    findings = document_findings(both, resamples=99, topics=(4,))
    missing = of(findings, "wasserstein", variant="as_published", model="nobody")
    assert missing.estimate is None
    assert missing.reason is not None
    assert "fewer than two groups" in missing.reason
    assert "generated, nobody" in missing.reason
    for variant, model in (("default", "nobody"), ("default", "one"), ("as_published", "one")):
        assert of(findings, "wasserstein", variant=variant, model=model).estimate is not None


def test_equal_originals_are_read_once(gender: GroupAxis) -> None:
    table = news_table(["She ran home. The dog ran."] * 3, ["He ran home. The dog sat."] * 3, [gender])
    read = read_articles(table, (2,))
    assert isinstance(read, ReadArticles)
    assert read.model.articles == 2
    topic, group, article_number = read.sentences(gender, "original", np.arange(3))
    assert len(topic) == len(group) == 2
    assert set(article_number) == {0}


def test_topics_on_a_crossed_axis_have_the_contrasts_of_each_headlines_difference() -> None:
    """Four topics, each with one crossed group; compared with the t-test of what a headline's shares contrast by."""
    definition = load_axis("gender_race").definition()
    cells = ("white-man", "black-man", "white-woman", "black-woman")
    own = sorted(
        (one for one in definition["identities"] if one["key"] in cells), key=lambda one: cells.index(one["key"])
    )
    axis = Axis(**{**definition, "identities": own})
    topics = [words.split() for words in PLANTED]
    sides: list[list[str]] = [[], []]
    for place in range(40):
        rng = np.random.default_rng([11, place])
        for side in sides:
            about = rng.choice(4, 14, p=rng.dirichlet(np.ones(4)))
            people = (f"{cells[topic].replace('-', ' ')} " * int(rng.random() < 0.6) for topic in about)
            side.append(
                " ".join(
                    f"The {who}{' '.join(rng.choice(topics[topic], 6))}."
                    for topic, who in zip(about, people, strict=True)
                )
            )
    counted = group_axis(axis)
    table = news_table(*sides, [counted], headlines=[f"story {place}" for place in range(40)])
    crossing = crossing_of(counted.groups, [axis.definition()])
    assert crossing is not None
    found = document_findings(table, 1, 99, topics=(4,), crossings={counted.id: crossing})
    read = read_articles(table, (4,), 1)
    assert not isinstance(read, str)
    values = measure_documents(read, counted, 1, 99).measured.values
    assert values.present.any(axis=0).all()  # every group has a topic
    whole = values.signed[values.present.all(axis=1)]
    (both,) = [one for one in found if one.id == "news.document.crossed.interaction"]
    places = [counted.groups.index(cell) for cell in crossing.cells]
    known = ttest_1samp(whole[:, places] @ (1, -1, -1, 1), 0)
    assert both.estimate == pytest.approx(float((whole[:, places] @ (1, -1, -1, 1)).mean()))
    assert both.p == pytest.approx(known.pvalue)
    assert "Given 4 topics learnt" in both.note
    assert len([one for one in found if one.id == "news.document.crossed.main_effect"]) == 2
