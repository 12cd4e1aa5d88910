"""A plan that is judged in Potato or Label Studio, and what comes back from there."""

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest
from outside_results import Answering, annotation, label_studio_answers, potato_answers
from packet_files import CANARIES, TITLE, coordinator, make, merge, text_of
from past_the_program import sql

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.card_order import CardOrder
from biasprint.core.judging.packets.decisions import conflicts, packets
from biasprint.core.judging.packets.hand_out import hand_out
from biasprint.core.judging.packets.make import MadePacket
from biasprint.core.judging.packets.outside import Tool
from biasprint.core.judging.packets.packet import MergeReport
from biasprint.core.project.project import Project
from biasprint.core.project.rows import JudgmentRow

TOOLS: tuple[Tool, ...] = ("potato", "label-studio")
CODES = ("R01", "R02")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "canaryprojectqx.biasprint"


def handed(project: Path, tool: Tool, *codes: str, folder: Path | None = None) -> tuple[MadePacket, ...]:
    with Project.open(project) as opened:
        plan = opened.judging.plans()[0].id
        return hand_out(
            JobContext(), opened, tool, plan_id=plan, codes=codes or CODES, folder=folder or project.parent / "out"
        )


def maker(letter: str) -> Answering:
    """Choose the card whose text names this maker: x, y and z are the three identities."""

    def answer(task: Mapping[str, str]) -> str:
        return next(card for card in "ABC" if f"maker {letter} " in task[f"card_{card.lower()}"])

    return answer


def always(label: str) -> Answering:
    return lambda task: label


def answered(project: Path, tool: Tool, made: MadePacket, answering: Answering) -> Path:
    """What the tool writes for one rater."""
    if tool == "potato":
        return potato_answers(made.path.parent, made.code, answering)
    return label_studio_answers(made.path, project.parent / f"{made.code}-export.json", answering)


def in_force(project: Path, code: str = "R01") -> list[JudgmentRow]:
    with Project.open(project, read_only=True) as opened:
        rater = next(row.id for row in opened.judging.raters() if row.code == code)
        session = next(row.id for row in opened.judging.sessions() if row.rater_id == rater)
        return list(opened.judging.judgments(session))


def the_rest(report: MergeReport) -> list[tuple[str, int, int, int]]:
    return [(one.code, one.added, one.repeated, one.strange) for one in report.files]


@pytest.mark.parametrize("tool", TOOLS)
def test_what_is_handed_out_names_nothing_and_has_each_raters_own_order(project: Path, tool: Tool) -> None:
    plan = coordinator(project, comparisons=4, repeats=1)
    made = handed(project, tool)
    files = [path for path in made[0].path.parent.rglob("*") if path.is_file()]
    said = "\n".join(f"{path.name} {path.read_text('utf-8')}" for path in files).lower()
    shown = TITLE.lower().replace("·", "\\u00b7")
    assert shown in said
    assert [word for word in CANARIES if word in said.replace(shown, "")] == []
    with Project.open(project, read_only=True) as opened:
        rows = opened.judging.comparisons(plan)
        (drawn,) = opened.judging.plans()
    for one in made:
        assert one.comparisons == 5
        text = one.path.parent.joinpath("comparisons.jsonl" if tool == "potato" else one.path.name).read_text("utf-8")
        tasks = (
            [json.loads(line) for line in text.splitlines()] if tool == "potato"
            else [task["data"] for task in json.loads(text)]
        )  # fmt: skip
        own = [task for task in tasks if task["rater"] == one.code]
        order = CardOrder(rows, plan=drawn, rater_code=one.code)
        makers = [[task[f"card_{card}"].split("maker ")[1][0] for card in "abc"] for task in own]
        assert makers == [["xyz"[index] for index in order.of(row.id)] for row in rows]
        assert [task["comparison"] for task in own] == [row.id for row in rows]


@pytest.mark.parametrize("tool", TOOLS)
def test_what_was_chosen_there_comes_back_as_what_was_meant(project: Path, tool: Tool) -> None:
    coordinator(project, comparisons=4, repeats=1)
    first, second = handed(project, tool)
    came = [answered(project, tool, first, maker("y")), answered(project, tool, second, always("None is good"))]
    came = came[:1] if tool == "potato" else came  # one folder has both
    report = merge(project, *came)
    assert sorted(the_rest(report)) == [("R01", 5, 0, 0), ("R02", 5, 0, 0)]
    rows = in_force(project)
    assert [(row.outcome, row.chosen) for row in rows] == [("choice", 1)] * 5
    assert {row.active_seconds for row in rows} == {9.5 if tool == "potato" else 7.25}
    assert all(row.note.startswith("note ") and row.created_at.startswith("2026-") for row in rows)
    assert {row.outcome for row in in_force(project, "R02")} == {"none"}
    with Project.open(project, read_only=True) as opened:
        assert [(one.code, one.answered, one.state) for one in packets(opened)] == [
            ("R01", 5, "finished"), ("R02", 5, "finished")
        ]  # fmt: skip
    assert {one[1] for one in the_rest(merge(project, *came))} == {0}  # twice adds nothing
    assert len(in_force(project)) == 5


def test_ties_and_skips_come_back_too_and_half_a_plan_is_not_finished(project: Path) -> None:
    coordinator(project, comparisons=4)
    (made,) = handed(project, "potato", "R01")
    labels = iter(("The same", "Skip", None, None))
    report = merge(project, potato_answers(made.path.parent, "R01", lambda task: next(labels)))
    assert not report.files[0].finished
    assert [row.outcome for row in in_force(project)] == ["tie", "skip"]
    with Project.open(project, read_only=True) as opened:
        assert [one.state for one in packets(opened)] == ["partly"]


@pytest.mark.parametrize("tool", TOOLS)
def test_zero_is_the_key_of_a_tie_and_comes_back_as_one(project: Path, tool: Tool) -> None:
    coordinator(project, comparisons=4)
    (made,) = handed(project, tool, "R01")
    written = "".join(path.read_text("utf-8") for path in made.path.parent.iterdir())
    tie = '"name": "The same",\n          "key_value": "0"' if tool == "potato" else 'value="The same" hotkey="0"'
    none = '"name": "None is good",\n          "key_value": "4"' if tool == "potato" else '"None is good" hotkey="4"'
    assert tie in written
    assert none in written
    merge(project, answered(project, tool, made, always("The same")))
    assert [(row.outcome, row.chosen) for row in in_force(project)] == [("tie", None)] * 4


@pytest.mark.parametrize("rubric", [(("Truth", "It is <so> & “thus”."), ("Beauty", "")), ()])
def test_label_studio_shows_the_rubric_where_there_is_one(project: Path, rubric: tuple[tuple[str, str], ...]) -> None:
    coordinator(project, comparisons=4, rubric=rubric)
    (made,) = handed(project, "label-studio", "R01")
    interface = ElementTree.parse(made.path.parent / "labeling-interface.xml")
    shown = [text.get("value") for text in interface.iter("Text")]
    assert shown == ["$rubric"] * bool(rubric) + ["$card_a", "$card_b", "$card_c"]
    tasks = [task["data"].get("rubric") for task in json.loads(made.path.read_text("utf-8"))]
    assert tasks == ["Truth: It is <so> & “thus”.\nBeauty" if rubric else None] * 4
    merge(project, answered(project, "label-studio", made, maker("x")))
    assert [row.outcome for row in in_force(project)] == ["choice"] * 4


@pytest.mark.parametrize("tool", TOOLS)
def test_the_plans_own_words_order_and_split_go_with_it(project: Path, tool: Tool) -> None:
    own = {"instructions": "Read slowly.", "question": 'Which is "kinder"?', "consent_text": "I agree."}
    coordinator(project, comparisons=6, own_order=True, split=2, **own)
    first, second = handed(project, tool)
    files = [path for path in first.path.parent.rglob("*") if path.is_file()]
    said = "\n".join(path.read_text("utf-8") for path in files).replace("&quot;", '"').replace("\\", "")
    assert all(words in said for words in own.values())
    assert (first.comparisons, second.comparisons) == (3, 3)
    came = [answered(project, tool, one, maker("z")) for one in (first, second)]
    merge(project, *(came[:1] if tool == "potato" else came))
    rows = in_force(project), in_force(project, "R02")
    assert [len(found) for found in rows] == [3, 3]
    assert not {row.comparison_id for row in rows[0]} & {row.comparison_id for row in rows[1]}
    assert {row.detail["sequence"] for row in rows[0]} == {1, 2, 3}


@pytest.mark.parametrize("tool", TOOLS)
def test_texts_that_were_edited_there_are_noticed_and_their_answers_left_out(project: Path, tool: Tool) -> None:
    coordinator(project, comparisons=4)
    (made,) = handed(project, tool, "R01")
    came = answered(project, tool, made, maker("x"))
    edited = came.parent / "comparisons.jsonl" if tool == "potato" else came
    edited.write_text(edited.read_text("utf-8").replace("Text 2 of card maker y", "Text 2, better"), "utf-8")
    (one,) = merge(project, came).files
    assert (one.added, len(one.changed_texts), one.strange, one.finished) == (3, 1, 0, False)
    assert len(in_force(project)) == 3


def test_an_answer_that_nobody_was_asked_for_is_counted_and_left_out(project: Path) -> None:
    coordinator(project, comparisons=4)
    (made,) = handed(project, "label-studio", "R01")
    came = label_studio_answers(made.path, project.parent / "export.json", maker("x"))
    tasks = json.loads(came.read_text("utf-8"))
    tasks[0]["annotations"][0]["result"][0]["value"]["choices"] = ["Quite good"]
    tasks[1]["annotations"][0]["result"][0]["value"]["choices"] = ["A", "B"]
    tasks.append({"id": 99, "data": {"text": "mine"}, "annotations": [annotation(9, 1, 9, "A")]})
    came.write_text(json.dumps(tasks), "utf-8")
    assert the_rest(merge(project, came)) == [("R01", 2, 0, 2), ("", 0, 0, 1)]


def test_a_rater_under_anothers_name_is_left_out(project: Path) -> None:
    coordinator(project, comparisons=4)
    first, _ = handed(project, "potato")
    came = potato_answers(first.path.parent, "R01", maker("x"))
    state = came.parent / "annotation_output" / "R01" / "user_state.json"
    state.write_text(state.read_text("utf-8").replace('"user_id": "R01"', '"user_id": "R02"'), "utf-8")
    assert the_rest(merge(project, came)) == [("R01", 0, 0, 4)]
    assert in_force(project) == []


def test_a_rater_who_is_there_twice_counts_once_and_conflicts_wait_for_a_decision(project: Path) -> None:
    coordinator(project, comparisons=4)
    (made,) = handed(project, "label-studio", "R01")
    other = iter(("x", "x", "z", "z"))
    came = label_studio_answers(
        made.path, project.parent / "export.json", maker("x"), lambda task: maker(next(other))(task)
    )
    (one,) = merge(project, came).files
    assert (one.added, one.conflicting) == (8, 2)
    assert [row.chosen for row in in_force(project)] == [0, 0]
    with Project.open(project, read_only=True) as opened:
        assert [len(found.heads) for found in conflicts(opened)] == [2, 2]


def test_the_same_rater_in_a_packet_and_in_another_tool_is_one_rater(project: Path) -> None:
    plan = coordinator(project, comparisons=4)
    make(project, plan, "R01")
    (made,) = handed(project, "potato", "R01")
    merge(project, potato_answers(made.path.parent, "R01", maker("z")))
    with Project.open(project, read_only=True) as opened:
        assert len(opened.judging.sessions()) == 1
        assert len({row.id for row in opened.packets.all() if row.direction == "made"}) == 1
    assert [row.chosen for row in in_force(project)] == [2] * 4


def test_results_of_another_project_are_refused_in_a_sentence(project: Path, tmp_path: Path) -> None:
    coordinator(project, comparisons=4)
    (made,) = handed(project, "label-studio", "R01")
    came = label_studio_answers(made.path, tmp_path / "export.json", maker("x"))
    elsewhere = tmp_path / "other.biasprint"
    coordinator(elsewhere, comparisons=4)
    (one,) = merge(elsewhere, came).files
    assert "belongs to another project or plan" in one.refused
    assert one.hint


def test_a_plan_whose_texts_changed_takes_only_what_was_said_of_the_same_texts(project: Path, tmp_path: Path) -> None:
    coordinator(project, comparisons=4)
    (made,) = handed(project, "label-studio", "R01")
    came = label_studio_answers(made.path, tmp_path / "export.json", maker("x"))
    with closing(sql(project)) as connection:
        connection.execute("UPDATE output SET text = 'changed' WHERE text = ?", (text_of(2, 1),))
        connection.commit()
    (one,) = merge(project, came).files
    assert (one.added, len(one.changed_texts)) == (3, 1)
    assert len(in_force(project)) == 3


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no export as JSON"), (b"[1, 2]", "no export as JSON"), (b"{}", "no export as JSON"),
        (b'[{"id": 1, "choice": "A"}]', "no export as JSON"), (b"[" * 100_000, "no export as JSON"),
        (b"[]", "nobody has answered"), (b'[{"data": {}, "annotations": [{"id": 1, "result": 7}]}]', "no export"),
        (b'[{"data": {}, "annotations": [{"id": 1, "created_at": "soon", "result": []}]}]', "no export"),
    ],
)  # fmt: skip
def test_what_is_no_export_is_refused(project: Path, tmp_path: Path, content: bytes, told: str) -> None:
    coordinator(project, comparisons=2)
    bad = tmp_path / "export.json"
    bad.write_bytes(content)
    (one,) = merge(project, bad).files
    assert told in one.refused
    assert one.hint
    assert bad.read_bytes() == content


def test_a_folder_that_nobody_answered_in_or_that_is_a_trap_is_refused(project: Path, tmp_path: Path) -> None:
    coordinator(project, comparisons=2)
    (made,) = handed(project, "potato", "R01")
    assert "no answers" in merge(project, made.path).files[0].refused
    secret = tmp_path / "secret"
    secret.write_text("{}")
    place = made.path.parent / "annotation_output" / "R01"
    place.mkdir(parents=True)
    (place / "user_state.json").symlink_to(secret)
    assert "no file of results" in merge(project, made.path).files[0].refused
    (place / "user_state.json").unlink()
    (place / "user_state.json").write_text('{"user_id": "R01"}')
    assert "damaged or of another version" in merge(project, made.path).files[0].refused
    (made.path.parent / "comparisons.jsonl").unlink()
    assert "comparisons.jsonl" in merge(project, made.path).files[0].refused


def test_a_plan_that_asks_for_more_than_a_choice_is_not_handed_out(project: Path, tmp_path: Path) -> None:
    coordinator(project, comparisons=2, worst=True)
    with pytest.raises(UsageError, match="the worst text as well"):
        handed(project, "potato")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("tool", TOOLS)
def test_a_folder_in_the_way_is_never_touched_and_nothing_is_noted(project: Path, tool: Tool, tmp_path: Path) -> None:
    coordinator(project, comparisons=2)
    (tmp_path / "out" / tool).mkdir(parents=True)
    with pytest.raises(AppError, match="already"):
        handed(project, tool)
    with Project.open(project, read_only=True) as opened:
        assert packets(opened) == ()
    assert list((tmp_path / "out").iterdir()) == [tmp_path / "out" / tool]
