"""A project file from Python: what it holds, as tables, and its findings."""

import json
import warnings
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Unpack

from biasprint.core.cli.console import check_target, open_for_writing
from biasprint.core.compute import shared
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.looking import note_shown, record_look, refusal_to_show, sessions_to_ask
from biasprint.core.project.changes import Changes
from biasprint.core.project.left_out import in_words
from biasprint.core.project.project import Project as Store
from biasprint.core.report.audit import ENDINGS, write_study_report
from biasprint.core.runs.measure import MeasuredStudy, measure_project
from biasprint.core.runs.reporting import audited, only_measured
from biasprint.core.runs.sample import unpack_sample
from biasprint.core.runs.setup import study_of
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts import exporting
from biasprint.measuring import How, Measured, columns_of, measured, path_of
from biasprint.tables import Findings, Table


def open(path: str | PathLike[str], *, read_only: bool = True, look_anyway: bool = False) -> "Project":
    """Open a project file, to be read unless `read_only` is False; then `measure` stores its findings in it.

    In the middle of somebody's rating on this machine, what names identities is not read, unless by `look_anyway`:
    then that look is recorded, and the answers after it count as seen.

    Raises `Error` for a file that is missing, no project or of a newer version.
    """
    place = path_of(path)
    store = _opened(place) if read_only else open_for_writing(place)
    return Project(store, look_anyway)


def _opened(place: Path) -> Store:
    """Open a project to be read; rows that are met damaged are left out, with a warning."""
    store = Store.open(place, read_only=True)

    def warn(_: Changes) -> None:
        if store.left_out:
            stop()
            warnings.warn(in_words(place.name, store.left_out), stacklevel=2)

    stop = store.subscribe(warn)
    return store


def sample(path: str | PathLike[str]) -> "Project":
    """Write the sample project that ships with the program to a new file, and open it to be read."""
    place = path_of(path)
    if place.exists():
        raise AppError(
            f"There is a file “{place.name}” already.", kept="It was not changed.", hint="Choose another name."
        )
    unpack_sample(place)
    return open(place)


class Project:
    """An open project, made by `biasprint.open`. `with` closes it; so does the end of the program."""

    def __init__(self, store: Store, look_anyway: bool) -> None:
        self._store = store
        self._look_anyway = look_anyway

    @property
    def path(self) -> Path:
        return self._store.path

    @property
    def read_only(self) -> bool:
        return bool(self._store.read_only)

    @property
    def studies(self) -> tuple[str, ...]:
        """The studies in it, such as "letters"."""
        return tuple(dict.fromkeys(study.kind for study in self._store.studies.all()))

    def prompts(self, study: str | None = None) -> Table:
        """Every prompt of every set, of all studies or of one."""
        return self._table("prompts", study)

    def outputs(self, study: str | None = None) -> Table:
        """Every text, written or imported, with its prompt's fields and its generator; failures have no text."""
        return self._table("outputs", study)

    def scores(self, study: str | None = None) -> Table:
        """Every score. `values` is a list of numbers, as the scorer's kind says; `summary` one number, or None."""
        table = self._table("scores", study)
        return Table(table.columns, [{**row, "values": json.loads(row["values"])} for row in table])

    def judgments(self, study: str | None = None, *, superseded: bool = False) -> Table:
        """The judgments of revealed sessions that are in force; with `superseded` every one that was made."""
        return self._table("judgments", study, superseded=superseded)

    def findings(self, study: str | None = None) -> Findings:
        """The findings that are stored in it; none before it was measured."""
        self._look("findings")
        self._check(study)
        rows = self._store.findings.all(study)
        return Findings([row.finding for row in rows], {row.study: row.recipe for row in rows})

    def measure(self, study: str, *, columns: Mapping[str, str] | None = None, **how: Unpack[How]) -> Measured:
        """Measure what it holds of a study; see `biasprint.measure`. Texts without the scores it needs get them.

        `columns`: field → the column of the prompts that it is read from. The findings are stored in the project where
        it is open for writing.
        """
        self._look("measure")

        def work(options: MeasureOptions) -> MeasuredStudy:
            asked = replace(options, columns=columns_of(columns))
            return measure_project(JobContext(), self._store, study, asked, shared())

        return measured(study, how, work)

    def report(self, path: str | PathLike[str], study: str | None = None) -> None:
        """Write what was found in a study to a file, by its ending: html, pdf, md (Markdown) or tex (LaTeX).

        `study` is needed where several were measured. Nothing is measured again; what is stale is said on page one.
        """
        place = path_of(path).absolute()  # the process that writes it may stand in another folder
        check_target(place, ENDINGS, [self.path])
        self._look("report")
        self._check(study)
        about = audited(self._store, study or only_measured(self._store))
        shared().call(write_study_report, place, about)

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> "Project":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Biasprint project “{self.path.name}”: {', '.join(self.studies) or 'empty'}>"

    def _table(self, what: exporting.What, study: str | None, **options: bool) -> Table:
        self._look(what)
        self._check(study)
        rows = list(exporting.rows(JobContext(), self._store, what, study, **options))
        return Table(exporting.columns(self._store, what, study), rows)

    def _check(self, study: str | None) -> None:
        if study is not None:
            study_of(self._store, study)

    def _look(self, what: str) -> None:
        """Raise `AppError` in the middle of a rating; a look all the same is written down first."""
        asked = sessions_to_ask(self._store)
        if asked and not self._look_anyway:
            raise refusal_to_show(asked, what, "open it with look_anyway=True")
        note_shown(self._store, f"biasprint.open: {what}")
        if not asked:
            return
        if not self._store.read_only or not any(session.here for session in asked):
            record_look(self._store, f"biasprint.open: {what}")
            return
        self._store.close()  # a file is open once in a process
        try:
            with open_for_writing(self.path) as writable:
                record_look(writable, f"biasprint.open: {what}")
        finally:
            self._store = _opened(self.path)
