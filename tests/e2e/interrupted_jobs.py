"""Commands that a trouble ends: what they kept is right, and the same command does the rest and nothing twice."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli_support import Answer, biasprint, outputs_of
from test_cli_killed_compute import SCORER, scores_of

from biasprint.core.backends.llama_cpp.template import around
from biasprint.core.compute import models, quick, shared
from biasprint.core.letters import files


@dataclass(frozen=True)
class Interrupted:
    """`job` begins anew on a copy of a project; `check` looks at what its answer left, and has it finished."""

    job: Callable[[], Answer]
    check: Callable[[Answer], None]


def end_children() -> None:
    for each in (shared(), models(), quick(), files._process()):
        each.close()
    around.cache_clear()


def scoring(study_file: Path, folder: Path) -> Interrupted:
    def added(file: Path) -> int:
        return sum(entry["added"] for entry in biasprint("score", file, "--scorer", SCORER, "--json").json)

    return _interrupted(
        study_file, folder, lambda file: biasprint("score", file, "--scorer", SCORER, code=None), added, scores_of
    )


def generating(study_file: Path, folder: Path) -> Interrupted:
    write = ("--study", "creativity", "--backend", "synthetic", "--model", "small", "--seed", 9)

    def added(file: Path) -> int:
        return int(biasprint("generate", file, *write, "--json").json["added"])

    return _interrupted(
        study_file, folder, lambda file: biasprint("generate", file, *write, code=None), added, outputs_of
    )


def _interrupted(
    study_file: Path,
    folder: Path,
    begin: Callable[[Path], Answer],
    finish: Callable[[Path], int],
    kept_in: Callable[[Path], dict[Any, Any]],
) -> Interrupted:
    """`finish` returns how many it added to what is kept in a project."""
    whole = Path(shutil.copy(study_file, folder / "whole.biasprint"))
    finish(whole)
    everything, file = kept_in(whole), folder / "interrupted.biasprint"

    def job() -> Answer:
        shutil.copy(study_file, file)
        return begin(file)

    def check(answer: Answer) -> None:
        kept = kept_in(file)
        assert kept.items() <= everything.items()
        assert answer.code == 1 or kept == everything
        assert finish(file) == len(everything) - len(kept)
        assert kept_in(file) == everything

    return Interrupted(job, check)
