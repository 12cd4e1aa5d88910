"""A million outputs, once listed, are narrowed and sorted within 100 ms; a search shows its first rows at once."""

import time
from collections.abc import Iterator

import pytest
from figures import at_most, figure, spread, title
from large_projects import with_varied_outputs
from ratios import FEWEST

from biasprint.core.project.project import Project
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.desktop.read.outputs import SORTED, OutputOrder, StoredOutputs

pytestmark = pytest.mark.bench

OUTPUTS = 1_000_000
BOUND_SECONDS = 0.1
FILTERS = {
    "all": OutputFilter(),
    "a task": OutputFilter(task="task_3"),
    "an identity": OutputFilter(identity="two"),
    "a generator": OutputFilter(run_ids=(2,)),
    "failed": OutputFilter(status="error"),
    "an identity, a generator and those done": OutputFilter(identity="two", run_ids=(1,), status="done"),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoredOutputs]:
    path = tmp_path_factory.mktemp("filters") / "million.biasprint"
    with_varied_outputs(path, OUTPUTS)
    with Project.open(path) as project:
        yield StoredOutputs(project)
    path.unlink()


def asked(source: StoredOutputs, where: OutputFilter, order: OutputOrder | None = None) -> tuple[float, float, int]:
    """Seconds until the first ids that match and until the last, and how many they are."""
    began, first, found = time.perf_counter(), None, 0
    for ids in source.id_pages(where, 0, order):
        found += len(ids)
        if first is None and ids:
            first = time.perf_counter() - began
    return first or 0.0, time.perf_counter() - began, found


def test_filters_and_orders_of_a_million_outputs(source: StoredOutputs) -> None:
    first, listed, found = asked(source, OutputFilter())
    title(f"{OUTPUTS:,} outputs of two generators, nine tasks and three identities")
    assert found == OUTPUTS
    figure("first ids, nothing read before", first, "s")
    figure("all of them listed", listed, "s")
    longest = 0.0
    for name, where in FILTERS.items():
        for order in (None, *map(OutputOrder, SORTED)):
            rounds = spread([asked(source, where, order)[1] for _ in range(FEWEST)])
            figure(f"{name}, {'as written' if order is None else f'by {order.field}'}", rounds, "s")
            longest = max(longest, rounds.median)
    name = f"outputs narrowed and sorted, {OUTPUTS:,}, the longest of {len(FILTERS) * (len(SORTED) + 1)} ways"
    at_most("the longest of them, counted and listed whole", longest, BOUND_SECONDS, "s", name)


def test_a_search_shows_its_first_rows_at_once(source: StoredOutputs) -> None:
    asked(source, OutputFilter())
    title(f"A text searched for in {OUTPUTS:,} outputs")
    firsts = spread([next_ids(source, "CASTLE") for _ in range(FEWEST)])
    _, whole, found = asked(source, OutputFilter(contains=str(OUTPUTS - 2)))
    assert found == 1
    figure("one that only the last text has: all read", whole, "s")
    at_most("first rows of one that is in every text", firsts.median, BOUND_SECONDS, "s")


def next_ids(source: StoredOutputs, wanted: str) -> float:
    """Seconds until the first ids of a search are there."""
    began = time.perf_counter()
    found = next(ids for ids in source.id_pages(OutputFilter(contains=wanted), 0) if ids)
    assert found
    return time.perf_counter() - began
