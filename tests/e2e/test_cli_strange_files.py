"""Whatever file a command is given, it looks what kind of file that is before it opens it: a pipe would never end."""

import os
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from cli_support import biasprint
from seeded_part import seeded_part

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")

STRANGE: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "device": lambda place: place.symlink_to("/dev/zero"),
    "holes": lambda place: os.truncate(os.open(place, os.O_CREAT | os.O_WRONLY), 50_000_000_000),
}
# The file's ending, and the command: S is the strange file, P a project, L a letter, D a folder with S in it.
COMMANDS = {
    "check": (".biasprint", "check S"),
    "rescue": (".biasprint", "rescue S --out P2"),
    "export": (".biasprint", "export S outputs --out out.csv"),
    "measure a project": (".biasprint", "measure letters S"),
    "measure a table": (".csv", "measure letters S"),
    "measure a workbook": (".xlsx", "measure letters S"),
    "measure a column file": (".parquet", "measure letters S"),
    "measure lines of JSON": (".jsonl", "measure letters S"),
    "score": (".csv", "score S --scorer textblob"),
    "import": (".csv", "import P S --study letters"),
    "import from the comparator": (".json", "import P S --format llm_comparator"),
    "prompts from biographies": (".csv", "prompts P --study letters --biographies S"),
    "prompts from headlines": (".csv", "prompts P --study news --headlines S"),
    "prompts from a template": (".txt", "prompts P --study letters --template S --table table.csv"),
    "prompts from a table": (".csv", "prompts P --study letters --template L --table S"),
    "tasks of one's own": (".toml", "prompts P --study creativity --task S"),
    "themes of one's own": (".toml", "prompts P --study creativity --theme S"),
    "occupations": (".txt", "prompts P --study letters --occupation S"),
    "a design": (".toml", "prompts P --study compare --design S"),
    "consent": (".txt", "compare P --axis gender --consent S"),
    "practice": (".csv", "compare P --axis gender --practice S"),
    "criteria": (".txt", "compare P --axis gender --rubric S"),
    "an axis": (".toml", "axis check S"),
    "an audit": (".toml", "run S"),
    "a letter": (".txt", "letter S"),
    "a letter as docx": (".docx", "letter S"),
    "letters in a zip": (".zip", "letter S"),
    "a context": (".txt", "letter L --context S"),
    "words of one's own": (".csv", "letter L --house-list S"),
    "a pile of CVs": (".zip", "letter D2 --cvs S"),
    "outcomes": (".csv", "letter D2 --outcomes S"),
    "a packet": (".bpacket", "packet merge P S"),
    "a folder of packets": (".bpacket", "packet merge P D"),
    "results of another tool": (".json", "packet merge P S"),
    "a model": (".gguf", "models add S --role generator"),
    "a folder as model": (".safetensors", "models add D --role generator"),
    "letters to compare with": (".txt", "reference make mine S"),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("strange")
    biasprint("new", folder / "p.biasprint", "--study", "creativity")
    (folder / "letter.txt").write_text("Dear committee,\nShe is a diligent chemist and a pleasure to work with.\n")
    (folder / "table.csv").write_text("name,group\nAnn,female\nBen,male\n")
    (folder / "letters").mkdir()
    (folder / "letters" / "a.txt").write_text("She is a diligent chemist and a pleasure to work with.\n")
    return folder


@pytest.mark.parametrize(("kind", "command"), seeded_part(product(STRANGE, COMMANDS), 14))
def test_a_strange_file_is_refused_at_once(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ending, words = COMMANDS[command]
    (tmp_path / "folder").mkdir()
    strange = tmp_path / "folder" / f"strange{ending}"
    STRANGE[kind](strange)
    (tmp_path / "table.csv").write_bytes((place / "table.csv").read_bytes())
    places = {
        "S": strange, "D": strange.parent, "P": place / "p.biasprint", "P2": tmp_path / "new.biasprint",
        "L": place / "letter.txt", "D2": place / "letters",
    }  # fmt: skip
    answer = biasprint(*(places.get(word, word) for word in words.split()), code=None)
    assert answer.code in (1, 2), (answer.out[:300], answer.err)
    assert "Traceback" not in answer.err
    assert "not foreseen" not in answer.err
    # Not the wrong usage of something else: the message is about this file, or the folder that it lies in.
    assert strange.name in answer.err or "folder" in answer.err
    assert "Usage" not in answer.err
