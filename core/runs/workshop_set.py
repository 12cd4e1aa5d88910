"""The set that workshops are held with where there is no study: 20 comparisons on each of three axes.

They are the sample's texts for identities, and further ones of resources/workshop written in the same way.
"""

import json
import os
from importlib.resources import files
from pathlib import Path

from biasprint.core.machine.leftovers import temporary_folder
from biasprint.core.machine.storage import home
from biasprint.core.project.project import Project
from biasprint.core.runs.sample import add_written, sample_texts


def workshop_file() -> Path:
    """The place of a person's own copy of the set, with the workshops that were held with it."""
    return home() / "Workshops.biasprint"


def workshop_texts() -> list[dict[str, str]]:
    """The texts, each with its task, theme, axis, identity and how perceptible the identity is."""
    lines = (
        files("biasprint.resources").joinpath("workshop", "creativity.jsonl").read_text(encoding="utf-8").splitlines()
    )
    return [text for text in sample_texts() if text["axis"]] + [json.loads(line) for line in lines if line]


def open_workshop_set() -> Path:
    """A person's copy: as they left it, or new where there is none. It takes its name once it is whole."""
    target = workshop_file()
    if target.exists():
        return target
    with temporary_folder(near=target) as folder:
        made = folder / target.name
        with Project.create(made) as project:
            add_written(project, workshop_texts(), "Workshop set")
        os.replace(made, target)
    return target
