"""Findings by the question that they answer, and each question's answer in one sentence.

The words are the study's (`Study.questions`), the answer follows from the findings by one rule: what is significant at
an adjusted p of 0.05 is named with estimate, interval and n; where nothing is, that is said with what came nearest.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from biasprint.core.draw import digits
from biasprint.core.draw.digits import tr
from biasprint.core.draw.verdicts import ALIKE, apart, doubted, still_compatible, too_few, with_error, yes_by
from biasprint.core.findings import BETWEEN_GENERATORS, Finding
from biasprint.core.studies.kit.declared import StudyQuestion
from biasprint.core.studies.registry import studies

EVIDENCE = 0.05  # of the adjusted p
MOST_NAMED = 3
OTHER = StudyQuestion("What else was measured?", ("",))
BETWEEN = StudyQuestion("Do the generators differ from each other?", (BETWEEN_GENERATORS,))


@dataclass(frozen=True)
class Answered:
    """A question with its findings, in the order they came, and the answer."""

    question: str
    answer: str
    findings: tuple[Finding, ...]


def question_of(study: str, finding: Finding) -> StudyQuestion:
    """The question of a study that a finding belongs to."""
    if finding.id.endswith(BETWEEN_GENERATORS):
        return BETWEEN
    named = _with_label(finding)
    known = studies().get(study)
    fits = [
        (len(start), question)
        for question in (known.questions if known else ())
        for start in question.about
        if named.startswith(start)
    ]
    return max(fits, key=lambda fit: fit[0])[1] if fits else OTHER


def _with_label(finding: Finding) -> str:
    return f"{finding.id}[{finding.label}]"


def answered(study: str, findings: Iterable[Finding]) -> list[Answered]:
    """The questions that these findings of one study answer: whether generators differ first, then in the study's
    order; what fits none comes last."""
    groups: dict[StudyQuestion, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(question_of(study, finding), []).append(finding)
    known = studies().get(study)
    order = [BETWEEN, *(known.questions if known else ()), OTHER]
    return [
        Answered(
            question.ask,
            _answer(groups[question], _evidence(study, question, groups[question])),
            tuple(groups[question]),
        )
        for question in order
        if question in groups
    ]


@dataclass(frozen=True)
class Evidence:
    """Basis of an answer: the findings that lead, those of them with a test, and the significant ones, strongest first.

    Not among the significant ones is what is not known with the scorer's error.
    `names`: the title of each finding that leads, with what distinguishes it from the others.
    """

    leads: tuple[Finding, ...]
    tested: tuple[Finding, ...]
    shown: tuple[Finding, ...]
    names: Mapping[int, str]

    @property
    def strongest_first(self) -> list[Finding]:
        """All that lead, those without a test last."""
        return sorted(self.leads, key=lambda finding: (finding.p_adjusted is None, *strength(finding)))

    @property
    def nearest(self) -> Finding:
        """Tested finding with the smallest p."""
        return min(self.tested, key=strength)

    @property
    def doubted(self) -> list[Finding]:
        """Those that would be significant, were it not for their scorer's error."""
        return [finding for finding in self.tested if _significant(finding) and doubted(finding)]

    @property
    def alike(self) -> bool:
        """Do its tests ask whether groups are alike, and not whether they differ?"""
        return any(finding.id.endswith(ALIKE) for finding in self.tested)

    def said(self, finding: Finding) -> str:
        """Word a leading finding, with estimate, interval and n."""
        return _said(finding, self.names)

    def of(self, findings: Iterable[Finding]) -> "Evidence":
        """Return the evidence of only these findings."""
        ids = set(map(id, findings))
        leads, tested, shown = (
            tuple(finding for finding in of if id(finding) in ids) for of in (self.leads, self.tested, self.shown)
        )
        return Evidence(leads, tested, shown, _names(leads))


def evidence(study: str, answered_question: Answered) -> Evidence:
    """Return the evidence that decided the answer to a question."""
    return _evidence(study, question_of(study, answered_question.findings[0]), answered_question.findings)


def _evidence(study: str, question: StudyQuestion, findings: Sequence[Finding]) -> Evidence:
    leads = [lead for lead in _leads(study, question, findings) if lead.estimate is not None]
    tested = [lead for lead in leads if lead.p_adjusted is not None]
    shown = sorted((lead for lead in tested if _significant(lead) and not doubted(lead)), key=strength)
    return Evidence(tuple(leads), tuple(tested), tuple(shown), _names(leads))


def _significant(finding: Finding) -> bool:
    return finding.p_adjusted is not None and finding.p_adjusted <= EVIDENCE


def strength(finding: Finding) -> tuple[bool, float, float]:
    """Return its rank among the significant or nearly significant: those with an interval come first."""
    return finding.interval is None, finding.p_adjusted or 0.0, finding.p or 0.0


def _answer(findings: Sequence[Finding], evidence: Evidence) -> str:
    """One sentence, or two; never an estimate without its n, and its interval where it has one."""
    if not evidence.leads:
        unknown = [finding for finding in findings if finding.estimate is None and finding.reason]
        reason = max(unknown, key=lambda finding: finding.n).reason if unknown else ""
        return tr("Not known: {reason}.").format(reason=reason)
    if not evidence.tested:
        return tr("Measured, without a test: {findings}.").format(findings=_listed(evidence.leads, evidence.names))
    if evidence.shown:
        return tr("{yes} in {shown} of {all}: {findings}.").format(
            yes=yes_by(evidence.shown),
            shown=digits.count(len(evidence.shown)),
            all=digits.count(len(evidence.tested)),
            findings=_listed(evidence.shown, evidence.names),
        )
    nearest = evidence.said(evidence.nearest)
    if evidence.doubted:
        return tr("Not known with the scorer’s error; nearest is {finding}.").format(finding=nearest)
    if evidence.alike:
        return tr("Not shown; nearest is {finding}.").format(finding=nearest)
    if why := too_few(evidence.tested):
        return tr("Not known: {why}; nearest is {finding}.").format(why=why, finding=nearest)
    return tr("No difference was shown{among}; nearest is {finding}{compatible}.").format(
        among=_among(len(evidence.tested)), finding=nearest, compatible=still_compatible(evidence.nearest)
    )


def _leads(study: str, question: StudyQuestion, findings: Sequence[Finding]) -> list[Finding]:
    """The findings that answer: of the question's first kind, by default, and pooled over as much as can be.

    Between generators those of the kinds that the study's own questions begin with.
    """
    known = studies().get(study)
    first = {each.about[0] + BETWEEN_GENERATORS for each in (known.questions if known else ())}
    firsts = first if question is BETWEEN else {question.about[0]}
    own = [finding for finding in findings if _with_label(finding).startswith(tuple(firsts))] or list(findings)
    own = [finding for finding in own if finding.variant == "default"] or own
    exact = [finding for finding in own if {finding.id, _with_label(finding)} & firsts] or own
    widest = _widest(exact)
    if question is not BETWEEN and all(finding.estimate is None for finding in widest):
        return widest  # what is not known of all is not answered by a part
    tested = [finding for finding in exact if finding.p_adjusted is not None] or exact
    # Each kind for itself where there are several of one rank, such as a place of options beside what is chosen.
    kinds = [
        [finding for finding in tested if finding.id == kind]
        for kind in dict.fromkeys(finding.id for finding in tested)
    ]
    if question is not BETWEEN:
        kinds = [tested]
    return [finding for kind in kinds for finding in _widest(kind)]


def _widest(findings: Sequence[Finding]) -> list[Finding]:
    """Those that are pooled over as much as any of them."""
    fewest = min((len(finding.dims) for finding in findings), default=0)
    return [finding for finding in findings if len(finding.dims) == fewest]


def _names(findings: Sequence[Finding]) -> Mapping[int, str]:
    """Return each finding's title, with those dims that distinguish it from others of the same title."""
    named = {}
    for finding in findings:
        same = [other for other in findings if other.title == finding.title]
        parts = [
            value
            for key, value in finding.shown_dims.items()
            if len({other.dims.get(key) for other in same}) > 1 and finding.dims[key] not in finding.title
        ]
        if finding.id.endswith(BETWEEN_GENERATORS):
            parts.append(tr("{one} against {other}").format(one=finding.groups[0], other=finding.groups[1]))
        named[id(finding)] = ", ".join([finding.title, *parts])
    return named


def _said(finding: Finding, names: Mapping[int, str]) -> str:
    estimate, interval = digits.written(finding.estimate, *digits.ends(finding.interval), unit=finding.unit)
    unit = "" if digits.sign(finding.unit) or finding.unit in ("", "ratio") else f" {finding.unit}"
    level = "" if finding.interval is None else digits.level_text(finding.interval.level)
    bounds = tr("{level} % interval {ends}").format(level=level, ends=interval) if interval else tr("no interval")
    parts = [bounds, f"n = {digits.count(finding.n)}"]
    if any(use.stand_in for use in finding.scorers):
        parts.append(tr("by a stand-in scorer"))
    why = apart(finding)
    remark = f" [{why[0].lower()}{why[1:].rstrip('.')}]" if why else ""
    error = with_error(finding)
    remark += f" [{error}]" if error else ""
    return f"{quoted(names[id(finding)])} {estimate}{unit} ({', '.join(parts)}){remark}"


def quoted(name: str) -> str:
    """Put a name in quotes, unless there are some in it."""
    return name if "“" in name else f"“{name}”"


def _listed(findings: Sequence[Finding], names: Mapping[int, str]) -> str:
    sentences = "; ".join(_said(finding, names) for finding in findings[:MOST_NAMED])
    more = len(findings) - MOST_NAMED
    return (
        sentences
        if more <= 0
        else tr("{findings}; and {more} more").format(findings=sentences, more=digits.count(more))
    )


def _among(number: int) -> str:
    return "" if number == 1 else tr(" in {n} findings").format(n=digits.count(number))
