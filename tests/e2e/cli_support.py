"""What the tests of the command line share: running a command, and a project that has everything in it."""

import io
import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from biasprint.core.judging.looking import record_look
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, JudgmentRow, Outcome
from biasprint.core.project.specs import (
    GeneratorSpec,
    JudgmentSpec,
    OutputSpec,
    PromptSetSpec,
    PromptSpec,
    RaterSpec,
    RunSpec,
)
from biasprint.desktop.__main__ import main

ROOT = Path(__file__).parents[2]
JUDGED = ("annotation", "draft", "judgment", "session", "rater")  # tables of what people said
COMMAND = (sys.executable, "-m", "biasprint")


@dataclass(frozen=True)
class Answer:
    """What a command gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Stdout as one JSON document: anything before or after it is an error here."""
        return json.loads(self.out)


def biasprint(*argv: object, code: int | None = 0, encoding: str = "utf-8") -> Answer:
    """Run a command in this process; its heavy work goes to the one shared compute process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        returned = main([str(part) for part in argv])
    answer = Answer(returned, *(_content(stream) for stream in (out, err)))
    if code is not None:
        assert answer.code == code, f"exit code {answer.code}, not {code}: {argv}\n{answer.out}\n{answer.err}"
    return answer


def refused(*argv: object, code: int, says: str) -> str:
    """Run a command that must fail with one clear sentence and no answer; what it said."""
    answer = biasprint(*argv, code=code)
    assert answer.out == "", f"a failure is no answer: {answer.out}"
    assert says in answer.err
    assert "Traceback" not in answer.err, answer.err
    assert "not foreseen" not in answer.err, answer.err
    return answer.err


def start(argv: Sequence[object], **options: Any) -> "subprocess.Popen[Any]":
    """The real program in a process of its own."""
    command = [*COMMAND, *(str(part) for part in argv)]
    return subprocess.Popen(command, cwd=options.pop("cwd", ROOT), **options)


def program(*argv: object, env: dict[str, str] | None = None, **options: Any) -> Answer:
    """Run the real program in a process of its own, and wait for it."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    process = start(argv, env={**os.environ, **(env or {})}, text=True, encoding="utf-8", **pipes)
    out, err = process.communicate(timeout=120)
    return Answer(process.returncode, out or "", err or "")


def outputs_of(path: Path) -> dict[tuple[int, str, int], tuple[str, int, str]]:
    """Text, seed and status of every output, by run, prompt key and sample."""
    with Project.open(path, read_only=True) as project:
        rows = list(project.outputs.each())
    found = {(row.run_id, row.prompt_key, row.sample): (row.text, row.seed, row.status) for row in rows}
    assert len(found) == len(rows), "an output stands twice"
    return found


def narrow(path: Path, kept: int) -> None:
    """Leave the first prompts of the newest set alone, as its next version: for tests of what takes long a prompt."""
    with Project.open(path) as project:
        newest = project.prompts.sets()[-1]
        rows = project.prompts.page(newest.id, 0, kept)
        names = [field.name for field in fields(PromptSpec)]
        prompts = tuple(PromptSpec(**{name: getattr(row, name) for name in names}) for row in rows)
        spec = PromptSetSpec(name=newest.name, recipe=newest.recipe, prompts=prompts)
        project.prompts.add_set(newest.study_id, spec)


def forget(path: Path, *tables: str) -> None:
    """Empty these tables of a closed project."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for table in tables:
            connection.execute(f"DELETE FROM {table}")


def judge(path: Path, *, raters: int = 2) -> None:
    """Judge every comparison of the newest plan, with ties, skips, withdrawn and revised choices; then reveal."""
    with Project.open(path) as project:
        plan = project.judging.plans()[-1]
        chance = random.Random(plan.axis)
        comparisons = project.judging.comparisons(plan.id)
        for number in range(raters):
            rater = project.judging.add_rater(RaterSpec(code=f"{plan.axis}-{number}")).uuid("rater")
            session = project.judging.open_session(plan.id, rater).uuid("session")
            for comparison in comparisons:
                _judge_one(project, session, comparison, chance)
            project.judging.reveal(session)


def open_session(path: Path, code: str = "unfinished", *, looked: bool = True) -> None:
    """A session with one judgment that is not revealed yet; `looked`: in which somebody has looked at identities."""
    with Project.open(path) as project:
        plan = project.judging.plans()[-1]
        rater = project.judging.add_rater(RaterSpec(code=code)).uuid("rater")
        session = project.judging.open_session(plan.id, rater).uuid("session")
        _record(project, session, project.judging.comparisons(plan.id)[0], "choice", 0, None)
        if looked:
            record_look(project, "a test")


def _judge_one(project: Project, session: str, comparison: ComparisonRow, chance: random.Random) -> None:
    said: Outcome = chance.choices(("choice", "tie", "none", "skip"), (70, 10, 10, 10))[0]
    chosen = chance.randrange(len(comparison.items)) if said == "choice" else None
    first = _record(project, session, comparison, said, chosen, None)
    if chance.random() < 0.3:
        undone = _record(project, session, comparison, "undone", None, first.id)
        if chance.random() < 0.5:
            _record(project, session, comparison, "choice", chance.randrange(len(comparison.items)), undone.id)


def _record(
    project: Project, session: str, comparison: ComparisonRow, outcome: Outcome, chosen: int | None, instead: str | None
) -> JudgmentRow:
    spec = JudgmentSpec(
        session_id=session,
        comparison_id=comparison.id,
        outcome=outcome,
        chosen=chosen,
        shown=tuple(reversed(range(len(comparison.items)))),
        texts_sha256=comparison.texts_sha256,
        active_seconds=1.5,
        supersedes=instead,
    )
    key = project.judging.record(spec).uuid("judgment")
    return next(row for row in project.judging.judgments(session, superseded=True) if row.id == key)


def _content(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode(stream.encoding)


def answer_all(file: Path, study: str) -> str:
    """A text for each prompt of a study's newest set, a word longer for each letter of its identity; whose it is."""
    with Project.open(file) as project:
        (found,) = [row for row in project.studies.all() if row.kind == study]
        prompts = project.prompts.page(project.prompts.sets(found.id)[-1].id)
        generator = project.runs.add_generator(GeneratorSpec(backend="written", model="m")).number("generator")
        run = RunSpec(study_id=found.id, prompt_set_id=prompts[0].prompt_set_id, generator_id=generator, seed=1)
        run_id = project.runs.start(run).number("run")
        texts = {one.id: f"Pay {'more ' * len(one.identity)}now." for one in prompts}
        project.outputs.record_many(
            [OutputSpec(run_id=run_id, prompt_id=key, sample=0, seed=1, text=text) for key, text in texts.items()]
        )
        return "m"


def rot(path: Path, table: str, column: str = "", row: int = 0) -> tuple[str, str]:
    """Flip one bit in a text of a row; size and time of the file stay. Return the row's name, and the words as they
    became.
    """
    with closing(sqlite3.connect(path)) as connection:
        kinds = [(name, kind) for _, name, kind, *_ in connection.execute(f'PRAGMA table_info("{table}")')]
        texts = [column] if column else [name for name, kind in kinds if kind == "TEXT"]
        key = "id" if ("id", "TEXT") in kinds or ("id", "INTEGER") in kinds else "comparison_id"
        listed = ", ".join(f'"{name}"' for name in texts)
        rows = connection.execute(f'SELECT {key}, {listed} FROM "{table}" ORDER BY rowid').fetchall()
    content, before = bytearray(path.read_bytes()), path.stat()
    for name, *values in rows[row:] if row >= 0 else rows[::-1][-row - 1 :]:
        for stored in sorted((value.encode() for value in values if value), key=len, reverse=True):
            letters = [at for at in range(len(stored) // 2, len(stored)) if chr(stored[at]) in "abcdefgh02468"]
            if letters and content.count(stored) == 1:
                at = content.index(stored) + letters[0]
                content[at] ^= 1
                with path.open("r+b") as file:  # this byte alone: a window may be reading the others
                    file.seek(at)
                    file.write(content[at : at + 1])
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
                return f"{table} {name}", content[at - 8 : at + 8].decode(errors="replace")
    raise AssertionError(f"no text of {table} is in the file once")
