"""The picture of the architecture shows all rooms, and the tree has no circles or repeated class names."""

import ast
import gc
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def structure() -> Iterator[dict[str, Any]]:
    gc.disable()  # syntax trees are many objects, and none of them garbage
    known = run_path(str(ROOT / "docs" / "structure.py"))
    yield known
    known["tree_of"].cache_clear()  # else the next collection would look through all of them
    gc.enable()


def test_the_picture_shows_the_rooms_of_today(structure: dict[str, Any]) -> None:
    picture = (ROOT / "docs" / "structure.svg").read_text(encoding="utf-8")
    known = structure["modules"]()
    rooms = {structure["room"](name) for name in known}
    missing = [room for room in rooms if f">{room.rpartition('.')[2]}<" not in picture and "." in room]
    assert not missing, "run: python docs/structure.py --picture"


def test_no_module_takes_part_in_an_import_circle(structure: dict[str, Any]) -> None:
    assert structure["circles"](structure["graph"](structure["modules"]())) == []


def test_every_public_class_has_a_name_of_its_own(structure: dict[str, Any]) -> None:
    assert structure["repeated_classes"](structure["modules"]()) == {}


def test_no_folder_takes_a_name_from_elsewhere_that_one_of_its_modules_has() -> None:
    """The module would take the name's place as soon as somebody imports it."""
    taken = []
    for folder in (ROOT / "core", ROOT / "desktop"):
        for door in folder.rglob("__init__.py"):
            own = f"biasprint.{'.'.join(door.parent.relative_to(ROOT).parts)}"
            modules = {each.stem for each in door.parent.glob("*.py")} | {each.name for each in door.parent.iterdir()}
            for node in ast.parse(door.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(own):
                    taken += [f"{own}.{name.asname or name.name}" for name in node.names
                              if (name.asname or name.name) in modules]  # fmt: skip
    assert not taken
