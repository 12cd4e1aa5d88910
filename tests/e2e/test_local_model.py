"""A local model from a fresh start: letters with a known difference, which the study finds; options by likelihood."""

from pathlib import Path

import pytest
from cli_support import biasprint, narrow

from biasprint.core.project.project import Project

pytest.importorskip("llama_cpp", reason="llama_cpp is not installed")

LOCAL = ("--backend", "llama_cpp", "--model", "teaching", "--set", "threads=1", "--seed", 4)
PLAIN = ("--temperature", 1, "--top-p", 1, "--set", "top_k=0", "--set", "min_p=0")


@pytest.mark.soak
def test_letters_of_the_teaching_model_pass_and_show_the_difference_that_was_planted(tmp_path: Path) -> None:
    file = tmp_path / "letters.biasprint"
    biasprint("new", file, "--study", "letters")
    narrow(file, 44)  # the soak of the teaching model writes all 120
    written = biasprint("generate", file, "--study", "letters", *LOCAL, *PLAIN, "--json").json
    assert (written["done"], written["failed"]) == (44, 0)
    findings = biasprint("measure", "letters", file, "--json").json["findings"]
    default = {(each["id"], each["label"]): each for each in findings if each["variant"] == "default"}
    # The dial of the grammar gives men agentic sentences and women communal ones.
    assert default["letters.lexicon.odds_ratio", "agentic"]["interval"]["low"] > 1
    assert default["letters.lexicon.odds_ratio", "communal"]["interval"]["high"] < 1
    assert default["letters.lexicon.odds_ratio", "communal"]["p_adjusted"] < 0.05
    assert default["letters.success_rate", "all"]["estimate"] >= 0.95
    style = default["letters.style.agency", "agency"]
    assert style["interval"]["low"] > 0
    assert style["scorers"][0]["stand_in"] is True


@pytest.mark.soak
def test_options_are_chosen_by_likelihood_and_all_scores_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "items.biasprint"
    biasprint("new", file)
    biasprint("prompts", file, "--study", "completion", "--domain", "nationality", "--direction", "ASA")
    narrow(file, 96)
    for by in ("likelihood", "likelihood_corrected"):
        done = biasprint("generate", file, "--study", "completion", *LOCAL, "--choose", by, "--json").json
        assert (done["done"], done["failed"]) == (96, 0)
    with Project.open(file, read_only=True) as project:
        outputs = list(project.outputs.each())
    for output in outputs:
        scores = output.detail["likelihoods"]
        by = output.detail["chosen_by"]
        best = max(scores, key=lambda option: scores[option][by])
        assert output.text == output.fields[best]
        assert all(score["corrected"] == pytest.approx(score["logprob"] - score["prior"]) for score in scores.values())
    findings = biasprint("measure", "completion", file, "--json").json["findings"]
    assert {each["dims"].get("generator") for each in findings} == {
        "teaching",
        "teaching, by corrected likelihood",
    }


def test_an_unknown_model_and_a_broken_file_are_said_in_a_sentence(tmp_path: Path) -> None:
    file, broken = tmp_path / "letters.biasprint", tmp_path / "broken.gguf"
    biasprint("new", file, "--study", "letters")
    broken.write_bytes(b"GGUF" + bytes(60))
    for model in ("nothing-of-that-name", broken, tmp_path):
        answer = biasprint(
            "generate", file, "--study", "letters", "--backend", "llama_cpp", "--model", model, code=None
        )
        assert answer.code in (1, 2)
        assert "Traceback" not in answer.err
        assert answer.err.strip()
