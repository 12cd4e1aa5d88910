"""An audit file done from Python, as `biasprint run` does it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from biasprint.core.cli.audit_run import do_audit
from biasprint.core.jobs import JobContext
from biasprint.measuring import Measured, gate_table, in_words_of_python, measured_of, path_of
from biasprint.tables import Table

RUNS = ("name", "generator", "study", "set", "run", "wanted", "done", "failed", "failures", "added")
TEXTS = ("study", "source", "added", "rows", "dropped")


@dataclass(frozen=True)
class DoneAudit:
    """Outcome of an audit file. `studies`: by study, what was measured. `project`: the file that holds it all.

    `runs` and `texts`: who wrote what, and what was read, with the columns of docs/reference/audit-files.md. `undone`:
    a sentence for each part that could not be done; the rest is there. `gates`: as in `Measured`; `passed`: whether all
    hold. `reports`: the files that were written.
    """

    studies: Mapping[str, Measured]
    runs: Table
    texts: Table
    gates: Table
    undone: tuple[str, ...]
    project: Path
    reports: tuple[Path, ...]
    exit_code: int
    _answer: Mapping[str, Any]

    @property
    def passed(self) -> bool:
        return all(row["passed"] for row in self.gates)

    def __getitem__(self, study: str) -> Measured:
        return self.studies[study]

    def to_json(self) -> dict[str, Any]:
        """Return what `biasprint run --json` prints."""
        return dict(self._answer)


def run(
    file: str | PathLike[str],
    *,
    retry_failures: bool = False,
    look_anyway: bool = False,
    tell: Callable[[str], object] | None = None,
) -> DoneAudit:
    """Do a whole audit from a file (docs/reference/audit-files.md): prompts, texts, scores, findings, gates, report.

    Run again, it goes on where it was stopped. `tell`: called with a sentence as each part begins, such as `print`.
    What cannot be done is a sentence in `undone`. Raises `Error`, before anything is done, for a file that is wrong
    and for a project that cannot be written to.
    """
    done = in_words_of_python(
        lambda: do_audit(
            JobContext(),
            path_of(file).absolute(),
            tell or _nothing,
            retry_failures=retry_failures,
            look_anyway=look_anyway,
        )
    )
    return DoneAudit(
        studies={kind: measured_of(measured) for kind, measured in done.result.measured.items()},
        runs=Table(RUNS, done.answer["runs"]),
        texts=Table(TEXTS, done.answer["texts"]),
        gates=gate_table(done.result.gates),
        undone=done.undone,
        project=done.project,
        reports=done.reports,
        exit_code=done.exit_code,
        _answer=done.answer,
    )


def _nothing(sentence: str) -> None:
    """Ignore the sentence, where nobody listens."""
