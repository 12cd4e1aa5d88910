"""Making an evidence pack of a project: its reports, findings, recipes, texts or their hashes, and pages for others."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from biasprint import core
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.language import tr
from biasprint.core.machine.files import not_written, whole_folder
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextKey
from biasprint.core.report.audit import Audited, answer_json, report_bytes, write_study_report
from biasprint.core.report.impact import ImpactTable, OutcomeColumn, impact_report, impact_tables, of_rates, to_json
from biasprint.core.runs.audit.gates import Gate, GateResult, hold, junit_xml
from biasprint.core.runs.audit.reading import saved_audit
from biasprint.core.runs.certify import page_of_certificate, stored_certificates
from biasprint.core.runs.measure import texts_of_study
from biasprint.core.runs.pack.pages import PackedText, evaluations, methods, model_card, packed_texts, read_me, samples
from biasprint.core.runs.pack.signing import SignedPack, own_fingerprint, sign_pack
from biasprint.core.runs.reporting import audited, measured_studies
from biasprint.core.scorers.registry import describe
from biasprint.core.studies.compare.texts import DEFAULT, GROUP, SECOND, ComparedText, compared_texts, title_of
from biasprint.core.tables.rows import read_numbers
from biasprint.core.texts.values import stored_summaries

FORMAT, VERSION = "biasprint evidence pack", 1
README, ABOUT = "README.md", "about.json"
SAMPLES = "_samples.jsonl"


@dataclass(frozen=True)
class MadePack:
    """`folder`: where it is; `gates`: their results; `stale`: a sentence for each study with new texts."""

    folder: Path
    signed: SignedPack
    studies: tuple[str, ...]
    texts: int
    gates: tuple[GateResult, ...] = ()
    stale: tuple[str, ...] = ()


def make_pack(
    ctx: JobContext,
    project: Project,
    folder: Path,
    compute: ComputeProcess,
    *,
    whole: bool = False,
    gates: Sequence[Gate] = (),
) -> MadePack:
    """Write the pack of a project's measured studies into a new folder and sign it; whole, or not at all.

    `whole`: with the texts, else with their hashes. `gates`: held against the stored findings. Raises `AppError` where
    nothing was measured, and for a folder that holds something.
    """
    _check_target(folder, project)
    kinds = measured_studies(project)
    if not kinds:
        raise AppError("Nothing was measured in this project yet.", hint="Measure a study first, then make its pack.")
    studies = [audited(project, kind) for kind in kinds]
    try:
        with whole_folder(folder) as part:
            work = _Writing(ctx, project, part, compute, tuple(studies), whole)
            held = hold(gates, [finding for of in studies for finding in of.findings], asked_here=True)
            texts = work.write(held)
            signed = sign_pack(part)
    except OSError as error:
        raise not_written(folder, error) from error
    stale = tuple(of.stale for of in studies if of.stale)
    return MadePack(folder, signed, tuple(kinds), texts, tuple(held), stale)


def _check_target(folder: Path, project: Project) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise AppError(f"“{folder.name}” is no folder.", hint="Name a new folder for the pack.")
    if folder.is_dir() and (os.path.samefile(folder, project.path.parent) or any(folder.iterdir())):
        raise AppError(f"The folder “{folder.name}” is not empty.", hint="Name a new folder for the pack.")
    if not folder.absolute().parent.is_dir():
        raise AppError(f"There is no folder “{folder.absolute().parent}”.", hint="Make it first, or choose another.")


class _Writing:
    """The files of a pack, written one after the other. `contents`: file → what it is, for the read-me."""

    def __init__(
        self, ctx: JobContext, project: Project, folder: Path, compute: ComputeProcess, studies: tuple[Audited, ...],
        whole: bool,
    ) -> None:  # fmt: skip
        self._ctx, self._project, self._folder, self._compute = ctx, project, folder, compute
        self._studies, self._whole = studies, whole
        self._contents: dict[str, str] = {}

    def write(self, gates: Sequence[GateResult]) -> int:
        """Write all files; return how many texts, or hashes of texts, are in the pack."""
        for of in self._studies:
            self._report(of)
            self._plan(of)
        self._recipes()
        self._audit_file()
        what = "each text with its prompt and hash" if self._whole else "the hashes of each text and of its prompt"
        texts: list[PackedText] = []  # what else needs them; none where they do not leave the house
        written_by: dict[TextKey, str] = {}
        self._lines("texts.jsonl", what, self._text_lines(texts, written_by))
        scores = kept_scores(self._project)
        self._impact(scores, written_by)
        page, bibliography = methods(self._studies)
        self._text("methods.md", "how it was measured, in sentences, with the sources of each measure", page)
        self._text("references.bib", "these sources, for BibTeX", bibliography)
        self._text(
            "model_card.md", "a section on bias for a model card, with its model-index", model_card(self._studies)
        )
        self._every_eval_ever(texts, scores)
        self._certificates()
        if gates:
            self._bytes("gates.xml", "the gates and whether each held, as JUnit", junit_xml(gates))
        self._about(len(written_by), gates)
        self._text(README, "", tr(read_me(self._contents, own_fingerprint(), whole=self._whole)))
        return len(written_by)

    def _text_lines(self, texts: list[PackedText], written_by: dict[TextKey, str]) -> Iterator[Mapping[str, Any]]:
        for text in packed_texts(self._ctx, self._project):
            written_by[text.key] = text.written_by
            if self._whole:
                texts.append(text)
            yield text.to_json(whole=self._whole)

    def _report(self, of: Audited) -> None:
        name = f"report-{of.study}.html"
        self._compute.call(write_study_report, self._folder / name, of, ctx=self._ctx)
        self._contents[name] = f"the report on {of.texts.lower()}"
        recipe = of.recipe
        result = StudyResult(of.study, int(recipe.get("rows", 0)), dict(recipe.get("left_out", {})), of.findings)
        self._json(f"findings-{of.study}.json", "its findings, as “measure --json” prints them",
                   result.to_json() | answer_json(of))  # fmt: skip

    def _plan(self, of: Audited) -> None:
        """Write each locked analysis plan to the letter, so that its file has the hash that was published."""
        for number, lock in enumerate(of.plan.locks if of.plan else (), start=1):
            name = f"analysis-plan-{of.study}{'' if number == 1 else f'-{number}'}.toml"
            self._bytes(name, f"the analysis plan as it was locked, SHA-256 {lock.sha256}", lock.text.encode("utf-8"))

    def _recipes(self) -> None:
        recipes = {
            of.study: {
                "recipe": of.recipe, "measured_at": self._measured_at(of), "stale": of.stale,
                "generators": list(of.generators),
                "prompts": [{"name": asked.name, "version": asked.version, "n": asked.n, "sha256": asked.sha256}
                            for asked in of.asked],
            }
            for of in self._studies
        }  # fmt: skip
        self._json("recipes.json", "what is needed to measure each study again", recipes)

    def _measured_at(self, of: Audited) -> str:
        last = self._project.findings.last(of.study)
        return last.created_at if last is not None else ""

    def _audit_file(self) -> None:
        try:
            # As it has to be beside the project: what it writes would not be in the list that is signed.
            text = saved_audit(self._ctx, self._project, self._project.path.with_name("audit.toml"))
        except AppError:
            return  # there is nothing that “biasprint run” could do again
        self._text("audit.toml", "the audit for “biasprint run”: copy it beside the project", text)

    def _impact(self, scores: Mapping[str, Mapping[TextKey, float]], written_by: Mapping[TextKey, str]) -> None:
        tables = {of.study: list(impact_of(self._project, of, scores, written_by)) for of in self._studies}
        tables = {study: own for study, own in tables.items() if own}
        if not tables:
            return
        self._json("impact.json", "rates and impact ratios by group, as Local Law 144 defines them",
                   {study: [to_json(table) for table in own] for study, own in tables.items()})  # fmt: skip
        titles = {of.study: of.texts for of in self._studies}
        for study, own in tables.items():
            report = impact_report(own, f"{titles[study]}, {self._project.path.stem}", (TEXTS_ARE_ROWS,))
            self._bytes(f"impact-{study}.html", "the same tables to read", report_bytes(report, ".html"))

    def _every_eval_ever(self, texts: Sequence[PackedText], scores: Mapping[str, Mapping[TextKey, float]]) -> None:
        of_text: dict[TextKey, dict[str, float]] = {}
        for name, values in scores.items():
            for key, value in values.items():
                of_text.setdefault(key, {})[name] = value
        for of in self._studies:
            kind = texts_of_study(of.recipe, of.study)
            for generator, made in evaluations(of, self._measured_at(of)):
                own = [text for text in texts if text.study == kind and text.written_by == generator["name"]]
                content = dict(made.content)
                if self._whole and own:
                    counted = {name: sum(name in of_text.get(text.key, ()) for text in own) for name in scores}
                    scored = max(counted, key=lambda name: counted[name], default="")
                    path = made.path.removesuffix(".json") + SAMPLES
                    self._lines(f"every_eval_ever/{path}", "", samples(made, own, of_text, scored))
                    content["detailed_evaluation_results"] = {
                        "format": "jsonl", "file_path": path, "hash_algorithm": "sha256", "total_rows": len(own),
                    }  # fmt: skip
                self._json(f"every_eval_ever/{made.path}", "", content)
                self._contents["every_eval_ever"] = "findings of each generator in the format of Every Eval Ever"

    def _certificates(self) -> None:
        for number, made in enumerate(stored_certificates(self._ctx, self._project, self._compute), start=1):
            name = f"judge-certificate-{number}"
            self._json(f"{name}.json", f"what {made.model} was found to do as a judge", made.to_json())
            page = self._compute.call(report_bytes, page_of_certificate(made), ".html", ctx=self._ctx)
            self._bytes(f"{name}.html", "the same on one page", page)

    def _about(self, texts: int, gates: Sequence[GateResult]) -> None:
        about = {
            "format": FORMAT, "version": VERSION, "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "made_by": f"Biasprint {core.__version__}", "project": self._project.path.stem,
            "studies": [of.study for of in self._studies], "texts": texts,
            "texts_are": "whole" if self._whole else "hashes", "gates": [gate.to_json() for gate in gates],
            "contents": {name: what for name, what in self._contents.items() if what},
        }  # fmt: skip
        self._json(ABOUT, "when and from what the pack was made", about)

    # files

    def _text(self, name: str, what: str, text: str) -> None:
        self._bytes(name, what, text.encode("utf-8", "backslashreplace"))

    def _json(self, name: str, what: str, value: Any) -> None:
        self._text(name, what, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False, default=str) + "\n")

    def _lines(self, name: str, what: str, rows: Iterable[Mapping[str, Any]]) -> None:
        path = self._new(name, what)
        with path.open("wb") as file:
            for row in rows:
                self._ctx.check()
                line = json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
                file.write(line.encode("utf-8", "backslashreplace"))

    def _bytes(self, name: str, what: str, content: bytes) -> None:
        self._new(name, what).write_bytes(content)

    def _new(self, name: str, what: str) -> Path:
        self._ctx.step(len(self._contents), note=name)
        if what:
            self._contents[name] = what
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


# ---- Scores and impact ratios of texts

TEXTS_ARE_ROWS = (
    "A row is a text, not a person: rates say how texts written for each group fare, by scores that a program gave. "
    "Samples of one prompt are alike, so that intervals are narrower than they should be."
)


def kept_scores(project: Project) -> dict[str, dict[TextKey, float]]:
    """Return the stored number of each text, by scorer; of scorers with one number for a text."""
    known = {(info.name, info.version): info for info in describe()}
    scores = {}
    for name, version, _ in project.scores.known():
        info = known.get((name, version))
        if info is None or info.role == "embedding":
            continue
        values = {key: value for key, value in stored_summaries(project, info).items() if value is not None}
        if values:
            scores[name] = values
    return scores


def impact_of(
    project: Project, of: Audited, scores: Mapping[str, Mapping[TextKey, float]], written_by: Mapping[TextKey, str]
) -> Iterator[ImpactTable]:
    """Yield tables of what was selected, by the findings; and of each stored score by the groups of each generator's
    texts: by each axis of their prompts, else by the columns for groups.
    """
    yield from of_rates(of.findings)
    study = project.studies.of_kind(texts_of_study(of.recipe, of.study))
    texts = compared_texts(project, study.id) if study is not None else []
    axes = [axis for axis in project.axes.latest() if any(axis in text.fields for text in texts)]
    by: list[tuple[str, ...]] = [(axis,) for axis in axes] or [(GROUP, SECOND)]
    for columns in by:
        for name in dict.fromkeys(written_by.get(text.key, "") for text in texts):
            own = [
                text for text in texts
                if written_by.get(text.key, "") == name and (not axes or columns[0] in text.fields)
            ]  # fmt: skip
            groups = {column: [_group(text, column) for text in own] for column in columns}
            if any(len(set(cells) - {""}) > 1 for cells in groups.values()):
                yield from impact_tables(groups, list(_scored(own, scores, name)))


def _group(text: ComparedText, column: str) -> str:
    """Return the group of a text; empty for the prompt that names nobody."""
    value = text.fields.get(column, "")
    return "" if value == DEFAULT else value


def _scored(
    texts: Sequence[ComparedText], scores: Mapping[str, Mapping[TextKey, float]], writer: str
) -> Iterator[OutcomeColumn]:
    """Yield the column “score” of imported texts, and each scorer's numbers; shares of yes are in the findings."""
    yes_or_no = {info.name for info in describe() if info.yes_or_no}
    given = read_numbers("score", [text.fields.get("score", "") for text in texts]).values
    columns = {"score": list(given)} | {
        title_of(name): [values.get(text.key, np.nan) for text in texts]
        for name, values in scores.items()
        if name not in yes_or_no
    }
    for label, numbers in columns.items():
        without = sum(value != value for value in numbers)
        if without < len(numbers):
            why = {"no score": without} if without else {}
            yield OutcomeColumn(", ".join(filter(None, (label, writer))), "scoring", np.array(numbers), why)
