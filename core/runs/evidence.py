"""The texts behind a finding, found again from its recipe, which says who was read and how far."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from biasprint.core.findings import Finding
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextKey
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.texts.generators import LETTER, imported_name, prompts_asked, runs_by_name, table_prompt


@dataclass(frozen=True)
class MeasuredText:
    """A text that was measured. `generator`: as the findings name it; `sides`: and the sets of runs it is in.

    `prompt`: the same for texts that answer the same prompt; empty where that is not known.
    """

    key: TextKey
    generator: str
    sides: tuple[str, ...]
    prompt: str


def read_texts(project: Project, study_id: int, recipe: Mapping[str, Any]) -> Iterator[MeasuredText]:
    """Yield the finished texts that were there when a study was measured, of the generators that were wanted.

    For findings from before recipes said that, all current texts.
    """
    asked, names = prompts_asked(project, study_id), _names(project, recipe)
    known = None if "generators" not in recipe else {entry["name"] for entry in recipe["generators"]}
    sides = [(entry["name"], frozenset(entry["runs"])) for entry in recipe.get("sides", ())]
    last = recipe.get("read_to")
    for row in project.outputs.each(OutputFilter(study_id=study_id, status="done")):
        name = names.get(row.run_id, "")
        of = tuple(side for side, runs in sides if row.run_id in runs)
        if (last is None or row.id <= last) and (known is None or name in known or of):
            yield MeasuredText(("output", row.id), name, of, asked[row.prompt_id])
    for source in chunks(lambda after, limit: project.sources.page(study_id, after, limit), lambda row: row.id):
        if source.kind == LETTER:
            name = imported_name(source.fields.get("model", ""))
            if known is None or name in known:
                yield MeasuredText(("source", source.id), name, (), table_prompt(source.fields))


def paired_texts(
    project: Project, study_id: int, finding: Finding, recipe: Mapping[str, Any]
) -> dict[TextKey, tuple[str, str]]:
    """Return, for a difference between two generators (or sets of runs), the texts of prompts that both answered.

    Text → the side whose it is, and its prompt.
    """
    prompts: dict[str, dict[TextKey, str]] = {name: {} for name in finding.groups}
    for text in read_texts(project, study_id, recipe):
        for side in (text.generator, *text.sides):
            if side in prompts and text.prompt:
                prompts[side][text.key] = text.prompt
    both = set.intersection(*(set(of.values()) for of in prompts.values())) if prompts else set()
    return {key: (side, prompt) for side, of in prompts.items() for key, prompt in of.items() if prompt in both}


def _names(project: Project, recipe: Mapping[str, Any]) -> dict[int, str]:
    """Run → the name of its generator in this recipe, else today's."""
    own = {run: entry["name"] for entry in recipe.get("generators", ()) for run in entry.get("runs", ())}
    return runs_by_name(project) | own
