"""Careful raters: how often each flag is raised without a reason.

Places are drawn evenly, as counterbalanced cards fall for whoever prefers any identity; reading takes lognormal times
around 240 words a minute and five seconds; a check is failed by a slip in 3 of 100; raters who are alike to a degree
take the same identity with that chance, and any of the two otherwise.
"""

from collections.abc import Callable

import numpy as np
from simulations.rows import Outcome, Row, simulated

from biasprint.core.judging.carefulness import (
    GivenChoice,
    RaterFlag,
    failed_checks,
    low_agreement,
    one_side,
    same_answer,
    too_quick,
    with_others,
)
from biasprint.core.judging.known import CheckResult

SLIP = 0.03
WORDS_A_SECOND, DECIDING = 4.0, 5.0


def careful(rng: np.random.Generator, n: int, cards: int, words: int) -> list[GivenChoice]:
    places = rng.integers(0, cards, n)
    seconds = (words / WORDS_A_SECOND + DECIDING) * rng.lognormal(0.0, 0.5, n)
    return [
        GivenChoice(f"c{at}", "axis", "choice", "one", int(place), cards, words, float(time))
        for at, (place, time) in enumerate(zip(places, seconds, strict=True))
    ]


def of_answers(cards: int, words: int) -> Callable[[np.random.Generator, int], dict[str, Outcome]]:
    def trial(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
        given = careful(rng, n, cards, words)
        found = {"speed": too_quick(given), "same answer": same_answer(given), "side": one_side(given)}
        return {name: _outcome(flag) for name, flag in found.items()}

    return trial


def of_checks(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    return {"checks": _outcome(failed_checks(CheckResult(n, n - int(rng.binomial(n, SLIP)))))}


def of_agreement(people: int, alike: float) -> Callable[[np.random.Generator, int], dict[str, Outcome]]:
    def trial(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
        best = rng.integers(0, 2, n)
        chosen = {
            f"R{rater}": {
                f"c{at}": str(one)
                for at, one in enumerate(np.where(rng.random(n) < alike, best, rng.integers(0, 2, n)))
            }
            for rater in range(people)
        }
        axis_of = {f"c{at}": "axis" for at in range(n)}
        return {"agreement": _outcome(low_agreement(with_others("R0", chosen, axis_of)))}

    return trial


def rows(trials: int) -> list[Row]:
    found = []
    for cards, words in ((2, 40), (3, 60), (2, 400)):
        for n in (20, 60, 200):
            found += simulated(f"careful rater, {cards} cards, {words} words", n, of_answers(cards, words), trials)
    for n in (5, 10, 20):
        found += simulated("checks, 3 of 100 slips", n, of_checks, trials)
    for people, alike in ((3, 0.2), (3, 0.8), (6, 0.2), (6, 0.8)):
        for n in (20, 60):
            found += simulated(
                f"{people} raters of equal care, alike {alike:g}", n, of_agreement(people, alike), trials
            )
    return found


def _outcome(flag: RaterFlag | None) -> Outcome:
    return Outcome(alarm=flag is not None)
