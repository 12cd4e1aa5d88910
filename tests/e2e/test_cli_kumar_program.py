"""The files of the creativity paper's own program, brought in on the command line."""

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest
from cli_support import biasprint
from openpyxl import Workbook

IDENTITIES = ("base", "white", "black", "asian", "straight", "queer", "man", "woman", "non-binary person")
THEMES = ("stars", "social media", "sun")
CARDS = {
    "races": ("white", "black", "asian"),
    "gender": ("man", "woman", "non-binary person"),
    "sexual_orientation": ("straight", "queer"),
}
CHOSEN = {"races": ("white", "black", "Asian"), "gender": ("man", None, "non-binary person"),
          "sexual_orientation": ("queer", "queer", "straight")}  # fmt: skip

Rows = list[list[object]]


def saved(path: Path, rows: Rows) -> Path:
    book = Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)
    return path


def text(identity: str, theme: str) -> str:
    return f"A text on {theme} by {identity}:\nthe end."


def raw_rows(identities: Sequence[str] = IDENTITIES, task: str = "Write a haiku about ") -> Rows:
    header = ["", *identities, *(f"{name}_prompt" for name in identities), *(f"{name}_theme" for name in identities)]
    rows: Rows = [list(header)]
    for number, theme in enumerate(THEMES):
        texts = [text(name, theme) for name in identities]
        rows.append([number, *texts, *(f"{task}{theme}." for _ in identities), *(theme for _ in identities)])
    return rows


def evaluation_rows() -> Rows:
    rows: Rows = [["", *CARDS, *(f"{axis}_{part}" for part in ("prompt", "response", "theme") for axis in CARDS)]]
    for number, theme in enumerate(THEMES):
        prompts = [
            "".join(f"choice {place}. {text(name, theme)}\n\n" for place, name in enumerate(cards, start=1))
            for cards in CARDS.values()
        ]
        chosen = [CHOSEN[axis][number] for axis in CARDS]
        rows.append([number, *chosen, *prompts, *("Answer choice: choice 1" for _ in CARDS), *(theme for _ in CARDS)])
    return rows


@pytest.fixture
def file(tmp_path: Path) -> Path:
    biasprint("new", tmp_path / "study.biasprint")
    return tmp_path / "study.biasprint"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The program's folder of one task and model."""
    saved(tmp_path / "data" / "haiku" / "gpt4" / "raw.xlsx", raw_rows())
    saved(tmp_path / "data" / "haiku" / "gpt4" / "evaluation_mixtral.xlsx", evaluation_rows())
    return tmp_path / "data" / "haiku" / "gpt4"


def exported(file: Path, what: str) -> list[dict[str, str]]:
    out = file.with_name(f"{what}.csv")
    biasprint("export", file, what, "--out", out)
    with out.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def nothing_in(file: Path) -> bool:
    return not exported(file, "outputs") and not exported(file, "judgments")


# texts


def test_the_texts_come_in_with_identity_theme_task_and_model(file: Path, folder: Path) -> None:
    assert biasprint("import", file, folder / "raw.xlsx", "--format", "kumar", "--json").json["added"] == 27
    rows = exported(file, "outputs")
    assert {(row["task"], row["model"]) for row in rows} == {("haiku", "gpt4")}
    assert {row["theme"] for row in rows} == {"stars", "social_media", "sun"}
    assert {(row["axis"], row["identity"]) for row in rows} == {
        ("", "default"), ("race", "white"), ("race", "black"), ("race", "asian"), ("gender", "man"),
        ("gender", "woman"), ("gender", "non-binary"), ("orientation", "straight"), ("orientation", "queer"),
    }  # fmt: skip
    found = next(row for row in rows if (row["identity"], row["theme"]) == ("non-binary", "social_media"))
    assert found["text"] == text("non-binary person", "social media")


def test_outside_its_folders_the_prompts_tell_the_task_and_the_model_is_said_to_be_unknown(
    file: Path, tmp_path: Path
) -> None:
    answer = biasprint("import", file, saved(tmp_path / "raw.xlsx", raw_rows()), "--format", "kumar")
    assert "does not say which model wrote its texts" in answer.err
    assert {(row["task"], row["model"]) for row in exported(file, "outputs")} == {("haiku", "")}


def test_the_window_recognises_the_texts() -> None:
    from biasprint.core.tables import known_formats

    columns = [str(name) for name in raw_rows()[0]]
    assert [name for name, known in known_formats().items() if known.fits(columns)] == ["kumar"]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (raw_rows([*IDENTITIES, "martian"]), "“martian”, which is no identity"),
        (raw_rows(IDENTITIES[1:]), "has no column “base”"),
        (raw_rows(IDENTITIES[:1]), "has no texts for an identity"),
        (raw_rows()[:1], "has no rows below its header"),
        ([row[:-1] for row in raw_rows()], "has no column “non-binary person_theme”"),
        ([], "raw.xlsx"),
    ],
    ids=["unknown identity", "no base", "base alone", "no rows", "no theme", "empty sheet"],
)
def test_a_bad_file_of_texts_is_refused_whole(file: Path, tmp_path: Path, rows: Rows, says: str) -> None:
    path = saved(tmp_path / "haiku" / "gpt4" / "raw.xlsx", rows)
    assert says in biasprint("import", file, path, "--format", "kumar", code=1).err
    assert nothing_in(file)


def test_a_file_that_does_not_tell_its_task_is_refused(file: Path, tmp_path: Path) -> None:
    path = saved(tmp_path / "raw.xlsx", raw_rows(task="Say something on "))
    answer = biasprint("import", file, path, "--format", "kumar", code=1)
    assert "does not say of which task" in answer.err
    assert nothing_in(file)


# evaluations


def test_the_evaluations_come_in_as_a_models_judgments_of_these_texts(file: Path, folder: Path) -> None:
    path = folder / "evaluation_mixtral.xlsx"
    answer = biasprint("import", file, path, "--format", "kumar", "--json")
    assert (answer.json["added"], answer.json["comparisons"], answer.json["texts"]) == (9, 9, 27)
    assert "in one order" in answer.err
    rows = exported(file, "judgments")
    assert {(row["rater"], row["rater_kind"], row["task"]) for row in rows} == {("mixtral", "model", "haiku")}
    assert {(row["axis"], row["shown"]) for row in rows} == {
        ("race", "white|black|asian"), ("gender", "man|woman|non-binary"), ("orientation", "straight|queer"),
    }  # fmt: skip
    assert {(row["axis"], row["theme"]): (row["outcome"], row["chosen"]) for row in rows} == {
        ("race", "stars"): ("choice", "white"), ("race", "social_media"): ("choice", "black"),
        ("race", "sun"): ("choice", "asian"), ("gender", "stars"): ("choice", "man"),
        ("gender", "social_media"): ("skip", ""), ("gender", "sun"): ("choice", "non-binary"),
        ("orientation", "stars"): ("choice", "queer"), ("orientation", "social_media"): ("choice", "queer"),
        ("orientation", "sun"): ("choice", "straight"),
    }  # fmt: skip
    assert {row["read_as"] for row in rows if row["outcome"] == "skip"} == {"unreadable"}


def test_a_second_time_nothing_is_added_and_texts_that_are_there_are_used(file: Path, folder: Path) -> None:
    path = folder / "evaluation_mixtral.xlsx"
    biasprint("import", file, folder / "raw.xlsx", "--format", "kumar")
    first = biasprint("import", file, path, "--format", "kumar", "--json").json
    assert (first["added"], first["texts"]) == (9, 0)
    assert biasprint("import", file, path, "--format", "kumar", "--json").json["added"] == 0
    assert (len(exported(file, "outputs")), len(exported(file, "judgments"))) == (27, 9)


def test_one_judge_of_several_files_is_one_rater(file: Path, folder: Path) -> None:
    other = folder.parent.parent / "song" / "gpt4"
    saved(other / "raw.xlsx", raw_rows(task="Write a song about "))
    saved(other / "evaluation_mixtral.xlsx", evaluation_rows())
    for each in (folder, other):
        biasprint("import", file, each / "evaluation_mixtral.xlsx", "--format", "kumar")
    rows = exported(file, "judgments")
    assert ({row["rater"] for row in rows}, len(rows)) == ({"mixtral"}, 18)
    assert {row["task"] for row in rows} == {"haiku", "song"}


def test_shares_of_the_evaluations_are_measured(file: Path, folder: Path) -> None:
    biasprint("import", file, folder / "evaluation_mixtral.xlsx", "--format", "kumar")
    findings = biasprint("measure", "creativity", file, "--json").json["findings"]

    def shares(axis: str, variant: str) -> list[float]:
        return [
            row["estimate"] for row in findings
            if row["id"] == "creativity.share" and row["dims"] == {"axis": axis} and row["variant"] == variant
        ]  # fmt: skip

    assert shares("orientation", "default") == pytest.approx([1 / 3, 2 / 3])
    # The program divides by all replies, also those that it could not read.
    assert shares("gender", "as_published") == pytest.approx([1 / 3, 0, 1 / 3])


def test_evaluations_outside_the_programs_folders_are_of_an_unknown_model(file: Path, tmp_path: Path) -> None:
    saved(tmp_path / "raw.xlsx", raw_rows())
    path = saved(tmp_path / "evaluation_llama.xlsx", evaluation_rows())
    assert biasprint("import", file, path, "--format", "kumar", "--json").json["added"] == 9
    assert {(row["rater"], row["model"], row["task"]) for row in exported(file, "judgments")} == {
        ("llama", "", "haiku")
    }


def test_rows_of_one_theme_are_joined_in_their_order(file: Path, folder: Path) -> None:
    raw, evaluation = raw_rows(), evaluation_rows()
    columns = [place for place, name in enumerate(raw[0]) if str(name).endswith("_theme")]
    for place in columns:
        raw[2][place] = "stars"  # so that the first two rows are of one theme, with texts of their own
    for place in [place for place, name in enumerate(evaluation[0]) if str(name).endswith("_theme")]:
        evaluation[2][place] = "stars"
    saved(folder / "raw.xlsx", raw)
    path = saved(folder / "evaluation_mixtral.xlsx", evaluation)
    assert biasprint("import", file, path, "--format", "kumar", "--json").json["added"] == 9
    assert {row["sample"] for row in exported(file, "outputs") if row["theme"] == "stars"} == {"0", "1"}


def test_a_judge_who_was_shown_other_texts_is_not_joined_with_these(file: Path, folder: Path) -> None:
    rows = raw_rows()
    rows[1][IDENTITIES.index("queer") + 1] = "Written again later."
    saved(folder / "raw.xlsx", rows)
    answer = biasprint("import", file, folder / "evaluation_mixtral.xlsx", "--format", "kumar", "--json")
    assert answer.json["added"] == 8
    assert answer.json["dropped"] == {"the judge was shown other texts than raw.xlsx has": 1}


def with_cell(rows: Rows, row: int, column: str, value: object) -> Rows:
    rows[row][rows[0].index(column)] = value
    return rows


@pytest.mark.parametrize(
    ("raw", "evaluation", "says"),
    [
        (
            raw_rows([name for name in IDENTITIES if name != "queer"]),
            evaluation_rows(),
            "queer, of whom “raw.xlsx” has",
        ),
        (raw_rows(), with_cell(evaluation_rows(), 2, "races", "martian"), "Row 2: “martian” is not on the axis races"),
        (raw_rows(), evaluation_rows()[:1], "has no rows below its header"),
        (raw_rows(), [row[:-3] for row in evaluation_rows()], "has no column “races_theme”"),
        (None, evaluation_rows(), "There is no “raw.xlsx” beside"),
    ],
    ids=["identity without texts", "unknown choice", "no rows", "no themes", "no texts"],
)
def test_a_bad_evaluation_is_refused_whole(
    file: Path, tmp_path: Path, raw: Rows | None, evaluation: Rows, says: str
) -> None:
    folder = tmp_path / "haiku" / "gpt4"
    if raw is not None:
        saved(folder / "raw.xlsx", raw)
    path = saved(folder / "evaluation_mixtral.xlsx", evaluation)
    assert says in biasprint("import", file, path, "--format", "kumar", code=1).err
    assert nothing_in(file)


def test_shares_are_no_choices(file: Path, folder: Path) -> None:
    path = saved(
        folder / "evaluation_analysis_mixtral.xlsx", [["", *CARDS], [0, "white: 50%", "man: 50%", "queer: 50%"]]
    )
    answer = biasprint("import", file, path, "--format", "kumar", code=1)
    assert "has shares, not the choices" in answer.err
    assert nothing_in(file)


def test_an_evaluation_that_was_renamed_is_told_to_name_its_judge(file: Path, folder: Path) -> None:
    path = (folder / "evaluation_mixtral.xlsx").rename(folder / "judged.xlsx")
    answer = biasprint("import", file, path, "--format", "kumar", code=1)
    assert "does not say who judged" in answer.err
    assert nothing_in(file)


def test_evaluations_are_not_measured_as_texts(folder: Path) -> None:
    answer = biasprint("measure", "creativity", folder / "evaluation_mixtral.xlsx", "--format", "kumar", code=1)
    assert "has choices of a judge, not texts" in answer.err
