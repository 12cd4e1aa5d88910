"""Raters who may not have read: flags, each with the figures it rests on, and what is excluded for a stored reason.

A flag is a reason to look, never a verdict: nobody is left out by one. Each is set only where so many answers can tell
it; how often careful raters get one by chance is in docs/tables/statistics-simulations.md. Everything here is counted
from values, without scipy: the window's threads call it.

An exclusion deletes nothing. Each decision is an annotation that supersedes the one before, so that who or what was
left out, why and when stays in the project. Measures leave excluded raters out and say how many (`tellable_sessions`);
the main findings with everybody are shown beside them. One rule is about answers, of all raters: those that were given
before the end of every text was in view. Answers without such a record stay.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import NormalDist, fmean, stdev
from typing import Literal

from biasprint.core.errors import UsageError
from biasprint.core.judging.known import CheckResult
from biasprint.core.metrics.proportions import wilson
from biasprint.core.metrics.result import LEVEL, Bounds
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import JudgmentRow
from biasprint.core.project.specs import AnnotationSpec

EXCLUSION = "exclusion"
EXCLUDED, UNREAD = "rater left out", "not read to the end"  # why a judgment is left out
UNREAD_TEXTS = "unread texts"  # what the rule's annotations are about, in place of a rater
LONGEST_REASON = 500


@dataclass(frozen=True)
class Exclusion:
    """A decision on a rater; `excluded` is False where they were counted again."""

    rater_id: str
    excluded: bool
    reason: str
    at: str


def exclude(project: Project, rater_id: str, reason: str) -> Changes:
    """Leave a rater out from now on, or with UNREAD_TEXTS the answers given too early. Raises UsageError without a
    reason.
    """
    if not reason.strip() or len(reason) > LONGEST_REASON:
        raise UsageError(
            "Raters and answers are left out for a reason.", kept="Everything counts as before.",
            hint=f"Write it in at most {LONGEST_REASON} characters: it is stored, and told with the findings.",
        )  # fmt: skip
    return _decide(project, rater_id, {"excluded": True, "reason": " ".join(reason.split())})


def include(project: Project, rater_id: str, reason: str = "") -> Changes:
    """Count a rater, or with UNREAD_TEXTS those answers, again."""
    return _decide(project, rater_id, {"excluded": False, "reason": " ".join(reason[:LONGEST_REASON].split())})


def exclusions(project: Project) -> dict[str, Exclusion]:
    """Return the raters who are left out now, by id."""
    decided = (_exclusion(row.target, row.value, row.created_at) for row in project.annotations.of_kind(EXCLUSION))
    return {decision.rater_id: decision for decision in decided if decision.excluded}


def unread_rule(project: Project) -> Exclusion | None:
    """Return the decision by which answers given before the end of every text was in view are left out, if it holds."""
    return exclusions(project).get(UNREAD_TEXTS)


def unswayed(project: Project, session_id: str) -> tuple[JudgmentRow, ...]:
    """Return a session's judgments in force that measures pool: made before any look at identities, beside no
    recommendation, and not left out by the rule on unread texts.
    """
    rule = unread_rule(project) is not None
    rows = (row for row in project.judging.judgments(session_id) if not row.seen and row.recommended is None)
    return tuple(row for row in rows if not (rule and row.read_to_end is False))


def decisions_on(project: Project, rater_id: str) -> tuple[Exclusion, ...]:
    """Return every decision on a rater, the oldest first."""
    rows = project.annotations.of_kind(EXCLUSION, target=rater_id, superseded=True)
    return tuple(_exclusion(row.target, row.value, row.created_at) for row in rows)


def excluded_codes(project: Project) -> dict[str, str]:
    """Return the reason for every excluded rater, by code."""
    out = exclusions(project)
    return {row.code: out[row.id].reason for row in project.judging.raters() if row.id in out}


def _decide(project: Project, rater_id: str, value: dict[str, object]) -> Changes:
    before = project.annotations.of_kind(EXCLUSION, target=rater_id)
    spec = AnnotationSpec(kind=EXCLUSION, target=rater_id, value=value, supersedes=before[-1].id if before else None)
    return project.annotations.add(spec)


def _exclusion(rater_id: str, value: object, at: str) -> Exclusion:
    assert isinstance(value, dict)
    return Exclusion(rater_id, bool(value["excluded"]), str(value["reason"]), at)


# ---- Flags

FlagKey = Literal["speed", "same answer", "side", "checks", "agreement", "unread", "looked", "unsealed"]


@dataclass(frozen=True)
class GivenChoice:
    """One answer in force, in the order in which a rater gave them.

    `place`: of the chosen card, from 0, and `identity` what it stood for; None and "" without a choice. `words`: on
    all of its cards. `counts`: whether it is no hidden repeat and no check. `read`: whether the end of every text was
    in view before; None where nothing was recorded.
    """

    comparison: str
    axis: str
    outcome: str
    identity: str
    place: int | None
    cards: int
    words: int
    seconds: float
    counts: bool = True
    read: bool | None = None


@dataclass(frozen=True)
class RaterFlag:
    """A sign of carelessness, in a sentence with its figures."""

    key: FlagKey
    said: str


# ---- Speed: by the words on the cards, whatever this rater's usual time is
# Silent reading of English takes 175 to 300 words a minute, 238 on average (Brysbaert 2019). Ten words a second are two
# and a half times the average: nobody has read all of it.
FASTEST = 10.0  # words a second
LEAST_SECONDS = 1.0
FEWEST_TIMED = 5
SOME = 0.1  # a flag needs more than this share of the answers, as far as their number tells


def too_quick(given: Sequence[GivenChoice]) -> RaterFlag | None:
    """Flag answers given sooner than the cards can be read, where the Wilson interval of their share lies above
    SOME.
    """
    timed = [choice for choice in given if choice.seconds > 0 and choice.outcome != "skip"]
    quick = sum(choice.seconds < max(LEAST_SECONDS, choice.words / FASTEST) for choice in timed)
    bounds = wilson(quick, len(timed))
    if bounds is None or len(timed) < FEWEST_TIMED or bounds.low <= SOME:
        return None
    return RaterFlag("speed", f"{quick} of {len(timed)} answers came sooner than the texts can be read "
                              f"({_interval(bounds)}): more than {FASTEST:g} words a second.")  # fmt: skip


# ---- Straight-lining: the same card again and again, although the order of the cards is counterbalanced

RUN_CHANCE = 0.001
FEWEST_SAME = 10


def same_answer(given: Sequence[GivenChoice]) -> RaterFlag | None:
    """Flag a run of one card that chance gives to fewer than RUN_CHANCE of careful raters; or hardly ever a choice."""
    answered = [choice for choice in given if choice.outcome != "skip"]
    without = sum(choice.place is None for choice in answered)
    if len(answered) >= FEWEST_SAME and without >= 0.9 * len(answered):
        return RaterFlag("same answer", f"{without} of {len(answered)} answers are a tie or “none is good”.")
    run, card, longest = 0, -1, (0, -1)
    for choice in answered:
        run = run + 1 if choice.place is not None and choice.place == card else int(choice.place is not None)
        card = -1 if choice.place is None else choice.place
        longest = max(longest, (run, card))
    length, card = longest
    if length < 2:
        return None
    chance = run_chance(length, len(answered), min(choice.cards for choice in answered))
    if chance >= RUN_CHANCE:
        return None
    return RaterFlag("same answer", f"Card {_letter(card)} was chosen {length} times in a row of {len(answered)} "
                                    f"answers; chance gives this to {_chance(chance)} raters.")  # fmt: skip


def run_chance(length: int, n: int, cards: int) -> float:
    """Return the chance that one of `cards` equally likely answers comes `length` times or more in a row within n.

    By the distribution of the present run: it grows with 1/cards and starts again otherwise.
    """
    if n < length:
        return 0.0
    runs = [0.0] * length  # by the length of the present run; those that reached `length` have left
    runs[1 % length] = 1.0 if length > 1 else 0.0
    for _ in range(n - 1):
        ended = sum(runs[1:]) * (cards - 1) / cards
        runs = [0.0, ended, *(run / cards for run in runs[1:-1])] if length > 1 else runs
    return 1 - sum(runs[1:])


# ---- Side: one place among the cards is chosen too often

SIDE_CHANCE = 0.01


def one_side(given: Sequence[GivenChoice]) -> RaterFlag | None:
    """Flag the place chosen most often, where chance alone gives so many to fewer than SIDE_CHANCE (exact,
    Bonferroni).
    """
    by_cards: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for choice in given:
        if choice.place is not None and choice.counts:
            by_cards[choice.cards][choice.place] += 1
    rater_flags = []
    for cards, places in by_cards.items():
        (place, many), n = places.most_common(1)[0], places.total()
        rater_flags.append((cards * len(by_cards) * tail(many, n, 1 / cards), cards, place, many, n))
    if not rater_flags or (best := min(rater_flags))[0] >= SIDE_CHANCE:
        return None
    chance, cards, place, many, n = best
    bounds = wilson(many, n)
    assert bounds is not None
    return RaterFlag("side", f"Card {_letter(place)} of {cards} was chosen {many} of {n} times ({_interval(bounds)}); "
                             f"chance gives this to {_chance(chance)} raters.")  # fmt: skip


def tail(many: int, n: int, share: float) -> float:
    """Return P(X ≥ many) of a binomial X, exact."""
    return sum(comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(many, n + 1))


# ---- Hidden checks

FEWEST_FAILED = 2


def failed_checks(result: CheckResult) -> RaterFlag | None:
    """Flag two failed checks or more, where the Wilson interval of their share lies above SOME: one may be a slip."""
    failed, bounds = result.asked - result.passed, wilson(result.asked - result.passed, result.asked)
    if bounds is None or failed < FEWEST_FAILED or bounds.low <= SOME:
        return None
    return RaterFlag("checks", f"{failed} of {result.asked} hidden checks were failed ({_interval(bounds)}).")


# ---- Ends that were never on the screen


@dataclass(frozen=True)
class ReadToEnd:
    """Answers that came before the end of every text was in view, of `n`; `unrecorded` more have no such record."""

    unread: int
    n: int
    unrecorded: int = 0

    @property
    def interval(self) -> Bounds | None:
        """The Wilson interval of unread / n; None where n is 0."""
        return wilson(self.unread, self.n)


def read_to_end(given: Sequence[GivenChoice]) -> ReadToEnd:
    """Count the answers, skipped comparisons left aside, by whether their texts were read to the end."""
    read = [choice.read for choice in given if choice.outcome != "skip"]
    return ReadToEnd(read.count(False), len(read) - read.count(None), read.count(None))


def unread_ends(reading: ReadToEnd) -> RaterFlag | None:
    """Flag answers given before the end of every text was in view, where the Wilson interval of their share lies above
    SOME.
    """
    bounds = reading.interval
    if bounds is None or reading.n < FEWEST_TIMED or bounds.low <= SOME:
        return None
    return RaterFlag("unread", f"{reading.unread} of {reading.n} answers came before the end of every text was on the "
                               f"screen ({_interval(bounds)}).")  # fmt: skip


# ---- Agreement with the others, beyond chance

FEWEST_SHARED = 20
FAR_BELOW = 3.0  # standard errors
Chosen = Mapping[str, Mapping[str, str]]  # by rater, by comparison: the identity chosen


@dataclass(frozen=True)
class WithOthers:
    """Cohen's κ of a rater with the others, over the comparisons that both chose in; None with a reason.

    `interval`: a jackknife over comparisons, for these others. `below`: by how many standard errors this rater's
    agreement with the others lies below that of the others among each other, on the same comparisons.
    """

    kappa: float | None
    n: int
    interval: Bounds | None = None
    reason: str = ""
    below: float | None = None


def with_others(rater: str, chosen: Chosen, axis_of: Mapping[str, str]) -> WithOthers:
    """Return κ = (p_o − p_e) / (1 − p_e): p_o the mean over comparisons of the share of others who chose the same; p_e
    from this rater's shares and the others', on each axis, every comparison weighing alike.

    With one other rater it is Cohen's κ (1960); with several the others of a comparison count as one rater.
    """
    own = chosen.get(rater, {})
    lines = []
    for comparison, identity in own.items():
        others = [choices[comparison] for name, choices in chosen.items() if name != rater and comparison in choices]
        if others:
            lines.append((axis_of[comparison], identity, Counter(others)))
    if not lines:
        return WithOthers(None, 0, reason="nobody else chose in the same comparisons")
    sums = _Sums(lines)
    kappa = sums.kappa()
    if kappa is None:
        return WithOthers(None, len(lines), reason="every choice fell on the same identity")
    if len(lines) < FEWEST_SHARED:
        return WithOthers(kappa, len(lines), reason=f"interval: fewer than {FEWEST_SHARED} comparisons")
    bounds = _jackknifed(lines, sums, kappa)
    reason = "interval: the comparisons do not differ" if bounds is None else ""
    return WithOthers(kappa, len(lines), bounds, reason, _below(lines))


def low_agreement(agreement: WithOthers) -> RaterFlag | None:
    """Flag agreement far below the others' own: more than differences in taste explain."""
    if agreement.below is None or agreement.kappa is None or agreement.below <= FAR_BELOW:
        return None
    bounds = (
        f" ({agreement.interval.low:.2f} to {agreement.interval.high:.2f})" if agreement.interval is not None else ""
    )
    return RaterFlag("agreement", f"Agrees with the others less than they do with each other: κ = {agreement.kappa:.2f}"
                                  f"{bounds}, {agreement.n} comparisons.")  # fmt: skip


_Line = tuple[str, str, Counter[str]]  # axis, own identity, the others'


class _Sums:
    """The sums that κ is computed from, so that leaving one comparison out costs little."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        self._observed, self._n = 0.0, len(lines)
        self._own: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._others: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        for axis, identity, others in lines:
            self._own[axis][identity] += 1
            self._observed += others[identity] / others.total()
            for name, many in others.items():
                self._others[axis][name] += many / others.total()
        self._expected = {axis: self._of_axis(axis) for axis in self._own}

    def kappa(self, without: _Line | None = None) -> float | None:
        observed, n, expected = self._observed, self._n, sum(self._expected.values())
        if without is not None:
            axis, identity, others = without
            observed -= others[identity] / others.total()
            expected += self._of_axis(axis, without) - self._expected[axis]
            n -= 1
        return None if n - expected < 1e-9 else (observed - expected) / (n - expected)

    def _of_axis(self, axis: str, without: _Line | None = None) -> float:
        own, others = self._own[axis], self._others[axis]
        n = own.total() - (without is not None)
        if n == 0:
            return 0.0
        if without is None:
            return sum(many * others[name] for name, many in own.items()) / n
        _, identity, peers = without
        return sum(
            (many - (name == identity)) * (others[name] - peers[name] / peers.total()) for name, many in own.items()
        ) / n  # fmt: skip


def _jackknifed(lines: Sequence[_Line], sums: _Sums, kappa: float) -> Bounds | None:
    n = len(lines)
    values = [value for line in lines if (value := sums.kappa(line)) is not None]
    if len(values) < n or max(values) - min(values) < 1e-12:
        return None
    mean = fmean(values)
    error = sqrt((n - 1) / n * sum((value - mean) ** 2 for value in values))
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * error * sqrt(n / (n - 3))
    return Bounds(max(-1.0, kappa - half), min(1.0, kappa + half), "jackknife over comparisons")


def _below(lines: Sequence[_Line]) -> float | None:
    """Return by how many standard errors this rater's agreement lies below the others' own; None with too few to
    tell.
    """
    differences = []
    for _, identity, others in lines:
        m = others.total()
        if m >= 2:
            among = sum(many * (many - 1) for many in others.values()) / (m * (m - 1))
            differences.append(others[identity] / m - among)
    n = len(differences)
    if n < FEWEST_SHARED or len(set(differences)) == 1:
        return None
    return -fmean(differences) / (stdev(differences) / sqrt(n))


# ---- Looks before the session; whoever wrote the texts has them too


def shown_before(places: Collection[str]) -> tuple[RaterFlag, ...]:
    """Flag that identities were shown before a session of this rater began. `places`: the panels and commands."""
    if not places:
        return ()
    said = "Identities of the texts were shown on this computer before the rating began, in"
    return (RaterFlag("looked", f"{said} {', '.join(f'“{place}”' for place in places)}."),)


def without_seal(unsealed: bool) -> tuple[RaterFlag, ...]:
    """Flag that answers came in a file that nothing shows to be this rater's."""
    said = "Answers came in a file without the seal of this rater’s packet, and were merged by a recorded decision."
    return (RaterFlag("unsealed", said),) if unsealed else ()


# ---- All flags


def flags(given: Sequence[GivenChoice], checks: CheckResult, agreement: WithOthers) -> tuple[RaterFlag, ...]:
    """Return the flags that a rater has."""
    candidates: Iterable[RaterFlag | None] = (
        too_quick(given), same_answer(given), one_side(given), failed_checks(checks), low_agreement(agreement),
        unread_ends(read_to_end(given)),
    )  # fmt: skip
    return tuple(flag for flag in candidates if flag is not None)


def _interval(bounds: Bounds) -> str:
    return f"95 % interval {100 * bounds.low:.0f} to {100 * bounds.high:.0f} %"


def _letter(place: int) -> str:
    return "ABCDEFGH"[place]


def _chance(chance: float) -> str:
    return "fewer than 1 in 10,000" if chance < 1e-4 else f"{max(1, round(10_000 * chance))} in 10,000"
