"""The window from right to left is the mirror image of the one from left to right, on every page."""

import json
from multiprocessing import get_context

import pytest
from places import WIDTH, Places, note_places

PAGES = 30  # at least, with figures that were ready in time

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
    finished = before.keys() & after.keys()
    assert len(finished) >= PAGES
    wrong: dict[str, list[str]] = {}
    for page in finished:
        ways = before[page].keys() & after[page].keys()
        # What is in a part of another width, as beside a bar to scroll by, is laid out for that width.
        wider = [way for way in ways if before[page][way][1] != after[page][way][1]]
        alike = [way for way in ways if not is_in(way, wider)]
        assert len(alike) > 30, page
        misplaced = [way for way in alike if not is_mirrored(before[page][way], after[page][way])]
        if outermost := [way for way in misplaced if not is_in(way, misplaced)]:
            wrong[page] = outermost
    assert wrong == {}


def is_in(way: str, others: list[str]) -> bool:
    return any(way.startswith(f"{other}/") for other in others)


def is_mirrored(before: tuple[int, int], after: tuple[int, int]) -> bool:
    """Return True where one edge is mirrored: a page is narrower in one direction where only there it has to scroll."""
    (left, wide), (now, as_wide) = before, after
    return abs(WIDTH - left - (now + as_wide)) <= 1 or abs(WIDTH - left - wide - now) <= 1


def test_every_list_and_table_shows_texts_in_the_order_of_their_letters(seen: dict[str, dict[str, Places]]) -> None:
    assert {page: names for page, names in seen["rtl"]["plain"].items() if names} == {}
