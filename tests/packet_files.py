"""What the tests of packets share: a project whose every name is a canary, and raters who answer."""

import random
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from made_once import made_once
from past_the_program import sql

from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.make import MadePacket, make_packets
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.judging.packets.packet import MergeReport, PacketStore, finish_packet
from biasprint.core.judging.plan import texts_digest
from biasprint.core.judging.reveal import reveal
from biasprint.core.judging.session import JudgingSession, offer_plans, open_judging, open_session
from biasprint.core.judging.work import record_choice
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem, TextView
from biasprint.core.project.specs import (
    ComparisonSpec,
    GeneratorSpec,
    JudgmentSpec,
    OutputSpec,
    PlanSpec,
    PromptSetSpec,
    PromptSpec,
    RunSpec,
)
from biasprint.core.project.stores.common import new_uuid
from biasprint.core.text import sha256_text

# Long, and found nowhere else: whatever of them stands in a packet was put there.
AXIS, MODEL, PROJECT = "canaryaxisqx", "canarymodelqx", "canaryprojectqx"
IDENTITIES = ("canaryfirstqx", "canarysecondqx", "canarythirdqx")
TASK, THEME = "canarytaskqx_a", "canarythemeqx_b"
TITLE = "Canarytaskqx a · canarythemeqx b"  # what is on the screen of these two
CANARIES = (AXIS, MODEL, PROJECT, *IDENTITIES, TASK, THEME, "canarypromptqx", "canarysetqx", "canarystudyqx",
            "canaryplanqx", "canaryotherraterqx", "canarybackendqx", "canarykeyqx")  # fmt: skip


def text_of(comparison: int, identity: int) -> str:
    return f"Text {comparison} of card maker {'xyz'[identity]} \U0001f98a\u2028 مرحبا"


def coordinator(path: Path, *, comparisons: int = 6, repeats: int = 0, **settings: Any) -> str:
    """A project with one plan over three identities; its id."""
    with Project.open(path) if path.exists() else Project.create(path) as project:
        study = project.studies.add("canarystudyqx", "canarystudyqx").number("study")
        prompts = tuple(
            PromptSpec(
                key=f"canarykeyqx{number}-{identity}", text=f"canarypromptqx {number} {identity}", task=TASK,
                theme=THEME, axis=AXIS, identity=identity,
            )
            for number in range(comparisons) for identity in IDENTITIES
        )  # fmt: skip
        chosen = project.prompts.add_set(study, PromptSetSpec(name="canarysetqx", recipe={}, prompts=prompts))
        set_id = chosen.number("prompt_set")
        generator = project.runs.add_generator(GeneratorSpec(backend="canarybackendqx", model=MODEL))
        run = project.runs.start(
            RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator.number("generator"), seed=1)
        ).number("run")
        ids = [row.id for row in project.prompts.page(set_id, 0, 10_000)]
        keys: dict[tuple[int, int], int] = {}
        cells = [(number, identity) for number in range(comparisons) for identity in range(3)]
        written = [
            OutputSpec(run_id=run, prompt_id=key, sample=0, seed=1, text=text_of(*cell))
            for key, cell in zip(ids, cells, strict=True)
        ]
        project.outputs.record_many(written)
        keys |= dict(zip(cells, project.outputs.ids(), strict=True))
        specs = []
        first = [new_uuid() for _ in range(comparisons)]
        for position in range(comparisons + repeats):
            cell = position % comparisons
            items = tuple(ComparisonItem(keys[cell, one], IDENTITIES[one]) for one in range(3))
            digest = texts_digest(sha256_text(text_of(cell, one)) for one in range(3))
            again = position >= comparisons
            specs.append(
                ComparisonSpec(
                    id=new_uuid() if again else first[cell], position=position, axis=AXIS, task=TASK, theme=THEME,
                    items=items, texts_sha256=digest, repeat_of=first[cell] if again else None,
                )
            )  # fmt: skip
        plan = PlanSpec(study_id=study, title="canaryplanqx", axis=AXIS, seed=7, settings=settings)
        return project.judging.add_plan(plan, specs).uuid("plan")


def make(path: Path, plan: str, *codes: str, folder: Path | None = None) -> tuple[MadePacket, ...]:
    with Project.open(path) as project:
        return make_packets(JobContext(), project, plan_id=plan, codes=codes, folder=folder or path.parent / "packets")


def packet_of_six(path: Path) -> Path:
    """R02's packet: six comparisons and two repeats. R01 has another."""
    asked = {"consent_text": "Do you agree?", "criterion_ratings": True, "ask_background": True}
    first, second = (path.parent / "packets" / f"packet-{code}.bpacket" for code in ("R01", "R02"))

    def both() -> None:
        made = make(path, coordinator(path, repeats=2, **asked), "R01", "R02")
        assert [one.path for one in made] == [first, second]

    made_once("packets of six comparisons", both, path, first, second)
    return second


def merge(path: Path, *packets: Path, accept_raters: bool = False) -> MergeReport:
    with Project.open(path) as project:
        return merge_packets(JobContext(), project, packets, accept_raters=accept_raters)


@contextmanager
def judging(path: Path, **options: Any) -> Iterator[JudgingSession]:
    """A packet opened as a rater opens it."""
    with Project.open(path) as project:
        door = open_judging(PacketStore(project), **options)
        try:
            yield door
        finally:
            door.close(10)


def say(
    project: Project,
    index: int,
    outcome: str,
    chosen: int | None = None,
    *,
    note: str = "",
    viewed: tuple[tuple[float, bool], ...] = (),
) -> str:
    """An answer to a packet's comparison, in place of what was said before; the judgment's id. `chosen`: a card."""
    (session,), (plan,) = project.judging.sessions(), project.judging.plans()
    row = project.judging.comparisons(plan.id)[index]
    before = [one for one in project.judging.judgments(session.id) if one.comparison_id == row.id]
    spec = JudgmentSpec(
        session_id=session.id, comparison_id=row.id, outcome=outcome, chosen=chosen,
        shown=tuple(range(len(row.items))), texts_sha256=row.texts_sha256, note=note, active_seconds=1.25,
        supersedes=before[0].id if before else None,
        detail={"viewed": [{"seconds": seconds, "end": end} for seconds, end in viewed]} if viewed else {},
    )  # fmt: skip
    return project.judging.record(spec).uuid("judgment")


def answer(path: Path, *said: tuple[int, str, int | None]) -> Path:
    """Answers to some comparisons of a packet, by direct writes."""
    with Project.open(path) as project:
        for index, outcome, chosen in said:
            say(project, index, outcome, chosen)
    return path


def copied(path: Path, name: str) -> Path:
    """A copy of a closed packet under another name in the same folder."""
    return Path(shutil.copyfile(path, path.with_name(name)))


def edited(path: Path, *statements: str, name: str = "edited.bpacket") -> Path:
    """A copy of a packet that somebody changed with SQL."""
    copy = copied(path, name)
    with closing(sql(copy)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return copy


def chosen_texts(project: Project, code: str) -> dict[str, str | None]:
    """What a rater chose, by comparison: the text itself, so that no order of cards is in it."""
    raters = {row.code: row.id for row in project.judging.raters()}
    found = {}
    for session in project.judging.sessions():
        if session.rater_id == raters[code]:
            rows = {row.id: row for row in project.judging.comparisons(session.plan_id)}
            for said in project.judging.judgments(session.id):
                item = None if said.chosen is None else rows[said.comparison_id].items[said.chosen].key
                found[said.comparison_id] = None if item is None else project.texts([item])[item]
    return found


def random_answers(chance: random.Random, comparisons: int, number: int) -> list[tuple[int, str, int | None]]:
    said = []
    for _ in range(number):
        outcome = chance.choice(("choice", "choice", "choice", "tie", "none", "skip"))
        said.append((chance.randrange(comparisons), outcome, chance.randrange(3) if outcome == "choice" else None))
    return said


def finished(path: Path) -> Path:
    with Project.open(path) as inside:
        finish_packet(inside)
    return path


def state_of(path: Path) -> tuple[bytes, int]:
    return path.read_bytes(), path.stat().st_mtime_ns


def rated_through_the_door(path: Path, *, finish: bool = True) -> list[str]:
    """The second card of every comparison, chosen as a person does; the texts that were chosen."""
    texts = []
    with judging(path) as door:
        (offer,) = door.ask(offer_plans).result().offers
        view = door.ask(open_session, offer.token, "R02", True, "left-handed").result()
        while view.comparison is not None:
            texts.append(view.comparison.texts[1].rstrip(" "))
            views = tuple(TextView(card + 0.5, card == 1) for card in range(len(view.comparison.texts)))
            view = door.ask(record_choice, view.comparison.token, "choice", 1, "a note", None, views).result()
        if finish:
            door.ask(reveal).result()
    return texts
