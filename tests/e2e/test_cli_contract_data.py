"""The contract of `score` and `export`: field names, what is counted, and files that can be read again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_support import ROOT, biasprint, refused
from cli_tables import LETTERS, read_table, sources, write_table
from seeded_part import seeded_part

from biasprint.core.project.project import Project
from biasprint.core.text import store_text

WROTE = ("written_by", "endpoint", "system_prompt", "parameters")
OUTPUT = (
    "study", "key", "task", "theme", "axis", "identity", "sample", "text", "model", "backend", "seed", "status",
    "temperature", "finish_reason", "error", *WROTE, "revision", "run", "reply_kind",
)  # fmt: skip


def test_score_of_a_table_gives_a_row_for_each_text(tmp_path: Path) -> None:
    rows = [{"text": "This is wonderful.", "group": "a"}, {"text": "This is terrible.", "group": "b"}]
    table = write_table(tmp_path / "texts.csv", rows)
    answer = biasprint("score", table, "--scorer", "textblob", "--scorer", "lexicon", "--json").json
    assert (answer["rows"], answer["dropped"]) == (2, {})
    # TextBlob's word list: wonderful is +1.0, terrible −1.0.
    assert [(row["row"], row["textblob"]) for row in answer["scores"]] == [(1, 1.0), (2, -1.0)]
    assert answer["scores"][0]["lexicon"][0] == 3  # its first value is the number of words


@pytest.mark.parametrize("ending", ["csv", "jsonl", "xlsx", "parquet"])
def test_score_of_a_table_writes_what_it_prints(tmp_path: Path, ending: str) -> None:
    table = write_table(tmp_path / "letters.csv", [{"body": row["text"]} for row in LETTERS])
    out = tmp_path / f"scores.{ending}"
    command = ("score", table, "--map", "text=body", "--scorer", "textblob")
    printed = biasprint(*command, "--json").json["scores"]
    written = biasprint(*command, "--out", out, "--json").json
    assert written == {"rows": 3, "dropped": {}, "file": str(out)}
    assert [(int(row["row"]), float(row["textblob"])) for row in read_table(out)] == [
        (row["row"], pytest.approx(row["textblob"])) for row in printed
    ]


def test_score_of_a_project_scores_each_text_once(study_file: Path) -> None:
    first = biasprint("score", study_file, "--scorer", "textblob", "--json").json
    assert [(entry["study"], entry["scorer"], entry["added"], entry["unscored"]) for entry in first] == [
        ("creativity", "textblob", 108, 0), ("letters", "textblob", 120, 0),
    ]  # fmt: skip
    assert all(set(entry) == {"study", "scorer", "version", "stand_in", "added", "unscored"} for entry in first)
    again = biasprint("score", study_file, "--scorer", "textblob", "--json").json
    assert [entry["added"] for entry in again] == [0, 0]


COLUMNS: dict[str, tuple[str, ...]] = {
    "prompts": (
        "study", "set", "version", "key", "task", "theme", "axis", "identity", "text",
        "age", "block", "gender", "group", "name", "occupation", "pronouns", "topic",
    ),
    "outputs": (
        *OUTPUT[:12], "age", "block", "gender", "group", "name", "occupation", "pronouns", "topic", *OUTPUT[12:],
    ),
    "scores": ("study", "key", "sample", "model", "scorer", "version", "summary", "values", *WROTE),
    "judgments": (
        "comparison", "rater", "axis", "task", "theme", "shown", "outcome", "chosen", "repeat_of", "seconds", "note",
        "sequence", "model", "temperature", "rater_kind", "read_as", "superseded", "card", "judged_at",
        "adjudicated", "seen", "words", "excluded", "worst", "block", "recommended", "adaptive", *WROTE, "unsealed",
        "seconds_in_view", "read_to_end", "degree", "confidence", "spans",
    ),
    "findings": (
        "id", "label", "title", "groups", "dims", "variant", "estimate", "reason", "unit", "low", "high", "level",
        "method", "n", "n_by_group", "dropped", "p", "p_adjusted", "adjust", "effect", "contrast", "floor_mean",
        "floor_p95", "floor_p", "floor_subtracted", "detectable", "n_for_planned", "scorers", "harm", "source", "note",
        "study", *WROTE, "revision", "runs",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", seeded_part(COLUMNS, 2))
def test_every_export_has_its_columns_and_says_the_same_in_every_format(
    measured_file: Path, tmp_path: Path, what: str
) -> None:
    read: list[list[dict[str, Any]]] = []
    for ending in ("csv", "jsonl", "xlsx", "parquet"):
        out = tmp_path / f"{what}.{ending}"
        report = biasprint("export", measured_file, what, "--out", out, "--json").json
        rows = read_table(out)
        assert (report["what"], report["rows"], report["file"]) == (what, len(rows), str(out))
        assert tuple(rows[0]) == COLUMNS[what]
        read.append(rows)
    assert len(read[0]) > 0
    for other in read[1:]:
        assert len(other) == len(read[0])
        for one, same in zip(read[0], other, strict=True):
            for name, value in one.items():
                assert _same(value, same[name]), f"{what}.{name}: {value!r} and {same[name]!r}"


def _same(one: str, other: str) -> bool:
    if one == other or one.replace("\r\n", "\n") == other.replace("\r\n", "\n"):
        return True
    try:
        return float(one) == pytest.approx(float(other), rel=1e-12)
    except ValueError:
        pass
    try:
        return bool(json.loads(one) == json.loads(other))
    except ValueError:
        return False


def test_an_exported_judgment_is_one_in_force_of_a_revealed_session(measured_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "judgments.csv"
    answer = biasprint("export", measured_file, "judgments", "--out", out, "--json")
    assert answer.json["sessions_left_out"] == 1
    assert "1 open rating session stayed out" in answer.err
    rows = read_table(out)
    with Project.open(measured_file, read_only=True) as project:
        revealed = {session.id for session in project.judging.sessions() if session.revealed_at}
        in_force = [row for row in project.judging.judgments() if row.session_id in revealed]
        everything = project.judging.judgments(superseded=True)
    assert len(everything) > len(in_force) + 1, "the test has no revised judgment to leave out"
    assert any(row.outcome == "undone" for row in in_force), "the test has no withdrawn judgment to leave out"
    raters = {row["rater"] for row in rows}
    by_session = [[int(row["sequence"]) for row in rows if row["rater"] == rater] for rater in raters]
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in by_session), "not counted from 1"
    assert len(rows) == sum(row.outcome != "undone" for row in in_force)
    assert {row["outcome"] for row in rows} == {"choice", "tie", "none", "skip"}
    assert all((row["outcome"] == "choice") == bool(row["chosen"]) for row in rows)
    assert all(row["chosen"] in ("", *row["shown"].split("|")) for row in rows)
    assert {row["axis"] for row in rows} == {"gender", "orientation"}
    assert any(row["repeat_of"] for row in rows)


def test_an_export_can_be_of_one_study(measured_file: Path, tmp_path: Path) -> None:
    for study, count in (("letters", 120), ("creativity", 108)):
        out = tmp_path / f"{study}.jsonl"
        assert biasprint("export", measured_file, "outputs", "--study", study, "--out", out, "--json").json["rows"] == (
            count
        )
        assert {row["study"] for row in read_table(out)} == {study}
    # What a study does not have is no column of its export.
    assert "topic" not in read_table(tmp_path / "letters.jsonl")[0]


def test_letters_imported_with_different_fields_are_exported_together(empty: Path, tmp_path: Path) -> None:
    one = write_table(tmp_path / "one.csv", LETTERS)
    other = write_table(tmp_path / "other.csv", [{**row, "name": "Kim", "occupation": "chef"} for row in LETTERS])
    for table in (one, other):
        biasprint("import", empty, table, "--study", "letters")
    out = tmp_path / "outputs.csv"
    biasprint("export", empty, "outputs", "--out", out)
    rows = read_table(out)
    assert [row["name"] for row in rows] == ["", "", "", "Kim", "Kim", "Kim"]
    assert [row["text"] for row in rows] == 2 * [row["text"] for row in LETTERS]


def test_a_text_that_looks_like_a_formula_comes_back_from_an_export_as_it_was(empty: Path, tmp_path: Path) -> None:
    texts = ["=1+1", "- a dash first", "'=quoted", "+49 30 1234", "@home", "plain"]
    rows = [{"text": text, "group": group} for text, group in zip(texts, ["male", "female"] * 3, strict=True)]
    biasprint("import", empty, write_table(tmp_path / "in.csv", rows), "--study", "letters")
    out = tmp_path / "out.csv"
    assert "look like formulas" in biasprint("export", empty, "outputs", "--out", out).err
    assert read_table(out)[0]["text"] == "'=1+1"  # so that no spreadsheet calculates it
    again = tmp_path / "again.biasprint"
    biasprint("new", again)
    biasprint("import", again, out, "--study", "letters")
    assert [text for text, _ in sources(again)] == texts


def test_every_odd_text_comes_through_import_scoring_and_export(empty: Path, tmp_path: Path) -> None:
    cases = [json.loads(line) for line in (ROOT / "tests/data/naughty_texts.jsonl").open("rb")]
    texts = [case["text"] if "text" in case else case["repeat"][0] * case["repeat"][1] for case in cases]
    texts = [text for text in texts if text.strip()]
    table = tmp_path / "odd.jsonl"
    table.write_text("".join(json.dumps({"text": text, "group": "a"}) + "\n" for text in texts))
    assert biasprint("import", empty, table, "--study", "letters", "--json").json["added"] == len(texts)
    assert [text for text, _ in sources(empty)] == texts
    for scorer in ("textblob", "lexicon", "lexicon_published"):
        (scored,) = biasprint("score", empty, "--scorer", scorer, "--json").json
        assert scored["added"] + scored["unscored"] == len(texts)
    for ending in ("jsonl", "csv"):
        out, again = tmp_path / f"out.{ending}", tmp_path / f"{ending}.biasprint"
        biasprint("export", empty, "outputs", "--out", out)
        biasprint("new", again)
        biasprint("import", again, out, "--study", "letters")
        # csv is UTF-8, which holds no lone surrogate: there it comes as it stands in the project file.
        expected = texts if ending == "jsonl" else [store_text(text).text for text in texts]
        assert [text for text, _ in sources(again)] == expected


def test_an_export_replaces_a_file_only_when_it_is_whole(
    measured_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "prompts.csv"
    out.write_text("what was there")
    monkeypatch.setattr("biasprint.core.texts.exporting._prompts", _breaks_off)
    biasprint("export", measured_file, "prompts", "--out", out, code=1)
    assert out.read_text() == "what was there"
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []
    monkeypatch.undo()


def _breaks_off(project: Project, kind: str | None) -> Any:
    from biasprint.core.errors import AppError

    yield {"key": "one"}
    raise AppError("The drive has gone.")


def test_an_unknown_ending_is_refused_before_anything_is_read(measured_file: Path, tmp_path: Path) -> None:
    said = refused("export", measured_file, "prompts", "--out", tmp_path / "x.pdf", code=2, says="no ending to export")
    assert ".parquet" in said


def test_findings_are_exported_as_they_were_measured(
    measured_file: Path, tmp_path: Path, findings_of: Callable[[str], str]
) -> None:
    out = tmp_path / "findings.jsonl"
    biasprint("export", measured_file, "findings", "--out", out)
    printed = [f for study in ("letters", "creativity") for f in json.loads(findings_of(study))["findings"]]
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    key = ("id", "label", "variant", "estimate", "n", "n_by_group", "p", "dims", "scorers", "contrast")
    assert [[row[name] for name in key] for row in rows] == [[finding[name] for name in key] for finding in printed]
    assert [row["low"] for row in rows] == [f["interval"] and f["interval"]["low"] for f in printed]
