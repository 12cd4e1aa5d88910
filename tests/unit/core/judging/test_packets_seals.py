"""Seals: a packet whose answers were altered, or that came back finished in two copies, waits for a decision."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from packet_files import answer, chosen_texts, coordinator, copied, finished, make, merge

from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.judging.packets.report import MergedFile
from biasprint.core.project.project import Project
from biasprint.core.project.stores import chain
from biasprint.core.project.stores.judging import judgment_sha256
from biasprint.core.project.stores.packets import _seal


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "canaryprojectqx.biasprint"


@pytest.fixture
def packet(project: Path) -> Path:
    return make(project, coordinator(project, comparisons=4), "R01")[0].path


def accepting(project: Path, packet: Path) -> MergedFile:
    with Project.open(project) as opened:
        return merge_packets(JobContext(), opened, [packet], accept_held=True).files[0]


def forged(packet: Path, alter: Callable[[sqlite3.Connection], object], *, key: str = "") -> Path:
    """A copy whose rows were altered, with every hash and seal that can be worked out from the file made anew."""
    copy = copied(packet, "forged.bpacket")
    with closing(sqlite3.connect(copy)) as connection:
        connection.row_factory = sqlite3.Row
        alter(connection)
        for row in map(dict, connection.execute("SELECT * FROM judgment").fetchall()):
            connection.execute("UPDATE judgment SET row_sha256 = ? WHERE id = ?", (judgment_sha256(row), row["id"]))
        connection.commit()
    from biasprint.core.project.connection import connect, engine_for

    with engine_for(lambda: connect(copy, writable=True)).connect() as own:
        (identity, manifest), (session,) = (
            own.exec_driver_sql("SELECT id, manifest FROM packet").one(),
            own.exec_driver_sql("SELECT id FROM session").one(),
        )
        told = {**json.loads(manifest), "seal": None}
        if key:  # as if signing began with a key of the forger's
            state = chain.first_state(key)
            for (one,) in own.exec_driver_sql("SELECT row_sha256 FROM judgment ORDER BY sequence"):
                state = chain._next(state, one)
            told["chain"] = state
        own.exec_driver_sql("UPDATE packet SET manifest = ?", (json.dumps(told),))
        if "key" not in told["chain"]:
            told["chain"] = {**told["chain"], "key": "0" * 64}  # the best that the file allows
            own.exec_driver_sql("UPDATE packet SET manifest = ?", (json.dumps(told),))
        _seal(own, identity, session)
    return copy


def another_choice(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE judgment SET chosen = (chosen + 1) % 3 WHERE outcome = 'choice'")


def one_less(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM judgment WHERE sequence = (SELECT max(sequence) FROM judgment)")


@pytest.mark.parametrize("alter", [another_choice, one_less])
@pytest.mark.parametrize("key", ["", "ab" * 16])
def test_answers_altered_after_finishing_wait_for_a_decision(
    project: Path, packet: Path, alter: Callable[[sqlite3.Connection], object], key: str
) -> None:
    finished(answer(packet, (0, "choice", 1), (1, "choice", 0)))
    copy = forged(packet, alter, key=key)
    (came,) = merge(project, copy).files
    assert (came.held, came.added, came.refused, came.unsealed) == ("altered", 0, "", False)
    with Project.open(project) as opened:
        assert opened.judging.judgments(superseded=True) == ()
    assert accepting(project, copy).added > 0, "whoever coordinates may decide otherwise"


def test_a_packet_as_it_was_rated_is_merged_without_a_question(project: Path, packet: Path) -> None:
    answer(packet, (0, "choice", 1), (0, "choice", 2), (1, "tie", None))
    (came,) = merge(project, packet).files
    assert (came.held, came.added, came.unsealed) == ("", 3, False)
    (came,) = merge(project, finished(answer(packet, (2, "none", None)))).files
    assert (came.held, came.copies, came.added, came.repeated) == ("", False, 1, 3)


def test_no_file_of_a_finished_packet_holds_a_key_that_signed_it(project: Path, packet: Path) -> None:
    """The bytes of the whole file, free pages too."""
    with Project.open(project) as opened:
        (made,) = (row for row in opened.packets.all() if row.direction == "made")
    keys, state = [made.manifest["key"]], chain.first_state(made.manifest["key"])
    assert state["key"].encode() in packet.read_bytes(), "it signs with something"
    assert keys[0].encode() not in packet.read_bytes()
    answer(packet, (0, "choice", 1), (1, "tie", None), (2, "choice", 0))
    with Project.open(packet, read_only=True) as inside:
        hashes = [row["row_sha256"] for row in inside.packets.judgments_as_stored()]
    for one in hashes:
        keys.append(state["key"])
        state = chain._next(state, one)
    keys.append(state["key"])
    raw = finished(packet).read_bytes()
    assert [one for one in keys if one.encode() in raw] == []


def test_a_second_finished_copy_takes_no_answers_place_without_a_decision(project: Path, packet: Path) -> None:
    answer(packet, (0, "choice", 1), (1, "tie", None))
    second = copied(packet, "second.bpacket")
    finished(packet)
    finished(answer(second, (0, "choice", 2)))  # goes on from the same answer
    assert merge(project, packet).files[0].added == 2
    with Project.open(project) as opened:
        before = chosen_texts(opened, "R01")
    (came,) = merge(project, second).files
    assert (came.held, came.copies, came.added) == ("copy", True, 0)
    with Project.open(project) as opened:
        assert chosen_texts(opened, "R01") == before
    assert accepting(project, second).added == 1
    with Project.open(project) as opened:
        assert chosen_texts(opened, "R01") != before


def test_two_finished_copies_that_add_to_each_other_are_said(project: Path, packet: Path) -> None:
    second = copied(packet, "second.bpacket")
    finished(answer(packet, (0, "choice", 1)))
    finished(answer(second, (1, "tie", None)))
    first, other = merge(project, packet, second).files
    assert (first.copies, other.copies, other.held, other.added) == (False, True, "", 1)
    assert merge(project, packet).files[0].held == "", "what is here already takes no place"


def test_a_packet_of_an_earlier_version_is_merged_and_said_to_be_unsealed(project: Path, packet: Path) -> None:
    """Such a packet has no chain, and its project no key."""
    with closing(sqlite3.connect(project)) as connection:
        connection.execute("UPDATE packet SET manifest = json_remove(manifest, '$.key')")
        connection.commit()
    with closing(sqlite3.connect(packet)) as connection:
        connection.execute("UPDATE packet SET manifest = json_remove(manifest, '$.chain')")
        connection.commit()
    (came,) = merge(project, finished(answer(packet, (0, "choice", 1)))).files
    assert (came.unsealed, came.held, came.added) == (True, "", 1)


def test_a_packet_that_forgot_its_chain_is_no_earlier_one(project: Path, packet: Path) -> None:
    with closing(sqlite3.connect(packet)) as connection:
        connection.execute("UPDATE packet SET manifest = json_remove(manifest, '$.chain')")
        connection.commit()
    (came,) = merge(project, finished(answer(packet, (0, "choice", 1)))).files
    assert (came.unsealed, came.held, came.added) == (False, "altered", 0)
