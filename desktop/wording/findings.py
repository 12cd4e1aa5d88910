"""A finding in words: its figures, its subject, and the meaning of its numbers. Plain text, no Qt widgets."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from biasprint.core.draw import digits
from biasprint.core.draw.words import apart, interval_sentence, is_ratio
from biasprint.core.findings import BETWEEN_GENERATORS, Finding, Interval, InWording
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.report.evidence import question_of
from biasprint.core.report.planned import StudyPlan, result_words
from biasprint.core.studies.registry import studies
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.words import tr
from biasprint.desktop.wording.generators import NOBODY, StudyGenerators, Titles

UNDEFINED = "—"
DIFFERENCES = ""  # the generator of a finding that is a difference between two
DIMS = ("axis", "identity", "domain", "direction", "pronoun", "task", "theme", "topic")  # in the order they are said


def items_word(finding: Finding) -> str:
    """Return the word for the items that n counts."""
    named = (item for study in studies().values() for item in study.words.items)
    return next((tr(word) for start, word in named if finding.id.startswith(start)), tr("items"))


def figures(finding: Finding) -> tuple[str, str]:
    """Return the estimate, and its interval if it has one; a dash where the number does not exist."""
    if finding.estimate is None:
        return UNDEFINED, ""
    return digits.of_finding(finding)


def group_titles(finding: Finding, titles: Titles) -> dict[str, str]:
    """Return the groups in the words of the axis, where they are identities of one; else unchanged."""
    axis = finding.dims.get("axis", "")
    return {group: titles.identities.get((axis, group), group) for group in finding.groups}


def about(finding: Finding, titles: Titles) -> str:
    """Return the dims in words, except those that the title contains already."""
    axis = finding.dims.get("axis", "")
    title = finding.title.casefold()
    named = {
        "axis": lambda key: titles.axes.get(key, key),
        "identity": lambda key: titles.identity(axis, key),
        "task": titles.task,
        "theme": titles.theme,
    }
    ordered = sorted(finding.shown_dims.items(), key=lambda dim: DIMS.index(dim[0]) if dim[0] in DIMS else len(DIMS))
    parts = [
        named.get(name, _plain)(value)
        for name, value in ordered
        if finding.dims[name].casefold() not in title and _plain(value).casefold() not in title
    ]
    return " · ".join(part for part in parts if part)


def between_words(finding: Finding) -> str:
    """Return "A minus B" for a difference between two generators; for a ratio "A divided by B"; else empty."""
    if not finding.id.endswith(BETWEEN_GENERATORS) or len(finding.groups) != 2:
        return ""
    words = tr("{one} divided by {other}") if is_ratio(finding) else tr("{one} minus {other}")
    return words.format(one=finding.groups[0], other=finding.groups[1])


def difference_words(finding: Finding) -> str:
    """Return what a difference between two generators says of them; empty for other findings."""
    if not between_words(finding) or finding.estimate is None:
        return ""
    first, other = finding.groups
    size = digits.of_finding(finding)[0]
    null = 1.0 if is_ratio(finding) else 0.0
    if finding.estimate == null:
        sentence = tr("“{one}” and “{other}” give the same.")
    elif is_ratio(finding):
        sentence = tr("“{one}” gives {size} times what “{other}” gives.")
    elif finding.estimate > null:
        sentence = tr("“{one}” gives {size} more than “{other}”.")
    else:
        size = size.lstrip("−-")
        sentence = tr("“{one}” gives {size} less than “{other}”.")
    shown = {
        "significant": tr("They differ, beyond chance, after allowing for the other tests."),
        "not": tr("That is not enough evidence that they differ."),
        "untested": tr("It was not tested."),
    }[significance(finding)]
    return " ".join((sentence.format(one=first, other=other, size=size), shown))


def p_words(finding: Finding) -> str:
    """Return p, how it was adjusted and among which tests; or that there is none."""
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
    """Return the noise floor in words: the value without any bias; empty without a floor."""
    floor = finding.floor
    if floor is None:
        return ""
    words = tr("without any bias {mean} on average, and below {p95} in 95 of 100 cases").format(
        mean=digits.number(floor.mean), p95=digits.number(floor.p95)
    )
    if finding.floor_subtracted is not None:
        above = digits.number(finding.floor_subtracted)
        words += "; " + tr("the estimate less that average is {above}").format(above=above)
    return words


def wording_words(finding: Finding) -> str:
    """Return a line for each wording of the prompts: its number with the interval; empty where there was one."""
    if finding.wordings is None:
        return ""
    return "\n".join(f"{one.wording}: {_in_wording(finding, one)}" for one in finding.wordings.each)


def _in_wording(finding: Finding, one: InWording) -> str:
    if one.estimate is None:
        return tr("not measured")
    bounds = None if one.low is None else Interval(one.low, math.inf if one.high is None else one.high, 0.95, "")
    figure, interval = digits.of_finding(replace(finding, estimate=one.estimate, interval=bounds, reason=""))
    return tr("{figure} ({interval})").format(figure=figure, interval=interval) if interval else figure


def power_words(finding: Finding) -> str:
    """Return the effect that so many items can show, and the n for the planned effect; empty if unknown."""
    power = finding.power
    if power is None:
        return ""
    sentences = []
    if power.detectable is not None:
        effect = digits.number(power.detectable, "ratio" if is_ratio(finding) else "")
        kind = tr("a ratio of {effect}") if is_ratio(finding) else tr("a value of {effect}")
        sentences.append(
            tr("With so many {items}, {effect} or more would be seen with 80 % chance.").format(
                items=items_word(finding), effect=kind.format(effect=effect)
            )
        )
    if power.n_for_planned is not None:
        sentences.append(
            tr("The effect the study is planned for takes {n} {items}.").format(
                n=digits.count(power.n_for_planned), items=items_word(finding)
            )
        )
    return " ".join(sentences)


def n_words(finding: Finding, groups: Mapping[str, str]) -> str:
    """Return n in words: "120 letters (male: 60, female: 60)"."""
    in_order = dict.fromkeys((*groups, *finding.n_by_group))
    by_group = ", ".join(
        f"{groups.get(key, key)}: {digits.count(finding.n_by_group[key])}"
        for key in in_order
        if key in finding.n_by_group
    )
    n = f"{digits.count(finding.n)} {items_word(finding)}"
    return f"{n} ({by_group})" if by_group else n


def contrast_words(finding: Finding, groups: Mapping[str, str]) -> str:
    """Return the signed difference of each group: "white: +0.021, black: −0.013"."""
    signed = ((groups.get(key, key), value) for key, value in (finding.contrast or {}).items())
    return ", ".join(f"{group}: {'+' if value >= 0 else ''}{digits.number(value)}" for group, value in signed)


def scorer_words(finding: Finding) -> str:
    """Return the scorers in words: "agency: Agency (MiniLM) 1.2 (stand-in)", separated by commas."""
    mark = tr("{scorer} (stand-in)")
    named = ((f"{_plain(use.role)}: {scorer_title(use.name)} {use.version}", use.stand_in) for use in finding.scorers)
    return ", ".join(mark.format(scorer=name) if stand_in else name for name, stand_in in named)


def sentence(finding: Finding, about_it: str, groups: Mapping[str, str]) -> str:
    """Return the finding in one sentence for a report: never an estimate without its n and interval."""
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
        apart(finding)[:1].lower() + apart(finding)[1:],
        floor_words(finding),
    ]
    stand_ins = [scorer_title(use.name) for use in finding.scorers if use.stand_in]
    if stand_ins:
        parts.append(tr("stand-in scorer: {names}").format(names=", ".join(stand_ins)))
    if finding.variant == "as_published":
        parts.append(tr("computed as published"))
    words = "; ".join(part.rstrip(".") for part in parts if part)
    return f"{words}. ({finding.source})" if finding.source else f"{words}."


def _plain(key: str) -> str:
    return key.replace("_", " ")


Significance = Literal["significant", "not", "untested"]
Key = str | float | None
SIGNIFICANT = 0.05
POOLED = ""  # the axis of a finding that is pooled over axes, or about none


class Cells(NamedTuple):
    """The values that the table shows of a finding, or sorts it by, column by column."""

    finding: Any
    groups: Any
    estimate: Any
    n: Any
    p: Any
    p_adjusted: Any
    floor: Any
    variant: Any
    study: Any


COLUMNS: tuple[str, ...] = Cells._fields
NUMERIC = frozenset({"estimate", "n", "p", "p_adjusted", "floor"})


@dataclass(frozen=True)
class FindingLine:
    """A finding as the table shows it.

    `about`: its dims in words; `unit` of its estimate, with the level of its interval where that is not 95 %; `groups`:
    titles by key.
    """

    study: str
    finding: Finding
    about: str
    unit: str
    groups: Mapping[str, str]
    shown: Cells  # short safe texts
    keys: Cells  # str or number, None last
    found_by: str  # what a search looks through
    question: str = ""  # what it is grouped by
    apart: str = ""  # why the interval and the adjusted p do not say the same, where they do not
    recipe: Mapping[str, Any] = field(default_factory=dict)  # of its measurement
    planned: str = ""  # whether an analysis plan names it, and what that makes of it

    @property
    def same(self) -> tuple[Any, ...]:
        """The identity of the finding, which stays the same when the study is measured again."""
        finding = self.finding
        return (
            self.study,
            finding.id,
            finding.label,
            finding.variant,
            finding.groups,
            tuple(sorted(finding.dims.items())),
        )

    @property
    def generator(self) -> str | None:
        """The generator it is about; `DIFFERENCES` for one between two, None with only one, or all pooled."""
        return DIFFERENCES if self.finding.id.endswith(BETWEEN_GENERATORS) else self.finding.dims.get("generator")

    @property
    def stand_in(self) -> bool:
        return any(use.stand_in for use in self.finding.scorers)

    @property
    def significance(self) -> Significance:
        return significance(self.finding)


@dataclass(frozen=True)
class QuestionHead:
    """A question above the findings that it groups, with the answer of all of them, filtered or not."""

    study: str
    question: str
    answer: str
    study_title: str = ""  # where there are several studies
    figures: str = ""  # what the amounts in the answer rest on
    count: int = 0  # how many of its findings the table would show

    @property
    def key(self) -> tuple[str, str]:
        return self.study, self.question


@dataclass(frozen=True)
class Measurement:
    """The last measurement of a study of the project; `measured_at` is empty where it never was measured."""

    study: str
    title: str
    measured_at: str = ""
    recipe: Mapping[str, Any] | None = None
    new_texts: int = 0  # texts that it did not read
    texts: int = 0  # that there are now
    new_sessions: int = 0  # rating sessions revealed later
    left_out: int = 0  # texts that were there and were not wanted, such as another generator's
    new_originals: int = 0  # that came later: articles of news are measured against them
    writers: StudyGenerators = NOBODY
    plan: str = ""  # the state of its analysis plan, in words


@dataclass(frozen=True)
class FindingsData:
    """Everything the findings panel shows at one moment. `axes`: those that findings are about, with their titles.

    `heads`: the questions that the lines are grouped by, in their order. `replies`: study → what became of refused, cut
    and failed ones, in sentences.
    """

    lines: tuple[FindingLine, ...] = ()
    axes: tuple[tuple[str, str], ...] = ()
    heads: tuple[QuestionHead, ...] = ()
    generators: tuple[str, ...] = ()  # that findings are about; `DIFFERENCES` for those between two
    replies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class FindingFilter:
    """The filter of findings; a field that is None does not narrow. `text`: words that must all occur, in any order."""

    study: str | None = None
    axis: str | None = None
    generator: str | None = None
    significance: Significance | None = None
    variant: str | None = None
    undefined: bool = True
    text: str = ""

    def matching(self, lines: Sequence[FindingLine]) -> list[FindingLine]:
        wanted = self.text.casefold().split()
        return [
            line
            for line in lines
            if (self.study is None or line.study == self.study)
            and (self.axis is None or line.finding.dims.get("axis", POOLED) == self.axis)
            and (self.generator is None or line.generator == self.generator)
            and (self.variant is None or line.finding.variant == self.variant)
            and (self.undefined or line.finding.estimate is not None)
            and (self.significance is None or line.significance == self.significance)
            and all(word in line.found_by for word in wanted)
        ]


def significance(finding: Finding) -> Significance:
    """Return the significance by the adjusted p only: a raw p, even the paper's, says little beside many others."""
    if finding.p_adjusted is None:
        return "untested"
    return "significant" if finding.p_adjusted <= SIGNIFICANT else "not"


def planned_mark(plan: StudyPlan, finding: Finding) -> str:
    """Return "Planned 2" with the place in the plan, "Planned late", or empty for what is exploratory."""
    place = plan.place(finding)
    if place is None:
        return ""
    words = tr("Planned {place}") if plan.entries[place].before_scoring else tr("Planned late {place}")
    return words.format(place=place + 1)


def planned_words(plan: StudyPlan, finding: Finding) -> str:
    """Return what the analysis plan makes of a finding."""
    place = plan.place(finding)
    if place is None:
        return tr("not planned: exploratory")
    entry = plan.entries[place]
    when = tr("before scoring") if entry.before_scoring else tr("when results could be known")
    return tr("{place} of the plan, {when}; {result}").format(
        place=place + 1, when=when, result=result_words(entry, finding)
    )


def line_of(
    finding: Finding,
    study: str,
    study_title: str,
    titles: Titles,
    recipe: Mapping[str, Any] | None = None,
    plan: StudyPlan | None = None,
) -> FindingLine:
    """Return the table's line for a finding. `recipe`: of its measurement; `plan`: of the study."""
    planned = planned_mark(plan, finding) if plan else ""
    dims_title = " · ".join(part for part in (planned, between_words(finding), about(finding, titles)) if part)
    groups = group_titles(finding, titles)
    figure, interval = figures(finding)
    floor = finding.floor
    shown = Cells(
        finding=finding.title,
        groups=", ".join(groups.values()),
        estimate=f"{figure} ({interval})" if interval else figure,
        n=digits.count(finding.n),
        p=digits.p_text(finding.p),
        p_adjusted=digits.p_text(finding.p_adjusted),
        floor="" if floor is None else digits.number(floor.p95),
        variant=tr("default") if finding.variant == "default" else tr("as published"),
        study=study_title,
    )
    keys = Cells(
        finding=(finding.title.casefold(), dims_title.casefold()),
        groups=shown.groups.casefold(),
        estimate=finding.estimate,
        n=finding.n,
        p=finding.p,
        p_adjusted=finding.p_adjusted,
        floor=None if floor is None else floor.p95,
        variant=shown.variant,
        study=study_title.casefold(),
    )
    searched = (
        finding.id,
        finding.label,
        finding.title,
        dims_title,
        shown.groups,
        finding.unit,
        study_title,
        finding.harm,
    )
    shown = Cells(*(safe_line(str(cell)) for cell in shown))
    level = digits.level_beside(finding.interval)
    beside = tr("{level} interval").format(level=level) if level else ""
    unit = safe_line(" · ".join(filter(None, (finding.unit, beside)))) if finding.estimate is not None else ""
    found_by, question = "\n".join(searched).casefold(), question_of(study, finding).ask
    return FindingLine(
        study, finding, safe_line(dims_title), unit, groups, shown, keys, found_by, question, apart(finding),
        recipe or {}, planned_words(plan, finding) if plan else "",
    )  # fmt: skip
