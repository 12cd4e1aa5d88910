"""measure: the findings of a study, from a project or from tables, and how they are shown.

analysis-plan new, lock, show: findings of interest written down and hashed before texts are scored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from biasprint.core.cli.console import (
    LookAnyway,
    check_target,
    complain,
    is_project,
    job,
    named,
    note,
    open_for_writing,
    open_to_look,
    print_json,
    print_table,
    say,
)
from biasprint.core.cli.data_commands import SCORES_STAY, Encoding, Format, HeaderRow, Map, Sheet, tell_table
from biasprint.core.cli.project_commands import AsJson, File, Seed
from biasprint.core.draw import digits
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.tables.fields import parse_map_options
from biasprint.core.tables.rows import HeaderPlace
from biasprint.core.tables.typed_files import is_arrow_folder

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.report.audit import Audited
    from biasprint.core.report.planned import StudyPlan
    from biasprint.core.runs.audit.gates import Gate, GateResult
    from biasprint.core.runs.measure import MeasuredStudy
    from biasprint.core.studies.kit.declared import MeasureOptions
    from biasprint.core.tables.rows import HeaderPlace

OfStudy = Annotated[str | None, typer.Option("--study", help="Of which study; needed where there are several.")]


def new(
    file: File,
    out: Annotated[Path, typer.Option(help="The plan to write (.toml).")],
    study: OfStudy = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the file if it is there.")] = False,
    look_anyway: LookAnyway = False,
) -> None:
    """Write an example of an analysis plan for a project's study, to be changed: it can be locked as it is."""
    from biasprint.core.machine.files import write_whole
    from biasprint.core.runs.analysis_plan import example_plan

    check_target(out, (".toml",))
    if out.exists() and not replace:
        raise AppError(
            f"There is a file {out} already.", kept="It was left as it is.", hint="Choose another name, or --replace."
        )
    with open_to_look(file, look_anyway, "analysis-plan new") as project:
        text = example_plan(project, study or _only_study(project))
    write_whole(out, text.encode("utf-8"))
    say(f"Wrote {out}: change it, then lock it with “biasprint analysis-plan lock {named(file)} {out}”.")


def lock(
    file: File,
    plan: Annotated[Path, typer.Argument(help="An analysis plan (.toml).")],
    as_json: AsJson = False,
) -> None:
    """Lock a plan: it is stored with its hash, the time, and how much was scored. Another lock never replaces it."""
    from biasprint.core.report.planned import known_words, when_words
    from biasprint.core.runs.analysis_plan import lock_plan, read_plan

    asked, text = read_plan(plan)
    with open_for_writing(file) as project:
        locked = lock_plan(project, asked, text)
    if as_json:
        print_json({"study": asked.study, **locked.to_json()})
        return
    say(f"Locked on {when_words(locked.at)}, {known_words(locked.known)}")
    say(f"SHA-256 of {plan.name}: {locked.sha256}")
    say("Send this hash to somebody, or publish it: then nobody can doubt later what was planned.")


def show(
    file: File,
    plan: Annotated[Path | None, typer.Argument(help="A plan file to compare with the locked one.")] = None,
    study: OfStudy = None,
    look_anyway: LookAnyway = False,
    as_json: AsJson = False,
) -> None:
    """Show what was planned, when it was locked, and what came out. Exit code 1 where PLAN is not the locked plan."""
    from biasprint.core.report.planned import planned_json
    from biasprint.core.runs.analysis_plan import analysis_plan, locked_studies, why_edited

    with open_to_look(file, look_anyway, "analysis-plan show") as project:
        studies = locked_studies(project)
        if study is None and len(studies) > 1:
            raise UsageError(f"Plans were locked for: {', '.join(studies)}.", hint="Say which: --study.")
        kind = study or next(iter(studies), "")
        locked = analysis_plan(project, kind) if kind else None
        rows = project.findings.all(kind) if locked else ()
    if locked is None:
        raise AppError(
            "No analysis plan was locked in this project.", hint="Write one: biasprint analysis-plan new FILE."
        )
    findings = [row.finding for row in rows]
    recipe = rows[-1].recipe if rows else None
    if as_json:
        answer = planned_json(locked, findings, recipe or {})
        print_json({"study": kind, "text": locked.last.text, **answer["planned"]})
    else:
        tell_plan(locked, findings, recipe)
        if not findings:
            say(locked.last.text.rstrip("\n"))
    if plan is not None and (why := why_edited(locked, plan)):
        complain(why)
        raise typer.Exit(1)


def tell_plan(plan: "StudyPlan", findings: "Sequence[Finding]", recipe: Mapping[str, Any] | None) -> None:
    """Say when a plan was locked, what came of each planned finding, and how many others there are."""
    from biasprint.core.report.planned import exploratory_sentence, planned_rows, state_sentences

    for sentence in state_sentences(plan, recipe):
        say(sentence)
    if findings:
        print_table(("planned", "estimate and interval", "p adjusted", "result"), planned_rows(plan, findings))
        say(exploratory_sentence(plan, findings))


def _only_study(project: "Project") -> str:
    kinds = [study.kind for study in project.studies.all()]
    if len(kinds) == 1:
        return kinds[0]
    if not kinds:
        raise AppError("This project has no study yet.", hint="Make prompts or import texts first, or say --study.")
    raise UsageError(f"This project has: {', '.join(kinds)}.", hint=f"Say which: --study {kinds[0]}.")


# ---- Gates on the command line

JUNIT = (".xml",)
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        help="Exit code 3 where a finding is so: 'ID[LABEL, DIM=VALUE] interval_above 1.2'; also interval_below, "
        "estimate_above, estimate_below, p_below; may be given several times.",
    ),
]


def gates_of(texts: Sequence[str] | None, study: str) -> "list[Gate]":
    """Read before anything is measured. Raises `UsageError`."""
    if not texts:
        return []
    from biasprint.core.runs.audit.gates import gates_for

    return gates_for(texts, study)


def held_to(gates: "Sequence[Gate]", findings: Sequence[Finding], *, asked_here: bool) -> "list[GateResult]":
    from biasprint.core.runs.audit.gates import hold

    return hold(gates, findings, asked_here=asked_here) if gates else []


def gates_json(results: "Sequence[GateResult]") -> dict[str, Any]:
    """Return the part of a JSON answer about the gates; empty where there are none."""
    return {"gates": [gate.to_json() for gate in results]} if results else {}


def tell_gates(results: "Sequence[GateResult]", *, as_json: bool) -> int:
    """Say on stderr which gates failed, beside an answer for people also which did not; the exit code."""
    for gate in results:
        if not gate.passed:
            complain(gate.said)
        elif not as_json:
            say(gate.said)
    if not results:
        return 0
    from biasprint.core.runs.audit.gates import exit_code

    return exit_code(results)


# ---- report


def report(
    file: File,
    out: Annotated[Path, typer.Option(help="The file: html, pdf, md (Markdown) or tex (LaTeX tables).")],
    study: Annotated[str | None, typer.Option(help="Which study; needed where several were measured.")] = None,
    figures: Annotated[Path | None, typer.Option(help="Also write each figure as a PDF, into this folder.")] = None,
    without_findings: Annotated[bool, typer.Option(help="Leave out the page of all findings.")] = False,
    look_anyway: LookAnyway = False,
    as_json: AsJson = False,
) -> None:
    """Write the report of a study from its stored findings. Nothing is measured again; what is stale is said."""
    from biasprint.core.report.audit import ENDINGS, audit_report, write_audit_report, write_figures
    from biasprint.core.runs.reporting import audited, only_measured
    from biasprint.core.studies.registry import study as known_study

    check_target(out, ENDINGS, [file])
    if not is_project(file):
        raise UsageError(
            "A report is made from the findings of a project.", hint="For tables: measure STUDY TABLE --report FILE."
        )
    if study is not None:
        known_study(study)
    with open_to_look(file, look_anyway, "report") as project, job("Writing the report"):
        about = replace(audited(project, study or only_measured(project)), whole=not without_findings)
    made = audit_report(about)
    with job("Writing the report") as ctx:
        write_audit_report(out, made, ctx)
        drawn = write_figures(figures, made, ctx) if figures is not None else []
    if about.stale:
        note(about.stale)
    if as_json:
        pages = [page.title for page in made.pages]
        files = [str(path) for path in drawn]
        answer = {"file": str(out), "study": about.study, "stale": about.stale, "pages": pages, "figures": files}
        print_json(
            answer
            | {
                "questions": [
                    {"question": question.question, "answer": question.answer} for question in about.questions
                ]
            }
        )
        return
    say(f"The report is in {named(out)}.")
    if figures is not None:
        say(f"{len(drawn)} {'figure is' if len(drawn) == 1 else 'figures are'} in {figures}.")


MOST_ROWS = 60
SHOWN_MISSING = 5  # files of a result folder
COLUMNS = (
    "finding",
    "variant",
    "groups",
    "estimate",
    "95 % interval, or as said",
    "n",
    "p",
    "p adjusted",
    "floor (95 %)",
)


def measure(
    study: Annotated[str, typer.Argument(help="news, completion, creativity, letters or compare.")],
    data: Annotated[list[Path], typer.Argument(help="A project file, or csv, tsv, jsonl, xlsx or parquet tables.")],
    layout: Format = None,
    mapping: Map = None,
    encoding: Encoding = None,
    sheet: Sheet = "",
    header_row: HeaderRow = None,
    axis: Annotated[list[str] | None, typer.Option(help="Only this axis; may be given several times.")] = None,
    scorer: Annotated[list[str] | None, typer.Option(help="role=name: another scorer for a role.")] = None,
    margin: Annotated[
        float | None, typer.Option(min=0, help="compare: within which difference groups count as alike.")
    ] = None,
    seed: Seed = 0,
    adjust: Annotated[Literal["holm", "bh"], typer.Option(help="For many tests: Holm or Benjamini–Hochberg.")] = "holm",
    as_json: AsJson = False,
    generator: Annotated[
        list[str] | None, typer.Option(help="Only texts of this generator; may be given several times.")
    ] = None,
    pool: Annotated[
        bool, typer.Option("--pool", help="Texts of several generators as one; otherwise each alone.")
    ] = False,
    compare: Annotated[
        list[str] | None,
        typer.Option(help="On the prompts that both answered: A,B; all; run:7,run:3; date:2026-06,date:2026-03."),
    ] = None,
    texts_of: Annotated[str, typer.Option(help="compare: the texts of this study of the project.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Every finding in the table, however many.")] = False,
    keep_seen: Annotated[
        bool, typer.Option("--keep-seen", help="Judgments made after a look at the identities count too.")
    ] = False,
    look_anyway: LookAnyway = False,
    sensitivity: Annotated[
        bool,
        typer.Option("--sensitivity", help="Measure each “Yes” again under other choices, and say where it fails."),
    ] = False,
    fail_on: FailOn = None,
    junit: Annotated[Path | None, typer.Option(help="Also write the gates as JUnit: an xml file.")] = None,
    report: Annotated[Path | None, typer.Option(help="Also write a report: html, pdf, md or tex.")] = None,
) -> None:
    """Measure a study: every finding with its interval, its noise floor and its source."""
    from biasprint.core.report.audit import ENDINGS, answer_json
    from biasprint.core.studies.kit.declared import MeasureOptions
    from biasprint.core.studies.registry import study as known_study

    known_study(study)
    gates = gates_of(fail_on, study)
    if junit is not None:
        if not gates:
            raise UsageError("There is no gate to write as JUnit.", hint="Give one with --fail-on.")
        check_target(junit, JUNIT, data)
    options = MeasureOptions(
        axes=tuple(axis or ()),
        scorers=_chosen_scorers(scorer or []),
        seed=seed,
        adjust=adjust,
        seen=keep_seen,
        margin=margin,
        generators=tuple(generator or ()),
        pool=pool,
        compare=tuple(compare or ()),
        texts_of=texts_of,
        sensitivity=sensitivity,
    )
    if len(data) == 1 and data[0].is_dir() and not is_arrow_folder(data[0]):
        if options != MeasureOptions() or layout or encoding:
            raise UsageError(
                "A result folder is measured as it was scored: how its texts are read, scored or drawn is settled.",
                hint="Only --map, --fail-on, --all and --json have a meaning there.",
            )
        _answer(_result_folder_measured(data[0], study, mapping or [], report), gates, as_json, everything, junit=junit)
        return
    if report is not None:
        check_target(report, ENDINGS, data)
    measured, about = _measured(
        study, data, options, look_anyway, layout, mapping or [], encoding, HeaderPlace(sheet, header_row)
    )
    _tell(measured)
    if report is not None:
        _report(report, about)
    more = answer_json(about) if as_json else {}
    asked_here = bool(measured.recipe.get("generators"))
    if about.plan is not None and not as_json:
        tell_plan(about.plan, about.findings, about.recipe)
    _answer(
        measured.result,
        gates,
        as_json,
        everything,
        more,
        failed=bool(measured.undone),
        asked_here=asked_here,
        junit=junit,
    )


def _result_folder_measured(folder: Path, study: str, mapping: Sequence[str], report: Path | None) -> StudyResult:
    """Return the findings of a result folder; report what is not computed of one, and what is not scored yet."""
    from biasprint.core.runs.result_folder.measuring import measure_folder

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


def _answer(
    result: StudyResult,
    gates: "Sequence[Gate]",
    as_json: bool,
    everything: bool,
    more: Mapping[str, Any] | None = None,
    *,
    failed: bool = False,
    asked_here: bool = False,
    junit: Path | None = None,
) -> None:
    """The findings, and whether they hold to the gates; ends with exit code 3 where not, with 1 where a part failed."""
    held = held_to(gates, result.findings, asked_here=asked_here)
    if junit is not None:
        from biasprint.core.runs.audit.gates import write_junit

        write_junit(junit, held)
    if as_json:
        print_json(result.to_json() | dict(more or {}) | gates_json(held))
    else:
        print_result(result, everything)
    if code := tell_gates(held, as_json=as_json) or int(failed):
        raise typer.Exit(code)


def _tell(measured: "MeasuredStudy") -> None:
    """Report beside the findings how the tables were read, what to know, and what could not be done."""
    for table in measured.tables:
        tell_table(table)
    for remark in measured.remarks:
        note(remark)
    for sentence in measured.undone:
        complain(sentence)


def _report(path: Path, about: "Audited") -> None:
    from biasprint.core.report.audit import write_study_report

    with job("Writing the report") as ctx:
        write_study_report(path, about, ctx)
    note(f"The report is in {named(path)}.")


def _measured(
    study: str,
    data: Sequence[Path],
    options: "MeasureOptions",
    look_anyway: bool,
    layout: str | None,
    mapping: Sequence[str],
    encoding: str | None,
    place: "HeaderPlace",
) -> "tuple[MeasuredStudy, Audited]":
    """The study measured in one project, or in tables; and what a report of it is made from."""
    from biasprint.core.compute import shared
    from biasprint.core.runs.measure import measure_project, measure_tables
    from biasprint.core.runs.reporting import audited_now

    projects = [path for path in data if is_project(path)]
    shorter = "" if options.scorers or study != "compare" else "; --scorer score=length reads that score alone"
    with job(f"Measuring {study}", SCORES_STAY + shorter) as ctx:
        if not projects:
            columns = parse_map_options(mapping)
            measured = measure_tables(
                ctx, data, study, options, shared(), layout=layout, mapping=columns, encoding=encoding, place=place
            )  # fmt: skip
            return measured, audited_now(measured, data)
        if len(data) > 1:
            raise UsageError("One project, or tables: not both.", hint="Measure them one after another.")
        if layout:
            raise UsageError("A project has its own columns.", hint="--format is for tables.")
        options = replace(options, columns=parse_map_options(mapping))
        with open_to_look(projects[0], look_anyway, f"measure {study}", measuring=True) as project:
            measured = measure_project(ctx, project, study, options, shared())
            return measured, audited_now(measured, project)


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
    """Print the questions with an answer each, then findings as a table, and why some are undefined."""
    from biasprint.core.report.questions import answered

    findings = list(result.findings) if everything else shown_first(result.findings)
    dropped = "; ".join(f"{count:,} × {reason}" for reason, count in result.dropped.items())
    say(f"{result.rows:,} rows read{f'; left out: {dropped}' if dropped else ''}.")
    for question in answered(result.study, result.findings):
        say(f"{question.question}\n  {question.answer}")
    rows = [
        (
            f"{finding.id} {finding.label}{_dims(finding.shown_dims)}",
            finding.variant.replace("_", " "),
            " : ".join(finding.groups),
            *_estimate(finding),
            digits.count(finding.n),
            digits.p_text(finding.p),
            digits.p_text(finding.p_adjusted),
            digits.number(finding.floor.p95) if finding.floor else "",
        )
        for finding in findings
    ]
    print_table(COLUMNS, rows, right=COLUMNS[3:])
    if left := len(result.findings) - len(findings):
        say(f"{left:,} more findings, as published or by further dimensions: --all shows them.")
    for text in (*reasons(findings), *verdicts(findings)):
        say(text)
    for use in dict.fromkeys(use for finding in result.findings for use in finding.scorers if use.stand_in):
        say(f"{use.role} was scored by a stand-in: {use.name} {use.version}.")


def _estimate(finding: Finding) -> tuple[str, str]:
    """The estimate and its interval; a dash where there is none."""
    estimate, interval = digits.of_finding(finding)
    level = digits.level_beside(finding.interval)
    return estimate, f"{interval} at {level}" if level else interval or "–"


def reasons(findings: Sequence[Finding]) -> list[str]:
    """Return why numbers or intervals are missing, each reason once for every measure that it concerns."""
    concerned: dict[tuple[str, str], list[str]] = {}
    for finding in findings:
        if finding.reason:
            concerned.setdefault((finding.id, finding.reason), []).append(finding.label)
    sentences = []
    for (name, reason), labels in concerned.items():
        of, why = ", ".join(dict.fromkeys(labels)), reason.removeprefix("interval: ")
        no_interval, undefined = (
            f"{name} has no interval ({of}), because {why}.",
            f"{name} is not defined ({of}), because {why}.",
        )
        sentences.append(no_interval if why != reason else undefined)
    return sentences


def verdicts(findings: Sequence[Finding]) -> list[str]:
    """Return where interval and adjusted p disagree and why, each reason once for every measure it concerns."""
    from biasprint.core.draw.words import apart

    concerned: dict[tuple[str, str], list[str]] = {}
    for finding in findings:
        if why := apart(finding):
            concerned.setdefault((finding.id, why), []).append(f"{finding.label}{_dims(finding.shown_dims)}")
    return [f"{name} ({', '.join(dict.fromkeys(labels))}): {why}" for (name, why), labels in concerned.items()]


def _dims(dims: Mapping[str, str]) -> str:
    return f" ({', '.join(dims.values())})" if dims else ""


def _chosen_scorers(given: list[str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for entry in given:
        role, separator, name = entry.partition("=")
        if not separator or not role or not name:
            raise UsageError(f"“{entry}” names no scorer for a role.", hint="For example: --scorer embedding=minilm")
        chosen[role] = f"{chosen[role]},{name}" if role in chosen else name
    return chosen
