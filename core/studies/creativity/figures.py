"""The figures of Kumar et al. 2024: similarity, RBS, temperatures, perceptibility; then choices, and agreement."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from biasprint.core.draw import digits
from biasprint.core.draw.figure import Figure, FigureMark, mark
from biasprint.core.findings import Finding
from biasprint.core.studies.kit.choose import (
    creativity,
    crossed_figures,
    drawn,
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
    yield drawn(
        "creativity.abs",
        (
            mark(finding, words(finding.dims["axis"]), series=_whose(finding), references=creativity(finding))
            for finding in _of_raters(findings, ABS)
        ),
    )
    yield drawn(
        "creativity.preferred", (pointing(finding, _whose(finding), max) for finding in _of_raters(findings, ABS))
    )


def _at_equal_length(findings: Sequence[Finding]) -> Iterator[Figure]:
    """ABS as chosen and adjusted, where it could be, and what length does to the choices of each."""
    adjusted = [finding for finding in _of_raters(findings, f"{ABS}.adjusted") if finding.estimate is not None]
    known = {(finding.dims["axis"], _whose(finding)) for finding in adjusted}
    raw = [finding for finding in _of_raters(findings, ABS) if (finding.dims["axis"], _whose(finding)) in known]
    yield drawn(
        "creativity.abs.adjusted",
        (
            mark(finding, joined(words(finding.dims["axis"]), _whose(finding)), series=how)
            for how, own in (("as chosen", raw), ("at equal length and place", adjusted))
            for finding in own
        ),
    )
    yield drawn(
        "creativity.length",
        (
            mark(finding, joined(words(finding.dims["axis"]), _whose(finding)))
            for finding in _of_raters(findings, "creativity.length")
            if finding.estimate is not None
        ),
    )


def _rankings(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Each axis from the strongest down, with the places that are left open; then each two, row against column."""
    for rank in ("creativity.rank.strength", "creativity.rank.pair"):
        own = having(findings, rank, ("axis",)) + having(findings, rank, ("axis", "rater_kind"))
        for part, of_part in parted(own, _part).items():
            if rank.endswith("pair"):
                yield drawn(
                    "creativity.rank.pairs",
                    (mark(pair, words(pair.groups[0]), series=words(pair.groups[1])) for pair in of_part),
                    part=part,
                )
                continue
            places = {
                finding.label: finding
                for finding in findings
                if finding.id == "creativity.rank.place"
                and finding.dims == of_part[0].dims
                and finding.estimate is not None
            }
            strongest = sorted(of_part, key=lambda finding: -(finding.estimate or 0))
            yield drawn(
                "creativity.rank",
                (mark(finding, _with_place(finding, places.get(finding.label))) for finding in strongest),
                part=part,
            )
    yield from _at_equal_style(findings)


def _at_equal_style(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Each ranking as judged beside the same at equal style, then what each style does to the odds of a text."""
    for dims in (("axis",), ("axis", "rater_kind")):
        raw = having(findings, "creativity.rank.strength", dims)
        for equal in parted(having(findings, "creativity.rank.strength.adjusted", dims), _part).values():
            known = [finding for finding in equal if finding.estimate is not None]
            beside = [finding for finding in raw if finding.dims == equal[0].dims]
            yield drawn(
                "creativity.rank.adjusted",
                (
                    mark(finding, words(finding.label), section=how)
                    for how, own in (("as judged", beside), ("style held equal", known))
                    for finding in sorted(own, key=lambda finding: -(finding.estimate or 0))
                    if known
                ),
                part=_part(equal[0]),
                subtitle=_held(equal[0]),
            )
        for styles in parted(having(findings, "creativity.rank.style", dims), _part).values():
            yield drawn(
                "creativity.rank.style",
                (mark(finding, finding.title.partition(",")[0]) for finding in styles if finding.estimate is not None),
                part=_part(styles[0]),
            )


def _part(finding: Finding) -> str:
    return joined(words(finding.dims["axis"]), _kind(finding))


def _held(finding: Finding) -> str:
    """The sentence of a note that says what is held equal, and whether the order changes."""
    sentence = finding.note[max(0, finding.note.find("With ")) :].partition(". ")[0]
    return f"{sentence.rstrip('.')}."


def _sway(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Yield a figure of each axis with its identities, then one of the raters that marks who differs from others."""
    wholes, parts = having(findings, SWAY, ("axis",)), having(findings, f"{SWAY}.identity", ("axis",))
    by_axis = [(finding, [each for each in parts if each.dims == finding.dims]) for finding in wholes]
    yield drawn(
        "creativity.sway",
        (
            mark(finding, words(finding.label) if finding is not whole else TOGETHER, section=words(whole.dims["axis"]))
            for whole, own in by_axis
            for finding in (whole, *own)
        ),
        note="\n".join(_planted(whole, own) for whole, own in by_axis if own),
    )
    others = {finding.label: finding for finding in findings if finding.id == f"{SWAY}.resist"}
    raters = having(findings, f"{SWAY}.rater", ("rater",))
    yield drawn(
        "creativity.sway.raters",
        (
            mark(finding, joined(finding.label, _against_others(others.get(finding.label))))
            for finding in sorted(raters, key=lambda finding: -(finding.estimate or 0))
        ),
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
    yield drawn(
        "creativity.preferences",
        (
            _relative(mark(finding, words(finding.label), series=_whose(finding), section=words(finding.dims["axis"])))
            for finding in _of_raters(findings, SHARE)
        ),
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
    yield drawn(
        "creativity.evaluators",
        (
            mark(
                finding,
                _whose(finding),
                series=finding.dims.get("model", EVERY_MODEL),
                section=words(finding.dims["axis"]),
            )
            for finding in cells
        ),
    )


def _together(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in _of_raters(findings, ABS) if "rater" not in finding.dims]


def _by_task(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Figures 1 and 12 to 20: all together, then each evaluator, a section for each model whose texts were judged."""
    for narrowed, key in (
        (("task",), "creativity.tasks"),
        (("topic",), "creativity.topics"),
        (("task", "rater"), "creativity.tasks.raters"),
        (("task", "rater", "model"), "creativity.tasks.evaluators"),
    ):
        cells = having(findings, SHARE, ("axis", *narrowed))
        for part, own in parted(
            cells, lambda finding: joined(finding.dims["axis"], finding.dims.get("rater", ""))
        ).items():
            yield drawn(
                key,
                (
                    mark(
                        finding,
                        words(finding.dims[narrowed[0]]),
                        series=words(finding.label),
                        section=finding.dims.get("model", ""),
                    )
                    for finding in own
                ),
                part=part,
                null=1 / max(1, len(own[0].groups)),
            )


# scores with whom they point at

EQUAL = 1e-9  # contrasts that differ by less are ties


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
    every = worth_drawing([*outputs, *choice_figures(own), *_agreement(own), *_orders(own)])
    return every + crossed_figures("creativity", own)


def _of_models(findings: Sequence[Finding], finding_id: str) -> list[Finding]:
    """Select the findings over all parts, for each model where there are several."""
    return having(findings, finding_id, ("axis",)) + having(findings, finding_id, ("axis", "model"))


def _similarity(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield drawn(
        "creativity.distance",
        (
            mark(
                finding, words(finding.label), series=finding.dims.get("model", ""), section=words(finding.dims["axis"])
            )
            for finding in _of_models(findings, "creativity.distance")
        ),
    )


def _scores(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield drawn(
        "creativity.rbs",
        (
            mark(
                finding,
                words(finding.dims["axis"]),
                series=finding.dims.get("model", ""),
                references=creativity(finding),
            )
            for finding in _of_models(findings, RBS)
        ),
    )
    yield drawn(
        "creativity.normal",
        (pointing(finding, finding.dims.get("model", "All outputs"), min) for finding in _of_models(findings, RBS)),
    )


def _temperature(findings: Sequence[Finding]) -> Iterator[Figure]:
    steps = having(findings, RBS, ("axis", "temperature")) + having(findings, RBS, ("axis", "temperature", "model"))
    for model, own in parted(steps, lambda finding: finding.dims.get("model", "")).items():
        yield drawn(
            "creativity.temperature",
            (
                mark(
                    finding,
                    finding.dims["temperature"],
                    series=words(finding.dims["axis"]),
                    x=float(finding.dims["temperature"]),
                )
                for finding in own
            ),
            part=model,
            title=joined("Representative bias score by temperature", model),
        )


def _perceptibility(findings: Sequence[Finding]) -> Iterator[Figure]:
    for key in ("creativity.perceptibility", "creativity.perceptibility.suggested"):
        own = _of_models(findings, key)
        yield drawn(
            key,
            (
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
    yield drawn(
        "creativity.agreement",
        (
            mark(
                finding,
                _statistic(finding),
                section=words(finding.dims["axis"]),
                references=creativity(finding),
            )
            for finding in whole
        ),
    )
    yield drawn(
        "creativity.agreement.pairs",
        (
            mark(finding, _pair(finding), series=words(finding.dims["axis"]))
            for finding in sorted(own, key=_pair)
            if finding.label != finding.dims["axis"]
        ),
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
    yield drawn(
        "creativity.agreement.orders",
        (
            mark(finding, name, section=joined(words(finding.dims["axis"]), finding.dims["rater"]))
            for finding, name in own
        ),
    )
