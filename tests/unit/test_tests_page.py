"""docs/explanation/tests.md has one row for each finding id, and names a test wherever there is a p."""

import re
from dataclasses import dataclass

import pytest
from docs_pages import DOCS, contract_ids

from biasprint.core.findings import Finding
from biasprint.core.project.project import Project
from biasprint.core.runs.reporting import audited
from biasprint.core.runs.sample import unpack_sample

PAGE = (DOCS / "explanation" / "tests.md").read_text(encoding="utf-8")
HEAD = ["id", "null hypothesis", "p from", "breaks it", "interval from", "smallest p"]
NONE = "–"
LEVELS = ("news.word", "news.sentence.sentiment", "news.sentence.toxicity", "news.document")
# The list of ids gives these as “the same from here on” and as “news.….prompts”.
SHORTENED = [f"news.sentence.toxicity.{name}" for name in ("prejudice_share", "prejudice_drop", "difference")]


@dataclass(frozen=True)
class Row:
    ids: tuple[str, ...]
    cells: tuple[str, ...]

    def is_about(self, finding_id: str) -> bool:
        return any(re.fullmatch(_expression(name), finding_id) for name in self.ids)

    @property
    def tested(self) -> bool:
        return self.cells[1] != NONE


def _expression(name: str) -> str:
    return re.escape(name).replace(r"\*", r"[^.]+").replace("…", ".+")


def rows(page: str = PAGE) -> list[Row]:
    """Return the rows of the tables that begin with HEAD."""
    found = []
    for table in page.split(f"| {' | '.join(HEAD)} |\n")[1:]:
        for line in table.partition("\n\n")[0].splitlines()[1:]:
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            assert len(cells) == len(HEAD), line
            found.append(Row(tuple(re.findall(r"`([^`]+)`", cells[0])), tuple(cells[1:])))
    return found


def all_ids() -> list[str]:
    alone = [*contract_ids(), *SHORTENED]
    of_level = [one for one in alone if one.rpartition(".")[0] in LEVELS and one.count(".") < 4]
    measures = [one for one in of_level if not one.endswith((".association", ".topic"))]
    against = [f"{one}.prompts" for one in measures]
    against += [f"{one}.models" for one in measures if not one.endswith((".prejudice_share", ".prejudice_drop"))]
    every = dict.fromkeys([*alone, *against])
    return [*every, *(f"{one}.between_generators" for one in every)]


@pytest.fixture(scope="module")
def with_p(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    file = tmp_path_factory.mktemp("sample") / "Sample.biasprint"
    unpack_sample(file)
    with Project.open(file, read_only=True) as project:
        findings = [
            each for study in ("letters", "completion", "creativity") for each in audited(project, study).findings
        ]
    return [finding for finding in findings if finding.variant == "default" and finding.p is not None]


def test_every_id_of_the_contract_has_exactly_one_row() -> None:
    assert len(all_ids()) > 150
    about = {one: [row.ids for row in rows() if row.is_about(one)] for one in all_ids()}
    assert {one: found for one, found in about.items() if len(found) != 1} == {}


def test_every_name_in_the_tables_is_about_an_id() -> None:
    names = [name for row in rows() for name in row.ids]
    assert [name for name in names if not any(Row((name,), ()).is_about(one) for one in all_ids())] == []


def test_a_finding_of_the_sample_with_a_p_has_one_row_that_names_its_test(with_p: list[Finding]) -> None:
    assert len(with_p) > 300
    ids = {finding.id for finding in with_p}
    assert {one for one in ids if [row.tested for row in rows() if row.is_about(one)] != [True]} == set()


def test_a_row_says_all_about_its_test_or_that_there_is_none() -> None:
    for row in rows():
        null, p, breaks, _, smallest = row.cells
        assert {cell == NONE for cell in (null, p, breaks, smallest)} == {p == NONE}, row.ids
        assert all(row.cells), row.ids


def test_an_id_without_a_row_is_seen() -> None:
    fewer = rows(PAGE.replace("| `letters.weat` |", "| `letters.wheat` |"))
    assert not [row for row in fewer if row.is_about("letters.weat")]
