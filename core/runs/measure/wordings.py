"""Findings of prompts that were asked in several wordings: over all of them, and how each varies between them.

A block holds all wordings of a prompt, so that it stays one unit, and groups are compared within a wording: a text
whose block has none of another group in its wording counts in no number over all wordings.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import exp, inf, log
from statistics import NormalDist
from typing import Literal

from biasprint.core.draw.words import DECIDES, is_ratio, leaves_out, null_value
from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, Interval, InWording, OverWordings, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.means import levels_drawn_interval
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextKey
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.wordings import MOST, WORDING
from biasprint.core.report.reach import over_wordings
from biasprint.core.runs.measure.sensitivity import key_of
from biasprint.core.studies.compare.texts import GROUP, SECOND
from biasprint.core.studies.kit.plain_measuring import Answer
from biasprint.core.studies.kit.study import Study
from biasprint.core.tables.rows import TableRead
from biasprint.core.texts.generators import LETTER
from biasprint.core.texts.replies import matched

UNMATCHED = "no text of another group in the same wording"  # the reason for which a text is left out
NOT_THERE = "it has no text to measure this in"
Measure = Callable[[JobContext, Project, Project], Answer]  # of texts, and of the replies to count
Cell = tuple[str, ...]
Side = Literal["above", "below", "none"]


def measured_over_wordings(
    ctx: JobContext, projects: tuple[Project, Project], study_id: int, study: Study, measure: Measure
) -> Answer:
    """Return what `measure` says of a project; with several wordings of its prompts also how each finding varies.

    `projects`: read with the texts to measure, and with the replies to count. Findings name a wording that cannot be
    measured, and why; the others are measured.
    """
    project, replies = projects
    texts = dict(_texts(replies, study_id))
    wordings = sorted({wording for wording, _, _ in texts.values() if wording}, key=_in_order)
    if not 2 <= len(wordings) <= MOST:
        return measure(ctx, project, replies)
    alone = _unmatched(dict(_texts(project, study_id))) if study.asked_of == (GROUP,) else {}
    result, remarks = measure(ctx, project.without(alone), replies)
    results: dict[str, StudyResult | str] = {}
    for wording in wordings:
        ctx.check()
        others = [key for key, (own, _, _) in texts.items() if own != wording]
        try:
            results[wording] = measure(ctx, project.without(others), replies.without(others))[0]
        except AppError as error:
            results[wording] = error.message.rstrip(".")
    if alone:
        rows, dropped = result.rows + len(alone), {**result.dropped, UNMATCHED: len(alone)}
        result, remarks = replace(result, rows=rows, dropped=dropped), [*remarks, *_sentences(alone, texts)]
    return replace(result, findings=tuple(varied(result.findings, results))), remarks


def several_wordings(tables: Sequence[TableRead]) -> bool:
    """Return whether rows of these tables were asked for in several wordings."""
    wordings = {row.values.get(WORDING, "").strip() for table in tables for row in table.rows} - {""}
    return 2 <= len(wordings) <= MOST


def varied(findings: Sequence[Finding], results: Mapping[str, StudyResult | str]) -> Iterator[Finding]:
    """Yield each finding with how it varies. `results`: the same of each wording alone, or why there are none."""
    known = {
        wording: {key_of(finding): finding for finding in result.findings}
        for wording, result in results.items()
        if isinstance(result, StudyResult)
    }
    for finding in findings:
        own = {wording: of.get(key_of(finding)) for wording, of in known.items()}
        if sum(other is not None for other in own.values()) < 2:
            yield finding
            continue
        why = {wording: result for wording, result in results.items() if isinstance(result, str)}
        each = tuple(_in(wording, own.get(wording), why.get(wording, NOT_THERE)) for wording in results)
        with_each = replace(finding, wordings=_over(finding, each))
        yield replace(with_each, note=f"{finding.note} {over_wordings(with_each)}".strip())


def _in(wording: str, finding: Finding | None, why: str) -> InWording:
    if finding is None or finding.estimate is None:
        return InWording(wording, None, n=finding.n if finding else 0, reason=finding.reason if finding else why)
    interval = finding.interval
    high = interval.high if interval and interval.high < inf else None
    return InWording(wording, finding.estimate, interval.low if interval else None, high, finding.n, side_of(finding))


def side_of(finding: Finding) -> Side | None:
    """Return on which side of no bias its interval lies, or by its own p where that decides nothing."""
    null = null_value(finding)
    if null is None or finding.estimate is None:
        return None
    excluded = leaves_out(finding)
    if excluded is None:
        excluded = finding.p is not None and finding.p <= DECIDES
    return ("above" if finding.estimate > null else "below") if excluded else "none"


def _over(finding: Finding, each: tuple[InWording, ...]) -> OverWordings:
    values = [one.estimate for one in each if one.estimate is not None]
    side = side_of(finding)
    holds = sum(one.side == side for one in each) if side in ("above", "below") else None
    if not values:
        return OverWordings(each, 0, holds)
    beyond_chance, like_these = _beyond(finding, each)
    return OverWordings(each, len(values), holds, min(values), max(values), beyond_chance, like_these)


def _beyond(finding: Finding, each: Sequence[InWording]) -> tuple[float | None, Interval | None]:
    """Return the share of the variance between wordings beyond chance, and the interval for wordings like these.

    None for what has no sign: chance alone keeps a spread above 0, the more the fewer texts a wording has.
    """
    ratio, interval = is_ratio(finding), finding.interval
    of_spread = finding.floor is not None and not finding.unit.startswith("difference")
    signed = null_value(finding) == (1.0 if ratio else 0.0) and not of_spread
    values = [one.estimate for one in each if one.estimate is not None]
    ends = [(one.low, one.high) for one in each if one.low is not None and one.high is not None]
    if not signed or interval is None or finding.estimate is None or len(values) < 3:
        return None, None
    every = [finding.estimate, interval.low, interval.high, *values, *(end for pair in ends for end in pair)]
    if ratio and not all(0 < value < inf for value in every):
        return None, None
    scale, back = (log, exp) if ratio else (float, float)
    z = NormalDist().inv_cdf((1 + interval.level) / 2)

    def error(low: float, high: float) -> float:
        return (scale(high) - scale(low)) / 2 / z

    import numpy as np

    levels = np.array([scale(value) for value in values])
    variance = float(levels.var(ddof=1))
    own = [error(*pair) ** 2 for pair in ends]
    share = max(0.0, 1 - sum(own) / len(own) / variance) if variance and len(own) == len(values) else None
    drawn = levels_drawn_interval(scale(finding.estimate), error(interval.low, interval.high), levels, interval.level)
    if drawn.bounds is None:
        return share, None
    bounds = drawn.bounds
    return share, Interval(back(bounds.low), back(bounds.high), bounds.level, bounds.method)


# ---- Texts by wording, and those without a counterpart

Texts = Mapping[TextKey, tuple[str, Cell, str]]  # the wording, what matched texts share, and the group


def _texts(project: Project, study_id: int) -> Iterator[tuple[TextKey, tuple[str, Cell, str]]]:
    """Yield every reply and imported letter; a reply without a text has no group, and is no counterpart."""
    for row in project.outputs.each(OutputFilter(study_id=study_id)):
        cell = (matched(row), row.fields.get("arm", ""), row.fields.get("design", ""), row.model)
        group = _group({GROUP: row.identity, **row.fields}) if row.status == "done" else ""
        yield ("output", row.id), (row.fields.get(WORDING, "").strip(), cell, group)
    for source in project.sources.each(study_id, kind=LETTER):
        fields = source.fields
        cell = (fields.get("block", ""), fields.get("arm", ""), "", fields.get("model", ""))
        yield ("source", source.id), (fields.get(WORDING, "").strip(), cell, _group(fields))


def _group(fields: Mapping[str, str]) -> str:
    return " × ".join(filter(None, (fields.get(GROUP, "").strip(), fields.get(SECOND, "").strip())))


def _unmatched(texts: Texts) -> dict[TextKey, str]:
    """Return the texts whose block has, in their wording, none of a group that it has in another; and that group."""
    groups: dict[Cell, set[str]] = {}
    there: dict[tuple[str, Cell], set[str]] = {}
    for wording, cell, group in texts.values():
        if wording and group and cell[0]:
            groups.setdefault(cell, set()).add(group)
            there.setdefault((wording, cell), set()).add(group)
    missing = {place: sorted(groups[place[1]] - own) for place, own in there.items()}
    return {
        key: missing[wording, cell][0]
        for key, (wording, cell, group) in texts.items()
        if group and missing.get((wording, cell))
    }


def _sentences(alone: Mapping[TextKey, str], texts: Texts) -> Iterator[str]:
    """Yield sentences about the texts without a counterpart: a wording that lacks a group first."""
    count = "1 text is" if len(alone) == 1 else f"{len(alone):,} texts are"
    groups = {
        wording: {group for own, _, group in texts.values() if own == wording} for wording, _, _ in texts.values()
    }
    lacking = Counter((texts[key][0], group) for key, group in alone.items() if group not in groups[texts[key][0]])
    for wording, group in sorted(lacking):
        yield f"Wording {wording} has no text for {group}."
    yield f"{count} left out of the numbers over all wordings: their block has {UNMATCHED}."


def _in_order(wording: str) -> tuple[int, str]:
    return (int(wording) if wording.isdecimal() and len(wording) < 5 else 10**5, wording)
