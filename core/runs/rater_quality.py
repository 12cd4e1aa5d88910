"""The dashboard of raters: progress, time to pay for, hidden checks, agreement, flags, exclusions.

It shows no identity and no answer. Of a session that is open on this machine it shows only the number of answers, until
the reveal. People of workshops and models are not in it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

import numpy as np

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.assignment import asked_number
from biasprint.core.judging.carefulness import (
    Exclusion,
    GivenChoice,
    RaterFlag,
    ReadToEnd,
    WithOthers,
    exclusions,
    flags,
    read_to_end,
    shown_before,
    unswayed,
    with_others,
    without_seal,
)
from biasprint.core.judging.known import ANSWERED, CheckResult, PracticeResult, check_result, practice_result
from biasprint.core.judging.looking import looked_before
from biasprint.core.judging.packets.decisions import PacketState, packets
from biasprint.core.judging.plan import CHECK, RIGHT, PlanKind, PlanSettings, plan_names
from biasprint.core.judging.store import seconds_left
from biasprint.core.judging.workshop import participants
from biasprint.core.metrics.agreement import (
    FEWEST_RATERS,
    NOT_ASKED,
    Abilities,
    Ability,
    Agreement,
    by_known_answers,
    by_the_others,
    krippendorff_alpha,
    nobody_agrees,
    raw_agreement,
    undefined,
)
from biasprint.core.metrics.proportions import wilson
from biasprint.core.metrics.result import Ints
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, JudgmentRow, PlanRow, RaterRow, SessionRow, TextKey
from biasprint.core.texts.values import text_lengths

# ---- Plans, raters and their progress

Where = Literal["here", "away", "partly", "finished", "counted"]  # this machine, or how the packet stands


@dataclass(frozen=True)
class RaterState:
    """A rater's progress with a plan. `done`: comparisons answered or skipped.

    While a session is open on this machine, only `done` is shown: `skipped` and `active_seconds` are None. `unsealed`:
    a file was merged by a decision although the seal of the packet is missing.
    """

    code: str
    model: bool
    where: Where
    open: bool
    comparisons: int
    done: int
    skipped: int | None
    active_seconds: float | None
    session_id: str
    unsealed: bool = False
    seconds_left: float | None = None  # at the pace of what came back; None where that is not known

    @property
    def answered(self) -> int | None:
        return None if self.skipped is None else self.done - self.skipped

    @property
    def left(self) -> int:
        return max(0, self.comparisons - self.done)


@dataclass(frozen=True)
class PlanState:
    """A plan with its raters. Of a workshop `raters` is empty: how many took part is all that anybody learns."""

    id: str
    title: str
    axis: str
    kind: PlanKind
    workshop: bool
    comparisons: int  # hidden repeats among them
    repeats: int
    taking_part: int
    finished: int
    raters: tuple[RaterState, ...]
    rounds: int = 0  # drawn so far; 0 where all comparisons were drawn at once


class RaterStates:
    """Reads them from an open project; what can never change of a plan is read once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._repeats: dict[tuple[str, int], frozenset[str]] = {}  # by plan and its rounds
        self._asked: dict[str, int] = {}  # by session and round
        self._answered: frozenset[str] = frozenset()  # sessions; read again each time

    def read(self, ctx: JobContext) -> tuple[PlanState, ...]:
        """Return every plan, the oldest first."""
        raters = {row.id: row for row in self._project.judging.raters()}
        sessions = self._project.judging.sessions()
        packets = _packets(self._project)
        self._answered = self._project.judging.answered_sessions()
        plans = self._project.judging.plans()
        names = plan_names(self._project, plans)
        return tuple(
            self._plan(
                ctx,
                plan,
                names[plan.id],
                [session for session in sessions if session.plan_id == plan.id],
                raters,
                packets,
            )
            for plan in plans
        )

    def _plan(
        self,
        ctx: JobContext,
        plan: PlanRow,
        name: str,
        sessions: Sequence[SessionRow],
        raters: Mapping[str, RaterRow],
        packets: Mapping[str, PacketState],
    ) -> PlanState:
        ctx.check()
        settings = PlanSettings.of(plan.settings)
        # Packets that are made together have one time: their codes tell them apart.
        by_time = sorted(sessions, key=lambda session: (session.opened_at, raters[session.rater_id].code))
        listed = [] if settings.workshop else by_time
        return PlanState(
            id=plan.id,
            title=name,
            axis=plan.axis,
            kind=settings.kind,
            workshop=settings.workshop,
            comparisons=self._project.judging.count(plan.id),
            repeats=len(self._repeats_of(plan.id, len(settings.rounds))),
            taking_part=len(sessions),
            finished=sum(row.revealed_at is not None and row.id in self._answered for row in sessions),
            raters=tuple(self._rater(ctx, plan, row, raters[row.rater_id], packets.get(row.id)) for row in listed),
            rounds=len(settings.rounds),
        )

    def _rater(
        self, ctx: JobContext, plan: PlanRow, session: SessionRow, rater: RaterRow, packet: PacketState | None
    ) -> RaterState:
        ctx.check()
        model, is_open = rater.kind == "model", session.revealed_at is None
        key = f"{session.id} {len(PlanSettings.of(plan.settings).rounds)}"  # a plan may grow by rounds
        if key not in self._asked:
            self._asked[key] = asked_number(self._project, plan, rater)
        wanted = self._asked[key] if packet is None else packet.comparisons
        rows = [row for row in self._project.judging.judgments(session.id) if row.outcome != "undone"]
        judged = {row.comparison_id for row in rows}
        skipped = len(judged - {row.comparison_id for row in rows if row.outcome != "skip"})
        secret = is_open and not model and packet is None
        left = max(0, wanted - len(judged))
        timed = is_open and not (secret or model)
        return RaterState(
            code=rater.code,
            model=model,
            where="here" if packet is None else packet.state,
            open=is_open,
            comparisons=wanted,
            done=len(judged),
            skipped=None if secret else skipped,
            active_seconds=None if secret else sum(row.active_seconds for row in rows),
            session_id=session.id,
            unsealed=packet is not None and packet.unsealed,
            seconds_left=seconds_left(left, [row.active_seconds for row in rows]) if timed else None,
        )

    def _repeats_of(self, plan_id: str, rounds: int) -> frozenset[str]:
        key = (plan_id, rounds)
        if key not in self._repeats:
            rows = self._project.judging.each_comparison(plan_id)
            self._repeats[key] = frozenset(row.id for row in rows if row.repeat_of is not None)
        return self._repeats[key]


def _packets(project: Project) -> dict[str, PacketState]:
    """Return the state of the packets, by session; the last one where a session has several."""
    return {packet.session_id: packet for packet in packets(project)}


SECONDS_AN_HOUR = 3600


@dataclass(frozen=True)
class RaterCard:
    """One person over all plans. `asked`, `done`: comparisons, skipped ones done too; `open`: sessions on this machine
    whose answers are hidden.

    `hours`: active time, the practice round with it, without pauses of more than two minutes; of sessions that are open
    here nothing is in it. `checks`, `reading`, `agreement`, both abilities and `flags` rest on revealed sessions alone,
    but for the flags that identities were shown before, and that a packet came without its seal.
    """

    rater_id: str
    code: str
    asked: int
    done: int
    open: int
    hours: float
    practice: PracticeResult | None
    checks: CheckResult
    reading: ReadToEnd
    agreement: WithOthers
    flags: tuple[RaterFlag, ...]
    known: Ability
    others: Ability
    exclusion: Exclusion | None = None


@dataclass(frozen=True)
class HardComparisons:
    """`split`: in how many comparisons no text got more than half of the choices, of `n` in which three people or more
    chose. `checks`: of each hidden check that is harder than the others beyond chance, right answers and answers.
    """

    split: int = 0
    n: int = 0
    checks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class RaterOverview:
    """A card for everybody, and what is hard for them."""

    cards: tuple[RaterCard, ...]
    hard: HardComparisons


@dataclass
class _RaterAnswers:
    """The answers of one person's revealed sessions."""

    given: list[GivenChoice] = field(default_factory=list)
    checks: CheckResult = field(default_factory=lambda: CheckResult(0, 0))
    chosen: dict[str, str] = field(default_factory=dict)  # by comparison, before any look and without repeats
    checked: dict[str, bool] = field(default_factory=dict)  # by hidden check: was it right


def rater_cards(ctx: JobContext, project: Project) -> tuple[RaterCard, ...]:
    """Return a card for everybody who began or has a packet, by code."""
    return rater_overview(ctx, project).cards


def rater_overview(ctx: JobContext, project: Project) -> RaterOverview:
    """Return a card for everybody who began or has a packet, by code, and which comparisons are hard."""
    states: defaultdict[str, list[RaterState]] = defaultdict(list)
    for plan in RaterStates(project).read(ctx):
        for rater in plan.raters:
            if not rater.model:
                states[rater.code].append(rater)
    people = {row.code: row for row in project.judging.raters() if row.code in states}
    own, axis_of = _revealed(ctx, project, tuple(people.values()))
    out, before = exclusions(project), looked_before(project)
    # Whoever is left out is no measure for the others, and is measured by them all the same.
    counting = {code: own[code].chosen for code, row in people.items() if row.id not in out}
    known, others, hard = _abilities(own, [code for code in people if code in counting])
    cards = []
    for code, row in sorted(people.items()):
        ctx.check()
        agreement = with_others(code, {**counting, code: own[code].chosen}, axis_of)
        places = sorted({where for state in states[code] for where in before.get(state.session_id, ())})
        abilities = known[code], others[code]
        cards.append(_card(project, row, states[code], own[code], agreement, abilities, out.get(row.id), places))
    return RaterOverview(tuple(cards), hard)


# ---- Ability, and what is hard


def _abilities(
    own: Mapping[str, _RaterAnswers], counting: Sequence[str]
) -> tuple[dict[str, Ability], dict[str, Ability], HardComparisons]:
    """Return everybody's ability by known answers and by the others, and what is hard for those who count.

    Whoever is left out is added to those who count, one at a time.
    """
    known: dict[str, Ability] = {}
    others: dict[str, Ability] = {}
    hard = HardComparisons()
    cards = {given.comparison: given.cards for answers in own.values() for given in answers.given}
    for more in (None, *(code for code in own if code not in counting)):
        codes = [*counting, *([] if more is None else [more])]
        if not codes:
            continue
        by_check, checked = _by_known({code: own[code].checked for code in codes}, cards)
        answers, of_items = _given_cards({code: own[code].chosen for code in codes}, cards)
        by_others = by_the_others(answers, of_items)
        asked = codes if more is None else [more]
        known |= dict(zip(asked, by_check.raters[-len(asked) :], strict=True))
        others |= dict(zip(asked, by_others.raters[-len(asked) :], strict=True))
        if more is None:
            split = len(nobody_agrees(answers))
            hard = HardComparisons(split, int(((answers != NOT_ASKED).sum(axis=0) >= FEWEST_RATERS).sum()), checked)
    return known, others, hard


def _by_known(
    checked: Mapping[str, Mapping[str, bool]], cards: Mapping[str, int]
) -> tuple[Abilities, tuple[tuple[int, int], ...]]:
    """Return abilities by hidden checks, and of those harder than the others right answers and answers."""
    items = sorted({check for of_rater in checked.values() for check in of_rater})
    answers = np.full((len(checked), len(items)), NOT_ASKED, dtype=np.int64)
    for at, of_rater in enumerate(checked.values()):
        for place, item in enumerate(items):
            if item in of_rater:
                answers[at, place] = int(of_rater[item])
    found = by_known_answers(answers, np.ones(len(items), dtype=np.int64), _numbers([cards[item] for item in items]))
    hard = tuple((item.right, item.n) for item in found.items if item is not None and item.high < 0)
    return found, hard


def _given_cards(chosen: Mapping[str, Mapping[str, str]], cards: Mapping[str, int]) -> tuple[Ints, Ints]:
    """Return the cards that raters chose, numbered as they come up: (raters, comparisons), and how many there were."""
    items = sorted({comparison for of_rater in chosen.values() for comparison in of_rater})
    answers = np.full((len(chosen), len(items)), NOT_ASKED, dtype=np.int64)
    for place, item in enumerate(items):
        number: dict[str, int] = {}
        for at, of_rater in enumerate(chosen.values()):
            if item in of_rater:
                answers[at, place] = number.setdefault(of_rater[item], len(number))
    return answers, _numbers([cards[item] for item in items])


def _numbers(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)


TASTE = "This is agreement, not correctness: whoever has another taste agrees less, and is no worse a rater for it."


def ability_words(card: RaterCard) -> list[str]:
    """Return what is known of a rater's ability, a sentence each, and no more than its interval allows."""
    told = []
    if card.checks.asked:
        told.append(_known_words(card.known))
    if card.others.value is None:
        told.append(f"Ability by agreement with the others cannot be told: {card.others.reason}.")
    else:
        told.append(_against_chance(card.others, "Agrees with the others", "agrees with the others"))
    return told


def _known_words(ability: Ability) -> str:
    if ability.value is None:
        return f"Ability by hidden checks cannot be told: {ability.reason}."
    return _against_chance(ability, "Answers hidden checks right", "answers hidden checks right")


def _against_chance(ability: Ability, does: str, whether: str) -> str:
    value, bounds, right = ability.value, ability.interval, ability.right
    assert value is not None
    assert right is not None
    chance = f"chance gives {1 / ability.cards:.0%}"
    if bounds is None:
        return f"{does} in {right:.0%} of usual comparisons ({chance}), n = {ability.n}; {ability.reason}."
    figures = (
        f"in {right:.0%} ({ability.at(bounds.low):.0%} to {ability.at(bounds.high):.0%}) of usual comparisons, where "
        f"{chance}: ability {_signed(value)} ({_signed(bounds.low)} to {_signed(bounds.high)}), n = {ability.n}."
    )
    if bounds.low > 0:
        return f"{does} more often than chance, {figures}"
    if bounds.high < 0:
        return f"{does} less often than chance, {figures}"
    return f"It is open whether this rater {whether} more often than chance: {figures}"


def _signed(value: float) -> str:
    return f"{value:.1f}".replace("-", "−")


def hard_words(hard: HardComparisons) -> list[str]:
    """Return which comparisons nobody agrees on, and which hidden checks most fail, a sentence each."""
    told: list[str] = []
    if (bounds := wilson(hard.split, hard.n)) is not None:
        told.append(
            f"Nobody agrees on {hard.split} of {hard.n} comparisons ({hard.split / hard.n:.0%}, {bounds.low:.0%} to "
            f"{bounds.high:.0%}): no text got more than half of three choices or more."
        )
    for right, n in hard.checks:
        told.append(
            f"A hidden check is harder than the others, {right} of {n} right: look whether its answer is clear."
        )
    return told


def person_called(project: Project, code: str) -> RaterRow:
    """Return the person with this code. Raises UsageError for a model, a workshop's participant, or nobody."""
    rater = next((row for row in project.judging.raters() if row.code == code), None)
    if rater is None or rater.kind != "person" or code in participants(project):
        raise UsageError(
            f"There is no rater “{code}” to decide on.",
            hint="Name a person’s code; models, and the people of workshops, are not left out one by one.",
        )
    return rater


def _card(
    project: Project,
    row: RaterRow,
    states: Sequence[RaterState],
    own: _RaterAnswers,
    agreement: WithOthers,
    abilities: tuple[Ability, Ability],
    exclusion: Exclusion | None,
    before: Collection[str],
) -> RaterCard:
    practised = [
        practised_result
        for state in states
        if (practised_result := practice_result(project, state.session_id)) is not None
    ]
    seconds = sum(state.active_seconds or 0.0 for state in states) + sum(state.seconds for state in practised)
    return RaterCard(
        rater_id=row.id,
        code=row.code,
        asked=sum(state.comparisons for state in states),
        done=sum(state.done for state in states),
        open=sum(state.active_seconds is None for state in states),
        hours=seconds / SECONDS_AN_HOUR,
        practice=_together(practised),
        checks=own.checks,
        reading=read_to_end(own.given),
        agreement=agreement,
        flags=(
            *flags(own.given, own.checks, agreement),
            *shown_before(before),
            *without_seal(any(state.unsealed for state in states)),
        ),
        known=abilities[0],
        others=abilities[1],
        exclusion=exclusion,
    )


def _together(practised: Sequence[PracticeResult]) -> PracticeResult | None:
    if not practised:
        return None
    return PracticeResult(
        sum(result.right for result in practised),
        sum(result.of for result in practised),
        sum(result.seconds for result in practised),
    )


def _revealed(
    ctx: JobContext, project: Project, people: Sequence[RaterRow]
) -> tuple[dict[str, _RaterAnswers], dict[str, str]]:
    """Return the answers of these people's revealed sessions, by code; and the axis of every comparison in them."""
    codes = {row.id: row.code for row in people}
    by_code = {code: _RaterAnswers() for code in codes.values()}
    axis_of: dict[str, str] = {}
    sessions: defaultdict[str, list[SessionRow]] = defaultdict(list)
    for session in project.judging.sessions():
        if session.revealed_at is not None and session.rater_id in codes:
            sessions[session.plan_id].append(session)
    for plan_id, its in sessions.items():
        ctx.check()
        rows = {row.id: row for row in project.judging.comparisons(plan_id)}
        words = text_lengths(project, rows.values())
        axis_of |= {row.id: row.axis for row in rows.values()}
        for session in its:
            _add(by_code[codes[session.rater_id]], rows, words, project.judging.judgments(session.id))
    return by_code, axis_of


def _add(
    own: _RaterAnswers,
    rows: Mapping[str, ComparisonRow],
    words: Mapping[TextKey, int],
    judgments: Sequence[JudgmentRow],
) -> None:
    checks = check_result(rows.values(), judgments)
    own.checks = CheckResult(own.checks.asked + checks.asked, own.checks.passed + checks.passed)
    for judgment in judgments:
        row = rows[judgment.comparison_id]
        if judgment.outcome == "undone":
            continue
        choice = _given(row, judgment, words)
        own.given.append(choice)
        if row.axis == CHECK and judgment.outcome in ANSWERED:
            own.checked[row.id] = choice.identity == RIGHT
        if choice.counts and choice.identity and not judgment.seen and judgment.recommended is None:
            own.chosen[row.id] = choice.identity


def _given(row: ComparisonRow, judgment: JudgmentRow, words: Mapping[TextKey, int]) -> GivenChoice:
    return GivenChoice(
        comparison=row.id,
        axis=row.axis,
        outcome=judgment.outcome,
        identity="" if judgment.chosen is None else row.items[judgment.chosen].identity,
        place=None if judgment.chosen is None else judgment.shown.index(judgment.chosen),
        cards=len(row.items),
        words=sum(words.get(item.key, 0) for item in row.items),
        seconds=judgment.active_seconds,
        counts=row.repeat_of is None and row.axis != CHECK,
        read=judgment.read_to_end,
    )


# ---- Agreement while packets come back


@dataclass(frozen=True)
class AgreementSoFar:
    """The agreement of a plan's people by now, over the comparisons that two or more of them chose in.

    `raw`: the chance that two of them, drawn at random, chose the same text; `chance`: what it is if nobody reads.
    `alpha`: Krippendorff's α, of plans over one axis. `finished` people count; `out`: sessions that do not yet.
    """

    raw: Agreement
    alpha: Agreement | None
    chance: float | None
    finished: int
    out: int


def agreement_so_far(ctx: JobContext, project: Project, plan_id: str, compute: ComputeProcess) -> AgreementSoFar:
    """Return the agreement of a plan's finished sessions; people who are left out, and hidden repeats, do not count."""
    people = {row.id for row in project.judging.raters() if row.kind == "person"} - exclusions(project).keys()
    sessions = [row for row in project.judging.sessions() if row.plan_id == plan_id and row.rater_id in people]
    finished = [row for row in sessions if row.revealed_at is not None]
    rows = {row.id: row for row in project.judging.comparisons(plan_id) if row.repeat_of is None and row.axis != CHECK}
    chosen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    raters: set[str] = set()
    for session in finished:
        ctx.check()
        for judgment in unswayed(project, session.id):
            row = rows.get(judgment.comparison_id)
            if row is not None and judgment.chosen is not None:
                chosen[row.id][row.items[judgment.chosen].identity] += 1
                raters.add(session.rater_id)
    shared = {key: counts for key, counts in chosen.items() if counts.total() > 1}
    found = (len(raters), len(sessions) - len(finished))
    if not shared:
        few = f"it needs two who finished the same comparisons, and {len(raters) or 'nobody'} did so far"
        return AgreementSoFar(undefined(few), None, None, *found)
    identities = sorted({identity for counts in shared.values() for identity in counts})
    table = np.array([[counts[identity] for identity in identities] for counts in shared.values()])
    raw = compute.call(raw_agreement, table, ctx=ctx)
    one_axis = len({rows[key].axis for key in shared}) == 1
    alpha = compute.call(krippendorff_alpha, table, ctx=ctx) if one_axis else None
    return AgreementSoFar(raw, alpha, fmean(1 / len(rows[key].items) for key in shared), *found)
