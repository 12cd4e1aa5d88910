"""The style tests of the letters paper's authors, from their own scores of released letters; skipped where absent.

The columns `per_pos`, `per_for` and `per_ac` are the shares of positive, formal and agentic sentences of each letter.
The columns `con_…` beside them are the classifiers' mean confidences, not scores of hallucinated text.
"""

import os
from pathlib import Path
from typing import Any

import pytest
from seeded_part import seeded_part

from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.runs.measure import measure_tables
from biasprint.core.studies.kit.declared import MeasureOptions

pytestmark = pytest.mark.replication

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BIASPRINT_REPLICATION_DATA", ROOT.parent / "shared" / "data"))
LETTERS = DATA / "letters" / "clg_letters-eval.csv"
COLUMNS = {"positivity": "per_pos", "formality": "per_for", "agency": "per_ac"}
PUBLISHED = {"positivity": (0.891, 0.187), "formality": (0.086, 0.466), "agency": (0.083, 0.467)}


class Inline:
    """Does in this process what the compute process does in its own."""

    def call(self, function: Any, *args: Any, ctx: JobContext | None = None, on_report: Any = None) -> Any:
        return function(*args)


@pytest.fixture(scope="module", params=[None, "wan"])
def findings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    if not LETTERS.is_file():
        pytest.skip(f"the released letters are not at {LETTERS}; set BIASPRINT_REPLICATION_DATA to their folder")
    vectors = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    vectors.write_text("john 1 0\namy 0 1\n")  # WEAT is not what is replicated here
    options = MeasureOptions(scorers={"word_vectors": str(vectors)})
    measured = measure_tables(
        JobContext(),
        [LETTERS],
        "letters",
        options,
        Inline(),
        layout=request.param,
        mapping=COLUMNS,  # type: ignore[arg-type]
    )
    return [each for each in measured.result.findings if each.id.startswith("letters.style.")]


def of(findings: list[Finding], kind: str, variant: str) -> Finding:
    (found,) = [each for each in findings if (each.id, each.variant) == (f"letters.style.{kind}", variant)]
    return found


@pytest.mark.parametrize("kind", seeded_part(list(COLUMNS), 2))
def test_t_and_p_are_the_authors(findings: list[Finding], kind: str) -> None:
    t, p = PUBLISHED[kind]
    found = of(findings, kind, "as_published")
    assert found.effect is not None
    assert (found.effect.name, round(found.effect.value, 3)) == ("t", t)
    assert found.p is not None
    assert round(found.p, 3) == p
    assert f"t = {t}" in found.note
    assert found.n_by_group == {"male": 60, "female": 60}


@pytest.mark.parametrize("kind", list(COLUMNS))
def test_by_default_no_difference_is_found_and_it_is_said_how_sure_that_is(findings: list[Finding], kind: str) -> None:
    found = of(findings, kind, "default")
    assert found.p is not None
    assert found.p > 0.3
    assert "No difference beyond 5 points" in found.note
    matched = found.effect is not None and found.effect.name == "d_z"
    assert ("paired t" in found.note) == matched
