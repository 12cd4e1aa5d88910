"""Making packets: what is in one and what is not, for whom, twice, and what stands in the way."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from packet_files import CANARIES, TITLE, answer, coordinator, judging, make, text_of
from past_the_program import sql

from biasprint.core.errors import AppError, UsageError
from biasprint.core.judging.card_order import CardOrder
from biasprint.core.judging.packets.decisions import packets
from biasprint.core.judging.packets.packet import finish_packet, packet_info
from biasprint.core.judging.reveal import reveal
from biasprint.core.judging.session import offer_plans, offer_to_new_rater, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import JudgingWork, Refused, record_choice
from biasprint.core.project.connection import NotSaved
from biasprint.core.project.lock import ProjectInUse
from biasprint.core.project.project import Project
from biasprint.core.project.specs import RaterSpec


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "canaryprojectqx.biasprint"


def rows_of(path: Path, table: str) -> list[dict[str, object]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f'SELECT * FROM "{table}"')]


def test_no_byte_of_a_packet_tells_what_is_hidden(project: Path, tmp_path: Path) -> None:
    plan = coordinator(
        project, comparisons=40, repeats=8, consent_text="Do you agree?", planned={"secret": "canarykeyqx"}
    )
    with Project.open(project) as open_one:
        open_one.judging.add_rater(RaterSpec(code="canaryotherraterqx"))
    made, _ = make(project, plan, "R07", "canaryotherraterqx")
    raw = made.path.read_bytes().lower()
    shown = json.dumps(TITLE)[1:-1].lower().encode()
    assert shown in raw, "the title that is on the screen is not in the packet"
    hidden = raw.replace(shown, b"")
    found = [name for name in CANARIES if name.encode() in hidden]
    assert not found, f"the packet tells {found}"
    for encoding in ("utf-16-le", "utf-16-be"):
        assert not [name for name in CANARIES if name.encode(encoding) in hidden]
    assert str(tmp_path).lower().encode() not in raw
    assert tmp_path.name.lower().encode() not in raw
    with closing(sqlite3.connect(made.path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_packet_holds_only_what_its_rater_needs(project: Path) -> None:
    plan = coordinator(project, comparisons=4, repeats=2, consent_text="Do you agree?", criterion_ratings=True)
    (made,) = make(project, plan, "R02")
    tables = {
        row["name"]: rows_of(made.path, str(row["name"]))
        for row in rows_of(made.path, "sqlite_schema")
        if row["type"] == "table" and row["name"] != "sqlite_sequence"
    }
    filled = {name: len(rows) for name, rows in tables.items() if rows}
    assert filled == {"study": 1, "source": 18, "plan": 1, "comparison": 6, "rater": 1, "session": 1, "packet": 1}
    (plan_row,) = tables["plan"]
    assert (plan_row["title"], plan_row["axis"], plan_row["seed"]) == ("", "", 0)
    assert json.loads(str(plan_row["settings"])) == {
        "consent_text": "Do you agree?", "criterion_ratings": True, "ask_background": False, "notes": True,
        "wording": [{"title": TITLE, "criteria": []}],
    }  # fmt: skip
    for row in tables["comparison"]:
        assert (row["axis"], row["theme"], row["repeat_of"]) == ("", "", None)
        assert all(item["identity"] == "" for item in json.loads(str(row["items"])))
    used = [item["source"] for row in tables["comparison"] for item in json.loads(str(row["items"]))]
    assert used == list(range(1, 19)), "a text that two comparisons share would tell that one repeats the other"
    times = {row[name] for rows in tables.values() for row in rows for name in ("created_at",) if name in row}
    assert len(times) == 1, "times would tell in which order the texts were written"


def test_cards_stand_in_the_order_that_the_plan_has_for_the_rater(project: Path) -> None:
    plan = coordinator(project, comparisons=7, repeats=3)
    for made in make(project, plan, "R01", "R02", "R05"):
        with Project.open(project) as open_one:
            rows = open_one.judging.comparisons(plan)
            order = CardOrder(rows, plan=open_one.judging.plans()[0], rater_code=made.code)
            texts = [open_one.texts([item.key for item in row.items]) for row in rows]
        wanted = [
            [found[row.items[item].key] for item in order.of(row.id)] for row, found in zip(rows, texts, strict=True)
        ]
        seen = []
        with judging(made.path) as door:
            (offer,) = door.ask(offer_plans).result().offers
            view = door.ask(open_session, offer.token, made.code).result()
            while view.comparison is not None:
                seen.append([text.rstrip(" ") for text in view.comparison.texts])
                view = door.ask(record_choice, view.comparison.token, "tie").result()
        assert seen == wanted


def test_making_again_gives_the_same_packet(project: Path, tmp_path: Path) -> None:
    plan = coordinator(project)
    first = make(project, plan, "R01", "R02")
    before = [made.path.read_bytes() for made in first]
    assert make(project, plan, "R01", "R02") == first, "a packet that is there and has no answers stays"
    again = make(project, plan, "R02", "R01", folder=tmp_path / "other")
    assert [made.path.read_bytes() for made in reversed(again)] == before
    with Project.open(project) as open_one:
        assert [row.code for row in open_one.judging.raters()] == ["R01", "R02"]
        assert len(open_one.judging.sessions()) == len(open_one.packets.all()) == 2
        assert [one.state for one in packets(open_one)] == ["away", "away"]


def test_a_file_with_answers_is_never_written_over(project: Path) -> None:
    plan = coordinator(project)
    (made,) = make(project, plan, "R01")
    answer(made.path, (0, "tie", None))
    before = made.path.read_bytes()
    with pytest.raises(AppError, match="a packet with answers in it"):
        make(project, plan, "R01")
    assert made.path.read_bytes() == before
    made.path.write_bytes(b"something else")
    with pytest.raises(AppError, match="another file"):
        make(project, plan, "R02", "R01")
    assert not made.path.with_name("packet-R02.bpacket").exists(), "nothing is written unless all can be"


def test_who_rates_here_gets_no_packet_and_who_has_one_does_not_rate_here(project: Path) -> None:
    plan = coordinator(project)
    with Project.open(project) as open_one:
        door = open_judging(ProjectStore(open_one))
        (offer,) = door.ask(offer_plans, "R01").result().offers
        door.ask(open_session, offer.token, "R01").result()
        door.close(5)
    with pytest.raises(AppError, match="R01 has begun to rate this plan on this computer"):
        make(project, plan, "R02", "R01")
    assert not (project.parent / "packets").exists()
    make(project, plan, "R02")
    with Project.open(project) as open_one:
        work = JudgingWork(ProjectStore(open_one))
        assert offer_plans(work).code == "R01", "the packet's open session is nobody's here"
        assert offer_to_new_rater(work).code == "R03"
        (offer,) = offer_plans(work, "R02").offers
        with pytest.raises(Refused, match="R02 rates in a packet"):
            open_session(work, offer.token, "R02", consent=True)
        assert len(open_one.judging.sessions()) == 2
        (offer,) = offer_plans(work, "R01").offers
        assert open_session(work, offer.token, "R01", consent=True).comparison is not None
        sessions = {row.rater_id: row.id for row in open_one.judging.sessions()}
        codes = {row.id: row.code for row in open_one.judging.raters()}
        away = {codes[rater]: open_one.judging.is_packet_session(key) for rater, key in sessions.items()}
    assert away == {"R01": False, "R02": True}


@pytest.mark.parametrize("codes", [(), ("",), ("a\nb",), ("x" * 41,), ("r01", "R01"), ("a/b", "a:b")])
def test_codes_that_make_no_sense_are_refused(project: Path, codes: tuple[str, ...]) -> None:
    plan = coordinator(project)
    with pytest.raises(UsageError):
        make(project, plan, *codes)
    assert not (project.parent / "packets").exists()


def test_a_model_and_an_unknown_plan_are_refused(project: Path) -> None:
    plan = coordinator(project)
    with Project.open(project) as open_one:
        open_one.judging.add_rater(RaterSpec(code="llama", kind="model"))
    with pytest.raises(UsageError, match="is a model"):
        make(project, plan, "llama")
    with pytest.raises(UsageError, match="no such plan"):
        make(project, "nothing", "R01")


def test_a_comparison_whose_text_was_changed_is_left_out(project: Path) -> None:
    plan = coordinator(project)
    with closing(sql(project)) as connection:
        connection.execute("UPDATE output SET text = 'changed' WHERE text = ?", (text_of(2, 1),))
        connection.commit()
    (made,) = make(project, plan, "R01")
    assert made.comparisons == 5
    assert len(rows_of(made.path, "comparison")) == 5


def test_a_folder_that_cannot_be_written_to_leaves_nothing(project: Path, tmp_path: Path) -> None:
    plan = coordinator(project)
    folder = tmp_path / "not a folder"
    folder.write_text("a file")
    with pytest.raises(AppError, match="could not be written"):
        make(project, plan, "R01", folder=folder)
    with Project.open(project) as open_one:
        assert packets(open_one) == ()
        assert open_one.judging.raters() == ()


def test_a_packet_is_judged_as_a_project_is(project: Path) -> None:
    plan = coordinator(project, comparisons=3, consent_text="Do you agree?", ask_background=True)
    (made,) = make(project, plan, "R04")
    with judging(made.path) as door:
        info = door.ask(offer_plans).result()
        (offer,) = info.offers
        assert (info.code, offer.opened, offer.comparisons) == ("R04", False, 3)
        with pytest.raises(AppError, match="agree"):
            door.ask(open_session, offer.token, "R04").result()
        with pytest.raises(AppError, match="This packet is for R04"):
            door.ask(open_session, offer.token, "R05", True).result()
        view = door.ask(open_session, offer.token, "R04", True, "left-handed").result()
        assert view.comparison is not None
        assert (view.comparison.title, view.comparison.criteria) == (TITLE, ())
        view = door.ask(record_choice, view.comparison.token, "choice", 2, "a note").result()
        assert view.progress.done == 1
    with judging(made.path) as door:
        (offer,) = door.ask(offer_plans).result().offers
        assert (offer.opened, offer.done, offer.agreed, offer.described) == (True, 1, True, True)
        view = door.ask(open_session, offer.token, "R04").result()
        revealed = door.ask(reveal, anyway=True).result()
        assert revealed.axes == (), "there is nothing to reveal in a packet"
        assert revealed.repeats == 0
        assert view.comparison is not None
        with pytest.raises(AppError, match="cannot change any more"):
            door.ask(record_choice, view.comparison.token, "tie").result()
    with Project.open(made.path) as packet:
        info = packet_info(packet)
        assert info is not None
        assert (info.code, info.comparisons, info.finished) == ("R04", 3, True)
        seal = packet.packets.all()[0].manifest["seal"]
        finish_packet(packet)
        assert packet.packets.all()[0].manifest["seal"] == seal, "a finished packet stays as it is"
        (session,) = packet.judging.sessions()
        assert session.consent_text == "Do you agree?"
    with judging(made.path) as door:
        assert door.ask(offer_plans).result().code == "R04"
        assert door.ask(offer_plans).result().offers[0].revealed


def test_an_ordinary_project_is_no_packet(project: Path) -> None:
    coordinator(project)
    with Project.open(project) as open_one:
        assert packet_info(open_one) is None
        with pytest.raises(UsageError, match="is not a packet"):
            finish_packet(open_one)


def test_two_windows_on_one_packet_are_never_two_writers(project: Path) -> None:
    (made,) = make(project, coordinator(project), "R01")
    with Project.open(made.path):
        with pytest.raises(ProjectInUse):
            Project.open(made.path)
        with Project.open(made.path, read_only=True) as second, pytest.raises(NotSaved):
            finish_packet(second)
