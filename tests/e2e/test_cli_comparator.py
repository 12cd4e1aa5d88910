"""Formats of neighbours on the command line: LLM Comparator's, and folders of data sets."""

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from cli_support import biasprint
from fingerprint_project import choosing, plan_of, project_with_texts, rated


def test_judgments_go_out_for_its_viewer_and_come_into_another_project(tmp_path: Path) -> None:
    file, out, other = tmp_path / "a.biasprint", tmp_path / "out.json", tmp_path / "b.biasprint"
    project = project_with_texts(file, ["orientation"], tasks=["haiku"])
    rated(project, plan_of(project, "orientation", per_axis=4), "R01", choosing("queer"))
    project.close()
    told = biasprint("export", file, "judgments", "--format", "llm_comparator", "--out", out, "--json").json
    assert [(one["models"], one["examples"], one["ratings"]) for one in told["files"]] == [
        (["straight", "queer"], 4, 4)
    ]
    assert {one["score"] for one in json.loads(out.read_text("utf-8"))["examples"]} == {-1.0}
    biasprint("new", other)
    came = biasprint("import", other, out, "--format", "llm_comparator", "--json").json
    assert (came["comparisons"], came["added"], came["raters"]) == (4, 4, ["R01"])
    assert biasprint("import", other, out, "--format", "llm_comparator", "--json").json["added"] == 0
    assert "not of LLM Comparator" in biasprint("import", other, file, "--format", "llm_comparator", code=1).err
    wrong = biasprint("export", file, "outputs", "--format", "llm_comparator", "--out", out, code=2)
    assert "shows judgments" in wrong.err
    assert (
        "no ending"
        in biasprint("export", file, "judgments", "--format", "llm_comparator", "--out", tmp_path / "x.csv", code=2).err
    )


def test_judgments_go_out_as_a_data_set_that_a_program_can_read_by_its_description(tmp_path: Path) -> None:
    file, out = tmp_path / "a.biasprint", tmp_path / "judged"
    project = project_with_texts(file, ["orientation"], tasks=["haiku"])
    rated(project, plan_of(project, "orientation", per_axis=4), "R01", choosing("queer"))
    project.close()
    assert biasprint("export", file, "judgments", "--format", "dataset", "--out", out, "--json").json["rows"] == 4
    described = json.loads((out / "croissant.json").read_text("utf-8"))
    (data,), (records,) = described["distribution"], described["recordSet"]
    content = (out / data["contentUrl"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == data["sha256"]
    rows = [json.loads(line) for line in content.splitlines()]
    assert {field["name"] for field in records["field"]} == set(rows[0])
    kinds = {field["name"]: field["dataType"] for field in records["field"]}
    assert (kinds["seconds"], kinds["sequence"], kinds["chosen"]) == ("sc:Float", "sc:Integer", "sc:Text")
    _, head, words = (out / "README.md").read_text("utf-8").split("---\n", 2)
    (config,) = yaml.safe_load(head)["configs"]
    assert (out / config["data_files"]).is_file()
    assert "none is stated here" in words
    again = biasprint("export", file, "judgments", "--format", "dataset", "--out", out, code=1).err
    assert "is there already.\nIt stays as it is." in again


@pytest.mark.skipif(find_spec("mlcroissant") is None, reason="mlcroissant is not installed")
def test_its_description_is_valid_to_its_authors_program(tmp_path: Path) -> None:
    import mlcroissant

    file, out = tmp_path / "a.biasprint", tmp_path / "judged"
    project = project_with_texts(file, ["orientation"], tasks=["haiku"])
    rated(project, plan_of(project, "orientation", per_axis=4), "R01", choosing("queer"))
    project.close()
    biasprint("export", file, "judgments", "--format", "dataset", "--out", out)
    assert len(list(mlcroissant.Dataset(jsonld=out / "croissant.json").records("judgments"))) == 4
