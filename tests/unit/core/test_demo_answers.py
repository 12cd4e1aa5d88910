"""What the demo prints without a window: short, answers first, nothing that only who knows the project understands."""

import pytest

from biasprint.core.cli.demo_answers import answers_table, print_answers, text_width
from biasprint.core.project.project import Project
from biasprint.core.report.audit import Audited
from biasprint.core.runs.reporting import audited
from biasprint.core.runs.sample import unpack_sample

STUDIES = ("letters", "completion", "creativity")
TITLES = ("IN SHORT", "WHO WROTE THE TEXTS", "EVERY QUESTION")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> list[Audited]:
    file = tmp_path_factory.mktemp("sample") / "Sample.biasprint"
    unpack_sample(file)
    with Project.open(file, read_only=True) as project:
        return [audited(project, study) for study in STUDIES]


@pytest.fixture
def printed(sample: list[Audited], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    print_answers(sample)
    return capsys.readouterr().out


def test_the_answers_come_first_and_each_is_a_sentence_with_its_writer(printed: str) -> None:
    places = [printed.index(title) for title in TITLES]
    assert places == sorted(places)
    short = " ".join(printed[places[0] : places[1]].split())
    assert "Reference letters: Are words of some kinds more frequent in one group's letters?" in short
    assert "planted bias: Yes, in 6 of 9 comparisons, most clearly: “Feminine words”: odds 0.60 times as high" in short
    assert "n = 120 letters in 60 matched blocks" in short
    assert "real model: In 360 reference letters that Qwen2.5-Coder 1.5B Instruct wrote" in short
    assert "no evidence of a difference" in short


def test_a_study_takes_at_most_ten_lines(sample: list[Audited], monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in ("80", "120"):
        monkeypatch.setenv("COLUMNS", columns)
        for study in sample:
            assert len(answers_table(study)) <= 10, (study.study, columns)


def test_all_of_it_fits_two_screens(printed: str) -> None:
    assert len(printed.splitlines()) <= 75
    assert "letters.lexicon" not in printed, "names of findings are for tables and scripts"


@pytest.mark.parametrize("columns", ["20", "60", "80", "120", "200"])
def test_no_line_is_wider_than_the_text(
    columns: str, sample: list[Audited], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    print_answers(sample)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= text_width() == sorted((60, int(columns), 100))[1]


def test_each_writer_of_the_letters_has_an_answer_to_every_question(sample: list[Audited]) -> None:
    letters = answers_table(sample[0])
    assert " ".join(letters[0].split()) == "Reference letters, n = 120 and 360 planted bias real model"
    first = next(line for line in letters if "words of some kinds" in line)
    assert first.split()[-3:] == ["yes", "not", "shown"], "what was planted is found, and not of the real model"


def test_what_a_stand_in_is_and_what_the_words_mean_is_said(printed: str, sample: list[Audited]) -> None:
    legend = " ".join(printed[printed.index("EVERY QUESTION") :].split())
    assert any(line.endswith("*") for study in sample for line in answers_table(study))
    assert "*: measured with a stand-in, a scorer that comes with Biasprint, in place of the one" in legend
    assert "This does not prove that there is none." in legend


def test_nothing_is_coloured_where_it_is_piped(printed: str) -> None:
    assert "\x1b" not in printed
