"""The leak hunt: in every state of a rating session, every panel, window command and program command is tried.

While a session is begun and neither revealed nor finished, nothing that is open tells an identity, and what does is
behind the question, whose answer is written into the session. The tables name every panel and every command: one that
is added must be put into them, with what it does in the middle of a rating.
"""

import csv
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
from blind_search import words_of
from cli_support import biasprint
from fingerprint_project import choosing, rated
from PySide6.QtCore import QAbstractItemModel
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from rating_window import Rating
from seeded_part import seeded_part

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.looking import record_look
from biasprint.core.judging.packets.make import make_packets
from biasprint.core.judging.reveal import reveal
from biasprint.core.judging.session import offer_plans, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import record_choice
from biasprint.core.project.project import Project
from biasprint.core.project.specs import AxisSpec, GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.project.stores.judging import LOOK
from biasprint.core.runs.compare import compare
from biasprint.desktop.commands import build_program
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels import PANELS
from biasprint.desktop.window_commands import window_commands

PATIENCE = 60_000
IDENTITIES = {"zqidentone": "Zqlabelone", "zqidenttwo": "Zqlabeltwo"}
WORDS = ("zqident", "zqlabel")  # in lower case
THEMES = ("castle", "stars")

ASKS, OPEN = "asks", "open"
# What a panel does in the middle of a rating.
PANEL_TABLE = {
    "home": OPEN, "prompts": ASKS, "generate": ASKS, "judge": OPEN, "raters": ASKS, "charts": ASKS, "explore": ASKS,
    "letters": OPEN, "fingerprint": ASKS, "findings": ASKS, "outputs": ASKS, "models": OPEN, "settings": OPEN,
}  # fmt: skip
DIALOG = "a file dialog, or nothing of the project"
# What a command of the window does; “Go to …” does what its panel does, “Open recent” what any opening does.
WINDOW_TABLE = {
    "New project…": DIALOG, "Open…": DIALOG, "Save a copy…": DIALOG, "Close the project": DIALOG,
    "Quit": DIALOG, "Larger text": OPEN, "Smaller text": OPEN, "Text at 100 %": OPEN, "Show or hide the jobs": OPEN,
    "Parts of the program…": OPEN, "Next part of the window": OPEN, "About and licences…": OPEN, "All commands…": OPEN,
    "Help on this panel": OPEN, "Keyboard…": OPEN, "Start a workshop…": ASKS, "Own people and texts…": ASKS,
    "Save a report…": ASKS, "Restore a backup…": OPEN, "Open a result folder…": DIALOG, "Import texts…": DIALOG,
    "Tour of three minutes…": DIALOG,
}  # fmt: skip
NO_PROJECT = "takes no project"
# What a command of the program does with a project in the middle of a rating, and how it is tried.
COMMAND_TABLE: dict[str, tuple[str, tuple[str, ...]]] = {
    "new": (OPEN, ("FILE",)),
    "prompts": (OPEN, ("FILE", "--study", "creativity", "--task", "haiku", "--theme", "stars", "--axis", "gender")),
    "generate": (OPEN, ("FILE", "--study", "creativity", "--backend", "synthetic", "--model", "none")),
    "check": (OPEN, ("FILE", "--json")),
    "restore": (OPEN, ("FILE", "--list", "--json")),
    "rescue": (OPEN, ("FILE", "--out", "OUT.biasprint", "--json")),
    "compare": (OPEN, ("FILE", "--axis", "zqaxis", "--seed", "9", "--json")),
    "score": (OPEN, ("FILE", "--scorer", "textblob", "--json")),
    "import": (OPEN, ("FILE", "nothing.csv")),
    "judge": (OPEN, ("FILE", "--backend", "synthetic", "--model", "none")),
    "certificate": (OPEN, ("FILE", "--backend", "synthetic", "--model", "none")),
    "packet make": (OPEN, ("FILE", "--out", "OUT", "--raters", "1", "--json")),
    "packet merge": (OPEN, ("FILE", "nothing.bpacket")),
    "packet list": (OPEN, ("FILE", "--json")),
    "packet decide": (OPEN, ("FILE", "R09", "abcdef", "--neither")),
    "packet seats": (OPEN, ("FILE", "--count", "first", "--json")),
    "packet count": (OPEN, ("FILE", "R09")),
    "raters list": (OPEN, ("FILE", "--json")),
    "raters exclude": (OPEN, ("FILE", "R01", "--reason", "never read")),
    "raters include": (OPEN, ("FILE", "R01")),
    "saved-letters list": (ASKS, ("FILE", "--json")),
    "saved-letters add": (OPEN, ("FILE", "nothing.txt")),
    "saved-letters remove": (OPEN, ("FILE", "none")),
    "export": (ASKS, ("FILE", "outputs", "--out", "OUT.csv")),
    "measure": (ASKS, ("creativity", "FILE", "--json", "--report", "OUT.html")),
    "replay": (ASKS, ("FILE", "--json")),
    "report": (ASKS, ("FILE", "--out", "OUT.html")),
    "run": (ASKS, ("AUDIT", "--json")),
    "analysis-plan new": (ASKS, ("FILE", "--study", "creativity", "--out", "OUT.toml")),
    "analysis-plan lock": (OPEN, ("FILE", "nothing.toml")),
    "analysis-plan show": (ASKS, ("FILE", "--json")),
    "pack make": (ASKS, ("FILE", "--out", "OUT")),
    "audit-file": (ASKS, ("FILE", "--out", "OUT.toml")),
    "reference make": (ASKS, ("named", "FILE", "--json")),
    "gui": (OPEN, ()),  # the window asks for itself, which the rest of this module tries
    **dict.fromkeys(
        (
            "axis cross", "axis list", "axis check", "names list", "names check", "names make", "example",
            "letter", "reference list", "reference remove", "models list", "models get", "models export",
            "models verify", "models add", "models remove", "models prefer", "models engine", "endpoints list",
            "endpoints add", "endpoints test", "endpoints remove", "endpoints key", "offline", "prepare", "demo",
            "designs",
            "calibrate", "impact", "pack verify",
        ),
        (NO_PROJECT, ()),
    ),
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Texts for two identities that are called like nothing else, a plan, and R01 and a model who finished it."""
    path = tmp_path / "study.biasprint"
    asked = (
        '[[prompts]]\nstudy = "creativity"\nset = "set"\n[[generators]]\nbackend = "synthetic"\nmodel = "none"\n'
        '[outputs]\nproject = "study.biasprint"\n'
    )
    (tmp_path / "audit.toml").write_text(asked, encoding="utf-8")
    with Project.create(path) as project:
        study = project.studies.add("creativity", "Creativity").number("study")
        identities = [{"key": key, "label": label} for key, label in IDENTITIES.items()]
        project.axes.add(AxisSpec(key="zqaxis", title="Zqaxistitle", definition={"identities": identities}))
        prompts = tuple(
            PromptSpec(
                key=f"{place}/{name}", text=f"For {name}.", task="haiku", theme=place, axis="zqaxis", identity=name
            )
            for place in THEMES
            for name in IDENTITIES
        )
        set_id = project.prompts.add_set(study, PromptSetSpec(name="set", recipe={}, prompts=prompts))
        generator = project.runs.add_generator(GeneratorSpec(backend="synthetic", model="none")).number("generator")
        run = RunSpec(study_id=study, prompt_set_id=set_id.number("prompt_set"), generator_id=generator, seed=1)
        run_id = project.runs.start(run).number("run")
        project.outputs.record_many(
            [
                OutputSpec(run_id=run_id, prompt_id=row.id, sample=0, seed=0, text=f"Lines {row.id} of {row.theme}.")
                for row in project.prompts.page(set_id.number("prompt_set"), 0, 100)
            ]
        )
        plan = compare(JobContext(), project, study_id=study, axes=["zqaxis"], seed=2).plan_id
        rated(project, plan, "R01", choosing("zqidentone"))
        rated(project, plan, "judge", choosing("zqidentone"), kind="model")
    return path


def brought_to(file: Path, state: str) -> Path:
    """R02's session in a state, as the file holds it: what a crash leaves is what a pause leaves."""
    answers = {"not begun": None, "begun": 0, "paused": 1, "all answered": 2, "revealed": 2, "looked": 1}[state]
    if answers is None:
        return file
    with Project.open(file) as project:
        door = open_judging(ProjectStore(project))
        view = door.ask(open_session, door.ask(offer_plans, "R02").result().offers[0].token, "R02").result()
        for _ in range(answers):
            assert view.comparison is not None
            view = door.ask(record_choice, view.comparison.token, "choice", 0).result()
        if state == "revealed":
            door.ask(reveal).result()
        if state == "looked":
            record_look(project, "a test")
        door.close(5)
    return file


UNFINISHED = ("begun", "paused", "all answered")
FREE = ("not begun", "revealed", "looked")


def looks(file: Path) -> list[str]:
    with Project.open(file, read_only=True) as project:
        return [row.value["where"] for row in project.annotations.of_kind(LOOK)]


# the program's commands


def names_of_commands() -> set[str]:
    app = build_program()
    named = {one.name or one.callback.__name__.replace("_", "-") for one in app.registered_commands if one.callback}
    for group in app.registered_groups:
        assert group.typer_instance is not None
        title = group.name or group.typer_instance.info.name
        for one in group.typer_instance.registered_commands:
            assert one.callback is not None
            named.add(f"{title} {one.name or one.callback.__name__.replace('_', '-')}")
    return named


def test_every_command_of_the_program_is_in_the_table():
    assert names_of_commands() == set(COMMAND_TABLE)


def argv_of(name: str, file: Path, out: Path) -> list[str]:
    places = {"FILE": str(file), "OUT": str(out), "OUT.csv": f"{out}.csv", "OUT.html": f"{out}.html"}
    places |= {
        "OUT.biasprint": f"{out}.biasprint",
        "OUT.toml": f"{out}.toml",
        "AUDIT": str(file.with_name("audit.toml")),
    }
    return [*name.split(), *(places.get(part, part) for part in COMMAND_TABLE[name][1])]


TRIED = [name for name, (does, argv) in COMMAND_TABLE.items() if does != NO_PROJECT and argv]


@pytest.mark.parametrize(
    ("name", "state"),
    seeded_part(product((name for name in TRIED if COMMAND_TABLE[name][0] == ASKS), UNFINISHED), 8),
)
def test_a_command_that_names_identities_refuses_in_the_middle_of_a_rating(
    file: Path, tmp_path: Path, state: str, name: str
):
    brought_to(file, state)
    before = set(tmp_path.iterdir())
    answer = biasprint(*argv_of(name, file, tmp_path / "out"), code=1)
    assert not [word for word in WORDS if word in f"{answer.out}{answer.err}".lower()]
    assert "R02 is in the middle of rating" in answer.err
    assert "--look-anyway" in answer.err
    assert set(tmp_path.iterdir()) == before
    assert looks(file) == []


@pytest.mark.parametrize("name", seeded_part([name for name in TRIED if COMMAND_TABLE[name][0] == OPEN], 8))
def test_a_command_that_goes_on_in_the_middle_of_a_rating_tells_no_identity(file: Path, tmp_path: Path, name: str):
    brought_to(file, "paused")
    answer = biasprint(*argv_of(name, file, tmp_path / "out"), code=None)
    assert not [word for word in WORDS if word in f"{answer.out}{answer.err}".lower()]
    assert "in the middle of rating" not in answer.err
    assert looks(file) == []


def test_a_page_for_browsers_tells_no_identity(file: Path, tmp_path: Path):
    brought_to(file, "paused")
    biasprint("packet", "make", file, "--rater", "R07", "--to", "html", "--out", tmp_path / "pages")
    (page,) = (tmp_path / "pages").iterdir()
    words = (*WORDS, "zqaxis", "study.biasprint", tmp_path.name.lower())
    html = page.read_text("ascii").lower()
    assert "lines " in html
    assert not [word for word in words if word in html + page.name]


def test_looking_anyway_is_recorded_and_the_later_answers_are_marked(file: Path, tmp_path: Path):
    brought_to(file, "paused")
    out = tmp_path / "outputs.csv"
    biasprint("export", file, "outputs", "--out", out, "--look-anyway")
    assert "zqidentone" in out.read_text("utf-8")
    assert looks(file) == ["biasprint export outputs"]
    biasprint("export", file, "prompts", "--out", tmp_path / "prompts.csv")  # asked once
    biasprint("replay", file, "--json")
    assert len(looks(file)) == 1
    with Project.open(file) as project:
        door = open_judging(ProjectStore(project))
        view = door.ask(open_session, door.ask(offer_plans, "R02").result().offers[0].token, "R02").result()
        assert view.comparison is not None
        door.ask(record_choice, view.comparison.token, "choice", 0).result()
        door.ask(reveal).result()
        door.close(5)
    judgments = tmp_path / "judgments.csv"
    biasprint("export", file, "judgments", "--out", judgments)
    with judgments.open(encoding="utf-8-sig", newline="") as table:
        seen = sorted(row["seen"] for row in csv.DictReader(table))
    assert seen == ["0"] * (len(seen) - 1) + ["1"]


def test_a_look_beside_an_open_window_cannot_be_written_down_and_shows_nothing(file: Path, tmp_path: Path):
    brought_to(file, "paused")
    out = tmp_path / "outputs.csv"
    with Project.open(file):  # as a window holds it
        measured = biasprint("measure", "creativity", file, "--look-anyway", code=1)
        exported = biasprint("export", file, "outputs", "--out", out, "--look-anyway", code=1)
    assert "could not be written down" in measured.err
    assert "is already open" in exported.err
    assert not [word for word in WORDS if word in f"{measured.out}{measured.err}{exported.err}".lower()]
    assert not out.exists()
    assert looks(file) == []


@pytest.mark.parametrize("state", FREE)
def test_nobody_is_asked_where_nobody_is_in_the_middle_of_rating(file: Path, tmp_path: Path, state: str):
    brought_to(file, state)
    biasprint("export", file, "outputs", "--out", tmp_path / "outputs.csv")
    assert "zqidentone" in (tmp_path / "outputs.csv").read_text("utf-8")


# the window


def opened(qtbot: QtBot, window: MainWindow, file: Path) -> None:
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(file)
    settled(qtbot, window)


def settled(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not [one for one in window.jobs.active() if one.quiet], timeout=PATIENCE)


def told(window: MainWindow) -> list[str]:
    """The words for identities that anything in the window shows, or would show, or tells a screen reader."""
    models = [each for top in QApplication.topLevelWidgets() for each in top.findChildren(QAbstractItemModel)]
    said = set()
    for thing in (*QApplication.allWidgets(), *models):
        with suppress(RuntimeError):
            said.update(words_of(thing))
    everything = "\n".join(said).lower()
    return [word for word in WORDS if word in everything]


def asked(window: MainWindow) -> Question | None:
    return next((one for one in window.findChildren(Question) if one.isVisible()), None)


def try_panel(qtbot: QtBot, window: MainWindow, key: str) -> Question | None:
    window.show_panel(key)
    qtbot.waitUntil(lambda: window.current == key or asked(window) is not None, timeout=PATIENCE)
    settled(qtbot, window)
    return asked(window)


def test_every_panel_is_in_the_table():
    assert {entry.key: ASKS if entry.names_identities else OPEN for entry in PANELS} == PANEL_TABLE
    assert not [entry.key for entry in PANELS if entry.blind_safe and entry.names_identities]


def keep_rating(qtbot: QtBot, window: MainWindow) -> None:
    question = asked(window)
    assert question is not None
    question.safe_button.click()
    qtbot.waitUntil(lambda: asked(window) is None)


def hunt(qtbot: QtBot, window: MainWindow) -> None:
    """Every panel and command, with a session unfinished."""
    hunt_panels(qtbot, window)
    hunt_commands(qtbot, window)


def hunt_panels(qtbot: QtBot, window: MainWindow) -> None:
    for key, does in PANEL_TABLE.items():
        here = window.current
        question = try_panel(qtbot, window, key)
        assert (question is not None) == (does == ASKS), key
        if does == ASKS:
            assert window.current == here, key
            assert key not in window.panels, key
            keep_rating(qtbot, window)
        assert told(window) == [], key


def hunt_commands(qtbot: QtBot, window: MainWindow) -> None:
    commands = {one.title: one for one in window_commands(window)}
    own = [title for title in commands if not title.startswith(("Go to ", "Open recent: ", "Theme: "))]
    assert sorted(own) == sorted(WINDOW_TABLE)
    for title in own:
        if WINDOW_TABLE[title] == DIALOG or not commands[title].enabled():
            continue
        commands[title].run()
        if WINDOW_TABLE[title] == ASKS:
            qtbot.waitUntil(lambda: asked(window) is not None, timeout=PATIENCE)
            keep_rating(qtbot, window)
        settled(qtbot, window)
        assert told(window) == [], title
    for entry in PANELS:
        assert f"Go to {entry.title}" in commands
    window.palette_box.hide()


@pytest.mark.parametrize("state", seeded_part(UNFINISHED, 1))
def test_reopened_after_a_crash_or_another_day_nothing_is_shown_unasked(
    qtbot: QtBot, window: MainWindow, file: Path, state: str
):
    opened(qtbot, window, brought_to(file, state))
    hunt_panels(qtbot, window)
    if state == "paused":
        hunt_commands(qtbot, window)


def test_in_the_session_and_paused_nothing_is_shown_unasked(qtbot: QtBot, window: MainWindow, file: Path):
    rating = Rating(qtbot, window, file)
    rating.start("R02")
    rating.press("1")
    assert window.blindfold.on
    assert try_panel(qtbot, window, "outputs") is not None
    assert told(window) == []
    keep_rating(qtbot, window)
    assert window.blindfold.on
    rating.panel.leave_button.click()
    rating.wait(lambda: not window.blindfold.on)
    hunt(qtbot, window)
    window.show_panel("judge")
    rating.wait_for_start()
    rating.panel.start.new.click()  # another set is drawn by axes and identities
    qtbot.waitUntil(lambda: asked(window) is not None, timeout=PATIENCE)
    keep_rating(qtbot, window)
    assert told(window) == []


PLAIN_PROMPT = "Write plainly of the rain."
# Equal on all cards, and yet no rater may read them.
LEAKING_PROMPTS = ("Write for zqidentone.", "A Zqlabeltwo story.", "As zqmodelone would.", "Read zqfile.csv first.",
                   "It is in /home/zqfolder/texts/ here.", "Write for Zqfirst Zqlast.", "Ask Mrs. Zqlast.")  # fmt: skip
SECRETS_OF_PROMPTS = ("zqident", "zqlabel", "zqmodel", "zqfile", "zqfolder", "zqfirst", "zqlast")


def with_leaking_prompts(path: Path) -> Path:
    """A project whose two models answered the same prompts, and its only plan."""
    with Project.create(path) as project:
        study = project.studies.add("creativity", "Creativity").number("study")
        identities = [{"key": key, "label": label} for key, label in IDENTITIES.items()]
        project.axes.add(AxisSpec(key="zqaxis", title="Zqaxistitle", definition={"identities": identities}))
        prompts = tuple(
            PromptSpec(key=f"p{n}", text=text, task="haiku", theme="rain", axis="", identity="default")
            for n, text in enumerate((PLAIN_PROMPT, *LEAKING_PROMPTS))
        )
        set_id = project.prompts.add_set(study, PromptSetSpec(name="set", recipe={}, prompts=prompts))
        for model in ("zqmodelone", "zqmodeltwo"):
            generator = project.runs.add_generator(GeneratorSpec(backend="llama_cpp", model=model)).number("generator")
            run = RunSpec(study_id=study, prompt_set_id=set_id.number("prompt_set"), generator_id=generator, seed=1)
            run_id = project.runs.start(run).number("run")
            rows = project.prompts.page(set_id.number("prompt_set"))
            project.outputs.record_many(
                [
                    OutputSpec(run_id=run_id, prompt_id=row.id, sample=0, seed=0, text=f"{generator} {row.id}")
                    for row in rows
                ]
            )
        compare(JobContext(), project, study_id=study, kind="model", seed=2)
    return path


@pytest.mark.parametrize("where", ["project", "packet"])
def test_no_prompt_above_the_texts_names_an_identity_a_model_a_file_or_a_person(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, where: str
):
    file = with_leaking_prompts(tmp_path / "zqfile-1.biasprint")
    if where == "packet":
        with Project.open(file) as project:
            plan = project.judging.plans()[0].id
            (made,) = make_packets(JobContext(), project, plan_id=plan, codes=["R02"], folder=tmp_path / "out")
        file = made.path
    rating = Rating(qtbot, window, file)
    rating.start("" if where == "packet" else "R02")
    above = set()
    while rating.page is rating.panel.work:
        said = {word for thing in QApplication.allWidgets() for word in words_of(thing)}
        everything = "\n".join(said).lower()
        assert [word for word in SECRETS_OF_PROMPTS if word in everything] == []
        box = rating.panel.work.prompt
        above.add("" if box.isHidden() else box.text.text().rstrip(" "))
        rating.press("0")
    assert above == {"", PLAIN_PROMPT}
    raw = file.read_bytes() if where == "packet" else b""
    assert [prompt for prompt in LEAKING_PROMPTS if prompt.encode() in raw] == []


def test_looking_anyway_shows_it_once_it_is_written_down_and_is_not_asked_again(
    qtbot: QtBot, window: MainWindow, file: Path
):
    rating = Rating(qtbot, window, file)
    rating.start("R02")
    rating.press("1")
    question = try_panel(qtbot, window, "outputs")
    assert question is not None
    question.risky_button.click()
    qtbot.waitUntil(lambda: window.current == "outputs", timeout=PATIENCE)
    settled(qtbot, window)
    assert told(window) != []
    window.show_panel("judge")  # back, and blind again
    rating.wait(lambda: window.blindfold.on)
    rating.finish_rating()
    assert try_panel(qtbot, window, "prompts") is None
    window.show_panel("judge")
    rating.panel.end.reveal.click()
    rating.panel.end.sure.click()
    rating.at("reveal_page")
    assert try_panel(qtbot, window, "outputs") is None
    project = window.project
    assert project is not None
    assert [row.value["where"] for row in project.annotations.of_kind(LOOK)] == ["outputs"]
    codes = {row.id: row.code for row in project.judging.raters()}
    (mine,) = [row.id for row in project.judging.sessions() if codes[row.rater_id] == "R02"]
    assert [row.seen for row in project.judging.judgments(mine)] == [False, True]


def test_a_look_that_cannot_be_written_down_shows_nothing(
    qtbot: QtBot, window: MainWindow, file: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(project: Project, where: str) -> None:
        raise AppError("The disk is full.")

    rating = Rating(qtbot, window, file)
    rating.start("R02")
    monkeypatch.setattr("biasprint.core.judging.looking.record_look", refuse)
    question = try_panel(qtbot, window, "outputs")
    assert question is not None
    question.risky_button.click()
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE)
    assert window.banners.texts() == ["The disk is full."]
    assert (window.current, window.blindfold.on) == ("judge", True)
    assert told(window) == []


def test_a_project_that_is_opened_under_a_panel_that_is_shown_is_not_shown_in_it(
    qtbot: QtBot, window: MainWindow, file: Path, tmp_path: Path
):
    """By a recent file, a drop, or a second start of the program."""
    other = tmp_path / "other.biasprint"
    Project.create(other).close()
    opened(qtbot, window, other)
    assert try_panel(qtbot, window, "outputs") is None
    brought_to(file, "paused")
    opened(qtbot, window, file)
    assert (window.current, "outputs" in window.panels) == ("home", False)
    assert told(window) == []
    window.session.open(file)  # once more, as a second start does
    settled(qtbot, window)
    assert try_panel(qtbot, window, "outputs") is not None
    keep_rating(qtbot, window)


def test_the_result_of_one_rater_is_behind_the_question_while_another_is_at_it(
    qtbot: QtBot, window: MainWindow, file: Path
):
    brought_to(file, "paused")
    rating = Rating(qtbot, window, file)
    rating.wait_for_start()
    start = rating.panel.start
    start.code.setText("R01")
    start.code_edited.emit("R01")
    rating.wait(lambda: start._code_shown == "R01" and start.start.isEnabled())
    start.start.click()
    rating.at("reveal_page")
    settled(qtbot, window)
    assert told(window) == []
    rating.panel.reveal_page.see_all.click()
    qtbot.waitUntil(lambda: asked(window) is not None, timeout=PATIENCE)
    keep_rating(qtbot, window)
    assert told(window) == []


def test_read_only_it_cannot_be_written_down_and_stays_closed(qtbot: QtBot, window: MainWindow, file: Path):
    brought_to(file, "paused")
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.session.open(file, read_only=True)
    question = try_panel(qtbot, window, "charts")
    assert question is not None
    question.risky_button.click()
    qtbot.waitUntil(lambda: any("could not be written down" in said for said in window.banners.texts()))
    assert "charts" not in window.panels


@pytest.mark.parametrize("state", seeded_part(FREE, 1))
def test_in_the_window_nobody_is_asked_where_nobody_rates(qtbot: QtBot, window: MainWindow, file: Path, state: str):
    opened(qtbot, window, brought_to(file, state))
    for key in ("prompts", "outputs"):
        assert try_panel(qtbot, window, key) is None
    qtbot.waitUntil(lambda: told(window) == list(WORDS), timeout=PATIENCE)
