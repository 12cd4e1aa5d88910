"""Poor tables in every study: no exception, no interval without width, a reason for what is undefined, and no verdict
that its own interval contradicts."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from biasprint.core.draw.words import apart
from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.prompts.designs import design_set, load_design, shipped_measure
from biasprint.core.report.questions import answered
from biasprint.core.scorers.document_success import Outcome
from biasprint.core.studies.compare.designs import Replies, measure_design
from biasprint.core.studies.compare.measure import measure as measure_compared
from biasprint.core.studies.compare.simulated import reply_to_design
from biasprint.core.studies.compare.texts import Compared, Measure
from biasprint.core.studies.completion.measure import measure as measure_completion
from biasprint.core.studies.completion.table import CompletionTable
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.distances import OutputTable
from biasprint.core.studies.creativity.judgments import agreed_judgments, measure_judgments
from biasprint.core.studies.creativity.outputs import measure_outputs
from biasprint.core.studies.kit.planting import Draw, load_dial
from biasprint.core.studies.letters.hallucination import Grounding, LetterGrounding, hallucination_findings
from biasprint.core.studies.letters.lexicon import letters_table, lexicon_findings
from biasprint.core.studies.letters.measure import success_findings
from biasprint.core.studies.letters.style import StyleScores, style_findings
from biasprint.core.studies.letters.word_ratios import PartWords, word_findings
from biasprint.core.studies.news.measure import measure as measure_news
from biasprint.core.studies.news.table import group_axis, news_table

Findings = tuple[Finding, ...]
RESAMPLES = 99
NAN = float("nan")
# Scores of texts, their groups, and their blocks.
SCORES: dict[str, tuple[list[float], str, list[str]]] = {
    "n of 1": ([0.5], "a", [""]),
    "n of 2": ([0.5, 0.7], "ab", ["", ""]),
    "n of 2 in one block": ([0.5, 0.7], "ab", ["1", "1"]),
    "one group": ([0.1, 0.4, 0.6, 0.2], "aaaa", [""] * 4),
    "all equal": ([0.3] * 12, "ab" * 6, [""] * 12),
    "all equal in blocks": ([0.3] * 12, "ab" * 6, [str(place // 2) for place in range(12)]),
    "zeros": ([0.0] * 12, "ab" * 6, [str(place // 2) for place in range(12)]),
    "each group by itself equal": ([1.0, 0.0] * 6, "ab" * 6, [""] * 12),
    "blocks that differ alike": ([1.0, 0.0] * 6, "ab" * 6, [str(place // 2) for place in range(12)]),
    "three groups": ([0.1, 0.5, 0.4, 0.8, 0.3, 0.9] * 2, "abc" * 4, [str(place // 3) for place in range(12)]),
    "three groups, all equal": ([0.5] * 12, "abc" * 4, [str(place // 3) for place in range(12)]),
    "one group's scores all missing": ([0.1, NAN, 0.5, NAN, 0.3, NAN, 0.2, NAN], "ab" * 4, [""] * 8),
    "one group's scores all missing in blocks": ([0.1, NAN, 0.5, NAN], "abab", ["1", "1", "2", "2"]),
    "all scores missing": ([NAN] * 6, "ababab", [""] * 6),
    "each text twice in its block": (
        [0.1, 0.1, 0.6, 0.6, 0.7, 0.7, 0.2, 0.2] * 3,
        "aabb" * 6,
        [str(place // 4) for place in range(24)],
    ),
    "one block holds everything": ([0.1, 0.5, 0.4, 0.8, 0.3, 0.9] * 2, "ab" * 6, ["1"] * 12),
    "blocks within one group": ([0.1, 0.5, 0.4, 0.8, 0.3, 0.9] * 2, "aabbaa" * 2, [str(at // 2) for at in range(12)]),
    "one text against many": ([0.9, *[0.1, 0.4, 0.6, 0.2] * 5], "a" + "b" * 20, [""] * 21),
    "all but one equal": ([0.0] * 11 + [1.0], "ab" * 6, [str(place // 2) for place in range(12)]),
}


def compared(case: str) -> Findings:
    values, groups, blocks = SCORES[case]
    scores = np.array(values)
    rates = Measure("rate", np.where(np.isnan(scores), NAN, scores >= 0.5), yes_or_no=True)
    vectors = [np.array([1.0, place]) for place in range(len(groups))]
    table = Compared(["he works"] * len(groups), {"group": list(groups)}, blocks, embeddings=vectors)
    return measure_compared(table, [Measure("score", scores), rates], seed=1, resamples=RESAMPLES).findings


def letters(case: str) -> Findings:
    values, groups, blocks = SCORES[case]
    table = letters_table(["A kind letter."] * len(groups), groups, blocks=blocks)
    scores = StyleScores(np.array(values), ScorerUse("positivity", "test", "1"))
    return tuple(style_findings(table, "positivity", scores, []))


def worded(case: str) -> Findings:
    """Letters of as many words as their score has tenths; none where there is no score."""
    values, groups, blocks = SCORES[case]
    number = [0 if np.isnan(value) else 1 + round(10 * value) for value in values]
    texts = ["confident leader " * each + "kind caring " * (each // 2) for each in number]
    table = letters_table(texts, groups, blocks=blocks)
    counts = np.array([[each, each, each // 2, each // 2] for each in number])
    words = ("confident", "leader", "kind", "caring")
    part = PartWords("adjective", words, csr_array(counts), counts.sum(axis=1), ScorerUse("tagger", "test", "1"))
    return (*lexicon_findings(table), *word_findings(table, part, texts))


def succeeded(case: str) -> Findings:
    values, groups, blocks = SCORES[case]
    outcomes = [Outcome.SUCCESS if value >= 0.5 else Outcome.EMPTY for value in values]
    return tuple(success_findings(groups, outcomes, ScorerUse("success", "test", "1"), blocks=blocks))


def made_up(case: str) -> Findings:
    """Ten claims a letter, five of them made up and as many of those positive as the score says; none without score."""
    values, groups, blocks = SCORES[case]
    none = LetterGrounding(*(np.zeros(0, dtype=bool),) * 3)
    some = LetterGrounding(np.arange(10) >= 5, np.zeros(10, dtype=bool), np.ones(10, dtype=bool))
    found = Grounding(tuple(none if np.isnan(each) else some for each in values), ScorerUse("entailment", "test", "1"))
    positive = [np.array([float(at < 5 * each or at == 7) for at in range(0 if np.isnan(each) else 10)])
                for each in values]  # fmt: skip
    scores = StyleScores.of_sentences(positive, ScorerUse("positivity", "test", "1"))
    table = letters_table(["A kind letter."] * len(groups), groups, blocks=blocks)
    return tuple(hallucination_findings(table, "positivity", scores, found, []))


# Designs of replies that are read, how many prompts are answered, and what is said to each; None: as its author does.
DESIGNS = ("word_association", "relative_decision", "equal_resumes")
ANSWERS: dict[str, tuple[int, str | None]] = {
    "n of 1": (1, None),
    "n of 2": (2, None),
    "six": (6, None),
    "nothing readable": (6, "I would rather not say."),
    "nothing said": (6, ""),
    "all yes": (12, "Yes."),
}


def replied(case: str) -> Findings:
    count, said = ANSWERS[case]
    findings: list[Finding] = []
    for key in DESIGNS:
        design, prompts = shipped_measure(key), design_set(load_design(key)).prompts[:count]
        assert design
        fields = [{**prompt.fields, "block": str(place)} for place, prompt in enumerate(prompts)]
        texts = [
            reply_to_design(each, load_dial("none"), Draw(1, place)) if said is None else said
            for place, each in enumerate(fields)
        ]
        replies = Replies(texts, fields, [str(place) for place in range(len(fields))])
        findings += measure_design(replace(design, crossed=False), replies, (), resamples=RESAMPLES).findings
    return tuple(findings)


# Raters, comparisons, identities on the axis, and the place of the text that is chosen; None: always a tie.
CHOICES: dict[str, tuple[int, int, int, Callable[[int, int], int | None]]] = {
    "n of 1": (1, 1, 2, lambda at, rater: 0),
    "n of 2": (1, 2, 2, lambda at, rater: at),
    "all ties": (2, 6, 2, lambda at, rater: None),
    "one rater": (1, 9, 3, lambda at, rater: at % 2),
    "one rater, all the same": (1, 9, 3, lambda at, rater: 0),
    "two raters, all the same": (2, 9, 2, lambda at, rater: 1),
    "eight raters, all the same": (8, 6, 3, lambda at, rater: 1),
    "raters who never agree": (2, 8, 2, lambda at, rater: rater),
    "three groups, even": (3, 9, 3, lambda at, rater: (at + rater) % 3),
    "a rater of ties alone": (2, 6, 2, lambda at, rater: None if rater else at % 2),
}


def judged(case: str) -> Findings:
    raters, comparisons, k, choose = CHOICES[case]
    identities = ["man", "woman", "other"][:k]
    rows = [(at, rater, choose(at, rater)) for at in range(comparisons) for rater in range(raters)]
    shown = [tuple(identities if at % 2 else identities[::-1]) for at, _, _ in rows]
    table = JudgmentTable(
        comparison=tuple(f"c{at}" for at, _, _ in rows),
        rater=tuple(f"R{rater}" for _, rater, _ in rows),
        axis=("gender",) * len(rows),
        shown=tuple(shown),
        outcome=tuple("tie" if chosen is None else "choice" for _, _, chosen in rows),
        chosen=tuple("" if chosen is None else identities[chosen] for _, _, chosen in rows),
        words=((0,) * k,) * len(rows),
    )
    asked = {"axes": {"gender": identities}, "seed": 1, "resamples": RESAMPLES, "adjusted": True}
    own = measure_judgments(table, parts=True, **asked).findings
    return (*own, *agreed_judgments(table, **asked).findings)


# Prompts, identities, and the vector of an identity's text of a prompt.
OUTPUTS: dict[str, tuple[int, int, Callable[[int, int, np.random.Generator], list[float]]]] = {
    "n of 1": (1, 2, lambda prompt, place, rng: [1.0, place]),
    "n of 2": (2, 3, lambda prompt, place, rng: [1.0, place + prompt]),
    "one group": (8, 1, lambda prompt, place, rng: [1.0, *rng.random(2)]),
    "all equal": (8, 3, lambda prompt, place, rng: [1.0, 2.0]),
    "equal over prompts": (8, 3, lambda prompt, place, rng: [1.0, place]),
    "two that are equal over prompts": (8, 2, lambda prompt, place, rng: [1.0, place]),
    "vectors without length": (8, 3, lambda prompt, place, rng: [0.0, 0.0]),
    "six prompts": (6, 2, lambda prompt, place, rng: [1.0, *rng.random(2)]),
    "three groups": (12, 3, lambda prompt, place, rng: [1.0, *rng.random(2)]),
    "one prompt unlike the others": (12, 3, lambda prompt, place, rng: [1.0, 0.0 if prompt else place]),
}


def written(case: str) -> Findings:
    prompts, k, vector = OUTPUTS[case]
    identities, rng = ("man", "woman", "other")[:k], np.random.default_rng(1)
    rows = [(prompt, place) for prompt in range(prompts) for place in range(k + 1)]
    vectors = np.array([vector(prompt, place, rng) for prompt, place in rows])
    named = ("default", *identities)
    table = OutputTable(
        tuple(f"task {prompt}" for prompt, _ in rows), ("stars",) * len(rows), tuple(named[at] for _, at in rows),
        (0,) * len(rows), ("",) * len(rows),
    )  # fmt: skip
    return measure_outputs(table, vectors, axes={"gender": identities}, resamples=RESAMPLES, parts=True).findings


# Replies: what is given, and the kind of word chosen.
REPLIES: dict[str, list[tuple[str, str]]] = {
    "n of 1": [("positive", "good")],
    "n of 2": [("positive", "good"), ("negative", "bad")],
    "one group": [("positive", "good"), ("positive", "bad")] * 4,
    "all equal": [("positive", "good"), ("negative", "good")] * 6,
    "each group by itself equal": [("positive", "good"), ("negative", "bad")] * 6,
    "all neutral": [("positive", "fine"), ("negative", "fine")] * 6,
    "nothing readable": [("positive", ""), ("negative", "")] * 4,
}


def completed(case: str) -> Findings:
    rows = REPLIES[case]
    n = len(rows)
    kinds = {kind: tuple(f"{word}{at % 3}" for at in range(n)) for kind, word in
             (("positive", "good"), ("negative", "bad"), ("neutral", "fine"))}  # fmt: skip
    table = CompletionTable(
        domain=("ageism",) * n, direction=("SAI",) * n, pronoun=("masculine",) * n,
        given=tuple(given for given, _ in rows), term=tuple(f"t{at}" for at in range(n)),
        response=tuple(word and f"{word}{at % 3}" for at, (_, word) in enumerate(rows)), **kinds,
    )  # fmt: skip
    return measure_completion(table, resamples=RESAMPLES).findings


# Mentions of women and of men in generated articles, and in the originals.
NEWS: dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {
    "n of 1": ([(1, 2)], [(2, 1)]),
    "n of 2": ([(1, 2), (3, 1)], [(2, 1), (1, 1)]),
    "one group": ([(2, 0)] * 6, [(3, 0)] * 6),
    "all equal": ([(2, 2)] * 6, [(2, 2)] * 6),
    "all differ alike": ([(0, 2)] * 6, [(2, 0)] * 6),
    "nobody": ([(0, 0)] * 6, [(0, 0)] * 6),
    "nobody in the generated": ([(0, 0)] * 6, [(1, 1)] * 6),
    "nobody in the originals": ([(1, 1)] * 6, [(0, 0)] * 6),
}


def reported(case: str) -> Findings:
    sides = [["She sang. " * she + "He sang. " * he + "It rained." for she, he in side] for side in NEWS[case]]
    headlines = [f"headline {row}" for row in range(len(sides[0]))]
    table = news_table(sides[1], sides[0], [group_axis("gender")], headlines=headlines)
    return measure_news(table, resamples=RESAMPLES).findings


CASES = [
    *(("compare", compared, case) for case in SCORES),
    *(("letters", measured, case) for measured in (letters, worded, succeeded, made_up) for case in SCORES),
    *(("compare", replied, case) for case in ANSWERS),
    *(("creativity", judged, case) for case in CHOICES),
    *(("creativity", written, case) for case in OUTPUTS),
    *(("completion", completed, case) for case in REPLIES),
    *(("news", reported, case) for case in NEWS),
]


def faults(finding: Finding) -> list[str]:
    """Return what is wrong with a finding of the default variant."""
    broken = []
    bounds = finding.interval
    if bounds and bounds.low >= bounds.high:
        broken.append(f"an interval without width: {bounds.low}")
    if finding.estimate is None and not finding.reason:
        broken.append("undefined without a reason")
    if finding.estimate is None and (bounds or finding.p is not None):
        broken.append("undefined, yet with an interval or p")
    if finding.estimate is not None and bounds is None and not finding.reason:
        broken.append("no interval and no reason")
    if contradiction := apart(replace(finding, p_adjusted=None)):
        broken.append(contradiction)
    return broken


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(("study", "measured", "case"), CASES, ids=[f"{m.__name__}: {c}" for _, m, c in CASES])
def test_poor_input_is_measured_right_or_undefined_with_a_reason(
    study: str, measured: Callable[[str], Findings], case: str
) -> None:
    findings = measured(case)
    assert findings
    wrong = {
        (finding.id, finding.label, tuple(finding.dims.values())): broken
        for finding in findings
        if finding.variant == "default" and (broken := faults(finding))
    }
    assert not wrong
    said = [f"{answer.question} {answer.answer}" for answer in answered(study, findings)]
    assert not [each for each in said if "chance alone gives" in each]
