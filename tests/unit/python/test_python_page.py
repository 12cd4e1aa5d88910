"""docs/how-to/use-from-python.md and its notebook: every example runs, in order, and gives what it shows."""

import doctest
import json
import re
import runpy
from typing import Any

import pytest
from docs_pages import DOCS

import biasprint

PAGE = (DOCS / "how-to" / "use-from-python.md").read_text(encoding="utf-8")
NOTEBOOK = json.loads((DOCS / "how-to" / "use-from-python.ipynb").read_text(encoding="utf-8"))


def test_the_examples_of_the_page_give_what_they_show(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
    for block in blocks:
        line = PAGE[: block.start()].count("\n") + 1
        test = parser.get_doctest(block[1], names, "use-from-python.md", "docs/how-to/use-from-python.md", line)
        assert test.examples, "a block without an example"
        runner.run(test, out=said.append, clear_globs=False)
        names.update(test.globs)
    names["project"].close()
    assert runner.failures == 0, "".join(said)
    assert len(blocks) >= 6


@pytest.mark.parametrize("name", [name for name in biasprint.__all__ if name[0].islower()])
def test_the_page_tells_of_every_function(name):
    assert f"biasprint.{name}(" in PAGE


def kinds(cell: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """What each output of a cell is: printed, or a result as text and perhaps as a table."""
    return [(one["output_type"], sorted(one.get("data", ()))) for one in cell.get("outputs", ())]


def test_the_cells_of_the_notebook_run_and_give_what_they_show(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert NOTEBOOK["nbformat"] == 4
    names: dict[str, Any] = {"__name__": "__main__"}
    made = runpy.run_path(str(DOCS / "make_notebook.py"))["run_anew"](NOTEBOOK, names)
    names["project"].close()
    assert len(names["ratios"]) > 0
    assert set(names["measured"].columns) >= {"id", "estimate", "low", "high"}
    for now, shown in zip(made["cells"], NOTEBOOK["cells"], strict=True):
        assert kinds(now) == kinds(shown), "".join(now["source"])
    counts, error = made["cells"][3], made["cells"][-1]  # of what ships with the program, and of a sentence
    assert counts["outputs"] == NOTEBOOK["cells"][3]["outputs"], "run docs/make_notebook.py"
    assert error["outputs"] == NOTEBOOK["cells"][-1]["outputs"], "run docs/make_notebook.py"


def test_the_notebook_holds_no_path_of_whoever_ran_it():
    text = json.dumps(NOTEBOOK)
    assert "/home/" not in text
    assert "/tmp/" not in text
    assert not [cell for cell in NOTEBOOK["cells"] for out in cell.get("outputs", ()) if out["output_type"] == "error"]
