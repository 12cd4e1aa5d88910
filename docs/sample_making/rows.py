"""What a model wrote as rows, one JSON document a line: the recipe first, then an output or a reply each."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.writing import BUILD

Row = dict[str, Any]
DECIMALS = 4  # of log-likelihoods, as they are kept


def outputs_of(project: Project, study: str, model: str) -> list[Row]:
    """The recipe of a model's run for a study, and its outputs. Raises `AppError` where some are missing."""
    generators = project.runs.generators()
    known = project.studies.of_kind(study)
    run = next(
        row
        for row in project.runs.all()
        if known and row.study_id == known.id and generators[row.generator_id].model == model
    )
    check_whole(project.runs.counts(run.id).missing)
    generator = generators[run.generator_id]
    prompts = next(row for row in project.prompts.sets(run.study_id) if row.id == run.prompt_set_id)
    found = list(project.outputs.each(OutputFilter(run_id=run.id)))
    recipe = {
        "generator": {
            "backend": generator.backend,
            "model": generator.model,
            "parameters": dict(generator.parameters),
            "revision": generator.revision,
        },
        "seed": run.seed,
        "samples": run.samples,
        "prompts": {"name": prompts.name, "sha256": prompts.sha256},
        "program_version": run.program_version,
        "begun": run.created_at,
        "builds": sorted({str(row.detail.get(BUILD, "")) for row in found}),
    }
    return [recipe, *(_output(row) for row in found)]


def _output(row: OutputRow) -> Row:
    """A build is in the recipe; the seed follows from the run's. The time it took is no property of the text."""
    kept = {"error": row.error, "failure": row.failure} if row.status == "error" else {}
    detail = {name: value for name, value in row.detail.items() if name != BUILD}
    return {
        "key": row.prompt_key, "sample": row.sample, "text": row.text, "ended": row.finish_reason, **kept,
        **({"detail": _rounded(detail)} if detail else {}),
    }  # fmt: skip


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _rounded(each) for key, each in value.items()}
    return round(value, DECIMALS) if isinstance(value, float) else value


def check_whole(missing: int) -> None:
    if missing:
        raise AppError(
            f"{missing:,} outputs are missing.", kept="What is there is kept.", hint="Start the same command again."
        )


def packed(rows: Sequence[Row]) -> bytes:
    """Rows as they are kept; the same rows give the same bytes."""
    lines = (json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n" for row in rows)
    return gzip.compress("".join(lines).encode("utf-8"), 9, mtime=0)


def read_rows(file: Path) -> list[Row]:
    """Rows as they are kept: the recipe first."""
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).decode("utf-8").splitlines()]
