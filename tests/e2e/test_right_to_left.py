"""The window from right to left is the mirror image of the one from left to right, on every page."""

import json
from multiprocessing import get_context

import pytest
from places import WIDTH, Places, note_places

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Places]]:
    found = {}
    for direction in ("ltr", "rtl"):
        folder = tmp_path_factory.mktemp(direction)
        process = get_context("spawn").Process(target=note_places, args=(direction, folder))
        process.start()
        process.join()
        assert process.exitcode == 0
        found[direction] = json.loads((folder / "places.json").read_text("utf-8"))
    return found


def test_every_part_is_where_its_mirror_image_is(seen: dict[str, dict[str, Places]]) -> None:
    before, after = seen["ltr"]["places"], seen["rtl"]["places"]
    assert before.keys() == after.keys()
    wrong: dict[str, list[str]] = {}
    for page, parts in after.items():
        misplaced = [
            way for way, (left, wide) in parts.items()
            if way in before[page] and abs(WIDTH - before[page][way][0] - before[page][way][1] - left) > 1
        ]  # fmt: skip
        # What is in a misplaced part is misplaced with it.
        if outermost := [way for way in misplaced if not any(way.startswith(f"{other}/") for other in misplaced)]:
            wrong[page] = outermost
        assert len(parts) > 30, page
    assert wrong == {}


def test_every_list_and_table_shows_texts_in_the_order_of_their_letters(seen: dict[str, dict[str, Places]]) -> None:
    assert {page: names for page, names in seen["rtl"]["plain"].items() if names} == {}
