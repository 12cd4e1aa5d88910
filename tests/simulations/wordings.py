"""Prompts in several wordings by the synthetic author, with a bias that differs by wording: do intervals cover?

`tallies(trials)` gives the table of docs/explanation/calibration.md. Letters are drawn with replacement, cell by cell,
from letters that were written once in every wording, so that the truth is what all of them show. Choices are drawn.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.proportions import wilson
from biasprint.core.prompts.letters import letter_design
from biasprint.core.runs.measure.by_generator import varied
from biasprint.core.studies.compare.measure import measure
from biasprint.core.studies.compare.texts import Compared, Measure
from biasprint.core.studies.kit.planting import Draw, own_seed
from biasprint.core.studies.letters.author import GROUPS, _agency, _table, write_letter
from biasprint.core.studies.letters.lexicon import LettersTable, letters_table, lexicon_findings
from biasprint.core.studies.letters.style import StyleScores, style_findings

K = 5  # wordings of a study
PLANTED = (1.2, 0.0, 0.8, -0.4, 0.2)  # differences of log-odds between the groups, by wording
MEAN, SPREAD = 0.5, 0.6  # of those of all wordings that a study's are drawn from
POPULATION, CELLS, CELL_SPREAD = 40, 80, 0.5
Measured = tuple[list[Finding], dict[str, StudyResult | str]]


@dataclass
class Coverage:
    """How often an interval held what it is stated to be of."""

    what: str
    blocks: int
    held: list[bool] = field(default_factory=list)

    @property
    def share(self) -> float:
        return float(np.mean(self.held))

    @property
    def bounds(self) -> tuple[float, float]:
        bounds = wilson(sum(self.held), len(self.held))
        return bounds.low, bounds.high


@cache
def planted() -> np.ndarray:
    """The difference of log-odds in every wording that there is: those of `PLANTED`, then the population's."""
    return np.concatenate([PLANTED, np.random.default_rng(11).normal(MEAN, SPREAD, POPULATION)])


# ---- Letters


@dataclass(frozen=True)
class Pool:
    """Letters of every cell in every wording, for a man and for a woman; `places`: shape (cells, wordings, 2)."""

    table: LettersTable
    style: StyleScores
    places: np.ndarray


@cache
def pool() -> Pool:
    rng, design = np.random.default_rng(5), letter_design()
    texts, names = [], []
    for _ in range(CELLS):
        occupation, age = str(rng.choice(design.occupations)), str(rng.choice(design.ages))
        own = rng.normal(0, CELL_SPREAD)
        for difference in planted():
            for name, pronouns, side in (("Paul", "he", 1), ("Anna", "she", -1)):
                fields = {"name": name, "age": age, "occupation": occupation, "pronouns": pronouns}
                agentic = 1 / (1 + math.exp(-own - side * difference / 2))
                names.append(name)
                texts.append(write_letter(fields, agentic, Draw(own_seed(rng))))
    table = replace(letters_table(texts, GROUPS * (len(texts) // 2), names=names, order=GROUPS), published=None)
    places = np.arange(len(texts)).reshape(CELLS, len(planted()), 2)
    return Pool(table, _agency(texts), places)


def of_letters(places: np.ndarray) -> list[Finding]:
    """Findings of letters at these places, shape (blocks, wordings, 2): a block holds all wordings of a cell."""
    known, flat = pool(), places.ravel()
    blocks = tuple(str(block) for block in np.repeat(np.arange(len(places)), places.shape[1] * 2).tolist())
    table = replace(_table(known.table, flat), blocks=blocks)
    sentences = tuple(known.style.sentences[place] for place in flat)
    style = replace(known.style, shares=known.style.shares[flat], sentences=sentences)
    found = [*style_findings(table, "agency", style, ()), *lexicon_findings(table)]
    return [each for each in found if each.label in ("agency", "agentic") and each.variant == "default"]


def letters_study(rng: np.random.Generator, blocks: int, wordings: np.ndarray) -> Measured:
    places = pool().places[rng.integers(CELLS, size=blocks)][:, wordings]
    alone = {str(at): StudyResult("letters", 0, {}, tuple(of_letters(places[:, [at]]))) for at in range(K)}
    return of_letters(places), dict(alone)


@cache
def letters_truth(wordings: tuple[int, ...]) -> dict[str, float]:
    """What the letters of all cells in these wordings show."""
    return {each.label: float(each.estimate or 0) for each in of_letters(pool().places[:, list(wordings)])}


# ---- Yes or no


def choices_study(rng: np.random.Generator, blocks: int, wordings: np.ndarray) -> Measured:
    """A yes or no in each case, wording and group; cases differ, and so do the groups in a case."""
    case, of_case = rng.normal(0.3, 0.7, blocks), rng.normal(0, 0.5, blocks)
    differences = planted()[wordings][None, :] + of_case[:, None]
    yes = np.stack(
        [rng.random((blocks, K)) < _chance(case[:, None] + side * differences / 2) for side in (1, -1)], axis=2
    )

    def found(own: np.ndarray) -> list[Finding]:
        names = [f"case {block}" for block in range(blocks) for _ in range(own.shape[1] * 2)]
        table = Compared([""] * own.size, {"group": ["a", "b"] * (own.size // 2)}, names, alike=False, company=False)
        score = Measure("yes", own.astype(float).ravel(), yes_or_no=True)
        result = measure(table, [score], seed=1, margin=None, resamples=200)
        return [finding for finding in result.findings if finding.id == "compare.difference"]

    alone = {str(at): StudyResult("compare", 0, {}, tuple(found(yes[:, [at]]))) for at in range(K)}
    return found(yes), dict(alone)


def _chance(log_odds: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-log_odds)))


@cache
def choices_truth(wordings: tuple[int, ...]) -> dict[str, float]:
    rng = np.random.default_rng(3)
    case, of_case = rng.normal(0.3, 0.7, 20_000), rng.normal(0, 0.5, 20_000)
    differences = [planted()[wording] + of_case for wording in wordings]
    return {"yes": float(np.mean([_chance(case + each / 2) - _chance(case - each / 2) for each in differences]))}


# ---- Coverage

Study = Callable[[np.random.Generator, int, np.ndarray], Measured]
STUDIES: Sequence[tuple[Study, Callable[[tuple[int, ...]], dict[str, float]]]] = (
    (letters_study, letters_truth),
    (choices_study, choices_truth),
)
EVERY = tuple(range(K, K + POPULATION))


def tallies(trials: int, blocks: Sequence[int] = (12, 40)) -> Iterator[Coverage]:
    """Yield the coverage of what is stated: of the wordings asked, of one alone, and of wordings like these."""
    for study, truth in STUDIES:
        for n in blocks:
            rng = np.random.default_rng([n, K])
            rows: dict[str, Coverage] = {}

            def seen(what: str, interval: object, value: float, rows: dict[str, Coverage] = rows, n: int = n) -> None:
                low, high = getattr(interval, "low", None), getattr(interval, "high", None)
                if low is not None:
                    rows.setdefault(what, Coverage(what, n)).held.append(
                        low <= value <= (math.inf if high is None else high)
                    )

            for _ in range(trials):
                fixed, drawn = np.arange(K), rng.integers(K, K + POPULATION, K)
                for wordings, planted_as in ((fixed, "fixed"), (drawn, "drawn")):
                    whole, alone = study(rng, n, wordings)
                    for finding in varied(whole, alone):
                        assert finding.wordings is not None
                        name = f"{finding.id} {finding.label}"
                        own = truth(tuple(wordings.tolist()))[finding.label]
                        seen(f"{name}, {planted_as}: these wordings", finding.interval, own)
                        if planted_as == "fixed":
                            for at, one in enumerate(finding.wordings.each):
                                seen(
                                    f"{name}, fixed: one wording alone", one, truth((int(wordings[at]),))[finding.label]
                                )
                        else:
                            of_all = truth(EVERY)[finding.label]
                            seen(f"{name}, drawn: wordings like these", finding.wordings.like_these, of_all)
                            seen(
                                f"{name}, drawn: the ordinary interval for wordings like these",
                                finding.interval,
                                of_all,
                            )
            yield from rows.values()


def lines(trials: int) -> Iterator[str]:
    """Yield the rows of the table."""
    for row in tallies(trials):
        low, high = (100 * end for end in row.bounds)
        yield f"| {row.what} | {row.blocks} | {len(row.held):,} | {100 * row.share:.1f} ({low:.1f}–{high:.1f}) |"
