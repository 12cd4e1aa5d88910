"""Adding a round to a plan: the next comparisons are those of which the answers so far leave the most unknown.

A plan of rounds begins with balanced comparisons. Each later round is drawn among texts that were not compared yet: of
a ranking, by the information that a comparison adds to the pairs that are still open (`core.judging.blocks`); of axes
whose identities are all shown, more in the tasks with the widest intervals. It follows from the plan's seed, the number
of the round and the judgments in force, so that the same data give the same round, and it changes no earlier one.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biasprint.core.compute import ComputeProcess, shared
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.blocks import Standing
from biasprint.core.judging.carefulness import exclusions, unswayed
from biasprint.core.judging.looking import note_shown, sessions_to_ask
from biasprint.core.judging.plan import PlanSettings, SoFar, draw_plan
from biasprint.core.metrics.anytime import share_band
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, PlanRow, SessionRow
from biasprint.core.project.stores.common import canonical_json
from biasprint.core.runs.compare.drawing import gather_pool, specs_of, with_stored_texts
from biasprint.core.runs.compare.pool import CompareRequest
from biasprint.core.studies.creativity.columns import judgment_columns
from biasprint.core.studies.creativity.rankings import standing_of

KEPT = "The plan is as it was."
SMALLEST_PART = 0.5  # of an even share of a round, which every task keeps


@dataclass(frozen=True)
class NextRound:
    """A round that was drawn, or that would be. `answers`: how many it follows from. `locked`: raters whose sessions
    here are revealed, who are asked no more. `out`: raters whose packet is still out, with its round.

    `least`: what is certain and what is least known; it names no identity while somebody rates this project here.
    """

    plan_id: str
    number: int
    comparisons: Mapping[str, int]
    answers: int
    locked: tuple[str, ...]
    least: str
    out: Mapping[str, int]

    @property
    def words(self) -> str:
        """Return one sentence for each fact, for the window and the command line."""
        many = sum(self.comparisons.values())
        drawn = f"Round {self.number}: {many:,} comparison{'s' * (many != 1)}, drawn from {self.answers:,} answers."
        locked = f" Not for {', '.join(self.locked)}: their sessions are revealed and locked." if self.locked else ""
        out = f" {_still_out(self.out)} Their answers are kept and merged when they come." if self.out else ""
        return f"{drawn} {self.least}{locked}{out}"


def next_round(
    ctx: JobContext,
    project: Project,
    plan_id: str,
    *,
    anyway: bool = False,
    store: bool = True,
    compute: ComputeProcess | None = None,
) -> NextRound:
    """Draw the next round of a plan and append it; `store` False: say what it would be.

    `anyway`: also while packets of an earlier round are out. Their answers are kept and merged when they come, but this
    round does not follow from them. Raises UsageError for a plan that is drawn at once, AppError where none of the
    last round is answered, packets are out, or no texts are left.
    """
    plan = next(row for row in project.judging.plans() if row.id == plan_id)
    settings = PlanSettings.of(plan.settings)
    if not settings.adaptive:
        raise UsageError(
            "All comparisons of this plan were drawn at once.",
            kept=KEPT,
            hint="Draw a plan in rounds: “biasprint compare FILE --axis A --adaptive 30”.",
        )
    rows = project.judging.comparisons(plan_id)
    sessions = _counted_sessions(project, plan_id)
    _check_answered(project, sessions, rows, settings)
    out = packets_out(project, plan_id)
    if out and store and not anyway:
        raise AppError(
            _still_out(out),
            kept=KEPT,
            hint=f"Wait for them; or draw round {len(settings.rounds) + 1} anyway (--anyway): their answers are kept "
            "and merged when they come, only this round is chosen without them.",
        )
    kind = next(study for study in project.studies.all() if study.id == plan.study_id)
    asked = plan.settings["request"]
    request = CompareRequest(kind, tuple(asked["axes"]), tuple(asked["models"]), plan.seed, settings.cards)
    compute = compute or shared()
    pool = gather_pool(ctx, project, request, settings.kind, compute)
    whole = [axis for axis, names in pool.axes.items() if not 0 < settings.cards < len(names)]
    judged = judgment_columns(project, sessions, compared=True)
    known = compute.call(
        least_known, {name: tuple(values) for name, values in judged.items()}, pool.axes, whole, ctx=ctx
    )
    cells = sorted({(row.axis, row.task) for row in rows if row.axis in whole})
    tasks = dealt_over_tasks(known.counts, pool.axes, cells, settings.adaptive * len(whole))
    number, seed = len(settings.rounds) + 1, _seed(project, sessions, plan, len(settings.rounds) + 1)
    drawn = draw_plan(
        pool.candidates, pool.axes, per_axis=settings.adaptive, seed=seed, repeat_share=settings.repeat_share,
        cards=settings.cards, so_far=SoFar([(row.axis, row.items) for row in rows], known.standings, tasks),
    )  # fmt: skip
    if not drawn.comparisons:
        raise AppError(
            "Every text that the plan can compare is in it.", kept=KEPT, hint="Have more texts written first."
        )
    if store:
        drawn = with_stored_texts(project, plan.study_id, pool, drawn)
        project.judging.add_round(plan_id, specs_of(drawn, len(rows)))
    least = "Identities are not named while somebody rates here." if sessions_to_ask(project) else known.least
    if least == known.least:
        note_shown(project, "what is least known, with the next round")
    counts = Counter(comparison.axis for comparison in drawn.comparisons)
    return NextRound(plan_id, number, counts, len(judged["comparison"]), _locked(project, sessions), least, out)


def packets_out(project: Project, plan_id: str) -> dict[str, int]:
    """Return the raters whose packet did not come back finished, by code, each with the packet's round."""
    codes = {row.id: row.code for row in project.judging.raters()}
    mine = [(row, int(row.manifest.get("round", 1))) for row in project.packets.all() if row.plan_id == plan_id]
    back = {(row.rater_id, of) for row, of in mine if row.direction == "merged" and row.manifest["finished"]}
    made = [(row.rater_id, of) for row, of in mine if row.direction == "made"]
    return {codes[rater]: of for rater, of in made if (rater, of) not in back}


# ---- What the answers tell


@dataclass(frozen=True)
class LeastKnown:
    """`standings`: of ranked axes. `counts`: of the others, how often each identity was chosen, by axis and task."""

    standings: Mapping[str, Standing]
    counts: Mapping[tuple[str, str], Mapping[str, int]]
    least: str


def least_known(
    columns: Mapping[str, Sequence[Any]], axes: Mapping[str, Sequence[str]], whole: Sequence[str]
) -> LeastKnown:
    """Return what the judgments of a plan tell of each axis, in the compute process."""
    standings, least = {}, []
    for axis in sorted(set(axes) - set(whole)):
        standings[axis], words = standing_of({**columns}, axis, tuple(axes[axis]))
        least.append(words)
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    cells = zip(*(columns[name] for name in ("axis", "task", "outcome", "chosen", "repeat_of")), strict=True)
    for axis, task, outcome, chosen, repeat_of in cells:
        if axis in whole and outcome == "choice" and not repeat_of:
            counts[axis, task][chosen] += 1
    if counts:
        (axis, task), widest = max(((cell, _widest(of)) for cell, of in counts.items()), key=lambda each: each[1][1])
        low, high = widest[2]
        where = ", ".join(filter(None, (axis, task)))
        least.append(
            f"Least known: how often “{widest[0]}” is chosen ({where}): {100 * low:.0f} to {100 * high:.0f} %."
        )
    plain = {cell: dict(chosen) for cell, chosen in counts.items()}  # what leaves the compute process
    return LeastKnown(standings, plain, " ".join(filter(None, least)))


def _widest(chosen: Mapping[str, int]) -> tuple[str, float, tuple[float, float]]:
    """Return the identity whose share has the widest interval, how wide it is, and the interval."""
    n = sum(chosen.values())
    bands = [(name, share_band(count, n)) for name, count in sorted(chosen.items())]
    name, band = max(bands, key=lambda each: each[1].high - each[1].low)
    return name, band.high - band.low, (band.low, band.high)


def dealt_over_tasks(
    counts: Mapping[tuple[str, str], Mapping[str, int]],
    axes: Mapping[str, Sequence[str]],
    cells: Sequence[tuple[str, str]],
    many: int,
) -> dict[str, dict[str, int]]:
    """Deal out so many comparisons over cells (axis, task), by axis: every cell keeps half of an even share, the rest
    goes where an identity's interval is widest, as if each further comparison were answered like those before.

    counts: how often each identity was chosen in a cell; axes: the identities of each axis.
    """
    dealt = {cell: int(SMALLEST_PART * many / len(cells)) for cell in cells}
    each = {cell: {name: counts.get(cell, {}).get(name, 0) for name in axes[cell[0]]} for cell in cells}

    def width(cell: tuple[str, str]) -> float:
        chosen, n = each[cell], sum(each[cell].values())
        total = n + dealt[cell]
        shares = [count / n if n else 1 / len(chosen) for count in chosen.values()]
        bands = [share_band(min(share * total, total), total) for share in shares]
        return max(band.high - band.low for band in bands)

    widths = {cell: width(cell) for cell in cells}
    for _ in range(many - sum(dealt.values()) if cells else 0):
        cell = max(cells, key=lambda one: (widths[one], one))
        dealt[cell] += 1
        widths[cell] = width(cell)
    return {axis: {task: number for (of, task), number in dealt.items() if of == axis} for axis, _ in cells}


# ---- The project: whose answers count, who is still asked, and the rows


def _counted_sessions(project: Project, plan_id: str) -> list[SessionRow]:
    out = exclusions(project)
    return [row for row in project.judging.sessions() if row.plan_id == plan_id and row.rater_id not in out]


def _check_answered(
    project: Project, sessions: Sequence[SessionRow], rows: Sequence[ComparisonRow], settings: PlanSettings
) -> None:
    latest = {row.id for row in rows if settings.round_of(row.position) == len(settings.rounds)}
    if not any(judgment.comparison_id in latest for row in sessions for judgment in project.judging.judgments(row.id)):
        raise AppError(
            f"Nobody has answered a comparison of round {len(settings.rounds)}: nothing tells what to ask next.",
            kept=KEPT,
            hint="Let raters judge it, or merge their packets first.",
        )


def _still_out(out: Mapping[str, int]) -> str:
    rounds = sorted(set(out.values()))
    of = f"round {rounds[0]}" if len(rounds) == 1 else f"rounds {', '.join(map(str, rounds))}"
    return f"Packets of {of} are still out ({', '.join(sorted(out))})."


def _locked(project: Project, sessions: Sequence[SessionRow]) -> tuple[str, ...]:
    away, codes = project.judging.packet_sessions(), {row.id: row.code for row in project.judging.raters()}
    return tuple(codes[row.rater_id] for row in sessions if row.revealed_at is not None and row.id not in away)


def _seed(project: Project, sessions: Sequence[SessionRow], plan: PlanRow, number: int) -> int:
    """Return a seed that follows from the plan's seed, the round, and the judgments in force."""
    answers = sorted(
        canonical_json([row.comparison_id, session.rater_id, row.outcome, row.chosen, row.worst])
        for session in sessions
        for row in unswayed(project, session.id)
    )
    text = canonical_json([plan.seed, number, *answers])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")
