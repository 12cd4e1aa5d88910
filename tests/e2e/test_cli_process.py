"""The program in a process of its own: what goes to which stream, and what it does not load."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import ROOT, biasprint, narrow, program

from biasprint.core.machine import offline

LOUD = """
import os, sys
import numpy
from biasprint.core.scorers.protocol import ScoreValue

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
    narrow(file, 6)
    answer = program("generate", file, "--study", "letters", "--backend", "synthetic", "--model", "none", "--json")
    assert answer.code == 0
    assert answer.json["done"] == 6
    assert answer.err == "Writing for Context-less letters, version 2.\n"


# Written to sitecustomize.py, which every Python reads as it starts. A socket that was refused was not opened.
SITE = """
import os, socket, sys
needless = {"sentence_transformers", "transformers", "sklearn", "pandas"}
def note(event, arguments):
    asks = event == "socket.getaddrinfo" or event == "socket.connect" and arguments[0].family != socket.AF_UNIX
    if asks:
        with open(os.environ["SOCKETS"] + ".connected", "a") as log:
            log.write(f"{event} {arguments[1:]} {sys.argv}\\n")
    package = arguments[0].partition(".")[0] if event == "import" else ""
    if package in needless and sys.modules.get(package):  # it imports its parts: it was not only asked for
        needless.remove(package)
        with open(os.environ["SOCKETS"] + ".imports", "a") as log:
            log.write(package + "\\n")
sys.addaudithook(note)
opening = socket.socket.__init__
def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
    opening(self, family, type, proto, fileno)
    if self.family in (socket.AF_INET, socket.AF_INET6):
        with open(os.environ["SOCKETS"], "a") as log:
            log.write(" ".join(sys.argv) + "\\n")
socket.socket.__init__ = __init__
with open(os.environ["SOCKETS"] + ".processes", "a") as log:
    log.write(f"{os.getpid()}\\n")
"""
# Commands one after another in one process, each a line with tabs between its words; what it has loaded in the end.
WALK = """
import os, sys
from biasprint.desktop.__main__ import main
if __name__ == "__main__":
    for line in sys.argv[1:]:
        code = main(line.split(chr(9)))
        assert code == 0, line
        with open(os.environ["SOCKETS"] + ".imports", "a") as log:
            log.write("> " + line.partition(chr(9))[0] + chr(10))
    heavy = {"PySide6", "torch", "transformers", "sentence_transformers", "spacy", "textblob", "scipy", "statsmodels"}
    print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def watched(tmp_path: Path) -> tuple[dict[str, str], Path]:
    """Variables under which every Python of the program, its children included, writes such sockets into a file."""
    site, log = tmp_path / "site", tmp_path / "sockets"
    site.mkdir()
    (site / "sitecustomize.py").write_text(SITE)
    return {"SOCKETS": str(log), "PYTHONPATH": os.pathsep.join((str(site), str(ROOT / "core" / "python")))}, log


def test_offline_no_process_opens_an_internet_socket_and_commands_load_neither_qt_nor_models(tmp_path: Path) -> None:
    """The watch is not needless: a library that scorers import tries at its import whether there is IPv6.

    What embeds and counts in a first letter waits for no library that it does not need, and what measures does.
    """
    watch, log = watched(tmp_path)
    table, file, place = tmp_path / "letters.csv", tmp_path / "study.biasprint", tmp_path / "walk.py"
    table.write_text("text,group\nHe leads.,male\nShe helps.,female\n")
    place.write_text(WALK)
    commands: list[tuple[object, ...]] = [
        ("--help",),
        ("new", file),
        ("prompts", file, "--study", "creativity", "--task", "haiku", "--theme", "stars"),
        ("generate", file, "--study", "creativity", "--backend", "synthetic", "--model", "large"),
        ("score", file, "--scorer", "textblob", "--scorer", "minilm"),  # spaCy and torch
        ("measure", "creativity", file, "--json"),
        ("measure", "letters", table, "--json"),
        ("models", "list", "--json"),
        ("offline", "status"),
    ]
    lines = ["\t".join(map(str, command)) for command in commands]
    environment = {**os.environ, **watch, offline.VARIABLE: "1", "OMP_NUM_THREADS": "1"}
    run = subprocess.run(
        [sys.executable, place, *lines], env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr.splitlines()[-1] == "[]"
    processes = set(Path(f"{log}.processes").read_text().split())
    assert len(processes) >= 3, "the children that write and compute are watched too"
    assert not log.exists(), log.read_text()
    scored, _, measured = Path(f"{log}.imports").read_text().partition("> score\n")
    assert [line for line in scored.splitlines() if line[0] != ">"] == []
    assert "pandas" in measured.splitlines(), "this watch, too, sees something"


def test_nothing_is_sent_that_nobody_asked_for(tmp_path: Path) -> None:
    """No telemetry: without the offline switch, too, no process of the program asks for an address or connects."""
    watch, log = watched(tmp_path)
    file, place = tmp_path / "study.biasprint", tmp_path / "walk.py"
    place.write_text(WALK)
    commands: list[tuple[object, ...]] = [
        ("new", file),
        ("prompts", file, "--study", "creativity", "--task", "haiku", "--theme", "stars"),
        ("generate", file, "--study", "creativity", "--backend", "synthetic", "--model", "large"),
        ("score", file, "--scorer", "textblob"),
        ("check", file),
    ]
    environment = {**os.environ, **watch, "OMP_NUM_THREADS": "1"}
    environment.pop(offline.VARIABLE, None)
    lines = ["\t".join(map(str, command)) for command in commands]
    done = subprocess.run([sys.executable, place, *lines], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(set(Path(f"{log}.processes").read_text().split())) >= 2, "children are watched too"
    assert not Path(f"{log}.connected").exists(), Path(f"{log}.connected").read_text()


def test_the_watch_would_see_a_socket(tmp_path: Path) -> None:
    """The tests above can fail: in the same way, a command that tries to connect is written down."""
    pytest.importorskip("huggingface_hub")
    watch, log = watched(tmp_path)
    env = {**watch, "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "0"}
    assert program("models", "get", "language-agency", env=env).code == 1
    assert log.exists()
    assert "9)" in Path(f"{log}.connected").read_text()
