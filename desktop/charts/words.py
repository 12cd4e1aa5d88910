"""The sentences of the charts: what hovering tells, and what a screen reader reads. Plain text, no Qt widgets."""

from collections.abc import Iterable, Iterator, Mapping

from core.findings import Finding
from desktop.charts import numbers
from desktop.charts.view import GridView, LineView, RowsView, View
from desktop.widgets.words import tr


def interval_sentence(finding: Finding, shown: str) -> str:
    """How the interval was made, or why there is none."""
    if finding.interval is None:
        return tr("No interval: {why}").format(why=numbers.missing_interval(finding) or tr("the study gave none"))
    level = f"{100 * finding.interval.level:g}"
    return tr("{level} % interval {shown} ({method})").format(level=level, shown=shown, method=finding.interval.method)


def p_sentence(finding: Finding) -> str:
    """p and its adjustment; empty where no test applies."""
    if finding.p is None:
        return tr("{p} against the noise floor").format(p=numbers.p_value(finding.floor.p)) if finding.floor else ""
    if finding.p_adjusted is None:
        return numbers.p_value(finding.p)
    method = finding.adjust.method if finding.adjust else tr("many tests")
    adjusted = numbers.p_value(finding.p_adjusted).removeprefix("p ")
    return tr("{p}, adjusted {adjusted} ({method})").format(
        p=numbers.p_value(finding.p), adjusted=adjusted.removeprefix("= "), method=method
    )


def counts(of: Mapping[str, int], names: Mapping[str, str] | None = None) -> str:
    """ "ties: 3, none good: 1": a count by reason or by group."""
    words = {
        "tie": tr("ties"),
        "none": tr("none good"),
        "skip": tr("skipped"),
        "hidden repeat": tr("hidden repeats"),
        **(names or {}),
    }
    return ", ".join(f"{words.get(key, key)}: {numbers.count(n)}" for key, n in of.items() if n)


def stand_ins(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The stand-in scorers behind some numbers, each once: "minilm (embedding)"."""
    uses = {f"{use.name} ({use.role})" for finding in findings for use in finding.scorers if use.stand_in}
    return tuple(sorted(uses))


def stand_in_lines(view: View) -> tuple[str, ...]:
    """The same as lines for hovering, so that the badge is with the number too."""
    return tuple(tr("Stand-in scorer: {name}").format(name=name) for name in view.stand_ins)


def describe(view: View) -> str:
    """The whole chart in sentences, for who cannot see it."""
    if view.empty:
        return f"{view.title}. {view.empty}"
    return "\n".join([f"{view.title}.", view.subtitle, *_said(view), *stand_in_lines(view), *view.notes])


def _said(view: View) -> Iterator[str]:
    """A line for every number, under the headings that it stands under."""
    if isinstance(view, RowsView):
        for block in view.blocks:
            if block.heading:
                yield f"{block.heading}. {block.note}".strip()
            yield from (_one_line(row.tip) for row in block.rows)
    elif isinstance(view, GridView):
        for grid in view.blocks:
            if grid.heading:
                yield f"{grid.heading}."
            yield from (_one_line(cell.tip) for line in grid.rows for cell in line.cells if cell)
    else:
        for series in view.lines if isinstance(view, LineView) else view.series:
            yield f"{series.title}:"
            yield from (_one_line(point.tip) for point in series.points if point)
    if isinstance(view, RowsView | LineView):
        yield from (f"{missing.label}: {missing.reason}" for missing in view.undefined)


def _one_line(tip: str) -> str:
    return tip.replace("\n", "; ")
