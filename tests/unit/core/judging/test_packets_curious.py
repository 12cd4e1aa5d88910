"""A curious rater: what follows from a packet, and from the comparisons in it that somebody recognises."""

import getpass
import json
import random
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from packet_files import AXIS, IDENTITIES, MODEL, answer, coordinator, finished, make, rated_through_the_door, text_of
from trust.report import Figure

from biasprint.core.judging.card_order import CardOrder
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem, ComparisonRow, PlanRow

COMPARISONS, KNOWN = 14, 10


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "canaryprojectqx.biasprint"


def cards_of(packet: Path) -> list[tuple[str, list[str]]]:
    """By comparison its id and the texts of its cards, as anybody reads them."""
    with closing(sqlite3.connect(packet)) as connection:
        texts = dict(connection.execute("SELECT id, text FROM source"))
        rows = connection.execute("SELECT id, items FROM comparison ORDER BY position").fetchall()
    return [(key, [texts[card["source"]] for card in json.loads(items)]) for key, items in rows]


def maker(text: str) -> str:
    """Whose a text is: what a rater recognises."""
    return IDENTITIES["xyz".index(text.split("maker ")[1][0])]


def guessed(found: list[tuple[str, list[str]]], seed: int, code: str) -> list[tuple[str, ...]]:
    """The identities of all cards, as they would stand if the orders followed from this seed."""
    rows = [
        ComparisonRow(key, "p", place, AXIS, "", "", tuple(ComparisonItem(1, one) for one in IDENTITIES), "", None)
        for place, (key, _) in enumerate(found)
    ]
    order = CardOrder(rows, plan=PlanRow("p", 1, "", AXIS, seed, {}, ""), rater_code=code)
    return [tuple(IDENTITIES[item] for item in order.of(row.id)) for row in rows]


def test_no_seed_gives_the_order_of_the_others_from_ten_recognised_comparisons(project: Path, figure: Figure) -> None:
    plan = coordinator(project, comparisons=COMPARISONS)  # drawn with seed 7
    (made,) = make(project, plan, "R03")
    found = cards_of(made.path)
    truth = [tuple(map(maker, texts)) for _, texts in found]
    fitting = [seed for seed in range(2_000) if guessed(found, seed, "R03")[:KNOWN] == truth[:KNOWN]]
    assert fitting == []
    figure("2,000 seeds tried on ten recognised comparisons, none gives the order")


def test_nothing_in_the_packet_opens_the_key(project: Path) -> None:
    (made,) = make(project, coordinator(project, comparisons=4, repeats=2), "R01")
    with Project.open(project) as opened:
        key = opened.judging.plans()[0].settings["order_key"]
    assert len(bytes.fromhex(key)) == 16
    raw = made.path.read_bytes()
    assert key.encode() not in raw
    assert bytes.fromhex(key) not in raw


def test_a_comparisons_order_says_nothing_of_its_neighbours() -> None:
    """Over many plans all 36 pairs of orders of two neighbours come equally often: χ² below its 99.99 % quantile."""
    rows = [
        ComparisonRow(f"c{place}", "p", place, AXIS, "", "", tuple(ComparisonItem(1, one) for one in "xyz"), "", None)
        for place in range(2)
    ]
    pairs: Counter[tuple[tuple[int, ...], ...]] = Counter()
    chance, plans = random.Random(4), 3_600
    for _ in range(plans):
        plan = PlanRow("p", 1, "", AXIS, 1, {"order_key": chance.randbytes(16).hex()}, "")
        order = CardOrder(rows, plan=plan, rater_code="R01")
        pairs[tuple(order.of(row.id) for row in rows)] += 1
    assert len(pairs) == 36
    wanted = plans / 36
    assert sum((seen - wanted) ** 2 / wanted for seen in pairs.values()) < 76.0  # 35 degrees of freedom


def test_equal_rows_hashes_and_lengths_tell_no_repeat(project: Path) -> None:
    plan = coordinator(project, comparisons=8, repeats=6)
    (made,) = make(project, plan, "R01")
    with closing(sqlite3.connect(made.path)) as connection:
        sources = connection.execute("SELECT text, text_sha256, length(text) FROM source").fetchall()
        digests = [row[0] for row in connection.execute("SELECT texts_sha256 FROM comparison")]
    texts = [row[0] for row in sources]
    assert len(set(texts)) == len(texts) == 42
    assert len({row[1] for row in sources}) == 42
    assert len(set(digests)) == len(digests)
    by_wording: dict[str, set[int]] = {}
    for text in texts:
        by_wording.setdefault(text.rstrip(" "), set()).add(len(text))
    assert Counter(map(len, by_wording.values())) == {2: 18, 1: 6}, "each time with other blanks behind it"
    assert set(by_wording) == {text_of(number, identity) for number in range(8) for identity in range(3)}


def test_what_is_merged_of_repeats_is_what_was_chosen(project: Path) -> None:
    from packet_files import chosen_texts, merge

    (made,) = make(project, coordinator(project, comparisons=4, repeats=3), "R02")
    texts = rated_through_the_door(made.path)
    (came,) = merge(project, made.path).files
    assert (came.added, came.changed_texts, came.held) == (7, (), "")
    with Project.open(project) as opened:
        chosen = chosen_texts(opened, "R02")
    assert sorted(text or "" for text in chosen.values()) == sorted(text.rstrip(" ") for text in texts)


def test_a_rated_packet_names_no_person_computer_or_generator(project: Path, tmp_path: Path) -> None:
    """Every row and every byte of the file, of unused pages too; and no name of a file beside it."""
    (made,) = make(project, coordinator(project, comparisons=3), "R01")
    finished(answer(made.path, (0, "choice", 1), (1, "tie", None)))
    import socket

    hidden = {MODEL, "canarybackendqx", getpass.getuser(), socket.gethostname(), tmp_path.name, str(Path.home())}
    with closing(sqlite3.connect(made.path)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        rows = [repr(row).lower() for name in tables for row in connection.execute(f'SELECT * FROM "{name}"')]
    raw = made.path.read_bytes().lower()
    for name in {one.lower() for one in hidden if len(one) > 3}:
        assert not [row for row in rows if name in row], name
        assert name.encode() not in raw, name
    assert sorted(one.name for one in made.path.parent.iterdir()) == [made.path.name]
