"""The analysis plan of a study, as it was locked, and what became of each finding that it names.

A plan is a small TOML file. Its locks are rows of the project that are only ever added. A finding counts as planned
before scoring where a lock from before any score, judgment or finding names it, and every lock since then has it with
the same margin under the same level and exclusions.

Names of findings, ID[LABEL, DIM=VALUE, …], as gates and analysis plans write them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from biasprint.core.draw import digits
from biasprint.core.draw.words import ALIKE, doubted, is_ratio, null_value
from biasprint.core.errors import UsageError
from biasprint.core.findings import BETWEEN_GENERATORS, Finding
from biasprint.core.report.blocks import Block, ReportParagraph, ReportTable, Run, said
from biasprint.core.studies.registry import studies

VARIANT, DEFAULT = "variant", "default"
VARIANTS = (DEFAULT, "as_published")
GROUPS = ("first", "second")  # of a finding, beside its dims
NEAR = 5  # names that are offered in place of one that there is not
_MEANT = re.compile(r"\s*(?P<id>[\w.]+)\s*(?:\[(?P<chosen>.*)\])?\s*", re.DOTALL)
_PART = re.compile(r'\s*(?:(?P<key>\w+)\s*=)?\s*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^",=]+))\s*(?:,|$)')
Exclusion = Literal["refusals", "cut texts", "duplicates"]
MOST_ROWS = 12  # of the table on the first page
ASKER = "an analysis plan"
STRICT = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, kw_only=True)
class Meant:
    """The findings that a text names. `label`: of the findings, any where empty. `dims`: those that are named; others
    may have any value. `first`, `second` among them: the finding's groups.
    """

    text: str
    id: str
    label: str = ""
    dims: Mapping[str, str] = field(default_factory=dict)
    variant: str = DEFAULT

    @property
    def key(self) -> tuple[object, ...]:
        """Key that two names of the same findings share, however they are written."""
        return self.id, self.label, self.variant, *sorted(self.dims.items())

    def is_about(self, finding: Finding) -> bool:
        return (
            finding.id == self.id
            and finding.variant == self.variant
            and self.label in ("", finding.label)
            and all(_value(finding, name) == value for name, value in self.dims.items())
        )

    def why_none(self, findings: Sequence[Finding], asker: str) -> str:
        """Return a sentence on what of its name no finding has, with names that are like it. `asker`: “a gate”."""
        same_id = [finding for finding in findings if finding.id == self.id and finding.variant == self.variant]
        if not same_id:
            return f"There is no finding “{self.id}” for {asker}; {like(self.id, [each.id for each in findings])}."
        if self.label and not any(finding.label == self.label for finding in same_id):
            similar = like(self.label, [finding.label for finding in same_id])
            return f"{self.id} has no “{self.label}” for {asker}; {similar}."
        for name, value in self.dims.items():
            values = [own for finding in same_id if (own := _value(finding, name)) is not None]
            if not values:
                dims = [dim for finding in same_id for dim in (*finding.dims, *GROUPS[: len(finding.groups)])]
                return f"{self.id} has no {name} for {asker}; {like(name, dims)}."
            if value not in values:
                return f"{self.id} has no {name} “{value}” for {asker}; {like(value, values)}."
        return f"No finding has all that the {asker.partition(chr(32))[2]} “{self.text}” names together."


def _value(finding: Finding, name: str) -> str | None:
    """Return the value of a dim; or the first or second group."""
    if name in finding.dims or name not in GROUPS:
        return finding.dims.get(name)
    return dict(zip(GROUPS, finding.groups, strict=False)).get(name)


def parse_meant(text: str) -> Meant:
    """Parse ID[LABEL, DIM=VALUE, …]. Raises `UsageError` for anything else."""
    match = _MEANT.fullmatch(text)
    if match is None:
        raise UsageError(f"“{text.strip()}” names no finding.", hint="For example: letters.lexicon.odds_ratio[agentic]")
    label, dims, variant = parse_chosen(match["chosen"] or "", "an analysis plan")
    return Meant(text=" ".join(text.split()), id=match["id"], label=label, dims=dims, variant=variant)


def parse_chosen(chosen: str, asker: str) -> tuple[str, dict[str, str], str]:
    """Return the label, the dims and the variant between the brackets. A value with a comma is in double quotes."""
    label, dims, at = "", {}, 0
    while at < len(chosen):
        part = _PART.match(chosen, at)
        value = "" if part is None else (part["quoted"] if part["quoted"] is not None else part["plain"].strip())
        if part is None or not value or (part["key"] in dims) or (part["key"] is None and label):
            raise UsageError(
                f"“[{chosen}]” in {asker} is not a label and dims.", hint="For example: [agentic, model=large]"
            )
        at = part.end()
        if part["key"] is None:
            label = value
        else:
            dims[part["key"]] = value
    variant = dims.pop(VARIANT, DEFAULT)
    if variant not in VARIANTS:
        raise UsageError(
            f"{asker[:1].upper()}{asker[1:]} has no variant “{variant}”.", hint=f"There are: {', '.join(VARIANTS)}."
        )
    return label, dims, variant


def unknown(meant: Meant, kinds: Iterable[str]) -> str:
    """Return a sentence where none of these studies can have such a finding, with ids that are like it; else
    nothing.
    """
    own = [info for kind in kinds for info in studies()[kind].findings]
    wanted = meant.id.removesuffix(BETWEEN_GENERATORS)
    if any(wanted == info or (info.endswith("*") and wanted.startswith(info[:-1])) for info in own):
        return ""
    return f"There is no finding “{meant.id}”; {like(wanted, own)}."


def like(wanted: str, names: Iterable[str]) -> str:
    """Return the names that are like one that there is not, in words."""
    known = list(dict.fromkeys(names))
    near = get_close_matches(wanted, known, NEAR, cutoff=0.5) or known[:NEAR]
    return f"there are {', '.join(near)}" if near else "there are none"


# ---- The file


class PlannedEntry(BaseModel):
    """Findings of interest. `margin`: the smallest difference that matters; of a ratio a factor above 1."""

    model_config = STRICT
    finding: Annotated[str, Field(min_length=1, max_length=300)]
    margin: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @property
    def meant(self) -> Meant:
        return parse_meant(self.finding)


class AnalysisPlan(BaseModel):
    """The whole file. `texts`: how many are to be written or imported. `level`: an adjusted p up to it shows a
    difference. `exclusions`: rules by which texts are left out.
    """

    model_config = STRICT
    analysis_plan: Literal[1] = 1
    study: Annotated[str, Field(min_length=1)]
    title: Annotated[str, Field(max_length=200)] = ""
    texts: Annotated[int, Field(ge=1)] | None = None
    level: Annotated[float, Field(gt=0, lt=1)] = 0.05
    exclusions: tuple[Exclusion, ...] = ()
    findings: Annotated[tuple[PlannedEntry, ...], Field(min_length=1, max_length=200)]

    @property
    def rules(self) -> tuple[object, ...]:
        """Settings that must stay the same for a finding to stay as it was planned."""
        return self.level, tuple(sorted(self.exclusions))


# ---- Its locks


@dataclass(frozen=True)
class Known:
    """Content of the project when a plan was locked: texts, how many of them were scored, judgments, findings."""

    texts: int = 0
    scored: int = 0
    judgments: int = 0
    findings: int = 0

    @property
    def results(self) -> bool:
        return bool(self.scored or self.judgments or self.findings)


@dataclass(frozen=True)
class PlanLock:
    """A plan as it was locked. `sha256`: of its file; `row_sha256`: of the stored row, with the one before it."""

    plan: AnalysisPlan
    text: str
    sha256: str
    at: str
    known: Known
    row_sha256: str = ""

    def entry(self, meant: Meant) -> PlannedEntry | None:
        return next((entry for entry in self.plan.findings if entry.meant.key == meant.key), None)

    def to_json(self) -> dict[str, Any]:
        return {
            "sha256": self.sha256, "row_sha256": self.row_sha256, "locked_at": self.at,
            "before_scoring": not self.known.results, "known": vars(self.known), "title": self.plan.title,
            "texts": self.plan.texts, "level": self.plan.level, "exclusions": list(self.plan.exclusions),
        }  # fmt: skip


@dataclass(frozen=True)
class PlannedFinding:
    """An entry of a plan. `since`: the lock from which on it is as it is. `dropped`: the lock that left it out."""

    meant: Meant
    margin: float | None
    level: float
    since: PlanLock
    dropped: PlanLock | None = None

    @property
    def before_scoring(self) -> bool:
        return not self.since.known.results


@dataclass(frozen=True)
class StudyPlan:
    """The locks of a study's plan, the oldest first; `troubles`: sentences on what is damaged or missing of them."""

    study: str
    locks: tuple[PlanLock, ...]
    troubles: tuple[str, ...] = ()

    @property
    def last(self) -> PlanLock:
        return self.locks[-1]

    @cached_property
    def entries(self) -> tuple[PlannedFinding, ...]:
        """The findings of the last lock in their order, then those that were left out when results could be known."""
        own = [self._planned(entry, len(self.locks) - 1) for entry in self.last.plan.findings]
        return (*own, *self._dropped().values())

    def _planned(self, entry: PlannedEntry, at: int, dropped: PlanLock | None = None) -> PlannedFinding:
        """Return an entry of the lock at this place, with the lock from which on it is unchanged."""
        plan, since = self.locks[at].plan, self.locks[at]
        for lock in reversed(self.locks[: at + 1]):
            before = lock.entry(entry.meant)
            if before is None or before.margin != entry.margin or lock.plan.rules != plan.rules:
                break
            since = lock
        return PlannedFinding(entry.meant, entry.margin, plan.level, since, dropped)

    def _dropped(self) -> dict[tuple[object, ...], PlannedFinding]:
        dropped = {}
        for at, later in enumerate(self.locks[1:]):
            for entry in self.locks[at].plan.findings if later.known.results else ():
                if later.entry(entry.meant) is None and self.last.entry(entry.meant) is None:
                    dropped[entry.meant.key] = self._planned(entry, at, later)
        return dropped

    def place(self, finding: Finding) -> int | None:
        """Return the place among the entries of the first that is about a finding; None where it was not planned."""
        return next((at for at, entry in enumerate(self.entries) if entry.meant.is_about(finding)), None)

    def before_scoring(self, finding: Finding) -> bool:
        """Return whether a finding was planned before any result could be known."""
        return any(entry.before_scoring and entry.meant.is_about(finding) for entry in self.entries)

    def of(self, entry: PlannedFinding, findings: Sequence[Finding]) -> list[Finding]:
        return [finding for finding in findings if entry.meant.is_about(finding)]


# ---- Results


def shown(finding: Finding, level: float) -> bool | None:
    """Return whether its adjusted p shows what it asks for; None where it has no test or no number."""
    p = finding.p if finding.p_adjusted is None else finding.p_adjusted
    return None if p is None or finding.estimate is None else p <= level and not doubted(finding)


def within_margin(finding: Finding, margin: float | None) -> str | None:
    """Return "inside" where the whole interval lies within the margin, "outside" where none of it does, else "open".

    The margin is around the value without bias: null ± margin, or of a ratio null ÷ margin to null × margin. None where
    no margin was planned, or there is no interval, no value without bias, or a factor of at most 1.
    """
    null, interval = null_value(finding), finding.interval
    if margin is None or null is None or interval is None or (is_ratio(finding) and margin <= 1):
        return None
    low, high = (null / margin, null * margin) if is_ratio(finding) else (null - margin, null + margin)
    if low <= interval.low and interval.high <= high:
        return "inside"
    return "outside" if interval.high < low or interval.low > high else "open"


def why_missing(entry: PlannedFinding, findings: Sequence[Finding]) -> str:
    """Return why no finding is what an entry names: none of its kind was made, or what of its name no finding has."""
    if not any(finding.id == entry.meant.id for finding in findings):
        return f"there is no {entry.meant.id} among what was measured."
    return entry.meant.why_none(findings, ASKER)


MARGIN_WORDS = {
    "inside": "within the margin of {margin}: too small to matter",
    "outside": "beyond the margin of {margin}",
    "open": "whether it matters (margin {margin}) stays open",
}


def result_words(entry: PlannedFinding, finding: Finding) -> str:
    """Return the result of a planned finding in words: “shown; beyond the margin of 0.2”."""
    if finding.estimate is None:
        return f"not computed: {finding.reason}"
    found, margin = shown(finding, entry.level), within_margin(finding, entry.margin)
    if finding.id.endswith(ALIKE):
        parts = ["no test" if found is None else "alike" if found else "not shown to be alike"]
    else:
        parts = ["no test" if found is None else "shown" if found else "not shown"]
    if margin is not None:
        parts.append(MARGIN_WORDS[margin].format(margin=f"{entry.margin:g}"))
    elif entry.margin is not None:
        parts.append("its margin of {margin} cannot be applied".format(margin=f"{entry.margin:g}"))
    return "; ".join(parts)


def planned_json(plan: StudyPlan, findings: Sequence[Finding], recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of an answer about the plan, and its findings with what was planned of each."""
    entries = [
        {
            "finding": entry.meant.text, "margin": entry.margin, "level": entry.level,
            "before_scoring": entry.before_scoring, "planned_at": entry.since.at,
            "dropped_at": entry.dropped.at if entry.dropped else None, "findings": len(own),
            "reason": None if own else why_missing(entry, findings),
        }
        for entry in plan.entries
        for own in [plan.of(entry, findings)]
    ]  # fmt: skip
    planned = {
        **plan.last.to_json(), "locks": [lock.to_json() for lock in plan.locks], "findings": entries,
        "exploratory": sum(plan.place(finding) is None for finding in findings),
        "measured_under_it": recipe.get(RECIPE_KEY) == plan.last.sha256, "troubles": list(plan.troubles),
    }  # fmt: skip
    return {"planned": planned, "findings": [_finding_json(plan, finding) for finding in findings]}


def _finding_json(plan: StudyPlan, finding: Finding) -> dict[str, Any]:
    place = plan.place(finding)
    if place is None:
        return finding.to_json() | {"planned": None}
    entry = plan.entries[place]
    return finding.to_json() | {
        "planned": {
            "place": place + 1, "before_scoring": entry.before_scoring, "margin": entry.margin,
            "within_margin": within_margin(finding, entry.margin), "shown": shown(finding, entry.level),
        }
    }  # fmt: skip


RECIPE_KEY = "analysis_plan"  # of a recipe: the hash of the plan under which it was measured


# ---- In sentences


def state_sentences(plan: StudyPlan, recipe: Mapping[str, Any] | None = None) -> Iterator[str]:
    """Yield when the plan was locked and what was known then, each later lock, and what departs from the plan.

    `recipe`: of the findings; None where nothing was measured.
    """
    first, *later = plan.locks
    when, known = when_words(first.at), known_words(first.known)
    yield f"The analysis plan was locked on {when}, {known} SHA-256 of its file: {first.sha256}."
    for before, lock in zip(plan.locks, later, strict=False):
        when, known = when_words(lock.at), known_words(lock.known)
        yield f"Amended on {when}, {known} {_changes(before.plan, lock.plan)} SHA-256: {lock.sha256}."
    yield from plan.troubles
    if recipe is not None:
        yield from _departures(plan, recipe)


def short_state(plan: StudyPlan) -> str:
    """Return the state of a plan in one or two short sentences, for a line of the window."""
    first, entries = plan.locks[0], plan.entries
    when = "before scoring" if not first.known.results else "when results could be known"
    later = len(plan.locks) - 1
    amended = ", amended {n}".format(n="once" if later == 1 else f"{later} times")
    words = "Analysis plan locked on {when}, {known}{amended}: {n}.".format(
        when=when_words(first.at), known=when, amended=amended if later else "",
        n="1 entry" if len(entries) == 1 else f"{len(entries)} entries",
    )  # fmt: skip
    return " ".join((words, *plan.troubles))


def known_words(known: Known) -> str:
    """Return what was known when a plan was locked, as the end of a sentence."""
    if not known.results:
        written = "{n} were there".format(n=_counted(known.texts, "text")) if known.texts else "none was there"
        return f"before any text was scored or judged ({written})."
    parts = [
        "{scored} of {texts} scored".format(scored=digits.count(known.scored), texts=_counted(known.texts, "text")),
        *([_counted(known.judgments, "judgment")] if known.judgments else []),
        *([_counted(known.findings, "finding")] if known.findings else []),
    ]
    return "when results could be known already: {parts}.".format(parts=", ".join(parts))


def when_words(stamp: str) -> str:
    return f"{datetime.fromisoformat(stamp):%d %B %Y at %H:%M} UTC".lstrip("0")


def _changes(before: AnalysisPlan, after: AnalysisPlan) -> str:
    old, new = ({entry.finding for entry in plan.findings} for plan in (before, after))
    margins = {entry.finding: entry.margin for entry in before.findings}
    moved = [
        entry.finding for entry in after.findings if entry.finding in old and margins[entry.finding] != entry.margin
    ]
    parts = [
        *(["added {names}".format(names=", ".join(sorted(new - old)))] if new - old else []),
        *(["left out {names}".format(names=", ".join(sorted(old - new)))] if old - new else []),
        *(["another margin for {names}".format(names=", ".join(moved))] if moved else []),
    ]
    for name, one, other in (
        ("level", before.level, after.level), ("number of texts", before.texts, after.texts),
        ("exclusions", ", ".join(before.exclusions), ", ".join(after.exclusions)),
    ):  # fmt: skip
        if one != other:
            parts.append(
                "{name} changed from {one} to {other}".format(name=name, one=one or "none", other=other or "none")
            )
    changes = "; ".join(parts)
    return f"{changes[:1].upper()}{changes[1:]}." if parts else "Only its words changed."


def _departures(plan: StudyPlan, recipe: Mapping[str, Any]) -> Iterator[str]:
    if recipe.get(RECIPE_KEY) != plan.last.sha256:
        yield "These findings were not measured under this plan as it is locked: measure again."
    planned, rows = plan.last.plan.texts, int(recipe.get("rows", 0))
    if planned is not None and rows != planned:
        yield f"{digits.count(planned)} texts were planned, {digits.count(rows)} were read."
    if other := [f"{name.replace('_', ' ')} {_option(value)}" for name, value in recipe.get("asked", {}).items()]:
        yield "Measured with options that the plan does not name: {names}.".format(names="; ".join(other))
    if later := int(recipe.get(LATER_RATERS, 0)):
        yield "{raters} left out after the plan was locked.".format(
            raters="1 rater was" if later == 1 else f"{digits.count(later)} raters were"
        )


def _option(value: Any) -> str:
    values = [f"{key}={each}" for key, each in value.items()] if isinstance(value, Mapping) else value
    return ", ".join(map(str, values)) if isinstance(values, list | tuple) else str(values)


LATER_RATERS = "raters_left_out_after_lock"  # of a recipe: how many


def _counted(number: int, what: str) -> str:
    return f"{digits.count(number)} {what}{'' if number == 1 else 's'}"


# ---- The first page of a report


def planned_blocks(plan: StudyPlan, findings: Sequence[Finding], recipe: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the state of the plan, each planned finding with its result, and how many others are exploratory."""
    for sentence in state_sentences(plan, recipe):
        yield said(sentence, soft=True)
    rows = list(planned_rows(plan, findings))
    header = ("Planned", "Estimate and interval", "p adjusted", "Result")
    yield ReportTable(header, tuple(rows[:MOST_ROWS]), (0.4, 0.22, 0.1, 0.28))
    if (more := len(rows) - MOST_ROWS) > 0:
        yield said(f"{digits.count(more)} more planned findings are in the JSON answer.", soft=True)
    yield ReportParagraph((Run(exploratory_sentence(plan, findings), bold=True),), small=True)


def planned_rows(plan: StudyPlan, findings: Sequence[Finding]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name, estimate with interval, adjusted p and result of each planned finding, in the planned order."""
    for number, entry in enumerate(plan.entries, start=1):
        status = _status(entry)
        own = plan.of(entry, findings)
        if not own:
            why = why_missing(entry, findings)
            yield f"{number}. {entry.meant.text}{status}", "–", "–", f"not computed: {why}"
        for finding in own:
            estimate, interval = digits.of_finding(finding)
            number_text = f"{estimate} ({interval})" if interval else estimate
            dims = ", ".join(value for value in finding.shown_dims.values() if value and value not in finding.title)
            name = f"{number}. {finding.title}{f' ({dims})' if dims else ''}{status}"
            yield name, number_text, digits.p_text(finding.p_adjusted), result_words(entry, finding)


def _status(entry: PlannedFinding) -> str:
    if entry.dropped is not None:
        return f" – left out of the plan on {when_words(entry.dropped.at)}"
    return "" if entry.before_scoring else " – planned late"


def exploratory_sentence(plan: StudyPlan, findings: Sequence[Finding]) -> str:
    """Return how many findings were not planned, and among which p was adjusted."""
    others = sum(plan.place(finding) is None for finding in findings)
    planned = [finding for finding in findings if finding.p is not None and plan.before_scoring(finding)]
    family = (
        "p of what was planned before scoring is adjusted among those findings alone."
        if planned
        else "As nothing was planned before results could be known, p is adjusted as without a plan."
    )
    return f"{'Not planned, exploratory: {n}.'.format(n=_counted(others, 'other finding'))} {family}"
