"""Every catalogue has each text that the program says, translated, and no other."""

import gc
import re
import runpy
import tomllib
from pathlib import Path

import pytest

MAKE = runpy.run_path(str(Path(__file__).parents[4] / "docs" / "make_catalogue.py"))


# Words of texts that models write, examples, citations, and lists that are measured: nobody reads their titles.
NO_TITLES = re.compile("resources/(synthetic|examples|lexicons|published|prompts/(certificate|news_articles))")


def test_every_title_of_what_ships_is_a_text_of_the_program() -> None:
    texts = {text for each in MAKE["found"]().all() for text in (each if isinstance(each, tuple) else (each,))}
    shipped = [path for folder in ("resources", "core") for path in MAKE["ROOT"].joinpath(folder).rglob("*.toml")]
    assert len(shipped) > 50
    titles = {
        (place, title)
        for path in shipped
        if not NO_TITLES.match(place := path.relative_to(MAKE["ROOT"]).as_posix())
        for title in MAKE["_strings"](tomllib.loads(path.read_text("utf-8")), {"title"}, shown=False)
    }
    assert not {(place, title) for place, title in titles if title not in texts}


@pytest.mark.parametrize("path", sorted(MAKE["FOLDER"].glob("*.po")), ids=lambda path: path.stem)
def test_a_catalogue_misses_no_text_and_has_none_too_many(path: Path) -> None:
    gc.disable()  # syntax trees are many objects, and none of them garbage
    texts = MAKE["found"]()
    gc.enable()
    _, waiting, gone = MAKE["updated"](path, texts, {})
    assert (waiting, gone) == ((), 0), "run python docs/make_catalogue.py --todo FILE, and translate what waits"
