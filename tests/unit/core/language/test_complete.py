"""Every catalogue has each text that the program says, translated, and no other."""

import gc
import runpy
from pathlib import Path

import pytest

MAKE = runpy.run_path(str(Path(__file__).parents[4] / "docs" / "make_catalogue.py"))


@pytest.mark.parametrize("path", sorted(MAKE["FOLDER"].glob("*.po")), ids=lambda path: path.stem)
def test_a_catalogue_misses_no_text_and_has_none_too_many(path: Path) -> None:
    gc.disable()  # syntax trees are many objects, and none of them garbage
    texts = MAKE["found"]()
    gc.enable()
    _, waiting, gone = MAKE["updated"](path, texts, {})
    assert (waiting, gone) == ((), 0), "run python docs/make_catalogue.py --todo FILE, and translate what waits"
