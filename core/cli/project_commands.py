"""new, prompts, generate: what makes and fills a project.

check, rescue and restore: whether a project is what was stored, what is saved of one that is not, its backups.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biasprint.core.cli.console import (
    STOPS,
    Backend,
    GeneratorOptions,
    LookAnyway,
    Model,
    complain,
    grouped,
    job,
    named,
    new_path,
    note,
    open_for_writing,
    open_to_look,
    print_json,
    print_table,
    say,
    session_keys,
)
from biasprint.core.draw import digits
from biasprint.core.errors import AppError, UsageError
from biasprint.core.language import InLanguage, plural, tr

if TYPE_CHECKING:
    from biasprint.core.project.backup import Backup
    from biasprint.core.project.damaged import Problem
    from biasprint.core.project.restore import BackupContents
    from biasprint.core.project.rows import PromptSetRow
    from biasprint.core.runs.generate import GenerateResult
    from biasprint.core.texts.score import ScoreResult

SHOWN = 200  # rows that a person is shown; the rest is in --json
SHOWN_DIFFERENCES = 20
File = Annotated[Path, typer.Argument(help="A project file (.biasprint).")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.", min=0, max=2**63 - 1)]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def check(file: File, as_json: AsJson = False) -> None:
    """Check a project file: its structure, its references, and every row against the hash that was stored with it."""
    from biasprint.core.project.backup import backups
    from biasprint.core.project.damaged import check_project

    with job("Checking") as ctx:
        report = check_project(file, ctx)
    backup_paths = [str(backup.path) for backup in backups(file)]
    if as_json:
        problems = _as_json(report.problems)
        print_json(
            {
                "file": str(file),
                "sound": report.sound,
                "rows": report.rows,
                "problems": problems,
                "backups": backup_paths,
            }
        )
    elif report.sound:
        say(f"{named(file)} is sound: {_counted(report.rows)}.")
    else:
        _print(report.problems)
        say("The newest backups:" if backup_paths else "There is no backup of it on this machine.")
        for backup in backup_paths:
            say(f"  {backup}")
        if backup_paths:
            say(
                f"“biasprint restore {named(file.name)} --list” says what each holds, and without --list puts one back."
            )
        say(f"“biasprint rescue {named(file.name)} --out NEW.biasprint” saves what is sound.")
    if not report.sound:
        raise typer.Exit(1)


def rescue(
    file: File,
    out: Annotated[Path, typer.Option(help="The new project file to make.")],
    as_json: AsJson = False,
) -> None:
    """Save all that is sound of a damaged project in a new file, and list what was lost. The file is only read."""
    from biasprint.core.project.rescue import rescue_project

    with job("Saving what is sound") as ctx:
        saved = rescue_project(file, new_path(out), ctx)
    if as_json:
        print_json({"file": str(file), "out": str(out), "rows": saved.saved, "lost": _as_json(saved.lost)})
        return
    say(f"Saved in {named(out)}: {_counted(saved.saved) or 'nothing'}.")
    if saved.lost:
        _print(saved.lost)
    else:
        say("Nothing was lost.")


def restore(
    file: File,
    list_: Annotated[bool, typer.Option("--list", help="Only say what each backup holds.")] = False,
    from_: Annotated[str, typer.Option("--from", metavar="BACKUP", help="Its number or name, or any file.")] = "",
    as_json: AsJson = False,
) -> None:
    """Put a backup, the newest sound one or another, in a project's place. What it replaces is kept beside it."""
    from biasprint.core.project.restore import choose, held, restore

    with job("Checking the backups") as ctx:
        contents = held(file, ctx)
    if list_ and from_:
        raise UsageError("“--list” only lists, and “--from” puts one back.", hint="Give one of the two.")
    if list_:
        _list(file, contents, as_json)
        return
    chosen = choose(file, from_)
    with job("Putting the backup back") as ctx:
        done = restore(file, chosen, ctx)
    if as_json:
        replaced = None if done.kept is None else str(done.kept)
        print_json({"file": str(file), "from": str(done.backup.path), "kept": replaced})
        return
    source = f"its backup {chosen.number} of {_when(chosen)}" if chosen.number else f"“{named(chosen.path.name)}”"
    say(f"{named(file)} is now as {source}.")
    if done.kept is not None:
        say(f"What it was is kept as “{named(done.kept)}”.")


def _list(file: Path, contents: "list[BackupContents]", as_json: bool) -> None:
    if as_json:
        print_json({"file": str(file), "backups": [_held_as_json(backup) for backup in contents]})
    elif not contents:
        say(f"There is no backup of {named(file)} on this machine.")
    else:
        columns = ("number", "made", "MB", "prompts", "outputs", "judgments", "state")
        print_table(columns, [_held_as_row(backup) for backup in contents], right=columns[:1] + columns[2:-1])


def _held_as_json(contents: "BackupContents") -> dict[str, Any]:
    backup = contents.backup
    made = None if backup.made is None else backup.made.isoformat()
    facts = {"number": backup.number, "made": made, "bytes": contents.size, "state": str(backup.state)}
    return {**facts, "rows": contents.rows, "path": str(backup.path)}


def _held_as_row(backup: "BackupContents") -> tuple[str, ...]:
    rows = ["?"] * 3 if backup.rows is None else [f"{count:,}" for count in backup.rows.values()]
    return (
        str(backup.backup.number),
        _when(backup.backup),
        f"{backup.size / 1e6:.1f}",
        *rows,
        str(backup.backup.state),
    )


def _when(backup: "Backup") -> str:
    """Return the time of a backup in the reader's time zone."""
    return "an unknown time" if backup.made is None else f"{backup.made.astimezone():%Y-%m-%d %H:%M:%S}"


def _as_json(problems: "tuple[Problem, ...]") -> list[dict[str, Any]]:
    return [vars(problem) for problem in problems]


def _print(problems: "tuple[Problem, ...]") -> None:
    shown = [(problem.table, problem.key, problem.what) for problem in problems[:SHOWN]]
    print_table(("table", "row", "what"), shown)
    if len(problems) > SHOWN:
        say(f"and {len(problems) - SHOWN:,} more; --json lists them all.")


def _counted(rows: dict[str, int]) -> str:
    """The tables that have rows, in words."""
    return ", ".join(f"{table.replace('_', ' ')} {count:,}" for table, count in rows.items() if count)


def new(
    file: Annotated[Path, typer.Argument(help="The project file to make.")],
    study: Annotated[list[str] | None, typer.Option(help="A study with its whole default prompt set.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a project file, with the default prompts of each study that is named."""
    from biasprint.core.project.project import Project
    from biasprint.core.runs.setup import add_study, check_studies

    names = study or []
    check_studies(names)
    project = Project.create(new_path(file))
    try:
        made = {name: add_study(project, name) for name in names}
    except BaseException:
        project.close()
        file.unlink(missing_ok=True)  # made a moment ago, and not what was asked for
        raise
    project.close()
    tell_hints(hint for result in made.values() for hint in result.hints)
    if as_json:
        print_json({"file": str(file), "studies": {name: result.prompts for name, result in made.items()}})
        return
    say(f"Made {named(file)}.")
    for name, result in made.items():
        say(f"  {name}: {result.prompts:,} prompts")


@dataclass(frozen=True)
class OfCreativity:
    """Options that narrow the prompts of creative writing."""

    task: Annotated[list[str] | None, typer.Option(help="Creativity: only these tasks; a .toml file of one's own.")] = (
        None
    )
    theme: Annotated[
        list[str] | None, typer.Option(help="Creativity: only these themes; a .toml file of one's own.")
    ] = None
    axis: Annotated[
        list[str] | None, typer.Option(help="Creativity: only these axes. Letters, template: the axis.")
    ] = None
    preset: Annotated[
        str | None, typer.Option(help="Creativity: sweep (500 prompts, for temperatures) or human (a rating study).")
    ] = None


@dataclass(frozen=True)
class OfLetters:
    """Options that prompts of letters are narrowed by or made from."""

    name: Annotated[list[str] | None, typer.Option(help="Letters: NAME=GROUP, once for each name.")] = None
    names_in_turn: Annotated[
        int | None,
        typer.Option(help="Letters: so many names for each group, one in each prompt, taken in turn.", min=1),
    ] = None
    name_set: Annotated[
        str | None, typer.Option(help="Letters: take names from this set (us, or a .toml file) instead of the axis's.")
    ] = None
    document: Annotated[
        str | None, typer.Option(help="Letters: letter, resume_summary, peer_evaluation, or a .toml file of one's own.")
    ] = None
    occupation: Annotated[
        list[str] | None, typer.Option(help="Letters: only of these occupations; a .txt file has one to a line.")
    ] = None
    biographies: Annotated[Path | None, typer.Option(help="Letters: a table of biographies to write from.")] = None
    versions: Annotated[int | None, typer.Option(help="Letters: versions of each biography and group.", min=1)] = None


@dataclass(frozen=True)
class OfNewsOrCompletion:
    """Options that narrow the prompts of news and of completion."""

    headlines: Annotated[Path | None, typer.Option(help="News: a table of headlines.")] = None
    ideology: Annotated[str | None, typer.Option(help="News: also the biased prompts, with this ideology.")] = None
    base_model: Annotated[bool, typer.Option("--base-model", help="News: the headline alone.")] = False
    domain: Annotated[list[str] | None, typer.Option(help="Completion: only these domains.")] = None
    direction: Annotated[list[str] | None, typer.Option(help="Completion: only SAI or ASA.")] = None


@dataclass(frozen=True)
class OfAnyStudy:
    """Options that prompts of any study can have, or be made from."""

    mitigation: Annotated[str | None, typer.Option(help="Also every prompt with this instruction.")] = None
    instruction: Annotated[str | None, typer.Option(help="The mitigation's text, if it is your own.")] = None
    wordings: Annotated[
        str | None,
        typer.Option(help="Each prompt in so many wordings: a number, all, or a file with others of your own."),
    ] = None
    template: Annotated[
        Path | None, typer.Option(help="Compare, letters: the prompt's text, with {column} for what varies.")
    ] = None
    table: Annotated[Path | None, typer.Option(help="The table whose rows fill the template.")] = None
    mapping: Annotated[
        list[str] | None, typer.Option("--map", help="field=column of that table: group, second_group, block, name …")
    ] = None
    set_name: Annotated[str | None, typer.Option("--set", help="What the template's prompt set is called.")] = None


# An option that is given several times is a list in what is chosen.
CHOSEN_AS = {
    "task": "tasks", "theme": "themes", "axis": "axes", "name": "names", "occupation": "occupations",
    "domain": "domains", "direction": "directions", "mapping": "columns",
}  # fmt: skip


@grouped
def prompts(
    file: File,
    study: Annotated[
        str, typer.Option(help="news, completion, creativity, letters or compare, which a design needs.")
    ] = "",
    design: Annotated[
        str | None, typer.Option(help="A design, by its name (see “biasprint designs”) or its .toml file.")
    ] = None,
    as_json: AsJson = False,
    *,
    creativity: OfCreativity,
    letters: OfLetters,
    others: OfNewsOrCompletion,
    every: OfAnyStudy,
) -> None:
    """Add a prompt set, whole or narrowed. Another content under the same name becomes its next version."""
    from biasprint.core.runs.setup import add_prompts

    study = study or ("compare" if design else "")
    if not study:
        raise UsageError("No study was named.", hint="Name one with --study, or a design with --design.")
    given = {name: value for group in (creativity, letters, others, every) for name, value in vars(group).items()}
    choice = {CHOSEN_AS.get(name, name): value for name, value in given.items()}
    with open_for_writing(file) as project, job("Making prompts") as ctx:
        result = add_prompts(project, study, ctx=ctx, design=design, **choice)
    tell_hints(result.hints)
    if as_json:
        print_json({"study": study, "set": result.name, "version": result.version, "prompts": result.prompts})
    else:
        say(f"{result.name}, version {result.version}: {result.prompts:,} prompts.")


def designs(
    name: Annotated[str, typer.Argument(help="One of them, by its name or its .toml file; all where none is.")] = "",
    as_json: AsJson = False,
) -> None:
    """The designs of studies that ship: what each asks, how it measures, where it is from and what it cannot say."""
    from biasprint.core.prompts.designs import available_designs, design_set, load_design

    loaded = [load_design(each) for each in ((name,) if name else available_designs())]
    if as_json:
        shown = ("key", "title", "version", "question", "measure", "source", "cannot_say", "texts", "reads")
        every = [
            {**{part: getattr(design, part) for part in shown}, "prompts": len(design_set(design).prompts)}
            for design in loaded
        ]
        print_json({"designs": every})
        return
    for design in loaded:
        prompts = plural(len(design_set(design).prompts), "1 prompt", "%n prompts", digits.count)
        say(InLanguage(f"{design.key}: {tr(design.title)} ({prompts})"))  # the key is typed
        say(f"  {design.question}")
        if name:
            for title, words in (
                ("Measured", design.measure),
                ("Cannot say", design.cannot_say),
                ("Texts", design.texts),
            ):
                say(f"  {title}: {words}")
        say(f"  Source: {design.source}.")


def tell_hints(hints: Iterable[str]) -> None:
    """Note what someone who plans with a prompt set should know, once each."""
    for hint in dict.fromkeys(hints):
        note(hint)


@grouped
def generate(
    file: File,
    study: Annotated[str, typer.Option(help="Whose prompts to write for.")],
    backend: Backend,
    model: Model,
    how: GeneratorOptions,
    seed: Seed = 0,
    samples: Annotated[int, typer.Option(help="Outputs of each prompt.", min=1, max=10_000)] = 1,
    prompt_set: Annotated[
        str | None, typer.Option("--prompts", help="A prompt set: NAME or NAME@VERSION; the newest by default.")
    ] = None,
    choose: Annotated[
        str | None,
        typer.Option(help="Completion: choose the option by likelihood or likelihood_corrected, without a reply."),
    ] = None,
    retry_failures: Annotated[bool, typer.Option(help="Ask again for what failed before; not for refusals.")] = False,
    retry: Annotated[list[str] | None, typer.Option(help="Ask again for this kind of failure alone.")] = None,
    decline_biased: Annotated[
        bool, typer.Option("--decline-biased", help="Write nothing if a prompt is worded with bias.")
    ] = False,
    score: Annotated[
        bool, typer.Option("--score/--no-score", help="Score each text as it comes, by what the measures need.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write an output for every prompt that has none. Stopped at any point, the same command goes on."""
    from biasprint.core.compute import models, shared
    from biasprint.core.runs.generate import decline_set, start_run, why_nothing
    from biasprint.core.runs.generate import generate as write
    from biasprint.core.runs.setup import generator_spec, newest_set

    given, keys = how.chosen(backend, model, study, choose=choose)
    with open_for_writing(file) as project, job("Generating", f"{STOPS}, and what is written is kept") as ctx:
        chosen = newest_set(project, study, prompt_set)
        spec = generator_spec(backend, model, given, models(), ctx=ctx, keys=keys)
        note(f"Writing for {chosen.name}, version {chosen.version}.")
        if decline_biased:
            decline_set(ctx, project, chosen.id)
        run_id = start_run(project, prompt_set_id=chosen.id, generator=spec, seed=seed, samples=samples)
        if retry_failures or retry:
            project.outputs.forget_failures(run_id, None if retry_failures else retry)
        scoring = shared() if score else None
        result = write(ctx, project, run_id, models(), keys, opens=model, scoring=scoring, tell=note)
        nothing = why_nothing(project, result)
    _tell_generated(result, chosen, score=score, as_json=as_json)
    if nothing:
        complain(nothing)
        raise typer.Exit(1)


def _tell_generated(result: "GenerateResult", chosen: "PromptSetRow", *, score: bool, as_json: bool) -> None:
    from biasprint.core.runs.generate import cut_words
    from biasprint.core.scorers.refusal import REFUSAL

    if as_json:
        print_json(
            {"run": result.run_id, "set": chosen.name, "version": chosen.version, "wanted": result.wanted,
             "done": result.done, "failed": result.failed, "failures": dict(result.failures), "added": result.added,
             "new": result.new, "cut": result.cut, "left_out": list(result.left_out),
             **({"scored": _scored_as_data(result.scored)} if score else {})}
        )  # fmt: skip
        return
    say(f"{result.done:,} of {result.wanted:,} outputs are there, {result.new:,} of them new.")
    failures = {kind: count for kind, count in sorted(result.failures.items()) if kind != REFUSAL}
    if refused := result.failures.get(REFUSAL):
        say(f"{refused:,} refused; a refusal is an answer, so that only --retry refusal asks again.")
    if failures:
        kinds = ", ".join(f"{count:,} {kind or 'unknown'}" for kind, count in failures.items())
        total = sum(failures.values())
        say(f"{total:,} failed ({kinds}); --retry-failures asks for them again, --retry KIND for some.")
    if words := cut_words(result.cut):
        say(words)
    for scoring in result.scored:
        failed = f", {scoring.failed:,} failed: {scoring.error}" if scoring.failed else "."
        say(f"{scoring.scorer.name}: {scoring.added:,} texts scored{failed}")
        if scoring.given_up:
            say(
                f"{scoring.scorer.name} was given up; “biasprint score --scorer {scoring.scorer.name}” goes on with it."
            )


def _scored_as_data(results: "Sequence[ScoreResult]") -> dict[str, dict[str, Any]]:
    return {
        result.scorer.name: {
            "added": result.added,
            "unscored": result.unscored,
            "failed": result.failed,
            "error": result.error,
        }
        for result in results
    }


def replay(
    file: File,
    run: Annotated[int | None, typer.Option(help="The run's number; the newest one by default.", min=1)] = None,
    study: Annotated[str | None, typer.Option(help="The newest run of this study.")] = None,
    n: Annotated[int, typer.Option("--n", help="How many outputs, spread evenly over the run.", min=1)] = 5,
    model: Annotated[str, typer.Option(help="Where the model's file is, if its name alone does not tell.")] = "",
    findings: Annotated[
        bool, typer.Option("--findings", help="Instead of writing, measure again by the recipe of the findings.")
    ] = False,
    look_anyway: LookAnyway = False,
    as_json: AsJson = False,
) -> None:
    """Do again, by its recipe, what is stored: some outputs of a run, or findings; and compare. Stores nothing."""
    if findings:
        _measure_again(file, study, look_anyway, as_json)
        return
    from biasprint.core.compute import models
    from biasprint.core.runs.audit.again import latest_run
    from biasprint.core.runs.audit.again import replay as write_again

    with open_to_look(file, look_anyway, "replay") as project, job("Replaying") as ctx:
        run_id = run if run is not None else latest_run(project, study)
        result = write_again(ctx, project, run_id, models(), session_keys(None, False), count=n, opens=model)
    if as_json:
        print_json({**asdict(result), "same": result.same})
        return
    for output in result.outputs:
        differs = "the same text" if output.same else f"differs from character {output.at:,} on"
        say(f"  {output.key}, sample {output.sample + 1}: {differs}")
    say(f"Run {result.run_id} by {result.model}: {result.same:,} of {len(result.outputs):,} texts are the same.")
    for reason in result.reasons:
        say(reason)


def _measure_again(file: Path, study: str | None, look_anyway: bool, as_json: bool) -> None:
    from biasprint.core.compute import shared
    from biasprint.core.runs.audit.again import measured_again
    from biasprint.core.runs.reporting import measured_studies

    with open_to_look(file, look_anyway, "replay") as project, job("Measuring again") as ctx:
        kinds = [study] if study else measured_studies(project)
        if not kinds:
            raise AppError("Nothing was measured in this project yet.", hint="Measure a study first.")
        replayed = [measured_again(ctx, project, kind, shared()) for kind in kinds]
    if as_json:
        print_json({"version": 1, "studies": [again.to_json() for again in replayed]})
        return
    for again in replayed:
        say(f"{again.study}: {again.same:,} of {len(again.findings):,} findings have the same numbers.")
        for each in again.differing[:SHOWN_DIFFERENCES]:
            say(f"  {each.said}")
        if (left := len(again.differing) - SHOWN_DIFFERENCES) > 0:
            say(f"  and {left:,} more; --json lists them all.")
        for reason in again.reasons:
            say(reason)
