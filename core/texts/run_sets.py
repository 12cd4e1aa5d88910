"""Whose texts somebody names: generators by name, and runs by number or by when they were begun.

`run:3`, `run:3+5` are runs; `date:2026-03` those that were begun in that year, month or day (UTC), and
`date:2026-03..2026-05` those from the first to the last. A set of runs is named like a generator and treated as one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from biasprint.core.errors import UsageError
from biasprint.core.project.project import Project
from biasprint.core.project.rows import RunRow
from biasprint.core.texts.generators import StudyGenerator, chosen

RUN, DATE = "run:", "date:"
_RUNS = re.compile(r"\d+(\+\d+)*")
_WHEN = re.compile(r"(\d{4}(?:-\d\d(?:-\d\d)?)?)(?:\.\.(\d{4}(?:-\d\d(?:-\d\d)?)?))?")
SHOWN = 8  # runs in a hint


def named_texts(
    project: Project, study_id: int, known: Sequence[StudyGenerator], wanted: Iterable[str]
) -> tuple[StudyGenerator, ...]:
    """The generators and sets of runs that these words name, in their order, each once.

    A word may hold several, with commas between them. `known`: the generators whose runs count. Raises `UsageError`
    for what names nothing, and where two sets share a run.
    """
    found: dict[str, StudyGenerator] = {}
    for words in wanted:
        for part in _parts(words):
            of_runs = part.startswith((RUN, DATE))
            named = [_of_runs(project, study_id, known, part)] if of_runs else chosen(known, [part])
            found |= {one.name: one for one in named}
    _check_apart(list(found.values()))
    return tuple(found.values())


def _parts(words: str) -> Iterator[str]:
    """What stands between commas; names, which may hold commas themselves, together."""
    names: list[str] = []
    for part in words.split(","):
        if part.strip().startswith((RUN, DATE)):
            if names:
                yield ",".join(names)
            names = []
            yield part.strip()
        else:
            names.append(part)
    if names:
        yield ",".join(names)


def _of_runs(project: Project, study_id: int, known: Sequence[StudyGenerator], words: str) -> StudyGenerator:
    whose = {run: one for one in known for run in one.runs}
    rows = [run for run in project.runs.all() if run.id in whose]
    picked = _numbered(rows, words) if words.startswith(RUN) else _begun(rows, words)
    if not picked:
        told = [f"{run.id} ({whose[run.id].name}, {run.created_at[:10]})" for run in rows[-SHOWN:]]
        hint = f"Runs with texts: {'; '.join(told)}." if told else "There is no run with texts."
        raise UsageError(f"“{words}” names no run of this study that has texts.", hint=hint)
    writers = list({whose[run.id].name: whose[run.id] for run in picked}.values())
    if len(writers) > 1:
        names = "; ".join(f"“{one.name}”" for one in writers)
        hint = f"Choose one of them beside it with --generator: {names}."
        raise UsageError(f"“{words}” names runs of {len(writers)} generators.", hint=hint)
    own = {run.id for run in picked}
    texts = [found for key, found in project.outputs.written(study_id).items() if key in own]
    return replace(
        writers[0],
        name=f"{writers[0].name}, {_called(words, picked)}",
        seeds=tuple(dict.fromkeys(run.seed for run in picked)),
        n=sum(one.n for one in texts),
        first=min(one.first for one in texts),
        last=max(one.last for one in texts),
        runs=tuple(run.id for run in picked),
        imported_as=None,
    )


def _called(words: str, runs: Sequence[RunRow]) -> str:
    if words.startswith(DATE):
        return words.removeprefix(DATE).replace("..", " to ")
    numbers = [str(run.id) for run in runs]
    return f"run {numbers[0]}" if len(numbers) == 1 else f"runs {', '.join(numbers[:-1])} and {numbers[-1]}"


def _numbered(rows: Sequence[RunRow], words: str) -> list[RunRow]:
    asked = words.removeprefix(RUN).replace(" ", "")
    if not _RUNS.fullmatch(asked):
        raise UsageError(f"“{words}” is no set of runs.", hint="For example run:3, or run:3+5.")
    numbers = {int(number) for number in asked.split("+")}
    found = [run for run in rows if run.id in numbers]
    return found if len(found) == len(numbers) else []


def _begun(rows: Sequence[RunRow], words: str) -> list[RunRow]:
    match = _WHEN.fullmatch(words.removeprefix(DATE).strip())
    if match is None:
        raise UsageError(
            f"“{words}” is no date.",
            hint="For example date:2026, date:2026-03, date:2026-03-15 or two with .. between.",
        )
    first, last = match[1], match[2] or match[1]
    return [run for run in rows if first <= run.created_at[: len(first)] and run.created_at[: len(last)] <= last]


def _check_apart(named: Sequence[StudyGenerator]) -> None:
    """A text cannot stand on both sides."""
    for place, one in enumerate(named):
        for other in named[place + 1 :]:
            if shared := sorted(set(one.runs) & set(other.runs)):
                raise UsageError(
                    f"“{one.name}” and “{other.name}” share run {shared[0]}.", hint="Name sets that share none."
                )
