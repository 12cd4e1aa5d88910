"""score --cluster: a folder of Parquet files, scored on a Ray cluster; and what came of it, measured."""

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from biasprint.core.cli.console import complain, job, note, print_json, say
from biasprint.core.errors import AppError, UsageError

if TYPE_CHECKING:
    from biasprint.core.cluster.order import ScoringPlan
    from biasprint.core.cluster.partition import ScoredPartition
    from biasprint.core.findings import StudyResult

SHOWN_MISSING = 5


def score_on_cluster(
    data: Path, names: Sequence[str], mapping: Sequence[str], out: Path | None, cluster: str, as_json: bool
) -> None:
    """Score what is left, tell what came of it, and end with 1 where a partition could not be scored."""
    from biasprint.core.cluster.order import plan, write_manifest
    from biasprint.core.cluster.ray_work import score_on_cluster as work
    from biasprint.core.tables.fields import parse_map_options

    columns = parse_map_options(mapping)
    if out is None:
        raise UsageError("A cluster writes its scores to a folder.", hint="Name it with --out.")
    if set(columns) - {"text"}:
        raise UsageError(
            "Only the texts' column is asked for here.", hint="Say --map text=COLUMN; all others are kept."
        )
    with job("Scoring") as ctx:
        planned = plan(data, out, names, columns.get("text"))
        _tell_plan(planned)
        scored: list[ScoredPartition] = []
        try:
            with redirect_stdout(sys.stderr):  # where Ray says what befell its workers: stdout is the answer alone
                for one in work(ctx, planned.order, planned.left, cluster) if planned.left else ():
                    scored.append(one)
                    ctx.report(len(planned.done) + len(scored), len(planned.names), note=one.name)
        finally:
            failed = [(one.name, one.refused) for one in scored if one.refused]
            write_manifest(planned.order, planned.names, failed)
    _tell(planned, scored, as_json)
    if failed:
        raise typer.Exit(AppError.exit_code)


def _tell_plan(planned: "ScoringPlan") -> None:
    if planned.done:
        note(f"{len(planned.done):,} of {len(planned.names):,} files were scored before and stay as they are.")
    for name in planned.again:
        note(f"The scores of “{name}” are not whole: it is scored again.")
    if planned.new:
        note(f"{len(planned.new):,} files are new since the folder was begun.")


def _tell(planned: "ScoringPlan", scored: "Sequence[ScoredPartition]", as_json: bool) -> None:
    failed = [one for one in scored if one.refused]
    sound = [one for one in scored if not one.refused]
    rows = sum(one.rows for one in sound) + sum(int(footer["rows"]) for footer in planned.done.values())
    for one in failed:
        complain(f"“{one.name}” was not scored: {one.refused}")
    if failed:
        complain("The other files are finished; the same command tries these again.")
    for one in sound:
        if one.failed:
            note(f"“{one.name}”: {one.failed:,} texts have no score, because a scorer broke on them: {one.error}")
    if as_json:
        print_json(
            {"out": str(planned.order.out), "partitions": len(planned.names), "scored": len(sound),
             "before": len(planned.done), "rows": rows,
             "failed": [{"partition": one.name, "why": one.refused} for one in failed],
             "scorers": [{"scorer": one.name, "version": one.version, "stand_in": one.stand_in}
                         for one in planned.order.scorers]}
        )  # fmt: skip
        return
    finished = len(sound) + len(planned.done)
    say(f"{rows:,} rows of {finished:,} of {len(planned.names):,} files are scored, in {planned.order.out}.")


def measure_result_folder(folder: Path, study: str, mapping: Sequence[str], report: Path | None) -> "StudyResult":
    """The findings of a result folder; what is not computed of one, and what is not scored yet, is told."""
    from biasprint.core.cluster.sums import measure_folder
    from biasprint.core.tables.fields import parse_map_options

    if study != "compare":
        raise UsageError(f"A result folder cannot be measured as {study}.", hint="Say: measure compare FOLDER.")
    if report is not None:
        raise UsageError("There is no report of a result folder.", hint="Leave out --report; --json has all findings.")
    with job("Measuring the partitions") as ctx:
        measured = measure_folder(ctx, folder, parse_map_options(mapping))
    for remark in measured.remarks:
        note(remark)
    if measured.missing:
        shown = ", ".join(f"“{name}”" for name in measured.missing[:SHOWN_MISSING])
        complain(
            f"{len(measured.missing):,} of {measured.partitions:,} files have no scores and are left out: {shown}."
        )
    return measured.result
