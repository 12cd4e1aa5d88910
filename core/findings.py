"""A finding: one number with everything needed to judge it. JSON keys are a contract: docs/reference/findings.md."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

JSON_VERSION = 1
DIRECTIONS = {"SAI": "the person is given (SAI)", "ASA": "the trait is given (ASA)"}  # of completion
Variant = Literal["default", "as_published"]
MATCHED_UNITS = "matched blocks are the units"  # of a note: what n counts
NO_WIDTH = "interval: nothing varies between the units, so that it would have no width"
_THESE = re.compile(r"holds for (?:these (\d+) raters|this rater) only")
_BLOCKS = re.compile(r"over (\d+) matched blocks")
_MARGIN = re.compile(r"interval within ±(\d[\d.e+-]*):")
_LEAST = re.compile(r"p cannot be below (\d[\d.]*\d)")
BETWEEN_GENERATORS = ".between_generators"  # how the id of a difference between two generators ends
OF_GROUPS = (
    "of_groups"  # its dim that says of which groups the finding is, where several of its id differ in them alone
)


@dataclass(frozen=True)
class Interval:
    """`high` of a ratio is infinite where the data exclude no ratio above `low`; JSON has null then."""

    low: float
    high: float
    level: float
    method: str

    @property
    def holds_at_every_look(self) -> bool:
        """True where its level stays however often one looks while texts or answers come in."""
        return "anytime-valid" in self.method


@dataclass(frozen=True)
class Adjustment:
    """The method by which p was adjusted for many tests, and the tests it was adjusted among."""

    method: str
    family: str


@dataclass(frozen=True)
class Effect:
    name: str
    value: float


@dataclass(frozen=True)
class Floor:
    """The values of a measure of spread when there is no bias at all: mean, 95th percentile, and p against it."""

    mean: float
    p95: float
    p: float


@dataclass(frozen=True)
class Power:
    """The smallest effect this many items detect at power 0.8, and the n that the planned effect needs."""

    detectable: float | None
    n_for_planned: int | None


@dataclass(frozen=True)
class ScorerUse:
    """A scorer behind a number; `stand_in` where the paper's own was absent."""

    role: str
    name: str
    version: str
    sha256: str | None = None
    stand_in: bool = False


@dataclass(frozen=True)
class InWording:
    """The same number, measured in one wording of the prompts alone.

    `side` of the value without bias on which its interval lies: above, below, or none of both; None where there is no
    such value. `reason`: why there is no number.
    """

    wording: str
    estimate: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    side: Literal["above", "below", "none"] | None = None
    reason: str | None = None


@dataclass(frozen=True)
class OverWordings:
    """Variation of a number over the wordings of the prompts.

    `measured`: in how many it has a value; `holds`: in how many of these its interval lies on the same side of no bias
    as the whole one does; None where that lies on no side. `beyond_chance`: the share of the variance between wordings
    that the numbers' own errors do not explain. `like_these`: an interval of the mean over wordings like these, while
    the finding's own interval is for these alone.
    """

    each: tuple[InWording, ...]
    measured: int
    holds: int | None = None
    lowest: float | None = None
    highest: float | None = None
    beyond_chance: float | None = None
    like_these: Interval | None = None


@dataclass(frozen=True)
class Finding:
    """One number of a study.

    `groups[0]` is the numerator of a ratio or the first term of a difference. Percentage points are proportions.
    A key of `dims` is absent where the finding is pooled over it. `estimate` is None where the number is undefined,
    and `reason` then says why; a missing interval is explained there too, with the prefix "interval: ". An interval
    without a width is none: nothing varied that it could be made of. A number that is not finite is removed together
    with its details, and the finding reports this: JSON has no such number, so that one of them would end the whole
    measurement. Only the upper end of a ratio's interval may be infinite.
    """

    id: str
    label: str
    title: str
    groups: tuple[str, ...]
    estimate: float | None
    unit: str
    n: int
    dims: Mapping[str, str] = field(default_factory=dict)
    variant: Variant = "default"
    reason: str | None = None
    interval: Interval | None = None
    n_by_group: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    p: float | None = None
    p_adjusted: float | None = None
    adjust: Adjustment | None = None
    effect: Effect | None = None
    contrast: Mapping[str, float] | None = None
    floor: Floor | None = None
    floor_subtracted: float | None = None
    power: Power | None = None
    scorers: tuple[ScorerUse, ...] = ()
    harm: str = ""
    source: str = ""
    note: str = ""
    wordings: OverWordings | None = None

    def __post_init__(self) -> None:
        if self.estimate is None and not self.reason:
            raise ValueError(f"{self.id} {self.label}: an undefined estimate needs a reason")
        if self.interval is not None and self.interval.low == self.interval.high:
            object.__setattr__(self, "interval", None)
            object.__setattr__(self, "reason", self.reason or NO_WIDTH)
        if not all(map(_can_be_told, _numbers(vars(self)))):
            for name, value in _without_endless(vars(self)).items():
                object.__setattr__(self, name, value)

    @property
    def shown_dims(self) -> Mapping[str, str]:
        """The dims as they are read: directions in words, without the model where the generator's name says it, and
        without groups, which the title names."""
        generator = self.dims.get("generator", "")
        return {
            name: DIRECTIONS.get(value, value) if name == "direction" else value
            for name, value in self.dims.items()
            if name != OF_GROUPS and (name != "model" or value not in generator)
        }

    def to_json(self) -> dict[str, Any]:
        """The contract's keys, plain values only; `wordings` where prompts had several."""
        data = asdict(self)
        if self.wordings is None:
            del data["wordings"]
        if self.interval is not None and math.isinf(self.interval.high):
            data["interval"]["high"] = None
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Finding":
        """Build a finding from the result of `to_json`. Raise ValueError for no finding, or an invalid number in it."""

        def build(kind: type, value: Any) -> Any:
            return None if value is None else kind(**value)

        try:
            fields = dict(data)
            fields["groups"] = tuple(fields["groups"])
            fields["scorers"] = tuple(ScorerUse(**use) for use in fields["scorers"])
            if fields["interval"] is not None and fields["interval"]["high"] is None:
                fields["interval"] = {**fields["interval"], "high": math.inf}
            for key, kind in (("interval", Interval), ("adjust", Adjustment), ("effect", Effect), ("floor", Floor)):
                fields[key] = build(kind, fields[key])
            fields["power"] = build(Power, fields["power"])
            if (wordings := fields.get("wordings")) is not None:
                each = tuple(InWording(**one) for one in wordings["each"])
                beyond = build(Interval, wordings["like_these"])
                fields["wordings"] = OverWordings(**{**wordings, "each": each, "like_these": beyond})
            _check(fields)
            finding = cls(**fields)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError("this is no finding") from error
        return finding


# ---- What a note says that its answer depends on


def for_these(raters: int) -> str:
    """A sentence of a note: the result is about these few raters and about no others."""
    return f"It holds for these {raters} raters only." if raters != 1 else "It holds for this rater only."


def raters_meant(finding: Finding) -> int | None:
    """The number of raters that a finding is about and about no others; None where it is about more."""
    said = _THESE.search(finding.note)
    return None if said is None else int(said[1] or 1)


def tests_adjusted_for(finding: Finding) -> int | None:
    """The number of tests that its p was adjusted among, by its family's name; None where that says none."""
    family = finding.adjust.family if finding.adjust else ""
    counted = re.search(r"(\d+) tested", family) or re.search(r"(\d+) tests?\b", family)
    last = re.findall(r"\d+", family)
    return int(counted[1]) if counted else int(last[-1]) if last else None


def mirrored(findings: Sequence[Finding]) -> Mapping[int, Finding]:
    """By the identity of a tested finding the one that it mirrors: what one of two groups gains, the other loses.

    The two are one fact with one test, so that they count once; the first of them is the one that counts.
    """
    alike: dict[tuple[Any, ...], list[Finding]] = {}
    for finding in findings:
        if finding.p is not None and finding.estimate is not None and len(finding.groups) == 1:
            key = (finding.id, finding.variant, finding.n, tuple(sorted(finding.dims.items())))
            alike.setdefault(key, []).append(finding)
    pairs = [own for own in alike.values() if len(own) == 2 and own[0].groups != own[1].groups]
    return {
        id(second): first
        for first, second in pairs
        if math.isclose(first.estimate or 0.0, -(second.estimate or 0.0), rel_tol=1e-9, abs_tol=1e-12)
    }


def compared_values(finding: Finding) -> tuple[float, float] | None:
    """The two ratios of two generators whose quotient a finding is, by its note; None for all other findings."""
    said = _QUOTIENT.search(finding.note) if finding.id.endswith(BETWEEN_GENERATORS) else None
    values = (float(said[1]), float(said[2])) if said else (0.0, 0.0)
    return values if min(values) > 0 else None


def matched_blocks(finding: Finding) -> int | None:
    """In how many matched blocks its items are, by how its interval was made; None where they are not matched."""
    said = None if finding.interval is None else _BLOCKS.search(finding.interval.method)
    return None if said is None else int(said[1])


def alike_margin(finding: Finding) -> float | None:
    """The margin that a finding asks about whether groups are alike; None for all other findings."""
    said = _MARGIN.search(finding.note)
    return None if said is None else float(said[1])


def too_few_to_tell(least: float, most: float = 0.05) -> str:
    """A sentence of a note where even the smallest p that there can be is above `most`; else empty."""
    return f" With so few units p cannot be below {least:.3f}." if least > most else ""


def least_possible_p(finding: Finding) -> float | None:
    """The smallest p that so few units can give, where it is too large to show anything; else None."""
    said = _LEAST.search(finding.note)
    return None if said is None else float(said[1])


# ---- Choices of the analysis under which it was measured again: the last sentences of a note


@dataclass(frozen=True)
class Tried:
    """The choices, in words, under which a finding is significant on the same side as well, and the others."""

    holds: tuple[str, ...]
    fails: tuple[str, ...]


NOTHING_TO_TRY = "Nothing else could be tried with what is stored."


def tried_sentence(holds: Sequence[str], fails: Sequence[str]) -> str:
    """Word the choices for the end of a note."""
    if not (holds or fails):
        return NOTHING_TO_TRY
    number = len(holds) + len(fails)
    parts = [f"Tried under {number} {'choice' if number == 1 else 'choices'}."]
    parts += [f"It holds {_separated(holds)}."] if holds else []
    parts += [f"It fails {_separated(fails)}."] if fails else []
    return " ".join(parts)


def tried(finding: Finding) -> Tried | None:
    """The choices under which it was measured again; None where nobody asked."""
    if finding.note.endswith(NOTHING_TO_TRY):
        return Tried((), ())
    said = _TRIED.search(finding.note)
    if said is None:
        return None
    holds, fails = ((part or "").split(BETWEEN_CHOICES) if part else [] for part in said.group(1, 2))
    return Tried(tuple(holds), tuple(fails))


BETWEEN_CHOICES = "; "
_QUOTIENT = re.compile(r"The quotient of (\S+) and (\S+) ")
_TRIED = re.compile(r"Tried under \d+ choices?\.(?: It holds (.+?)\.)?(?: It fails (.+?)\.)?$")


def _separated(choices: Sequence[str]) -> str:
    return BETWEEN_CHOICES.join(" ".join(choice.replace(BETWEEN_CHOICES, ", ").split()) for choice in choices)


# ---- The same number, with the errors of the scorer that counted it: a sentence of a note


@dataclass(frozen=True)
class ScorerError:
    """A number corrected for the known errors of its scorer, with an interval that carries them.

    `value` and the ends are None where the errors leave nothing to be known. `doubted`: does the finding alone show
    a difference (or likeness), and this interval does not?
    """

    sensitivity: str
    present: int
    specificity: str
    absent: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    doubted: bool = False


def error_sentence(error: ScorerError, reason: str = "") -> str:
    """Word the number with its scorer's error for a note, without a dash that could be a minus."""
    rates = f"sensitivity {error.sensitivity} of {error.present}, specificity {error.specificity} of {error.absent}"
    if error.value is None or error.low is None or error.high is None:
        result = f"nothing is known: {reason}"
    else:
        result = f"it is {_signed(error.value)}, interval {_signed(error.low)} to {_signed(error.high)}"
    return f"With the scorer’s error ({rates}) {result}.{f' {DOUBTED}' if error.doubted else ''}"


def scorer_error(finding: Finding) -> ScorerError | None:
    """The number with its scorer's error; None where no error of the scorer is known."""
    said = _ERROR.search(finding.note)
    if said is None:
        return None
    value, low, high = (None if text is None else float(text.replace("−", "-")) for text in said.group(5, 6, 7))
    return ScorerError(said[1], int(said[2]), said[3], int(said[4]), value, low, high, DOUBTED in finding.note)


DOUBTED = "So what this number shows is not known with the scorer’s error."
_NUMBER = r"(−?\d+\.\d+)"
_ERROR = re.compile(
    r"With the scorer’s error \(sensitivity (\d?\.\d+) of (\d+), specificity (\d?\.\d+) of (\d+)\) "
    rf"(?:it is {_NUMBER}, interval {_NUMBER} to {_NUMBER}|nothing is known)"
)


def _signed(value: float) -> str:
    return f"{value:.4f}".replace("-", "−")


LARGEST = 1e300  # in absolute value: nothing that was measured is larger, and not every larger whole number is a float
ENDLESS = "no finite number"
OF_ESTIMATE = ("interval", "p", "p_adjusted", "effect", "contrast", "floor", "floor_subtracted", "power")
IN_WORDS = {"p_adjusted": "adjusted p", "floor_subtracted": "estimate minus the floor"}


def _inside(fields: Mapping[str, Any]) -> list[Any]:
    parts = (fields.get(name) for name in ("interval", "effect", "floor", "power", "adjust"))
    return [value for part in parts if part is not None for value in vars(part).values()]


def _numbers(fields: Mapping[str, Any]) -> list[Any]:
    mappings = (fields.get(name) or {} for name in ("contrast", "n_by_group", "dropped"))
    wordings: OverWordings | None = fields.get("wordings")
    parts = (wordings, wordings.like_these, *wordings.each) if wordings else ()
    return [
        *(value for part in parts if part for value in vars(part).values() if isinstance(value, int | float)),
        *(fields.get(name) for name in ("n", "estimate", "p", "p_adjusted", "floor_subtracted")),
        *(value for each in mappings for value in each.values()),
        *(value for value in _inside(fields) if not isinstance(value, str) and not _is_open(fields, value)),
    ]


def _is_open(fields: Mapping[str, Any], value: Any) -> bool:
    """Return whether the value is the infinite end of a ratio's interval."""
    interval = fields.get("interval")
    return value == math.inf and interval is not None and interval.high == value and "ratio" in str(fields["unit"])


def _can_be_told(value: Any) -> bool:
    return not isinstance(value, int | float) or abs(value) <= LARGEST


def _without_endless(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return replacements for fields with a number that is not finite. Such an estimate loses all its details."""
    if not _can_be_told(fields["estimate"]):
        return {"estimate": None, "reason": f"it is {ENDLESS}", "adjust": None, **dict.fromkeys(OF_ESTIMATE)}
    unit = fields["unit"]
    left_out = [n for n in OF_ESTIMATE if not all(map(_can_be_told, _numbers({"unit": unit, n: fields[n]})))]
    changed: dict[str, Any] = dict.fromkeys(left_out)
    if {"p", "p_adjusted"} & changed.keys():
        changed |= {"p_adjusted": None, "adjust": None}
    if "interval" in changed and not fields["reason"]:
        changed["reason"] = f"interval: an end of it is {ENDLESS}"
    names = ", ".join(IN_WORDS.get(name, name) for name in left_out)
    return {**changed, "note": f"{fields['note']} Left out, as it is {ENDLESS}: {names}.".strip()}


def _check(fields: Mapping[str, Any]) -> None:
    """Raise TypeError where a text is no text, or a number no number that can be shown and reckoned with."""
    texts = (
        *(fields.get(name, "") for name in ("id", "label", "title", "unit", "variant", "harm", "source", "note")),
        fields.get("reason") or "", *fields["groups"], *fields.get("dims", {}).values(),
        *(use.name for use in fields["scorers"]), *(use.role for use in fields["scorers"]),
        *(value for value in _inside(fields) if isinstance(value, str)),
    )  # fmt: skip
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{text!r:.40} is no text")
    for value in _numbers(fields):
        if value is not None and not (isinstance(value, int | float) and abs(value) <= LARGEST):
            raise TypeError("there is a number that is none")


@dataclass(frozen=True)
class StudyResult:
    """The result of measuring a study: `rows` read, `dropped` by reason, and the findings."""

    study: str
    rows: int
    dropped: Mapping[str, int]
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "version": JSON_VERSION,
            "study": self.study,
            "rows": self.rows,
            "dropped": dict(self.dropped),
            "findings": [finding.to_json() for finding in self.findings],
        }
