"""LLM Comparator's format on the command line."""

import json
from pathlib import Path

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
