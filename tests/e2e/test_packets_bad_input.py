"""Packets that something happened to, through the window and the command line: told in a sentence, and nothing lost."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from cli_support import biasprint, refused
from packet_files import answer, edited, finished
from packets_people import a_window, drop
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from raters_bench import Bench
from rating_files import packet
from rating_window import Rating
from seeded_part import seeded_part

from biasprint.core.project.changes import Changes
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project

SOUND = "packet-R01.bpacket"


@pytest.fixture
def windows(qtbot: QtBot, tmp_path: Path) -> Iterator[ExitStack]:
    """Windows that are closed at the end: `windows.enter_context(a_window(…))`."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    """R01's packet, its project beside it."""
    return packet(tmp_path)


@pytest.fixture
def project(tmp_path: Path, sent: Path) -> Path:
    return tmp_path / "zqfolder" / "zqfile.biasprint"


@pytest.fixture
def bad(sent: Path, tmp_path: Path) -> dict[str, Path]:
    """Files that came back and are none that can be merged, by what must be said of them."""
    finished(answer(sent, *((index, "choice", 1) for index in range(4))))
    other = packet(tmp_path / "other")
    cut = sent.with_name("cut.bpacket")
    cut.write_bytes(sent.read_bytes()[: sent.stat().st_size // 2])
    return {
        "belongs to another project": Path(shutil.copy(other, sent.with_name("another.bpacket"))),
        "was made by a newer Biasprint": edited(sent, "PRAGMA user_version=99", name="newer.bpacket"),
        "was changed outside": edited(sent, "UPDATE source SET text = 'other' WHERE id = 2", name="altered.bpacket"),
        "is damaged": cut,
    }


def judgments_in(path: Path) -> int:
    with Project.open(path, read_only=True) as project:
        return len(project.judging.judgments())


def test_at_the_command_line_each_is_named_and_the_sound_one_is_merged_once(
    project: Path, sent: Path, bad: dict[str, Path]
) -> None:
    files = [*bad.values(), sent, Path(shutil.copy(sent, sent.with_name("again.bpacket")))]
    before = {path: path.read_bytes() for path in files}
    told = biasprint("packet", "merge", project, *files, code=1)
    lines = told.err.splitlines()
    for says, path in bad.items():
        assert any(line.startswith(path.name) and says in line for line in lines), told.err
    assert "Traceback" not in told.err
    assert "4 answers of R01 added" in told.out
    assert "0 answers of R01 added, 4 were here" in told.out
    assert {path: path.read_bytes() for path in files} == before
    assert judgments_in(project) == 4
    assert check_project(project).sound


WRITING = {
    "prompts": ("prompts", "FILE", "--study", "letters"),
    "compare": ("compare", "FILE", "--axis", "gender"),
    "generate": ("generate", "FILE", "--study", "letters", "--backend", "synthetic", "--model", "small"),
    "make": ("packet", "make", "FILE", "--out", "OUT", "--raters", "2"),
    "merge": ("packet", "merge", "FILE", "OTHER"),
}


@pytest.mark.parametrize("name", seeded_part(list(WRITING), 2))
def test_no_command_writes_into_a_packet(sent: Path, tmp_path: Path, name: str) -> None:
    """A study or a rater more, and it would be no packet any longer: what its rater said could not be merged."""
    answer(sent, (0, "choice", 1))
    other = Path(shutil.copy(sent, tmp_path / "other.bpacket"))
    places = {"FILE": str(sent), "OUT": str(tmp_path / "out"), "OTHER": str(other)}
    before = sent.read_bytes()
    told = refused(*(places.get(part, part) for part in WRITING[name]), code=2, says=f"“{SOUND}” is a packet")
    assert "the project that it was made from" in told
    assert sent.read_bytes() == before
    assert not (tmp_path / "out").exists()


@pytest.mark.soak
def test_a_disk_that_fills_up_while_rating_loses_nothing_and_rating_goes_on_when_there_is_room(
    qtbot: QtBot, windows: ExitStack, sent: Path, project: Path, tmp_path: Path
) -> None:
    """SQLite's own refusal: no page can be added, as on a full disk."""
    window = windows.enter_context(a_window(qtbot, tmp_path))
    opened: list[Project] = []
    window.session.opened.connect(opened.append)  # the window itself does not lead to it
    rating = Rating(qtbot, window, sent)
    (inside,) = opened
    rating.start()
    rating.press("1")
    limit_pages(inside, more=0)
    note = "what must not be lost " * 2_000  # more than the file has room for
    rating.press("n")
    rating.panel.work.note.insertPlainText(note)
    rating.wait(lambda: window.status.saved.text() == "Not saved")
    rating.panel.work.setFocus()
    rating.press("2")
    assert window.status.saved.text() == "Not saved"
    assert rating.panel.control.view.comparison.ordinal == 2
    assert rating.panel.work.note.toPlainText() == note
    (told, *_) = window.banners.texts()
    assert "was not saved" in told
    assert SOUND not in told
    limit_pages(inside, more=10_000)
    rating.panel.work.setFocus()
    rating.press("2")
    rating.wait(lambda: window.status.saved.text() == "Saved")
    rating.end()
    rating.at("finished_page")
    with rating.reading() as reading:
        assert sorted(len(row.note) for row in reading.judging.judgments()) == [0, 0, 0, len(note)]
    rating.close()
    assert check_project(sent).sound
    assert "4 answers of R01 added" in biasprint("packet", "merge", project, sent).out


def limit_pages(project: Project, *, more: int) -> None:
    def write(connection: object) -> Changes:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()  # type: ignore[attr-defined]
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages + more}")  # type: ignore[attr-defined]
        return Changes()

    project.packets._writer.write(write)


def test_with_a_clock_that_was_set_back_the_revised_answer_counts(
    qtbot: QtBot, windows: ExitStack, sent: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rating = Rating(qtbot, windows.enter_context(a_window(qtbot, tmp_path)), sent)
    rating.start()
    days = iter(range(28, 0, -1))
    monkeypatch.setattr(
        "biasprint.core.project.stores.judging.utc_now", lambda: f"2031-02-{next(days):02d}T10:00:00.000+00:00"
    )  # each time is a day before the last one
    rating.press("1", "b", "2", "3", "0", "x")
    rating.at("end")
    monkeypatch.undo()
    rating.end()
    rating.at("finished_page")
    with rating.reading() as reading:
        every = reading.judging.judgments(superseded=True)
        assert [row.created_at for row in every] == sorted((row.created_at for row in every), reverse=True)
    rating.close()
    biasprint("packet", "merge", project, sent)
    out = tmp_path / "judgments.jsonl"
    biasprint("export", project, "judgments", "--out", out)
    with Project.open(project, read_only=True) as study:
        rows = study.judging.judgments()
        assert sorted(row.outcome for row in rows) == ["choice", "choice", "none", "tie"]
        revised = next(row for row in rows if row.supersedes is not None)
        assert revised.shown.index(revised.chosen) == 1, "the second card, which was chosen later"
        assert all(row.active_seconds >= 0 for row in rows)


@pytest.mark.soak
def test_a_packet_is_merged_while_its_rater_has_it_open_and_the_rest_comes_later(
    qtbot: QtBot, windows: ExitStack, sent: Path, project: Path, tmp_path: Path
) -> None:
    """Two windows, on a shared folder perhaps: the coordinator only reads."""
    for name in ("rater", "coordinator"):
        (tmp_path / name).mkdir()
    rating = Rating(qtbot, windows.enter_context(a_window(qtbot, tmp_path / "rater")), sent)
    rating.start()
    rating.press("1", "2")
    bench = Bench(qtbot, windows.enter_context(a_window(qtbot, tmp_path / "coordinator")), project)
    (row,) = drop(bench, [sent])
    assert row[:4] == (SOUND, "R01", "2", "0")
    assert "Finished" not in row[6]
    rating.panel.work.setFocus()
    rating.press("n")
    qtbot.keyClicks(rating.panel.work.note, "still here")
    rating.press(Qt.Key.Key_Escape)
    rating.press("3")
    rating.end()
    rating.at("finished_page")
    (row,) = drop(bench, [sent])
    assert row[:4] == (SOUND, "R01", "2", "2")
    assert row[6].endswith("Finished.")
    assert sorted(row.note for row in bench.project.judging.judgments()) == ["", "", "", "still here"]
