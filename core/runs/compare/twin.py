"""Swap twins: a letter beside the same letter with name and gender swapped."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from core.compute import ComputeProcess
from core.errors import AppError
from core.jobs import JobContext
from core.judging.plan import TWIN, Candidate, LeftOut
from core.project.project import Project
from core.project.rows import TextKey
from core.project.specs import SourceSpec
from core.runs.compare.people import People, Swapping
from core.runs.compare.pool import Pool, Request, chosen_writers, outputs, problem_of, shown_theme, sources, theme_of
from core.swap.engine import ENGINE, StrictTwin
from core.text import sha256_text

AT_ONCE = 25  # letters that cross to the compute process together
OTHER_GROUPS = "its groups are not those that are compared"


@dataclass(frozen=True)
class _Letter:
    key: TextKey
    text: str
    fields: Mapping[str, str]
    task: str
    theme: str
    shown_theme: str
    about: Swapping


def gather(ctx: JobContext, project: Project, asked: Request, compute: ComputeProcess) -> Pool:
    """Every letter that can be swapped safely, with its twin. The others are left out, each with its reason."""
    if asked.study.kind != "letters":
        raise AppError(
            "Only letters have swap twins: a twin needs to know whom the text is about.",
            kept="No plan was made.",
            hint="Compare the texts of a letters study.",
        )
    left_out: list[LeftOut] = []
    letters = list(_letters(ctx, project, asked, left_out))
    pair = _pair(letters)
    wanted = []
    for letter in letters:
        if set(letter.about.groups) == set(pair):
            wanted.append(letter)
        else:
            left_out.append(_left(letter.key, OTHER_GROUPS))
    candidates: list[Candidate] = []
    new: dict[int, SourceSpec] = {}
    for letter, twin in zip(wanted, _twins(ctx, wanted, compute), strict=True):
        if twin.reason:
            left_out.append(_left(letter.key, twin.reason))
            continue
        number = -1 - len(new)
        new[number] = _source(letter, twin.text)
        candidates += _cards(letter, twin.text, number)
    return Pool(candidates, {TWIN: pair} if pair else {}, tuple(left_out), new)


def _letters(ctx: JobContext, project: Project, asked: Request, left_out: list[LeftOut]) -> Iterator[_Letter]:
    """The letters whose two people are known; what is wrong with the others goes to `left_out`."""
    people = People(project)
    runs = chosen_writers(project, asked.study.id, asked.models)
    rows: list[tuple[TextKey, str, Mapping[str, str], str, str]] = [
        (("output", row.id), row.text, {"group": row.identity, **row.fields}, row.task, problem_of(row))
        for row in outputs(ctx, project, asked.study.id)
        if runs is None or row.run_id in runs
    ]
    if runs is None:
        for row in sources(project, asked.study.id, "letter"):
            problem = "" if row.text.strip() else "its text is empty"
            rows.append((("source", row.id), row.text, row.fields, row.fields.get("document", "") or "letter", problem))
    for key, text, fields, task, problem in rows:
        about = people.of(fields, text)
        if problem or about.problem:
            left_out.append(_left(key, problem or about.problem))
            continue
        theme = theme_of("letters", "", fields)
        yield _Letter(key, text, fields, task, theme, shown_theme("letters", theme, fields, about.groups), about)


def _pair(letters: list[_Letter]) -> tuple[str, ...]:
    """The two groups that most letters and twins are about, in alphabetical order; one plan has one pair."""
    counted = Counter(tuple(sorted(letter.about.groups)) for letter in letters)
    return max(sorted(counted), key=lambda pair: counted[pair]) if counted else ()


def _twins(ctx: JobContext, letters: list[_Letter], compute: ComputeProcess) -> Iterator[StrictTwin]:
    for start in range(0, len(letters), AT_ONCE):
        ctx.check()
        part = [(one.text, one.about.about, one.about.other) for one in letters[start : start + AT_ONCE]]
        yield from compute.call("core.swap.engine:strict_twins", part, ctx=ctx, on_report=lambda *_: None)
        ctx.report(min(start + AT_ONCE, len(letters)), len(letters), note="swapping names and genders")


def _cards(letter: _Letter, twin: str, number: int) -> tuple[Candidate, Candidate]:
    kind, text_id = letter.key
    own, other = letter.about.groups
    output, source = (text_id, None) if kind == "output" else (None, text_id)
    original = Candidate(
        output=output,
        source=source,
        axis=TWIN,
        identity=own,
        task=letter.task,
        theme=letter.theme,
        text_sha256=sha256_text(letter.text),
        model=own,  # so that as many letters as twins are about one group
        block=f"{kind} {text_id}",
        shown_theme=letter.shown_theme,
    )
    return original, replace(original, output=None, source=number, identity=other, text_sha256=sha256_text(twin))


def _source(letter: _Letter, twin: str) -> SourceSpec:
    """The twin as it is stored; its origin names the letter, the engine and the text, so that none is there twice."""
    kind, text_id = letter.key
    other = letter.about.other
    assert other is not None
    kept = {name: letter.fields[name] for name in ("occupation", "document", "line_break") if name in letter.fields}
    name = f"{other.first_name} {other.last_name}".strip()
    fields = {**kept, "twin_of": f"{kind} {text_id}", "group": letter.about.groups[1], "name": name, "engine": ENGINE}
    origin = f"twin of {kind} {text_id}, {sha256_text(twin)[:12]}"
    return SourceSpec(kind="twin", origin=origin, row=0, text=twin, fields=fields)


def _left(key: TextKey, reason: str) -> LeftOut:
    return LeftOut(key[1], reason) if key[0] == "output" else LeftOut(None, reason, key[1])
