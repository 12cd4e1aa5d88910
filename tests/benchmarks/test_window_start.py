"""The window answers a key within half a second of the program's start, and brings nothing heavy with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from children import answer_of
from display import Display, missing_programs
from figures import at_most, figure, ratio, spread, title

from biasprint.core.project.project import Project

pytestmark = pytest.mark.bench

RUNS = 7  # after a first one, which warms the disk's cache and is not counted
BOUND_SECONDS = 0.5
HEAVY = {"torch", "transformers", "spacy", "gensim", "statsmodels", "sentence_transformers", "pandas", "pyarrow"}
PLATFORMS = ["offscreen", pytest.param("xcb", marks=pytest.mark.skipif(bool(missing_programs()), reason="no display"))]


@pytest.fixture(params=PLATFORMS)
def platform(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    if request.param == "offscreen":
        yield {"QT_QPA_PLATFORM": "offscreen"}
        return
    with Display(1400, 900, managed=False) as display:
        yield {"QT_QPA_PLATFORM": "xcb", "DISPLAY": f":{display.number}"}


@pytest.mark.parametrize("opens", ["nothing", "gui", "a project"])
def test_a_key_is_answered_within_half_a_second(opens: str, platform: dict[str, str], tmp_path: Path) -> None:
    project = tmp_path / "small.biasprint"
    Project.create(project).close()
    words = {"nothing": [], "gui": ["gui"], "a project": ["gui", project]}[opens]
    ours, bare = [], []
    for _ in range(RUNS + 1):  # in turn, so that both see the same machine
        ours.append(answer_of("window_start.py", *words, environment=platform))
        bare.append(answer_of("window_start.py", "bare", environment=platform)["answered"])
    del ours[0], bare[0]
    answered = spread([one["answered"] for one in ours])

    title(f"Start to the first key answered: {opens}, {platform['QT_QPA_PLATFORM']}")
    figure("window painted", spread([one["painted"] for one in ours]), "s")
    figure("key answered", answered, "s")
    figure("an empty Qt window answering a key", spread(bare), "s")
    ratio("ours to the empty window", answered.median, spread(bare).median)
    figure("longest time without the event loop, 2.5 s after", spread([one["longest_stall"] for one in ours]), "s")
    if opens == "a project":
        figure("project open", spread([one["opened"] for one in ours]), "s")
    imported = {name.partition(".")[0] for one in ours for name in (*one["modules"], *one["later"])}
    print(f"  heavy packages imported: {', '.join(sorted(imported & HEAVY)) or 'none'}")
    assert not imported & HEAVY
    row = "start from source to the first key answered" if opens == "nothing" else ""
    at_most("key answered, median", answered.median, BOUND_SECONDS, "s", row)
