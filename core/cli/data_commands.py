"""import, score, export: what comes in, what is computed from each text, and what goes out.

score --cluster: score a folder of Parquet files on the machines of a cluster.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeVar

import typer

from biasprint.core.cli.console import (
    STOPS,
    Endpoint,
    LookAnyway,
    Set,
    check_target,
    complain,
    is_project,
    job,
    named,
    note,
    open_for_writing,
    open_to_look,
    parameters,
    print_json,
    print_table,
    say,
    words_of,
)
from biasprint.core.cli.project_commands import AsJson, File
from biasprint.core.errors import AppError, UsageError
from biasprint.core.tables.fields import parse_map_options
from biasprint.core.tables.formats import known_format
from biasprint.core.tables.rows import HeaderPlace

if TYPE_CHECKING:
    from biasprint.core.jobs import JobContext
    from biasprint.core.project.project import Project
    from biasprint.core.runs.comparator import StoredJudgments
    from biasprint.core.runs.result_folder.scoring import ScoredPartition, ScoringOrder, ScoringPlan
    from biasprint.core.runs.rubric import RubricScorer
    from biasprint.core.tables.rows import HeaderPlace, TableRead

Map = Annotated[list[str] | None, typer.Option("--map", help="field=column, once for each field.")]
Format = Annotated[
    str | None,
    typer.Option("--format", help="A known outside layout: wan, kamruzzaman, kumar; import: llm_comparator too."),
]
Encoding = Annotated[str | None, typer.Option(help="The table's text encoding; found out where not given.")]
Sheet = Annotated[str, typer.Option(help="The sheet of an xlsx, by its name or number; found out where not given.")]
HeaderRow = Annotated[
    int | None,
    typer.Option("--header-row", min=1, help="The row that names the columns; found out where not given."),
]
Duplicates = Annotated[Literal["report", "drop"], typer.Option(help="What to do with rows that repeat another.")]
Stored = TypeVar("Stored", bound="StoredJudgments")
SHOWN_PROBLEMS = 20
IMPORT_STOPS = f"{STOPS}, and importing again adds the rest"
SCORES_STAY = f"{STOPS}, and what is scored is kept"
RUBRIC = "rubric"  # the column of its ratings
COMPARATOR_ENDINGS = (".json",)


class Cluster(Protocol):
    """Machines that score files of a result folder. `address` says where they are, in the plug-in's own way."""

    def __call__(
        self, ctx: "JobContext", order: "ScoringOrder", names: Sequence[str], address: str
    ) -> "Iterator[ScoredPartition]":
        """Score the files called `names`, and give the outcome of each as it comes."""


def cluster_plug_in() -> Cluster:
    """The program's own plug-in, Ray. It is imported here and nowhere else, when there are files to score."""
    from biasprint.core.cluster import score_on_cluster as ray

    return ray


def score_on_cluster(
    data: Path, names: Sequence[str], mapping: Sequence[str], out: Path | None, cluster: str, as_json: bool
) -> None:
    """Score what is left, tell what came of it, and end with 1 where a partition could not be scored."""
    from biasprint.core.runs.result_folder.scoring import plan, write_manifest

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


def import_data(
    file: File,
    data: Annotated[Path, typer.Argument(help="A csv, tsv, json, jsonl, xlsx or parquet table, or a log.")],
    study: Annotated[str | None, typer.Option(help="Whose texts; needed in a project of several studies.")] = None,
    mapping: Map = None,
    layout: Format = None,
    encoding: Encoding = None,
    sheet: Sheet = "",
    header_row: HeaderRow = None,
    duplicates: Duplicates = "report",
    as_json: AsJson = False,
) -> None:
    """Bring a table into a project. Every row that is not as it should be is named by its number."""
    from biasprint.core.runs.comparator import FORMAT as COMPARATOR
    from biasprint.core.runs.setup import check_importable, import_table
    from biasprint.core.studies.registry import table_fields
    from biasprint.core.tables.formats.kumar import FORMAT as KUMAR
    from biasprint.core.tables.formats.kumar import has_choices
    from biasprint.core.texts.exporting import read_table

    if layout == COMPARATOR:
        _import_comparator(file, data, study, mapping or [], as_json)
        return
    if layout == KUMAR.name and has_choices(data, encoding):
        _import_evaluation(file, data, study, mapping or [], as_json)
        return
    with open_for_writing(file) as project, job(f"Importing {data.name}", IMPORT_STOPS) as ctx:
        kind = study or (known_format(layout).kind if layout else _only_study(project))
        check_importable(kind)
        table = read_table(
            ctx, data, kind, fields=table_fields(kind), layout=layout,
            mapping=parse_map_options(mapping or []), encoding=encoding, place=HeaderPlace(sheet, header_row),
            duplicates=duplicates,
        )  # fmt: skip
        tell_table(table)
        result = import_table(ctx, project, None, kind, data, table)
    if as_json:
        print_json(
            {"study": kind, "rows": table.total, "added": result.added, "present": result.present,
             "dropped": dict(table.dropped), "mapping": dict(table.mapping), "guessed": list(table.guessed),
             "encoding": table.encoding, "problems": [vars_of(problem) for problem in table.problems]}
        )  # fmt: skip
        return
    say(f"{result.added:,} of {table.total:,} rows were added to {kind}.")
    if result.present:
        say(f"{result.present:,} were there already, from the same file, and stay as they are.")


def _import_comparator(file: Path, data: Path, study: str | None, mapping: list[str], as_json: bool) -> None:
    from biasprint.core.runs.comparator import store_comparator

    stored = _import_whole("A file of LLM Comparator", file, data, study, mapping, store_comparator)
    if as_json:
        _print_judgments(stored, {})
    else:
        say(f"{stored.judgments:,} judgments were added to a plan of {stored.comparisons:,} comparisons.")


def _import_evaluation(file: Path, data: Path, study: str | None, mapping: list[str], as_json: bool) -> None:
    from biasprint.core.runs.evaluations import ONE_ORDER, store_evaluation

    stored = _import_whole("An evaluation", file, data, study, mapping, store_evaluation)
    note(ONE_ORDER)
    if as_json:
        _print_judgments(stored, {"texts": stored.texts})
    else:
        (judge,) = stored.raters
        say(f"{stored.judgments:,} judgments by {judge} and {stored.texts:,} texts were added to creativity.")


def _import_whole(
    what: str,
    file: Path,
    data: Path,
    study: str | None,
    mapping: list[str],
    store: Callable[["JobContext", "Project", Path], Stored],
) -> Stored:
    """Bring in a file of judgments, which has its own columns and study; say what cannot be used."""
    if mapping or study not in (None, "creativity"):
        raise UsageError(f"{what} is brought in whole.", hint="Leave out --map and --study.")
    with open_for_writing(file) as project, job(f"Importing {data.name}") as ctx:
        stored = store(ctx, project, data)
    for reason, count in stored.left_out.items():
        note(f"Left out: {count:,}, because {reason}.")
    return stored


def _print_judgments(stored: "StoredJudgments", more: Mapping[str, int]) -> None:
    print_json(
        {"study": "creativity", "plan": stored.plan_id, "comparisons": stored.comparisons, **more,
         "added": stored.judgments, "raters": list(stored.raters), "dropped": dict(stored.left_out)}
    )  # fmt: skip


def tell_table(table: "TableRead") -> None:
    """Report on stderr how the table was read, and every row that is not as it should be."""
    columns = ", ".join(f"{field} ← {column}" for field, column in table.mapping.items())
    note(f"Read {len(table.rows):,} of {table.total:,} rows ({table.encoding}): {columns}.")
    for notice in table.notices:
        note(notice)
    for problem in table.problems[:SHOWN_PROBLEMS]:
        note(f"{problem}{' (kept)' if problem.kept else ' (left out)'}")
    if len(table.problems) > SHOWN_PROBLEMS:
        note(f"… and {len(table.problems) - SHOWN_PROBLEMS:,} more; “biasprint import --json” lists them all.")


def vars_of(problem: object) -> dict[str, object]:
    """A slotted row as a plain mapping."""
    return {name: getattr(problem, name) for name in problem.__slots__}  # type: ignore[attr-defined]


def score(
    data: Annotated[Path, typer.Argument(help="A project file, or a csv, tsv or jsonl table.")],
    scorer: Annotated[list[str] | None, typer.Option(help="A scorer's name; may be given several times.")] = None,
    rubric: Annotated[
        Path | None,
        typer.Option(help="Of a table: a text file that says what a model rates each text for, twice, as “rubric”."),
    ] = None,
    scale: Annotated[str, typer.Option(help="The rubric's lowest and highest number.")] = "1-5",
    backend: Annotated[str, typer.Option(help="The kind of generator that rates by the rubric.")] = "",
    model: Annotated[str, typer.Option(help="The model that rates by the rubric.")] = "",
    endpoint: Endpoint = None,
    settings: Set = None,
    mapping: Map = None,
    sheet: Sheet = "",
    header_row: HeaderRow = None,
    out: Annotated[Path | None, typer.Option(help="Of a table: where to write the scores (csv, jsonl, …).")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Parquet files on a Ray cluster: local, or HOST:PORT; --out is a folder.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score every text that a scorer has not scored yet."""
    from biasprint.core.scorers.functions import in_use
    from biasprint.core.scorers.registry import describe

    known = {info.name: info for info in describe()}
    names = list(scorer or ())
    for name in names:
        if name not in known:
            raise UsageError(f"There is no scorer “{name}”.", hint=f"Choose from: {', '.join(known)}.")
    if not names and rubric is None:
        raise UsageError("No scorer was named.", hint=f"Name one with --scorer: {', '.join(known)}.")
    if rubric is not None and (cluster is not None or is_project(data)):
        raise UsageError(
            "A rubric rates the texts of a table, not those of a project.",
            hint="Write a project's texts with “biasprint export” first.",
        )
    if rubric is None and (backend or model or endpoint or settings):
        raise UsageError("A model rates by a rubric.", hint="Say with --rubric what for.")
    if cluster is not None:
        if sheet or header_row:
            raise UsageError("Parquet files have no sheets or headers.", hint="Leave out --sheet and --header-row.")

        score_on_cluster(data, names, mapping or [], out, cluster, as_json)
    elif is_project(data):
        if mapping or out or sheet or header_row:
            raise UsageError(
                "--map, --sheet, --header-row and --out are for tables.",
                hint="A project keeps its scores; export them from there.",
            )
        _score_project(data, names, as_json)
    elif rubric is None:
        _score_table(data, names, mapping or [], HeaderPlace(sheet, header_row), out, as_json)
    else:
        place = HeaderPlace(sheet, header_row)
        rater = _rater(rubric, scale, (backend, model, parameters(endpoint, None, None, None, settings or ())))
        with in_use({RUBRIC: rater}):
            _score_table(data, [*names, RUBRIC], mapping or [], place, out, as_json, rater)


def _rater(file: Path, scale: str, generator: "tuple[str, str, dict[str, Any]]") -> "RubricScorer":
    from biasprint.core.runs.rubric import RubricScorer

    if not (generator[0] and generator[1]):
        raise UsageError("Nobody rates by the rubric.", hint="Name a model with --backend and --model.")
    ends = [int(end) if end.strip().isdecimal() else -1 for end in scale.split("-")]
    if len(ends) != 2:
        raise UsageError(f"“{scale}” is no scale.", hint="For example: --scale 1-5.")
    return RubricScorer(words_of(file, "rubric"), generator, (ends[0], ends[1]), RUBRIC, 0)


def _score_project(data: Path, names: Sequence[str], as_json: bool) -> None:
    from biasprint.core.compute import shared
    from biasprint.core.scorers.registry import describe
    from biasprint.core.texts.score import score as score_texts

    known = {info.name: info for info in describe()}
    with open_for_writing(data) as project, job("Scoring", SCORES_STAY) as ctx:
        results = [
            (study.kind, score_texts(ctx, project, study.id, known[name], shared()))
            for study in project.studies.all()
            for name in names
        ]
    if as_json:
        print_json(
            [{"study": kind, "scorer": r.scorer.name, "version": r.scorer.version, "stand_in": r.scorer.stand_in,
              "added": r.added, "unscored": r.unscored} for kind, r in results]
        )  # fmt: skip
        return
    for kind, result in results:
        stand_in = " (stand-in)" if result.scorer.stand_in else ""
        say(f"{kind}: {result.added:,} texts scored by {result.scorer.name}{stand_in}.")
        if result.unscored:
            say(f"  {result.unscored:,} have nothing to score.")


def _score_table(
    data: Path,
    names: Sequence[str],
    mapping: list[str],
    place: "HeaderPlace",
    out: Path | None,
    as_json: bool,
    rater: "RubricScorer | None" = None,
) -> None:
    from biasprint.core.report.export import WRITERS, export_rows
    from biasprint.core.texts.exporting import score_columns, score_table

    if out is not None:
        check_target(out, WRITERS, [data])
    with job("Scoring", SCORES_STAY) as ctx:
        if rater is not None:
            rater.context = ctx
        table, rows = score_table(ctx, data, names, mapping, place)
    tell_table(table)
    answer: dict[str, object] = {"rows": table.total, "dropped": dict(table.dropped)}
    if rater is not None:
        unrated = rater.unrated
        answer["rubric"] = {"model": rater.model, "sha256": rater.sha256, **asdict(rater.flips), "unrated": unrated}
        note(f"{rater.remark} Its prompt is {rater.sha256[:12]}.")
        for reason, texts in unrated.items():
            note(f"{texts:,} texts got no rating: {reason}.")
    if out is not None:
        report = export_rows(rows, out, score_columns(names))
        for notice in report.notices():
            note(notice)
        if not as_json:
            say(f"{report.rows:,} rows are in {named(out)}.")
    if as_json:
        print_json({**answer, "file": str(out)} if out is not None else {**answer, "scores": rows})
    elif out is None:
        print_table(score_columns(names), [[_cell(row[name]) for name in score_columns(names)] for row in rows])


def _cell(value: object) -> str:
    if isinstance(value, list):
        return f"{len(value)} values"
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def export(
    file: File,
    what: Annotated[
        Literal["prompts", "outputs", "scores", "judgments", "findings"], typer.Argument(help="What to export.")
    ],
    out: Annotated[Path, typer.Option(help="Where to: a csv, jsonl, xlsx or parquet file, or a new folder.")],
    layout: Annotated[
        Literal["llm_comparator", "dataset"] | None,
        typer.Option("--format", help="A file for LLM Comparator, or a data set's folder with card and Croissant."),
    ] = None,
    study: Annotated[str | None, typer.Option(help="Only what belongs to this study.")] = None,
    superseded: Annotated[
        bool, typer.Option("--superseded", help="Judgments: also those that were changed, taken back or undecided.")
    ] = False,
    look_anyway: LookAnyway = False,
    as_json: AsJson = False,
) -> None:
    """Write a part of the project to a table. Rating sessions that are still blind stay out."""
    from biasprint.core.report.export import export_rows, write_dataset
    from biasprint.core.runs.setup import study_of
    from biasprint.core.texts.exporting import columns, open_sessions, rows, waiting_participants

    if superseded and what != "judgments":
        raise UsageError("Only judgments are superseded.", hint="Leave out --superseded.")
    if layout == "llm_comparator":
        _export_comparator(file, what, out, study, superseded, look_anyway, as_json)
        return
    with open_to_look(file, look_anyway, f"export {what}") as project, job("Exporting") as ctx:
        if study is not None:
            study_of(project, study)
        exported, named_columns = rows(ctx, project, what, study, superseded=superseded), columns(project, what, study)
        report = (
            write_dataset(exported, out, named_columns, what)
            if layout == "dataset"
            else export_rows(exported, out, named_columns)
        )
        blind = open_sessions(project) if what == "judgments" else 0
        waiting = waiting_participants(project) if what == "judgments" else 0
    if as_json:
        left_out = {"sessions_left_out": blind, **({"participants_waiting": waiting} if waiting else {})}
        print_json({"what": what, "rows": report.rows, "file": str(out), **left_out})
    else:
        say(f"{report.rows:,} rows are in {named(out)}.")
    for notice in report.notices():
        note(notice)
    if blind:
        note(f"{blind} open rating session{'s' if blind > 1 else ''} stayed out until the reveal.")
    if waiting:
        note(f"Participants of the workshop who wait for others, since five at a time are exported: {waiting:,}.")


def _export_comparator(
    file: Path, what: str, out: Path, study: str | None, superseded: bool, look_anyway: bool, as_json: bool
) -> None:
    from biasprint.core.runs.comparator import write_comparator

    if what != "judgments" or superseded:
        raise UsageError("LLM Comparator shows judgments, those that count.", hint="Say: export FILE judgments.")
    check_target(out, COMPARATOR_ENDINGS, [file])
    with open_to_look(file, look_anyway, "export judgments") as project, job("Exporting") as ctx:
        written = write_comparator(ctx, project, out, study=study)
    if as_json:
        print_json(
            {"what": what, "files": [
                {"file": str(made.path), "models": list(made.pair), "examples": made.examples,
                 "ratings": made.ratings, "left_out": dict(made.left_out)}
                for made in written
            ]}
        )  # fmt: skip
        return
    for made in written:
        say(
            f"{made.ratings:,} judgments of {made.examples:,} pairs, "
            f"{made.pair[0]} and {made.pair[1]}, are in {made.path}."
        )
        for reason, count in made.left_out.items():
            note(f"Left out: {count:,}, because {reason}.")


def _only_study(project: "Project") -> str:
    kinds = {study.kind for study in project.studies.all()}
    if len(kinds) == 1:
        return kinds.pop()
    raise UsageError("Which study does the table belong to?", hint="Say it with --study letters or --study creativity.")
