"""A model that judges, from the window: against a scripted server on loopback, in the program's own model process."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from bad_server import Answer, Asked, BadServer, error, good
from pytestqt.qtbot import QtBot

from biasprint.core.jobs import JobContext
from biasprint.core.judging.looking import record_look
from biasprint.core.machine import endpoints
from biasprint.core.machine.endpoints import Endpoint
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, RaterSpec, RunSpec
from biasprint.core.runs.compare import compare
from biasprint.core.runs.setup import add_prompts
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.queue import JudgingFacts, Ticket, lane
from biasprint.desktop.operations.writers import LocalModel, WriterChoices, read_writers
from biasprint.desktop.panels.generate.judging import JudgingCard
from biasprint.desktop.panels.generate.panel import DRAW, GeneratePanel
from biasprint.desktop.widgets import Label

PATIENCE = 60_000
COMPARISONS = 3  # 1 task × 3 themes; of two cards, so that there are twice as many orders


@pytest.fixture(autouse=True)
def cancelled_at_the_end(shared_models: None, window: MainWindow) -> Iterator[None]:
    """What a test left running or waiting is given up, not waited for."""
    yield
    window.jobs.cancel_all()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Texts for every identity of an axis, and two plans of comparisons; a person has begun one of them."""
    path = tmp_path / "audit.biasprint"
    with Project.create(path) as project:
        themes = ["stars", "rain", "ghost"]
        added = add_prompts(project, "creativity", tasks=["haiku"], themes=themes, axes=["orientation"])
        generator = project.runs.add_generator(GeneratorSpec(backend="b", model="author")).number("generator")
        run = RunSpec(study_id=1, prompt_set_id=added.set_id, generator_id=generator, seed=1)
        run_id = project.runs.start(run).number("run")
        project.outputs.record_many(
            [
                OutputSpec(run_id=run_id, prompt_id=row.id, sample=0, seed=0, text=f"[{row.identity}] {row.theme}")
                for row in project.prompts.page(added.set_id, 0, 1000)
            ]
        )
        for seed in (1, 2):
            plan = compare(JobContext(), project, study_id=1, axes=("orientation",), seed=seed).plan_id
        rater = project.judging.add_rater(RaterSpec(code="Somebody in person", kind="person")).uuid("rater")
        project.judging.open_session(plan, rater)
        record_look(project, "a test")  # what these tests are about is not the question before it
    return path


@pytest.fixture
def serve() -> Iterator[Callable[..., BadServer]]:
    running: list[BadServer] = []

    def start(script: Callable[[Asked], Answer]) -> BadServer:
        running.append(BadServer(script))
        running[-1].__enter__()
        endpoints.save(Endpoint("lab", running[-1].url, retries=0, concurrency=1))
        return running[-1]

    yield start
    for server in running:
        server.__exit__()


def open_card(qtbot: QtBot, window: MainWindow, file: Path, *, read_only: bool = False) -> JudgingCard:
    with qtbot.waitSignal(window.session.opened):
        window.session.open(file, read_only=read_only)
    window.show_panel("generate")
    return on_draw(qtbot, window)


def on_draw(qtbot: QtBot, window: MainWindow) -> JudgingCard:
    panel = window.panels["generate"]
    assert isinstance(panel, GeneratePanel)
    panel.tabs.setCurrentIndex(DRAW)
    qtbot.waitUntil(lambda: panel.draw.currentWidget() is panel.draw.setup, timeout=PATIENCE)
    card = panel.draw.judging
    qtbot.waitUntil(lambda: card._facts is not None and card._writers is not None, timeout=PATIENCE)
    return card


def choose_endpoint(qtbot: QtBot, card: JudgingCard) -> None:
    qtbot.waitUntil(lambda: card.picker.endpoint.findData("lab") >= 0, timeout=PATIENCE)
    card.picker.choose("openai_compatible", "lab", "small")
    qtbot.waitUntil(card.start.isEnabled, timeout=PATIENCE)


def judged(qtbot: QtBot, card: JudgingCard) -> None:
    """Start, and wait until the end is told."""
    card.start.click()
    assert not card.start.isVisible()
    qtbot.waitUntil(lambda: not card.start.isHidden(), timeout=PATIENCE)


def sessions(window: MainWindow) -> list[tuple[str, int]]:
    """Plan and number of replies of each session of a model."""
    project = window.project
    assert project is not None
    raters = {row.id for row in project.judging.raters() if row.kind == "model"}
    return [
        (row.plan_id, len(project.judging.judgments(row.id)))
        for row in project.judging.sessions()
        if row.rater_id in raters
    ]


def past(card: JudgingCard) -> list[str]:
    return [label.text() for label in card.past.findChildren(Label)[1:] if not label.isHidden()]


@pytest.mark.soak
def test_a_judge_that_always_takes_the_first_card_is_found_out(
    qtbot: QtBot, window: MainWindow, file: Path, serve: Callable[..., BadServer]
):
    server = serve(lambda asked: good("A"))
    card = open_card(qtbot, window, file)
    choose_endpoint(qtbot, card)
    assert card.plans.itemText(0) == "all 2 plans"
    judged(qtbot, card)
    # Two plans of three comparisons in two orders: the first card is another text each time.
    assert [count for _, count in sessions(window)] == [2 * COMPARISONS, 2 * COMPARISONS]
    said = "12 of 12 replies are there. The choice turned with the order of the cards in 6 of 6 comparisons."
    assert card.state.text() == said
    asked = [one for one in server.requests if "messages" in one.body]
    assert all("=== A " in one.prompt for one in asked[-12:])
    qtbot.waitUntil(lambda: bool(past(card)), timeout=PATIENCE)
    assert past(card)[1] == "6 of 6 replies; the order decided 3 of 3 comparisons (100%)."


def test_one_plan_can_be_chosen_and_nothing_of_people_is_shown(
    qtbot: QtBot, window: MainWindow, file: Path, serve: Callable[..., BadServer]
):
    serve(lambda asked: good("Both are lovely."))
    card = open_card(qtbot, window, file)
    choose_endpoint(qtbot, card)
    card.plans.setCurrentIndex(1)
    plan = card.plans.currentData()
    judged(qtbot, card)
    assert sessions(window) == [(plan, 2 * COMPARISONS)]
    assert card.state.text() == (
        "6 of 6 replies are there. 6 cannot be read (6 in other words than the answers). "
        "No comparison has a choice in every order of its cards."
    )
    said = "without an answer it counts nowhere."
    qtbot.waitUntil(lambda: bool(past(card)) and past(card)[1].endswith(said), timeout=PATIENCE)
    assert len(past(card)) == 2  # the model's session; the person's is not among them
    assert not any("Somebody" in words for words in past(card))
    project = window.project
    assert project is not None
    assert [row.revealed_at for row in project.judging.sessions() if row.rater_id in people(project)] == [None]


def people(project: Project) -> set[str]:
    return {row.id for row in project.judging.raters() if row.kind == "person"}


def test_the_teaching_model_is_not_offered_as_a_judge(qtbot: QtBot, window: MainWindow, file: Path):
    card = open_card(qtbot, window, file)
    assert any(one.name == "teaching" for one in read_writers(JobContext()).models)
    assert card._writers is not None
    assert not any(one.name == "teaching" for one in card._writers.models)


def test_cancelled_in_the_middle_what_came_is_kept_and_start_goes_on(
    qtbot: QtBot, window: MainWindow, file: Path, serve: Callable[..., BadServer]
):
    opened = threading.Event()
    prompts: list[str] = []

    def script(asked: Asked) -> Answer:
        async def give(writer: asyncio.StreamWriter, asked: Asked) -> None:
            if "=== A " in asked.prompt:
                prompts.append(asked.prompt)
            while len(prompts) > 3 and not opened.is_set():
                await asyncio.sleep(0.01)
            await good("A")(writer, asked)

        return give

    serve(script)
    try:
        card = open_card(qtbot, window, file)
        choose_endpoint(qtbot, card)
        card.plans.setCurrentIndex(1)
        card.start.click()
        qtbot.waitUntil(lambda: card.state.text() == "3 of 6 replies to this plan.", timeout=PATIENCE)
        card.pause.click()
        assert card.state.text().startswith("Paused")
        assert card.pause.text() == "Go on"
        card.cancel.click()
        qtbot.waitUntil(lambda: not card.start.isHidden(), timeout=PATIENCE)
        assert card.state.text().startswith("Cancelled. What came back is saved")
        assert [count for _, count in sessions(window)] == [3]
    finally:
        opened.set()
    judged(qtbot, card)
    assert [count for _, count in sessions(window)] == [6]
    assert len(set(prompts)) == 6  # only what lacked was asked for


def test_it_waits_while_a_run_is_written(qtbot: QtBot, window: MainWindow, file: Path, serve: Callable[..., BadServer]):
    serve(lambda asked: good("A"))
    card = open_card(qtbot, window, file)
    choose_endpoint(qtbot, card)
    writes = Ticket(1, 1, 1, 0)
    lane().join(writes)
    with lane().turn(writes, JobContext()):
        card.start.click()
        qtbot.waitUntil(lambda: len([one for one in lane().tickets() if one.began]) == 2, timeout=PATIENCE)
        assert card.state.text() == "Opening the model, or waiting for its turn…"
        assert sessions(window) == []
    qtbot.waitUntil(lambda: not card.start.isHidden(), timeout=PATIENCE)
    assert [count for _, count in sessions(window)] == [6, 6]
    assert not lane().tickets()


def test_failures_are_told_and_the_session_stays_open(
    qtbot: QtBot, window: MainWindow, file: Path, serve: Callable[..., BadServer]
):
    serve(lambda asked: error("500 Internal Server Error", "No."))
    card = open_card(qtbot, window, file)
    choose_endpoint(qtbot, card)
    card.plans.setCurrentIndex(1)
    judged(qtbot, card)
    assert "6 failed." in card.state.text()
    assert "6 met an error of the server." in card.state.text()
    qtbot.waitUntil(lambda: bool(past(card)), timeout=PATIENCE)
    assert past(card)[1].endswith("not finished: the same choice goes on.")


def test_a_rater_who_is_blind_hears_nothing_of_it(
    qtbot: QtBot, window: MainWindow, file: Path, serve: Callable[..., BadServer]
):
    opened = threading.Event()

    def script(asked: Asked) -> Answer:
        async def give(writer: asyncio.StreamWriter, asked: Asked) -> None:
            while "=== A " in asked.prompt and not opened.is_set():
                await asyncio.sleep(0.01)
            await good("A")(writer, asked)

        return give

    serve(script)
    try:
        card = open_card(qtbot, window, file)
        choose_endpoint(qtbot, card)
        card.start.click()
        handle = card._handle
        assert handle is not None
        assert "small" in handle.title
        window.show_panel("judge")
        window.set_blind(True)
        assert "small" not in handle.title + handle.objectName()
        assert "generate" not in window.panels
        opened.set()
        qtbot.waitUntil(lambda: not handle.active, timeout=PATIENCE)
        assert not handle.result_text
    finally:
        opened.set()
    window.set_blind(False)
    qtbot.waitUntil(lambda: handle.result_text.startswith("12 of 12 replies"), timeout=PATIENCE)


def test_without_a_plan_the_reason_is_said(
    qtbot: QtBot, window: MainWindow, file: Path, serve: Callable[..., BadServer]
):
    serve(lambda asked: good("A"))
    card = open_card(qtbot, window, file)
    choose_endpoint(qtbot, card)
    card.show_facts(JudgingFacts())  # as read of a project without plans
    assert card.refused.text.text() == "There is nothing to judge yet: draw comparisons first."
    assert not card.start.isEnabled()


def test_a_plan_that_was_drawn_meanwhile_is_offered(qtbot: QtBot, window: MainWindow, file: Path):
    card = open_card(qtbot, window, file)
    assert card.plans.count() == 3  # all, and each
    window.show_panel("judge")
    project = window.project
    assert project is not None
    compare(JobContext(), project, study_id=1, axes=("orientation",), seed=3)
    window.show_panel("generate")
    qtbot.waitUntil(lambda: card.plans.count() == 4, timeout=PATIENCE)
    assert card.plans.itemText(0) == "all 3 plans"


def test_without_a_language_model_the_way_to_them_is_shown(qtbot: QtBot, window: MainWindow, file: Path):
    card = open_card(qtbot, window, file)
    here = read_writers(JobContext())
    assert "synthetic" in {info.name for info in here.backends}
    assert card.picker.backend.findData("synthetic") < 0  # it is no language model, and is never offered
    card.show_writers(WriterChoices(backends=here.backends))
    assert card.refused.text.text().startswith("No language model is here yet")
    taught = (LocalModel("teaching", "Teaching model", "gguf", judges=False),)
    card.show_writers(WriterChoices(backends=here.backends, models=taught))  # Models says “1 model here”
    assert card.refused.text.text().startswith("“Teaching model” answers no question, so it cannot judge")
    assert card.picker.model.placeholderText() == "none here that can judge"
    coming = "The local-model engine (llama.cpp) is not installed here. It is still being prepared."
    without = tuple(replace(info, unavailable=coming) for info in here.backends if info.name == "llama_cpp")
    models = (LocalModel("small", "Small", "gguf"),)
    card.show_writers(replace(here, backends=without, models=models, endpoints=()))
    assert card.refused.text.text() == coming  # the models are here, what opens them is not
    assert not card.start.isEnabled()
    assert not card.to_models.isHidden()
    card.to_models.click()
    assert window.current == "models"


def test_nothing_can_be_judged_in_a_read_only_project(
    qtbot: QtBot, window: MainWindow, file: Path, serve: Callable[..., BadServer]
):
    serve(lambda asked: good("A"))
    card = open_card(qtbot, window, file, read_only=True)
    card.picker.choose("openai_compatible", "lab", "small")
    assert not card.why_not()
    assert not card.start.isEnabled()


def test_a_model_is_tested_as_a_judge_and_the_page_is_offered(
    qtbot: QtBot, window: MainWindow, file: Path, serve: Callable[..., BadServer], tmp_path: Path
) -> None:
    serve(lambda asked: good("A"))
    card = open_card(qtbot, window, file)
    choose_endpoint(qtbot, card)
    assert card.test.isEnabled()
    assert card.page.isHidden()
    path = tmp_path / "judge.html"
    card.certify(path)
    qtbot.waitUntil(lambda: not card.page.isHidden(), timeout=PATIENCE)
    assert card.state.text() == "320 of 320 replies are there. Faults found: place of the card."
    assert "It prefers the first card." in path.read_text(encoding="utf-8")
    assert not sessions(window)  # it is no judging of the project's comparisons
