"""The power is cut at any moment, and what had not been synced arrives in part: what a person was told stays."""

import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from crash_disk import Crashes, leave_a_hot_journal
from failing_disk import FAILING_DISK
from packet_files import answer, chosen_texts, coordinator, finished, make, merge
from trust.report import Figure

from biasprint.core.judging.packets.packet import packet_info
from biasprint.core.letters.kept import DRAFTS, SAVED, listed, opened
from biasprint.core.letters.values import Document, KeptLetter
from biasprint.core.machine import storage
from biasprint.core.project.backup import backups
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.runs.setup import add_prompts
from biasprint.desktop.settings import Settings

pytestmark = pytest.mark.skipif(not FAILING_DISK, reason="needs a C compiler, on Linux")

COMPARISONS, TEXTS = 8, 120


@dataclass(frozen=True)
class Work:
    """Something a person does. `code` defines `live(mark)`, which marks what they are told; `look` finds it again."""

    prepare: Callable[[Path], object]
    code: str
    look: Callable[[Path, Sequence[str]], None]


def project_in(folder: Path) -> Path:
    return folder / "study" / "study.biasprint"


def last(marks: Sequence[str], what: str) -> int:
    return max((int(mark.split()[1]) for mark in marks if mark.startswith(f"{what} ")), default=0)


RATE = """
from biasprint.core.judging.session import offer_plans, open_session
from biasprint.core.judging.session import open_judging
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import record_choice, save_note
from biasprint.core.project.project import Project
from test_project_power_cuts import note_of, project_in

def live(mark):
    with Project.open(project_in(FOLDER)) as project:
        door = open_judging(ProjectStore(project))
        (offer,) = door.ask(offer_plans, "R01").result(60).offers
        view = door.ask(open_session, offer.token, "R01").result(60)
        while view.comparison is not None:
            token, number = view.comparison.token, view.progress.done
            door.ask(save_note, token, note_of(number)).result(60)
            mark("noted", number)
            view = door.ask(record_choice, token, "choice", number % 3).result(60)
            mark("said", number)
        door.close(30)
"""


def note_of(number: int) -> str:
    return f"note {number} " + "n" * 3000


def look_at_rating(folder: Path, marks: Sequence[str]) -> None:
    with Project.open(project_in(folder)) as project:
        rows = project.judging.judgments(superseded=True)
        notes = [
            draft.note
            for session in project.judging.sessions()
            for draft in project.judging.drafts(session.id).values()
        ]
    said, noted = ({int(mark.split()[1]) for mark in marks if mark.startswith(what)} for what in ("said", "noted"))
    found = sorted((row.note, row.shown.index(row.chosen)) for row in rows if row.chosen is not None)
    assert len(found) == len(rows) <= len(said) + 1
    assert found == [(note_of(number), number % 3) for number in range(len(rows))]
    assert len(rows) >= len(said), "an acknowledged answer is lost"
    waiting = noted - set(range(len(rows)))
    assert {note_of(number) for number in waiting} <= set(notes), "an acknowledged note is lost"


MERGE = """
from packet_files import merge
from test_project_power_cuts import project_in, packets_in

def live(mark):
    for path in packets_in(FOLDER):
        (came,) = merge(project_in(FOLDER), path).files
        assert came.added, came.refused
        mark("merged", path.stem.removeprefix("packet-R0"))
"""
RATERS = ("R01", "R02", "R03")


def packets_in(folder: Path) -> list[Path]:
    return sorted((folder.parent / "packets").glob("*.bpacket"))


def prepare_packets(folder: Path) -> None:
    project = project_in(folder)
    plan = coordinator(project, comparisons=COMPARISONS)
    for packet in make(project, plan, *RATERS, folder=folder.parent / "packets"):
        answer(packet.path, *((number, "choice", number % 3) for number in range(COMPARISONS)))
        finished(packet.path)


def look_at_merged(folder: Path, marks: Sequence[str]) -> None:
    path = project_in(folder)
    with Project.open(path) as project:
        before = {code: len(chosen_texts(project, code)) for code in RATERS}
    assert set(before.values()) <= {0, COMPARISONS}, "a packet is merged in part"
    assert sum(map(bool, before.values())) >= last(marks, "merged"), "a packet that was merged is lost"
    merge(path, *packets_in(folder))
    with Project.open(path) as project:
        assert len(project.judging.judgments(superseded=True)) == COMPARISONS * len(RATERS)


GENERATE = """
from inline_compute import Inline
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs import writing
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.setup import generator_spec
from test_project_power_cuts import project_in

writing.TOGETHER_SECONDS = 0.0
def live(mark):
    with Project.open(project_in(FOLDER)) as project:
        (prompts,) = project.prompts.sets()
        run = start_run(project, prompt_set_id=prompts.id, generator=generator_spec("synthetic", "small", {}), seed=3)
        mark("run", run)
        generate(JobContext(lambda progress: mark("done", progress.done)), project, run, Inline())
"""


def prepare_prompts(folder: Path) -> None:
    with Project.create(project_in(folder)) as project:
        add_prompts(project, "letters")


def look_at_texts(folder: Path, marks: Sequence[str]) -> None:
    with Project.open(project_in(folder)) as project:
        keys = [row.prompt_key for row in project.outputs.each()]
        assert len(project.runs.all()) >= last(marks, "run")
    assert len(keys) == len(set(keys)) >= last(marks, "done"), "a text that was shown as done is lost"


SETTINGS = """
from biasprint.core.machine import storage
from biasprint.desktop.settings import Settings

def live(mark):
    settings = Settings(FOLDER / "settings.json")
    for number in range(1, 9):
        settings.set("font_percent", 100 + number)
        settings.save()
        mark("set", number)
        with storage.change("counted.json") as counted:
            counted["number"] = number
        mark("counted", number)
"""


def look_at_settings(folder: Path, marks: Sequence[str]) -> None:
    settings = Settings(folder / "settings.json")
    assert not settings.notice, settings.notice
    assert settings.get("font_percent") >= 100 + last(marks, "set"), "a setting that was saved is lost"
    assert storage.read("counted.json").get("number", 0) >= last(marks, "counted")


LETTERS = """
from dataclasses import replace
from biasprint.core.letters.kept import Draft, save
from test_project_power_cuts import a_letter

def live(mark):
    draft, key = Draft("a" * 32), ""
    for number in range(1, 7):
        draft.write(a_letter(number), number)
        mark("draft", number)
        key = save(replace(a_letter(number), saved_as=key))
        mark("letter", number)
"""


def a_letter(number: int) -> KeptLetter:
    return KeptLetter(Document("a", "pasted", (f"Dear committee, {number} " + "Anna is good. " * 300,)), "A letter")


def look_at_letters(folder: Path, marks: Sequence[str]) -> None:
    for shelf, what in ((DRAFTS, "draft"), (SAVED, "letter")):
        content = listed(shelf)
        assert not content.damaged
        numbers = [int(opened(shelf, entry.key).document.text.split()[2]) for entry in content.entries]
        assert max(numbers, default=0) >= last(marks, what), f"a {what} that was kept is lost"


COPY = """
from packet_files import make
from biasprint.core.project.backup import back_up
from biasprint.core.project.copies import copy_project
from biasprint.core.project.project import Project
from biasprint.core.machine.files import write_whole
from test_project_power_cuts import project_in

def live(mark):
    project, out = project_in(FOLDER), FOLDER / "out"
    with Project.open(project) as opened:
        (plan,) = opened.judging.plans()
    copy_project(project, out / "copy.biasprint")
    mark("copied")
    make(project, plan.id, "R01", folder=out / "packets")
    mark("packet")
    made = back_up(project)
    mark("backed-up", made.path.name)
    write_whole(out / "table.csv", b"a,b" * 2000)
    mark("written")
    Project.create(out / "new.biasprint").close()
    mark("made")
    copy_project(project, out / "copy.biasprint")
    mark("again")
"""


def look_at_copies(folder: Path, marks: Sequence[str]) -> None:
    out, plan_rows = folder / "out", COMPARISONS
    for name, mark in (("copy.biasprint", "copied"), ("new.biasprint", "made")):
        assert (out / name).exists() or mark not in marks, f"{name} is lost"
        if (out / name).exists() and (mark in marks or name == "copy.biasprint"):
            assert check_project(out / name).sound, name
    told = [mark.partition(" ")[2] for mark in marks if mark.startswith("backed-up")]
    assert {*told} <= {backup.path.name for backup in backups(project_in(folder))}, "a backup is lost"
    assert all(check_project(backup.path).sound for backup in backups(project_in(folder)))
    packet = out / "packets" / "packet-R01.bpacket"
    assert packet.exists() or "packet" not in marks
    if packet.exists():
        with Project.open(packet, read_only=True) as project:
            assert packet_info(project) is not None
            (plan,) = project.judging.plans()
            assert len(project.judging.comparisons(plan.id)) == plan_rows
    table = out / "table.csv"
    assert (not table.exists() and "written" not in marks) or table.read_bytes() == b"a,b" * 2000


RESTORE = """
from biasprint.core.project.restore import choose, restore
from test_project_power_cuts import project_in

def live(mark):
    path = project_in(FOLDER)
    restore(path, choose(path, str(FOLDER / "good.biasprint")))
    mark("restored")
"""


def prepare_half_done(folder: Path) -> None:
    """A project with a journal that a kill left, which must not be played into the backup that takes its place."""
    for path, title in ((folder / "good.biasprint", "Good"), (project_in(folder), "Old")):
        with Project.create(path) as project:
            project.studies.add("news", title)
    leave_a_hot_journal(project_in(folder))


def look_at_restored(folder: Path, marks: Sequence[str]) -> None:
    with Project.open(project_in(folder)) as project:
        (study,) = project.studies.all()
    assert study.title == "Good" or (study.title == "Old" and not marks), "what was put back is lost"


WORKS = {
    "rating": Work(lambda folder: coordinator(project_in(folder), comparisons=COMPARISONS), RATE, look_at_rating),
    "merging": Work(prepare_packets, MERGE, look_at_merged),
    "generating": Work(prepare_prompts, GENERATE, look_at_texts),
    "settings": Work(lambda folder: None, SETTINGS, look_at_settings),
    "letters": Work(lambda folder: None, LETTERS, look_at_letters),
    "restoring": Work(prepare_half_done, RESTORE, look_at_restored),
    "copies": Work(lambda folder: coordinator(project_in(folder), comparisons=COMPARISONS), COPY, look_at_copies),
}


@pytest.mark.parametrize("cuts", [3, pytest.param(100, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
@pytest.mark.parametrize("name", WORKS)
def test_after_a_power_cut_whatever_was_told_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, cuts: int, figure: Figure
) -> None:
    work, folder = WORKS[name], tmp_path / "disk"
    for part in ("study", "home", "out"):
        (folder / part).mkdir(parents=True)
    monkeypatch.setenv("BIASPRINT_HOME", str(folder / "home"))
    work.prepare(folder)
    monkeypatch.syspath_prepend(Path(__file__).parent)
    crashes = Crashes(folder, tmp_path, f"from pathlib import Path\nFOLDER = Path({str(folder)!r})\n{work.code}")
    told = 0
    for cut in range(cuts):
        marks = crashes.cut(random.Random(f"{name} {cut}"), at_the_end=cut == 0)
        told += len(marks)
        where = f"{name}, cut {cut}, after {list(marks)[-3:]}"
        try:
            work.look(folder, marks)
            if project_in(folder).exists():
                found = check_project(project_in(folder))
                assert found.sound, found.problems
        except Exception as error:
            shutil.copytree(folder, tmp_path / "left", dirs_exist_ok=True)
            raise AssertionError(f"{where}: {error}") from error
    assert told, "every cut came before anything was told: the test shows nothing"
    figure(f"{cuts} power cuts while {name}: nothing that was told is lost", cuts)
