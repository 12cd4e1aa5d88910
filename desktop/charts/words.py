"""The sentences of the charts: what hovering tells, and what a screen reader reads. Plain text, no Qt widgets."""

from collections.abc import Iterable, Mapping

from core.findings import Finding
from desktop.charts import numbers
from desktop.charts.view import RadarView, RowsView, View
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
    lines = [f"{view.title}."]
    if isinstance(view, RowsView):
        lines += _describe_rows(view)
    else:
        lines += _describe_radar(view)
    lines += stand_in_lines(view)
    return "\n".join([*lines, *view.notes])


def _describe_rows(view: RowsView) -> list[str]:
    lines = []
    for block in view.blocks:
        if block.heading:
            lines.append(f"{block.heading}. {block.note}".strip())
        lines += [row.tip.replace("\n", "; ") for row in block.rows]
    return lines + [f"{missing.label}: {missing.reason}" for missing in view.undefined]


def _describe_radar(view: RadarView) -> list[str]:
    lines = []
    for series in view.series:
        lines.append(f"{series.title}:")
        lines += [point.tip.replace("\n", "; ") for point in series.points if point]
    return lines
