"""score --cluster: score a folder of Parquet files on the machines of a cluster."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import typer

from biasprint.core.cli.console import complain, job, note, print_json, say
from biasprint.core.errors import AppError, UsageError
from biasprint.core.tables.fields import parse_map_options

if TYPE_CHECKING:
    from biasprint.core.jobs import JobContext
    from biasprint.core.runs.result_folder.planning import ScoringOrder, ScoringPlan
    from biasprint.core.runs.result_folder.scoring import ScoredPartition


class Cluster(Protocol):
    """Machines that score files of a result folder. `address` says where they are, in the plug-in's own way."""

    def __call__(
        self, ctx: "JobContext", order: "ScoringOrder", names: Sequence[str], address: str
    ) -> "Iterator[ScoredPartition]":
        """Score the files called `names`, and give the outcome of each as it comes."""


def cluster_plug_in() -> Cluster:
    """The program's own plug-in, Ray. It is imported here and nowhere else, when there are files to score."""
    from biasprint.core.cluster.ray_work import score_on_cluster as ray

    return ray


def score_on_cluster(
    data: Path, names: Sequence[str], mapping: Sequence[str], out: Path | None, cluster: str, as_json: bool
) -> None:
    """Score what is left, tell what came of it, and end with 1 where a partition could not be scored."""
    from biasprint.core.runs.result_folder.planning import plan, write_manifest

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
                for partition in cluster_plug_in()(ctx, planned.order, planned.left, cluster) if planned.left else ():
                    scored.append(partition)
                    ctx.report(len(planned.done) + len(scored), len(planned.names), note=partition.name)
        finally:
            failed = [(partition.name, partition.refused) for partition in scored if partition.refused]
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
    failed = [partition for partition in scored if partition.refused]
    sound = [partition for partition in scored if not partition.refused]
    rows = sum(partition.rows for partition in sound) + sum(int(footer["rows"]) for footer in planned.done.values())
    for partition in failed:
        complain(f"“{partition.name}” was not scored: {partition.refused}")
    if failed:
        complain("The other files are finished; the same command tries these again.")
    for partition in sound:
        if partition.failed:
            note(
                f"“{partition.name}”: {partition.failed:,} texts have no score, because a scorer broke on them: "
                f"{partition.error}"
            )
    if as_json:
        print_json(
            {"out": str(planned.order.out), "partitions": len(planned.names), "scored": len(sound),
             "before": len(planned.done), "rows": rows,
             "failed": [{"partition": partition.name, "why": partition.refused} for partition in failed],
             "scorers": [{"scorer": use.name, "version": use.version, "stand_in": use.stand_in}
                         for use in planned.order.scorers]}
        )  # fmt: skip
        return
    finished = len(sound) + len(planned.done)
    say(f"{rows:,} rows of {finished:,} of {len(planned.names):,} files are scored, in {planned.order.out}.")
