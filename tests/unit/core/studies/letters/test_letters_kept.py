"""Letters that are measured again: nothing is read twice, a changed letter costs itself, and figures are the same."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from inline_compute import Inline

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs.measure import measure_project, measure_tables
from biasprint.core.runs.setup import import_table
from biasprint.core.scorers import kept, registry
from biasprint.core.scorers.protocol import Scorer, ScoreValue
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.letters import hallucination, measure, word_ratios
from biasprint.core.texts.exporting import read_table

HE = "He has talent and skill and talent. He is a splendid man, furthermore. I recommend him. He paints since 1990."
SHE = "She is a daughter and mother and a daughter. She is a splendid woman. I recommend her. She paints since 1990."
PAIRS = 4
SENTENCES = 9 * PAIRS  # to each CV: five of each letter, of which the last is the same
CV = "He paints since 1990. He won a prize."
FORGOTTEN = (measure._READ, measure._VECTORS, word_ratios._KNOWN)


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Scorer → how many texts it was asked for; beside them “sentences”: letters that were split into sentences."""
    asked: Counter[str] = Counter()
    score, split = registry._score, hallucination.sentences

    def noting(scorer: Scorer, texts: list[str]) -> list[ScoreValue]:
        asked[scorer.name] += len(texts)
        return score(scorer, texts)

    def splitting(text: str) -> list[tuple[int, int]]:
        asked["sentences"] += 1
        return split(text)

    monkeypatch.setattr(registry, "_score", noting)
    monkeypatch.setattr(hallucination, "sentences", splitting)
    forget()
    yield asked
    forget()


def forget() -> None:
    """As in another process: nothing is known but what is on the disk."""
    for known in FORGOTTEN:
        known.clear()


@pytest.fixture(autouse=True)
def plug_ins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import letters_scorers

    class Point:
        def __init__(self, name: str) -> None:
            self.name = name

        def load(self) -> object:
            return getattr(letters_scorers, self.name)

    monkeypatch.setattr(
        registry, "entry_points", lambda group: [Point(name) for name in ("Entailment", "formality", "positivity")]
    )
    registry.load.cache_clear()
    yield
    registry.load.cache_clear()


@pytest.fixture
def options(tmp_path: Path) -> MeasureOptions:
    path = tmp_path / "vectors.txt"
    path.write_text("john 1 0\namy 0 1\ncareer 1 0.1\nhome 0.1 1\ntalent 0.9 0.2\nskill 0.8 0.1\n")
    return MeasureOptions(scorers={"word_vectors": str(path), "entailment": "Entailment"})


def with_cvs() -> list[dict[str, str]]:
    return [
        {"text": f"{text} It was letter {number}.", "group": group, "block": str(number),
         "context": f"{CV} No. {number}", "agency": "0.5"}
        for number in range(PAIRS)
        for group, text in (("male", HE), ("female", SHE))
    ]  # fmt: skip


def table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def of_table(path: Path, options: MeasureOptions) -> StudyResult:
    return measure_tables(JobContext(), [path], "letters", options, Inline()).result  # type: ignore[arg-type]


def hallucinated(result: StudyResult) -> Finding:
    return next(each for each in result.findings if each.id == "letters.hallucination.positivity")


def test_a_table_measured_again_reads_nothing_and_a_changed_letter_costs_itself(
    tmp_path: Path, options: MeasureOptions, scored: Counter[str]
) -> None:
    rows = with_cvs()
    path = table(tmp_path / "letters.csv", rows)
    first = of_table(path, options)
    letters = len(rows)
    assert scored == {
        "entailment": SENTENCES, "formality": letters, "positivity": letters, "pos_textblob": letters,
        "document_success": letters, "sentences": letters,
    }  # fmt: skip
    assert hallucinated(first).n > 0

    scored.clear()
    forget()
    assert of_table(path, options).to_json() == first.to_json()
    assert scored == {}

    rows[3]["text"] = f"{rows[3]['text']} She won a prize."
    forget()
    changed = of_table(table(path, rows), options)
    assert scored == {
        "entailment": 1, "formality": 1, "positivity": 1, "pos_textblob": 1, "document_success": 1, "sentences": 1
    }  # fmt: skip
    assert changed.to_json() != first.to_json()


def test_another_version_of_a_scorer_reads_all_of_them_anew(
    tmp_path: Path,
    options: MeasureOptions,
    scored: Counter[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import letters_scorers

    path = table(tmp_path / "letters.csv", with_cvs())
    of_table(path, options)
    scored.clear()
    forget()
    monkeypatch.setattr(letters_scorers.Entailment, "version", "2")
    result = of_table(path, options)
    assert scored == {"entailment": SENTENCES}
    assert any(use.version.startswith("2; claims") for use in hallucinated(result).scorers)


def test_a_project_measured_again_reads_nothing_and_says_the_same(
    tmp_path: Path, options: MeasureOptions, scored: Counter[str]
) -> None:
    path = table(tmp_path / "letters.csv", with_cvs())
    ctx = JobContext()
    with Project.create(tmp_path / "p.biasprint") as project:
        import_table(ctx, project, None, "letters", path, read_table(ctx, path, "letters"))
        first = measure_project(ctx, project, "letters", options, Inline()).result  # type: ignore[arg-type]
        assert scored["entailment"] == SENTENCES
        scored.clear()
        forget()
        again = measure_project(ctx, project, "letters", options, Inline()).result  # type: ignore[arg-type]
    assert scored == {}
    assert again.to_json() == first.to_json()


def test_what_cannot_be_kept_is_measured_all_the_same(
    tmp_path: Path,
    options: MeasureOptions,
    scored: Counter[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = table(tmp_path / "letters.csv", with_cvs())
    usual = of_table(path, options).to_json()
    monkeypatch.setattr(kept, "FILE", "no such folder/scores")
    forget()
    scored.clear()
    assert of_table(path, options).to_json() == usual
    assert scored["entailment"] == SENTENCES
