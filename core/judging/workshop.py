"""The rules of a workshop: many people, one after another on one machine, and nobody reaches another's answers.

A participant has a random code that nobody sees. Whoever leads the workshop sees how many began and finished, and what
they chose together, in steps of `GROUP_FROM` people (core.runs.fingerprint.group_of); never one person's.
"""

import hashlib
import hmac
import math
import secrets
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, count

from biasprint.core.errors import AppError
from biasprint.core.judging.carefulness import exclusions
from biasprint.core.judging.fingerprint import GROUP_FROM, PLANNED
from biasprint.core.judging.packets.decisions import seats_in_conflict
from biasprint.core.judging.plan import CHECK, PlanSettings, workshops_among
from biasprint.core.judging.planner import Chance, JudgingDesign, plan_power
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import Refused
from biasprint.core.language import tr
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, JudgmentRow, PlanRow, RaterRow, SessionRow

USUAL_COMPARISONS = 20
MIXED_COMPARISONS = 7  # on each of three axes: as many in all
SIGNS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is taken for another
CODE_SIGNS = 10  # 31 ** 10: nobody meets another's by chance, or guesses one
TYPED_DIGITS = 8  # of a code that is typed on a phone: one guess in 1.7 million hits one of 60 seats
SHORTEST_PIN = 4
LONGEST_NAME = 60
PREFERRED_PART = 0.35  # of the largest possible ABS: what the planned preference is, whatever the number of identities
# For an estimate that is sooner too long than too short: reading every word of every text, and making up one's mind.
WORDS_A_MINUTE, DECIDING_SECONDS = 240, 10
MEASURED_FOR_TIME = 200  # comparisons whose texts are counted; the others are taken to be like them


def participant_code() -> str:
    """Return a random code, which reveals neither person, nor order, nor time."""
    return "P-" + "".join(secrets.choice(SIGNS) for _ in range(CODE_SIGNS))


def typed_code() -> str:
    """Return a code like that for somebody with a phone: digits, so that it is typed without capitals."""
    return "".join(secrets.choice(string.digits) for _ in range(TYPED_DIGITS))


class Pin:
    """The PIN for leaving a workshop. Only a hash of it is kept, so that nothing in the window leads to it."""

    def __init__(self, typed: str) -> None:
        """Raises `AppError` where it is too short; empty is no PIN: anybody may leave."""
        if typed and len(typed) < SHORTEST_PIN:
            raise AppError(
                f"A PIN has at least {SHORTEST_PIN} characters.",
                hint="Type more, or none to let anybody leave the workshop.",
            )
        self.wanted = bool(typed)
        self._salt = secrets.token_bytes(16)
        self._hash = self._of(typed)

    def fits(self, typed: str) -> bool:
        """Return whether this is the PIN. Without one nothing has to fit."""
        return not self.wanted or hmac.compare_digest(self._of(typed), self._hash)

    def _of(self, typed: str) -> bytes:
        return hashlib.scrypt(typed.encode("utf-8", "surrogatepass"), salt=self._salt, n=1024, r=8, p=1)


class WorkshopStore(ProjectStore):
    """A project for one participant: one plan, one new rater, and no session but theirs.

    So the judging thread behind the window cannot be asked for anybody else's answers, whatever it is asked.
    """

    def __init__(self, project: Project, plan_id: str, code: str) -> None:
        super().__init__(project)
        self._plan_id, self._code = plan_id, code
        self._rater_id = self._session_id = ""

    def plans(self) -> tuple[PlanRow, ...]:
        return tuple(row for row in self.judging.plans() if row.id == self._plan_id)

    def raters(self) -> tuple[RaterRow, ...]:
        return tuple(row for row in self.judging.raters() if row.id == self._rater_id)

    def sessions(self) -> tuple[SessionRow, ...]:
        return tuple(row for row in self.judging.sessions() if row.id == self._session_id)

    def judgments(self, session_id: str) -> tuple[JudgmentRow, ...]:
        return self.judging.judgments(session_id) if session_id == self._session_id else ()

    def rater(self, code: str) -> RaterRow:
        """Return the participant, who is new. Refused for any other code, and for one that somebody has already."""
        taken = any(row.code == code and row.id != self._rater_id for row in self.judging.raters())
        if code != self._code or taken:
            raise Refused("This place is taken.", kept="Nobody’s answers were opened.", hint="Start once more.")
        row = super().rater(code)
        self._rater_id = row.id
        return row

    def session(self, plan_id: str, rater_id: str, consent_text: str) -> SessionRow:
        if plan_id != self._plan_id or rater_id != self._rater_id:
            raise Refused("This is not the workshop’s set.", kept="Nobody’s answers were opened.")
        row = super().session(plan_id, rater_id, consent_text)
        self._session_id = row.id
        return row


@dataclass(frozen=True)
class Attendance:
    """The number of people who began and who finished; a session that was left half-way counts as begun only."""

    started: int
    finished: int


def attendance(project: Project, plan_id: str) -> Attendance:
    people = {row.id for row in project.judging.raters() if row.kind == "person"}
    sessions = [row for row in project.judging.sessions() if row.plan_id == plan_id and row.rater_id in people]
    away = project.judging.packet_sessions()  # a packet that was made is nobody yet
    sessions = [row for row in sessions if row.id not in away or project.judging.judgment_count(row.id)]
    return Attendance(len(sessions), sum(row.revealed_at is not None for row in sessions))


def tellable_sessions(
    project: Project, sessions: Iterable[SessionRow], *, excluded: bool = False
) -> tuple[SessionRow, ...]:
    """Return those of these sessions that measures and charts may pool: a workshop's in steps of `GROUP_FROM` people.

    Without the raters who are left out (biasprint.core.judging.carefulness), unless `excluded` asks for them too.
    """
    out = {} if excluded else exclusions(project)
    models = {row.id for row in project.judging.raters() if row.kind == "model"}
    workshops = workshops_among(project.judging.plans())
    people = [row for row in project.judging.sessions() if row.rater_id not in models]
    counted = {row.id for row in in_steps(project, people)}
    sessions = (row for row in sessions if row.rater_id not in out)
    return tuple(row for row in sessions if row.plan_id not in workshops or row.rater_id in models or row.id in counted)


def in_steps(project: Project, sessions: Iterable[SessionRow]) -> tuple[SessionRow, ...]:
    """Return people's sessions that may be pooled: those of a workshop `GROUP_FROM` at a time, in the order they
    finished.

    Between two looks at a group at least so many people come to it, so that one person's answers are never the
    difference. So all of them wait while the copies of one of their seats differ. Sessions of other plans stay as they
    are.
    """
    workshops, given = workshops_among(project.judging.plans()), tuple(sessions)
    # Of a packet: when it came back finished. Its own clock could put it before people who were told of already, or
    # behind people who come later.
    came: dict[tuple[str, str], str] = {}
    for row in project.packets.all() if workshops else ():
        if row.direction == "merged" and row.manifest.get("finished"):
            came.setdefault((row.plan_id, row.rater_id), row.created_at)

    def finished_at(row: SessionRow) -> tuple[str, str]:
        return came.get((row.plan_id, row.rater_id)) or row.revealed_at or "", row.id

    pooled = [row for row in given if row.plan_id not in workshops]
    waiting = seats_in_conflict(project)
    for plan in workshops & {row.plan_id for row in given}:
        finished = [row for row in given if row.plan_id == plan and row.revealed_at is not None]
        finished.sort(key=finished_at)
        steps = (finished[at : at + GROUP_FROM] for at in range(0, len(finished) - GROUP_FROM + 1, GROUP_FROM))
        pooled += chain.from_iterable(step for step in steps if waiting.isdisjoint(row.id for row in step))
    pooled_ids = {row.id for row in pooled}
    return tuple(row for row in given if row.id in pooled_ids)


def participants(project: Project) -> frozenset[str]:
    """Return the codes of everybody who took part in a workshop: they are shown to nobody."""
    workshops = workshops_among(project.judging.plans())
    codes = {row.id: row.code for row in project.judging.raters() if row.kind == "person"}
    sessions = project.judging.sessions()
    return frozenset(codes[row.rater_id] for row in sessions if row.plan_id in workshops and row.rater_id in codes)


@dataclass(frozen=True)
class WorkshopPlan:
    """A plan that a workshop can be held with. `design`: of its scarcest axis; None without a comparison on any.

    `comparisons` are asked of each participant, hidden repeats with them; `minutes` is about how long that takes.
    `begun`: how many people have begun; they are one group with whoever comes.
    """

    plan_id: str
    title: str
    comparisons: int
    minutes: int
    design: JudgingDesign | None
    consent_text: str = ""
    begun: int = 0


def workshop_plans(project: Project) -> tuple[WorkshopPlan, ...]:
    """Return the plans that were drawn for workshops and can be asked, the latest first."""
    plans = [row for row in project.judging.plans() if PlanSettings.of(row.settings).workshop]
    return tuple(describe_plan(project, row) for row in reversed(plans) if project.judging.count(row.id))


def describe_plan(project: Project, plan: PlanRow) -> WorkshopPlan:
    rows = project.judging.comparisons(plan.id)
    consent_text = PlanSettings.of(plan.settings).consent_text
    minutes, begun = _minutes(project, rows), attendance(project, plan.id).started
    return WorkshopPlan(plan.id, plan.title, len(rows), minutes, _design(rows), consent_text, begun)


def new_name(taken: Iterable[str], day: date) -> str:
    """Return a name for today's workshop, in the reader's language, that none has yet: two classes of a day are two."""
    name, others = tr("Workshop of {date}").format(date=tr(f"{day.day} {day:%B %Y}")), set(taken)
    return next(each for each in chain([name], (f"{name}, {n}" for n in count(2))) if each not in others)


def check_name(project: Project, name: str) -> str:
    """Return the name as it is kept. Raises `AppError` where it is none, or another workshop's."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise AppError(f"A workshop has a name of 1 to {LONGEST_NAME} characters.", hint="Such as “Class 10b, Monday”.")
    if any(row.title == name for row in project.judging.plans()):
        raise AppError(
            f"There is a set named “{name}” already.",
            kept="Nothing was drawn, and nobody’s answers were pooled.",
            hint="Go on with that one, or choose another name.",
        )
    return name


def chance_of(design: JudgingDesign) -> Chance:
    """Return the chance that a session sees the preference it is planned for: 55/30/15 % among three identities."""
    k = design.identities
    return plan_power(design, PLANNED.get(k, 1 / k + PREFERRED_PART * (1 - 1 / k)))


def _design(rows: Sequence[ComparisonRow]) -> JudgingDesign | None:
    """Return the design on each axis: the fewest comparisons, among the most identities, so that it promises
    no more.
    """
    asked = Counter(row.axis for row in rows if row.repeat_of is None and row.axis != CHECK)
    if not asked:
        return None
    identities = max(len({item.identity for item in row.items}) for row in rows)
    return JudgingDesign(min(asked.values()), identities, len(asked)) if identities > 1 else None


def _minutes(project: Project, rows: Sequence[ComparisonRow]) -> int:
    """Return whole minutes, at least one."""
    counted = rows[:MEASURED_FOR_TIME]
    if not counted:
        return 1
    texts = project.texts([item.key for row in counted for item in row.items])
    words = sum(len(texts.get(item.key, "").split()) for row in counted for item in row.items)
    minutes = (words / WORDS_A_MINUTE + len(counted) * DECIDING_SECONDS / 60) * len(rows) / len(counted)
    return max(1, math.ceil(minutes))
