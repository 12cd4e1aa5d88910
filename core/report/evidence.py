"""The question that a finding belongs to, and which findings decide its answer.

The words of questions are the study's (`Study.questions`). What is significant at an adjusted p of 0.05 decides.

Sentences on how far a finding or a “Yes” reaches: over wordings of the prompts, and under other choices.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from biasprint.core.draw import digits
from biasprint.core.draw.words import ALIKE, doubted, null_value
from biasprint.core.findings import BETWEEN_GENERATORS, Finding, mirrored, tried
from biasprint.core.studies.kit.declared import StudyQuestion
from biasprint.core.studies.registry import studies

MOST_FAILS = 3  # choices that are named under which a “Yes” does not hold
EVIDENCE = 0.05  # of the adjusted p
OTHER = StudyQuestion("What else was measured?", ("",))
BETWEEN = StudyQuestion("Do the generators differ from each other?", (BETWEEN_GENERATORS,))


def over_wordings(finding: Finding) -> str:
    """ "Over 5 wordings of the prompts it lies between 0.02 and 0.31; it holds in 3 of them …": how a finding varies.

    It holds in a wording where the interval of that wording alone lies on the same side of no bias. Empty where the
    prompts had one wording.
    """
    over = finding.wordings
    if over is None or over.lowest is None or over.highest is None:
        return ""
    low, high = (digits.number(value, finding.unit) for value in (over.lowest, over.highest))
    varies = "Over {n} wordings of the prompts it lies between {low} and {high}{sides}."
    same = "In each of {n} wordings of the prompts it is {low}{sides}."
    parts = [
        (same if low == high else varies).format(
            n=digits.count(over.measured), low=low, high=high, sides=_sides(finding)
        )
    ]
    if over.like_these is not None:
        low, high = (digits.number(value, finding.unit) for value in (over.like_these.low, over.like_these.high))
        parts.append(f"Its interval is for these wordings; for others like them it is {low} to {high}.")
    elif finding.interval is not None:
        parts.append("Its interval is for these wordings.")
    reasons: dict[str, list[str]] = {}
    for one in over.each:
        if one.estimate is None:
            reasons.setdefault(one.reason or "", []).append(one.wording)
    parts += [f"Not measured in {_named(of)}: {why}." for why, of in reasons.items()]
    return " ".join(parts)


def _sides(finding: Finding) -> str:
    """Say in which wordings it holds, or in which it lies above or below what would be no bias."""
    over, null = finding.wordings, null_value(finding)
    if over is None or null is None:
        return ""
    shown = f"{null:g}" if null in (0, 1) else digits.number(null, finding.unit)
    if over.holds is not None:
        held, of = digits.count(over.holds), digits.count(over.measured)
        return f"; it holds in {held} of {of}: the interval of that wording alone is on the same side of {shown}"
    above, below = ([one.wording for one in over.each if one.side == side] for side in ("above", "below"))
    if above and below:
        return f"; the wordings disagree: above {shown} in {_named(above)}, below it in {_named(below)}"
    if above or below:
        side = "above" if above else "below"
        return f"; alone it lies {side} {shown} in {_named(above or below)}"
    return f"; in none of them alone does the interval leave out {shown}"


def _named(wordings: Sequence[str]) -> str:
    if len(wordings) == 1:
        return f"wording {wordings[0]}"
    return "wordings {names} and {last}".format(names=", ".join(wordings[:-1]), last=wordings[-1])


def holds_in(shown: Sequence[Finding]) -> str:
    """ "It holds in 2 of 5 wordings; not in wordings 1, 3 and 4.": in which wordings a “Yes” of these findings holds.

    It holds in a wording in which one of them does. Empty where the prompts had one wording.
    """
    sides = {True: "above", False: "below"}
    held: dict[str, bool] = {}
    for finding in shown:
        null, over = null_value(finding), finding.wordings
        if over is None or over.holds is None or null is None or finding.estimate is None:
            continue
        for one in over.each:
            if one.estimate is not None:
                held[one.wording] = held.get(one.wording, False) or one.side == sides[finding.estimate > null]
    if not held:
        return ""
    fails = [wording for wording, holds in held.items() if not holds]
    if not fails:
        return f"It holds in each of {digits.count(len(held))} wordings."
    some, all_of_them = digits.count(len(held) - len(fails)), digits.count(len(held))
    return f"It holds in {some} of {all_of_them} wordings; not in {_named(fails)}."


def holds_under(shown: Sequence[Finding]) -> str:
    """ "It holds under 5 of 6 choices; not without the wording “B”.": how far a “Yes” of these findings holds.

    It holds under a choice under which one of them does. Empty where it was not asked for.
    """
    each = [said for finding in shown if (said := tried(finding)) is not None]
    if not each:
        return ""
    choices = list(dict.fromkeys(name for said in each for name in (*said.fails, *said.holds)))
    if not choices:
        return "It was tried under no other choice: nothing else is stored."
    fails = [name for name in choices if all(name in said.fails for said in each)]
    held, all_of_them = digits.count(len(choices) - len(fails)), digits.count(len(choices))
    if not fails:
        return (
            f"It holds under the one other choice that there is, {choices[0]}."
            if len(choices) == 1
            else f"It holds under all {all_of_them} choices."
        )
    if len(choices) == 1:
        return f"It does not hold {choices[0]}, the one other choice that there is."
    named = "; ".join(f"not {name}" for name in fails[:MOST_FAILS])
    more = len(fails) - MOST_FAILS
    rest = f"; nor under {digits.count(more)} more" if more > 0 else ""
    sentence = (
        "It holds under none of {n} choices; {fails}{rest}."
        if len(fails) == len(choices)
        else "It holds under {held} of {n} choices; {fails}{rest}."
    )
    return sentence.format(held=held, n=all_of_them, fails=named, rest=rest)


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


@dataclass(frozen=True)
class Evidence:
    """Basis of an answer: the findings that lead, those of them with a test, and the significant ones, strongest first.

    Not among the significant ones is what is not known with the scorer's error.
    `names`: the title of each finding that leads, with what distinguishes it from the others. `mirrored`: of a tested
    finding the one that says the same of the other of two groups; it is not among the tested.
    """

    leads: tuple[Finding, ...]
    tested: tuple[Finding, ...]
    shown: tuple[Finding, ...]
    names: Mapping[int, str]
    mirrored: Mapping[int, Finding] = field(default_factory=dict)

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

    def of(self, findings: Iterable[Finding]) -> "Evidence":
        """Return the evidence of only these findings."""
        ids = set(map(id, findings))
        leads, tested, shown = (
            tuple(finding for finding in of if id(finding) in ids) for of in (self.leads, self.tested, self.shown)
        )
        return Evidence(leads, tested, shown, _names(leads), self.mirrored)


def deciding(study: str, question: StudyQuestion, findings: Sequence[Finding]) -> Evidence:
    """Return the evidence for the answer to a question among its findings."""
    leads = [lead for lead in _leads(study, question, findings) if lead.estimate is not None]
    tested = [lead for lead in leads if lead.p_adjusted is not None]
    copies = mirrored(tested)
    others: dict[int, Finding] = {}
    for second, first in [(lead, first) for lead in tested if (first := copies.get(id(lead))) is not None]:
        # The one that harms somebody is told.
        told, other = (second, first) if harms(second) and not harms(first) else (first, second)
        others[id(told)] = other
        tested.remove(other)
    shown = sorted((lead for lead in tested if _significant(lead) and not doubted(lead)), key=strength)
    return Evidence(tuple(leads), tuple(tested), tuple(shown), _names(leads), others)


def _significant(finding: Finding) -> bool:
    return finding.p_adjusted is not None and finding.p_adjusted <= EVIDENCE


def harms(finding: Finding) -> bool:
    """Return whether it is on the side of 0 that its harm is about. A person's own words name no side, and count."""
    side = re.match(r"(Above|Below) 0\b", finding.harm)
    return bool(finding.harm) and (side is None or (side[1] == "Above") == ((finding.estimate or 0.0) > 0))


_OF_RATIO = re.compile(r"(.+): a ratio above 1 is to the disadvantage of (.+), below 1 of (.+)\.")
_OF_DIFFERENCE = re.compile(r"(.+) A difference (above|below) 0 is (to the disadvantage of .+)")
_OF_SIDE = re.compile(r"(?:Above|Below) 0[:,] (.+)")


def harm_here(finding: Finding) -> str:
    """Return what its number does and to whom: its harm on the side that it is on; empty where it does none."""
    if not harms(finding) or finding.estimate is None:
        return ""
    if ratio := _OF_RATIO.fullmatch(finding.harm):
        whom = "" if finding.estimate == 1 else ratio[2] if finding.estimate > 1 else ratio[3]
        return f"{ratio[1]}, here to the disadvantage of {whom}." if whom else f"{ratio[1]}."
    if difference := _OF_DIFFERENCE.fullmatch(finding.harm):
        there = finding.estimate > 0 if difference[2] == "above" else finding.estimate < 0
        return f"{difference[1]} This is {difference[3]}" if there else ""
    side = _OF_SIDE.fullmatch(finding.harm)
    return f"{side[1][:1].upper()}{side[1][1:]}" if side else finding.harm


def strength(finding: Finding) -> tuple[bool, float, float]:
    """Return its rank among the significant or nearly significant: those with an interval come first."""
    return finding.interval is None, finding.p_adjusted or 0.0, finding.p or 0.0


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
            parts.append(f"{finding.groups[0]} against {finding.groups[1]}")
        named[id(finding)] = ", ".join([finding.title, *parts])
    return named
