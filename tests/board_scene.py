"""Live boards with made-up figures, for tests and pictures of the window."""

import numpy as np
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from biasprint.core.project.rows import StudyRow
from biasprint.core.runs.live import Course, LiveJudging, LiveKey, LiveRates, LiveValue
from biasprint.desktop.read.board import BoardCurve, BoardData, BoardMeasure, BoardPace, BoardRun, StudyBoard
from biasprint.desktop.widgets import plural
from biasprint.desktop.wording.live import measure_sentence

LETTERS = "letters"
CATEGORIES = ("agentic", "communal", "ability", "standout", "leadership", "feminine", "masculine")
LENGTHS = ((0, 1, 0), (1, 25, 4), (25, 50, 30), (50, 100, 90), (100, 200, 41), (200, 400, 3), (400, None, 0))


def counted(n: int) -> str:
    return plural(n, "1 letter", "%n letters")


def curve(name: str, place: int, texts: int, truth: float, unit: str, groups: str = "male / female") -> BoardCurve:
    """An estimate that settles at `truth`, with a band like one over so many texts."""
    chance = np.random.default_rng(place + len(name))
    ends = np.arange(1, texts + 1)
    wobble = np.cumsum(chance.normal(size=texts)) / ends
    course = Course()
    for n in range(4, texts + 1):
        value = max(0.01, truth * (1 + wobble[n - 1]))
        width = truth * 3.2 / np.sqrt(n)
        low, high = (max(0.01, value - width), value + width) if n >= 10 else (None, None)
        course.add(n, value, low, high)
    key = LiveKey("letters.lexicon.odds_ratio", name, groups)
    trace = course.trace
    if not len(trace.n):
        reason = "a group has no words"
        return BoardCurve(name, groups, place, LiveValue(key, unit, texts, None, reason=reason), trace)
    n, value, low, high = (float(each[-1]) for each in (trace.n, trace.value, trace.low, trace.high))
    band = (None, None) if np.isnan(low) else (low, high)
    return BoardCurve(name, groups, place, LiveValue(key, unit, int(n), value, *band), trace)


def measure(
    name: str, texts: int, truth: float = 1.4, *, unit: str = "odds ratio", runs: int = 1, floor: float | None = None
) -> BoardMeasure:
    groups = [f"model {number + 1}" for number in range(runs)]
    curves = [curve(name, place, texts, truth + place / 5, unit) for place in range(runs)]
    curves = [
        BoardCurve(f"{place}", groups[place] if runs > 1 else "Male against Female", place, one.value, one.trace)
        for place, one in enumerate(curves)
    ]
    sentence = measure_sentence([(one.name, one.value) for one in curves], counted, "Male against Female" * (runs > 1))
    return BoardMeasure(name, f"{name.capitalize()} words", unit, tuple(curves), sentence, floor)


def pace(texts: int, *, failed: int = 0, place: int = 0) -> BoardPace:
    course = Course()
    for n in range(1, texts + 1):
        course.add(n, 20 + 2 * np.sin(n / 9), None, None)
    lengths = tuple((low, high, count * texts // 168) for low, high, count in LENGTHS)
    rates = LiveRates(
        texts=texts, failed={"timeout": failed} if failed else {}, refusals=texts // 40, seconds=texts / 20,
        texts_per_second=20.0 if texts else 0.0, tokens_per_second=4_100.0 if texts else 0.0,
        texts_per_second_in_all=19.6 if texts else None, lengths=lengths, scored={"lexicon": max(0, texts - 12)},
    )  # fmt: skip
    return BoardPace(f"run {place + 1}" if place else "all texts", place, rates, course.trace)


def board(
    texts: int, *, runs: int = 1, failed: int = 0, judging: int = 0, layout: object = None, study: int = 1
) -> StudyBoard:
    measures = tuple(
        measure(name, texts, 0.8 + 0.25 * place, runs=runs, floor=0.3 if place == 1 else None)
        for place, name in enumerate(CATEGORIES)
    )
    row = StudyRow(study, "letters", "Letters", {} if layout is None else {"board": layout}, "2026-01-01")
    listed = tuple(
        BoardRun(number, f"model {number}, seed 1", 168, min(168, texts), failed, can_go_on=True)
        for number in range(1, max(2, runs) + 1)
    )
    raters = tuple(LiveJudging(f"R{number:02d}", "person", 7 * number, 60, 3.2, False) for number in range(judging))
    paces = tuple(pace(texts, failed=failed, place=place) for place in range(runs))
    picked = tuple(range(1, runs + 1)) if runs > 1 else ()
    return StudyBoard(row, "Reference letters", LETTERS, measures, 0, paces, raters, listed, picked)


def data(texts: int, **how: object) -> BoardData:
    return BoardData(((1, "Reference letters"), (2, "News")), board(texts, **how))  # type: ignore[arg-type]


def colours(widget: QWidget) -> dict[str, float]:
    """The colours of a widget's picture, as "#rrggbb", with the share of it that each fills."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), dtype=np.uint32) & 0xFFFFFF
    found, counts = np.unique(pixels, return_counts=True)
    return {f"#{color:06x}": count / len(pixels) for color, count in zip(found.tolist(), counts.tolist(), strict=True)}
