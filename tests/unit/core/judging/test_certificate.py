"""The pairs of a judge certificate, its figures against other code, and how often it is wrong about a judge."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from math import sqrt
from typing import get_args

import numpy as np
import pytest
from scipy.stats import t as student
from seeded_part import seeded_part
from statsmodels.stats.proportion import proportion_confint

from biasprint.core.findings import Finding
from biasprint.core.judging.certificate import (
    EQUAL,
    FLIPS,
    IDENTITY,
    LENGTHS,
    OWN,
    PACKAGED,
    PEOPLE,
    POSITION,
    RIGHT,
    UNANSWERED,
    CaseReply,
    Line,
    by_place,
    certificate_findings,
    certificate_words,
    packaged_cases,
    state_of,
)
from biasprint.core.prompts.name_sets import groups_of_name
from biasprint.core.report.certificate import in_short, sentence_of

LINES: tuple[Line, ...] = get_args(Line)
PAIRS = 40
SEEDS = 400
# A judge: line, number of the pair, first card, and numbers from 0 to 1 drawn for the request and for the pair → the
# text that it chooses.
Judge = Callable[[Line, int, int, float, float], int | None]


# ---- the pairs


def test_twins_differ_in_name_and_pronoun_alone_and_every_second_one_is_the_longer() -> None:
    cases = packaged_cases(PAIRS, 7)
    for line in EQUAL:
        longer = Counter[bool]()
        for case in (case for case in cases if case.line == line):
            first, second = (text.split() for text in case.texts)
            assert len(first) == len(second)
            changed = {(a.strip(".,"), b.strip(".,")) for a, b in zip(first, second, strict=True) if a != b}
            names = [pair for pair in changed if groups_of_name(pair[0])]
            assert len(names) == 1
            pronouns = {("she", "he"), ("her", "him"), ("her", "his")} if line == "gender" else set()
            assert changed - set(names) <= pronouns
            longer[len(case.texts[0]) > len(case.texts[1])] += 1
        assert longer == {True: PAIRS // 2, False: PAIRS // 2}


def test_the_longer_text_adds_packaged_sentences_alone_and_the_known_one_the_same_words() -> None:
    for case in packaged_cases(PAIRS, 7):
        if case.line == "length":
            added = [sentence for sentence in certificate_words().padding if sentence in case.texts[0]]
            assert len(added) == 4
            left = case.texts[0]
            for sentence in added:
                left = left.replace(sentence, "").replace("  ", " ")
            assert left.strip() == case.texts[1]
        if case.line == "known":
            assert case.texts[0] != case.texts[1]
            assert sorted(case.texts[0].split()) == sorted(case.texts[1].split())


def test_a_seed_gives_the_same_pairs_and_none_twice() -> None:
    cases = packaged_cases(PAIRS, 1)
    assert cases == packaged_cases(PAIRS, 1) != packaged_cases(PAIRS, 2)
    assert len({case.texts for case in cases}) == len(cases) == len(PACKAGED) * PAIRS
    assert not [text for case in cases for text in case.texts if "{" in text or "}" in text]


# ---- the figures


def replies(judge: Judge, seed: int = 0, lines: Sequence[Line] = LINES) -> list[CaseReply]:
    rng = np.random.default_rng(seed)
    said = []
    for line in lines:
        for number, pair in enumerate(rng.random(PAIRS).tolist()):
            for first, dice in enumerate(rng.random(2).tolist()):
                chosen = judge(line, number, first, dice, pair)
                said.append(CaseReply(line, number, first, "unreadable" if chosen is None else "choice", chosen))
    return said


def figure(found: Sequence[Finding], name: str, label: str = "") -> Finding:
    (one,) = [finding for finding in found if finding.id == name and label in ("", finding.label)]
    return one


def test_choices_of_one_pair_count_as_worth_what_they_differ() -> None:
    """By hand: Wilson's interval of n/δ with Student's t, δ the cluster-robust variance CR2 of the pairs' sums."""
    said = replies(lambda line, number, first, dice, pair: int(dice > 0.1 + 0.9 * pair))
    found = figure(certificate_findings(said), IDENTITY, "gender")
    sums = np.zeros(PAIRS)
    for reply in said:
        if reply.line == "gender":
            sums[reply.number] += reply.chosen == 0
    n, share = 2 * PAIRS, sums.sum() / (2 * PAIRS)
    robust = ((sums - 2 * share) ** 2).sum() / (1 - 1 / PAIRS)
    effect = max(1.0, robust / (n * share * (1 - share)))
    assert effect > 1  # the pairs of this seed belong together
    z = student.ppf(0.975, PAIRS - 1)
    m = n / effect
    centre, half = share + z * z / (2 * m), z * sqrt(share * (1 - share) / m + z * z / (4 * m * m))
    assert found.interval is not None
    assert found.estimate == pytest.approx(share)
    assert found.interval.low == pytest.approx((centre - half) / (1 + z * z / m), abs=2e-3)
    assert found.interval.high == pytest.approx((centre + half) / (1 + z * z / m), abs=2e-3)
    assert found.p == pytest.approx(2 * student.sf(abs(share - 0.5) / sqrt(0.25 / m), PAIRS - 1), abs=2e-3)


def test_flips_and_known_answers_are_wilsons() -> None:
    said = replies(lambda line, number, first, dice, pair: first if number % 4 == 0 else int(number % 10 == 9))
    found = certificate_findings(said)
    for name, count, n in ((FLIPS, 10, 40), (RIGHT, 26, 30)):
        low, high = proportion_confint(count, n, method="wilson")
        own = figure(found, name)
        assert own.interval is not None
        assert (own.estimate, own.n) == (count / n, n)
        assert (own.interval.low, own.interval.high) == pytest.approx((low, high))


def test_a_pair_counts_only_with_a_choice_in_both_orders() -> None:
    found = certificate_findings(replies(lambda line, number, first, dice, pair: None if number < 5 and first else 0))
    assert figure(found, LENGTHS).n == PAIRS - 5
    assert figure(found, LENGTHS).dropped == {"no choice in one of the orders": 5}
    assert figure(found, UNANSWERED).estimate == 5 / (2 * PAIRS)


def test_a_judge_that_calls_equal_texts_equal_has_no_preference_to_measure() -> None:
    said = [
        CaseReply(line, number, first, "tie" if line in EQUAL else "choice", None if line in EQUAL else 0)
        for line in LINES for number in range(PAIRS) for first in (0, 1)
    ]  # fmt: skip
    for name, label in ((IDENTITY, "gender"), (IDENTITY, "race"), (POSITION, "")):
        own = figure(certificate_findings(said), name, label)
        assert own.estimate is None
        assert "called the texts of all" in (own.reason or "")
        assert state_of(own) == "not measured"


def test_a_judge_that_chooses_by_place_shows_no_preference_for_a_text() -> None:
    found = certificate_findings(replies(lambda line, number, first, dice, pair: first))
    names = figure(found, IDENTITY, "gender")
    assert (names.estimate, names.reason) == (None, "it chose by place: the first card in 80 of 80 choices")
    assert figure(found, POSITION).estimate == 1.0
    assert in_short(found) == "Faults found: place of the card."
    assert in_short(certificate_findings([])) == "Nothing could be measured."


def test_without_replies_every_line_says_why() -> None:
    for finding in certificate_findings([], no_own="there are none", no_people="nobody did"):
        assert finding.estimate is None
        assert state_of(finding) == "not measured"
        assert len(sentence_of(finding)) > 10
    assert figure(certificate_findings([], no_people="nobody did"), PEOPLE).reason == "nobody did"


def test_flips_that_go_to_one_place_are_told_as_the_effect_of_the_place() -> None:
    first = figure(certificate_findings(replies(lambda line, number, first, dice, pair: first)), FLIPS)
    assert (first.estimate, by_place(first), state_of(first)) == (1.0, True, "see place")
    assert "see the line on place" in sentence_of(first)
    either = replies(lambda line, number, first, dice, pair: (first, 1 - first, 0, 0)[number % 4])
    flips = figure(certificate_findings(either), FLIPS)
    assert (flips.estimate, by_place(flips), state_of(flips)) == (0.5, False, "found")


# ---- how often it is wrong


def sees_disorder(judge: Judge) -> Judge:
    def seen(line: Line, number: int, first: int, dice: float, pair: float) -> int | None:
        return int(dice > 0.97) if line == "known" else judge(line, number, first, dice, pair)

    return seen


FAIR: dict[str, Judge] = {
    "by chance at each request": lambda line, number, first, dice, pair: int(dice < 0.5),
    "by a quality of its own": lambda line, number, first, dice, pair: int(pair < 0.5),
    "partly by either": lambda line, number, first, dice, pair: int(dice > pair),
}


@pytest.mark.parametrize("fair", seeded_part(FAIR, 1))
def test_a_fair_judge_is_seldom_found_unfair(fair: str) -> None:
    raw, found, any_found = Counter[str](), Counter[str](), 0
    for seed in range(SEEDS):
        findings = certificate_findings(replies(sees_disorder(FAIR[fair]), seed))
        raw.update(f"{each.id} {each.label}" for each in findings if each.p is not None and each.p <= 0.05)
        found.update(f"{each.id} {each.label}" for each in findings if state_of(each) == "found")
        any_found += any(state_of(each) == "found" for each in findings)
        for each in findings:
            if each.p is not None and each.interval is not None:
                assert (each.p < 0.05) == (not each.interval.low <= 0.5 <= each.interval.high)
    assert max(raw.values()) / SEEDS <= 0.07
    assert max(found.values()) / SEEDS <= 0.03
    assert any_found / SEEDS <= 0.06


@pytest.mark.parametrize(("share", "steady"), seeded_part(product([0.5, 0.75, 0.9], [True, False]), 2))
def test_intervals_cover_a_preference(share: float, steady: bool) -> None:
    def prefers(line: Line, number: int, first: int, dice: float, pair: float) -> int:
        return int((pair if steady else dice) >= share)

    covered = Counter[bool]()
    for seed in range(SEEDS):
        findings = certificate_findings(replies(prefers, seed, EQUAL))
        for label in EQUAL:
            own = figure(findings, IDENTITY, label)
            assert own.interval is not None
            covered[own.interval.low <= share <= own.interval.high] += 1
    assert covered[True] / covered.total() >= 0.93


CAREFUL = sees_disorder(lambda line, number, first, dice, pair: int(pair < 0.5))
PLANTED_IN: dict[str, Sequence[Line]] = {
    POSITION: EQUAL, LENGTHS: ["length"], IDENTITY: ["gender"], OWN: ["self"], FLIPS: ["known"], UNANSWERED: LINES,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "label", "least", "judge"),
    [
        (POSITION, "first", 0.99, lambda line, number, first, dice, pair: first if dice < 0.75 else 1 - first),
        (LENGTHS, "longer", 0.99, lambda line, number, first, dice, pair: int(dice > 0.8)),
        (IDENTITY, "gender", 0.9, lambda line, number, first, dice, pair: int(dice > 0.75)),
        (OWN, "own", 0.9, lambda line, number, first, dice, pair: int(dice > 0.75)),
        (FLIPS, "order", 0.95, lambda line, number, first, dice, pair: int(dice < 0.5)),
        (UNANSWERED, "no answer", 0.99, lambda line, *about: None if about[2] < 0.3 else CAREFUL(line, *about)),
    ],
)
def test_planted_faults_are_found(name: str, label: str, least: float, judge: Judge) -> None:
    """In other lines than the planted one the judge is fair."""
    meant = PLANTED_IN[name]

    def planted(line: Line, number: int, first: int, dice: float, pair: float) -> int | None:
        return (judge if line in meant else CAREFUL)(line, number, first, dice, pair)

    own, others = 0, 0
    for seed in range(200):
        found = [each for each in certificate_findings(replies(planted, seed)) if state_of(each) == "found"]
        own += (name, label) in {(each.id, each.label) for each in found}
        others += any((each.id, each.label) != (name, label) for each in found)
    assert own / 200 >= least
    assert others / 200 <= 0.06
