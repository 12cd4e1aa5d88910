"""`impact` and `pack` as an auditor meets them: a table of people, a signed folder, and a second machine."""

import json
from pathlib import Path

import pytest
from cli_support import biasprint, refused

PEOPLE = Path(__file__).parents[1] / "data" / "aedt_audit.json"
SMALL = "Gender,Ethnicity,Hired\nwoman,a,yes\nman,a,no\nwoman,a,no\nman,b,yes\nunknown,b,yes\nman,a,maybe\n,b,\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """The people of aedt-audit's own example, as a table."""
    rows = ["sex,race_ethnicity,selected,score"]
    for sex, race, n, selected, above in json.loads(PEOPLE.read_text(encoding="utf-8"))["people"]:
        rows += [f"{sex},{race},{'yes' if at < selected else 'no'},{7 if at < above else 3}" for at in range(n)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def test_impact_ratios_of_a_table_of_people_equal_those_of_aedt_audit(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "impact.html"
    answer = biasprint("impact", people, "--out", out, "--json")
    tables = {(table["rate"], *table["by"]): table for table in answer.json["tables"]}
    assert list(tables) == [
        (rate, *by) for rate in ("selection rate", "scoring rate") for by in (("sex",), ("race",), ("sex", "race"))
    ]
    of_sex = {each["category"]["sex"]: each for each in tables["selection rate", "sex"]["categories"]}
    # README of aedt-audit 0.3.0: 0.544, 1 and 1.129; the scoring rates by its own program.
    assert [round(of_sex[name]["impact_ratio"], 3) for name in ("female", "male", None)] == [0.544, 1.0, 1.129]
    assert (of_sex[None]["unknown"], tables["selection rate", "sex"]["unknown"]) == (True, 150)
    small = [each["category"]["race"] for each in tables["scoring rate", "race"]["categories"] if each["small"]]
    assert small == ["Native Hawaiian or Pacific Islander"]
    assert "duplicate" not in answer.err  # two people may be alike in all that the table says
    page = out.read_text(encoding="utf-8")
    assert "Scoring rate, by sex × race" in page
    assert "compliant" not in (page + biasprint("impact", people).out).casefold()


def test_impact_names_what_it_left_out_and_whom_it_does_not_know(tmp_path: Path) -> None:
    table = tmp_path / "small.csv"
    table.write_text(SMALL, encoding="utf-8")
    (of_sex, *_) = biasprint("impact", table, "--json").json["tables"]
    assert of_sex["left_out"] == {"“maybe” is no yes or no": 1, "no outcome": 1}
    assert (of_sex["rows"], of_sex["unknown"]) == (5, 1)
    said = biasprint("impact", table).out
    assert "Left out: 1 × “maybe” is no yes or no; 1 × no outcome." in said
    assert "5 rows; sex is not known of 1." in said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("name,age\nAnn,3\n", "no column with selected or score that can be read"),
        ("who,selected\nAnn,yes\n", "no column with sex or race that can be read"),
        ("sex,selected\nwoman,\n", "no column with selected or score that can be read"),
    ],
)
def test_a_table_without_people_or_outcomes_is_one_sentence(tmp_path: Path, content: str, says: str) -> None:
    table = tmp_path / "other.csv"
    table.write_text(content, encoding="utf-8")
    assert "--map" in refused("impact", table, code=1, says=says)
