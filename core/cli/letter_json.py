"""A reading, a twin and a pile as JSON. The keys are a contract; see docs/command-line.md."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.documents.pile.values import GroupTest, Pile, PileRow
from core.documents.reading.values import Figure, Reading
from core.documents.reference.guess import OccupationGuess
from core.documents.twin_values import TwinDifference

VERSION = 1
LIMITS = "One letter cannot show bias; it can show language that is known to matter."
LIMITS_OF_PILES = (
    "A difference between groups of letters does not say where it is from: candidates, posts and writers differ too."
)


def letter_json(
    reading: Reading, occupation: str, guess: OccupationGuess, twin: TwinDifference | None
) -> dict[str, Any]:
    """One letter. `occupation`: what it was compared under, given or guessed."""
    document = reading.document
    return {
        "file": document.name,
        "kind": document.kind,
        "pages": document.pages,
        "notes": list(document.notes),
        "text": document.text,
        "person": asdict(reading.person),
        "occupation": occupation,
        "occupation_guess": asdict(guess),
        "stopped": reading.stopped,
        "suspicions": [asdict(one) for one in reading.suspicions],
        "parts": [asdict(one) for one in reading.parts],
        "sentences": [asdict(one) for one in reading.sentences],
        "marks": [asdict(one) for one in reading.marks],
        "scores": [asdict(one) for one in reading.scores],
        "context": reading.context_name or None,
        "support": [asdict(one) for one in reading.support],
        "figures": [_figure(one) for one in reading.figures],
        "naming": asdict(reading.naming),
        "compared": [{**asdict(one), "outside": one.outside} for one in reading.compared],
        "reference": reading.reference,
        "twin": None if twin is None else twin_json(twin),
        "scorers": [asdict(one) for one in reading.scorers],
        "versions": dict(reading.versions),
    }


def twin_json(twin: TwinDifference) -> dict[str, Any]:
    swapped = twin.twin
    return {
        "person": asdict(twin.other),
        "text": twin.twin_reading.document.text,
        "changes": [asdict(one) for one in swapped.changes] if swapped else [],
        "left_alone": [asdict(one) for one in swapped.left_alone] if swapped else [],
        "figures": [{**asdict(one), "difference": one.difference} for one in twin.figures],
        "sentences": [{**asdict(one), "difference": one.difference} for one in twin.sentences],
        "unpaired": twin.unpaired,
        "findings": list(twin.findings),
    }


def pile_json(pile: Pile, tests: Sequence[GroupTest]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "pile": pile.name,
        "columns": [asdict(one) for one in pile.columns],
        "rows": [_row(one) for one in pile.rows],
        "passed_over": pile.passed_over,
        "groups": [asdict(one) for one in tests],
        "scorers": [asdict(one) for one in pile.scorers],
        "versions": dict(pile.versions),
        "limits": LIMITS_OF_PILES,
    }


def _row(row: PileRow) -> dict[str, Any]:
    return {
        "name": row.name, "path": row.path_in_pile, "person": asdict(row.person), "occupation": row.occupation,
        "group": row.group, "figures": dict(row.figures), "reason": row.reason, "hint": row.hint,
        "notes": list(row.notes), "same_as": row.same_as,
    }  # fmt: skip


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "name": figure.name, "title": figure.title, "value": figure.value, "unit": figure.unit, "n": figure.n,
        "low": figure.low, "high": figure.high, "reason": figure.reason,
        "scorer": figure.scorer.name if figure.scorer else None,
    }  # fmt: skip
