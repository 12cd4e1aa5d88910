"""measure: the findings of a study, from a project or from tables."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from core.cli.answers import note, print_json, print_table, say
from core.cli.data_commands import Encoding, Format, Map, tell_table
from core.cli.files import PAGES, check_target, is_project, open_for_measuring
from core.cli.progress import job
from core.cli.project_commands import AsJson, Seed
from core.errors import UsageError
from core.findings import Finding, StudyResult
from core.report.numbers import estimate_text, interval_text, p_text

MOST_ROWS = 60
COLUMNS = ("finding", "variant", "groups", "estimate", "95 % interval", "n", "p", "p adjusted", "floor (95 %)")


def add_to(app: typer.Typer) -> None:
    app.command()(measure)


def measure(
    study: Annotated[str, typer.Argument(help="news, completion, creativity or letters.")],
    data: Annotated[list[Path], typer.Argument(help="A project file, or csv, tsv, jsonl, xlsx or parquet tables.")],
    layout: Format = None,
    mapping: Map = None,
    encoding: Encoding = None,
    axis: Annotated[list[str] | None, typer.Option(help="Only this axis; may be given several times.")] = None,
    scorer: Annotated[list[str] | None, typer.Option(help="role=name: another scorer for a role.")] = None,
    seed: Seed = 0,
    adjust: Annotated[Literal["holm", "bh"], typer.Option(help="For many tests: Holm or Benjamini–Hochberg.")] = "holm",
    as_json: AsJson = False,
    everything: Annotated[bool, typer.Option("--all", help="Every finding in the table, however many.")] = False,
    report: Annotated[Path | None, typer.Option(help="Also write an HTML report.")] = None,
) -> None:
    """Measure a study: every finding with its interval, its noise floor and its source."""
    from core.compute import shared
    from core.runs.measure import measure_project, measure_tables
    from core.runs.measure.options import Options
    from core.studies.registry import study as known_study
    from core.tables.fields import parse_map_options

    known_study(study)
    if report is not None:
        check_target(report, PAGES, data)
    options = Options(axes=tuple(axis or ()), scorers=_scorers(scorer or []), seed=seed, adjust=adjust)
    projects = [path for path in data if is_project(path)]
    with job(f"Measuring {study}") as ctx:
        if projects:
            if len(data) > 1:
                raise UsageError("One project, or tables: not both.", hint="Measure them one after another.")
            if layout or mapping:
                raise UsageError("A project has its own columns.", hint="--format and --map are for tables.")
            with open_for_measuring(projects[0]) as project:
                measured = measure_project(ctx, project, study, options, shared())
        else:
            measured = measure_tables(
                ctx, data, study, options, shared(), layout=layout, mapping=parse_map_options(mapping or []),
                encoding=encoding,
            )  # fmt: skip
    for table in measured.tables:
        tell_table(table)
    for remark in measured.remarks:
        note(remark)
    if report is not None:
        from core.report.html import write_report

        write_report(measured.result, report, title=f"Bias in {study}", recipe=measured.recipe)
        note(f"The report is in {report}.")
    if as_json:
        print_json(measured.result.to_json())
    else:
        print_result(measured.result, everything)


def shown_first(findings: Sequence[Finding], most: int = MOST_ROWS) -> list[Finding]:
    """The findings that a short table begins with: default before as published, pooled before by one dimension and two.

    Whole levels, as many as hold at most `most` findings together, the first in any case; in their own order. What all
    findings of an id have, such as an axis, is no dimension to pool over.
    """
    always: dict[str, set[str]] = {}
    for finding in findings:
        always[finding.id] = always.get(finding.id, set(finding.dims)) & set(finding.dims)
    levels: dict[tuple[bool, int], list[Finding]] = {}
    for finding in findings:
        level = (finding.variant != "default", len(set(finding.dims) - always[finding.id]))
        levels.setdefault(level, []).append(finding)
    chosen: list[Finding] = []
    for level in sorted(levels):
        if chosen and len(chosen) + len(levels[level]) > most:
            break
        chosen += levels[level]
    wanted = set(map(id, chosen))
    return [finding for finding in findings if id(finding) in wanted]


def print_result(result: StudyResult, everything: bool = False) -> None:
    """Findings as a table for people, and why some are undefined."""
    findings = list(result.findings) if everything else shown_first(result.findings)
    dropped = "; ".join(f"{count:,} × {reason}" for reason, count in result.dropped.items())
    say(f"{result.rows:,} rows read{f'; left out: {dropped}' if dropped else ''}.")
    rows = [
        (
            f"{finding.id} {finding.label}{_dims(dict(finding.dims))}",
            finding.variant.replace("_", " "),
            " : ".join(finding.groups),
            estimate_text(finding),
            interval_text(finding),
            f"{finding.n:,}",
            p_text(finding.p),
            p_text(finding.p_adjusted),
            f"{finding.floor.p95:.3g}" if finding.floor else "",
        )
        for finding in findings
    ]
    print_table(COLUMNS, rows, right=COLUMNS[3:])
    if left := len(result.findings) - len(findings):
        say(f"{left:,} more findings, as published or by further dimensions: --all shows them.")
    for text in reasons(findings):
        say(text)
    for use in dict.fromkeys(use for finding in result.findings for use in finding.scorers if use.stand_in):
        say(f"{use.role} was scored by a stand-in: {use.name} {use.version}.")


def reasons(findings: Sequence[Finding]) -> list[str]:
    """Why numbers or intervals are missing, each reason once for every measure that it concerns."""
    concerned: dict[tuple[str, str], list[str]] = {}
    for finding in findings:
        if finding.reason:
            concerned.setdefault((finding.id, finding.reason), []).append(finding.label)
    told = []
    for (name, reason), labels in concerned.items():
        missing = "has no interval" if reason.startswith("interval: ") else "is not defined"
        of = ", ".join(dict.fromkeys(labels))
        told.append(f"{name} {missing} ({of}), because {reason.removeprefix('interval: ')}.")
    return told


def _dims(dims: dict[str, str]) -> str:
    return f" ({', '.join(dims.values())})" if dims else ""


def _scorers(given: list[str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for entry in given:
        role, separator, name = entry.partition("=")
        if not separator or not role or not name:
            raise UsageError(f"“{entry}” names no scorer for a role.", hint="For example: --scorer embedding=minilm")
        chosen[role] = name
    return chosen
