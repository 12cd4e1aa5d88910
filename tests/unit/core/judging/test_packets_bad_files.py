"""Files that are no sound packets, that a crash or a full disk interrupted: refused in a sentence, and untouched."""

import json
import os
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from packet_files import (
    answer,
    coordinator,
    edited,
    finished,
    make,
    merge,
    packet_of_six,
    rated_through_the_door,
    say,
    state_of,
)
from past_the_program import sql
from seeded_part import seeded_part
from sqlalchemy import Connection

from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.judging.packets.packet import ShownComparison, content_sha256, packet_parts
from biasprint.core.project.changes import Changes
from biasprint.core.project.connection import NotSaved
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.project.stores.judging import judgment_sha256
from biasprint.core.text import sha256_text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "canaryprojectqx.biasprint"


@pytest.fixture
def packet(project: Path) -> Path:
    return packet_of_six(project)


def other_project(packet: Path) -> Path:
    other = packet.parent / "other" / "canaryprojectqx.biasprint"
    return make(other, coordinator(other), "R02", folder=packet.parent / "other")[0].path


def ordinary_project(packet: Path) -> Path:
    path = packet.parent / "ordinary.bpacket"
    coordinator(path)
    return path


def newer(packet: Path) -> Path:
    return edited(packet, "PRAGMA user_version=99")


def truncated(packet: Path) -> Path:
    path = packet.with_name("cut.bpacket")
    path.write_bytes(packet.read_bytes()[: packet.stat().st_size // 2])
    return path


def zeroed(packet: Path) -> Path:
    """Its tail is lost, as on a stick that was pulled."""
    path = packet.with_name("zeroed.bpacket")
    raw = packet.read_bytes()
    path.write_bytes(raw[: len(raw) - 12_288] + bytes(12_288))
    return path


def foreign(packet: Path) -> Path:
    path = packet.with_name("letter.bpacket")
    path.write_text("Dear coordinator, here are my answers.")
    return path


def empty(packet: Path) -> Path:
    path = packet.with_name("empty.bpacket")
    path.touch()
    return path


def judgment_copied(packet: Path) -> str:
    columns = "session_id, comparison_id, outcome, chosen, shown, texts_sha256, note, active_seconds, created_at"
    return f"INSERT INTO judgment (id, {columns}, row_sha256) SELECT 'x', {columns}, row_sha256 FROM judgment LIMIT 1"


TROUBLE = {
    "missing": (lambda packet: packet.with_name("missing.bpacket"), "There is no file"),
    "folder": (lambda packet: packet.parent, "is a folder"),
    "foreign": (foreign, "is no packet"),
    "empty": (empty, "It is empty"),
    "newer": (newer, "newer Biasprint"),
    "truncated": (truncated, "is damaged"),
    "zeroed": (zeroed, "is damaged"),
    "a project": (ordinary_project, "is a project, not a packet"),
    "another project's": (other_project, "belongs to another project"),
    "a trigger": (lambda p: edited(p, "CREATE TRIGGER t AFTER INSERT ON draft BEGIN SELECT 1; END"), "structure"),
    "text": (lambda p: edited(p, "UPDATE source SET text = 'other' WHERE id = 2"), "changed outside"),
    "title": (lambda p: edited(p, "UPDATE plan SET settings = '{\"wording\":[]}'"), "changed outside"),
    "cards swapped": (lambda p: edited(p, "UPDATE comparison SET items = replace(replace(replace(items, ':1}', ':0}'), "
                                          "':2}', ':1}'), ':0}', ':2}') WHERE position = 0"), "changed outside"),
    "choice": (lambda p: edited(p, "UPDATE judgment SET chosen = 2 WHERE sequence = 1"), "changed outside"),
    "note": (lambda p: edited(p, "UPDATE judgment SET note = 'other' WHERE sequence = 1"), "changed outside"),
    "time": (lambda p: edited(p, "UPDATE judgment SET active_seconds = -5 WHERE sequence = 1"), "changed outside"),
    "added": (lambda p: edited(p, judgment_copied(p)), "changed outside"),
    "taken away": (lambda p: edited(p, "DELETE FROM judgment WHERE sequence = 2"), "changed outside"),
    "reopened": (lambda p: edited(p, "UPDATE session SET revealed_at = NULL"), "changed outside"),
    "another date": (lambda p: edited(p, "UPDATE session SET revealed_at = '2020'"), "changed outside"),
    "another consent": (lambda p: edited(p, "UPDATE session SET consent_text = 'All.'"), "changed outside"),
    "another format": (lambda p: edited(p, "UPDATE packet SET manifest = '{\"format\":2}'"), "another version"),
    "nonsense": (lambda p: edited(p, "UPDATE packet SET manifest = 'nonsense'"), "changed outside"),
    "a decision": (lambda p: edited(p, "INSERT INTO annotation VALUES ('a','decision','x',NULL,'{}',NULL,'now',x'')"),
                   "changed outside"),
    "a session of its own": (lambda p: edited(p, "PRAGMA foreign_keys=OFF", "UPDATE session SET id = 'x'",
                                              "UPDATE judgment SET session_id = 'x'"), "changed outside"),
}  # fmt: skip


STRANGE_VIEWS = {
    "one card only": [{"seconds": 1.0, "end": True}],
    "no number": [{"seconds": float("nan"), "end": True}] * 3,
    "endless": [{"seconds": float("inf"), "end": True}] * 3,
    "before it began": [{"seconds": -1.0, "end": True}] * 3,
    "beyond any number": [{"seconds": 10**400, "end": True}] * 3,
    "more than is kept": [{"seconds": 1.0, "end": True, "file": "x"}] * 3,
    "words": "all of it",
}


@pytest.mark.parametrize("case", STRANGE_VIEWS)
def test_views_that_make_no_sense_are_refused_although_every_hash_fits(project: Path, packet: Path, case: str) -> None:
    answer(packet, (0, "choice", 1))
    with Project.open(packet) as inside:
        (row,) = inside.packets.judgments_as_stored()
    strange = {name: value for name, value in row.items() if name != "sequence"}
    strange["detail"] = json.dumps({"viewed": STRANGE_VIEWS[case]})
    with closing(sql(packet)) as connection:
        values = (strange["detail"], judgment_sha256(strange))
        connection.execute("UPDATE judgment SET detail = ?, row_sha256 = ?", values)
        connection.commit()
    (came,) = merge(project, packet).files
    assert "changed outside" in came.refused
    assert "\n" not in came.refused
    with Project.open(project) as open_one:
        assert open_one.judging.judgments() == ()


@pytest.mark.parametrize("case", seeded_part(TROUBLE, 10))
def test_what_is_no_sound_packet_is_refused_and_stops_no_other(project: Path, packet: Path, case: str) -> None:
    finished(answer(packet, (0, "choice", 1), (1, "tie", None), (2, "choice", 0)))
    spoil, says = TROUBLE[case]
    bad = spoil(packet)
    before = state_of(bad) if bad.is_file() else None
    first, second = merge(project, bad, packet).files
    assert says in first.refused, first.refused
    assert first.hint
    assert "\n" not in first.refused
    assert (first.added, first.name) == (0, bad.name)
    assert (second.added, second.refused) == (3, "")
    assert before is None or state_of(bad) == before
    with Project.open(project) as open_one:
        assert len(open_one.judging.judgments()) == 3


def test_a_text_that_was_changed_with_its_hashes_is_refused_as_well(project: Path, packet: Path) -> None:
    answer(packet, (0, "choice", 1))
    with Project.open(packet, read_only=True) as inside_it:
        own = packet_parts(inside_it)
        assert own is not None
        rows = inside_it.judging.comparisons(own.plan.id)
        texts = [[sha256_text(inside_it.texts([item.key])[item.key]) for item in row.items] for row in rows]
    settings = {**own.plan.settings, "wording": [{"title": "Take the first card", "criteria": []}]}
    shown = (ShownComparison(row.id, row.task, hashes) for row, hashes in zip(rows, texts, strict=True))
    manifest = {**own.packet.manifest, "content_sha256": content_sha256("R02", settings, shown)}
    forged = edited(packet, f"UPDATE plan SET settings = '{json.dumps(settings)}'",
                    f"UPDATE packet SET manifest = '{json.dumps(manifest)}'")  # fmt: skip
    assert "changed outside" in merge(project, forged).files[0].refused
    assert merge(project, packet).files[0].added == 1


def test_a_flipped_bit_is_noticed_or_changes_nothing(project: Path, packet: Path, tmp_path: Path) -> None:
    rated_through_the_door(packet)
    chance, raw = random.Random(5), packet.read_bytes()
    pristine = project.read_bytes()
    written = [place for place, byte in enumerate(raw) if byte]  # most of a small file is room for more
    refused = 0

    def merged_with(path: Path) -> tuple[bool, list[object]]:
        target = tmp_path / "target.biasprint"
        target.write_bytes(pristine)
        (came,) = merge(target, path).files
        with Project.open(target) as open_one:
            rows = [replace(row, sequence=0) for row in open_one.judging.judgments(superseded=True)]
            sessions, raters = open_one.judging.sessions(), open_one.judging.raters()
        return bool(came.refused), [rows, sessions, raters]

    _, wanted = merged_with(packet)
    _, nothing = merged_with(tmp_path / "missing.bpacket")
    flipped = tmp_path / "flipped.bpacket"
    for _ in range(40):
        mutant = bytearray(raw)
        mutant[chance.choice(written)] ^= 1 << chance.randrange(8)
        flipped.write_bytes(mutant)
        was_refused, found = merged_with(flipped)
        assert found == (nothing if was_refused else wanted)
        refused += was_refused
    assert refused > 15, "no bit that matters was flipped"


def test_the_project_itself_is_no_packet_and_a_packet_no_project(project: Path, packet: Path) -> None:
    (came,) = merge(project, project).files
    assert "is the project itself" in came.refused
    with pytest.raises(UsageError, match="is a packet itself"):
        merge(packet, packet)
    with Project.open(project, read_only=True) as reading, pytest.raises(NotSaved):
        merge_packets(JobContext(), reading, [packet])


def test_a_packet_that_a_crash_interrupted_is_read_as_it_was_saved(project: Path, packet: Path, tmp_path: Path) -> None:
    """With a hot journal beside it, on a folder that may not be written to: neither is touched."""
    answer(packet, (0, "choice", 1))
    folder = tmp_path / "stick"
    folder.mkdir()
    with closing(sqlite3.connect(packet, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size=1")  # spills, so that file and journal differ from what was committed
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE judgment SET note = 'never committed'")
        for number in range(400):
            connection.execute("UPDATE source SET text = text || ?", (f"half done {number}" * 20,))
        hot, journal = folder / packet.name, folder / f"{packet.name}-journal"
        hot.write_bytes(packet.read_bytes())
        journal.write_bytes(packet.with_name(f"{packet.name}-journal").read_bytes())
        connection.execute("ROLLBACK")
    assert journal.stat().st_size > 0
    before = state_of(hot), state_of(journal)
    folder.chmod(0o555)
    try:
        (came,) = merge(project, hot).files
        assert (came.added, came.refused) == (1, "")
        assert (state_of(hot), state_of(journal)) == before
        assert sorted(os.listdir(folder)) == [hot.name, journal.name]
    finally:
        folder.chmod(0o755)
    with Project.open(project) as open_one:
        assert [row.note for row in open_one.judging.judgments()] == [""]


def test_a_packet_on_a_read_only_folder_is_merged_and_untouched(project: Path, packet: Path) -> None:
    answer(packet, (0, "choice", 1))
    packet.chmod(0o444)
    packet.parent.chmod(0o555)
    before = state_of(packet)
    try:
        assert merge(project, packet).files[0].added == 1
        assert state_of(packet) == before
    finally:
        packet.parent.chmod(0o755)


def test_a_full_disk_merges_a_file_whole_or_not_at_all(project: Path, packet: Path) -> None:
    with Project.open(packet) as inside:
        for index in range(8):
            say(inside, index, "tie", note="long words " * 300)
    finished(packet)
    small = answer(packet.with_name("packet-R01.bpacket"), (0, "tie", None))
    with Project.open(project) as open_one:
        writer = open_one.packets._writer
        full_at(open_one, more_pages=4)  # room for the first rows of the file, and not for all
        large = merge_packets(JobContext(), open_one, [packet]).files[0]
        assert "The disk is full" in large.refused
        assert large.hint
        assert open_one.judging.judgments(superseded=True) == (), "half of a file was merged"
        assert all(row.revealed_at is None for row in open_one.judging.sessions())
        assert [row.direction for row in open_one.packets.all()] == ["made", "made"]
        one, other = merge_packets(JobContext(), open_one, [packet, small]).files
        assert one.refused
        assert (other.refused, other.added) == ("", 1), "the next file is tried, and fits"
        writer.write(lambda connection: limit(connection, 1_000_000))
        again = merge_packets(JobContext(), open_one, [small, packet])
        assert [(came.refused, came.added, came.repeated) for came in again.files] == [("", 0, 1), ("", 8, 0)]
    assert check_project(project).sound


def full_at(project: Project, *, more_pages: int) -> None:
    """No more pages than so many: what needs another is refused by SQLite as on a full disk."""

    def write(connection: Connection) -> Changes:
        return limit(connection, connection.exec_driver_sql("PRAGMA page_count").scalar_one() + more_pages)

    project.packets._writer.write(write)


def limit(connection: Connection, pages: int) -> Changes:
    connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
    return Changes()
