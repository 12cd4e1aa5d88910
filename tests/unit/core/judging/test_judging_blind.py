"""Blind means unreachable: from what a window holds, no chain of references leads to what is hidden."""

import gc
import sys
import threading
import types
from collections.abc import Iterable
from pathlib import Path

import pytest

from biasprint.core.errors import AppError
from biasprint.core.judging import session
from biasprint.core.judging.blind import BlindComparison, SessionView, Vault
from biasprint.core.judging.plan import texts_digest
from biasprint.core.judging.session import offer_plans, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import JudgingWork, go_back, list_entries, record_choice, resume, save_note, touch
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem
from biasprint.core.project.specs import (
    ComparisonSpec,
    GeneratorSpec,
    OutputSpec,
    PlanSpec,
    PromptSetSpec,
    PromptSpec,
    RunSpec,
)
from biasprint.core.text import sha256_text

pytestmark = pytest.mark.usefixtures("own_statements")
# Words that occur nowhere else, so that finding one is finding what is hidden.
IDENTITIES = ("zqidentityone", "zqidentitytwo")
HIDDEN = (*IDENTITIES, "zqaxis", "zqmodel", "zqplan", "zqfile", "zqprompt")
SECRET_TYPES = {
    "Project",
    "ProjectStore",
    "JudgingWork",
    "RaterSession",
    "ComparisonRow",
    "PlanRow",
    "SessionRow",
    "Writer",
}


@pytest.fixture
def project_path(tmp_path: Path) -> Path:
    """A project whose hidden parts all carry a word of `HIDDEN`."""
    path = tmp_path / "zqfile.biasprint"
    with Project.create(path) as project:
        study = project.studies.add("creativity", "study").number("study")
        prompts = tuple(
            PromptSpec(
                key=f"zqprompt/{theme}/{name}", text="write", task="haiku", theme=theme, axis="zqaxis", identity=name
            )
            for theme in ("stars", "rain", "bread")
            for name in IDENTITIES
        )
        changes = project.prompts.add_set(study, PromptSetSpec(name="set", recipe={}, prompts=prompts))
        prompt_set = changes.number("prompt_set")
        generator = project.runs.add_generator(GeneratorSpec(backend="zqmodel", model="zqmodel")).number("generator")
        run = project.runs.start(
            RunSpec(study_id=study, prompt_set_id=prompt_set, generator_id=generator, seed=1)
        ).number("run")
        for row in project.prompts.page(prompt_set, 0, 100):
            text = f"A text on {row.theme}, number {row.id}."
            project.outputs.record(OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, text=text)).result()
        rows = list(project.outputs.each())
        comparisons = [
            ComparisonSpec(
                position=position,
                axis="zqaxis",
                task="haiku",
                theme=theme,
                items=tuple(ComparisonItem(row.id, row.identity) for row in rows if row.theme == theme),
                texts_sha256=texts_digest(sha256_text(row.text) for row in rows if row.theme == theme),
            )
            for position, theme in enumerate(("stars", "rain", "bread"))
        ]
        project.judging.add_plan(PlanSpec(study_id=study, title="zqplan", axis="zqaxis", seed=1), comparisons)
    return path


def reachable(roots: Iterable[object]) -> list[object]:
    """Everything that references lead to: attributes, closures, containers, threads; of modules only ours."""
    outside = {id(vars(module)) for name, module in list(sys.modules.items()) if not name.startswith("biasprint.")}
    seen: dict[int, object] = {}
    waiting = list(roots)
    while waiting:
        one = waiting.pop()
        foreign_class = isinstance(one, type) and not one.__module__.startswith("biasprint.")
        if id(one) in seen or id(one) in outside or isinstance(one, types.ModuleType) or foreign_class:
            continue
        seen[id(one)] = one
        waiting.extend(gc.get_referents(one))
    return list(seen.values())


def leaks(roots: Iterable[object]) -> list[str]:
    found = reachable(roots)
    words = [f"string {one!r}" for one in found if isinstance(one, str) and any(word in one for word in HIDDEN)]
    return words + [f"object {type(one).__name__}" for one in found if type(one).__name__ in SECRET_TYPES]


def test_the_search_itself_finds_what_is_held_openly(project_path):
    with Project.open(project_path) as project:
        store = ProjectStore(project)
        holder = types.SimpleNamespace(call=lambda: store)
        found = leaks([holder])
        assert "object Project" in found
        assert any("zqfile" in line for line in found)


def test_no_reference_from_an_open_session_leads_to_what_is_hidden(project_path):
    with Project.open(project_path) as project:
        door = open_judging(ProjectStore(project))
        offer = door.ask(offer_plans, "R01").result().offers[0]
        futures = [door.ask(open_session, offer.token, "R01")]
        view = futures[0].result()
        futures += [
            door.ask(save_note, view.comparison.token, "note"),
            door.ask(record_choice, view.comparison.token, "choice", 0),
        ]
        futures += [
            door.ask(go_back),
            door.ask(resume),
            door.ask(list_entries),
            door.ask(touch),
            door.ask(offer_plans, "R01"),
        ]
        answers = [future.result() for future in futures]
        thread = next(one for one in threading.enumerate() if one.name == "judging")
        assert leaks([door, offer, view, futures, answers, thread]) == []
        door.close()


def test_an_error_leads_nowhere_and_names_nothing(project_path):
    with Project.open(project_path) as project:
        door = open_judging(ProjectStore(project))
        offer = door.ask(offer_plans, "R01").result().offers[0]
        token = door.ask(open_session, offer.token, "R01").result().comparison.token
        project.close()
        future = door.ask(record_choice, token, "choice", 0)
        with pytest.raises(AppError) as told:
            future.result()
        assert "not" in told.value.message
        assert leaks([future, told.value, vars(told.value)]) == []
        door.close()


def give_it_all_away(work: JudgingWork) -> str:
    """A command that nobody put on the list."""
    return work.store.project.path.name


def test_a_command_that_is_not_on_the_list_is_refused(project_path):
    with Project.open(project_path) as project:
        door = open_judging(ProjectStore(project))
        future = door.ask(give_it_all_away)
        with pytest.raises(AppError, match="no such command") as told:
            future.result()
        assert leaks([told.value, vars(told.value)]) == []
        assert door.ask(offer_plans).result().offers, "and the next question is answered"
        door.close()


@pytest.mark.parametrize("reveal_it", [lambda work: work, lambda work: ("zqfile",), lambda work: work.store.plans()])
def test_an_answer_of_another_kind_than_what_may_be_seen_never_crosses(project_path, monkeypatch, reveal_it):
    monkeypatch.setitem(session.COMMANDS, reveal_it, "That was not told.")
    with Project.open(project_path) as project:
        door = open_judging(ProjectStore(project))
        future = door.ask(reveal_it)
        with pytest.raises(AppError, match="That was not told"):
            future.result()
        assert leaks([future]) == []
        door.close()


def test_every_command_is_a_function_that_leads_to_nothing(project_path):
    with Project.open(project_path) as project:
        door = open_judging(ProjectStore(project))
        offer = door.ask(offer_plans, "R01").result().offers[0]
        door.ask(open_session, offer.token, "R01").result()
        assert all(isinstance(command, types.FunctionType) for command in session.COMMANDS)
        assert leaks([*session.COMMANDS, *session.COMMANDS.values()]) == []
        door.close()


def test_what_is_in_a_vault_cannot_be_reached_and_comes_back_once(project_path):
    project = Project.open(project_path)
    vault = Vault(project)
    known = id(project)
    del project
    thread = next(one for one in threading.enumerate() if one.name == "vault")
    assert leaks([vault, vars(vault), thread]) == []
    back = vault.take()
    assert id(back) == known
    with pytest.raises(RuntimeError, match="empty"):
        vault.take()
    back.close()


def test_what_is_in_a_vault_can_be_used_where_it_is():
    vault = Vault(["zqfile"])
    vault.use(lambda kept: kept.append("zqaxis"))
    assert vault.use(len) == 2
    assert leaks([vault, vars(vault)]) == []
    with pytest.raises(RuntimeError, match="ZeroDivisionError") as told:
        vault.use(lambda kept: 1 / 0)
    assert leaks([told.value]) == []
    assert vault.take() == ["zqfile", "zqaxis"]
    with pytest.raises(RuntimeError, match="empty"):
        vault.use(len)


def test_a_blind_comparison_has_only_the_fields_that_may_be_seen():
    fields = {"token", "ordinal", "title", "criteria", "texts", "note", "notes", "ratings"}
    fields |= {"question", "instructions", "asks_worst"}  # what the plan asks, the same of every comparison
    fields |= {"graded", "spans"}  # the same; the words that this rater marked
    fields |= {"prompt"}  # where it names nothing that is hidden
    fields |= {"recommended"}  # the place of a card, of a plan that declares recommendations
    assert set(BlindComparison.__dataclass_fields__) == fields
    assert set(SessionView.__dataclass_fields__) == {
        "comparison", "answer", "progress", "revealed", "practice", "unread", "asks_confidence",
    }  # fmt: skip


def test_tokens_are_new_in_every_session(project_path):
    tokens = []
    for _ in range(2):
        with Project.open(project_path) as project:
            door = open_judging(ProjectStore(project))
            offer = door.ask(offer_plans, "R01").result().offers[0]
            tokens.append({door.ask(open_session, offer.token, "R01").result().comparison.token, offer.token})
            door.close()
    assert not tokens[0] & tokens[1]
