"""A score for every sentence of the articles, from a scorer of a role: sentiment or toxicity."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from core.errors import AppError
from core.findings import ScorerUse
from core.jobs import JobContext
from core.metrics.result import Floats
from core.scorers.protocol import ScoreValue
from core.scorers.registry import describe, load, preference, score_batch, usable
from core.studies.news.table import SIDES, NewsTable, Side

# A scorer whose shape says this gives one value per sentence of the project's segmenter for a whole text.
PER_SENTENCE = "each sentence"


@dataclass(frozen=True)
class SentenceScores:
    """`sides`: for each pair a value per sentence of `NewsTable.sentences`, NaN where the scorer gives none."""

    use: ScorerUse
    sides: Mapping[Side, tuple[Floats, ...]]


def default_scorer(role: str) -> str:
    """The first scorer of a role: the paper's own, a plug-in, a stand-in. Raises `AppError` where there is none."""
    found = usable(role)
    if not found:
        raise AppError(f"There is no scorer for {role} here.", hint="Install a plug-in that brings one.")
    return min(found, key=preference).name


def score_sentences(
    table: NewsTable, scorer: str, *, known: Mapping[str, Floats] | None = None, ctx: JobContext | None = None
) -> SentenceScores:
    """Scores of all sentences; runs in the compute process. `known`: values of whole texts that are stored already.

    A scorer that reads sentence by sentence is given whole articles; any other is given each sentence, and its summary
    is taken. A text or sentence that comes again is read once.
    """
    info = next(info for info in describe() if info.name == load(scorer).name)
    if PER_SENTENCE in info.shape:
        by_text = _of_articles(table, scorer, known or {}, ctx)
        sides = {side: tuple(by_text[text] for text in table.texts(side)) for side in SIDES}
    else:
        by_sentence = _of_sentences(table, scorer, ctx)
        sides = {
            side: tuple(
                np.array([by_sentence[sentence] for sentence in sentences], dtype=np.float64)
                for sentences in table.sentences(side)
            )
            for side in SIDES
        }
    return SentenceScores(info.use(), sides)


def _of_articles(
    table: NewsTable, scorer: str, known: Mapping[str, Floats], ctx: JobContext | None
) -> dict[str, Floats]:
    sentences = dict(chain.from_iterable(zip(table.texts(side), table.sentences(side), strict=True) for side in SIDES))
    missing = [text for text in sentences if text not in known]
    scored = dict(zip(missing, score_batch(scorer, missing, ctx)[1], strict=True))
    found = {}
    for text, parts in sentences.items():
        values = scored[text].values if text in scored else known[text]
        if len(values) != len(parts):
            raise AppError(
                f"The scorer “{scorer}” gave {len(values)} values for a text of {len(parts)} sentences.",
                hint="Score the texts again, or choose another scorer.",
            )
        found[text] = np.asarray(values, dtype=np.float64)
    return found


def _of_sentences(table: NewsTable, scorer: str, ctx: JobContext | None) -> dict[str, float]:
    distinct = list(dict.fromkeys(_every_sentence(table)))
    return dict(zip(distinct, map(_summary, score_batch(scorer, distinct, ctx)[1]), strict=True))


def _summary(value: ScoreValue) -> float:
    return float("nan") if value.summary is None else value.summary


def _every_sentence(table: NewsTable) -> Iterator[str]:
    parts: Sequence[tuple[tuple[str, ...], ...]] = [table.sentences(side) for side in SIDES]
    return chain.from_iterable(chain.from_iterable(parts))
