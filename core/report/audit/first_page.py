"""The first page: who was audited, what was found in a few sentences, one picture, and what it cannot say."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from biasprint.core.draw import digits
from biasprint.core.draw.digits import tr
from biasprint.core.draw.figure import Figure, mark
from biasprint.core.draw.verdicts import is_ratio, null_value
from biasprint.core.findings import Finding
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.report.audit.audited import FEW, Audited
from biasprint.core.report.audit.in_short import clearest, in_short
from biasprint.core.report.blocks import (
    Block,
    Heading,
    ReportFigure,
    ReportParagraph,
    ReportTable,
    Run,
    said,
    shortened,
)
from biasprint.core.report.questions import Evidence, evidence

MOST_DRAWN, MOST_DRAWN_APART = 4, 2  # findings in the picture; where each generator has a line in each
MOST_GENERATORS = 6
MOST_STAND_INS = 2  # that are named in full
BACKENDS = {
    "synthetic": "the synthetic author (planted, no language model)",
    "llama_cpp": "run here by llama.cpp",
    "transformers": "run here by transformers",
    "openai_compatible": "asked over an OpenAI-compatible endpoint",
    "imported": "texts of an imported table",
    "written": "texts written for this project by hand",
}
UNSEEDED = ("imported", "written")
SAID_FIRST = ("temperature", "top_p", "max_tokens")  # of a generator's parameters


def first_page(audited: Audited) -> Iterator[Block]:
    if audited.stale:
        yield ReportParagraph((Run(audited.stale, bold=True),))
    yield Heading(tr("Who was audited"), 2)
    yield from _who(audited)
    found = [(one.question, evidence(audited.study, one)) for one in audited.questions]
    yield Heading(tr("What was found"), 2)
    yield from in_short(audited, found)
    if (picture := _picture(audited, found)) is not None:
        yield ReportFigure(picture)
    yield Heading(tr("What this cannot say"), 2)
    for limit in _limits(audited, [lead for _, each in found for lead in each.leads]):
        yield said(limit, soft=True, bullet=True)


# who


def _who(audited: Audited) -> Iterator[Block]:
    if audited.generators:
        rows = [_generator(one) for one in audited.generators[:MOST_GENERATORS]]
        header = (tr("Generator"), tr("Model and version"), tr("Parameters"), tr("Written"), tr("Texts"))
        yield ReportTable(header, tuple(rows), (0.22, 0.24, 0.34, 0.12, 0.08))
        if (more := len(audited.generators) - MOST_GENERATORS) > 0:
            yield said(tr("{n} more are listed on the last page.").format(n=digits.count(more)), soft=True)
    else:
        yield said(tr("Who wrote the texts is not known: their table does not say."))
    if told := [*_asked(audited), *_read(audited)]:
        yield said(" ".join(told), soft=True)


def _asked(audited: Audited) -> Iterator[str]:
    if audited.asked:
        yield tr("Asked: {sets}.").format(
            sets="; ".join(
                tr("{n} prompts of “{name}”, version {version}").format(
                    n=digits.count(one.n), name=one.name, version=one.version
                )
                for one in audited.asked
            )
        )


def _read(audited: Audited) -> Iterator[str]:
    """Say how much was measured, and what was not."""
    if rows := int(audited.recipe.get("rows", 0)):
        yield tr("Measured: {n} rows; left out: {lost}.").format(
            n=digits.count(rows), lost=reasons_text(audited.recipe.get("left_out", {})) or tr("none")
        )


def reasons_text(lost: Mapping[str, int]) -> str:
    """ "7 × refusal; 2 × empty"."""
    return "; ".join(f"{digits.count(count)} × {reason}" for reason, count in lost.items())


def backend_words(backend: str) -> str:
    """Return the name of the backend that wrote, in words; a plug-in's backend has its own name."""
    return tr(BACKENDS[backend]) if backend in BACKENDS else backend.replace("_", " ")


def _generator(one: Mapping[str, Any]) -> tuple[str, str, str, str, str]:
    version = str(one.get("revision") or "")
    own = "" if str(one["name"]).startswith(str(one["model"])) else str(one["model"])
    parts = [own, f"version {version[:12]}" if version else "", backend_words(str(one["backend"]))]
    model = ", ".join(filter(None, parts))
    if one.get("endpoint"):
        model += f" at {one['endpoint']}"
    days = sorted({str(one.get(when) or "")[:10] for when in ("first", "last")} - {""})
    return (str(one["name"]), model, _parameters(one), " to ".join(days) or "–", digits.count(int(one["n"])))


def _parameters(one: Mapping[str, Any]) -> str:
    parameters = one.get("parameters") or {}
    parts = [f"{name.replace('_', ' ')} {parameters[name]}" for name in SAID_FIRST if name in parameters]
    if one.get("seeds") and one["backend"] not in UNSEEDED:
        parts.append(f"seed {', '.join(map(str, one['seeds']))}")
    if one.get("system_prompt"):
        parts.append(f"system prompt “{shortened(str(one['system_prompt']), 28)}”")
    return "; ".join(parts) or "–"


# the picture


def _picture(audited: Audited, found: Sequence[tuple[str, Evidence]]) -> Figure | None:
    """The findings that answer the question with the clearest answer, one below the other; generators side by side."""
    tested = [(ask, each) for ask, each in found if each.tested]
    if not tested:
        return None
    ask, each = clearest(tested)
    unit = (each.shown[0] if each.shown else each.nearest).unit
    others = [one for one in each.tested if one not in each.shown]
    ranked = [one for one in (*each.shown, *others) if one.unit == unit]
    names = {id(one): _row_name(one, each) for one in ranked}
    most = MOST_DRAWN if len({one.dims.get("generator") for one in ranked}) < 2 else MOST_DRAWN_APART
    rows = list(dict.fromkeys(names.values()))[:most]
    drawn = [one for row in rows for one in ranked if names[id(one)] == row]
    writers = list(dict.fromkeys(one.dims.get("generator", "") for one in drawn))
    several = len(writers) > 1
    ratio = is_ratio(drawn[0]) and all((one.estimate or 0) > 0 for one in drawn)
    return Figure(
        key="audit.answer",
        study=audited.study,
        title=ask,
        subtitle="",
        kind="grouped" if several else "intervals",
        marks=tuple(
            mark(one, names[id(one)], series=one.dims.get("generator", "") if several else "") for one in drawn
        ),
        unit=unit,
        axis=unit,
        scale="log" if ratio else "linear",
        null=null_value(drawn[0]) if drawn[0].floor is None else None,
        rows_title=tr("finding"),
    )


def _row_name(finding: Finding, each: Evidence) -> str:
    """Return the name of a finding in the picture, where the generator is known by its colour."""
    name, generator = each.names[id(finding)], finding.dims.get("generator", "")
    return name.replace(f", {generator}", "") if generator else name


# what not


def _limits(audited: Audited, leads: Sequence[Finding]) -> Iterator[str]:
    uses = {
        (use.role.replace("_", " "), scorer_title(use.name))
        for one in audited.findings
        for use in one.scorers
        if use.stand_in
    }
    if uses:
        whole = len(uses) <= MOST_STAND_INS
        names = "; ".join(f"{role} by {title}" if whole else role for role, title in sorted(uses))
        told = tr("Stand-ins were used in place of the papers' own scorers: {names}.").format(names=names)
        yield told if whole else f"{told} {tr('The last page names them.')}"
    if few := [one.n for one in leads if one.n < FEW]:
        rest = tr("rests") if len(few) == 1 else tr("rest")
        yield tr(
            "{few} of the {all} findings behind these answers {rest} on fewer than {least} items ({n}): a difference "
            "could be there and not be seen."
        ).format(
            few=digits.count(len(few)), all=digits.count(len(leads)), rest=rest, least=FEW,
            n=digits.count(min(few)) if len(few) == 1 else tr("the smallest on {n}").format(n=digits.count(min(few))),
        )  # fmt: skip
    if undefined := [one.reason or "" for one in audited.findings if one.estimate is None]:
        yield tr("{n} of all {all} findings {have} no number, {most}: {why}.").format(
            n=digits.count(len(undefined)), all=digits.count(len(audited.findings)),
            have=tr("has") if len(undefined) == 1 else tr("have"),
            most=tr("for this reason") if len(set(undefined)) == 1 else tr("most often for this reason"),
            why=_most_common(undefined).rstrip("."),
        )  # fmt: skip
    if "left_out" not in audited.recipe and (lost := most_dropped(audited)):
        yield tr("Left out, in the finding that lost most: {lost}.").format(lost=reasons_text(lost))
    if audited.recipe.get("pooled"):
        names = "; ".join(f"{one['name']} (n = {digits.count(int(one['n']))})" for one in audited.generators)
        yield tr("The texts of several generators were pooled, by choice: {names}.").format(names=names)
    yield tr(
        "Scorers and word lists are English. What is found holds for these texts, these generators, settings and "
        "dates; it says nothing of other uses."
    )


def _most_common(reasons: Sequence[str]) -> str:
    """The first of those that are most often given; they may differ in their numbers."""
    kinds = [re.sub(r"\d+", "0", reason) for reason in reasons]
    return reasons[kinds.index(Counter(kinds).most_common(1)[0][0])]


def most_dropped(audited: Audited) -> Mapping[str, int]:
    """Return, by reason, how many a finding lost at most; of the whole study where that is known."""
    if "left_out" in audited.recipe:
        return dict(audited.recipe["left_out"])
    lost: dict[str, int] = {}
    for one in audited.findings:
        for reason, count in one.dropped.items():
            lost[reason] = max(count, lost.get(reason, 0))
    return {reason: count for reason, count in sorted(lost.items(), key=lambda item: -item[1]) if count}
