"""A bit that rotted in a stored row: every command that hands the row on or counts it names it, and leaves it out."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from cli_support import biasprint, rot
from seeded_part import seeded_part
from typer.main import get_command

import biasprint as interface
from biasprint.core.project.project import Project
from biasprint.desktop.commands import build_program

SYNTHETIC = ("--backend", "synthetic", "--model")

# What each command is given, and the tables of which it must name a rotten row; those of which it reads nothing, and
# need not, are left away. @: which row, or one that the first plan shows. {file}, {out}: the project, a file to write.
READING: dict[str, tuple[str, str]] = {
    "prompts": ("prompts {file} --study letters", "study"),
    "generate": (
        "generate {file} --study letters {write} large --seed 5", "study prompt_set@-1 prompt@-1 run@-1 output@-1",
    ),
    "replay": ("replay {file} --n 400 --look-anyway", "run generator output@-1 prompt@-1"),
    "compare": ("compare {file} --axis gender --seed 9", "output prompt axis_definition"),
    "import": ("import {file} {table} --study letters", "study"),
    "score": ("score {file} --scorer length", "output prompt run"),
    "export prompts": ("export {file} prompts --out {out}.csv --look-anyway", "prompt prompt_set study"),
    "export outputs": ("export {file} outputs --out {out}.csv --look-anyway", "output prompt run generator"),
    "export scores": ("export {file} scores --out {out}.csv --look-anyway", "score output"),
    "export judgments": (
        "export {file} judgments --out {out}.csv --look-anyway", "judgment session rater comparison plan annotation",
    ),
    "export findings": ("export {file} findings --out {out}.csv --look-anyway", "finding"),
    "measure": ("measure compare {file} --texts-of letters --scorer score=length --look-anyway", "output@-1 score@-1"),
    "report": ("report {file} --study letters --out {out}.html --look-anyway", "finding output run generator"),
    "judge": ("judge {file} {write} small", "plan"),
    "audit-file": ("audit-file {file} --out {out}.toml --look-anyway", "prompt_set run generator finding"),
    "pack make": ("pack make {file} --out {out} --look-anyway", "output finding run event"),
    "packet list": ("packet list {file}", "packet rater"),
    "packet make": ("packet make {file} --plan {drawn} --out {out} --rater R07", "output@drawn plan comparison"),
    "packet merge": ("packet merge {file} {packet}", "packet plan"),
    "packet decide": ("packet decide {file} R01 abc --neither", "session"),
    "packet seats": ("packet seats {file}", "plan"),
    "packet count": ("packet count {file} R01", "packet"),
    "raters list": ("raters list {file}", "judgment session rater comparison annotation@-1"),
    "raters exclude": ("raters exclude {file} gender-1 --reason asleep", "rater"),
    "raters include": ("raters include {file} gender-0", "rater annotation@-1"),
    "reference make": ("reference make mine {file} --occupation student --look-anyway", "output"),
    "saved-letters list": ("saved-letters list {file} --look-anyway", "reading"),
    "saved-letters add": ("saved-letters add {file} {letter}", "study"),
    "saved-letters remove": ("saved-letters remove {file} abc", "reading"),
    "analysis-plan new": ("analysis-plan new {file} --study letters --out {out}.toml --look-anyway", "study"),
    "analysis-plan lock": ("analysis-plan lock {file} {plan}", "study"),
    "analysis-plan show": ("analysis-plan show {file} --look-anyway", "event"),
}  # fmt: skip
NAMING = ("check", "rescue", "restore")  # a damaged row is their very subject
# Those that read none, need a model that answers, or do by the same functions what others of these do.
OTHERS = (
    "new", "designs", "example", "calibrate", "impact", "offline", "prepare", "letter", "run", "gui", "demo",
    "certificate", "axis list", "axis cross", "axis check", "names list", "names check", "names make", "pack verify",
    "models list", "models get", "models export", "models verify", "models add", "models remove", "models prefer",
    "models engine", "endpoints list", "endpoints test", "endpoints add", "endpoints remove", "endpoints key",
    "reference list", "reference remove",
)  # fmt: skip


def commands(group: Any, before: tuple[str, ...] = ()) -> Iterator[str]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*before, name))
        else:
            yield " ".join((*before, name))


def test_every_command_is_held_against_rot_or_has_a_reason_not_to_be() -> None:
    tried = {"export" if name.startswith("export ") else name for name in READING}
    assert tried | set(NAMING) | set(OTHERS) == set(commands(get_command(build_program())))


@pytest.fixture
def known(everything: Path, tmp_path: Path) -> Path:
    """A project that has everything in it, closed by this machine: it is opened again without being examined."""
    file = Path(shutil.copy(everything, tmp_path / "study.biasprint"))
    biasprint("packet", "list", file)
    return file


def argv(name: str, file: Path, out: Path, made: Path) -> Sequence[str]:
    packet = sorted((made.parent / "packets").iterdir())[0]
    with Project.open(made, read_only=True) as project:
        drawn = project.judging.plans()[0].id
    places = {
        "{drawn}": drawn,
        "{file}": file, "{out}": out, "{table}": made.with_name("table.csv"), "{letter}": made.with_name("letter.txt"),
        "{plan}": made.with_name("plan.toml"), "{packet}": packet,
    }  # fmt: skip
    words = READING[name][0].replace("{write}", " ".join(SYNTHETIC))
    for place, path in places.items():
        words = words.replace(place, str(path))
    return words.split()


def shown_in_a_plan(file: Path) -> int:
    """The place of a text among the outputs, whose ids are 1, 2, 3."""
    with Project.open(file, read_only=True) as project:
        return (project.judging.comparisons(project.judging.plans()[0].id)[0].items[0].output or 1) - 1


# Every command is tried with the first of its tables; of the others a part is.
FIRST = [(name, tables.split()[0]) for name, (_, tables) in READING.items()]
OTHER_TABLES = [(name, table) for name, (_, tables) in READING.items() for table in tables.split()[1:]]


@pytest.mark.parametrize(
    ("name", "table"),
    [*FIRST, *seeded_part(OTHER_TABLES, 12)],
    ids=[f"{name}-{table}" for name, table in (*FIRST, *OTHER_TABLES)],
)
def test_a_flipped_bit_is_told_and_its_row_left_out(
    everything: Path, known: Path, name: str, table: str, tmp_path: Path
) -> None:
    table, _, which = table.partition("@")
    row, rotten = rot(known, table, row=shown_in_a_plan(known) if which == "drawn" else int(which or 0))
    made = tmp_path / "made"
    made.mkdir()

    answer = biasprint(*argv(name, known, made / "out", everything), code=None)

    assert "of “study.biasprint”" in answer.err, answer.err
    assert "damaged and left out: " in answer.err, answer.err
    assert row in answer.err, answer.err
    assert "unexpected" not in answer.err
    written = [path.read_bytes() for path in made.rglob("*") if path.is_file()]
    assert all(rotten.encode() not in each for each in (*written, answer.out.encode()))


def test_a_sound_project_is_told_nothing(known: Path, tmp_path: Path) -> None:
    out = tmp_path / "o.csv"
    assert "damaged" not in biasprint("export", known, "outputs", "--look-anyway", "--out", out).err


def test_it_is_told_where_quiet_was_asked_for(known: Path, tmp_path: Path) -> None:
    row, _ = rot(known, "output", "text")
    out = tmp_path / "o.csv"
    assert row in biasprint("--quiet", "export", known, "outputs", "--look-anyway", "--out", out).err


def test_from_python_it_is_a_warning(known: Path) -> None:
    before = len(interface.open(known, look_anyway=True).outputs())
    row, _ = rot(known, "output", "text")

    project = interface.open(known, look_anyway=True)
    with pytest.warns(UserWarning, match=f"damaged and left out: {row}"):
        outputs = project.outputs()

    assert len(outputs) == before - 1
