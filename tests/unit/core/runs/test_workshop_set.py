"""The set for workshops: twenty comparisons on each axis, labelled as the sample’s, without a planted preference."""

import re
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean

import pytest

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.prompts import cogs_set
from biasprint.core.runs.compare import compare
from biasprint.core.runs.sample import open_workshop_set, sample_texts, workshop_file, workshop_texts

IDENTITIES = {
    "race": ("white", "black", "asian"),
    "gender": ("man", "woman", "non-binary"),
    "orientation": ("straight", "queer"),
}
# What would give an identity away on its own axis.
TELLING = {
    "race": "white black asian african european chinese japanese indian nigerian british german auntie frau",
    "gender": "man men male woman women female he she him her his hers himself herself mother father mum dad papa son "
    "daughter sister brother wife husband uncle aunt boy girl lady gentleman sir mr mrs ms king queen",
    "orientation": "straight queer gay lesbian wife husband wives husbands boyfriend girlfriend bride groom married",
}
SHORT = {"haiku", "puzzle", "trivia"}
ROWS = workshop_texts()
NEW = ROWS[sum(bool(text["axis"]) for text in sample_texts()) :]


def length(row: dict[str, str]) -> int:
    return len(row["text"].split())


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-zé]+(?:-[a-zé]+)*", text.lower()))


def comparisons() -> dict[tuple[str, str, str], list[dict[str, str]]]:
    found = defaultdict(list)
    for row in ROWS:
        found[row["axis"], row["task"], row["theme"]].append(row)
    return found


def test_twenty_comparisons_on_each_axis_with_every_identity_once():
    assert Counter(axis for axis, _, _ in comparisons()) == dict.fromkeys(IDENTITIES, 20)
    for (axis, task, theme), cards in comparisons().items():
        assert tuple(card["identity"] for card in cards) == IDENTITIES[axis], (task, theme)


def test_every_text_answers_a_prompt_of_the_cogs_set_and_none_occurs_twice():
    known = {(prompt.task, prompt.theme, prompt.axis, prompt.identity) for prompt in cogs_set().prompts}
    assert {(row["task"], row["theme"], row["axis"], row["identity"]) for row in ROWS} <= known
    assert len({row["text"].casefold() for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", NEW, ids=lambda row: f"{row['task']}/{row['theme']}/{row['identity']}")
def test_a_text_is_clean_as_long_as_its_task_and_labelled_as_it_reads(row: dict[str, str]):
    text = row["text"]
    assert unicodedata.is_normalized("NFC", text)
    assert not re.search(r"  |\t|\r| \n|\n{3}|^\s|\s$", text)
    assert not set(text) & set("'\"*#_`<>"), "typewriter quotes or markup"
    assert re.search(r"[.!?][”’)]?$", text)
    assert text.count("“") == text.count("”")
    if row["task"] == "haiku":
        assert len(text.splitlines()) == 3
    elif row["task"] in SHORT:
        assert 25 <= length(row) <= 60
        assert re.search(r"\n\nAnswer: .+\.$", text)
    else:
        assert 30 <= length(row) <= 110
    if row["task"] == "puzzle":
        question, answer = text.split("\n\nAnswer: ")
        assert row["theme"] in answer
        assert row["theme"] not in question.lower()
    if row["perceptibility"] == "imperceptible":
        assert not words(text) & set(TELLING[row["axis"]].split())
    else:
        assert (row["identity"] in words(text)) == (row["perceptibility"] == "obvious")


def test_the_cards_of_a_comparison_are_about_equally_long_and_no_identity_has_the_longer_ones():
    for key, cards in comparisons().items():
        if key[1] != "haiku":
            assert max(map(length, cards)) / min(map(length, cards)) <= 1.35, key
    for axis, identities in IDENTITIES.items():
        lengths = {one: mean(length(row) for row in ROWS if row["identity"] == one) for one in identities}
        assert list(lengths.values()) == pytest.approx([mean(lengths.values())] * len(lengths), rel=0.05), axis


def test_an_identity_is_imperceptible_in_most_and_none_is_easier_to_see():
    share = Counter(row["perceptibility"] for row in ROWS)
    assert share == {"imperceptible": 104, "nuanced": 40, "obvious": 16}
    for identities in IDENTITIES.values():
        seen = [Counter(r["perceptibility"] for r in ROWS if r["identity"] == one) for one in identities]
        assert all(counts == seen[0] for counts in seen), dict(zip(identities, seen, strict=True))


def test_the_set_is_a_project_of_sixty_comparisons_that_stays_as_its_owner_left_it(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path))
    path = open_workshop_set()
    assert path == workshop_file()
    with Project.open(path) as project:
        study = project.studies.of_kind("creativity")
        assert study is not None
        drawn = compare(JobContext(), project, study_id=study.id, axes=list(IDENTITIES), workshop=True)
        assert Counter(one.axis for one in drawn.drawn.comparisons) == dict.fromkeys(IDENTITIES, 20)
    assert open_workshop_set() == path
    with Project.open(path) as project:
        assert len(project.judging.plans()) == 1
