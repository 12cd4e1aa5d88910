"""The program in a process of its own: what goes to which stream, and what it does not load."""

import os
import subprocess
import sys
from pathlib import Path

from cli_support import ROOT, biasprint, program

LOUD = """
import os, sys
import numpy
from core.scorers.protocol import ScoreValue

class Loud:
    role, name, version, sha256, stand_in, shape = "loudness", "loud", "1", None, True, "the share of capitals"

    def score(self, texts):
        print("a library's chatter")
        os.write(1, b"and what its C code writes\\n")
        shares = [sum(map(str.isupper, text)) / len(text) for text in texts]
        return [ScoreValue(numpy.array([share], dtype=numpy.float32), share) for share in shares]
"""


def test_stdout_is_one_document_whatever_a_third_partys_scorer_prints(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "loud-1.0.dist-info").mkdir(parents=True)
    (site / "loud-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
    (site / "loud-1.0.dist-info" / "entry_points.txt").write_text("[biasprint.scorers]\nloud = loud:Loud\n")
    (site / "loud.py").write_text(LOUD)
    table = tmp_path / "texts.csv"
    table.write_text("text\nABcd\n\nefgh\n")
    answer = program("score", table, "--scorer", "loud", "--json", env={"PYTHONPATH": str(site)})
    assert answer.code == 0, answer.err
    assert answer.json["scores"] == [{"row": 1, "loud": 0.5}, {"row": 3, "loud": 0.0}]
    assert "a library's chatter" in answer.err
    assert "and what its C code writes" in answer.err
    assert "Row 2 (line 3): empty row (left out)" in answer.err


def test_without_a_terminal_nothing_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "study.biasprint"
    biasprint("new", file, "--study", "letters")
    answer = program("generate", file, "--study", "letters", "--backend", "synthetic", "--model", "none", "--json")
    assert answer.code == 0
    assert answer.json["done"] == 120
    assert answer.err == "Writing for Context-less letters, version 1.\n"


def test_a_command_loads_neither_qt_nor_models_into_its_own_process(tmp_path: Path) -> None:
    table = tmp_path / "letters.csv"
    table.write_text("text,group\nHe leads.,male\nShe helps.,female\n")
    script = """
import sys
from desktop.__main__ import main
if __name__ == "__main__":
    assert main(["measure", "letters", sys.argv[1], "--json"]) == 0
    heavy = {"PySide6", "torch", "transformers", "sentence_transformers", "spacy", "textblob", "scipy", "statsmodels"}
    print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""
    place = tmp_path / "script.py"
    place.write_text(script)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, place, table], env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stderr.splitlines()[-1] == "[]"
