"""The figures of Kumar et al. 2024 for our findings: RBS and ABS, similarity, preferences, tasks, agreement, levels."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.findings import Finding
from core.report.figures.choose import having, parted, values, worth_drawing
from core.report.figures.published import creativity
from core.report.figures.spec import Figure, Mark, mark
from core.report.figures.words import joined, words

SHARE, ABS, RBS = "creativity.share", "creativity.abs", "creativity.rbs"
AGREEMENT = "creativity.agreement."
STATISTICS = {
    "fleiss_kappa": "Fleiss’ κ",
    "krippendorff_alpha": "Krippendorff’s α",
    "gwet_ac1": "Gwet’s AC1",
    "cohen_kappa": "Cohen’s κ, mean of pairs",
    "raw": "Raw agreement",
}
EVERYONE, EVERY_MODEL = "All raters", "All texts"
MOST_SERIES = 6  # more raters or models than can be told apart in a row
LEVELS = ("imperceptible", "nuanced", "obvious")


def figures(findings: Sequence[Finding]) -> list[Figure]:
    """Every figure that these findings give."""
    own = [one for one in findings if one.id.startswith("creativity.")]
    found = [*_similarity(own), *_scores(own), *_preferences(own), *_evaluators(own), *_by_task(own)]
    return worth_drawing([*found, *_temperature(own), *_agreement(own), *_perceptibility(own)])


def _figure(**fields: Any) -> Figure:
    return Figure(**{"study": "creativity", **fields, "source": f"Kumar et al. 2024, {fields['source']}"})


def _of_models(findings: Sequence[Finding], finding_id: str) -> list[Finding]:
    """Over all parts, for each model where there are several."""
    return having(findings, finding_id, ("axis",)) + having(findings, finding_id, ("axis", "model"))


def _similarity(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield _figure(
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
    yield _figure(
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
    yield _figure(
        key="creativity.abs",
        title="Affinity bias score",
        subtitle="How unequally outputs are chosen. It is above 0 without any bias too: compare the floor. "
        "The paper's values are confounded with position.",
        kind="grouped",
        marks=tuple(
            mark(one, words(one.dims["axis"]), series=one.dims.get("rater", EVERYONE), references=creativity(one))
            for one in _of_raters(findings, ABS)
        ),
        unit="standard deviation of shares",
        axis="ABS",
        series_title="rater",
        source="Table 1b",
    )


def _of_raters(findings: Sequence[Finding], finding_id: str) -> list[Finding]:
    """Everybody's, then each rater's where they are few enough to be told apart."""
    each = having(findings, finding_id, ("axis", "rater"))
    few = len(values(each, "rater")) < MOST_SERIES
    return having(findings, finding_id, ("axis",)) + (each if few else [])


def _preferences(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield _figure(
        key="creativity.preferences",
        title="Whose outputs are chosen",
        subtitle="The share of choices relative to chance (share × number of identities): 1 is chance.",
        kind="grouped",
        marks=tuple(
            _relative(
                mark(one, words(one.label), series=one.dims.get("rater", EVERYONE), section=words(one.dims["axis"]))
            )
            for one in _of_raters(findings, SHARE)
        ),
        unit="share relative to chance",
        axis="share of choices, relative to chance",
        null=1.0,
        null_words="chance",
        series_title="rater",
        source="Figures 5, 6 and 7",
    )


def _relative(one: Mark) -> Mark:
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
    cells = [*both, *rated, *written, *having(findings, ABS, ("axis",))] if both else []
    yield _figure(
        key="creativity.evaluators",
        title="Who judges whose texts: affinity bias score",
        subtitle="A row for each rater, person or model; a column for the model whose outputs were judged.",
        kind="matrix",
        marks=tuple(
            mark(
                one,
                one.dims.get("rater", EVERYONE),
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
            yield _figure(
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


def _temperature(findings: Sequence[Finding]) -> Iterator[Figure]:
    steps = having(findings, RBS, ("axis", "temperature")) + having(findings, RBS, ("axis", "temperature", "model"))
    for model, own in parted(steps, lambda one: one.dims.get("model", "")).items():
        yield _figure(
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


def _agreement(findings: Sequence[Finding]) -> Iterator[Figure]:
    own = [one for name in STATISTICS for one in having(findings, AGREEMENT + name, ("axis",))]
    whole = [one for one in own if one.label == one.dims["axis"]]
    yield _figure(
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
    yield _figure(
        key="creativity.agreement.pairs",
        title="Do two raters agree? Cohen’s κ of each pair",
        subtitle="Agreement beyond chance; 0 is what chance gives.",
        kind="matrix",
        marks=tuple(
            mark(one, one.label, series=words(one.dims["axis"])) for one in own if one.label != one.dims["axis"]
        ),
        unit="agreement beyond chance",
        axis="Cohen’s κ",
        null=0.0,
        null_words="chance",
        rows_title="pair of raters",
        series_title="axis",
        source="footnote 4; pairs beyond the paper",
    )


def _perceptibility(findings: Sequence[Finding]) -> Iterator[Figure]:
    for name, told in (("", "as people labelled the outputs"), (".suggested", "a suggestion from words and nearness")):
        own = _of_models(findings, f"creativity.perceptibility{name}")
        yield _figure(
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
