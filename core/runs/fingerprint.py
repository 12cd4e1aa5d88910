"""A rater's fingerprint from a project: revealed sessions only, measured in the compute process, never stored.

The group and the models beside it judged the same plans, so that all chose among the same texts; a workshop's plan is
its own, and with it its group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.judging.assignment import asked_in
from biasprint.core.judging.carefulness import exclusions, unswayed
from biasprint.core.judging.fingerprint import (
    GROUP_FROM,
    AskedAxis,
    AxisChoice,
    Fingerprint,
    OtherVoice,
    PreferencePower,
    Whose,
    axis_choices,
    power_of_choices,
)
from biasprint.core.judging.looking import seen_count
from biasprint.core.judging.plan import CHECK, MODEL, ORIGIN, TITLES, TWIN, CompareSet, PlanSettings, keys_of_sets
from biasprint.core.judging.wording import wording_of
from biasprint.core.judging.workshop import in_steps
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, JudgmentRow, RaterRow, SessionRow, TextKey
from biasprint.core.prompts import available_axes, load_axis
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.columns import Columns, judgment_columns
from biasprint.core.studies.creativity.judgments import measure_judgments

# ---- The rows behind a fingerprint: comparisons asked on each axis, answers, and names of the axes

# Who wrote a text is no identity that it was written for, nor is what a check has. A packet names no axis at all.
NO_IDENTITIES = ("", MODEL, ORIGIN, CHECK)


@dataclass(frozen=True)
class FingerprintRows:
    """The rows behind a fingerprint. `table`: the columns of a `JudgmentTable`. `asked`: the axes, by name."""

    asked: tuple[AskedAxis, ...]
    table: Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class _Definition:
    key: str
    title: str
    labels: Mapping[str, str]  # by identity, in the axis's order


def gather(project: Project, sessions: Sequence[SessionRow]) -> FingerprintRows:
    """Return the comparisons and answers of these sessions on axes of identities. Hidden repeats are not asked.

    Where an axis was compared in several sets of identities (two of its three, say), each set is an axis of its own:
    chance differs between them.
    """
    rows = {plan: asked_rows(project, plan) for plan in dict.fromkeys(session.plan_id for session in sessions)}
    every = [row for of_plan in rows.values() for row in of_plan]
    keys = keys_of_sets(map(compare_set, every))
    # What is ranked has no shares, and so no place on a fingerprint.
    rows = {plan: [row for row in of_plan if compare_set(row) in keys] for plan, of_plan in rows.items()}
    every = [row for row in every if compare_set(row) in keys]
    columns = judgment_columns(project, sessions, compared=False)
    every_answer = judgment_columns(project, sessions, compared=False, seen=True, unread=True)
    answered = set(zip(every_answer["comparison"], every_answer["rater"], strict=True))
    raters = {rater.id: rater for rater in project.judging.raters()}
    plans = {plan.id: plan for plan in project.judging.plans()}
    planned = dict.fromkeys(keys, 0)
    left = dict.fromkeys(keys, 0)
    for session in sessions:
        mine = asked_in(project, plans[session.plan_id], raters[session.rater_id])
        for row in (key for key in rows[session.plan_id] if key.id in mine):
            planned[compare_set(row)] += 1
            left[compare_set(row)] += (row.id, raters[session.rater_id].code) not in answered
    definitions = _definitions(project)
    asked = [
        _asked_axes(key, keys[key], definitions, planned[key], left[key])
        for key in sorted(keys, key=lambda key: (key[0], sorted(key[1])))
    ]
    return FingerprintRows(tuple(asked), _own_columns(columns, {row.id: keys[compare_set(row)] for row in every}))


def asked_of(project: Project, plan_id: str) -> frozenset[str]:
    """Return the comparisons of a plan that a fingerprint is of."""
    return frozenset(row.id for row in asked_rows(project, plan_id))


def answered_in(project: Project, session: SessionRow) -> frozenset[str]:
    """Return the comparisons that have an answer in a session; a withdrawn one is none."""
    judgments = project.judging.judgments(session.id)
    return frozenset(row.comparison_id for row in judgments if row.outcome != "undone")


def asked_rows(project: Project, plan_id: str) -> list[ComparisonRow]:
    """Return a plan's comparisons between identities, without hidden repeats."""
    rows = project.judging.comparisons(plan_id)
    return [row for row in rows if row.repeat_of is None and row.axis not in NO_IDENTITIES]


def compare_set(row: ComparisonRow) -> CompareSet:
    """Return the axis with the identities on the cards."""
    return row.axis, frozenset(item.identity for item in row.items)


def _asked_axes(
    compared: CompareSet, key: str, definitions: Mapping[str, Sequence[_Definition]], planned: int, left: int
) -> AskedAxis:
    """Return the axis in the words of the definition that knows its identities."""
    axis, identities = compared
    # A letter and its twin differ in the groups of whatever axis has them.
    known = (
        [definition for each in definitions.values() for definition in each]
        if axis == TWIN
        else definitions.get(axis, ())
    )
    known_axis = next(
        (definition for definition in known if identities <= set(definition.labels)), known[0] if known else None
    )
    labels = known_axis.labels if known_axis is not None else {}
    ordered = [*(definition for definition in labels if definition in identities), *sorted(identities - set(labels))]
    pairs = tuple((definition, labels.get(definition, definition)) for definition in ordered)
    plain = TITLES.get(axis, axis.replace("_", " ").capitalize())
    title = known_axis.title if known_axis is not None and axis not in TITLES else plain
    if key != axis:
        title = f"{title} ({', '.join(label for _, label in pairs)})"
    return AskedAxis(key, title, pairs, planned, left)


def _definitions(project: Project) -> dict[str, list[_Definition]]:
    """Return the definitions of an axis by the name that comparisons call it: its own, those reported as it, the
    shipped.
    """
    definitions: dict[str, list[_Definition]] = {}
    rows = project.axes.latest().values()
    for row in sorted(rows, key=lambda row: bool(row.definition.get("reported_as"))):
        labels = {
            str(identity["key"]): str(identity.get("label", identity["key"]))
            for identity in row.definition.get("identities", ())
        }
        definitions.setdefault(str(row.definition.get("reported_as") or row.key), []).append(
            _Definition(row.key, row.title, labels)
        )
    for shipped in map(load_axis, available_axes()):
        labels = {identity.key: identity.label for identity in shipped.identities}
        definitions.setdefault(shipped.reported_as or shipped.key, []).append(
            _Definition(shipped.key, shipped.title, labels)
        )
    return definitions


def _own_columns(columns: Columns, known: Mapping[str, str]) -> dict[str, tuple[Any, ...]]:
    """Return the columns with the axes' keys, without hidden repeats and what is on no axis of identities."""
    places = [place for place, comparison in enumerate(columns["comparison"]) if comparison in known]
    table = {name: tuple(values[place] for place in places) for name, values in columns.items()}
    return table | {"axis": tuple(known[comparison] for comparison in table["comparison"])}


SEED = 0


@dataclass(frozen=True)
class OfferedRater:
    """A rater whose fingerprint can be made. `comparisons` that were asked, `left` of them unanswered."""

    rater: str
    code: str
    kind: Whose
    comparisons: int
    left: int


@dataclass(frozen=True)
class OfferedRaters:
    """The raters whose fingerprint can be shown, the latest last, and the number of people with open sessions."""

    offered: tuple[OfferedRater, ...]
    still_open: int


def raters_with_fingerprint(ctx: JobContext, project: Project) -> OfferedRaters:
    """Return the raters who have completed a session that is no workshop's; of open ones only how many there are.

    A workshop's fingerprints belong to its participants, who see them at its end and nowhere else.
    """
    raters = {rater.id: rater for rater in project.judging.raters()}
    plans = {plan.id: plan for plan in project.judging.plans()}
    asked = {
        plan.id: ids
        for plan in plans.values()
        if not PlanSettings.of(plan.settings).workshop and (ids := asked_of(project, plan.id))
    }
    sessions = [session for session in project.judging.sessions() if session.plan_id in asked]
    offered: dict[str, OfferedRater] = {}
    for session in _revealed(project, sessions):
        ctx.check()
        rater = raters[session.rater_id]
        ids = asked[session.plan_id] & asked_in(project, plans[session.plan_id], rater)
        left = len(ids - answered_in(project, session))
        before = offered.pop(rater.id, OfferedRater(rater.id, rater.code, _kind(rater), 0, 0))
        offered[rater.id] = replace(before, comparisons=before.comparisons + len(ids), left=before.left + left)
    still_open = sum(session.revealed_at is None and raters[session.rater_id].kind == "person" for session in sessions)
    return OfferedRaters(tuple(offered.values()), still_open)


def fingerprint_of(ctx: JobContext, project: Project, rater_id: str, compute: ComputeProcess) -> Fingerprint:
    """Return the fingerprint of one rater, with the group's choices (from five people on) and each model judge's beside
    it.

    Raises AppError while none of the rater's sessions is revealed, and where none compares identities.
    """
    raters = {rater.id: rater for rater in project.judging.raters()}
    every = project.judging.sessions()
    own, gathered = _own(project, raters, every, rater_id)
    rater = raters[rater_id]
    beside = _other_voices(project, raters, every, {session.plan_id for session in own}, leave_out=rater_id)
    voices = [_Voice(rater.id, rater.code, _kind(rater), gathered), *beside.voices]
    findings, seeing = _measured(ctx, voices, compute)
    complete = not any(axis.left for axis in gathered.asked)
    others = [
        _as_other_voice(voice, voice_findings)
        for voice, voice_findings in zip(beside.voices, findings[1:], strict=True)
    ]
    return Fingerprint(
        rater=rater.id,
        code=rater.code,
        kind=_kind(rater),
        axes=_axes(gathered, findings[0], complete=complete, seeing=seeing, kind=_kind(rater)),
        complete=complete,
        findings=findings[0],
        group=next((row for row in others if row.kind == "group"), None),
        group_reason=beside.group_reason,
        models=tuple(row for row in others if row.kind == "model"),
        still_open=sum(session.rater_id == rater_id and session.revealed_at is None for session in every),
        seen=seen_count(project, [session.id for session in own]),
    )


@dataclass(frozen=True)
class GroupPicture:
    """The part of the answers that a workshop's facilitator may see and show.

    `group`: the people, pooled; None with fewer than five, and `reason` says so. Nothing in it is one person's.
    """

    group: OtherVoice | None
    reason: str
    models: tuple[OtherVoice, ...] = ()


def group_of(ctx: JobContext, project: Project, plan_ids: Sequence[str], compute: ComputeProcess) -> GroupPicture:
    """Return the people who completed these plans, and the models beside them; a workshop's people in steps of five.

    Nothing is tested: it may be looked at while people go on.
    """
    raters = {rater.id: rater for rater in project.judging.raters()}
    beside = _other_voices(project, raters, project.judging.sessions(), set(plan_ids), leave_out="")
    if not any(voice.kind == "group" for voice in beside.voices):
        return GroupPicture(None, beside.group_reason)
    findings, _ = _measured(ctx, beside.voices, compute)
    group, *models = (_as_other_voice(voice, of_it) for voice, of_it in zip(beside.voices, findings, strict=True))
    return GroupPicture(group, "", tuple(models))


def warm(ctx: JobContext, compute: ComputeProcess) -> None:
    """Have the compute process load what a fingerprint takes, so that the first one is not waited for."""
    six = tuple(str(number) for number in range(6))
    table = {
        "comparison": six,
        "rater": ("nobody",) * 6,
        "axis": ("none",) * 6,
        "shown": (("a", "b"),) * 6,
        "outcome": ("choice",) * 6,
        "chosen": ("a", "b") * 3,
    }
    compute.call(fingerprint_of_tables, [(table, {"none": ["a", "b"]})], SEED, ctx=ctx)


# whose choices


def _own(
    project: Project, raters: Mapping[str, RaterRow], every: Sequence[SessionRow], rater_id: str
) -> tuple[list[SessionRow], FingerprintRows]:
    """Return the rater's revealed sessions and what was answered in them; AppError where there is nothing to show."""
    if rater_id not in raters:
        raise AppError("This project has no such rater.", hint="Choose one of those that it has.")
    own = [session for session in _revealed(project, every) if session.rater_id == rater_id]
    if not own and any(session.rater_id == rater_id and session.revealed_at is not None for session in every):
        raise AppError(
            "Nothing was answered in this session, so it gives no fingerprint.",
            hint="Rate some comparisons: a skip is no answer.",
        )
    if not own:
        raise AppError(
            "This session is still open: its fingerprint is hidden until the session is complete.",
            hint="Finish the session in Judge, then reveal it.",
        )
    gathered = gather(project, own)
    if not gathered.asked:
        raise AppError(
            "These comparisons are not between identities, so they give no fingerprint.",
            hint="A fingerprint needs comparisons of texts that were written for identities.",
        )
    return own, gathered


@dataclass(frozen=True)
class _Voice:
    key: str
    title: str
    kind: Whose
    rows: FingerprintRows
    people: int = 1


@dataclass(frozen=True)
class _Others:
    voices: tuple[_Voice, ...]
    group_reason: str


def _other_voices(
    project: Project,
    raters: Mapping[str, RaterRow],
    sessions: Sequence[SessionRow],
    plans: set[str],
    *,
    leave_out: str,
) -> _Others:
    """Return the group of people, where it is large enough, and the models, but for the one whose fingerprint
    this is.
    """
    on_plans = [session for session in _revealed(project, sessions) if session.plan_id in plans]
    out = exclusions(project)
    of_people = [row for row in on_plans if raters[row.rater_id].kind == "person"]
    completed = len({session.rater_id for session in of_people if session.rater_id not in out})
    of_people = [row for row in in_steps(project, of_people) if row.rater_id not in out]
    people = len({session.rater_id for session in of_people})
    voices = []
    if people >= GROUP_FROM:
        rows = gather(project, of_people)
        voices.append(_Voice("group", f"group of {people}", "group", rows, people))
    for rater in raters.values():
        own = [session for session in on_plans if session.rater_id == rater.id]
        if rater.kind == "model" and own and rater.id != leave_out:
            voices.append(_Voice(rater.id, rater.code, "model", gather(project, own)))
    return _Others(tuple(voices), "" if people >= GROUP_FROM else _too_few(completed))


def _too_few(people: int) -> str:
    so_far = {0: "nobody has", 1: "1 person has"}.get(people, f"{people} people have")
    return f"The group’s choices are shown from {GROUP_FROM} people on: {so_far} completed these comparisons."


def _as_other_voice(voice: _Voice, findings: tuple[Finding, ...]) -> OtherVoice:
    axes = _axes(voice.rows, findings, complete=False, seeing={}, kind=voice.kind)
    return OtherVoice(voice.key, voice.title, voice.kind, axes, findings, voice.people)


def _axes(
    rows: FingerprintRows,
    findings: Sequence[Finding],
    *,
    complete: bool,
    seeing: Mapping[str, PreferencePower],
    kind: Whose,
) -> tuple[AxisChoice, ...]:
    axes = axis_choices(rows.asked, findings, complete=complete, seeing=seeing if complete else {})
    if kind != "model":
        return axes
    # A model's replies are counted by order of the cards; here it is comparisons without a choice in every order.
    return tuple(
        replace(axis, ties=0, none=0, skips=0, unread=max(0, axis.planned - axis.left - axis.n)) for axis in axes
    )


def _revealed(project: Project, sessions: Sequence[SessionRow]) -> list[SessionRow]:
    """Return the sessions that were revealed with at least one answer."""
    answered = project.judging.answered_sessions()
    return [session for session in sessions if session.revealed_at is not None and session.id in answered]


def _kind(rater: RaterRow) -> Whose:
    return "model" if rater.kind == "model" else "person"


# in the compute process


def _measured(
    ctx: JobContext, voices: Sequence[_Voice], compute: ComputeProcess
) -> tuple[list[tuple[Finding, ...]], dict[str, PreferencePower]]:
    tables = [(voice.rows.table, _identities(voice.rows.asked)) for voice in voices]
    return compute.call(fingerprint_of_tables, tables, SEED, ctx=ctx)


def _identities(asked: Sequence[AskedAxis]) -> dict[str, list[str]]:
    return {axis.axis: [identity for identity, _ in axis.identities] for axis in asked}


def fingerprint_of_tables(
    tables: Sequence[tuple[Mapping[str, Any], Mapping[str, list[str]]]], seed: int
) -> tuple[list[tuple[Finding, ...]], dict[str, PreferencePower]]:
    """Return the findings of each voice, and the power of the first one's choices on each axis. Runs in the compute
    process.
    """
    results = [
        measure_judgments(JudgmentTable(**table), axes=axes, seed=seed).findings if table["comparison"] else ()
        for table, axes in tables
    ]
    tested = [finding for finding in results[0] if finding.id == "creativity.abs" and finding.p_adjusted is not None]
    seeing = {finding.dims["axis"]: power_of_choices(finding.n, len(finding.groups), len(tested)) for finding in tested}
    return results, {axis: seen for axis, seen in seeing.items() if seen is not None}


# ---- The texts behind a figure of a fingerprint: those that this rater read, with the answers

MOST = 50


@dataclass(frozen=True)
class ReadText:
    """A text that a rater read. `said`: chosen, not chosen, tie, none, skip."""

    key: TextKey
    title: str
    identity: str
    said: str
    text: str


@dataclass(frozen=True)
class ReadTexts:
    """The first of `total` texts, chosen ones before the others."""

    total: int
    texts: tuple[ReadText, ...]


def texts_read(ctx: JobContext, project: Project, rater_id: str, axis: str, identity: str = "") -> ReadTexts:
    """Return the texts that this rater read on an axis in revealed sessions; of one identity, where one is named.

    `axis`: as the fingerprint calls it. A model read every text once in each order of the cards: the last one counts.
    """
    sessions = [
        session
        for session in project.judging.sessions()
        if session.rater_id == rater_id and session.revealed_at is not None
    ]
    rows = {plan: asked_rows(project, plan) for plan in dict.fromkeys(session.plan_id for session in sessions)}
    keys = keys_of_sets(compare_set(row) for of_plan in rows.values() for row in of_plan)
    read: list[tuple[str, ComparisonRow, int]] = []
    for session in sessions:
        ctx.check()
        judgments = {judgment.comparison_id: judgment for judgment in unswayed(project, session.id)}
        for row in rows[session.plan_id]:
            if row.id in judgments and keys.get(compare_set(row)) == axis:
                places = [place for place, item in enumerate(row.items) if identity in ("", item.identity)]
                read += [(_answer_for(judgments[row.id], place), row, place) for place in places]
    read.sort(key=lambda entry: entry[0] != "chosen")
    first = read[:MOST]
    wording = wording_of(project)
    texts = project.texts([row.items[place].key for _, row, place in first])
    return ReadTexts(
        len(read),
        tuple(
            ReadText(item.key, wording.title(row.task, row.theme), item.identity, judgments, texts.get(item.key, ""))
            for judgments, row, place in first
            for item in [row.items[place]]
        ),
    )


def _answer_for(judgment: JudgmentRow, place: int) -> str:
    if judgment.outcome != "choice":
        return judgment.outcome
    return "chosen" if judgment.chosen == place else "not chosen"
