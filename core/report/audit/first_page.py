"""The first page: who was audited, what was found in a few sentences, one picture, and what it cannot say."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.draw import digits
from core.draw.digits import tr
from core.draw.figure import Figure, mark
from core.draw.verdicts import is_ratio, null_value
from core.findings import Finding
from core.machine.models.catalogue import scorer_title
from core.report.audit.audited import Audited
from core.report.blocks import Block, Heading, ReportFigure, ReportParagraph, ReportTable, Run, said, shortened
from core.report.questions import Evidence, evidence

MOST_NAMED = 2  # questions whose answer is told on the first page
MOST_DRAWN = 4  # findings in the picture
MOST_GENERATORS = 6
PICTURE = 0.76  # of the page's width
FEW = 30  # of what a finding counts: below it an interval is wide whatever is found
SAID_FIRST = ("temperature", "top_p", "max_tokens")  # of a generator's parameters


def first_page(audited: Audited) -> Iterator[Block]:
    if audited.stale:
        yield ReportParagraph((Run(audited.stale, bold=True),))
    yield Heading(tr("Who was audited"), 2)
    yield from _who(audited)
    found = [(one.question, evidence(audited.study, one)) for one in audited.questions]
    yield Heading(tr("What was found"), 2)
    for sentence in _in_short(audited, found):
        yield said(sentence, bullet=True)
    if (picture := _picture(audited, found)) is not None:
        yield ReportFigure(picture, PICTURE)
    yield Heading(tr("What this cannot say"), 2)
    for limit in _limits(audited, [lead for _, each in found for lead in each.leads]):
        yield said(limit, bullet=True)


# who


def _who(audited: Audited) -> Iterator[Block]:
    if not audited.generators:
        yield said(tr("Who wrote the texts is not known: their table does not say."))
        return
    rows = [_generator(one) for one in audited.generators[:MOST_GENERATORS]]
    header = (tr("Generator"), tr("Model and version"), tr("Parameters"), tr("Written"), tr("Texts"))
    yield ReportTable(header, tuple(rows), (0.25, 0.22, 0.32, 0.13, 0.08))
    if (more := len(audited.generators) - MOST_GENERATORS) > 0:
        yield said(tr("{n} more are listed on the last page.").format(n=digits.count(more)), soft=True)
    if audited.prompts:
        yield said(" ".join(audited.prompts), soft=True)


def _generator(one: Mapping[str, Any]) -> tuple[str, str, str, str, str]:
    version = str(one.get("revision") or "")
    model = "" if str(one["name"]).startswith(str(one["model"])) else f"{one['model']}, "
    model += f"{f'version {version[:12]}, ' if version else ''}by {str(one['backend']).replace('_', ' ')}"
    if one.get("endpoint"):
        model += f" at {one['endpoint']}"
    days = sorted({str(one.get(when) or "")[:10] for when in ("first", "last")} - {""})
    return (str(one["name"]), model, _parameters(one), " to ".join(days) or "–", digits.count(int(one["n"])))


def _parameters(one: Mapping[str, Any]) -> str:
    parameters = one.get("parameters") or {}
    parts = [f"{name.replace('_', ' ')} {parameters[name]}" for name in SAID_FIRST if name in parameters]
    parts += [f"seed {', '.join(map(str, one['seeds']))}"] if one.get("seeds") else []
    if one.get("system_prompt"):
        parts.append(f"system prompt “{shortened(str(one['system_prompt']), 48)}”")
    return "; ".join(parts) or "–"


# what


def _in_short(audited: Audited, found: Sequence[tuple[str, Evidence]]) -> Iterator[str]:
    """Three to five sentences for somebody who reads no further."""
    yes = sorted(((ask, each) for ask, each in found if each.shown), key=lambda one: _rank(one[1]))
    no = [(ask, each) for ask, each in found if each.tested and not each.shown]
    other = len(found) - len(yes) - len(no)
    yield tr(
        "Of {all} questions asked of {texts}, {yes} are answered by a difference; in {no} none is shown, and {other} "
        "could not be tested."
    ).format(
        all=digits.count(len(found)), texts=audited.texts.lower(), yes=digits.count(len(yes)), no=digits.count(len(no)),
        other=digits.count(other),
    )  # fmt: skip
    for place, (ask, each) in enumerate(yes[:MOST_NAMED]):
        first = each.shown[0]
        yield tr("{ask} Yes, in {shown} of {all} comparisons, most clearly: {said}. {scale} {harm}").format(
            ask=ask, shown=digits.count(len(each.shown)), all=digits.count(len(each.tested)), said=each.said(first),
            scale=_scale(first), harm="" if place else first.harm,
        ).strip()  # fmt: skip
    if no:
        ask, each = min(no, key=lambda one: _rank(one[1]))
        yield tr("{ask} That was not shown, which is no proof that there is none; nearest is {said}.").format(
            ask=ask, said=each.said(each.nearest)
        )


def _rank(each: Evidence) -> tuple[float, float]:
    one = each.nearest
    return one.p_adjusted or 0.0, one.p or 0.0


def _scale(finding: Finding) -> str:
    """What the number would be without any bias."""
    if finding.floor is not None:
        return tr("Without any bias it stays below {p95} in 95 of 100 cases.").format(
            p95=digits.number(finding.floor.p95, finding.unit)
        )
    null = null_value(finding)
    return (
        ""
        if null is None
        else tr("Without any bias it would be {null}.").format(
            null=f"{null:g}" if null in (0, 1) else digits.number(null, finding.unit)
        )
    )


def _picture(audited: Audited, found: Sequence[tuple[str, Evidence]]) -> Figure | None:
    """The findings that answer the question with the clearest answer, one below the other."""
    tested = [(ask, each) for ask, each in found if each.tested]
    if not tested:
        return None
    ask, each = min(tested, key=lambda one: (not one[1].shown, _rank(one[1])))
    unit = each.nearest.unit
    others = [one for one in each.tested if one not in each.shown]
    drawn = [one for one in (*each.shown, *others) if one.unit == unit][:MOST_DRAWN]
    ratio = is_ratio(drawn[0]) and all((one.estimate or 0) > 0 for one in drawn)
    return Figure(
        key="audit.answer",
        study=audited.study,
        title=ask,
        subtitle="",
        kind="intervals",
        marks=tuple(mark(one, each.names[id(one)]) for one in drawn),
        unit=unit,
        axis=unit,
        scale="log" if ratio else "linear",
        null=null_value(drawn[0]) if drawn[0].floor is None else None,
        rows_title=tr("finding"),
    )


# what not


def _limits(audited: Audited, leads: Sequence[Finding]) -> Iterator[str]:
    uses = {
        (use.role.replace("_", " "), scorer_title(use.name))
        for one in audited.findings
        for use in one.scorers
        if use.stand_in
    }
    if uses:
        names = "; ".join(f"{role} by {title}" for role, title in sorted(uses))
        yield tr("Stand-ins were used in place of the papers' own scorers: {names}.").format(names=names)
    few = [one for one in leads if one.n < FEW]
    if few:
        yield tr(
            "{few} of the {all} findings that answer rest on fewer than {least} items, the smallest on {n}."
        ).format(
            few=digits.count(len(few)),
            all=digits.count(len(leads)),
            least=FEW,
            n=digits.count(min(one.n for one in few)),
        )
    if undefined := sum(one.estimate is None for one in audited.findings):
        yield tr("{n} of {all} findings have no number; why stands beside each.").format(
            n=digits.count(undefined), all=digits.count(len(audited.findings))
        )
    if lost := most_dropped(audited):
        said_so = "; ".join(f"{digits.count(count)} × {reason}" for reason, count in lost.items())
        yield tr("Left out, in the finding that lost most: {lost}.").format(lost=said_so)
    if audited.recipe.get("pooled"):
        names = "; ".join(f"{one['name']} (n = {digits.count(int(one['n']))})" for one in audited.generators)
        yield tr("The texts of several generators were pooled, by choice: {names}.").format(names=names)
    yield tr(
        "Scorers and word lists are English. What is found holds for these texts, these generators, settings and "
        "dates; it says nothing of other uses."
    )


def most_dropped(audited: Audited) -> Mapping[str, int]:
    """By reason, how many a finding lost at most; of the whole study where that is known."""
    if audited.dropped:
        return audited.dropped
    lost: dict[str, int] = {}
    for one in audited.findings:
        for reason, count in one.dropped.items():
            lost[reason] = max(count, lost.get(reason, 0))
    return {reason: count for reason, count in sorted(lost.items(), key=lambda item: -item[1]) if count}
