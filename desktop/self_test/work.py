"""The work of the self-test: writing, scoring and measuring, each as the window has it done."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.compute import models, shared
from core.jobs import JobContext
from desktop.self_test.hand import Hand
from desktop.self_test.telling import Failed, step

if TYPE_CHECKING:
    from core.project.project import Project

LETTERS = 6  # that each writer writes


def write_and_score(hand: Hand) -> None:
    from core.backends.registry import known
    from core.scorers.registry import describe

    writers = {info.name: info.unavailable for info in known()}
    texts: list[str] = []
    for backend, model in (("synthetic", "medium"), ("llama_cpp", "teaching")):
        with step(f"generate with {backend}") as facts:
            if writers[backend]:
                facts.append(f"left out: {writers[backend]}")
                continue
            written = hand.job(lambda ctx, b=backend, m=model: _write(ctx, hand.project, b, m))
            texts += written
            facts.append(f"{len(written)} letters, {sum(map(len, written)):,} characters")
    for info in describe():
        with step(f"score with {info.name}") as facts:
            if info.unavailable:
                facts.append(f"left out: {info.unavailable}")
            else:
                facts.append(hand.job(lambda ctx, info=info: _score(ctx, info.name, info.role, texts)))


def _write(ctx: JobContext, project: "Project", backend: str, model: str) -> list[str]:
    from core.prompts import letters_context_less_set
    from core.runs.generate import generate, start_run
    from core.runs.setup import generator_spec, store_set

    whole = letters_context_less_set()
    few = store_set(project, "letters", replace(whole, name="Self-test", prompts=whole.prompts[:LETTERS]))
    spec = generator_spec(backend, model, {}, models(), ctx=ctx)
    run = start_run(project, prompt_set_id=few.set_id, generator=spec, seed=1)
    written = generate(ctx, project, run, models())
    rows = [row.text for row in project.outputs.page() if row.run_id == run]
    if (written.done, written.failed, len(rows)) != (LETTERS, 0, LETTERS) or not all(rows):
        raise Failed(f"{written.done} of {LETTERS} letters were written.")
    return rows


def _score(ctx: JobContext, name: str, role: str, texts: list[str]) -> str:
    from core.scorers.entailment import pair

    read = [pair(text, text[:80]) for text in texts] if role == "entailment" else texts
    _, values = shared().call("core.scorers.registry:score_batch", name, read, ctx=ctx)
    if len(values) != len(texts) or not any(value.values.size for value in values):
        raise Failed(f"The scorer “{name}” gave no values.")
    return f"{len(values)} texts, {values[0].values.size} numbers for the first"


def measure(ctx: JobContext, project: "Project", folder: Path, facts: list[str]) -> None:
    from core.report.export import export_rows
    from core.report.html import write_report
    from core.runs.exporting import columns, rows
    from core.runs.measure import measure_project
    from core.runs.measure.options import Options

    for study in ("letters", "creativity"):
        measured = measure_project(ctx, project, study, Options(), shared())
        defined = sum(finding.estimate is not None for finding in measured.result.findings)
        if not defined:
            raise Failed(f"Nothing of {study} could be measured.")
        write_report(measured.result, folder / f"{study}.html", title=study, recipe=measured.recipe)
        facts.append(f"{defined} findings of {study}")
    for ending in ("xlsx", "parquet"):
        export_rows(rows(ctx, project, "findings"), folder / f"findings.{ending}", columns(project, "findings"))
    facts.append("reports and tables written")
