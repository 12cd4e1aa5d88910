"""The contract of `measure` for news and completion: from tables of every kind, and from a project."""

import csv
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from cli_support import biasprint, narrow, refused
from test_cli_contract_measure import ENVELOPE, FINDING, INNER, told

DOMAIN = ("ageism", "beauty", "beauty_profession", "institution", "nationality")
SHARES = ("PPL", "PNL", "PNuL", "NPL", "NNL", "NNuL", "PL", "NL", "NuL")
NEWS = [
    # By hand: her share of the gender words is 1/2 in the originals and 1/5, 1/2 and 0 in what was generated.
    ("Bridge opens", "She said he was late.", "He said he and she saw his men.", "model a"),
    ("Bird found", "Her son saw it.", "His mother saw it.", "model a"),
    ("Storm passes", "The woman and the man slept.", "He slept, and his brother slept.", "model a"),
    ("Nobody there", "It rained all day.", "It rained.", "model a"),
]


def news_table(folder: Path) -> Path:
    path = folder / "news.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("headline", "original", "generated", "model"))
        writer.writerows(NEWS)
    return path


def findings(answer: Any, finding_id: str, **wanted: Any) -> list[dict[str, Any]]:
    """The findings of an id whose keys, or dims, are as wanted."""
    return [
        finding
        for finding in answer["findings"]
        if finding["id"] == finding_id
        and all(finding.get(key, finding["dims"].get(key)) == value for key, value in wanted.items())
    ]


def check_contract(answer: Any) -> None:
    assert list(answer) == ENVELOPE
    for finding in answer["findings"]:
        about = f"{finding['id']} {finding['label']} {finding['dims']} {finding['variant']}"
        assert set(finding) == FINDING, about
        assert finding["variant"] in ("default", "as_published"), about
        for name, keys in INNER.items():
            assert finding[name] is None or set(finding[name]) == keys, about
        assert finding["title"], about
        assert finding["unit"], about
        assert finding["source"], about
        if finding["estimate"] is None:
            assert finding["reason"], about
        elif finding["interval"] is None:
            assert finding["reason"].startswith("interval: "), about
        else:
            assert finding["interval"]["low"] <= finding["estimate"] <= finding["interval"]["high"], about
        assert (finding["p_adjusted"] is None) == (finding["adjust"] is None), about


@pytest.fixture(scope="module")
def completion_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("completion") / "study.biasprint"
    biasprint("new", file)
    biasprint("prompts", file, "--study", "completion", "--domain", "beauty")
    biasprint("generate", file, "--study", "completion", "--backend", "synthetic", "--model", "large", "--seed", 1)
    return file


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fewer replies, for what is true of any number of them."""
    file = tmp_path_factory.mktemp("completion") / "small.biasprint"
    biasprint("new", file)
    biasprint("prompts", file, "--study", "completion", "--domain", "beauty")
    narrow(file, 300)
    biasprint("generate", file, "--study", "completion", "--backend", "synthetic", "--model", "large", "--seed", 1)
    return file


def test_completion_of_a_project_has_every_measure_and_finds_the_planted_bias(completion_file: Path) -> None:
    answer = biasprint("measure", "completion", completion_file, "--json").json
    check_contract(answer)
    assert answer["rows"] == 2016
    for direction in ("SAI", "ASA"):
        dims = {"domain": "beauty", "direction": direction}
        for variant in ("default", "as_published"):
            labels = [f["label"] for f in findings(answer, "completion.likelihood", dims=dims, variant=variant)]
            assert labels == list(SHARES)
        for tau in ("completion.tau_b", "completion.tau_c"):
            (found,) = findings(answer, tau, dims=dims, variant="default")
            assert found["estimate"] > 0.2
            assert found["p_adjusted"] < 0.01


@pytest.mark.soak
def test_what_a_project_exports_as_xlsx_or_parquet_measures_as_the_project_does(
    small_file: Path, tmp_path: Path
) -> None:
    of_project = told(biasprint("measure", "completion", small_file, "--json").json)
    for ending in ("xlsx", "parquet", "jsonl"):
        table = tmp_path / f"outputs.{ending}"
        biasprint("export", small_file, "outputs", "--out", table)
        assert told(biasprint("measure", "completion", table, "--json").json) == of_project, ending


@pytest.mark.soak
def test_importing_replies_gives_the_same_findings_as_their_table(small_file: Path, tmp_path: Path) -> None:
    table, file = tmp_path / "replies.csv", tmp_path / "imported.biasprint"
    biasprint("export", small_file, "outputs", "--out", table)
    biasprint("new", file)
    imported = biasprint("import", file, table, "--study", "completion", "--json").json
    assert imported["added"] == imported["rows"] == 300
    assert biasprint("import", file, table, "--study", "completion", "--json").json["added"] == 0
    of_table = biasprint("measure", "completion", table, "--json").json["findings"]
    of_project = biasprint("measure", "completion", file, "--json").json["findings"]
    assert [(f["id"], f["label"], f["estimate"]) for f in of_table] == [
        (f["id"], f["label"], f["estimate"]) for f in of_project
    ]


def test_news_word_level_is_what_one_counts_by_hand(tmp_path: Path) -> None:
    answer = biasprint("measure", "news", news_table(tmp_path), "--axis", "gender", "--json").json
    check_contract(answer)
    (distance,) = findings(answer, "news.word.wasserstein", variant="as_published")
    # |1/5 − 1/2|, |1/2 − 1/2|, |0 − 1/2|; the fourth pair has no such word.
    assert distance["estimate"] == pytest.approx((0.3 + 0 + 0.5) / 3)
    assert distance["n"] == 3
    assert sum(distance["dropped"].values()) == 1
    (women,) = [f for f in findings(answer, "news.word.difference", variant="default") if f["groups"][0] == "woman"]
    assert women["estimate"] == pytest.approx((-0.3 + 0 - 0.5) / 3)
    (share,) = [
        f for f in findings(answer, "news.word.prejudice_share", variant="as_published") if f["groups"][0] == "woman"
    ]
    assert share["estimate"] == pytest.approx(2 / 3)


def test_news_goes_from_originals_to_findings_with_what_was_planted(tmp_path: Path) -> None:
    """Eight articles that name women and men alike; the author names men nine times in ten."""
    table, file = tmp_path / "articles.csv", tmp_path / "news.biasprint"
    places = ("bridge", "museum", "harbour", "school", "library", "market", "park", "station")
    text = "He saw the {0}. She saw the {0}."
    rows = [(f"A new {one} opens", text.format(one), text.format(one), "plain") for one in places]
    pd.DataFrame(rows, columns=["headline", "original", "generated", "model"]).to_csv(table, index=False)
    biasprint("new", file)
    biasprint("import", file, table, "--study", "news")
    biasprint("prompts", file, "--study", "news")
    biasprint("generate", file, "--study", "news", "--backend", "synthetic", "--model", "large")
    answer = biasprint("measure", "news", file, "--axis", "gender", "--generator", "large", "--json").json
    men, women = (
        next(f for f in findings(answer, "news.word.difference", variant="default") if f["groups"][0] == group)
        for group in ("man", "woman")
    )
    assert men["n"] == len(rows)
    assert men["interval"]["low"] > 0 > women["interval"]["high"]
    assert women["p_adjusted"] < 0.05


def test_the_table_for_people_begins_with_what_is_pooled_and_says_what_it_leaves_out(small_file: Path) -> None:
    short = biasprint("measure", "completion", small_file).out
    whole = biasprint("measure", "completion", small_file, "--all").out
    assert "more findings" in short
    assert "as published" not in short.split("more findings")[0]
    assert "more findings" not in whole
    assert "as published" in whole


def test_an_unreadable_kind_of_column_is_one_sentence(tmp_path: Path) -> None:
    table = tmp_path / "replies.parquet"
    pd.DataFrame({"domain": ["beauty"], "direction": ["SAI"]}).to_parquet(table)
    refused("measure", "completion", table, code=1, says="pronoun")
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"PK\x03\x04 not really")
    refused("measure", "news", broken, code=1, says="broken.xlsx")


def test_replies_in_another_language_are_undefined_with_a_reason(tmp_path: Path) -> None:
    table = tmp_path / "replies.csv"
    rows = ["domain,direction,pronoun,given,positive,negative,neutral,response,term"]
    for given in ("positive", "negative"):
        rows += [f"beauty,SAI,feminine,{given},smart,dumb,calm,Ich weiß es nicht.,word {n}" for n in range(12)]
    table.write_text("\n".join(rows), encoding="utf-8")
    answer = biasprint("measure", "completion", table, "--json").json
    assert answer["dropped"] == {"irrelevant": 24}
    shares = findings(answer, "completion.likelihood", label="PPL")
    assert shares
    assert all(finding["estimate"] is None and finding["reason"] for finding in shares)


AXIS = """
key = "drinks"
title = "Drinks"
version = 1
[[identities]]
key = "tea"
label = "Tea"
phrase = "tea"
words = ["tea", "both"]
[[identities]]
key = "coffee"
label = "Coffee"
phrase = "coffee"
words = ["coffee", "{second}", "zzz"]
"""


def test_a_word_in_two_groups_is_named_with_its_groups_and_no_traceback(tmp_path: Path) -> None:
    axis = tmp_path / "drinks.toml"
    axis.write_text(AXIS.replace("{second}", "both"), encoding="utf-8")
    table = news_table(tmp_path)
    refused("measure", "news", table, "--axis", axis, code=1, says="“both” (tea, coffee)")
    axis.write_text(AXIS[: AXIS.rindex("[[")], encoding="utf-8")
    refused(
        "measure", "news", table, "--axis", axis, code=1, says="at least two identities to compare, and this one has 1"
    )


@pytest.mark.soak
def test_words_that_a_person_brought_are_checked_against_the_texts(tmp_path: Path) -> None:
    axis = tmp_path / "drinks.toml"
    axis.write_text(AXIS.replace("{second}", "men"), encoding="utf-8")
    answer = biasprint("measure", "news", news_table(tmp_path), "--axis", axis, "--json")
    assert "Axis drinks: entries that no text holds: tea, both, coffee, zzz." in answer.err
    assert "Axis drinks: 12% of the articles mention a group (tea 0%, coffee 12%)." in answer.err  # 1 of 8 articles
    check_contract(answer.json)


@pytest.mark.soak
def test_another_adjustment_for_many_tests_is_offered(completion_file: Path) -> None:
    by_holm, by_bh = (
        biasprint("measure", "completion", completion_file, "--adjust", rule, "--json").json["findings"]
        for rule in ("holm", "bh")
    )
    adjusted = [
        (one, other) for one, other in zip(by_holm, by_bh, strict=True) if one["adjust"] and one["p"] is not None
    ]
    assert adjusted
    for one, other in adjusted:
        assert one["p"] == other["p"]
        assert other["adjust"] == {"method": "Benjamini–Hochberg", "family": one["adjust"]["family"]}
        assert one["p"] <= other["p_adjusted"] <= one["p_adjusted"]
