"""The figures of Kumar et al. 2024 about outputs: similarity, RBS, temperatures, perceptibility; then about choices."""

from collections.abc import Iterator, Sequence

from core.draw.figure import Figure, mark
from core.findings import Finding
from core.report.figures.choose import having, parted, worth_drawing
from core.report.figures.creativity_choices import choice_figures, kumar
from core.report.figures.creativity_extremes import nearest_figure
from core.report.figures.published import creativity
from core.report.figures.words import joined, words

RBS = "creativity.rbs"
LEVELS = ("imperceptible", "nuanced", "obvious")


def figures(findings: Sequence[Finding]) -> list[Figure]:
    """Every figure that these findings give."""
    own = [one for one in findings if one.id.startswith("creativity.")]
    outputs = [*_similarity(own), *_scores(own), *_temperature(own), *_perceptibility(own)]
    return worth_drawing([*outputs, *choice_figures(own)])


def _of_models(findings: Sequence[Finding], finding_id: str) -> list[Finding]:
    """Over all parts, for each model where there are several."""
    return having(findings, finding_id, ("axis",)) + having(findings, finding_id, ("axis", "model"))


def _similarity(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield kumar(
        key="creativity.distance",
        title="How far each identity is from the default output",
        subtitle="Mean cosine distance (1 − the paper's similarity): the lowest is what the model takes as normal.",
        kind="grouped",
        marks=tuple(
            mark(one, words(one.label), series=one.dims.get("model", ""), section=words(one.dims["axis"]))
            for one in _of_models(findings, "creativity.distance")
        ),
        unit="cosine distance",
        axis="cosine distance from the default output",
        series_title="model",
        source="Figures 4 and 11",
    )


def _scores(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield kumar(
        key="creativity.rbs",
        title="Representative bias score",
        subtitle="How unequal those distances are over an axis. It is above 0 without any bias too: compare the floor.",
        kind="grouped",
        marks=tuple(
            mark(one, words(one.dims["axis"]), series=one.dims.get("model", ""), references=creativity(one))
            for one in _of_models(findings, RBS)
        ),
        unit="cosine distance",
        axis="RBS",
        series_title="model",
        source="Table 1a",
    )
    yield from nearest_figure(_of_models(findings, RBS), kumar)


def _temperature(findings: Sequence[Finding]) -> Iterator[Figure]:
    steps = having(findings, RBS, ("axis", "temperature")) + having(findings, RBS, ("axis", "temperature", "model"))
    for model, own in parted(steps, lambda one: one.dims.get("model", "")).items():
        yield kumar(
            key="creativity.temperature",
            part=model,
            title=joined("Representative bias score by temperature", model),
            subtitle="Outputs scatter more at higher temperatures, which raises the score: compare the floors.",
            kind="line",
            marks=tuple(
                mark(one, one.dims["temperature"], series=words(one.dims["axis"]), x=float(one.dims["temperature"]))
                for one in own
            ),
            unit="cosine distance",
            axis="RBS",
            x_axis="temperature",
            series_title="axis",
            source="section 4.1",
        )


def _perceptibility(findings: Sequence[Finding]) -> Iterator[Figure]:
    for name, told in (("", "as people labelled the outputs"), (".suggested", "a suggestion from words and nearness")):
        own = _of_models(findings, f"creativity.perceptibility{name}")
        yield kumar(
            key=f"creativity.perceptibility{name}",
            title=f"How perceptible the identity is, {told}",
            subtitle="The share of outputs at each level. Only people decide; a suggestion misses what has no word.",
            kind="grouped",
            marks=tuple(
                mark(one, words(one.label), series=one.dims.get("model", ""), section=words(one.dims["axis"]))
                for one in sorted(own, key=lambda one: LEVELS.index(one.label) if one.label in LEVELS else len(LEVELS))
            ),
            unit="proportion",
            axis="share of outputs",
            series_title="model",
            source="Table 2, levels",
        )
