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
from core.report.questions import BETWEEN_GENERATORS, Evidence, evidence, strength

MOST_NAMED = 2  # questions whose answer is told on the first page
MOST_DRAWN = 4  # findings in the picture
MOST_GENERATORS = 6
MOST_APART = 3  # generators of which each has its own answer
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
    if audited.generators:
        rows = [_generator(one) for one in audited.generators[:MOST_GENERATORS]]
        header = (tr("Generator"), tr("Model and version"), tr("Parameters"), tr("Written"), tr("Texts"))
        yield ReportTable(header, tuple(rows), (0.25, 0.22, 0.31, 0.13, 0.09))
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
    """How much was measured, and what was not."""
    if rows := int(audited.recipe.get("rows", 0)):
        yield tr("Measured: {n} rows; left out: {lost}.").format(
            n=digits.count(rows), lost=reasons_text(audited.recipe.get("left_out", {})) or tr("none")
        )


def reasons_text(lost: Mapping[str, int]) -> str:
    """ "7 × refusal; 2 × empty"."""
    return "; ".join(f"{digits.count(count)} × {reason}" for reason, count in lost.items())


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
        "Questions asked of {texts}: {all}. Answered by a clear yes: {yes}; not shown: {no}; without a test: {other}."
    ).format(
        all=digits.count(len(found)), texts=audited.texts.lower(), yes=digits.count(len(yes)), no=digits.count(len(no)),
        other=digits.count(other),
    )  # fmt: skip
    for place, (ask, each) in enumerate(yes[:MOST_NAMED]):
        harm = "" if place else each.shown[0].harm
        yield " ".join(filter(None, [ask, *_by_generator(each), _scale(each.shown[0]), harm]))
    if no:
        ask, each = min(no, key=lambda one: _rank(one[1]))
        yield tr("{ask} That was not shown, which is no proof of the contrary; nearest is {said}.").format(
            ask=ask, said=each.said(each.nearest)
        )


def _by_generator(each: Evidence) -> Iterator[str]:
    """What was found, of each generator where the findings name several."""
    apart: dict[str, list[Finding]] = {}
    for one in each.tested:
        apart.setdefault(one.dims.get("generator", ""), []).append(one)
    if len(apart) < 2:
        yield _yes(each)
        return
    yes = [name for name, own in apart.items() if each.of(own).shown]
    if len(apart) > MOST_APART:
        name = each.shown[0].dims.get("generator", "")
        yield tr("Yes of {some} of {all} generators, most clearly of “{name}”: {said}.").format(
            some=digits.count(len(yes)), all=digits.count(len(apart)), name=name,
            said=each.of(apart[name]).said(each.shown[0]),
        )  # fmt: skip
        return
    for name, own in apart.items():
        part = each.of(own)
        told = _yes(part) if part.shown else tr("Not shown; nearest is {said}.").format(said=part.said(part.nearest))
        yield tr("“{name}”: {told}").format(name=name, told=f"{told[0].lower()}{told[1:]}")


def _yes(each: Evidence) -> str:
    if len(each.tested) == 1:
        return tr("Yes: {said}.").format(said=each.said(each.shown[0]))
    return tr("Yes, in {shown} of {all} comparisons, most clearly {said}.").format(
        shown=digits.count(len(each.shown)), all=digits.count(len(each.tested)), said=each.said(each.shown[0])
    )


def _rank(each: Evidence) -> tuple[bool, float, float]:
    return strength(each.shown[0] if each.shown else each.nearest)


def _scale(finding: Finding) -> str:
    """What the number would be without any bias."""
    if finding.floor is not None:
        return tr("Without any bias it stays below {p95} in 95 of 100 cases.").format(
            p95=digits.number(finding.floor.p95, finding.unit)
        )
    null = null_value(finding)
    if null is None or finding.id.endswith(".equivalence"):
        return ""
    shown = f"{null:g}" if null in (0, 1) else digits.number(null, finding.unit)
    if finding.id.endswith(BETWEEN_GENERATORS):
        return tr("With no difference between them it would be {null}.").format(null=shown)
    return tr("Without any bias it would be {null}.").format(null=shown)


def _picture(audited: Audited, found: Sequence[tuple[str, Evidence]]) -> Figure | None:
    """The findings that answer the question with the clearest answer, one below the other; generators side by side."""
    tested = [(ask, each) for ask, each in found if each.tested]
    if not tested:
        return None
    ask, each = min(tested, key=lambda one: (not one[1].shown, _rank(one[1])))
    unit = (each.shown[0] if each.shown else each.nearest).unit
    others = [one for one in each.tested if one not in each.shown]
    ranked = [one for one in (*each.shown, *others) if one.unit == unit]
    names = {id(one): _row_name(one, each) for one in ranked}
    rows = list(dict.fromkeys(names.values()))[:MOST_DRAWN]
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
    """What it is called in the picture, where the generator is told by its colour."""
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
        names = "; ".join(f"{role} by {title}" for role, title in sorted(uses))
        yield tr("Stand-ins were used in place of the papers' own scorers: {names}.").format(names=names)
    few = [one for one in leads if one.n < FEW]
    if few:
        yield tr(
            "Findings that answer but rest on fewer than {least} items: {few} of {all}, the smallest on {n}."
        ).format(
            few=digits.count(len(few)), all=digits.count(len(leads)), least=FEW,
            n=digits.count(min(one.n for one in few)),
        )  # fmt: skip
    if undefined := sum(one.estimate is None for one in audited.findings):
        yield tr("Findings without a number: {n} of {all}; why stands beside each.").format(
            n=digits.count(undefined), all=digits.count(len(audited.findings))
        )
    if "left_out" not in audited.recipe and (lost := most_dropped(audited)):
        yield tr("Left out, in the finding that lost most: {lost}.").format(lost=reasons_text(lost))
    if audited.recipe.get("pooled"):
        names = "; ".join(f"{one['name']} (n = {digits.count(int(one['n']))})" for one in audited.generators)
        yield tr("The texts of several generators were pooled, by choice: {names}.").format(names=names)
    yield tr(
        "Scorers and word lists are English. What is found holds for these texts, these generators, settings and "
        "dates; it says nothing of other uses."
    )


def most_dropped(audited: Audited) -> Mapping[str, int]:
    """By reason, how many a finding lost at most; of the whole study where that is known."""
    if "left_out" in audited.recipe:
        return dict(audited.recipe["left_out"])
    lost: dict[str, int] = {}
    for one in audited.findings:
        for reason, count in one.dropped.items():
            lost[reason] = max(count, lost.get(reason, 0))
    return {reason: count for reason, count in sorted(lost.items(), key=lambda item: -item[1]) if count}
