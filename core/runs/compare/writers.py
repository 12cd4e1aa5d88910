"""The generators that wrote texts of a study, by labels that tell them apart."""

import re
from collections import Counter
from collections.abc import Sequence

from core.errors import UsageError
from core.project.project import Project
from core.project.rows import GeneratorRow
from core.project.stores.runs import OutputFilter

# Tables of judgments separate identities by these, and a label is one: it holds none of them.
SEPARATORS = re.compile(r"[|,;\s]+")


def writers(project: Project, study_id: int) -> dict[int, str]:
    """Run → the label of its generator, for runs that have an output.

    The label is the model's name; where several generators of the study have the same, what they differ in is added.
    """
    with_outputs = [
        run
        for run in project.runs.all()
        if run.study_id == study_id and project.outputs.page(0, 1, OutputFilter(run_id=run.id, status="done"))
    ]
    every = project.runs.generators()
    rows = {run.generator_id: every[run.generator_id] for run in with_outputs}
    labels = labels_of(list(rows.values()))
    return {run.id: labels[run.generator_id] for run in with_outputs}


def labels_of(rows: Sequence[GeneratorRow]) -> dict[int, str]:
    """Generator id → label: as little as tells each from the others."""
    differing = {
        name
        for row in rows
        for name in row.parameters
        if len({repr(other.parameters.get(name)) for other in rows if other.model == row.model}) > 1
    }
    found: dict[int, str] = {}
    for say in (
        lambda row: row.model or row.backend,
        lambda row: f"{row.model} ({row.backend})",
        lambda row: f"{row.model} ({_parameters(row, differing)})",
        lambda row: f"{row.model} ({row.backend} {_parameters(row, differing)} {row.revision[:8]})",
        lambda row: f"{row.model} (generator {row.id})",
    ):
        said = {row.id: _clean(say(row)) for row in rows if row.id not in found}
        times = Counter([*said.values(), *found.values()])
        found |= {number: label for number, label in said.items() if times[label] == 1}
    return found


def chosen_writers(project: Project, study_id: int, models: Sequence[str]) -> dict[int, str] | None:
    """Run → label of the generators that are named, or None where none is named: then all are meant."""
    if not models:
        return None
    runs = writers(project, study_id)
    labels = {_wanted(name, runs) for name in models}
    return {run: label for run, label in runs.items() if label in labels}


def _wanted(name: str, runs: dict[int, str]) -> str:
    """The label that is meant: itself, or the only one of a model of this name."""
    there = sorted(set(runs.values()))
    clean = _clean(name)
    matching = [label for label in there if label == clean] or [
        label for label in there if label.startswith(f"{clean} (")
    ]
    if len(matching) == 1:
        return matching[0]
    hint = f"There are: {'; '.join(there) or 'none yet'}."
    if matching:
        raise UsageError(f"“{name}” could be any of several generators.", hint=hint)
    raise UsageError(f"No generator “{name}” has written texts of this study.", hint=hint)


def _parameters(row: GeneratorRow, differing: set[str]) -> str:
    return " ".join(f"{name} {row.parameters[name]}" for name in sorted(differing) if name in row.parameters)


def _clean(label: str) -> str:
    return SEPARATORS.sub(" ", label).replace(" )", ")").replace("( ", "(").strip()[:120]
