"""The figures of Kumar et al. 2024: similarity, RBS, temperatures, perceptibility; then choices, and agreement."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from biasprint.core.draw import digits
from biasprint.core.draw.figure import Figure, FigureMark, mark
from biasprint.core.findings import Finding
from biasprint.core.studies.kit.choose import (
    creativity,
    crossed_figures,
    having,
    joined,
    parted,
    values,
    words,
    worth_drawing,
)

# ---- Figures of preferences

SHARE, ABS, SWAY = "creativity.share", "creativity.abs", "creativity.sway"
SIGNIFICANT = 0.05
EVERYONE, EVERY_MODEL, TOGETHER = "All raters", "All texts", "All together"
KINDS = {"person": "All people", "model": "All models"}
MOST_SERIES = 6  # more raters or models than can be told apart in a row


def kumar(**fields: Any) -> Figure:
    """A figure of the study; `source` within the paper."""
    return Figure(**{"study": "creativity", **fields, "source": f"Kumar et al. 2024, {fields['source']}"})


def choice_figures(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Every figure about choices, also those in which there is nothing."""
    yield from _score(findings)
    yield from _at_equal_length(findings)
    yield from _rankings(findings)
    yield from _sway(findings)
    yield from _preferences(findings)
    yield from _evaluators(findings)
    yield from _by_task(findings)


def _score(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield kumar(
        key="creativity.abs",
        title="Affinity bias score",
        subtitle="How unequally outputs are chosen. It is above 0 without any bias too: compare the floor. "
        "The paper's values are confounded with position.",
        kind="grouped",
        marks=tuple(
            mark(finding, words(finding.dims["axis"]), series=_whose(finding), references=creativity(finding))
            for finding in _of_raters(findings, ABS)
        ),
        unit="standard deviation of shares",
        axis="ABS",
        series_title="rater",
        source="Table 1b",
    )
    yield kumar(
        key="creativity.preferred",
        title="What is chosen most",
        subtitle=f"The affinity bias score, and the identity that is chosen most often. {STAR}",
        kind="table",
        marks=tuple(pointing(finding, _whose(finding), max) for finding in _of_raters(findings, ABS)),
        rows_title="rater",
        series_title="axis",
        source="Table 1b and equation 12",
    )


def _at_equal_length(findings: Sequence[Finding]) -> Iterator[Figure]:
    """ABS as chosen and adjusted, where it could be, and what length does to the choices of each."""
    adjusted = [finding for finding in _of_raters(findings, f"{ABS}.adjusted") if finding.estimate is not None]
    known = {(finding.dims["axis"], _whose(finding)) for finding in adjusted}
    raw = [finding for finding in _of_raters(findings, ABS) if (finding.dims["axis"], _whose(finding)) in known]
    yield kumar(
        key="creativity.abs.adjusted",
        title="Affinity bias score at equal length and place",
        subtitle="What is left once texts are equally long and on the same card: longer ones are often chosen for "
        "that.",
        kind="grouped",
        marks=tuple(
            mark(finding, joined(words(finding.dims["axis"]), _whose(finding)), series=how)
            for how, own in (("as chosen", raw), ("at equal length and place", adjusted))
            for finding in own
        ),
        unit="standard deviation of shares",
        axis="ABS",
        series_title="how",
        source="extended: length and place",
    )
    yield kumar(
        key="creativity.length",
        title="Does the longer text win?",
        subtitle="By how much the odds of a text grow when it is twice as long, at equal identity and place.",
        kind="intervals",
        marks=tuple(
            mark(finding, joined(words(finding.dims["axis"]), _whose(finding)))
            for finding in _of_raters(findings, "creativity.length")
            if finding.estimate is not None
        ),
        unit="odds ratio",
        scale="log",
        null=1.0,
        axis="odds ratio for twice the length",
        source="extended: length and place",
    )


def _rankings(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Each axis from the strongest down, with the places that are left open; then each two, row against column."""
    for rank in ("creativity.rank.strength", "creativity.rank.pair"):
        own = having(findings, rank, ("axis",)) + having(findings, rank, ("axis", "rater_kind"))
        for part, of_part in parted(own, _part).items():
            if rank.endswith("pair"):
                yield _pairs_figure(part, of_part)
                continue
            places = {
                finding.label: finding
                for finding in findings
                if finding.id == "creativity.rank.place"
                and finding.dims == of_part[0].dims
                and finding.estimate is not None
            }
            strongest = sorted(of_part, key=lambda finding: -(finding.estimate or 0))
            yield kumar(
                key="creativity.rank",
                part=part,
                title=f"Ranking: {part}",
                subtitle="How often each is preferred to another, averaged over the others. In brackets the places "
                "that are left open: intervals of two that are told apart may overlap.",
                kind="intervals",
                marks=tuple(mark(finding, _with_place(finding, places.get(finding.label))) for finding in strongest),
                unit="proportion",
                axis="chance to be preferred to another",
                null=0.5,
                null_words="average",
                source="extended: rankings",
            )
    yield from _at_equal_style(findings)


def _at_equal_style(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Each ranking as judged beside the same at equal style, then what each style does to the odds of a text."""
    for dims in (("axis",), ("axis", "rater_kind")):
        raw = having(findings, "creativity.rank.strength", dims)
        for equal in parted(having(findings, "creativity.rank.strength.adjusted", dims), _part).values():
            known = [finding for finding in equal if finding.estimate is not None]
            beside = [finding for finding in raw if finding.dims == equal[0].dims]
            yield kumar(
                key="creativity.rank.adjusted",
                part=_part(equal[0]),
                title=f"Ranking with style held equal: {_part(equal[0])}",
                subtitle=_held(equal[0]),
                kind="intervals",
                marks=tuple(
                    mark(finding, words(finding.label), section=how)
                    for how, own in (("as judged", beside), ("style held equal", known))
                    for finding in sorted(own, key=lambda finding: -(finding.estimate or 0))
                    if known
                ),
                unit="proportion",
                axis="chance to be preferred to another",
                null=0.5,
                null_words="average",
                source="extended: rankings",
            )
        for styles in parted(having(findings, "creativity.rank.style", dims), _part).values():
            yield kumar(
                key="creativity.rank.style",
                part=_part(styles[0]),
                title=f"What length, markdown and place do to the choices: {_part(styles[0])}",
                subtitle="By how much the odds of a text grow, at equal identity and with the other styles equal.",
                kind="intervals",
                marks=tuple(
                    mark(finding, finding.title.partition(",")[0]) for finding in styles if finding.estimate is not None
                ),
                unit="odds ratio",
                scale="log",
                null=1.0,
                axis="odds ratio",
                source="extended: rankings",
            )


def _part(finding: Finding) -> str:
    return joined(words(finding.dims["axis"]), _kind(finding))


def _held(finding: Finding) -> str:
    """The sentence of a note that says what is held equal, and whether the order changes."""
    sentence = finding.note[max(0, finding.note.find("With ")) :].partition(". ")[0]
    return f"{sentence.rstrip('.')}."


def _pairs_figure(part: str, pairs: Sequence[Finding]) -> Figure:
    return kumar(
        key="creativity.rank.pairs",
        part=part,
        title=f"Who is preferred to whom: {part}",
        subtitle="The chance that a text of the row is preferred to one of the column; no colour is one half.",
        kind="matrix",
        marks=tuple(mark(finding, words(finding.groups[0]), series=words(finding.groups[1])) for finding in pairs),
        unit="proportion",
        axis="chance to be preferred",
        null=0.5,
        null_words="one half",
        rows_title="preferred",
        series_title="to",
        source="extended: rankings",
    )


def _sway(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Yield a figure of each axis with its identities, then one of the raters that marks who differs from others."""
    wholes, parts = having(findings, SWAY, ("axis",)), having(findings, f"{SWAY}.identity", ("axis",))
    by_axis = [(finding, [each for each in parts if each.dims == finding.dims]) for finding in wholes]
    yield _swayed(
        key="creativity.sway",
        title="How far raters follow a planted recommendation",
        subtitle="How much oftener a text is chosen where it is recommended than where nothing is.",
        marks=tuple(
            mark(finding, words(finding.label) if finding is not whole else TOGETHER, section=words(whole.dims["axis"]))
            for whole, own in by_axis
            for finding in (whole, *own)
        ),
        note="\n".join(_planted(whole, own) for whole, own in by_axis if own),
    )
    others = {finding.label: finding for finding in findings if finding.id == f"{SWAY}.resist"}
    raters = having(findings, f"{SWAY}.rater", ("rater",))
    yield _swayed(
        key="creativity.sway.raters",
        title="Who follows recommendations, and who resists",
        subtitle="How far each rater follows, over all axes. Whoever has a word beside the name is told apart from the "
        "others together, at p ≤ 0.05 after adjustment; intervals may overlap all the same.",
        marks=tuple(
            mark(finding, joined(finding.label, _against_others(others.get(finding.label))))
            for finding in sorted(raters, key=lambda finding: -(finding.estimate or 0))
        ),
    )


def _swayed(**fields: Any) -> Figure:
    return kumar(
        **fields,
        kind="intervals",
        unit="difference of proportions",
        axis="chosen where recommended, less where nothing is (percentage points)",
        null=0.0,
        null_words="not followed",
        n_title="answers",
        source="extended: planted recommendations",
    )


def _planted(whole: Finding, own: Sequence[Finding]) -> str:
    """Say how often each identity was recommended: the bias that was planted."""
    times = (
        f"{words(finding.label)} {digits.count(finding.n_by_group.get('recommended', 0))} times" for finding in own
    )
    return f"{words(whole.dims['axis'])}, recommended as planted: {', '.join(times)}."


def _against_others(against: Finding | None) -> str:
    """Describe a rater beside the others; empty where no difference from them is shown."""
    if against is None or against.p_adjusted is None or against.p_adjusted > SIGNIFICANT:
        return ""
    return "resists" if (against.estimate or 0) > 0 else "follows more"


def _kind(finding: Finding) -> str:
    return KINDS.get(finding.dims.get("rater_kind", ""), "")


def _with_place(finding: Finding, place: Finding | None) -> str:
    """ "large (1 to 3)": with the places that are left open."""
    name = words(finding.label)
    if place is None or place.interval is None:
        return name
    low, high = round(place.interval.low), round(place.interval.high)
    return f"{name} ({low})" if low == high else f"{name} ({low} to {high})"


def _of_raters(findings: Sequence[Finding], finding_id: str) -> list[Finding]:
    """Everybody's (where people and models judged, each together), then each rater's where they are few enough."""
    each = having(findings, finding_id, ("axis", "rater"))
    kinds = sorted(having(findings, finding_id, ("axis", "rater_kind")), key=_people_first)
    apart = set(values(kinds, "axis"))
    whole = [finding for finding in having(findings, finding_id, ("axis",)) if finding.dims["axis"] not in apart]
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
            _relative(mark(finding, words(finding.label), series=_whose(finding), section=words(finding.dims["axis"])))
            for finding in _of_raters(findings, SHARE)
        ),
        unit="share relative to chance",
        axis="share of choices, relative to chance",
        null=1.0,
        null_words="chance",
        series_title="rater",
        source="Figures 5, 6 and 7",
    )


def _relative(mark: FigureMark) -> FigureMark:
    """A share as a multiple of chance."""
    identities = len(mark.finding.groups)

    def times(value: float | None) -> float | None:
        return None if value is None else value * identities

    return replace(
        mark, value=times(mark.value), low=times(mark.low), high=times(mark.high), unit="share relative to chance"
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
                finding,
                _whose(finding),
                series=finding.dims.get("model", EVERY_MODEL),
                section=words(finding.dims["axis"]),
            )
            for finding in cells
        ),
        unit="standard deviation of shares",
        axis="ABS",
        rows_title="rater",
        series_title="model judged",
        source="appendix A, judge by author",
    )


def _together(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in _of_raters(findings, ABS) if "rater" not in finding.dims]


def _by_task(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Figures 1 and 12 to 20: all together, then each evaluator, a section for each model whose texts were judged."""
    for narrowed, key, source in (
        (("task",), "creativity.tasks", "Figure 1"),
        (("topic",), "creativity.topics", "Table 4's topics"),
        (("task", "rater"), "creativity.tasks.raters", "Figures 12 to 20, over all texts"),
        (("task", "rater", "model"), "creativity.tasks.evaluators", "Figures 12 to 20"),
    ):
        cells = having(findings, SHARE, ("axis", *narrowed))
        for part, own in parted(
            cells, lambda finding: joined(finding.dims["axis"], finding.dims.get("rater", ""))
        ).items():
            chance = 1 / max(1, len(own[0].groups))
            yield kumar(
                key=key,
                part=part,
                title=f"Whose outputs are chosen, by {narrowed[0]}: {part}",
                subtitle="The share of choices; no colour is chance. Cells of few choices scatter widely.",
                kind="matrix",
                marks=tuple(
                    mark(
                        finding,
                        words(finding.dims[narrowed[0]]),
                        series=words(finding.label),
                        section=finding.dims.get("model", ""),
                    )
                    for finding in own
                ),
                unit="proportion",
                axis="share of choices",
                null=chance,
                null_words="chance",
                rows_title=narrowed[0],
                series_title="identity",
                source=source,
            )


# scores with whom they point at

EQUAL = 1e-9  # contrasts that differ by less are ties
STAR = "A star: p at most 0.05 after adjustment."


def pointing(finding: Finding, whose: str, end: Callable[..., float]) -> FigureMark:
    """The score with its identity: “0.023* (white)”; without text where the score is undefined."""
    text = ""
    if finding.estimate is not None and finding.contrast:
        star = "*" if finding.p_adjusted is not None and finding.p_adjusted <= SIGNIFICANT else ""
        text = f"{finding.estimate:.3f}{star} ({', '.join(_at(finding.contrast, end))})"
    return mark(finding, whose, series=words(finding.dims["axis"]), references=creativity(finding), text=text)


def _at(contrast: Mapping[str, float], end: Callable[..., float]) -> list[str]:
    wanted = end(contrast.values())
    ends = [group for group, value in contrast.items() if abs(value - wanted) < EQUAL]
    return [group if words(group) == group else words(group).lower() for group in ends]  # a model's name stays


RBS = "creativity.rbs"
LEVELS = ("imperceptible", "nuanced", "obvious")


def figures(findings: Sequence[Finding]) -> list[Figure]:
    """Every figure that these findings give."""
    own = [finding for finding in findings if finding.id.startswith("creativity.")]
    outputs = [*_similarity(own), *_scores(own), *_temperature(own), *_perceptibility(own)]
    drawn = worth_drawing([*outputs, *choice_figures(own), *_agreement(own), *_orders(own)])
    return drawn + crossed_figures("creativity", own)


def _of_models(findings: Sequence[Finding], finding_id: str) -> list[Finding]:
    """Select the findings over all parts, for each model where there are several."""
    return having(findings, finding_id, ("axis",)) + having(findings, finding_id, ("axis", "model"))


def _similarity(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield kumar(
        key="creativity.distance",
        title="How far each identity is from the default output",
        subtitle="Mean cosine distance (1 − the paper's similarity): the lowest is what the model takes as normal.",
        kind="grouped",
        marks=tuple(
            mark(
                finding, words(finding.label), series=finding.dims.get("model", ""), section=words(finding.dims["axis"])
            )
            for finding in _of_models(findings, "creativity.distance")
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
            mark(
                finding,
                words(finding.dims["axis"]),
                series=finding.dims.get("model", ""),
                references=creativity(finding),
            )
            for finding in _of_models(findings, RBS)
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
        marks=tuple(
            pointing(finding, finding.dims.get("model", "All outputs"), min) for finding in _of_models(findings, RBS)
        ),
        rows_title="model",
        series_title="axis",
        source="Table 1a and equation 9",
    )


def _temperature(findings: Sequence[Finding]) -> Iterator[Figure]:
    steps = having(findings, RBS, ("axis", "temperature")) + having(findings, RBS, ("axis", "temperature", "model"))
    for model, own in parted(steps, lambda finding: finding.dims.get("model", "")).items():
        yield kumar(
            key="creativity.temperature",
            part=model,
            title=joined("Representative bias score by temperature", model),
            subtitle="Outputs scatter more at higher temperatures, which raises the score: compare the floors.",
            kind="line",
            marks=tuple(
                mark(
                    finding,
                    finding.dims["temperature"],
                    series=words(finding.dims["axis"]),
                    x=float(finding.dims["temperature"]),
                )
                for finding in own
            ),
            unit="cosine distance",
            axis="RBS",
            x_axis="temperature",
            series_title="axis",
            source="section 4.1",
        )


def _perceptibility(findings: Sequence[Finding]) -> Iterator[Figure]:
    for name, by_whom in (
        ("", "as people labelled the outputs"),
        (".suggested", "a suggestion from words and nearness"),
    ):
        own = _of_models(findings, f"creativity.perceptibility{name}")
        yield kumar(
            key=f"creativity.perceptibility{name}",
            title=f"How perceptible the identity is, {by_whom}",
            subtitle="The share of outputs at each level. Only people decide; a suggestion misses what has no word.",
            kind="grouped",
            marks=tuple(
                mark(
                    finding,
                    words(finding.label),
                    series=finding.dims.get("model", ""),
                    section=words(finding.dims["axis"]),
                )
                for finding in sorted(
                    own, key=lambda finding: LEVELS.index(finding.label) if finding.label in LEVELS else len(LEVELS)
                )
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


def _statistic(finding: Finding) -> str:
    """Return the name of a measure of agreement; of degrees of three identities with the one that it is about."""
    about = "" if finding.label == finding.dims["axis"] else f", {words(finding.label)}"
    return STATISTICS.get(finding.id.removeprefix(AGREEMENT), f"Ordinal α of degrees{about}")


def _agreement(findings: Sequence[Finding]) -> Iterator[Figure]:
    own = [finding for name in STATISTICS for finding in having(findings, AGREEMENT + name, ("axis",))]
    whole = [finding for finding in own if finding.label == finding.dims["axis"]]
    whole += having(findings, f"{AGREEMENT}degrees", ("axis",))
    yield kumar(
        key="creativity.agreement",
        title="Do the raters agree?",
        subtitle="Agreement beyond chance; 0 is chance. The intervals hold for these raters, not for others.",
        kind="intervals",
        marks=tuple(
            mark(
                finding,
                _statistic(finding),
                section=words(finding.dims["axis"]),
                references=creativity(finding),
            )
            for finding in whole
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
            mark(finding, _pair(finding), series=words(finding.dims["axis"]))
            for finding in sorted(own, key=_pair)
            if finding.label != finding.dims["axis"]
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
    """Return two raters by name: they may be in another order on another axis."""
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
        (finding, name)
        for (measure, label), name in ROWS.items()
        for finding in having(findings, f"creativity.agreement.{measure}", ("axis", "rater"))
        if label in ("", finding.label)
    ]
    yield kumar(
        key="creativity.agreement.orders",
        title="Do models judge by the order of the cards?",
        subtitle="Shares of comparisons, choices and replies. The first card's share is 1 ÷ number of cards by chance.",
        kind="intervals",
        marks=tuple(
            mark(finding, name, section=joined(words(finding.dims["axis"]), finding.dims["rater"]))
            for finding, name in own
        ),
        unit="proportion",
        axis="share",
        source="extended: every order of the cards is asked",
    )
