"""Reading tables with a column of texts for each model, and comparing models where no column names a group."""

from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.tables.fields import fields_of
from biasprint.core.tables.read import read_records
from biasprint.core.tables.rows import TableRead

KIND = "She was kind to everyone and helped with warmth."
BOLD = "He led the team and delivered outstanding results."


def saved(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def read(path: Path, study: str = "compare", **mapping: str) -> TableRead:
    return read_records(path, fields_of(study), mapping)


def values(table: TableRead, *names: str) -> list[tuple[str, ...]]:
    return [tuple(row.values[name] for name in names) for row in table.rows]


@pytest.mark.parametrize(
    "header", ["prompt,gpt-4,llama-3-8b", "question,openai/gpt-4o,Claude 3 Opus", "prompt,ours,theirs"]
)
def test_each_column_of_a_models_texts_gives_rows_of_that_model(tmp_path: Path, header: str) -> None:
    table = read(saved(tmp_path / "wide.csv", header, f"One?,{BOLD},{KIND}", f"Two?,{KIND},{BOLD}"))
    _, first, second = header.split(",")
    assert values(table, "prompt", "group", "text") == [
        ("One?", first, BOLD), ("One?", second, KIND), ("Two?", first, KIND), ("Two?", second, BOLD),
    ]  # fmt: skip
    assert (table.total, set(table.guessed)) == (4, {"prompt", "group", "text"})
    assert table.notices == (
        "No column names a group, so models are compared.",
        f"Each of the columns “{first}”, “{second}” was read as the texts of one model: a row for each.",
    )


def test_short_replies_and_a_column_of_groups_leave_the_columns_models(tmp_path: Path) -> None:
    path = saved(tmp_path / "wide.csv", "gender,gpt-4,llama,gpt-4 score", "male,Yes.,No.,0.5", "female,No.,,1")
    table = read(path)
    assert values(table, "group", "model", "text") == [
        ("male", "gpt-4", "Yes."), ("male", "llama", "No."), ("female", "gpt-4", "No."), ("female", "llama", ""),
    ]  # fmt: skip


def test_a_long_table_of_prompt_model_and_response_compares_models(tmp_path: Path) -> None:
    path = saved(tmp_path / "long.csv", "prompt,model,response", f"One?,gpt-4,{BOLD}", f"One?,llama,{KIND}")
    table = read(path)
    assert dict(table.mapping) == {"group": "model", "text": "response", "prompt": "prompt"}
    assert table.notices == ("No column names a group, so models are compared.",)
    own = saved(tmp_path / "own.csv", "prompt,model,response,gender", f"One?,gpt-4,{BOLD},male")
    assert (dict(read(own).mapping)["group"], read(own).mapping["model"], read(own).notices) == ("gender", "model", ())


def test_the_guess_is_corrected_by_the_mapping(tmp_path: Path) -> None:
    path = saved(tmp_path / "wide.csv", "prompt,gpt-4,llama,qwen", f"One?,{BOLD},{KIND},{KIND}")
    two = read(path, text="gpt-4|qwen")
    assert values(two, "group", "text") == [("gpt-4", BOLD), ("qwen", KIND)]
    one = read(path, text="llama", group="prompt")
    assert values(one, "group", "text") == [("One?", KIND)]
    with pytest.raises(AppError, match=r"has no column “gpt-4\|mistral”"):
        read(path, text="gpt-4|mistral")
    with pytest.raises(UsageError, match="joined in two ways"):
        read(path, text="gpt-4|qwen", group="qwen|gpt-4")
    with pytest.raises(UsageError, match="joined for group, and for no text"):
        read(path, text="llama", group="gpt-4|qwen")


@pytest.mark.parametrize("study", ["letters", "creativity", "news"])
def test_every_study_takes_the_model_from_the_columns(tmp_path: Path, study: str) -> None:
    header, cells = "gender,task,theme,identity,original", "male,haiku,stars,man,What people wrote of it then."
    table = read(saved(tmp_path / "wide.csv", f"{header},gpt-4,llama", f"{cells},{BOLD},{KIND}"), study)
    assert values(table, "model", "generated" if study == "news" else "text") == [("gpt-4", BOLD), ("llama", KIND)]


def test_a_table_of_numbers_or_of_one_long_text_is_not_taken_apart(tmp_path: Path) -> None:
    numbers = read(saved(tmp_path / "n.csv", "group,gpt-4,llama", "a,0.5,1", "b,2,3"))
    assert dict(numbers.mapping) == {"group": "group"}
    with pytest.raises(AppError, match=r"No column of “t\.csv” was recognised as group"):
        read(saved(tmp_path / "t.csv", "prompt,response", f"One?,{BOLD}"))
    with pytest.raises(AppError, match="was recognised as text"):
        read(saved(tmp_path / "l.csv", "gender,notes,essay", f"male,{KIND},{BOLD}"), "letters")
