"""Findings about raters as rows: short enough to read down, with what holds for all of them said once below."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.findings import Finding
from desktop.charts.words import p_sentence
from desktop.models import finding_words as words
from desktop.models.titles import Titles
from desktop.tables.rows import Column, Row
from desktop.widgets.safe_text import safe_line
from desktop.widgets.words import plural, tr

SENTENCE_ENDS = re.compile(r"(?<=\.)\s+(?=[A-ZÀ-Þ])")
WITH_ALL = "With all raters "  # how a finding without one rater tells the figure with all of them
LIKE_ALL = "; contrast:"
SAME = "same"
COMMON, CHANCE = "creativity.agreement.common.", "Chance is "


def quality_columns() -> tuple[Column, ...]:
    return (
        Column(tr("Of what")),
        Column(tr("Figure (95 % interval)"), 190),
        Column(tr("n"), 150),
        Column(tr("What to know"), 330),
    )


def quality_rows(key: str, found: Sequence[Finding], titles: Titles) -> tuple[tuple[Row, ...], str]:
    """A row for each finding, and the sentences that all of them have in common."""
    notes = [_sentences(one) for one in found]
    told = [set(note) for note, one in zip(notes, found, strict=True) if one.estimate is not None]
    common = set.intersection(*told) if len(told) > 1 else set()
    head = _common_head(found)
    rows = []
    for place, (one, note) in enumerate(zip(found, notes, strict=True)):
        own = [_cut(sentence) for sentence in note if sentence not in common and _belongs(one, sentence)]
        cells = (_name(one, head, titles), _figure(one), n_words(one), safe_line(_remark(one, own)))
        rows.append(Row(f"{key}/{place}", cells))
    below = [sentence for sentence in next((n for n in notes if common <= set(n)), []) if sentence in common]
    return tuple(rows), safe_line(" ".join(below))


def n_words(one: Finding) -> str:
    """What n counts, by what was asked."""
    name = one.id.removeprefix("creativity.")
    if name.startswith("quality.consistency"):
        return plural(one.n, "1 repeat", "%n repeats")
    if name.startswith("quality.time"):
        return plural(one.n, "1 judgment", "%n judgments")
    if name.endswith(".unanswered"):
        return plural(one.n, "1 reply", "%n replies")
    if name.endswith((".position", ".abs", ".share")):
        return plural(one.n, "1 choice", "%n choices")
    return plural(one.n, "1 comparison", "%n comparisons")


def _figure(one: Finding) -> str:
    figure, interval = words.figures(one)
    return f"{figure} ({interval})" if interval else figure


def _name(one: Finding, head: str, titles: Titles) -> str:
    title = safe_line(one.title)
    if head:
        title = title.removeprefix(head)
        return title[:1].upper() + title[1:]
    dims = {name: value for name, value in one.dims.items() if name != "rater_kind"}  # the title says whose it is
    about = safe_line(words.about(replace(one, dims=dims), titles))
    return f"{title} · {about}" if about else title


def _common_head(found: Sequence[Finding]) -> str:
    """ "Hidden repeats answered the same both times: ", where every title of several begins so."""
    heads = {f"{head}: " for one in found if (head := safe_line(one.title).partition(": ")[0])}
    return heads.pop() if len(heads) == 1 and len(found) > 1 and all(": " in one.title for one in found) else ""


def _sentences(one: Finding) -> list[str]:
    """The note, sentence by sentence; of two measures no more than the number that goes with the row."""
    if one.id.endswith("quality.consistency"):
        if one.estimate is None or not one.contrast:
            return []
        chance = words.short(one.estimate - one.contrast[SAME])
        return [tr("Chance alone gives {chance}.").format(chance=chance)]
    sentences = [part.strip() for part in SENTENCE_ENDS.split(one.note) if part.strip()]
    if ".without." in one.id:
        with_all = [part.partition(LIKE_ALL)[0].rstrip(".") + "." for part in sentences if part.startswith(WITH_ALL)]
        return with_all or sentences[-1:]
    return sentences


def _belongs(one: Finding, sentence: str) -> bool:
    """Whether a sentence is for a row: how people and models were compared is told in full by the finding itself."""
    return not one.id.startswith(COMMON) or sentence.startswith(CHANCE)


def _cut(sentence: str) -> str:
    """ "Chance is 0.333; p: exact binomial." without the test, which the finding itself tells."""
    return f"{sentence.partition(';')[0]}." if sentence.startswith(CHANCE) and ";" in sentence else sentence


def _remark(one: Finding, sentences: Sequence[str]) -> str:
    """Why there is no number or no interval, the test, and what the measure says of this row alone."""
    if one.estimate is None:
        return tr("Not defined: {reason}.").format(reason=(one.reason or "").rstrip("."))
    parts = []
    if one.interval is None and one.reason:
        parts.append(tr("No interval: {reason}.").format(reason=one.reason.removeprefix("interval: ").rstrip(".")))
    if one.p is not None:
        parts.append(f"{p_sentence(one)}.")
    return " ".join([*parts, *sentences])
