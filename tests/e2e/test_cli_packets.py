"""`biasprint packet`: three raters on files of their own, merged in any order; conflicts, decisions and refusals."""

import csv
import json
import random
import shutil
from pathlib import Path

import pytest
from cli_support import biasprint, refused
from packet_files import answer, coordinator

from biasprint.core.judging.packets.packet import finish_packet
from biasprint.core.project.project import Project

AXIS = "orientation"


@pytest.fixture
def study(scored_texts: Path, tmp_path: Path) -> Path:
    file = Path(shutil.copy(scored_texts, tmp_path / "study.biasprint"))
    biasprint("compare", file, "--axis", AXIS, "--seed", 3)
    return file


def rated(packet: Path, seed: int, *, finish: bool = True) -> Path:
    chance = random.Random(seed)
    with Project.open(packet) as inside:
        number = inside.judging.count(inside.judging.plans()[0].id)
    answer(packet, *((index, "choice", chance.choice((0, 0, 1))) for index in range(number)))
    if finish:
        with Project.open(packet) as inside:
            finish_packet(inside)
    return packet


def made(file: Path, *options: object) -> list[Path]:
    answered = biasprint("packet", "make", file, "--out", file.parent / "packets", "--json", *options).json
    return [Path(one["file"]) for one in answered["packets"]]


def test_three_packets_come_back_in_any_order_and_give_the_same_findings(study: Path, tmp_path: Path) -> None:
    packets = made(study, "--raters", 3)
    assert [one.name for one in packets] == ["packet-R01.bpacket", "packet-R02.bpacket", "packet-R03.bpacket"]
    for seed, packet in enumerate(packets):
        rated(packet, seed)
    other = Path(shutil.copyfile(study, tmp_path / "other.biasprint"))
    report = biasprint("packet", "merge", study, *packets, "--json").json
    assert {one["added"] for one in report["files"]} == {12}
    assert all(one["finished"] and not one["refused"] for one in report["files"])
    biasprint("packet", "merge", other, *reversed(packets))
    again = biasprint("packet", "merge", other, *packets).out
    assert "0 answers of R01 added, 12 were here, finished." in again
    findings = [biasprint("measure", "creativity", file, "--axis", AXIS, "--json").json for file in (study, other)]
    assert findings[0] == findings[1]
    tables = []
    for file in (study, other):
        out = tmp_path / f"{file.stem}.csv"
        biasprint("export", file, "judgments", "--out", out)
        with open(out, encoding="utf-8", newline="") as stream:
            tables.append(list(csv.DictReader(stream)))
    assert sorted(tables[0], key=str) == sorted(tables[1], key=str)
    kappa = next(one for one in findings[0]["findings"] if one["id"] == "creativity.agreement.fleiss_kappa")
    assert kappa["estimate"] == pytest.approx(by_hand(tables[0]))


def by_hand(table: list[dict[str, str]]) -> float:
    """Fleiss' kappa from its formula: every comparison has the choices of three raters among two identities."""
    items: dict[str, list[str]] = {}
    for row in table:
        items.setdefault(row["comparison"], []).append(row["chosen"])
    kinds = sorted({row["chosen"] for row in table})
    agree = sum(sum(said.count(k) * (said.count(k) - 1) for k in kinds) / (3 * 2) for said in items.values())
    chance = sum((sum(said.count(k) for said in items.values()) / (3 * len(items))) ** 2 for k in kinds)
    return (agree / len(items) - chance) / (1 - chance)


def test_conflicts_are_listed_decided_and_counted(study: Path) -> None:
    (packet,) = made(study, "--rater", "Anna")
    copy = Path(shutil.copyfile(packet, packet.with_name("copy.bpacket")))
    answer(packet, (0, "choice", 0), (1, "tie", None))
    answer(copy, (0, "choice", 1), (1, "tie", None))
    told = biasprint("packet", "merge", study, packet, copy).out
    assert "1 comparison with answers that conflict" in told
    assert "1 conflict to decide" in told
    listed = biasprint("packet", "list", study, "--json").json
    (state,), (conflict,) = listed["packets"], listed["conflicts"]
    assert (state["code"], state["state"], state["answered"]) == ("Anna", "partly", 1)
    assert [one["card"] for one in conflict["answers"]] == [1, 2]
    assert conflict["open"]
    key = conflict["answers"][1]["judgment"]
    where = ("packet", "decide", study, "Anna", conflict["comparison"][:8])
    refused(*where, code=2, says="Which answer counts?")
    refused(*where, "--judgment", "nothing", code=2, says="none of the answers")
    refused("packet", "decide", study, "Anna", "nothing", "--neither", code=2, says="no such conflict")
    assert biasprint(*where, "--judgment", key[:8], "--json").json["decided"] == key
    assert "not decided" not in biasprint("packet", "list", study).out
    biasprint(*where, "--neither")
    assert "neither counts" in biasprint("packet", "list", study).out
    refused("packet", "count", study, "Berta", code=2, says="no packet of Berta")
    assert len(biasprint("packet", "count", study, "Anna", "--json").json["sessions"]) == 1
    assert "counts already" in biasprint("packet", "count", study, "Anna").out
    out = study.with_name("rows.jsonl")
    biasprint("export", study, "judgments", "--superseded", "--out", out)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert sorted(row["superseded"] for row in rows) == [0, 1, 1, 1]
    refused("export", study, "outputs", "--superseded", "--out", out, code=2, says="Only judgments")


@pytest.mark.soak
def test_a_table_with_superseded_rows_is_measured_as_one_without(study: Path) -> None:
    for seed, packet in enumerate(made(study, "--raters", 2)):
        answer(packet, *((index, "choice", 1) for index in range(6)))  # changed below
        biasprint("packet", "merge", study, rated(packet, seed))
    tables = [study.with_name("every.csv"), study.with_name("in_force.csv")]
    every = biasprint("export", study, "judgments", "--superseded", "--out", tables[0], "--json").json
    in_force = biasprint("export", study, "judgments", "--out", tables[1], "--json").json
    assert (every["rows"], in_force["rows"]) == (36, 24)
    findings = [biasprint("measure", "creativity", one, "--axis", AXIS, "--json").json["findings"] for one in tables]
    assert findings[0] == findings[1]


@pytest.mark.soak
def test_what_cannot_be_made_is_said_in_a_sentence(study: Path, tmp_path: Path) -> None:
    make = ("packet", "make", study, "--out", tmp_path / "packets")
    refused(*make, code=2, says="Who are the packets for?")
    refused(*make, "--rater", "R01", "--raters", 2, code=2, says="Who are the packets for?")
    refused(*make, "--rater", "R01", "--plan", "nothing", code=2, says="There is no plan “nothing”")
    biasprint("compare", study, "--axis", AXIS, "--seed", 9)
    refused(*make, "--rater", "R01", code=2, says="Which plan is meant?")
    assert biasprint(*make, "--rater", "R01", "--plan", f"{AXIS}, seed 9").out.startswith("R01: 12 comparisons in ")
    assert "There is no packet yet" not in biasprint("packet", "list", study).out
    empty = tmp_path / "empty.biasprint"
    biasprint("new", empty)
    refused("packet", "make", empty, "--out", tmp_path, "--raters", 1, code=1, says="nothing to judge")
    assert "There is no packet yet" in biasprint("packet", "list", empty).out


@pytest.mark.soak
def test_seats_of_a_workshop_are_made_without_names_and_their_copies_decided_alike(tmp_path: Path) -> None:
    file = tmp_path / "workshop.biasprint"
    coordinator(file, comparisons=3, workshop=True)
    refused("packet", "make", file, "--rater", "R01", "--out", tmp_path / "out", code=2, says="its codes are random")
    (seat,) = made(file, "--raters", 1)
    answered = biasprint("packet", "make", file, "--raters", 2, "--to", "potato", "--out", tmp_path / "phones")
    assert answered.out == f"2 seats of 3 comparisons each in {tmp_path / 'phones'}\n"
    other = Path(shutil.copyfile(seat, tmp_path / "copy.bpacket"))
    for packet, card in ((seat, 0), (other, 1)):
        answer(packet, *((index, "choice", card) for index in range(3)))
        with Project.open(packet) as inside:
            finish_packet(inside)
    merged = biasprint("packet", "merge", file, seat, other, "--json").json
    assert [(one["code"], one["workshop"]) for one in merged["files"]] == [("", True)] * 2, "whose they are is not told"
    assert (merged["conflicts"], merged["seats"]) == (0, {"to_decide": 1, "kept": 0})
    assert "1 seat in copies that differ in 3 answers." in biasprint("packet", "seats", file).out
    assert biasprint("packet", "seats", file, "--count", "last", "--json").json["decided"] == 3
    assert biasprint("packet", "seats", file).out == "No seat waits for a decision.\n"


def test_a_plan_grows_by_rounds_and_each_has_packets_of_its_own(scored_texts: Path, tmp_path: Path) -> None:
    file = Path(shutil.copy(scored_texts, tmp_path / "rounds.biasprint"))
    drawn = biasprint("compare", file, "--axis", AXIS, "--adaptive", 4, "--title", "In rounds", "--json").json
    assert drawn["comparisons"] == {AXIS: 4}
    refused("compare", file, "--next-round", "In rounds", code=1, says="Nobody has answered a comparison of round 1")
    first, late = made(file, "--raters", 2)
    biasprint("packet", "merge", file, rated(first, 1))
    out = refused("compare", file, "--next-round", "In rounds", code=1, says="round 1 are still out (R02)")
    assert "--anyway" in out
    grown = biasprint("compare", file, "--next-round", "In rounds", "--anyway", "--json").json
    assert (grown["round"], grown["comparisons"], grown["answers"]) == (2, {AXIS: 4}, 4)
    assert AXIS in grown["least_known"]
    (second,) = made(file, "--rater", "R01")
    assert second.name == "packet-R01-round-2.bpacket"
    report = biasprint("packet", "merge", file, rated(late, 2), rated(second, 3), "--json").json
    assert [one["added"] for one in report["files"]] == [4, 4]
    biasprint("check", file)
    refused("compare", file, "--axis", AXIS, "--adaptive", 4, "--per-axis", 9, code=2, says="A round has one size")
