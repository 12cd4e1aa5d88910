"""The figures of Kumar et al. 2024: similarity, RBS, temperatures, perceptibility; then choices, and agreement."""

from collections.abc import Iterator, Sequence

from biasprint.core.draw.figure import Figure, mark
from biasprint.core.findings import Finding
from biasprint.core.studies.creativity.choice_figures import STAR, choice_figures, kumar, pointing
from biasprint.core.studies.kit.choose import having, joined, parted, words, worth_drawing
from biasprint.core.studies.kit.crossed_figures import crossed_figures
from biasprint.core.studies.kit.published import creativity

RBS = "creativity.rbs"
LEVELS = ("imperceptible", "nuanced", "obvious")


def figures(findings: Sequence[Finding]) -> list[Figure]:
    """Every figure that these findings give."""
    own = [one for one in findings if one.id.startswith("creativity.")]
    outputs = [*_similarity(own), *_scores(own), *_temperature(own), *_perceptibility(own)]
    drawn = worth_drawing([*outputs, *choice_figures(own), *_agreement(own), *_orders(own)])
    return drawn + crossed_figures("creativity", own)


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
    yield kumar(
        key="creativity.normal",
        title="What is taken as normal",
        subtitle=f"The representative bias score, and the identity that is nearest to the default output. {STAR}",
        kind="table",
        marks=tuple(pointing(one, one.dims.get("model", "All outputs"), min) for one in _of_models(findings, RBS)),
        rows_title="model",
        series_title="axis",
        source="Table 1a and equation 9",
    )


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


# agreement of raters, and what the order of the cards did to models

AGREEMENT = "creativity.agreement."
STATISTICS = {
    "fleiss_kappa": "Fleiss’ κ",
    "krippendorff_alpha": "Krippendorff’s α",
    "gwet_ac1": "Gwet’s AC1",
    "cohen_kappa": "Cohen’s κ, mean of pairs",
    "raw": "Raw agreement",
}


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


ROWS = {
    ("flips", ""): "Choice turns with the order",
    ("position", "first"): "Choice falls on the first card",
    ("unanswered", "refused"): "Reply is a refusal",
    ("unanswered", "unreadable"): "Reply cannot be read",
    ("unanswered", "failed"): "Request failed",
}


def _orders(findings: Sequence[Finding]) -> Iterator[Figure]:
    """One figure, a section for each axis and model."""
    own = [
        (one, name)
        for (measure, label), name in ROWS.items()
        for one in having(findings, f"creativity.agreement.{measure}", ("axis", "rater"))
        if label in ("", one.label)
    ]
    yield kumar(
        key="creativity.agreement.orders",
        title="Do models judge by the order of the cards?",
        subtitle="Shares of comparisons, choices and replies. The first card's share is 1 ÷ number of cards by chance.",
        kind="intervals",
        marks=tuple(mark(one, name, section=joined(words(one.dims["axis"]), one.dims["rater"])) for one, name in own),
        unit="proportion",
        axis="share",
        source="extended: every order of the cards is asked",
    )
