"""The facts of each study: prompts, texts, and whether they have been measured; and findings saved as a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core.draw import digits
from biasprint.core.jobs import JobContext
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import plural, tr
from biasprint.desktop.wording.generators import NOBODY, StudyGenerators, study_kinds, words_of

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.project.rows import StudyRow
    from biasprint.core.report.export import ExportReport
    from biasprint.desktop.wording.findings import FindingLine


@dataclass(frozen=True)
class StudyFacts:
    """The counts of a study.

    `prompts`: without those made for an imported table; `texts`: finished ones that are measured; `new`: texts,
    originals and revealed sessions added since the last measurement.
    """

    kind: str
    title: str
    prompts: int = 0
    texts: int = 0
    measured: bool = False
    new: int = 0
    unread: int = 0  # texts that the last measure did not read
    writers: StudyGenerators = NOBODY

    @property
    def pending(self) -> bool:
        """True if measuring the study now would give results that are not known yet."""
        return self.kind in study_kinds() and self.texts > 0 and (not self.measured or self.new > 0)

    @property
    def said(self) -> str:
        """Return the counts and state: "12 letters, measured"."""
        return f"{words_of(self.kind).counted(self.texts)}, {self.state}"

    @property
    def state(self) -> str:
        if not self.measured:
            return tr("not measured yet")
        if self.unread:
            return tr("measured on {read} of {texts} texts").format(
                read=digits.count(self.texts - self.unread), texts=digits.count(self.texts)
            )
        if self.new:
            return plural(self.new, "1 new since the last measure", "%n new since the last measure")
        return tr("measured")


def study_facts(ctx: JobContext, project: "Project") -> tuple[StudyFacts, ...]:
    """Count the facts of the project's studies in short readings."""
    from biasprint.desktop.read.findings import StoredFindings

    studies = project.studies.all()  # first: one that is added meanwhile is told of at the next reading
    measured = {measurement.study: measurement for measurement in StoredFindings(project).measurements(ctx)}
    facts = []
    for study in studies:
        ctx.check()
        last = measured[study.kind]
        facts.append(
            StudyFacts(
                kind=study.kind,
                title=last.title,
                prompts=_prompts(project, study),
                texts=last.texts,
                measured=bool(last.measured_at),
                new=last.new_texts + last.new_originals + last.new_sessions,
                unread=last.new_texts + last.left_out,
                writers=last.writers,
            )
        )
    return tuple(facts)


def _prompts(project: "Project", study: "StudyRow") -> int:
    sets = project.prompts.sets(study.id)
    return sum(project.prompts.count(prompt_set.id) for prompt_set in sets if "imported" not in prompt_set.recipe)


ENDINGS = ("xlsx", "csv", "jsonl", "parquet")


def save_findings(*, lines: "Sequence[FindingLine]", path: Path) -> "Operation[ExportReport]":
    """Write findings to a csv, jsonl, xlsx or parquet file, in the columns of `biasprint export`."""

    def work(ctx: JobContext) -> "ExportReport":
        from biasprint.core.report.export import export_rows
        from biasprint.core.texts.exporting import FINDING, finding_row

        rows = (finding_row(line.finding, line.study, line.recipe) for line in lines)
        return export_rows(rows, path, FINDING, ctx=ctx, total=len(lines))

    return Operation(tr("Saving “{name}”").format(name=path.name), work, _saved)


def save_judgments(*, project: "Project", path: Path) -> Operation[str]:
    """Write the judgments of revealed sessions, in the columns of `biasprint export`; json: LLM Comparator's format."""

    def work(ctx: JobContext) -> str:
        from biasprint.core.report.export import export_rows

        if path.suffix.lower() == ".json":
            return _comparator_files(ctx, project, path)
        from biasprint.core.texts.exporting import columns, open_sessions, rows

        report = export_rows(rows(ctx, project, "judgments"), path, columns(project, "judgments"), ctx=ctx)
        count = plural(report.rows, "1 judgment is", "%n judgments are")
        words = [tr("{rows} in “{name}”.").format(rows=count, name=path.name), *report.notices()]
        if blind := open_sessions(project):
            words.append(
                plural(blind, "1 session stays out until its reveal.", "%n sessions stay out until their reveal.")
            )
        return " ".join(words)

    return Operation(tr("Saving “{name}”").format(name=path.name), work, lambda said: said)


def _comparator_files(ctx: JobContext, project: "Project", path: Path) -> str:
    from biasprint.core.runs.comparator import write_comparator

    written = write_comparator(ctx, project, path)
    ratings = plural(sum(file.ratings for file in written), "1 judgment is", "%n judgments are")
    names = tr(", ").join(f"“{file.path.name}”" for file in written)
    return tr("{rows} in {names}, one file for each pair.").format(rows=ratings, names=names)


def bring_in_judgments(*, project: "Project", path: Path) -> Operation[str]:
    """Import a file of LLM Comparator: texts, a plan, raters and judgments."""

    def work(ctx: JobContext) -> str:
        from biasprint.core.runs.comparator import store_comparator

        stored = store_comparator(ctx, project, path)
        left = sum(stored.left_out.values())
        words = [
            tr("{judgments} in a plan of {comparisons}.").format(
                judgments=plural(stored.judgments, "1 judgment is new", "%n judgments are new"),
                comparisons=plural(stored.comparisons, "1 comparison", "%n comparisons"),
            )
        ]
        if left:
            reasons = tr("; ").join(stored.left_out)
            words.append(tr("{n} left out: {reasons}.").format(n=left, reasons=reasons))
        return " ".join(words)

    return Operation(tr("Bringing in “{name}”").format(name=path.name), work, lambda said: said)


REPORT_ENDINGS = ("html", "pdf", "md", "tex")


def save_study_report(*, project: "Project", study: str, path: Path, whole: bool = True) -> Operation[None]:
    """Write what was found in a study, by the ending: who was audited, its questions answered, and, where `whole`,
    every finding."""

    def work(ctx: JobContext) -> None:
        from biasprint.core import compute
        from biasprint.core.report.audit import write_study_report
        from biasprint.core.runs.reporting import audited

        compute.shared().call(write_study_report, path, replace(audited(project, study), whole=whole), ctx=ctx)

    done = tr("The report is in “{name}”.").format(name=path.name)
    return Operation(tr("Writing “{name}”").format(name=path.name), work, done)


def save_audit(*, project: "Project", path: Path) -> Operation[None]:
    """Write the questions, the models and the way of measuring as an audit file, which “biasprint run” repeats."""

    def work(ctx: JobContext) -> None:
        from biasprint.core.machine.files import write_whole
        from biasprint.core.runs.audit.reading import saved_audit

        write_whole(path, saved_audit(ctx, project, path).encode("utf-8"))

    done = tr("The audit is in “{name}”: “biasprint run {name}” does it again.").format(name=path.name)
    return Operation(tr("Writing “{name}”").format(name=path.name), work, done)


@dataclass(frozen=True)
class SignedFolder:
    """An evidence pack that was made or verified, in sentences; `fingerprint`: of the key that signed it."""

    said: str
    more: str
    fingerprint: str


def make_evidence_pack(*, project: "Project", folder: Path, whole: bool) -> Operation[SignedFolder]:
    """Make a signed folder of reports, findings, recipes and pages; `whole`: with the texts, else with their hashes."""

    def work(ctx: JobContext) -> SignedFolder:
        from biasprint.core import compute
        from biasprint.core.runs.pack.making import make_pack

        made = make_pack(ctx, project, folder, compute.shared(), whole=whole)
        said = tr("The evidence pack is in “{name}”.").format(name=folder.name)
        more = tr("The fingerprint of your key is {fingerprint}. Tell it by another way than the folder goes.")
        sentences = [more.format(fingerprint=made.signed.fingerprint), *made.stale]
        return SignedFolder(said, " ".join(sentences), made.signed.fingerprint)

    return Operation(tr("Making “{name}”").format(name=folder.name), work, tr("The evidence pack is signed."))


def verify_evidence_pack(*, folder: Path) -> Operation[SignedFolder]:
    """Check that a pack is as it was signed; nothing in it is opened."""

    def work(ctx: JobContext) -> SignedFolder:
        from biasprint.core.runs.pack.signing import verify_pack

        sound = verify_pack(folder)
        files = plural(sound.files, "1 file is", "%n files are")
        said = tr("{files} in “{name}” as they were signed.").format(files=files, name=folder.name)
        more = tr("The key’s fingerprint is {fingerprint}. Anybody can sign: compare it with the sender’s.")
        return SignedFolder(said, more.format(fingerprint=sound.fingerprint), sound.fingerprint)

    return Operation(tr("Verifying “{name}”").format(name=folder.name), work, tr("The evidence pack is as signed."))


def _saved(report: "ExportReport") -> str:
    rows = plural(report.rows, "1 finding is", "%n findings are")
    return " ".join([tr("{rows} in “{name}”.").format(rows=rows, name=report.path.name), *report.notices()])
