"""The light edition, in an environment that really lacks what it leaves out: letters are read as ever, and what is not
there is said in one sentence."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import warm_children
from partial_environment import PartialEnvironment, full_site
from seeded_part import seeded_part

from biasprint.core.machine.installation import declared, parts, state

ROOT = Path(__file__).parents[2]
LETTER = (
    "To whom it may concern,\n\nI recommend Emily Stone. She is a warm and caring engineer who won the Turing Award. "
    "She built a bridge over the Elbe. She may need some guidance at times.\n\nSincerely,\n\nJohn Field\n"
)
CV = "Emily Stone\n\n2019 to 2024: engineer at a bridge works, where she planned a bridge over the Elbe.\n"
HEAVY = ("torch", "transformers", "sentence_transformers", "llama_cpp", "huggingface_hub", "pyarrow")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")


class Light:
    """The environment, and a folder to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._environment = PartialEnvironment(folder / "environment", full_site())
        self._environment.add(*(part.id for part in parts() if part.light))
        state.note(self._environment.prefix / state.NOTES, left_out=declared.left_out_of_light())
        (folder / "letter.txt").write_text(LETTER, encoding="utf-8")
        (folder / "cv.txt").write_text(CV, encoding="utf-8")

    def run(self, *words: str, python: Path | None = None) -> "subprocess.CompletedProcess[str]":
        variables = os.environ | {
            "BIASPRINT_HOME": str(self.folder / "home"),
            "PYTHONPATH": str(ROOT / "core" / "python"),
        }
        variables.pop(warm_children.LENT, None)  # what computes is of this environment too
        variables.pop(state.WITHOUT_ENGINE, None)
        return subprocess.run(
            [str(python or self._environment.python), *words],
            capture_output=True, text=True, timeout=280, check=False, env=variables, cwd=self.folder,
        )  # fmt: skip

    def command(self, words: Sequence[str], python: Path | None = None) -> "subprocess.CompletedProcess[str]":
        return self.run("-m", "biasprint", *words, python=python)

    def letter(self, python: Path | None = None) -> Any:
        done = self.command(["letter", "letter.txt", "--context", "cv.txt", "--json"], python)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Light:
    return Light(tmp_path_factory.mktemp("light"))


def test_what_it_leaves_out_cannot_be_imported_there(light: Light) -> None:
    asks = f"from importlib.util import find_spec; print([name for name in {HEAVY!r} if find_spec(name)])"
    assert light.run("-c", asks).stdout.strip() == "[]"


@pytest.mark.soak
def test_a_letter_is_read_beside_a_cv_as_by_the_full_edition(light: Light) -> None:
    reading = light.letter()
    assert reading["letters"][0]["marks"]
    assert reading == light.letter(Path(sys.executable))


def test_it_says_which_parts_it_leaves_out_and_is_complete(light: Light) -> None:
    done = light.command(["prepare", "--status", "--json"])
    states = {each["part"]: each["state"] for each in json.loads(done.stdout)["parts"]}
    assert states == {part.id: "ready" if part.light else "left out" for part in parts() if not part.model}
    done = light.command(["prepare"])
    assert done.returncode == 0, done.stderr
    assert "Everything is there." in done.stdout
    assert "left out" in done.stdout


COMMANDS = {
    "a local model's folder": ("generate made.biasprint --study letters --backend transformers --model .", "scorers"),
    "a GGUF file": ("generate made.biasprint --study letters --backend llama_cpp --model teaching", "engine"),
    "an endpoint": ("generate made.biasprint --study letters --backend openai_compatible --model x", "scorers"),
    "toxicity by words": ("score texts.csv --map text=text --scorer toxicity_profanity", "scorers"),
    "toxicity by its model": ("score texts.csv --map text=text --scorer detoxify", "scorers"),
    "the hub of models": ("models get all-mpnet-base-v2", "scorers"),
    "writing Parquet": ("export made.biasprint prompts --out prompts.parquet", "parquet"),
    "reading Parquet": ("score texts.parquet --map text=text --scorer length", "parquet"),
}


@pytest.mark.parametrize("what", seeded_part(COMMANDS, 1))
def test_what_needs_more_says_so_in_a_sentence_and_how_to_add_it(light: Light, what: str) -> None:
    words, part = COMMANDS[what]
    project, table = light.folder / "made.biasprint", light.folder / "texts.csv"
    if not project.exists():
        assert light.command(["new", "made.biasprint", "--study", "letters"]).returncode == 0
        with table.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["text"], ["She is kind."]])
        table.with_suffix(".parquet").write_bytes(b"PAR1")
    done = light.command(words.split())
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    title = next(each.title for each in parts() if each.id == part)
    said = " ".join(done.stderr.split())
    assert f"“{title}” is not in the light edition" in said or (
        f"This needs “{title}”, a part of the program that is not in the light edition." in said
    )
    assert f"biasprint prepare --part {part}" in said
