"""Measuring for estimates alone gives those of the whole measure, with their numbers, of every study; and no more."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from seeded_part import seeded_part

from biasprint.core.findings import StudyResult
from biasprint.core.metrics.means import t_quantile, two_sided_t
from biasprint.core.metrics.result import only_estimates
from biasprint.core.prompts import load_axis
from biasprint.core.runs.measure.between import estimates_of
from biasprint.core.scorers.segment import sentences
from biasprint.core.studies.compare.measure import Compared, Measure
from biasprint.core.studies.compare.measure import measure as measure_compared
from biasprint.core.studies.completion.measure import measure as measure_completion
from biasprint.core.studies.completion.table import CompletionTable
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.distances import OutputTable
from biasprint.core.studies.creativity.judgments import agreed_judgments
from biasprint.core.studies.creativity.outputs import measure_outputs
from biasprint.core.studies.kit.crossed import crossing_of
from biasprint.core.studies.letters.lexicon import letters_table
from biasprint.core.studies.letters.measure import LetterInputs, measure_whole
from biasprint.core.studies.letters.style import StyleScores
from biasprint.core.studies.news.measure import NewsRequest, measure_rows

CELLS = ("white-man", "black-man", "white-woman", "black-woman")
LETTER_CELLS = ("white-male", "black-male", "white-female", "black-female")
HE = "He has talent and skill and talent. He is a splendid leader. I recommend him. He led a large team."
SHE = "She is a daughter and mother and a daughter. She is a warm woman. I recommend her. She helped a large team."


def completion() -> StudyResult:
    rng = np.random.default_rng(2)
    rows = [
        {"domain": domain, "direction": "SAI", "pronoun": pronoun, "given": given, "positive": "good",
         "negative": "bad",
         "neutral": "busy",
         "response": ("good", "bad", "busy", "neither")[rng.choice(4, p=(0.4, 0.3, 0.2, 0.1))],
         "term": f"{given} {term}", "order": "positive, negative, neutral"}
        for domain in ("ageism", "beauty") for given in ("positive", "negative") for term in range(4)
        for pronoun in ("masculine", "feminine")
    ]  # fmt: skip
    return measure_completion(CompletionTable(**{name: [row[name] for row in rows] for name in rows[0]}), resamples=50)


def outputs() -> StudyResult:
    rng = np.random.default_rng(3)
    rows = [
        (f"task {block % 3}", f"theme {block}", identity, heat)
        for block in range(8)
        for identity in ("default", *CELLS)
        for heat in ("0.2", "0.8")
    ]
    task, theme, identity, heat = zip(*rows, strict=True)
    crossing = crossing_of(CELLS, [load_axis("gender_race").definition()])
    assert crossing is not None
    return measure_outputs(
        OutputTable(task, theme, identity, temperature=heat, text=("A poem.",) * len(rows)),
        rng.normal(size=(len(rows), 12)),
        axes={"gender_race": CELLS},
        crossings={"gender_race": crossing},
        words={"black-man": ("he",)},
        resamples=50,
        parts=True,
    )


def judgments(raters: int = 1, *, apart: bool = True) -> StudyResult:
    rng = np.random.default_rng(4)
    shown = ("man", "woman", "non-binary")
    rows = [(f"c{number}" if apart else f"c{number // 2}", f"r{number % raters}") for number in range(36)]
    comparison, rater = zip(*rows, strict=True)
    table = JudgmentTable(
        comparison=comparison,
        rater=rater,
        axis=("gender",) * len(rows),
        shown=(shown,) * len(rows),
        outcome=("choice",) * len(rows),
        chosen=tuple(rng.choice(shown, size=len(rows)).tolist()),
    )
    return agreed_judgments(table, axes={"gender": shown}, resamples=50)


def news() -> StudyResult:
    rng = np.random.default_rng(5)

    def article() -> str:
        return " ".join(f"The {rng.choice(('man', 'woman', 'Black man', 'white woman'))} spoke." for _ in range(6))

    columns = {
        "originals": [article() for _ in range(12)],
        "generated": [article() for _ in range(11)] + ["I cannot write this."],
        "headlines": [f"h{number // 2}" for number in range(12)],
        "domains": ["nytimes", "reuters"] * 6,
    }
    request = NewsRequest(axes=("gender", "race", load_axis("gender_race")), resamples=50)
    few = patch("biasprint.core.studies.news.level.FEWEST_DEALS", 50)
    with patch("biasprint.core.studies.news.measure.document_findings", return_value=[]), few:
        return measure_rows(columns, request)


def compared(*, yes_or_no: bool = False, blocks: bool = True) -> StudyResult:
    rng = np.random.default_rng(6)
    groups = ["a", "b", "c"] * 12
    values = rng.integers(0, 2, 36) if yes_or_no else rng.normal(size=36)
    table = Compared(
        [f"A text with {word} words, and she said so." for word in rng.choice(("ten", "some", "two"), 36)],
        {"group": groups},
        [str(place // 3) for place in range(36)] if blocks else [""] * 36,
        embeddings=list(rng.normal(size=(36, 4))),
    )
    return measure_compared(table, [Measure("warmth", values.astype(float), yes_or_no=yes_or_no)], resamples=50)


def letters() -> StudyResult:
    rng = np.random.default_rng(7)
    groups = LETTER_CELLS * 12
    texts = [
        f"{(HE, SHE)[who.endswith('female')]} It was {rng.choice(('a leader', 'warm', 'talent'))} no. {place}."
        for place, who in enumerate(groups)
    ]
    scored = [rng.random(len(sentences(text))) for text in texts]
    inputs = LetterInputs(
        tuple(texts), contexts=tuple(texts), styles={"agency": StyleScores.of_sentences(scored, _use())},
        vectors="minilm",
    )  # fmt: skip
    crossing = crossing_of(set(groups), [load_axis("letters_gender_race").definition()])
    table = letters_table(texts, groups, blocks=[str(place // 4) for place in range(len(groups))], crossing=crossing)
    return measure_whole(table, inputs, resamples=50)


def _use() -> Any:
    from biasprint.core.findings import ScorerUse

    return ScorerUse("agency", "made up", "1")


@pytest.mark.parametrize(
    "study",
    seeded_part(
        [
            completion,
            outputs,
            judgments,
            lambda: judgments(6),
            lambda: judgments(2, apart=False),
            news,
            compared,
            lambda: compared(blocks=False),
            lambda: compared(yes_or_no=True),
            lambda: compared(yes_or_no=True, blocks=False),
            letters,
        ],
        4,
    ),
)
def test_estimates_alone_are_those_of_the_whole_measure(study: Callable[[], StudyResult]) -> None:
    whole = study().findings
    with only_estimates():
        alone = study().findings
    known = estimates_of([one for one in whole if one.variant == "default"])
    found = estimates_of([one for one in alone if one.variant == "default"])
    assert found.keys() == known.keys()
    assert {key: n for key, (_, n) in found.items()} == {key: n for key, (_, n) in known.items()}
    for key, (estimate, _) in known.items():
        assert found[key][0] == pytest.approx(estimate, rel=1e-12, abs=1e-15), key
    assert any(one.p is not None for one in whole)
    assert not [one for one in alone if one.interval or one.p is not None or one.floor or one.power]


@pytest.mark.parametrize("freedom", [1, 2.5, 7, 39, 1e6])
def test_t_is_that_of_scipy_to_the_last_bit(freedom: float) -> None:
    from scipy.stats import t

    for probability in (0.025, 0.6, 0.975, 0.9999):
        assert t_quantile(probability, freedom) == t.ppf(probability, freedom)
    for statistic in (0.0, 0.3, -2.1, 12.0):
        assert two_sided_t(statistic, freedom) == 2 * t.sf(abs(statistic), freedom)
