"""The queue of the generate panel: order, live text, pause, failures by kind, retry of failures, and going on later.

Against the synthetic author and a scripted server on loopback, in the program's own model process.
"""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bad_server import Answer, Asked, BadServer, end_stream, error, events, good, send_event, start_stream
from cli_support import narrow
from made_once import made_once
from PySide6.QtWidgets import QSpinBox
from pytestqt.qtbot import QtBot

from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.machine import endpoints
from biasprint.core.machine.endpoints import Endpoint
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec
from biasprint.core.runs.generate import GenerateResult, start_run
from biasprint.core.runs.setup import add_prompts, generator_spec
from biasprint.core.scorers.protocol import ScorerInfo, ScoreValue
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.queue import Lane, Ticket, lane, only_scored
from biasprint.desktop.operations.runs import FAILURES, Tally, add_to_tally, tally_words
from biasprint.desktop.panels.generate.panel import GeneratePanel
from biasprint.desktop.panels.generate.runs import RunListRow
from biasprint.desktop.panels.generate.write import LatestText
from biasprint.desktop.settings import BY_KEY

PATIENCE = 60_000
PROMPTS = 18  # 1 task × 2 themes × (1 default + 8 identities)


@pytest.fixture(autouse=True)
def cancelled_at_the_end(shared_models: None, window: MainWindow) -> Iterator[None]:
    """What a test left running or waiting is given up, not waited for."""
    yield
    window.jobs.cancel_all()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "audit.biasprint"

    def make() -> None:
        with Project.create(path) as project:
            add_prompts(project, "creativity", tasks=["haiku"], themes=["stars", "rain"])

    made_once("18 creative prompts", make, path)
    return path


@pytest.fixture
def panel(qtbot: QtBot, window: MainWindow, file: Path) -> GeneratePanel:
    return open_panel(qtbot, window, file)


def open_panel(qtbot: QtBot, window: MainWindow, file: Path) -> GeneratePanel:
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.session.open(file)
    window.show_panel("generate")
    panel = window.panels["generate"]
    assert isinstance(panel, GeneratePanel)
    qtbot.waitUntil(panel.write.form.start.isEnabled, timeout=PATIENCE)
    return panel


class Gate:
    """Lets a server's answers through once it is open."""

    def __init__(self, behind: Callable[[Asked], Answer]) -> None:
        self.open = threading.Event()
        self._behind = behind

    def __call__(self, asked: Asked) -> Answer:
        async def give(writer: asyncio.StreamWriter, asked: Asked) -> None:
            while not self.open.is_set():
                await asyncio.sleep(0.01)
            await self._behind(asked)(writer, asked)

        return give


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate(lambda asked: good(f"Words for {asked.prompt}."))
    yield made
    made.open.set()


def served(script: Callable[[Asked], Answer], **more: object) -> BadServer:
    server = BadServer(script)
    server.__enter__()
    endpoints.save(Endpoint("lab", server.url, **{"retries": 0, **more}))
    return server


@pytest.fixture
def serve() -> Iterator[Callable[..., BadServer]]:
    running: list[BadServer] = []

    def start(script: Callable[[Asked], Answer], **more: object) -> BadServer:
        running.append(served(script, **more))
        return running[-1]

    yield start
    for server in running:
        server.__exit__()


def choose_endpoint(qtbot: QtBot, panel: GeneratePanel, model: str = "small") -> None:
    """Choose the endpoint, which is known only when the page has looked again."""
    window = panel.shell
    window.show_panel("home")
    window.show_panel("generate")
    picker = panel.write.form.picker
    qtbot.waitUntil(lambda: picker.endpoint.findData("lab") >= 0, timeout=PATIENCE)
    picker.choose("openai_compatible", "lab", model)
    qtbot.waitUntil(panel.write.form.start.isEnabled, timeout=PATIENCE)


def rows(panel: GeneratePanel) -> tuple[RunListRow, ...]:
    return panel.write.runs.model.rows


def states(panel: GeneratePanel) -> list[tuple[str, str]]:
    """Seed and state of each row."""
    return [(row.cells[2], row.state) for row in rows(panel)]


def finish(qtbot: QtBot, panel: GeneratePanel) -> None:
    qtbot.waitUntil(lambda: not panel.shell.jobs.active(), timeout=PATIENCE)


# order


def queue_three(qtbot: QtBot, panel: GeneratePanel, gate: Gate, serve: Callable[..., BadServer]) -> None:
    """One that is written and held up, and two that wait, by their seeds."""
    serve(gate)
    choose_endpoint(qtbot, panel)
    form = panel.write.form
    for seed in (1, 2, 3):
        form.seed.setValue(seed)
        form.start.click()
    qtbot.waitUntil(lambda: states(panel) == [("1", "writing"), ("2", "waiting"), ("3", "waiting")], timeout=PATIENCE)


@pytest.mark.parametrize("on", [True, False])
def test_one_switch_says_whether_texts_are_scored_as_they_arrive(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, monkeypatch: pytest.MonkeyPatch, on: bool
) -> None:
    asked: list[bool] = []

    def write(ctx: JobContext, project: Project, run_id: int, *_: object, **more: object) -> GenerateResult:
        asked.append(more["scoring"] is not None)
        return GenerateResult(run_id, 1, 1, 0, 1, {}, 1)

    monkeypatch.setattr("biasprint.core.runs.generate.generate", write)
    form = panel.write.form
    assert BY_KEY["score_at_once"].default is True
    if on:
        form.scores.click()
    assert window.settings.get("score_at_once") is on
    form.start.click()
    qtbot.waitUntil(lambda: bool(asked), timeout=PATIENCE)
    assert asked == [on]


def test_runs_wait_for_each_other_and_are_written_in_their_order(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, gate: Gate, serve: Callable[..., BadServer]
):
    queue_three(qtbot, panel, gate, serve)
    waiting = rows(panel)[1].entry
    assert waiting is not None
    assert waiting.handle.progress is not None
    assert waiting.handle.progress.note == "waiting for its turn"
    gate.open.set()
    finish(qtbot, panel)
    project = window.project
    assert project is not None
    written = [row.run_id for row in project.outputs.page(limit=100)]
    seeds = {run.id: run.seed for run in project.runs.all()}
    assert [seeds[run] for run in written] == [1] * PROMPTS + [2] * PROMPTS + [3] * PROMPTS
    qtbot.waitUntil(lambda: {state for _, state in states(panel)} == {"done"}, timeout=PATIENCE)


def test_a_run_that_waits_can_be_put_elsewhere_or_taken_out(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, gate: Gate, serve: Callable[..., BadServer]
):
    queue_three(qtbot, panel, gate, serve)
    details = panel.write.runs.details
    panel.write.runs.choose(2)
    assert details.up.isEnabled()
    assert not details.down.isEnabled()
    details.up.click()
    assert states(panel) == [("1", "writing"), ("3", "waiting"), ("2", "waiting")]
    assert panel.write.runs.row.cells[2] == "3"  # what was chosen stays chosen
    panel.write.runs.choose(2)
    details.remove.click()
    assert states(panel) == [("1", "writing"), ("3", "waiting")]
    gate.open.set()
    finish(qtbot, panel)
    project = window.project
    assert project is not None
    assert [run.seed for run in project.runs.all()] == [1, 3]


def test_the_same_run_is_not_put_into_the_queue_twice(
    qtbot: QtBot, panel: GeneratePanel, gate: Gate, serve: Callable[..., BadServer]
):
    queue_three(qtbot, panel, gate, serve)
    form = panel.write.form
    assert not form.start.isEnabled()
    assert "In the queue." in form.state.text()
    form.seed.setValue(4)
    assert form.start.isEnabled()
    assert form.start.text() == "Add to the queue"


def test_cancelling_the_one_that_writes_lets_the_next_go_on(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, gate: Gate, serve: Callable[..., BadServer]
):
    queue_three(qtbot, panel, gate, serve)
    panel.write.progress.cancel.click()
    qtbot.waitUntil(lambda: ("2", "writing") in states(panel), timeout=PATIENCE)
    gate.open.set()
    finish(qtbot, panel)
    qtbot.waitUntil(lambda: ("1", "stopped") in states(panel), timeout=PATIENCE)
    place = next(n for n, row in enumerate(rows(panel)) if row.cells[2] == "1")
    panel.write.runs.choose(place)
    details = panel.write.runs.details
    qtbot.waitUntil(lambda: details.resume.isVisible() and details.resume.isEnabled(), timeout=PATIENCE)
    details.resume.click()
    finish(qtbot, panel)
    project = window.project
    assert project is not None
    assert [project.runs.counts(run.id).done for run in project.runs.all()] == [PROMPTS] * 3


def test_the_queue_survives_a_blind_rating_and_names_nothing_meanwhile(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, gate: Gate, serve: Callable[..., BadServer]
):
    queue_three(qtbot, panel, gate, serve)
    panel.write.runs.choose(2)
    panel.write.runs.details.up.click()
    window.set_blind(True)
    held = " ".join(
        [*(repr(ticket) for ticket in lane().tickets()), *(one.objectName() for one in window.jobs.active())]
    )
    assert not [secret for secret in ("audit", "lab", "small", "openai", "CoGS", "127.0.0.1") if secret in held]
    window.set_blind(False)
    window.show_panel("home")
    window.show_panel("generate")
    again = window.panels["generate"]
    assert isinstance(again, GeneratePanel)
    assert again is not panel
    qtbot.waitUntil(lambda: states(again) == [("1", "writing"), ("3", "waiting"), ("2", "waiting")], timeout=PATIENCE)
    assert rows(again)[1].generator == "lab · small, temperature 0.2"
    gate.open.set()
    finish(qtbot, again)


def test_a_paused_run_in_the_queue_lets_the_next_pass():
    queue, written, contexts = Lane(), [], {name: JobContext() for name in "abc"}
    tickets = {name: Ticket(1, 1, 1, 0, paused=lambda ctx=ctx: ctx.paused) for name, ctx in contexts.items()}
    go = threading.Event()

    def work(name: str) -> None:
        with queue.turn(tickets[name], contexts[name]):
            written.append(name)
            assert go.wait(10)

    for ticket in tickets.values():
        queue.join(ticket)
    contexts["b"].pause()
    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    threads[0].start()
    while not queue.writes(tickets["a"]):
        threads[0].join(0.01)
    for thread in threads[1:]:
        thread.start()
    go.set()
    threads[2].join(10)
    assert written == ["a", "c"]
    contexts["b"].resume()
    threads[1].join(10)
    assert written == ["a", "c", "b"]
    assert queue.tickets() == []


def test_a_ticket_whose_thread_never_begins_holds_up_nobody():
    queue, dead, alive = Lane(), Ticket(1, 1, 1, 0), Ticket(1, 2, 1, 0)
    queue.join(dead)
    queue.join(alive)
    with queue.turn(alive, JobContext()):
        assert queue.writes(alive)


def test_a_run_that_is_cancelled_while_it_waits_leaves_the_queue():
    queue, first, second, ctx = Lane(), Ticket(1, 1, 1, 0), Ticket(1, 2, 1, 0), JobContext()
    queue.join(first)
    queue.join(second)
    ctx.cancel()
    with queue.turn(first, JobContext()):
        with pytest.raises(JobCancelled), queue.turn(second, ctx):
            pass
        assert queue.tickets() == [first]


def test_a_run_that_is_only_scored_gives_up_its_turn_and_does_not_end_that_of_the_next():
    queue, first, second = Lane(), Ticket(1, 1, 1, 0), Ticket(1, 2, 1, 0)
    queue.join(first)
    queue.join(second)
    with ExitStack() as scored:
        scored.enter_context(queue.turn(first, JobContext()))
        queue.give_up(first)
        with queue.turn(second, JobContext()):
            assert queue.tickets() == [second, first]
            queue.move(first, 1)  # it waits for nothing
            assert queue.tickets() == [second, first]
            scored.close()  # it is scored, or its scoring was stopped
            assert queue.writes(second)
            assert queue.tickets() == [second]
    assert queue.tickets() == []


def test_a_run_is_only_scored_from_when_its_turn_was_given_up_to_its_end():
    """Not by what it says: one that has just written its last text says the same."""
    queue, ticket = lane(), Ticket(1, 1, 1, 0)
    handle = JobHandle("Generating")
    handle.setObjectName(f"writing {ticket.number} 77")
    queue.join(ticket)
    with queue.turn(ticket, JobContext()):
        handle.state, handle.progress = JobState.RUNNING, Progress(5, 5, None, None, "saving")
        assert not only_scored(handle)
        queue.give_up(ticket)
        assert only_scored(handle)
    assert not only_scored(handle)


# scored behind


class HeldScorer:
    """The compute process with a scorer that waits until it may; a cancel ends the wait, as it does there."""

    def __init__(self) -> None:
        self.may, self.fails = threading.Event(), False

    def call(self, target: object, name: str, texts: Sequence[str], *, ctx: JobContext, **_: object) -> object:
        while not self.may.wait(0.01):
            ctx.check()
        if self.fails:
            raise RuntimeError("Nobody foresaw this.")
        return {}, [ScoreValue(np.ones(1, dtype=np.float32), 1.0) for _ in texts]


@pytest.fixture
def scorer(monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldScorer]:
    held = HeldScorer()
    monkeypatch.setattr("biasprint.core.compute.shared", lambda: held)
    monkeypatch.setattr(
        "biasprint.core.runs.measure.scorers_needed", lambda kind, *_: [ScorerInfo("lengths", "length", "1")]
    )
    yield held
    held.may.set()


def write_two(qtbot: QtBot, panel: GeneratePanel) -> Project:
    """Two runs of the synthetic author; both are written, and nothing is scored."""
    panel.write.form.scores.setChecked(True)
    panel.shell.settings.set("score_at_once", True)
    panel.write.form.picker.choose("synthetic", "", "none")
    for seed in (1, 2):
        panel.write.form.seed.setValue(seed)
        panel.write.form.start.click()
    qtbot.waitUntil(lambda: sorted(states(panel)) == [("1", "scoring"), ("2", "scoring")], timeout=PATIENCE)
    project = panel.shell.project
    assert project is not None
    assert project.outputs.count() == 2 * PROMPTS
    return project


def test_the_next_run_writes_while_the_first_ones_texts_are_scored_and_each_can_be_stopped(
    qtbot: QtBot, panel: GeneratePanel, scorer: HeldScorer
):
    project = write_two(qtbot, panel)
    qtbot.waitUntil(lambda: panel.write.progress.words.text() == f"{PROMPTS} of {PROMPTS} · scoring", timeout=PATIENCE)
    first = next(row for row in rows(panel) if row.cells[2] == "1").entry
    assert first is not None
    first.handle.cancel()
    qtbot.waitUntil(lambda: ("1", "scoring stopped") in states(panel), timeout=PATIENCE)
    scorer.may.set()
    finish(qtbot, panel)
    qtbot.waitUntil(lambda: sorted(states(panel)) == [("1", "scoring stopped"), ("2", "done")], timeout=PATIENCE)
    study = project.studies.all()[0].id
    assert project.scores.missing("output", "lengths", "1", study_id=study) == 0  # the second went on with all
    assert not lane().tickets()


def test_a_run_is_given_more_samples_while_its_texts_are_still_scored(
    qtbot: QtBot, panel: GeneratePanel, scorer: HeldScorer
):
    project, form = write_two(qtbot, panel), panel.write.form
    qtbot.waitUntil(lambda: "outputs are there" in form.state.text(), timeout=PATIENCE)
    assert "In the queue." not in form.state.text()
    assert not form.start.isEnabled()  # nothing is missing
    form.samples.setValue(2)
    assert (form.start.text(), form.start.isEnabled()) == ("Go on", True)
    form.start.click()
    assert len(rows(panel)) == 2  # no row of its own: it is one run
    qtbot.waitUntil(lambda: project.outputs.count() == 3 * PROMPTS, timeout=PATIENCE)
    scorer.may.set()
    finish(qtbot, panel)
    qtbot.waitUntil(lambda: sorted(states(panel)) == [("1", "done"), ("2", "done")], timeout=PATIENCE)
    study = project.studies.all()[0].id
    assert project.scores.missing("output", "lengths", "1", study_id=study) == 0
    assert not lane().tickets()


def test_a_scoring_that_fails_is_told_and_the_texts_are_there(qtbot: QtBot, panel: GeneratePanel, scorer: HeldScorer):
    project = write_two(qtbot, panel)
    scorer.fails = True
    scorer.may.set()
    finish(qtbot, panel)
    stopped = "scoring failed"
    qtbot.waitUntil(lambda: sorted(states(panel)) == [("1", stopped), ("2", stopped)], timeout=PATIENCE)
    assert project.outputs.count() == 2 * PROMPTS
    assert not lane().tickets()


def test_a_project_that_is_closed_while_its_texts_are_scored_takes_the_runs_with_it(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, scorer: HeldScorer
):
    write_two(qtbot, panel)
    with qtbot.waitSignal(window.session.closed, timeout=PATIENCE):
        window.session.close()
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    assert not lane().tickets()
    assert window.banners.texts() == []


# live text


def test_a_text_is_seen_while_it_grows(qtbot: QtBot, panel: GeneratePanel, serve: Callable[..., BadServer]):
    go = threading.Event()

    def slowly(asked: Asked) -> Answer:
        async def give(writer: asyncio.StreamWriter, asked: Asked) -> None:
            start_stream(writer)
            pieces = events("Words that grow <b>slowly</b>.", "stop", asked, 4)
            for place, data in enumerate(pieces):
                send_event(writer, data)
                await writer.drain()
                await asyncio.sleep(0.15)
                while place == 2 and not go.is_set():
                    await asyncio.sleep(0.01)
            end_stream(writer)

        return give

    serve(slowly, concurrency=1)
    choose_endpoint(qtbot, panel)
    seen: list[str] = []
    text = panel.write.progress.text
    text.document().contentsChanged.connect(lambda: seen.append(text.toPlainText()))
    panel.write.form.start.click()
    qtbot.waitUntil(lambda: text.text() == "Words that grow <b>slowl", timeout=PATIENCE)
    assert text.toPlainText() == "Words that grow <b>slowl"  # as it is: nothing of it is markup
    assert {"Words th", "Words that grow "} & set(seen)  # it was seen before, and shorter
    go.set()
    panel.write.progress.cancel.click()
    finish(qtbot, panel)


def test_one_text_stays_while_others_are_written_beside_it(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot):
    now = [0.0]
    monkeypatch.setattr("biasprint.desktop.panels.generate.write.time.monotonic", lambda: now[0])
    view = LatestText("the latest text")
    qtbot.addWidget(view)
    view.take("The first")
    now[0] = 0.1
    view.take("Another")
    assert view.text() == "The first"
    view.take("The first grows")
    assert view.text() == "The first grows"
    now[0] = 1.2
    view.take("Another one")
    assert view.text() == "Another one"
    now[0] = 1.3
    view.take("The last")
    view.show_last()
    assert view.text() == "The last"


def test_pausing_finishes_what_is_begun_and_resuming_goes_on(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, serve: Callable[..., BadServer]
):
    resumed = threading.Event()
    server = serve(lambda asked: good(wait=0.0 if resumed.is_set() else 0.3), concurrency=2)
    choose_endpoint(qtbot, panel)
    panel.write.form.start.click()
    qtbot.waitUntil(lambda: len(server.requests) == 2, timeout=PATIENCE)
    panel.write.progress.pause.click()
    assert rows(panel)[0].state == "paused"

    def nothing_is_being_written() -> bool:
        words = panel.write.progress.words.text()
        return server.at_once == 0 and words == f"{len(server.requests)} of {PROMPTS} · paused"

    qtbot.waitUntil(nothing_is_being_written, timeout=PATIENCE)
    assert len(server.requests) < PROMPTS
    resumed.set()
    panel.write.progress.pause.click()
    finish(qtbot, panel)
    project = window.project
    assert project is not None
    assert project.outputs.count() == PROMPTS
    assert len(server.requests) == PROMPTS


# failures


def test_failures_are_counted_by_kind_and_only_the_chosen_kind_is_asked_for_again(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, serve: Callable[..., BadServer]
):
    mended = threading.Event()

    def script(asked: Asked) -> Answer:
        if mended.is_set() or "stars" not in asked.prompt:
            return good() if mended.is_set() or "white" not in asked.prompt else error("403 Forbidden", "No.")
        return error("500 Internal Server Error", "Oh.")

    server = serve(script)
    choose_endpoint(qtbot, panel)
    panel.write.form.start.click()
    finish(qtbot, panel)
    qtbot.waitUntil(lambda: bool(rows(panel)) and rows(panel)[0].state == "10 failed", timeout=PATIENCE)
    details = panel.write.runs.details
    panel.write.runs.choose(0)
    assert set(details.failures) == {"server", "key"}
    assert details.failures["server"].accessibleName() == "Retry these: 9 met an error of the server."
    assert details.failures["key"].accessibleName() == (
        "Retry these: 1 was refused for its key: check it under Models."
    )
    asked_before = len(server.requests)
    mended.set()
    details.failures["server"].click()
    finish(qtbot, panel)
    assert len(server.requests) - asked_before == 9
    qtbot.waitUntil(lambda: set(details.failures) == {"key"}, timeout=PATIENCE)
    qtbot.waitUntil(lambda: rows(panel)[0].run.done == 17, timeout=PATIENCE)
    panel.write.form.retry.click()
    finish(qtbot, panel)
    qtbot.waitUntil(lambda: rows(panel)[0].state == "done", timeout=PATIENCE)
    project = window.project
    assert project is not None
    assert len(server.requests) - asked_before == 10
    assert len({(row.prompt_key, row.sample) for row in project.outputs.page(limit=100)}) == PROMPTS


def test_every_kind_of_failure_has_its_sentence():
    from typing import get_args

    from biasprint.core.backends.protocol import Failure

    assert set(FAILURES) == set(get_args(Failure)) - {"", "other"}
    assert all("%n" in many and "1 " in one for one, many in FAILURES.values())


def test_an_error_of_one_run_lets_the_next_go_on(
    qtbot: QtBot, window: MainWindow, panel: GeneratePanel, serve: Callable[..., BadServer]
):
    serve(lambda asked: good())
    choose_endpoint(qtbot, panel)
    endpoints.remove("lab")  # after it was chosen
    panel.write.form.start.click()
    panel.write.form.picker.choose("synthetic", "", "medium")
    panel.write.form.start.click()
    finish(qtbot, panel)
    assert any("There is no endpoint “lab”." in said for said in window.banners.texts())
    qtbot.waitUntil(lambda: [state for _, state in states(panel)] == ["stopped by an error", "done"], timeout=PATIENCE)
    panel.write.runs.choose(0)
    assert "There is no endpoint" in panel.write.runs.details.error.text()
    panel.write.runs.details.remove.click()
    assert [state for _, state in states(panel)] == ["done"]


# later


def test_an_unfinished_run_is_listed_after_a_restart_and_resumed_as_it_was(
    qtbot: QtBot, window: MainWindow, file: Path
):
    with Project.open(file) as project:
        spec = generator_spec("synthetic", "small", {})
        prompt_set = project.prompts.sets()[0].id
        start_run(project, prompt_set_id=prompt_set, generator=spec, seed=7, samples=2)
    panel = open_panel(qtbot, window, file)
    qtbot.waitUntil(lambda: states(panel) == [("7", "36 to write")], timeout=PATIENCE)
    panel.write.runs.choose(0)
    qtbot.waitUntil(panel.write.runs.details.resume.isVisible, timeout=PATIENCE)
    panel.write.runs.details.resume.click()
    finish(qtbot, panel)
    opened = window.project
    assert opened is not None
    assert [(run.seed, run.samples, opened.runs.counts(run.id).done) for run in opened.runs.all()] == [(7, 2, 36)]


def test_a_run_of_a_model_that_has_changed_is_not_gone_on_with(qtbot: QtBot, window: MainWindow, file: Path):
    with Project.open(file) as project:
        spec = generator_spec("synthetic", "small", {})
        older = GeneratorSpec(**{**spec.model_dump(), "revision": "synthetic-0"})
        start_run(project, prompt_set_id=project.prompts.sets()[0].id, generator=older, seed=7)
    panel = open_panel(qtbot, window, file)
    qtbot.waitUntil(lambda: states(panel) == [("7", "18 to write")], timeout=PATIENCE)
    panel.write.runs.choose(0)
    qtbot.waitUntil(panel.write.runs.details.resume.isVisible, timeout=PATIENCE)
    panel.write.runs.details.resume.click()
    finish(qtbot, panel)
    assert any("“small” is no longer what it was when the run was begun." in said for said in window.banners.texts())
    opened = window.project
    assert opened is not None
    assert opened.outputs.count() == 0
    assert len(opened.runs.all()) == 1


def test_a_local_model_writes_and_its_run_is_gone_on_with(qtbot: QtBot, window: MainWindow, file: Path):
    pytest.importorskip("llama_cpp")
    few = 3  # a model takes its time for each
    narrow(file, few)
    panel = open_panel(qtbot, window, file)
    form = panel.write.form
    form.picker.choose("llama_cpp", "", "teaching")
    longest = form.options.fields["max_tokens"]
    assert isinstance(longest, QSpinBox)
    longest.setValue(4)
    form.start.click()
    finish(qtbot, panel)
    there = f"{few} outputs are there. {few} texts were cut off at the limit on tokens"
    qtbot.waitUntil(lambda: form.state.text() == f"{there}: their length is not compared.", timeout=PATIENCE)
    assert (
        re.search(r"(About \d+ (s|min)|Less than a second)\.$", form.estimate.text()) is None
    )  # nothing is missing: nothing to estimate
    form.samples.setValue(2)
    assert form.start.text() == "Go on"
    quick = re.compile(r"(About \d+ (s|min)|Less than a second)\.$")
    qtbot.waitUntil(lambda: quick.search(form.estimate.text()) is not None, timeout=PATIENCE)
    form.start.click()
    finish(qtbot, panel)
    project = window.project
    assert project is not None
    (run,) = project.runs.all()
    assert project.runs.counts(run.id).done == 2 * few
    stored = project.runs.generators()[run.generator_id]
    assert (stored.backend, stored.model, stored.parameters["temperature"]) == ("llama_cpp", "teaching", 0.2)
    qtbot.waitUntil(lambda: states(panel) == [("1", f"done, {2 * few} cut off")], timeout=PATIENCE)
    panel.write.runs.table.clicked.emit(panel.write.runs.model.index(0, 0))
    assert dict(form.request().parameters) == dict(stored.parameters)  # also those that have no field


# what the texts turned out to be


def recorded(file: Path, study: str, texts: list[str], **choice: object) -> tuple[int, Tally, bool]:
    with Project.create(file) as project:
        added = add_prompts(project, study, **choice)
        spec = GeneratorSpec(backend="synthetic", model="none")
        run = start_run(project, prompt_set_id=added.set_id, generator=spec, seed=1)
        prompts = project.prompts.page(added.set_id, 0, len(texts))
        project.outputs.record_many(
            [
                OutputSpec(run_id=run, prompt_id=prompt.id, sample=0, seed=1, text=text)
                for prompt, text in zip(prompts, texts, strict=True)
            ]
        )
        return run, *add_to_tally(JobContext(), project, run, study, Tally())


REFUSING = "I'm sorry, but I can't help with that."


def test_letters_are_told_apart_by_the_success_filter(tmp_path: Path):
    good_letter = "Dear committee, I recommend Anna without reservation. She was the best of her year."
    loop = "very " * 40
    texts = [good_letter, REFUSING, loop, "...", "Anna was born in 1980. The town has a mill."]
    _, tally, more = recorded(tmp_path / "a.biasprint", "letters", texts)
    assert (tally.texts, more) == (5, False)
    assert tally.counts == {"refusal": 1, "repetitive": 1, "empty": 1, "off task": 1}
    assert tally_words(tally, "letters") == "1 refusal, 1 empty, 1 repetitive, 1 off task, of 5 texts looked at."


def test_replies_that_name_no_option_are_off_task(tmp_path: Path):
    with Project.create(tmp_path / "b.biasprint") as project:
        added = add_prompts(project, "completion", domains=["ageism"], directions=["SAI"])
        option = project.prompts.page(added.set_id, 0, 1)[0].fields["positive"]
    texts = [option, REFUSING, "Bananas, perhaps.", ""]
    _, tally, _ = recorded(tmp_path / "c.biasprint", "completion", texts, domains=["ageism"], directions=["SAI"])
    assert tally.counts == {"refusal": 1, "off task": 1, "empty": 1}


def test_a_tally_goes_on_where_it_stopped_and_says_what_was_looked_for(tmp_path: Path):
    file = tmp_path / "d.biasprint"
    run, tally, _ = recorded(file, "creativity", ["Stars in the rain.", REFUSING], tasks=["haiku"], themes=["stars"])
    with Project.open(file) as project:
        prompts = project.prompts.page(project.prompts.sets()[0].id, 0, 3)
        project.outputs.record_many(
            [OutputSpec(run_id=run, prompt_id=prompts[2].id, sample=0, seed=1, text="Light over the hill.")]
        )
        later, more = add_to_tally(JobContext(), project, run, "creativity", tally)
        assert add_to_tally(JobContext(), project, run, "creativity", later) == (later, False)
    assert (later.texts, later.counts, more) == (3, {"refusal": 1}, False)
    assert replace(later, last=0) != tally
    assert tally_words(later, "creativity") == "1 refusal, 0 empty, 0 repetitive, of 3 texts looked at."


def test_the_panel_shows_the_tally_of_the_run_that_is_chosen(
    qtbot: QtBot, panel: GeneratePanel, serve: Callable[..., BadServer]
):
    serve(lambda asked: good(REFUSING if "rain" in asked.prompt else "Quiet words."))
    choose_endpoint(qtbot, panel)
    panel.write.form.start.click()
    finish(qtbot, panel)
    panel.write.runs.choose(0)
    words = "9 refusals, 0 empty, 0 repetitive, of 18 texts looked at."
    qtbot.waitUntil(lambda: panel.write.runs.details.tally.text() == words, timeout=PATIENCE)
