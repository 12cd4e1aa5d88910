"""Pages for browsers and phones: what is in one, and what is made of one that comes back, whatever was done to it."""

import base64
import hashlib
import json
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import pytest
from made_once import made_once
from packet_files import CANARIES, TITLE, answer, chosen_texts, coordinator, make, merge
from page_files import Data, altered, data_in, hashed, made_pages, merged, row_of, signed, with_data

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets import page as pages
from biasprint.core.judging.packets.hand_out import hand_out
from biasprint.core.judging.packets.merge import read_packet
from biasprint.core.project.project import Project
from biasprint.core.project.stores import chain
from biasprint.core.project.stores.common import canonical_json
from biasprint.core.project.stores.judging import judgment_sha256


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "canaryprojectqx.biasprint"


@pytest.fixture
def page(project: Path) -> Path:
    """R01's page: four comparisons and a repeat."""
    path = project.parent / "pages" / "packet-R01.html"

    def build() -> None:
        made_pages(project, coordinator(project, comparisons=4, repeats=1), "R01")

    made_once("a page of four comparisons", build, project, path)
    return path


# ---- What is in it


def test_a_page_holds_what_the_packet_holds_and_names_nothing_else(project: Path, tmp_path: Path) -> None:
    plan = coordinator(project, comparisons=4, repeats=1)
    (packet,) = make(project, plan, "R01")
    made = made_pages(project, plan, "R01", "R02")
    assert [one.path.name for one in made] == ["packet-R01.html", "packet-R02.html"]
    assert made[0].packet_id == packet.packet_id  # for the project they are one packet
    sent = read_packet(packet.path)
    shown = read_packet(signed(made[0].path, "answered.html", row_of(made[0].path, 0)))
    assert shown.texts == sent.texts
    assert shown.own.plan.settings == sent.own.plan.settings
    html = made[0].path.read_text("utf-8").lower()
    left = [word for word in CANARIES if word in html.replace(TITLE.lower().replace("·", "\\u00b7"), "")]
    assert left == []
    assert str(tmp_path).lower() not in html


def test_equal_texts_of_hidden_repeats_differ_in_their_blanks(page: Path) -> None:
    shown = [text for each in data_in(page, "packet")["comparisons"] for text in each["texts"]]
    assert len({text.rstrip(" ") for text in shown}) == 12
    assert len(set(shown)) == 15
    assert len({len(text) for text in shown if text.startswith("Text 0 of card maker x")}) == 2


def test_only_the_pages_own_script_and_style_may_run_and_nothing_is_fetched(page: Path) -> None:
    html = page.read_text("utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy.startswith("default-src 'none';")
    for tag, element in (("script", "script"), ("style", "style")):
        (inline,) = re.findall(f"<{element}>(.*?)</{element}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert re.findall(r"""(?:src|href)\s*=\s*["']|https?://|@import|url\(""", html) == []
    assert html.isascii()
    assert "(?<" not in html  # phones of 2022 know no lookbehind, and would run none of the script


def test_a_text_that_looks_like_markup_ends_no_element(project: Path) -> None:
    hostile = "</script><script>alert(1)</script><!-- <b>&amp; \u2028 \ud800 end"
    plan = coordinator(project, comparisons=2, instructions=hostile, question="<i>Which</i> & why?")
    (made,) = made_pages(project, plan, "R01")
    html = made.path.read_text("ascii")
    assert html.count("</script>") == 3
    assert data_in(made.path, "packet")["settings"]["instructions"] == hostile
    answered = signed(made.path, "answered.html", row_of(made.path, 0))
    assert read_packet(answered).own.plan.settings["question"] == "<i>Which</i> & why?"


def test_a_page_without_answers_stays_and_one_with_answers_is_in_the_way(project: Path, page: Path) -> None:
    before = page.read_bytes()
    with Project.open(project, read_only=True) as opened:
        (plan,) = (row.id for row in opened.judging.plans())
    made_pages(project, plan, "R01")
    assert page.read_bytes() == before
    signed(page, page.name, row_of(page, 0))
    rated = page.read_bytes()
    with pytest.raises(AppError, match="a packet with answers in it"):
        made_pages(project, plan, "R01")
    assert page.read_bytes() == rated


def test_a_page_that_no_phone_could_open_is_not_made(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "LARGEST", 20_000)
    with pytest.raises(AppError, match="phones cannot open more"):
        made_pages(project, coordinator(project, comparisons=4), "R01")
    assert list((project.parent / "pages").iterdir()) == []
    with Project.open(project, read_only=True) as opened:
        assert opened.packets.all() == ()


# ---- What comes back


def test_a_page_comes_back_like_a_packet_in_any_order_and_any_number_of_times(project: Path, page: Path) -> None:
    first = row_of(page, 0, note="why not")
    half = signed(page, "half.html", first, row_of(page, 1, "tie"))
    whole = signed(half, "whole.html", row_of(half, 2, "skip"), row_of(half, 3), row_of(half, 4, "none"), finish=True)
    (file,) = merged(project, half)
    assert (file.code, file.added, file.finished, file.held, file.unsealed) == ("R01", 2, False, "", False)
    (file,) = merged(project, whole)
    assert (file.added, file.repeated, file.finished, file.held) == (3, 2, True, "")
    assert [file.added for file in merged(project, whole, half)] == [0, 0]
    shown = {each["id"]: each["texts"] for each in data_in(page, "packet")["comparisons"]}
    with Project.open(project, read_only=True) as opened:
        chosen = chosen_texts(opened, "R01")
        notes = {row.note for row in opened.judging.judgments(first["session_id"])}
    assert chosen[first["comparison_id"]] == shown[first["comparison_id"]][1].rstrip(" ")
    assert notes == {"why not", ""}


def test_a_page_that_comes_back_as_it_was_sent_says_what_to_ask_for(project: Path, page: Path) -> None:
    (file,) = merged(project, page)
    assert file.refused == "“packet-R01.html” has no answers: it is the page as it was sent out."
    assert "Save my answers" in file.hint


def test_the_same_rater_may_go_on_in_the_program_and_differing_answers_are_a_conflict(
    project: Path, page: Path
) -> None:
    with Project.open(project, read_only=True) as opened:
        (plan,) = (row.id for row in opened.judging.plans())
    (packet,) = make(project, plan, "R01")
    answer(packet.path, (0, "choice", 0))
    report = merge(project, packet.path, signed(page, "page.html", row_of(page, 0, "choice", 1)))
    assert (report.conflicts, [file.added for file in report.files]) == (1, [1, 1])


def test_two_different_finished_copies_are_reported(project: Path, page: Path) -> None:
    one = signed(page, "one.html", row_of(page, 0), finish=True)
    two = signed(page, "two.html", row_of(page, 0, "tie"), finish=True)
    first, second = merged(project, one, two)
    assert (first.copies, second.copies, second.conflicting) == (False, True, 1)


def another_choice(answers: Data) -> None:
    answers["judgments"][0]["chosen"] = 2


def one_less(answers: Data) -> None:
    answers["judgments"].pop()


def more_seconds(answers: Data) -> None:
    answers["judgments"][0]["active_seconds"] = 60.0


def another_order(answers: Data) -> None:
    answers["judgments"].reverse()


@pytest.mark.parametrize("alter", [another_choice, one_less, more_seconds, another_order])
@pytest.mark.parametrize("finish", [True, False])
def test_answers_altered_afterwards_wait_for_a_decision(
    project: Path, page: Path, alter: Callable[[Data], object], finish: bool
) -> None:
    whole = signed(page, "whole.html", row_of(page, 0), row_of(page, 1), row_of(page, 2), finish=finish)
    (file,) = merged(project, altered(whole, "altered.html", alter))
    assert (file.held, file.added) == ("altered", 0)
    assert merged(project, whole)[0].added == 3


def test_a_saved_page_cannot_sign_an_answer_in_place_of_an_earlier_one(project: Path, page: Path) -> None:
    """With the file alone there is no key to what was said before it was saved."""
    half = signed(page, "half.html", row_of(page, 0), row_of(page, 1))
    answers = data_in(half, "answers")
    forged = [hashed({**row, "chosen": 0}) for row in answers["judgments"]]
    state = {**answers["chain"], "tag": chain.NO_TAG}
    for row in forged:
        state = chain._next(state, row["row_sha256"])
    again = with_data(half, "forged.html", answers={**answers, "judgments": forged, "chain": state})
    assert merged(project, again)[0].held == "altered"


@pytest.mark.parametrize(
    ("outcome", "detail"),
    [
        ("choice", {}),  # without its degree
        ("choice", {"degree": "very"}), ("tie", {"degree": "much"}), ("choice", {"degree": "much", "confidence": 4}),
        ("choice", {"degree": "much", "spans": [[0, 0, 10_000]]}), ("choice", {"degree": "much", "spans": [[7, 0, 1]]}),
        ("choice", {"degree": "much", "viewed": [{"seconds": -1, "end": True}] * 3}),
        ("choice", {"degree": "much", "viewed": [{"seconds": 1, "end": True}]}),
    ],
)  # fmt: skip
def test_an_answer_that_the_plan_does_not_allow_is_refused(project: Path, outcome: str, detail: Data) -> None:
    plan = coordinator(project, comparisons=2, graded=True, confidence=True, spans=True)
    (made,) = made_pages(project, plan, "R01")
    good = {"degree": "much", "confidence": 2, "spans": [[1, 0, 4]], "viewed": [{"seconds": 1.5, "end": True}] * 3}
    (file,) = merged(project, signed(made.path, "good.html", row_of(made.path, 0, detail=canonical_json(good))))
    assert (file.added, file.refused) == (1, "")
    bad = signed(made.path, "bad.html", row_of(made.path, 1, outcome, detail=canonical_json(detail)))
    (file,) = merged(project, bad)
    assert file.refused.startswith("“bad.html” was changed outside the program")


def in_rows(name: str, value: object) -> Callable[[Data, Data], None]:
    def change(packet: Data, answers: Data) -> None:
        answers["judgments"][0] = hashed({**answers["judgments"][0], name: value})

    return change


def in_packet(change: Callable[[Data], object]) -> Callable[[Data, Data], None]:
    return lambda packet, answers: change(packet) and None


BAD: dict[str, Callable[[Data, Data], object]] = {
    "a text that was changed": lambda packet, answers: packet["comparisons"][0]["texts"].__setitem__(0, "Another."),
    "a comparison that was never asked": in_rows("comparison_id", "b4b4b4b4-0000-4000-8000-000000000000"),
    "card 7": in_rows("chosen", 7),
    "negative seconds": in_rows("active_seconds", -1.0),
    "endless seconds": in_rows("active_seconds", 1e300),
    "a tie with a card": in_rows("outcome", "tie"),
    "a choice without one": in_rows("chosen", None),
    "true for a card": in_rows("chosen", True),
    "an unknown outcome": in_rows("outcome", "maybe"),
    "cards that were not shown": in_rows("shown", "[0,1,7]"),
    "cards that are no list": in_rows("shown", "7"),
    "a detail that is asked nowhere": in_rows("detail", '{"clicks":1}'),
    "a detail that is no JSON": in_rows("detail", "{"),
    "a worst card twice": in_rows("detail", '{"worst":1}'),
    "another session": in_rows("session_id", "b4b4b4b4-0000-4000-8000-000000000000"),
    "a time that is none": in_rows("created_at", "yesterday"),
    "one that supersedes nothing": in_rows("supersedes", "b4b4b4b4-0000-4000-8000-000000000000"),
    "a comparison twice": lambda packet, answers: packet["comparisons"].append(packet["comparisons"][0]),
    "no comparisons": lambda packet, answers: packet["comparisons"].clear(),
    "another wording": lambda packet, answers: packet["comparisons"][0].update(wording="9"),
    "another rater": lambda packet, answers: packet.update(code="R99"),
    "another version": lambda packet, answers: packet.update(format=99),
    "a field too many": lambda packet, answers: packet.update(more=1),
    "a field too few": lambda packet, answers: packet.pop("plan"),
    "a judgment that is none": lambda packet, answers: answers["judgments"].append(7),
    "an annotation of the coordinator": lambda packet, answers: answers["annotations"].append(
        {"id": "a1", "kind": "decision", "target": packet["session"], "rater_id": packet["rater"], "value": "{}",
         "supersedes": None, "created_at": "2026-11-29T10:00:00+00:00"}
    ),
    "an end without a seal": lambda packet, answers: answers.update(revealed_at="2026-11-29T10:00:00+00:00"),
    "a seal without an end": lambda packet, answers: answers.update(seal="0" * 64),
    "no chain": lambda packet, answers: answers.pop("chain"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_page_that_was_edited_is_one_sentence_and_changes_nothing(project: Path, page: Path, name: str) -> None:
    rated = signed(page, "rated.html", row_of(page, 0), row_of(page, 1))
    packet, answers = data_in(rated, "packet"), data_in(rated, "answers")
    BAD[name](packet, answers)
    (file,) = merged(project, with_data(rated, "bad.html", packet=packet, answers=answers))
    assert file.refused.startswith("“bad.html” ")
    assert file.hint.startswith("Ask the rater for ")
    assert (file.added, merged(project, rated)[0].added) == (0, 2)


RAW = {
    "deep": "[" * 100_000,
    "nothing": "",
    "no number": '{"chain": NaN}',
    "many digits": '{"chain": ' + "9" * 100_000 + "}",
    "a list": "[]",
    "a lone surrogate": '{"consent_text": "\\ud800", "chain": 1}',
}


@pytest.mark.parametrize("name", RAW)
def test_a_page_whose_data_is_no_data_is_one_sentence(project: Path, page: Path, name: str) -> None:
    (file,) = merged(project, with_data(page, "bad.html", answers=RAW[name]))
    assert file.refused.startswith("“bad.html” h")
    assert "\n" not in file.refused


@pytest.mark.parametrize(
    "content", [b"", b"<html></html>", b"\x00" * 1000, b'<script type="application/json" id="packet">']
)
def test_another_html_file_is_no_packet(project: Path, page: Path, content: bytes) -> None:
    other = page.with_name("other.html")
    other.write_bytes(content)
    (file,) = merged(project, other)
    assert file.refused.startswith("“other.html” holds ")


def test_a_page_of_200_mb_is_refused_unread(project: Path, page: Path) -> None:
    large = page.with_name("large.html")
    shutil.copyfile(page, large)
    with large.open("rb+") as stream:
        stream.truncate(200 * 2**20)
    begun = time.process_time()
    (file,) = merged(project, large)
    assert file.refused == "“large.html” is larger than any page that was made."
    assert time.process_time() - begun < 5


def test_whatever_is_flipped_in_a_page_is_told_or_changes_nothing(project: Path, page: Path) -> None:
    rated = signed(page, "rated.html", row_of(page, 0), row_of(page, 1, "tie"), finish=True)
    whole, chance, flipped = rated.read_bytes(), random.Random(8), []
    data = whole.index(b'id="packet">')
    for number in range(80):
        place = chance.randrange(data, whole.index(b"<script>", data))
        mutant = bytearray(whole)
        mutant[place] ^= 1 << chance.randrange(7)
        flipped.append(rated.with_name(f"flipped-{number}.html"))
        flipped[-1].write_bytes(mutant)
    files = merged(project, *flipped)
    assert sum(bool(file.refused or file.held) for file in files) > 60
    assert {file.added for file in files if file.refused or file.held} == {0}
    kept = ("settings", "comparisons", "code", "session", "plan")
    for copy in (file.path for file in files if not (file.refused or file.held)):
        assert [data_in(copy, "packet")[name] for name in kept] == [data_in(rated, "packet")[name] for name in kept]
        assert data_in(copy, "answers")["judgments"] == data_in(rated, "answers")["judgments"]


def test_a_workshop_has_no_pages(project: Path) -> None:
    plan = coordinator(project, comparisons=4, workshop=True)
    with pytest.raises(UsageError, match="A workshop has no pages"):
        made_pages(project, plan, "R01")


# ---- The language of the page


def test_a_page_speaks_the_language_of_whoever_makes_it_and_its_texts_are_english(project: Path) -> None:
    plan = coordinator(project, comparisons=2)
    with Project.open(project) as opened:
        (made,) = hand_out(
            JobContext(), opened, "html", plan_id=plan, codes=["R01"], folder=project.parent, page_language="de"
        )  # fmt: skip
    html = made.path.read_text("ascii")
    assert '<html lang="de">' in html
    assert "<title>Vergleiche</title>" in html
    assert 'tie: "Gleich gut"' in html
    assert 'class: "text", lang: "en"' in html
    (other,) = made_pages(project, plan, "R02")
    assert '<html lang="en">' in other.path.read_text("ascii")
    assert 'tie: "Tie"' in other.path.read_text("ascii")


@pytest.mark.parametrize("code", [code for code in pages.page_languages() if code != "en"])
def test_a_language_of_the_page_has_every_word_of_the_english_one(code: str) -> None:
    folder = files("biasprint.resources").joinpath("packet_page")
    keys = [
        re.findall(r"(?:^\s*|, )(\w+): (?=[\"(\[{])", folder.joinpath(f"words.{each}.js").read_text("utf-8"), re.M)
        for each in ("en", code)
    ]
    assert len(keys[0]) > 60
    assert keys[1] == keys[0]


# ---- The script's hashes, beside Python's

NODE = shutil.which("node")
ASK = """
const fs = require("fs");
globalThis.Seal = eval(fs.readFileSync(process.argv[1], "utf8") + "; Seal");
const asked = JSON.parse(fs.readFileSync(0, "utf8"));
const told = asked.map(([name, ...given]) => {
  if (name === "sha256") return Seal.hex(Seal.sha256(Seal.unhex(given[0])));
  if (name === "hmac") return Seal.hex(Seal.hmac(Seal.unhex(given[0]), Seal.unhex(given[1])));
  return Seal[name](...given);
});
process.stdout.write(JSON.stringify(told));
"""


def in_node(asked: list[list[object]]) -> list[object]:
    script = files("biasprint.resources").joinpath("packet_page", "seal.js")
    done = subprocess.run(
        [str(NODE), "-e", ASK, str(script)], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    return list(json.loads(done.stdout))


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_scripts_hashes_are_pythons() -> None:
    chance = random.Random(5)
    inputs = [chance.randbytes(size) for size in range(700)] + [
        chance.randbytes(chance.randrange(9000)) for _ in range(400)
    ]
    assert in_node([["sha256", one.hex()] for one in inputs]) == [hashlib.sha256(one).hexdigest() for one in inputs]
    keys = [chance.randbytes(size) for size in (1, 31, 32, 63, 64, 65, 200) for _ in range(20)]
    macs = [chain.hmac.digest(key, inputs[n], "sha256").hex() for n, key in enumerate(keys)]
    assert in_node([["hmac", key.hex(), inputs[n].hex()] for n, key in enumerate(keys)]) == macs


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_script_writes_and_signs_rows_as_python_does() -> None:
    chance = random.Random(6)
    letters = 'aé\u2028\x7f\x00"\\\U0001f98a/<&>\n日'
    values = [
        {"".join(chance.choices("abc", k=3)): "".join(chance.choices(letters, k=9)), "n": [1, None, True]}
        for _ in range(500)
    ]
    assert in_node([["canonical", one] for one in values]) == [canonical_json(one) for one in values]
    rows = [
        {"id": str(n), "session_id": "s", "comparison_id": "c", "outcome": "choice", "chosen": n % 3, "shown": "[0,1]",
         "texts_sha256": "0" * 64, "note": "".join(chance.choices(letters, k=n)), "supersedes": None if n % 2 else "b",
         "active_seconds": [0.0, 3.0, 1e5, 0.001, 12.345][n % 5], "created_at": "2026",
         "detail": ["{}", '{"worst":1}'][n % 2]}
        for n in range(50)
    ]  # fmt: skip
    hashes = in_node([["rowHash", row] for row in rows])
    assert hashes == [judgment_sha256(dict(row)) for row in rows]
    state = chain.first_state("ab" * 16)
    assert in_node([["next", state, str(one)] for one in hashes]) == [chain._next(state, str(one)) for one in hashes]


def test_nothing_is_left_of_a_page_that_could_not_be_written(project: Path) -> None:
    plan = coordinator(project, comparisons=2)
    folder = project.parent / "taken"
    folder.write_text("a file, and no folder")
    with pytest.raises(AppError, match="could not be written"), suppress(UsageError):
        made_pages(project, plan, "R01", folder=folder)
    with Project.open(project, read_only=True) as opened:
        assert opened.packets.all() == ()
