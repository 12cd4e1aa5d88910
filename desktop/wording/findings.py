"""A finding in words: its figures, what it is about, and what its numbers mean. Plain text, no Qt widgets."""

from collections.abc import Mapping

from core.draw import digits
from core.draw.words import interval_sentence
from core.findings import Finding
from desktop.widgets.words import tr
from desktop.wording.titles import Titles

UNDEFINED = "—"
DIMS = ("axis", "identity", "domain", "direction", "pronoun", "task", "theme", "topic")  # in the order they are said
# Parts of the ids of what is positive or negative by its nature: differences, correlations, agreement beyond chance.
SIGNED = ("difference", "delta", "gap", ".tau_", "weat", ".style.", ".hallucination.", ".agreement.", "drop")


def items_word(finding: Finding) -> str:
    """What n counts."""
    named = {
        "letters.": tr("letters"),
        "creativity.share": tr("choices"),
        "creativity.abs": tr("choices"),
        "creativity.agreement.common": tr("choices"),
        "creativity.agreement": tr("comparisons"),
        "creativity.perceptibility": tr("outputs"),
        "creativity.quality.consistency": tr("repeats"),
        "creativity.quality.position": tr("choices"),
        "creativity.quality.without.abs": tr("choices"),
        "creativity.quality.without": tr("comparisons"),
        "creativity.quality": tr("judgments"),
        "creativity.": tr("prompts"),
        "completion.": tr("replies"),
        "news.refusal_rate": tr("prompts"),
        "news.": tr("pairs of articles"),
    }
    return next((word for start, word in named.items() if finding.id.startswith(start)), tr("items"))


def is_ratio(finding: Finding) -> bool:
    return "ratio" in finding.unit


def figures(finding: Finding) -> tuple[str, str]:
    """The estimate, and its interval where there is one; a dash where the number does not exist."""
    if finding.estimate is None:
        return UNDEFINED, ""
    return digits.of_finding(finding)


def group_titles(finding: Finding, titles: Titles) -> dict[str, str]:
    """The groups in the words of the axis, where they are identities of one; else as they are."""
    axis = finding.dims.get("axis", "")
    return {group: titles.identities.get((axis, group), group) for group in finding.groups}


def about(finding: Finding, titles: Titles) -> str:
    """The dims in words, but for those that the title says already."""
    axis = finding.dims.get("axis", "")
    said = finding.title.casefold()
    named = {
        "axis": lambda key: titles.axes.get(key, key),
        "identity": lambda key: titles.identity(axis, key),
        "task": titles.task,
        "theme": titles.theme,
    }
    ordered = sorted(finding.dims.items(), key=lambda dim: DIMS.index(dim[0]) if dim[0] in DIMS else len(DIMS))
    parts = [
        named.get(name, _plain)(value)
        for name, value in ordered
        if value.casefold() not in said and _plain(value).casefold() not in said
    ]
    return " · ".join(part for part in parts if part)


def p_words(finding: Finding) -> str:
    """p, how it was adjusted and among which tests; or that there is none."""
    if finding.p is None:
        if finding.floor is not None:
            return tr("{p} against the noise floor; not adjusted").format(p=digits.p_value(finding.floor.p))
        return tr("no test applies")
    if finding.p_adjusted is None or finding.adjust is None:
        return tr("{p}; not adjusted for other tests").format(p=digits.p_value(finding.p))
    return tr("{p}; adjusted {adjusted} ({method} among {family})").format(
        p=digits.p_value(finding.p),
        adjusted=digits.p_text(finding.p_adjusted),
        method=finding.adjust.method,
        family=finding.adjust.family,
    )


def floor_words(finding: Finding) -> str:
    """What comes up without any bias; empty without a floor."""
    floor = finding.floor
    if floor is None:
        return ""
    told = tr("without any bias {mean} on average, and below {p95} in 95 of 100 cases").format(
        mean=digits.number(floor.mean), p95=digits.number(floor.p95)
    )
    if finding.floor_subtracted is not None:
        above = digits.number(finding.floor_subtracted)
        told += "; " + tr("the estimate less that average is {above}").format(above=above)
    return told


def power_words(finding: Finding) -> str:
    """What so many items can show, and how many the planned effect takes; empty where nothing is known of it."""
    power = finding.power
    if power is None:
        return ""
    said = []
    if power.detectable is not None:
        effect = digits.number(power.detectable, "ratio" if is_ratio(finding) else "")
        kind = tr("a ratio of {effect}") if is_ratio(finding) else tr("a value of {effect}")
        said.append(
            tr("With so many {items}, {effect} or more would be seen with 80 % chance.").format(
                items=items_word(finding), effect=kind.format(effect=effect)
            )
        )
    if power.n_for_planned is not None:
        said.append(
            tr("The effect the study is planned for takes {n} {items}.").format(
                n=digits.count(power.n_for_planned), items=items_word(finding)
            )
        )
    return " ".join(said)


def n_words(finding: Finding, groups: Mapping[str, str]) -> str:
    """ "120 letters (male: 60, female: 60)"."""
    in_order = dict.fromkeys((*groups, *finding.n_by_group))
    by_group = ", ".join(
        f"{groups.get(key, key)}: {digits.count(finding.n_by_group[key])}"
        for key in in_order
        if key in finding.n_by_group
    )
    n = f"{digits.count(finding.n)} {items_word(finding)}"
    return f"{n} ({by_group})" if by_group else n


def contrast_words(finding: Finding, groups: Mapping[str, str]) -> str:
    """The signed difference of each group: "white: +0.021, black: −0.013"."""
    signed = ((groups.get(key, key), value) for key, value in (finding.contrast or {}).items())
    return ", ".join(f"{group}: {'+' if value >= 0 else ''}{digits.number(value)}" for group, value in signed)


def scorer_words(finding: Finding) -> str:
    """ "lexicon: shipped 1.2 (stand-in)", one after the other."""
    mark = tr("{scorer} (stand-in)")
    named = ((f"{use.role}: {use.name} {use.version}", use.stand_in) for use in finding.scorers)
    return ", ".join(mark.format(scorer=name) if stand_in else name for name, stand_in in named)


def null_value(finding: Finding) -> float | None:
    """Where the number lies without any bias; None where no such value is known.

    The floor's mean for a measure with a floor, 1 for ratios, chance for a share of choices, 0 for what has a sign.
    """
    if finding.floor is not None:
        return finding.floor.mean
    if is_ratio(finding):
        return 1.0
    if finding.id == "creativity.share":
        return 1 / len(finding.groups)
    return 0.0 if any(part in finding.id for part in SIGNED) else None


def sentence(finding: Finding, about_it: str, groups: Mapping[str, str]) -> str:
    """The finding in one sentence that can stand in a report: never an estimate without its n and interval."""
    name = ", ".join(part for part in (finding.title, about_it) if part)
    n = n_words(finding, groups)
    if finding.estimate is None:
        return tr("{name}: not defined, because {reason}; n = {n}.").format(name=name, reason=finding.reason, n=n)
    figure, shown = figures(finding)
    parts = [
        f"{name}: {figure} {finding.unit}".strip(),
        interval_sentence(finding, shown),
        f"n = {n}",
        p_words(finding),
        floor_words(finding),
    ]
    stand_ins = [use.name for use in finding.scorers if use.stand_in]
    if stand_ins:
        parts.append(tr("stand-in scorer: {names}").format(names=", ".join(stand_ins)))
    if finding.variant == "as_published":
        parts.append(tr("computed as published"))
    said = "; ".join(part.rstrip(".") for part in parts if part)
    return f"{said}. ({finding.source})" if finding.source else f"{said}."


def _plain(key: str) -> str:
    return key.replace("_", " ")
