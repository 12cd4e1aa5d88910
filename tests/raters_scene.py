"""What the tests of the raters panel share: a project with a plan, people who answer, and packets."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from made_once import made_once

from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.make import make_packets
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.judging.packets.packet import finish_packet
from biasprint.core.judging.plan import texts_digest
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem, ComparisonRow
from biasprint.core.project.specs import (
    AxisSpec,
    ComparisonSpec,
    GeneratorSpec,
    JudgmentSpec,
    OutputSpec,
    PlanSpec,
    PromptSetSpec,
    PromptSpec,
    RaterSpec,
    RunSpec,
)
from biasprint.core.text import sha256_text

IDENTITIES = ("white", "black", "asian")
TASKS = ("haiku", "short_poem")
THEMES = ("castle", "stars", "rain")
Said = tuple[str, int | None]  # outcome and chosen item


def text_of(task: str, theme: str, identity: str) -> str:
    lines = {"white": "The tower keeps", "black": "A door stands open", "asian": "Rain counts the stones"}
    return f"{lines[identity]} to the {theme},\nand somebody listens for a while\nbefore the {task} ends. <b>no</b>"


def with_outputs(path: Path) -> Project:
    """A project with an axis and one output for each task, theme and identity."""
    project = Project.create(path)
    study = project.studies.add("creativity", "Creativity").number("study")
    definition = {"identities": [{"key": key, "label": key.title()} for key in IDENTITIES]}
    project.axes.add(AxisSpec(key="race", title="Race", definition=definition))
    cells = [(task, theme, who) for task in TASKS for theme in THEMES for who in IDENTITIES]
    prompts = tuple(
        PromptSpec(key="/".join(cell), text="w", task=cell[0], theme=cell[1], axis="race", identity=cell[2])
        for cell in cells
    )
    chosen = project.prompts.add_set(study, PromptSetSpec(name="set", recipe={}, prompts=prompts)).number("prompt_set")
    generator = project.runs.add_generator(GeneratorSpec(backend="made-up", model="m")).number("generator")
    spec = RunSpec(study_id=study, prompt_set_id=chosen, generator_id=generator, seed=1)
    run = project.runs.start(spec).number("run")
    for row, cell in zip(project.prompts.page(chosen, 0, 100), cells, strict=True):
        text = text_of(*cell)
        project.outputs.record(OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, text=text)).result()
    return project


def add_plan(project: Project, title: str = "First reading", *, repeats: int = 0, **settings: Any) -> str:
    """A plan with a comparison for each task and theme; the first `repeats` of them come again. Its id."""
    outputs = dict(
        zip(((t, h, i) for t in TASKS for h in THEMES for i in IDENTITIES), project.outputs.ids(), strict=True)
    )
    specs: list[ComparisonSpec] = []
    cells = [(task, theme) for task in TASKS for theme in THEMES]
    for position, (task, theme) in enumerate([*cells, *cells[:repeats]]):
        items = tuple(ComparisonItem(outputs[task, theme, who], who) for who in IDENTITIES)
        digest = texts_digest(sha256_text(text_of(task, theme, who)) for who in IDENTITIES)
        first = f"{title}-{position % len(cells)}"
        again = position >= len(cells)
        specs.append(
            ComparisonSpec(
                id=f"{first}-again" if again else first,
                position=position,
                axis="race",
                task=task,
                theme=theme,
                items=items,
                texts_sha256=digest,
                repeat_of=first if again else None,
            )
        )
    plan = PlanSpec(study_id=1, title=title, axis="race", seed=3, settings=settings)
    return project.judging.add_plan(plan, specs).uuid("plan")


def rows_of(project: Project, plan_id: str) -> list[ComparisonRow]:
    return list(project.judging.comparisons(plan_id))


def rate(
    project: Project,
    plan_id: str,
    code: str,
    said: Mapping[int, Said],
    *,
    reveal: bool = True,
    notes: Mapping[int, str] | None = None,
    kind: str = "person",
    read: Mapping[int, bool] | None = None,
    details: Mapping[int, dict[str, Any]] | None = None,
) -> str:
    """A rater's session on this machine, answered by position; its id. `read`: by position, were its texts read to the
    end? `details`: by position what the judgment keeps beside the choice.
    """
    known = {row.code: row.id for row in project.judging.raters()}
    rater = known.get(code) or project.judging.add_rater(RaterSpec(code=code, kind=kind)).uuid("rater")  # type: ignore[arg-type]
    session = project.judging.open_session(plan_id, rater).uuid("session")
    rows = rows_of(project, plan_id)
    for position, (outcome, chosen) in said.items():
        row = rows[position]
        project.judging.record(
            JudgmentSpec(
                session_id=session,
                comparison_id=row.id,
                outcome=outcome,  # type: ignore[arg-type]
                chosen=chosen,
                shown=(0, 1, 2),
                texts_sha256=row.texts_sha256,
                note=(notes or {}).get(position, ""),
                active_seconds=20.0,
                detail=viewed(read[position]) if read and position in read else (details or {}).get(position, {}),
                lengths=(1000, 1000, 1000),
            )
        )
    if reveal:
        project.judging.reveal(session)
    return session


def viewed(to_the_end: bool) -> dict[str, Any]:
    """The detail of a judgment whose last text was, or was not, read to the end."""
    return {
        "viewed": [{"seconds": 5.0, "end": True}, {"seconds": 4.0, "end": True}, {"seconds": 3.0, "end": to_the_end}]
    }


def packets_for(project: Project, plan_id: str, codes: Sequence[str], folder: Path) -> dict[str, Path]:
    folder.mkdir(parents=True, exist_ok=True)
    made = make_packets(JobContext(), project, plan_id=plan_id, codes=codes, folder=folder)
    return {one.code: one.path for one in made}


def answer_packet(path: Path, said: Mapping[int, Said], *, finish: bool = False, note: str = "") -> Path:
    """Answers in a packet; `said` by position, a choice by the place of its card."""
    with Project.open(path) as packet:
        (session,), (plan,) = packet.judging.sessions(), packet.judging.plans()
        rows = list(packet.judging.comparisons(plan.id))
        before = {row.comparison_id: row.id for row in packet.judging.judgments(session.id)}
        for position, (outcome, chosen) in said.items():
            row = rows[position]
            packet.judging.record(
                JudgmentSpec(
                    session_id=session.id,
                    comparison_id=row.id,
                    outcome=outcome,  # type: ignore[arg-type]
                    chosen=chosen,
                    shown=tuple(range(len(row.items))),
                    texts_sha256=row.texts_sha256,
                    note=note,
                    active_seconds=12.0,
                    supersedes=before.get(row.id),
                )
            )
        if finish:
            finish_packet(packet)
    return path


def copy_of(path: Path, name: str) -> Path:
    return Path(shutil.copyfile(path, path.with_name(name)))


def merged(project: Project, *paths: Path) -> None:
    """Merge packets, all of which must be taken."""
    report = merge_packets(JobContext(), project, paths)
    assert not [one for one in report.files if one.refused or one.unknown_rater], report


# what several tests begin with

A, B, C = ("choice", 0), ("choice", 1), ("choice", 2)


def castle(folder: Path) -> Path:
    """A project with outputs and the plan “Poems”."""
    path = folder / "castle.biasprint"

    def make() -> None:
        with with_outputs(path) as project:
            add_plan(project, "Poems")

    made_once("castle", make, path)
    return path


def at(path: Path) -> tuple[Project, str]:
    """The project, to prepare it, and its first plan."""
    project = Project.open(path)
    return project, project.judging.plans()[0].id


def contest(path: Path, folder: Path) -> Path:
    """One rater's two files: different answers to the first comparison; the second file is finished."""
    packet, first, second = (folder / f"{name}.bpacket" for name in ("packet-R01", "first", "second"))

    def make() -> None:
        project, plan = at(path)
        assert packets_for(project, plan, ["R01"], folder) == {"R01": packet}
        shutil.copyfile(packet, first)
        shutil.copyfile(packet, second)
        answer_packet(first, {0: A}, note="zqfirst")
        answer_packet(second, {0: B, 1: C}, finish=True, note="zqsecond")
        merged(project, first, second)
        project.close()

    made_once(path.read_bytes(), make, path, packet, first, second)
    return path
