"""Seals: a packet whose answers were altered, or that came back finished in two copies, waits for a decision."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from inline_compute import Inline
from outside_results import label_studio_answers
from packet_files import answer, chosen_texts, coordinator, copied, finished, make, merge, state_of
from past_the_program import sql

from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.decisions import decide, open_conflicts, packets
from biasprint.core.judging.packets.hand_out import hand_out
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.judging.packets.packet import MergedFile
from biasprint.core.project.project import Project
from biasprint.core.project.stores import chain
from biasprint.core.project.stores.judging import judgment_sha256
from biasprint.core.project.stores.packets import _seal
from biasprint.core.runs.measure import MeasureOptions, measure_project
from biasprint.core.runs.rater_quality import rater_cards
from biasprint.core.texts.exporting import judgment_rows


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
    with closing(sql(copy)) as connection:
        connection.row_factory = sqlite3.Row
        alter(connection)
        for row in map(dict, connection.execute("SELECT * FROM judgment").fetchall()):
            connection.execute("UPDATE judgment SET row_sha256 = ? WHERE id = ?", (judgment_sha256(row), row["id"]))
        connection.commit()
    from biasprint.core.project.connection import engine_for

    with engine_for(lambda: sql(copy)).connect() as own:
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
    assert (came.held, came.added, came.refused, came.unsealed) == ("altered", 0, "", True)
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


def test_a_packet_of_an_earlier_version_waits_for_a_decision_too(project: Path, packet: Path) -> None:
    """Such a packet has no chain, and its project no key."""
    with closing(sql(project)) as connection:
        connection.execute("UPDATE packet SET manifest = json_remove(manifest, '$.key')")
        connection.commit()
    with closing(sql(packet)) as connection:
        connection.execute("UPDATE packet SET manifest = json_remove(manifest, '$.chain')")
        connection.commit()
    (came,) = merge(project, finished(answer(packet, (0, "choice", 1)))).files
    assert (came.unsealed, came.held, came.added) == (True, "unsealed", 0)
    assert accepting(project, packet).added == 1


def test_a_packet_that_forgot_its_chain_is_no_earlier_one(project: Path, packet: Path) -> None:
    with closing(sql(packet)) as connection:
        connection.execute("UPDATE packet SET manifest = json_remove(manifest, '$.chain')")
        connection.commit()
    (came,) = merge(project, finished(answer(packet, (0, "choice", 1)))).files
    assert (came.unsealed, came.held, came.added) == (True, "altered", 0)


def renamed(packet: Path) -> Path:
    """A copy under a packet's id that the project never gave, which is all that a stranger with SQL needs."""
    with closing(sql(packet)) as connection:
        (manifest,) = connection.execute("SELECT manifest FROM packet").fetchone()
        other = str(uuid4())
        values = (other, json.dumps({**json.loads(manifest), "packet": other}))
        connection.execute("UPDATE packet SET id = ?, manifest = ?", values)
        connection.commit()
    return packet


def test_a_finished_packet_without_the_seal_waits_under_any_id(project: Path, packet: Path) -> None:
    finished(answer(packet, (0, "choice", 1), (1, "choice", 0)))
    forgery = renamed(forged(packet, another_choice))
    before = state_of(project)[0]
    (came,) = merge(project, forgery).files
    assert (came.held, came.added, came.refused) == ("unsealed", 0, "")
    assert state_of(project)[0] == before, "nothing of it is in the project"
    with Project.open(project) as opened:
        assert [row.state for row in packets(opened)] == ["away"]


def test_a_forgery_that_was_let_in_stays_marked_and_the_true_packet_conflicts_with_it(
    project: Path, packet: Path
) -> None:
    finished(answer(packet, (0, "choice", 1), (1, "choice", 0), (2, "tie", None)))
    forgery = renamed(forged(packet, another_choice))
    let_in = accepting(project, forgery)
    assert (let_in.held, let_in.added) == ("unsealed", 3)
    with Project.open(project) as opened:
        (state,) = packets(opened)
        assert (state.state, state.unsealed) == ("finished", True)
        assert [row.unsealed for row in opened.judging.judgments()] == [True] * 3
        assert [row["unsealed"] for row in judgment_rows(opened, [1])] == [1] * 3
        assert [flag.key for card in rater_cards(JobContext(), opened) for flag in card.flags] == ["unsealed"]
    (true,) = merge(project, packet).files
    assert (true.refused, true.held, true.added, true.conflicting) == ("", "", 3, 2)
    assert merge(project, packet).files[0].repeated == 3
    (again,) = merge(project, forgery).files
    assert (again.held, again.added, again.repeated, again.unsealed) == ("", 0, 3, True), "it was decided on"
    with Project.open(project) as opened:
        (tie,) = opened.judging.judgments()
        assert (tie.outcome, tie.unsealed) == ("tie", False), "of equal answers the sealed one counts"
        for conflict in open_conflicts(opened):
            decide(opened, conflict, next(row.id for row in conflict.heads if not row.unsealed))
        assert not any(row.unsealed for row in opened.judging.judgments())
        (state,) = packets(opened)
        assert state.unsealed, "that a forgery was let in is said for good"


def test_the_order_in_which_a_forgery_and_the_true_packet_come_does_not_matter(project: Path, packet: Path) -> None:
    finished(answer(packet, (0, "choice", 1), (0, "choice", 2), (1, "choice", 0)))
    forgery = renamed(forged(packet, another_choice))
    other = project.with_name("other.biasprint")
    shutil.copyfile(project, other)
    merge(project, packet), accepting(project, forgery)
    accepting(other, forgery), merge(other, packet)
    found = []
    for file in (project, other):
        with Project.open(file) as opened:
            rows = sorted((row.id, row.supersedes or "") for row in opened.judging.judgments(superseded=True))
            found.append((rows, {row.id for conflict in open_conflicts(opened) for row in conflict.heads}))
    assert found[0] == found[1]
    assert len(found[0][1]) == 4


def test_a_forgery_that_an_earlier_version_took_for_the_packet_keeps_the_true_one_out_no_more(
    project: Path, packet: Path
) -> None:
    """That version stored the altered rows under the keys of the true ones."""
    finished(answer(packet, (0, "choice", 1), (1, "choice", 0)))
    merge(project, packet)
    with closing(sql(project)) as connection:
        connection.row_factory = sqlite3.Row
        another_choice(connection)
        for row in map(dict, connection.execute("SELECT * FROM judgment").fetchall()):
            connection.execute("UPDATE judgment SET row_sha256 = ? WHERE id = ?", (judgment_sha256(row), row["id"]))
        connection.commit()
    (came,) = merge(project, packet).files
    assert (came.refused, came.added, came.conflicting) == ("", 2, 2)
    assert merge(project, packet).files[0].repeated == 2


def test_findings_count_what_was_let_in_without_its_seal(project: Path, packet: Path) -> None:
    finished(answer(packet, (0, "choice", 1), (1, "choice", 0), (2, "choice", 2)))
    accepting(project, renamed(forged(packet, another_choice)))
    sentence = "3 of 3 judgments came in a file without its packet’s seal, by a recorded decision."
    compute: Any = Inline()
    with Project.open(project) as opened:
        measured = measure_project(JobContext(), opened, "creativity", MeasureOptions(), compute)
    shares = [one for one in measured.result.findings if one.id == "creativity.share"]
    assert shares
    assert all(sentence in one.note for one in shares)


def test_answers_from_another_tool_stand_in_for_no_packet_without_a_decision(project: Path, packet: Path) -> None:
    """Who knows the packet's id can write an export that no key signs."""
    with Project.open(project) as opened:
        copy = opened.path.with_name("copy.biasprint")
        shutil.copyfile(project, copy)
    with Project.open(copy) as opened:
        plan = opened.judging.plans()[0].id
        (made,) = hand_out(JobContext(), opened, "label-studio", plan_id=plan, codes=["R01"], folder=project.parent)
    export = label_studio_answers(made.path, project.parent / "export.json", lambda task: "A")
    assert merge(copy, export).files[0].added == 4, "there it was handed out"
    (came,) = merge(project, export).files
    assert (came.held, came.added) == ("unsealed", 0)
    assert accepting(project, export).added == 4
    with Project.open(project) as opened:
        assert packets(opened)[0].unsealed
        assert all(row.unsealed for row in opened.judging.judgments())
