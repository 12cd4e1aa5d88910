"""Designs of studies: prompts, how a reply to them is read, and what is measured, each one TOML file.

`resources/designs` holds those that ship; a file of one's own is given by its path. A design has one layout: `people`
asks the same of every group of an axis, `pairs` lets words or tasks be given to two groups, `ranking` lets equal
candidates be put in order. `design_set` makes its prompts; `core.studies.compare` reads and measures the replies.
"""

from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from biasprint.core.errors import UsageError
from biasprint.core.prompts.axes import Axis, near
from biasprint.core.prompts.designs.design import Design, DesignMeasure, pair_prompts, people_prompts, ranking_prompts
from biasprint.core.prompts.drafts import PromptSetDraft
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.prompts.wordings import TemplateWords

__all__ = ["Design", "available_designs", "design_set", "load_design", "reworded", "shipped_measure"]


def available_designs() -> tuple[str, ...]:
    """Return the keys of the shipped designs, in alphabetical order."""
    names = (entry.name for entry in packaged("designs").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_design(source: str | Path) -> Design:
    """Return a shipped design by its key, or a file by its path (a `Path`, or a string that ends in ".toml")."""
    if isinstance(source, Path) or source.endswith(".toml"):
        path = Path(source)
        return _with_axis_file(validated(Design, read_toml(path), f"The design {source}"), path.parent)
    if source not in available_designs():
        hint = f"Shipped designs: {', '.join(available_designs())}. Your own is given by the path of its .toml file."
        raise UsageError(f"There is no design “{source}”.", hint=hint)
    return validated(Design, read_toml(packaged("designs", f"{source}.toml")), f"The shipped design {source}")


def _with_axis_file(design: Design, folder: Path) -> Design:
    """Resolve the axis file that a design's file names, relative to that file's folder."""
    if design.people:
        return replace(design, people=replace(design.people, axis=near(design.people.axis, folder)))
    if design.ranking:
        return replace(design, ranking=replace(design.ranking, axis=near(design.ranking.axis, folder)))
    return design


def reworded(design: Design, words: TemplateWords) -> Design:
    """Return the design with its templates in this wording, by their names; that of a ranking is called template."""
    if design.ranking:
        template = words.of("template", design.ranking.template)
        return replace(design, ranking=replace(design.ranking, template=template))
    layout = design.people or design.pairs
    assert layout is not None
    templates = {name: words.of(name, text) for name, text in layout.templates.items()}
    if design.people:
        return replace(design, people=replace(design.people, templates=templates))
    assert design.pairs is not None
    return replace(design, pairs=replace(design.pairs, templates=templates))


def design_set(design: Design) -> PromptSetDraft:
    """Return all prompts of a design. Its recipe says how replies are read and measured, so that a project needs no
    file.
    """
    axis: Axis | None = None
    if design.people:
        axis, prompts = people_prompts(design, design.people)
    elif design.ranking:
        axis, prompts = ranking_prompts(design, design.ranking)
    else:
        prompts = pair_prompts(design)
    recipe = {
        "suite": design.key,
        "source": design.source,
        "design": asdict(design.measured(axis)),
        "axes": {axis.key: {"version": axis.version, "sha256": axis.sha256}} if axis else {},
    }
    return PromptSetDraft(design.title, recipe, tuple(prompts), (axis,) if axis else (), (design.cannot_say,))


@cache
def shipped_measure(key: str) -> DesignMeasure | None:
    """Return how a shipped design is measured, for texts whose prompts are not here; None for a key that none has."""
    if key not in available_designs():
        return None
    measured: DesignMeasure = validated(
        DesignMeasure, design_set(load_design(key)).recipe["design"], f"The design {key}"
    )
    return measured
