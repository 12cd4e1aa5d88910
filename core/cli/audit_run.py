"""An audit file done from its first line to its report: for “biasprint run” and for `biasprint.run` in Python."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasprint.core.cli import console
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.report.audit import Audited
    from biasprint.core.runs.audit.doing import AuditResult
    from biasprint.core.runs.audit.file import Audit

ANSWERS = (".json",)
Tell = Callable[[str], object]


@dataclass(frozen=True)
class AuditAnswer:
    """What an audit file came to. `answer`: as JSON; `undone`: a sentence for each part that could not be done."""

    result: "AuditResult"
    answer: dict[str, Any]
    undone: tuple[str, ...]
    project: Path
    reports: tuple[Path, ...]

    @property
    def exit_code(self) -> int:
        return self.result.exit_code or int(bool(self.undone))


def do_audit(
    ctx: JobContext, file: Path, tell: Tell, *, retry_failures: bool = False, look_anyway: bool = False
) -> AuditAnswer:
    """Do what the file says and write what it wants written. `tell`: called with a sentence as each part begins.

    Raises `AppError` before anything is done, where the file is wrong or its project cannot be written to.
    """
    from biasprint.core.compute import models, shared
    from biasprint.core.machine import keys
    from biasprint.core.report.audit import answer_json
    from biasprint.core.runs.audit.doing import AuditRun
    from biasprint.core.runs.audit.reading import read_audit
    from biasprint.core.runs.reporting import audited_now

    audit, digest = read_audit(file)
    _check_outputs(audit, file)
    with _project_of(audit, look_anyway) as project:
        work = AuditRun(project, audit, models(), shared(), keys.session_keys(), tell)
        result = work(ctx, retry_failures=retry_failures)
        studies = [audited_now(one, project, title=audit.title) for one in result.measured.values()]
    undone = list(result.undone)
    reports = [path for one in studies if (path := _report(ctx, audit, one, len(studies), undone, tell))]
    about = {"file": file.name, "sha256": digest, "title": audit.title, "project": audit.outputs.project.name}
    written = {"report": [path.name for path in reports]}
    answers = [
        one.result.to_json() | answer_json(of) for one, of in zip(result.measured.values(), studies, strict=True)
    ]
    answer = {**result.to_json(), "studies": answers, "audit": about, "undone": list(undone), "outputs": written}
    if audit.outputs.json_:
        _write_answer(audit.outputs.json_, answer, undone)
    return AuditAnswer(result, answer, tuple(undone), audit.outputs.project, tuple(reports))


def _check_outputs(audit: "Audit", file: Path) -> None:
    from biasprint.core.report.audit import ENDINGS

    console.new_path(audit.outputs.project)
    for path, endings in ((audit.outputs.json_, ANSWERS), (audit.outputs.report, ENDINGS)):
        if path is not None:
            console.check_target(path, endings, [file, audit.outputs.project])


def _project_of(audit: "Audit", look_anyway: bool) -> "Project":
    """The project that the audit is done in: made where there is none."""
    from biasprint.core.project.project import Project

    path = audit.outputs.project
    if not path.exists():
        return Project.create(path)
    console.open_for_writing(path).close()  # it says so where it cannot be written to
    return console.open_to_look(path, look_anyway, "run", measuring=True)


def _report(
    ctx: JobContext, audit: "Audit", about: "Audited", studies: int, undone: list[str], tell: Tell
) -> Path | None:
    """Write the report of a study, where one is wanted; its file."""
    from biasprint.core.report.audit import write_study_report

    path = audit.outputs.report
    if path is None:
        return None
    path = path if studies == 1 else path.with_stem(f"{path.stem}-{about.study}")
    if not _try(undone, path, lambda to: write_study_report(to, about, ctx)):
        return None
    tell(f"The report is in {path}.")
    return path


def _write_answer(path: Path, answer: dict[str, Any], undone: list[str]) -> None:
    from biasprint.core.report.whole_file import write_whole

    text = json.dumps(answer, indent=1, ensure_ascii=False, allow_nan=False)
    _try(undone, path, lambda to: write_whole(to, text.encode("utf-8", "replace")))


def _try(undone: list[str], path: Path, write: Callable[[Path], object]) -> bool:
    """Write a file, in a folder that is made for it; a failure is a sentence, for the findings are there by now."""
    try:
        with suppress(OSError):  # what writes says why it cannot
            path.parent.mkdir(parents=True, exist_ok=True)
        write(path)
    except AppError as error:
        undone.append(str(error))
        return False
    return True
