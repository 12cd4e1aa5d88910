"""The wan layout: fields made from released columns, matched blocks, groups under one name, texts untouched."""

import os
from collections import Counter
from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.tables import known_formats, read_format, with_line_breaks

CELLS = """,name,age,gender,occupation,prompts,chatgpt_gen
0,Ada,20,F,writer,p,"Dear all,<return><return>she writes."
1,Bob,20,male,writer,p,"Dear all,<return>he writes."
2,Ada,30,female,writer,p,Hello
3,Bob,30,Martian,writer,p,Hello again
"""
BIOGRAPHIES = """first_name,last_name,gender,career_sec,personal_sec,info,occupation,chatgpt_gen
Ann,Lee,f,Painted a lot.,Lives here.,Lee painted.,artists,Letter one
Tom,Poe,m,Painted a lot.,Lives here.,poe painted.,artists,Letter two
Eve,Roe,f,Sang a lot.,Lives there.,Roe sang.,artists,Letter three
"""


def write(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "released.csv"
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_context_less_letters_are_matched_by_cell(tmp_path: Path) -> None:
    read = read_format(write(tmp_path, CELLS), "wan")
    assert [dict(row.values) for row in read.rows[:2]] == [
        {
            "text": "Dear all,<return><return>she writes.",
            "group": "female",
            "name": "Ada",
            "occupation": "writer",
            "block": "20 / writer",
        },
        {
            "text": "Dear all,<return>he writes.",
            "group": "male",
            "name": "Bob",
            "occupation": "writer",
            "block": "20 / writer",
        },
    ]
    assert with_line_breaks(read.rows[1].values["text"], read.line_break) == "Dear all,\nhe writes."


def test_a_group_that_the_format_does_not_know_is_named(tmp_path: Path) -> None:
    read = read_format(write(tmp_path, CELLS), "wan")
    assert len(read.rows) == 3
    assert [(problem.number, problem.reason, problem.excerpt) for problem in read.problems] == [
        (4, "unknown group", "“Martian”")
    ]
    assert (read.total, read.dropped) == (4, {"unknown group": 1})


def test_versions_of_one_biography_share_a_block(tmp_path: Path) -> None:
    read = read_format(write(tmp_path, BIOGRAPHIES), "wan")
    first, second, third = (row.values for row in read.rows)
    assert first["block"] == second["block"] != third["block"]
    assert (first["name"], first["group"], first["context"]) == ("Ann Lee", "female", "Lee painted.")
    assert (second["name"], second["group"], second["text"]) == ("Tom Poe", "male", "Letter two")


def test_there_is_no_block_where_nothing_is_matched(tmp_path: Path) -> None:
    lines = BIOGRAPHIES.splitlines(keepends=True)
    read = read_format(write(tmp_path, "".join([lines[0], lines[1], lines[3]])), "wan")
    assert all("block" not in row.values for row in read.rows)


def test_a_file_of_another_layout_is_refused_naming_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="does not have the columns of the format wan") as caught:
        read_format(write(tmp_path, "text,group\na,male\n"), "wan")
    assert "chatgpt_gen, gender, name, occupation, age" in caught.value.hint
    assert "Columns there: text, group." in caught.value.hint


def test_a_format_that_is_not_there_is_a_wrong_use_that_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no format “excel”") as caught:
        read_format(write(tmp_path, CELLS), "excel")
    assert caught.value.hint == "Formats: wan, kamruzzaman, kumar."
    assert list(known_formats()) == ["wan", "kamruzzaman", "kumar"]


RELEASED = Path(os.environ.get("BIASPRINT_REPLICATION_DATA", Path(__file__).parents[5] / "shared" / "data")) / "letters"


@pytest.mark.replication
@pytest.mark.skipif(not RELEASED.is_dir(), reason="the released letters are not on this machine")
@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("clg_letters.csv", 120),
        ("clg_letters-eval.csv", 120),
        ("df_f_artists_2_para_w_chatgpt.csv", 88),
        ("df_m_artists_2_para_w_chatgpt.csv", 22),
    ],
)
def test_the_released_letters_are_read_whole_and_matched_in_pairs(name: str, rows: int) -> None:
    read = read_format(RELEASED / name, "wan")
    assert (len(read.rows), read.problems, read.notices) == (rows, (), ())
    assert Counter(row.values["group"] for row in read.rows) == {"male": rows // 2, "female": rows // 2}
    blocks = Counter((row.values["block"], row.values["group"]) for row in read.rows)
    assert set(blocks.values()) == {1}
    assert len(blocks) == rows
