"""calibrate: what the findings of a study find of a planted bias, and how often they cry wolf."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biasprint.core.cli.console import job, note, print_json, print_table, say
from biasprint.core.cli.project_commands import AsJson, Seed
from biasprint.core.errors import UsageError

if TYPE_CHECKING:
    from biasprint.core.runs.calibrate import Asked, Calibrated

COLUMNS = ("finding", "planted", "n", "power", "false alarms", "coverage", "mean floor")


def add_calibrate_to(app: typer.Typer) -> None:
    app.command()(calibrate)


def calibrate(
    study: Annotated[list[str], typer.Argument(help="news, completion, creativity or letters; one or several.")],
    planted: Annotated[
        str, typer.Option(help="How large the planted biases are, between commas.")
    ] = "none,small,medium,large",
    n: Annotated[
        str, typer.Option(help="How large a study is, between commas; by default as recommended, and half.")
    ] = "",
    repeats: Annotated[int, typer.Option(help="How many studies are simulated of each.", min=1)] = 100,
    seed: Seed = 0,
    as_json: AsJson = False,
    out: Annotated[
        Path | None, typer.Option(help="A folder for a table (csv), a page (Markdown) and a figure (svg) each.")
    ] = None,
) -> None:
    """Simulate whole studies with a planted bias: how often it is found, cried wolf at, and held by intervals."""
    from biasprint.core.runs.calibrate import Asked
    from biasprint.core.runs.calibrate import calibrate as calibrated

    studies = tuple(dict.fromkeys(study))
    asked = Asked(studies, tuple(dict.fromkeys(_parts(planted))), _numbers(n), repeats, seed)
    note("Scorers that look words up stand in for models; texts are the synthetic author's.")
    with job(f"Simulating {', '.join(studies)}") as ctx:
        rows = calibrated(ctx, asked)
    if out is not None:
        from biasprint.core.runs.calibrate.told import write

        for path in write(out, rows, repeats, seed, _command(asked)):
            note(f"Written: {path}.")
    if as_json:
        from biasprint.core.runs.calibrate.told import to_json

        print_json(to_json(rows, repeats, seed))
    else:
        _print(rows)


def _parts(given: str) -> list[str]:
    return [part.strip() for part in given.split(",") if part.strip()]


def _numbers(given: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in _parts(given))
    except ValueError:
        raise UsageError(f"“{given}” is no list of whole numbers.", hint="For example: --n 30,60") from None


def _command(asked: "Asked") -> str:
    """What makes the same rows again."""
    n = ["--n", ",".join(map(str, asked.n))] if asked.n else []
    rest = ["--planted", ",".join(asked.planted), *n, "--repeats", str(asked.repeats), "--seed", str(asked.seed)]
    return shlex.join(["biasprint", "calibrate", *asked.studies, *rest, "--out", "docs/tables"])


def _print(rows: "list[Calibrated]") -> None:
    from biasprint.core.draw import digits
    from biasprint.core.runs.calibrate.told import share_text

    told = [
        (
            row.name, row.planted, f"{row.n:,}", share_text(row.power), share_text(row.false_alarms),
            share_text(row.coverage), "–" if row.floor is None else digits.number(row.floor),
        )
        for row in rows
    ]  # fmt: skip
    print_table(COLUMNS, told, right=COLUMNS[2:])
    missed = [f"{row.name} ({row.planted}, n = {row.n:,}): {', '.join(row.missed)}" for row in rows if row.missed]
    say("Missed:" if missed else "No bound is missed.")
    for line in missed:
        say(f"  {line}")
