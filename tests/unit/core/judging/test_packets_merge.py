"""Merging packets: what comes in, what is listed, what is refused; and the files stay as they are."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from packet_files import (
    IDENTITIES,
    answer,
    chosen_texts,
    coordinator,
    copied,
    finished,
    make,
    merge,
    packet_of_six,
    rated_through_the_door,
    say,
    state_of,
    text_of,
)
from past_the_program import sql

from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.decisions import conflicts, count_unfinished, decide, packets
from biasprint.core.judging.store import KIND
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextView
from biasprint.core.project.specs import AnnotationSpec, JudgmentSpec, RaterSpec
from biasprint.core.text import sha256_text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "canaryprojectqx.biasprint"


@pytest.fixture
def packet(project: Path) -> Path:
    return packet_of_six(project)


def test_what_was_chosen_comes_back_as_what_was_meant(project: Path, packet: Path) -> None:
    texts = rated_through_the_door(packet)
    before = state_of(packet)
    (came,) = merge(project, packet).files
    assert (came.code, came.added, came.repeated, came.finished, came.refused) == ("R02", 8, 0, True, "")
    assert state_of(packet) == before
    with Project.open(project) as open_one, Project.open(packet, read_only=True) as inside:
        (plan,) = open_one.judging.plans()
        rows = open_one.judging.comparisons(plan.id)
        found = chosen_texts(open_one, "R02")
        assert [found[row.id] for row in rows] == texts
        theirs = {row.id: row for row in inside.judging.judgments()}
        for row in open_one.judging.judgments():
            sent = theirs[row.id]
            same = ("session_id", "comparison_id", "outcome", "note", "active_seconds", "supersedes", "created_at")
            assert [getattr(row, name) for name in same] == [getattr(sent, name) for name in same]
            assert row.shown.index(row.chosen or 0) == 1
            assert row.viewed is not None
            views = [row.viewed[item] for item in row.shown]
            assert views == [TextView(0.5, False), TextView(1.5, True), TextView(2.5, False)]
        (session,) = [row for row in open_one.judging.sessions() if row.revealed_at]
        (own,) = inside.judging.sessions()
        assert (session.id, session.revealed_at, session.consent_text, session.consent_at) == (
            own.id, own.revealed_at, "Do you agree?", own.consent_at,
        )  # fmt: skip
        assert next(row for row in open_one.judging.raters() if row.code == "R02").background == {
            "described": "left-handed"
        }
        assert [(one.code, one.state, one.answered) for one in packets(open_one)] == [
            ("R01", "away", 0), ("R02", "finished", 8),
        ]  # fmt: skip
    assert check_project(project).sound


def test_ratings_by_criterion_stay_with_their_text(project: Path, packet: Path) -> None:
    with Project.open(packet) as inside:
        (plan,), (rater,) = inside.judging.plans(), inside.judging.raters()
        row = inside.judging.comparisons(plan.id)[1]
        texts = inside.texts([item.key for item in row.items])
        wanted = {texts[item.key].rstrip(" "): 5 - card for card, item in enumerate(row.items)}
        first = ""
        for card in range(3):
            value = {"card": card, "criterion": "Imagery", "rating": 5 - card}
            spec = AnnotationSpec(kind=KIND, target=row.id, rater_id=rater.id, value=value)
            first = inside.annotations.add(spec).uuid("annotation")
        value = {"card": 2, "criterion": "Imagery", "rating": None}
        inside.annotations.add(
            AnnotationSpec(kind=KIND, target=row.id, rater_id=rater.id, value=value, supersedes=first)
        )
    merge(project, packet, finished(copied(packet, "later.bpacket")), packet)
    with Project.open(project) as open_one:
        (plan,) = open_one.judging.plans()
        row = next(one for one in open_one.judging.comparisons(plan.id) if one.id == row.id)
        texts = open_one.texts([item.key for item in row.items])
        rows = open_one.annotations.of_kind(KIND, superseded=True)
        assert len(rows) == 4
        found = {texts[row.items[one.value["card"]].key]: one.value["rating"] for one in rows if one.supersedes is None}
        assert found == wanted
        in_force = open_one.annotations.of_kind(KIND)
        assert sorted(one.value["rating"] or 0 for one in in_force) == [0, 4, 5]


def test_a_file_that_comes_twice_adds_nothing(project: Path, packet: Path) -> None:
    answer(packet, (0, "choice", 1), (1, "tie", None), (0, "choice", 2))
    older = copied(packet, "older.bpacket")
    answer(packet, (2, "skip", None), (3, "none", None))
    first, second, third = merge(project, packet, older, packet).files
    assert [(one.added, one.repeated, one.conflicting) for one in (first, second, third)] == [
        (5, 0, 0), (0, 3, 0), (0, 5, 0),
    ]  # fmt: skip
    with Project.open(project) as open_one:
        assert len(open_one.judging.judgments()) == 4
        assert [one.state for one in packets(open_one)] == ["away", "partly"]


def test_a_later_file_adds_to_a_closed_session(project: Path, packet: Path) -> None:
    other = copied(packet, "other.bpacket")
    finished(answer(packet, (0, "choice", 1)))
    answer(other, (1, "tie", None))
    finished(other)
    merge(project, packet)
    with Project.open(project) as open_one:
        ended = next(row.revealed_at for row in open_one.judging.sessions() if row.revealed_at)
    (came,) = merge(project, other).files
    assert (came.added, came.refused) == (1, "")
    with Project.open(project) as open_one:
        assert len(open_one.judging.judgments()) == 2
        assert next(row.revealed_at for row in open_one.judging.sessions() if row.revealed_at) == ended


def test_different_answers_wait_for_a_decision(project: Path, packet: Path) -> None:
    other = copied(packet, "other.bpacket")
    finished(answer(packet, (0, "choice", 1), (1, "tie", None), (2, "choice", 0)))
    finished(answer(other, (0, "choice", 2), (1, "tie", None), (2, "choice", 0)))
    report = merge(project, packet, other)
    assert [(one.added, one.conflicting) for one in report.files] == [(3, 0), (3, 1)]
    assert report.conflicts == 1
    with Project.open(project) as open_one:
        rows = open_one.judging.judgments()
        assert len(rows) == 2, "equal answers are in force once, different ones not at all"
        assert len(open_one.judging.judgments(superseded=True)) == 6
        (conflict,) = conflicts(open_one)
        assert (conflict.code, conflict.open, conflict.decided, len(conflict.heads)) == ("R02", True, None, 2)
        one, two = conflict.heads
        decide(open_one, conflict, two.id)
        assert {row.id for row in open_one.judging.judgments()} == {*(row.id for row in rows), two.id}
        decide(open_one, conflicts(open_one)[0], one.id)
        assert {row.id for row in open_one.judging.judgments()} == {*(row.id for row in rows), one.id}
        decide(open_one, conflicts(open_one)[0], None)
        (conflict,) = conflicts(open_one)
        assert (conflict.open, conflict.decided) == (False, None)
        assert {row.id for row in open_one.judging.judgments()} == {row.id for row in rows}
        with pytest.raises(UsageError):
            decide(open_one, conflict, rows[0].id)


def test_a_third_answer_opens_a_decided_conflict_again(project: Path, packet: Path) -> None:
    two, three = copied(packet, "two.bpacket"), copied(packet, "three.bpacket")
    for path, card in ((packet, 0), (two, 1), (three, 2)):
        answer(path, (0, "choice", card))
    merge(project, packet, two)
    with Project.open(project) as open_one:
        (conflict,) = conflicts(open_one)
        decide(open_one, conflict, conflict.heads[0].id)
    assert merge(project, packet, two).conflicts == 0, "the same files again change nothing"
    assert merge(project, three).conflicts == 1
    with Project.open(project) as open_one:
        (conflict,) = conflicts(open_one)
        assert conflict.open
        assert len(conflict.heads) == 3
        assert open_one.judging.judgments() == ()


def test_what_came_counts_when_the_coordinator_says_so(project: Path, packet: Path) -> None:
    merge(project, answer(packet, (0, "choice", 1)))
    with Project.open(project) as open_one:
        session = packets(open_one)[1].session_id
        count_unfinished(open_one, session)
        assert [one.state for one in packets(open_one)] == ["away", "counted"]
    finished(answer(packet, (1, "tie", None)))
    assert merge(project, packet).files[0].added == 1
    with Project.open(project) as open_one:
        assert [one.state for one in packets(open_one)] == ["away", "finished"]
        with pytest.raises(UsageError):
            count_unfinished(open_one, "nothing")


def test_changed_texts_are_listed_and_their_answers_left_out(project: Path, packet: Path) -> None:
    answer(packet, (2, "choice", 1), (3, "choice", 1))
    with closing(sql(project)) as connection:
        connection.execute("UPDATE output SET text = 'changed' WHERE text = ?", (text_of(2, 1),))
        connection.commit()
    (came,) = merge(project, packet).files
    with Project.open(project) as open_one:
        (plan,) = open_one.judging.plans()
        changed = open_one.judging.comparisons(plan.id)[2].id
        assert came.changed_texts == (changed,)
        assert (came.added, came.refused) == (1, "")
        assert [row.comparison_id for row in open_one.judging.judgments()] != [changed]


def test_two_cards_with_one_text_are_told_apart_by_where_they_stood(project: Path) -> None:
    plan = coordinator(project)
    from biasprint.core.judging.plan import texts_digest

    with closing(sql(project)) as connection:  # both men wrote the same
        connection.execute(
            "UPDATE output SET text = 'same', text_sha256 = ? WHERE id IN (1, 2)", (sha256_text("same"),)
        )
        digest = texts_digest(sha256_text(text) for text in ("same", "same", text_of(0, 2)))
        connection.execute("UPDATE comparison SET texts_sha256 = ? WHERE position = 0", (digest,))
        connection.commit()
    for number, made in enumerate(make(project, plan, "R01", "R02", "R03"), start=1):
        answer(made.path, (0, "choice", 0))
        assert merge(project, made.path).files[0].added == 1
        with Project.open(project) as open_one:
            raters = {row.code: row.id for row in open_one.judging.raters()}
            session = next(one for one in open_one.judging.sessions() if one.rater_id == raters[f"R{number:02d}"])
            (row,) = open_one.judging.judgments(session.id)
            assert row.chosen == row.shown[0]
            first = {row.shown[0] for row in open_one.judging.judgments()}
    assert first == {0, 1, 2}, "over three raters each identity stood first once"


def test_an_unknown_rater_is_listed_and_added_only_on_request(project: Path, packet: Path, tmp_path: Path) -> None:
    """The project's backup of before the packets were made knows nothing of their raters."""
    earlier = tmp_path / "earlier.biasprint"
    with Project.open(project) as open_one:
        open_one.save_copy(earlier)
    with closing(sqlite3.connect(earlier)) as connection:
        for table in ("packet", "session", "rater"):
            connection.execute(f"DELETE FROM {table}")
        connection.commit()
    finished(answer(packet, (0, "choice", 1)))
    (came,) = merge(earlier, packet).files
    assert (came.unknown_rater, came.added, came.code, came.refused) == (True, 0, "R02", "")
    with Project.open(earlier) as open_one:
        assert open_one.judging.raters() == ()
    (came,) = merge(earlier, packet, accept_raters=True).files
    assert (came.unknown_rater, came.added) == (True, 1)
    (came,) = merge(earlier, packet).files
    assert (came.unknown_rater, came.added, came.repeated) == (False, 0, 1)
    with Project.open(earlier) as open_one, Project.open(packet, read_only=True) as inside:
        assert [row.id for row in open_one.judging.raters()] == [row.id for row in inside.judging.raters()]
        assert open_one.judging.is_packet_session(inside.judging.sessions()[0].id)
        assert [one.state for one in packets(open_one)] == ["finished"]
    assert check_project(earlier).sound


def test_a_clock_that_was_set_back_changes_no_order(
    project: Path, packet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(["2026-05-02T10:00:00.000+00:00", "2026-05-01T09:00:00.000+00:00", "2026-05-01T08:00:00.000+00:00"])
    with Project.open(packet) as inside:
        for index, card in ((0, 0), (1, 1), (0, 2)):
            at = next(times)
            monkeypatch.setattr("biasprint.core.project.stores.judging.utc_now", lambda at=at: at)
            say(inside, index, "choice", card)
    monkeypatch.undo()
    finished(packet)
    merge(project, packet)
    from biasprint.core.texts.exporting import rows as exported

    with Project.open(project) as open_one:
        made = list(exported(JobContext(), open_one, "judgments", superseded=True))
        assert [row["judged_at"][:13] for row in made] == ["2026-05-02T10", "2026-05-01T09", "2026-05-01T08"]
        assert [(row["sequence"], row["card"], row["superseded"]) for row in made] == [(1, 1, 1), (2, 2, 0), (3, 3, 0)]
        assert all(row["seconds"] >= 0 for row in made)
        in_force = list(exported(JobContext(), open_one, "judgments"))
        assert [(row["sequence"], row["card"]) for row in in_force] == [(1, 2), (2, 3)]
        assert {row["chosen"] for row in made} <= set(IDENTITIES)


def test_a_model_that_saw_every_order_keeps_all_its_judgments(project: Path, packet: Path) -> None:
    """In a session that no packet came for, several judgments of one comparison are no conflict."""
    merge(project, answer(packet, (0, "choice", 1)))
    with Project.open(project) as open_one:
        (plan,) = open_one.judging.plans()
        row = open_one.judging.comparisons(plan.id)[0]
        rater = open_one.judging.add_rater(RaterSpec(code="llama", kind="model")).uuid("rater")
        session = open_one.judging.open_session(plan.id, rater).uuid("session")
        for shown in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            spec = JudgmentSpec(
                session_id=session, comparison_id=row.id, outcome="choice", chosen=shown[0], shown=shown,
                texts_sha256=row.texts_sha256, active_seconds=0,
            )  # fmt: skip
            open_one.judging.record(spec)
        assert len(open_one.judging.judgments(session)) == 3
        assert len(open_one.judging.judgments()) == 4
        assert conflicts(open_one) == ()
