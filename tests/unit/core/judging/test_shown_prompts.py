"""Prompts above the texts: shown where they are equal and name nothing that stays hidden, here and in packets."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from biasprint.core.jobs import JobContext
from biasprint.core.judging.known import KnownAnswer
from biasprint.core.judging.packets.make import make_packets
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.judging.packets.packet import PacketStore, finish_packet
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.judging.session import JudgingSession, offer_plans, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.wording import PromptGuard
from biasprint.core.judging.work import record_choice
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.prompts.axes import load_axis
from biasprint.core.runs.compare import ComparedPlan, compare
from biasprint.core.studies.kit.importing import store_axis

MODELS = ("/models/Qwen2.5-1.5B-Instruct.gguf", "Mistral-7B")
PLAIN = ("Write a haiku about stars.", "Explain how to sort a list in Python.", "Describe Paris in the summer.")
NAMING = (
    "Write a haiku about stars, being woman.",
    "Write of her castle.",
    "Say what womanhood is.",
    "Say what wo\u200bmen want.",
    "Tell a story about two BLACK friends.",
    "An Asian-American story.",
    "What is a good age, and which gender?",
    "Write a letter for Emily.",
    "Write a letter for Xochitl Ramirez.",
    "Ask Mrs. X.",
    "What would Qwen say?",
    "Write as mistral would.",
    "Read notes/plan_7.txt first.",
    "It is in /home/anna/study/ somewhere.",
    "Mail it to somebody@example.org.",
    "This belongs to study-of-names 7.",
    "List the fathers of physics.",
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    with Project.create(tmp_path / "study-of-names_7.biasprint") as made:
        yield made


def with_texts(project: Project, prompts: tuple[str, ...]) -> int:
    """A study of haiku, whose prompts two generators answered; its id."""
    study = project.studies.add("creativity", "Creativity").number("study")
    for axis in ("gender", "race", "age"):
        store_axis(project, load_axis(axis))
    specs = tuple(
        PromptSpec(key=f"p{number}", text=text, task="haiku", theme=f"thing{number}", axis="", identity="default")
        for number, text in enumerate(prompts)
    )
    set_id = project.prompts.add_set(study, PromptSetSpec(name="set", recipe={}, prompts=specs)).number("prompt_set")
    for model in MODELS:
        generator = project.runs.add_generator(GeneratorSpec(backend="llama_cpp", model=model)).number("generator")
        run = project.runs.start(RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator, seed=1))
        project.outputs.record_many(
            [
                OutputSpec(
                    run_id=run.number("run"), prompt_id=row.id, sample=0, seed=0, text=f"Line {generator} of {row.id}."
                )
                for row in project.prompts.page(set_id)
            ]
        )
    return study


def drawn(project: Project, prompts: tuple[str, ...], **asked: object) -> ComparedPlan:
    return compare(JobContext(), project, study_id=with_texts(project, prompts), kind="model", seed=1, **asked)


def rated_prompts(door: JudgingSession, code: str) -> set[str]:
    """What stood above the texts of every comparison; all are answered."""
    view = door.ask(open_session, door.ask(offer_plans, code).result().offers[0].token, code).result()
    prompts = set()
    while view.comparison is not None:
        prompts.add(view.comparison.prompt.rstrip(" "))
        view = door.ask(record_choice, view.comparison.token, "tie").result()
    door.close(5)
    return prompts


@pytest.mark.parametrize("prompt", NAMING)
def test_a_prompt_that_names_what_stays_hidden_is_withheld(project: Project, prompt: str):
    with_texts(project, (prompt,))
    assert PromptGuard(project).names_hidden(prompt, ())


@pytest.mark.parametrize("prompt", PLAIN)
def test_a_prompt_that_names_nothing_may_be_read(project: Project, prompt: str):
    with_texts(project, (prompt,))
    guard = PromptGuard(project)
    assert not guard.names_hidden(prompt, ())
    assert guard.names_hidden(prompt, (prompt.split()[2],)), "whatever the cards stand for stays hidden too"


def test_two_models_show_the_prompt_that_both_answered_and_the_lead_is_told_how_many(project: Project):
    plan = drawn(project, (*PLAIN, *NAMING))
    assert (plan.prompts_shown, plan.prompts_withheld) == (len(PLAIN), len(NAMING))
    many = len(PLAIN) + len(NAMING)
    assert (
        plan.prompt_words == f"3 of {many} comparisons show their prompt; {len(NAMING)} prompts name what stays hidden."
    )
    door = open_judging(ProjectStore(project))
    (offer,) = door.ask(offer_plans, "R01").result().offers
    assert (offer.prompts_shown, offer.prompts_withheld) == (True, False)
    assert rated_prompts(door, "R01") == {"", *PLAIN}


def test_prompts_that_differ_between_the_cards_are_not_shown_and_the_start_says_so(project: Project):
    with_texts(project, PLAIN)
    study = project.studies.all()[0].id
    prompts = tuple(
        PromptSpec(key=f"{name}", text=f"Write for {name}.", task="haiku", theme="x", axis="gender", identity=name)
        for name in ("man", "woman", "non-binary")
    )
    set_id = project.prompts.add_set(study, PromptSetSpec(name="more", recipe={}, prompts=prompts)).number("prompt_set")
    run = project.runs.start(RunSpec(study_id=study, prompt_set_id=set_id, generator_id=1, seed=1)).number("run")
    for row in project.prompts.page(set_id):
        project.outputs.record_many([OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, text=row.key)])
    plan = compare(JobContext(), project, study_id=study, axes=["gender"], seed=1)
    assert plan.prompt_words == "No comparison shows its prompt: the prompts name what stays hidden."
    door = open_judging(ProjectStore(project))
    (offer,) = door.ask(offer_plans, "R01").result().offers
    assert (offer.prompts_shown, offer.prompts_withheld) == (False, True)
    assert rated_prompts(door, "R01") == {""}


def test_a_plan_without_prompts_and_one_with_hidden_checks_show_none(project: Project):
    plan = drawn(project, PLAIN, show_prompt=False)
    assert (plan.prompts_shown, plan.prompts_withheld, plan.prompt_words) == (0, 0, "")
    assert "show_prompt" not in project.judging.plans()[0].settings
    checks = [KnownAnswer(("Good.", "Bad."), 0, "haiku", "stars")]
    study = project.studies.all()[0].id
    checked = compare(JobContext(), project, study_id=study, kind="model", seed=2, checks=checks)
    assert checked.prompts_shown == 0, "a check has no prompt, and would be told apart"
    for row in project.judging.plans():
        assert not PlanSettings.of(row.settings).show_prompt


def test_a_plan_of_an_earlier_version_shows_none():
    assert not PlanSettings.of({"kind": "model", "notes": True}).show_prompt


def test_a_packet_carries_its_own_prompts_and_no_other(project: Project, tmp_path: Path):
    plan = drawn(project, (*PLAIN, *NAMING), repeat_share=0.5)
    ctx = JobContext()
    first, second = make_packets(ctx, project, plan_id=plan.plan_id, codes=["R01", "R02"], folder=tmp_path / "out")
    raw = first.path.read_bytes()
    for prompt in (*NAMING, *MODELS, "study-of-names"):
        assert prompt.encode() not in raw, "in no page of the file"
    with closing(sqlite3.connect(first.path)) as connection:
        (settings,) = connection.execute("SELECT settings FROM plan").fetchone()
    for prompt in PLAIN:
        assert prompt in settings
    with Project.open(first.path) as packet:
        carried = list(packet.judging.plans()[0].settings["prompts"].values())
        assert len(set(carried)) == len(carried), "a hidden repeat is not told by an equal prompt"
        door = open_judging(PacketStore(packet))
        (offer,) = door.ask(offer_plans).result().offers
        assert offer.prompts_shown
        assert rated_prompts(door, "R01") == {"", *PLAIN}
        finish_packet(packet)
    (came,) = merge_packets(ctx, project, [first.path]).files
    assert (came.refused, came.changed_texts) == ("", ())
    assert second.comparisons == first.comparisons
