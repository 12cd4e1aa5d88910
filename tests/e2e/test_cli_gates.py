"""`measure --fail-on`: exit code 3 and a sentence for each gate that failed, beside the whole answer."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli_support import biasprint, refused

ID = "letters.lexicon.odds_ratio"


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Letters in which women are communal and men agentic, always."""
    rows = [
        f"{group},{block},{name} is {word}. {name} works here."
        for block in range(12)
        for group, name, word in (
            ("male", "Joseph", "confident and assertive" if block else "kind"),
            ("female", "Kelly", "warm and caring" if block else "confident"),
        )
    ]
    file = tmp_path_factory.mktemp("gates") / "letters.csv"
    file.write_text("\n".join(["group,block,text", *rows]))
    return file


def test_a_gate_that_fails_is_exit_code_3_beside_the_whole_answer(letters: Path) -> None:
    holds, fails = f"{ID}[agentic] interval_above 1000", f"{ID}[agentic] estimate_above 1.2"
    gates = ("--fail-on", holds, "--fail-on", fails)
    answer = biasprint("measure", "letters", letters, "--json", *gates, code=3)
    assert [(one["gate"], one["passed"]) for one in answer.json["gates"]] == [(holds, True), (fails, False)]
    assert answer.json["findings"]
    told = [line for line in answer.err.splitlines() if "gate" in line]
    assert len(told) == 1
    assert told[0].startswith(f"The gate “{fails}” failed: {ID} agentic is ")
    passed = biasprint("measure", "letters", letters, *gates[:2])
    assert f"The gate “{holds}” held: 1 finding was checked." in passed.out


def test_a_gate_on_what_there_is_not_is_exit_code_2(letters: Path) -> None:
    wrong = "letters.lexicon.oddsratio[agentic] interval_above 1"
    refused("measure", "letters", letters, "--fail-on", wrong, code=2, says=ID)
    refused("measure", "letters", letters, "--fail-on", f"{ID} above 1", code=2, says="A gate has no “above”")
    answer = biasprint("measure", "letters", letters, "--json", "--fail-on", f"{ID}[agentc] p_below 0.1", code=2)
    assert answer.json["findings"], "the rest is done"
    assert f"{ID} has no “agentc” for a gate; there are agentic" in answer.err


def test_gates_are_written_as_junit_for_ci(letters: Path, tmp_path: Path) -> None:
    out = tmp_path / "gates.xml"
    holds, fails = f"{ID}[agentic] interval_above 1000", f"{ID}[agentic] estimate_above 1.2"
    biasprint("measure", "letters", letters, "--junit", out, "--fail-on", holds, "--fail-on", fails, code=3)
    suites = ElementTree.parse(out).getroot()
    assert suites.attrib == {"name": "biasprint", "tests": "2", "failures": "1", "errors": "0"}
    assert [(case.attrib["name"], [part.tag for part in case]) for case in suites.iter("testcase")] == [
        (holds, ["system-out"]), (fails, ["failure"]),
    ]  # fmt: skip
    refused("measure", "letters", letters, "--junit", out, code=2, says="There is no gate to write as JUnit.")
    refused(
        "measure", "letters", letters, "--junit", tmp_path / "gates.txt", "--fail-on", holds, code=2, says="Endings"
    )
