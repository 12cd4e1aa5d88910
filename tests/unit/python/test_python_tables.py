"""Tables in memory and functions as scorers, as a person writes them in a notebook."""

import sys
from types import ModuleType

import pandas as pd
import pyarrow
import pytest

import biasprint

RECORDS = [
    {"text": "Please help her, she is kind.", "group": "female", "block": "a"},
    {"text": "He leads.", "group": "male", "block": "a"},
    {"text": "She is kind, please and thanks.", "group": "female", "block": "b"},
    {"text": "He leads well.", "group": "male", "block": "b"},
    {"text": "She smiles, thanks to you.", "group": "female", "block": "c"},
    {"text": "He decides, please.", "group": "male", "block": "c"},
] * 2


def politeness(text: str) -> int:
    return text.lower().count("please") + text.lower().count("thanks")


class Polite:
    remark = "By a list of two words."

    def __call__(self, text: str) -> int:
        return politeness(text)


class Polars:
    """A frame with what polars offers: `columns`, `iter_rows`, and columns by name with `to_list`."""

    def __init__(self, records):
        self._records = records
        self.columns = list(records[0])

    def iter_rows(self):
        return iter([tuple(row.values()) for row in self._records])

    def __getitem__(self, name):
        column = ModuleType("column")
        column.to_list = lambda: [row[name] for row in self._records]
        return column


def columns(records):
    return {name: [row[name] for row in records] for name in records[0]}


def test_records_columns_and_frames_of_any_package_are_one_table():
    expected = biasprint.score("length", pd.DataFrame(RECORDS)).to_pandas()
    tables = [
        RECORDS,
        (row for row in RECORDS),
        columns(RECORDS),
        Polars(RECORDS),
        pyarrow.Table.from_pylist(RECORDS),
        biasprint.Table(("text", "group"), RECORDS),
        pd.DataFrame(RECORDS)["text"],
        [row["text"] for row in RECORDS],
    ]
    for table in tables:
        assert biasprint.score("length", table).to_pandas().equals(expected)
    assert len(biasprint.score("length", [RECORDS[0]])) == len(biasprint.score("length", RECORDS[0])) == 1


def test_a_record_may_lack_what_another_has_and_what_is_missing_is_no_text():
    rows = [{"text": "One.", "note": 1}, {"text": float("nan")}, {"note": pd.NA}, {"text": "Two.", "other": pd.NaT}]
    assert [row["row"] for row in biasprint.score("length", rows)] == [1, 4]


def test_a_table_is_read_without_pandas(monkeypatch):
    from biasprint import measuring

    monkeypatch.setitem(sys.modules, "pandas", None)
    assert len(list(measuring._rows(RECORDS))) == len(list(measuring._rows(Polars(RECORDS)))) == 12


def test_a_function_is_a_scorer():
    scores = biasprint.score([politeness, "length"], RECORDS)

    assert scores.columns == ("row", "politeness", "length")
    assert [row["politeness"] for row in scores][:4] == [1, 0, 2, 0]


def test_groups_are_compared_by_a_function():
    measured = biasprint.measure("compare", RECORDS, scorers={"score": politeness})

    (apart,) = measured.findings.of("compare.difference", "politeness")
    assert apart.title == "Politeness, female minus male"
    assert apart.estimate == pytest.approx(4 / 3 - 1 / 3)
    assert apart.scorers[0].version.startswith("Python function ")
    assert len(apart.scorers[0].sha256) == 64
    again = biasprint.measure("compare", columns(RECORDS), scorers={"score": ["length", politeness]})
    assert again.findings.of("compare.difference", "politeness")[0] == apart or again.findings.of(
        "compare.difference", "length"
    )


def test_what_is_true_or_false_is_compared_by_shares():
    rows = [{**row, "text": f"{row['text']} {number}", "block": ""} for row in RECORDS for number in range(5)]
    measured = biasprint.measure("compare", rows, scorers={"score": lambda text: "please" in text.lower()})

    rates = {finding.groups: finding.estimate for finding in measured.findings.of("compare.rate", "lambda")}
    assert rates == {("female",): pytest.approx(2 / 3), ("male",): pytest.approx(1 / 3)}


def test_a_text_that_a_function_fails_on_is_left_out_and_counted():
    def words_per_comma(text):
        return len(text.split()) / text.count(",")

    measured = biasprint.measure("compare", RECORDS, scorers={"score": words_per_comma})

    assert measured.dropped == {"words_per_comma failed: ZeroDivisionError: division by zero": 4}


def test_a_function_that_always_fails_raises_its_error():
    with pytest.raises(
        biasprint.Error, match=r"“lambda” fails on every text: TypeError: it gave 'x', which is no"
    ) as told:
        biasprint.score(lambda text: "x", RECORDS)
    assert isinstance(told.value.__cause__, TypeError)


def test_a_function_scores_the_texts_of_a_project(tmp_path):
    from cli_support import biasprint as command

    pd.DataFrame(RECORDS).to_csv(tmp_path / "texts.csv", index=False)
    command("new", tmp_path / "a.biasprint")
    command("import", tmp_path / "a.biasprint", tmp_path / "texts.csv", "--study", "compare")
    with biasprint.open(tmp_path / "a.biasprint") as project:
        measured = project.measure("compare", scorers={"score": Polite()})

    assert measured.findings.of("compare.difference", "Polite")
    assert "By a list of two words." in measured.remarks


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (lambda: biasprint.measure("letters", RECORDS, scorers={"sentiment": politeness}), "scorers is a mapping from"),
        (lambda: biasprint.measure("letters", RECORDS, scorers={"score": politeness}), "has no scorer to choose for"),
        (lambda: biasprint.measure("compare", RECORDS, scorers={"score": 3}), "scorers is a mapping from role to name"),
        (lambda: biasprint.measure("compare", [RECORDS[0], 3]), "A table cannot be read from a “int”"),
        (lambda: biasprint.measure("compare", {"text": ["a", "b"], "group": "male"}), "is no list of values"),
        (lambda: biasprint.measure("compare", None), "A table cannot be read from a “NoneType”"),
        (
            lambda: biasprint.measure("compare", RECORDS, columns=["text"]),
            "is a mapping from field to column, not ['text']",
        ),
        (lambda: biasprint.measure(None, RECORDS), "“None” cannot be measured"),
        (lambda: biasprint.score("length", ["my texts.csv", "b.csv"]), "There is no file “my texts.csv”"),
        (lambda: biasprint.score("length", ["a.txt", "b.txt"]), "There is no file “a.txt”"),
        (lambda: biasprint.score(3, RECORDS), "A scorer is a name or a function"),
        (lambda: biasprint.score([], RECORDS), "No scorer was named"),
        (lambda: biasprint.open(None), "None is no path"),
        (lambda: biasprint.run(3), "3 is no path"),
    ],
)
def test_whatever_is_wrong_is_an_error_of_the_program(asked, says):
    with pytest.raises(biasprint.Error) as told:
        asked()
    assert says in str(told.value)
