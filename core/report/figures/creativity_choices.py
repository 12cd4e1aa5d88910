"""The figures of Kumar et al. 2024 about choices: ABS, preferences, who judges whom, tasks and topics, agreement."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.draw.figure import Figure, FigureMark, mark
from core.findings import Finding
from core.report.figures.choose import having, parted, values
from core.report.figures.creativity_extremes import preferred_figure
from core.report.figures.creativity_orders import orders_figure
from core.report.figures.published import creativity
from core.report.figures.words import joined, words

SHARE, ABS = "creativity.share", "creativity.abs"
AGREEMENT = "creativity.agreement."
STATISTICS = {
    "fleiss_kappa": "Fleiss’ κ",
    "krippendorff_alpha": "Krippendorff’s α",
    "gwet_ac1": "Gwet’s AC1",
    "cohen_kappa": "Cohen’s κ, mean of pairs",
    "raw": "Raw agreement",
}
EVERYONE, EVERY_MODEL = "All raters", "All texts"
KINDS = {"person": "All people", "model": "All models"}
MOST_SERIES = 6  # more raters or models than can be told apart in a row


def kumar(**fields: Any) -> Figure:
    """A figure of the study; `source` within the paper."""
    return Figure(**{"study": "creativity", **fields, "source": f"Kumar et al. 2024, {fields['source']}"})


def choice_figures(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Every figure about choices, also those in which there is nothing."""
    yield from _score(findings)
    yield from _preferences(findings)
    yield from _evaluators(findings)
    yield from _by_task(findings)
    yield from _agreement(findings)
    yield from orders_figure(findings, kumar)


def _score(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield kumar(
        key="creativity.abs",
        title="Affinity bias score",
        subtitle="How unequally outputs are chosen. It is above 0 without any bias too: compare the floor. "
        "The paper's values are confounded with position.",
        kind="grouped",
        marks=tuple(
            mark(one, words(one.dims["axis"]), series=_whose(one), references=creativity(one))
            for one in _of_raters(findings, ABS)
        ),
        unit="standard deviation of shares",
        axis="ABS",
        series_title="rater",
        source="Table 1b",
    )
    yield from preferred_figure(_of_raters(findings, ABS), kumar, _whose)


def _of_raters(findings: Sequence[Finding], finding_id: str) -> list[Finding]:
    """Everybody's (where people and models judged, each together), then each rater's where they are few enough."""
    each = having(findings, finding_id, ("axis", "rater"))
    kinds = sorted(having(findings, finding_id, ("axis", "rater_kind")), key=_people_first)
    apart = set(values(kinds, "axis"))
    whole = [one for one in having(findings, finding_id, ("axis",)) if one.dims["axis"] not in apart]
    few = len(values(each, "rater")) + (len(KINDS) if kinds else 1) <= MOST_SERIES
    return whole + kinds + (each if few or not (whole or kinds) else [])


def _people_first(finding: Finding) -> bool:
    return finding.dims["rater_kind"] != "person"


def _whose(finding: Finding) -> str:
    """One rater, everybody of a kind, or everybody."""
    kind = KINDS.get(finding.dims.get("rater_kind", ""), EVERYONE)
    return finding.dims.get("rater", kind)


def _preferences(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield kumar(
        key="creativity.preferences",
        title="Whose outputs are chosen",
        subtitle="The share of choices relative to chance (share × number of identities): 1 is chance.",
        kind="grouped",
        marks=tuple(
            _relative(mark(one, words(one.label), series=_whose(one), section=words(one.dims["axis"])))
            for one in _of_raters(findings, SHARE)
        ),
        unit="share relative to chance",
        axis="share of choices, relative to chance",
        null=1.0,
        null_words="chance",
        series_title="rater",
        source="Figures 5, 6 and 7",
    )


def _relative(one: FigureMark) -> FigureMark:
    """A share as a multiple of chance."""
    identities = len(one.finding.groups)

    def times(value: float | None) -> float | None:
        return None if value is None else value * identities

    return replace(
        one, value=times(one.value), low=times(one.low), high=times(one.high), unit="share relative to chance"
    )


def _evaluators(findings: Sequence[Finding]) -> Iterator[Figure]:
    both = having(findings, ABS, ("axis", "rater", "model"))
    rated, written = having(findings, ABS, ("axis", "rater")), having(findings, ABS, ("axis", "model"))
    cells = [*both, *rated, *written, *_together(findings)] if both else []
    yield kumar(
        key="creativity.evaluators",
        title="Who judges whose texts: affinity bias score",
        subtitle="A row for each rater, person or model; a column for the model whose outputs were judged.",
        kind="matrix",
        marks=tuple(
            mark(
                one,
                _whose(one),
                series=one.dims.get("model", EVERY_MODEL),
                section=words(one.dims["axis"]),
            )
            for one in cells
        ),
        unit="standard deviation of shares",
        axis="ABS",
        rows_title="rater",
        series_title="model judged",
        source="appendix A, judge by author",
    )


def _together(findings: Sequence[Finding]) -> list[Finding]:
    return [one for one in _of_raters(findings, ABS) if "rater" not in one.dims]


def _by_task(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Figures 1 and 12 to 20: all together, then each evaluator, a section for each model whose texts were judged."""
    for narrowed, key, source in (
        (("task",), "creativity.tasks", "Figure 1"),
        (("topic",), "creativity.topics", "Table 4's topics"),
        (("task", "rater"), "creativity.tasks.raters", "Figures 12 to 20, over all texts"),
        (("task", "rater", "model"), "creativity.tasks.evaluators", "Figures 12 to 20"),
    ):
        cells = having(findings, SHARE, ("axis", *narrowed))
        for part, own in parted(cells, lambda one: joined(one.dims["axis"], one.dims.get("rater", ""))).items():
            chance = 1 / max(1, len(own[0].groups))
            yield kumar(
                key=key,
                part=part,
                title=f"Whose outputs are chosen, by {narrowed[0]}: {part}",
                subtitle="The share of choices; no colour is chance. Cells of few choices scatter widely.",
                kind="matrix",
                marks=tuple(
                    mark(one, words(one.dims[narrowed[0]]), series=words(one.label), section=one.dims.get("model", ""))
                    for one in own
                ),
                unit="proportion",
                axis="share of choices",
                null=chance,
                null_words="chance",
                rows_title=narrowed[0],
                series_title="identity",
                source=source,
            )


def _agreement(findings: Sequence[Finding]) -> Iterator[Figure]:
    own = [one for name in STATISTICS for one in having(findings, AGREEMENT + name, ("axis",))]
    whole = [one for one in own if one.label == one.dims["axis"]]
    yield kumar(
        key="creativity.agreement",
        title="Do the raters agree?",
        subtitle="Agreement beyond chance; 0 is chance. The intervals hold for these raters, not for others.",
        kind="intervals",
        marks=tuple(
            mark(
                one,
                STATISTICS[one.id.removeprefix(AGREEMENT)],
                section=words(one.dims["axis"]),
                references=creativity(one),
            )
            for one in whole
        ),
        unit="agreement",
        axis="agreement (raw: share of pairs of judgments that agree)",
        null=0.0,
        null_words="chance",
        source="footnote 4",
    )
    yield kumar(
        key="creativity.agreement.pairs",
        title="Do two raters agree? Cohen’s κ of each pair",
        subtitle="Agreement beyond chance; 0 is what chance gives.",
        kind="matrix",
        marks=tuple(
            mark(one, _pair(one), series=words(one.dims["axis"]))
            for one in sorted(own, key=_pair)
            if one.label != one.dims["axis"]
        ),
        unit="agreement beyond chance",
        axis="Cohen’s κ",
        null=0.0,
        null_words="chance",
        rows_title="pair of raters",
        series_title="axis",
        source="footnote 4; pairs beyond the paper",
    )


def _pair(finding: Finding) -> str:
    """Two raters by name: they may stand in another order on another axis."""
    return " / ".join(sorted(finding.groups, key=str.casefold))
