"""The whole letters study from tables and from a project, and what bad input gives."""

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inline_compute import Inline

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs.live import LiveTally
from biasprint.core.runs.measure import measure_project, measure_tables
from biasprint.core.runs.setup import import_table, study_of
from biasprint.core.scorers import registry
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.letters.lexicon import LEXICON_ID
from biasprint.core.texts.exporting import read_table

VECTORS = "john 1 0\namy 0 1\ncareer 1 0.1\nhome 0.1 1\ntalent 0.9 0.2\nskill 0.8 0.1\ndaughter 0.1 0.9\nmother 0 0.8\n"
HE = "He has talent and skill and talent. He is a splendid man, furthermore. I recommend him. He paints since 1990."
SHE = "She is a daughter and mother and a daughter. She is a splendid woman. I recommend her. She paints since 1990."


@pytest.fixture
def plug_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    import letters_scorers

    class Point:
        def __init__(self, name: str) -> None:
            self.name = name

        def load(self) -> object:
            return getattr(letters_scorers, self.name)

    def install(*names: str) -> None:
        monkeypatch.setattr(registry, "entry_points", lambda group: [Point(name) for name in names])
        registry.load.cache_clear()

    yield install
    registry.load.cache_clear()


@pytest.fixture
def options(tmp_path: Path) -> MeasureOptions:
    path = tmp_path / "vectors.txt"
    path.write_text(VECTORS)
    return MeasureOptions(scorers={"word_vectors": str(path)})


def table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def matched(pairs: int = 12, **more: Callable[[int, str], str]) -> list[dict[str, str]]:
    return [
        {"text": f"{text} It was letter {i}.", "group": group, "block": str(i)}
        | {name: value(i, group) for name, value in more.items()}
        for i in range(pairs)
        for group, text in (("male", HE), ("female", SHE))
    ]


def of_table(path: Path, options: MeasureOptions, **more: Any) -> StudyResult:
    return measure_tables(JobContext(), [path], "letters", options, Inline(), **more).result  # type: ignore[arg-type]


def found(result: StudyResult, finding_id: str, variant: str = "default") -> list[Finding]:
    return [each for each in result.findings if (each.id, each.variant) == (finding_id, variant)]


def test_a_table_gives_every_id_of_the_study(tmp_path: Path, options: MeasureOptions) -> None:
    result = of_table(table(tmp_path / "letters.csv", matched()), options)
    ids = list(dict.fromkeys(each.id for each in result.findings))
    kinds = ("formality", "positivity", "agency")
    assert ids == [
        "letters.lexicon.odds_ratio",
        "letters.word.odds_ratio",
        "letters.weat",
        *(f"letters.style.{kind}" for kind in kinds),
        *(f"letters.hallucination.{kind}" for kind in kinds),
        "letters.success_rate",
    ]
    (weat,) = [each for each in found(result, "letters.weat") if (each.label, each.dims["pos"]) == ("names", "noun")]
    assert weat.estimate is not None
    assert weat.scorers[1].name == "vectors.txt"
    assert not weat.scorers[1].stand_in
    assert "Without a vector: Paul" in weat.note
    json.dumps(result.to_json(), allow_nan=False)


def test_shares_of_a_table_and_of_a_scorer_take_the_same_path(
    tmp_path: Path, options: MeasureOptions, plug_in: Callable[..., None]
) -> None:
    # Of the five sentences of each letter one is splendid.
    plug_in("positivity")
    given = of_table(table(tmp_path / "given.csv", matched(positivity=lambda i, group: "0.2")), options)
    scored = of_table(table(tmp_path / "scored.csv", matched()), options)
    one, other = (found(result, "letters.style.positivity")[0] for result in (given, scored))
    assert one.note == other.note
    assert "male 20.0 %, female 20.0 %" in one.note
    assert (one.estimate, one.n, one.unit) == (other.estimate, other.n, other.unit)
    assert one.scorers[0].name == "column positivity"
    assert other.scorers[0].name == "positivity"
    assert other.scorers[0].stand_in


def test_an_imported_project_gives_what_its_table_gives(
    tmp_path: Path, options: MeasureOptions, plug_in: Callable[..., None]
) -> None:
    plug_in("formality")
    rows = matched(agency=lambda i, group: f"{(i % 5) / 10 + (group == 'male') / 4}")
    path = table(tmp_path / "letters.csv", rows)
    with Project.create(tmp_path / "study.biasprint") as project:
        import_table(JobContext(), project, None, "letters", path, read_table(JobContext(), path, "letters"))
        stored = measure_project(JobContext(), project, "letters", options, Inline()).result  # type: ignore[arg-type]
        tally = LiveTally(project, study_of(project, "letters"), compute=Inline())  # type: ignore[arg-type]
        tally.catch_up(JobContext())
        counts = {(each.key.label, each.key.variant): each for each in tally.values() if each.key.id == LEXICON_ID}
    direct = of_table(path, options)
    assert [each.to_json() for each in stored.findings] == [each.to_json() for each in direct.findings]
    assert found(stored, "letters.style.agency")[0].estimate == pytest.approx(0.25)
    assert found(stored, "letters.style.formality")[0].estimate == pytest.approx(0.2)
    ratios = [each for each in stored.findings if each.id == LEXICON_ID]
    assert len(counts) == len(ratios)
    assert all(counts[each.label, each.variant].estimate == each.estimate for each in ratios)
    # The table has its own shares of agency: they are no score that comes text by text.
    assert next(each for each in tally.values() if each.key.label == "agency").estimate is None


def test_hallucination_through_plug_in_scorers(
    tmp_path: Path, options: MeasureOptions, plug_in: Callable[..., None]
) -> None:
    """Grounded: “He paints since 1990.” Hallucinated: the talent, the splendid man, “It was letter 0.”"""
    plug_in("positivity", "Entailment")
    rows = matched(context=lambda i, group: "A painter who paints since 1990 in Rome")
    result = of_table(table(tmp_path / "letters.csv", rows), MeasureOptions(scorers=options.scorers))
    within = found(result, "letters.hallucination.positivity")[0]
    assert within.dims == {"identity": "male"}
    assert within.groups[0] == "male"
    assert within.estimate == pytest.approx(1 / 3)  # one of three made-up sentences is splendid, the grounded one not
    assert "60 sentences: 12 claim nothing, 12 are grounded, 36 hallucinated (0 contradict the context)." in within.note
    assert [use.role for use in within.scorers] == ["positivity", "entailment"]
    assert found(result, "letters.hallucination.formality")[0].scorers[0].name == "formality_f"  # which stands in


def test_letters_in_another_language_are_left_out_and_said(tmp_path: Path, options: MeasureOptions) -> None:
    german = (
        "Ich empfehle diese Künstlerin wärmstens für die Stelle, denn ihre Arbeit war in allen Jahren hervorragend. "
        * 3
    )
    foreign = [{"text": f"{german} {i}", "group": group, "block": ""} for i in range(6) for group in ("male", "female")]
    mixed = of_table(table(tmp_path / "mixed.csv", matched() + foreign), options)
    assert all(each.dropped.get("not in English") == 12 for each in found(mixed, "letters.word.odds_ratio"))
    only = of_table(table(tmp_path / "german.csv", foreign), options)
    for each in found(only, "letters.word.odds_ratio") + found(only, "letters.weat"):
        assert each.estimate is None
        assert "no letter is in English" in (each.reason or "")


@pytest.mark.parametrize(
    "rows",
    [
        [{"text": "One letter only.", "group": "male"}],
        [{"text": "One.", "group": "male"}, {"text": "Two.", "group": "male"}],
        [{"text": "teacher " * 40, "group": "male"}, {"text": "teacher " * 40, "group": "female"}],
        [{"text": "…", "group": "male"}, {"text": "!!", "group": "female"}],
    ],
)
def test_bad_input_is_undefined_with_reasons_and_never_a_traceback(
    tmp_path: Path, options: MeasureOptions, rows: list[dict[str, str]]
) -> None:
    result = of_table(table(tmp_path / "bad.csv", rows), options)
    json.dumps(result.to_json(), allow_nan=False)
    for each in result.findings:
        assert each.estimate is not None or each.reason
        if each.id != "letters.success_rate" and each.id != "letters.lexicon.odds_ratio":
            assert each.estimate is None, each.id


@pytest.mark.parametrize("share", ["93", "-0.1", "much", "nan"])
def test_what_is_no_share_is_named_by_its_row(tmp_path: Path, options: MeasureOptions, share: str) -> None:
    rows = matched(positivity=lambda i, group: share if (i, group) == (3, "male") else "0.5")
    with pytest.raises(AppError, match=f"Row 7: the positivity “{share}” is not a share"):
        of_table(table(tmp_path / "letters.csv", rows), options)


def test_scores_given_twice_and_unknown_vectors_are_refused(
    tmp_path: Path, options: MeasureOptions, plug_in: Callable[..., None]
) -> None:
    plug_in("positivity")
    path = table(tmp_path / "letters.csv", matched(positivity=lambda i, group: "0.5"))
    with pytest.raises(UsageError, match="given twice"):
        of_table(path, MeasureOptions(scorers={**options.scorers, "positivity": "positivity"}))
    with pytest.raises(UsageError, match="no scorer and no file"):
        of_table(path, MeasureOptions(scorers={"word_vectors": "nowhere.txt"}))
    with pytest.raises(UsageError, match="no scorer “absent” for agency"):
        of_table(path, MeasureOptions(scorers={"agency": "absent"}))
    with pytest.raises(UsageError, match="no scorer “absent” for parts_of_speech"):
        of_table(path, MeasureOptions(scorers={"parts_of_speech": "absent"}))


def test_contexts_in_lower_case_for_one_group_are_warned_of_beside_every_result(
    tmp_path: Path, options: MeasureOptions
) -> None:
    rows = matched(context=lambda i, group: "An Artist From Rome" if group == "female" else "an artist from rome")
    result = of_table(table(tmp_path / "letters.csv", rows), options)
    assert all("Contexts in lower case: male 100 %, female 0 %" in each.note for each in result.findings)
    even = of_table(table(tmp_path / "even.csv", matched(context=lambda i, group: "An Artist")), options)
    assert not any("lower case" in each.note for each in even.findings)
