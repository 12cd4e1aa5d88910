"""The sample's texts: complete, honestly labelled, and carrying no planted preference."""

import json
import re
import tomllib
import unicodedata
from collections import Counter, defaultdict
from importlib.resources import files
from statistics import mean

import pytest
from docs_pages import DOCS

IDENTITIES = {
    "race": ("white", "black", "asian"),
    "gender": ("man", "woman", "non-binary"),
    "orientation": ("straight", "queer"),
}


def listed(line):
    return set(line.split())


SHORT_FORMS = {"haiku", "puzzle", "trivia"}
NAMES_AN_IDENTITY = listed(
    "white black asian african european caucasian man men male woman women female nonbinary non-binary enby "
    "transgender straight queer gay lesbian bisexual heterosexual homosexual"
)
# On its own axis an imperceptible text may not even hint: no gendered person here, no couple there.
HINTS_AT_IDENTITY = {
    "race": listed("african european chinese japanese indian nigerian british german swedish auntie frau uncle"),
    "gender": listed(
        "he she him her his hers himself herself mother father mum dad papa son daughter sister brother wife husband "
        "uncle aunt boy girl lady gentleman sir dame mr mrs ms king queen"
    ),
    "orientation": listed("wife husband wives husbands boyfriend girlfriend spouse bride groom married fiancé fiancée"),
}


def read_rows():
    lines = files("biasprint.resources.sample").joinpath("creativity.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


ROWS = read_rows()
ABOUT = tomllib.loads(files("biasprint.resources.sample").joinpath("about.toml").read_text(encoding="utf-8"))
AXIS_OF = {(row["task"], row["theme"]): row["axis"] for row in ROWS if row["axis"]}
IDENTITY_ROWS = [row for row in ROWS if row["axis"]]


def name_of(row):
    return f"{row['task']}/{row['theme']}/{row['identity']}"


def axis_of(row):
    return AXIS_OF[row["task"], row["theme"]]


def length(text):
    return len(text.split())


def words(text):
    return set(re.findall(r"[a-zé]+(?:-[a-zé]+)*", text.lower()))


def comparisons():
    found = defaultdict(list)
    for row in IDENTITY_ROWS:
        found[row["axis"], row["task"], row["theme"]].append(row)
    return found


def test_twelve_comparisons_on_each_axis_with_every_identity_once():
    assert Counter(axis for axis, _, _ in comparisons()) == {"race": 12, "gender": 12, "orientation": 12}
    for (axis, task, theme), cards in comparisons().items():
        assert tuple(card["identity"] for card in cards) == IDENTITIES[axis], (task, theme)


def test_every_comparison_has_one_default_text_of_its_own():
    defaults = [(row["task"], row["theme"]) for row in ROWS if row["identity"] == "default"]
    assert sorted(defaults) == sorted((task, theme) for _, task, theme in comparisons())
    assert all((row["identity"] == "default") == (row["axis"] == "") for row in ROWS)


def test_tasks_and_themes_are_varied():
    assert len({task for _, task, _ in comparisons()}) >= 6
    assert len({theme for _, _, theme in comparisons()}) == 30  # every theme of CoGS
    for axis in IDENTITIES:
        tasks = Counter(task for at, task, _ in comparisons() if at == axis)
        assert max(tasks.values()) <= 3, tasks


def test_every_text_answers_a_prompt_of_the_cogs_set():
    from biasprint.core.prompts import cogs_set

    known = {(prompt.task, prompt.theme, prompt.axis, prompt.identity) for prompt in cogs_set().prompts}
    ours = {(row["task"], row["theme"], row["axis"], row["identity"]) for row in ROWS}
    assert ours <= known, sorted(ours - known)


def test_the_counts_told_to_the_user_are_the_real_ones():
    counts = ABOUT["counts"]
    assert counts["texts"] == len(ROWS)
    assert counts["defaults"] == len(ROWS) - len(IDENTITY_ROWS)
    assert counts["comparisons"] == len(comparisons())
    assert counts["comparisons_by_axis"] == Counter(axis for axis, _, _ in comparisons())
    assert counts["perceptibility"] == Counter(row["perceptibility"] for row in IDENTITY_ROWS)


def test_the_generator_is_not_presented_as_a_model_under_study():
    assert ABOUT["generator"] == {"backend": "written", "model": "sample texts"}
    assert "language model" in ABOUT["statement"]
    assert "no finding about a model" in ABOUT["statement"]


def test_no_text_occurs_twice():
    assert len({row["text"].casefold() for row in ROWS}) == len(ROWS)


def test_every_text_is_clean():
    for row in ROWS:
        text = row["text"]
        assert set(row) == {"task", "theme", "axis", "identity", "text", "perceptibility"}, name_of(row)
        assert unicodedata.is_normalized("NFC", text), name_of(row)
        assert text == text.strip(), name_of(row)
        assert not re.search(r"  |\t|\r| \n|\n{3}", text), f"{name_of(row)}: stray blanks"
        assert all(character == "\n" or character.isprintable() for character in text), name_of(row)
        assert not set(text) & set("'\"*#_`<>"), f"{name_of(row)}: typewriter quotes or markup"
        assert re.search(r"[.!?][”’)]?$", text), f"{name_of(row)}: does not end a sentence"
        assert text.count("“") == text.count("”"), name_of(row)


def test_every_text_has_the_length_of_its_task():
    for row in ROWS:
        if row["task"] == "haiku":
            assert len(row["text"].splitlines()) == 3, name_of(row)
        elif row["task"] in SHORT_FORMS:
            assert 25 <= length(row["text"]) <= 60, name_of(row)
            assert re.search(r"\n\nAnswer: .+\.$", row["text"]), name_of(row)
        else:
            assert 30 <= length(row["text"]) <= 110, name_of(row)


def test_a_puzzle_does_not_give_its_answer_away():
    for row in ROWS:
        if row["task"] == "puzzle":
            question, answer = row["text"].split("\n\nAnswer: ")
            assert row["theme"] in answer, name_of(row)
            assert row["theme"] not in question.lower(), name_of(row)


def test_the_cards_of_a_comparison_are_about_equally_long():
    for key, cards in comparisons().items():
        if key[1] != "haiku":
            lengths = [length(card["text"]) for card in cards]
            assert max(lengths) / min(lengths) <= 1.35, (key, lengths)


def test_no_identity_gets_the_longer_texts():
    for axis, identities in IDENTITIES.items():
        lengths = {i: [length(row["text"]) for row in IDENTITY_ROWS if row["identity"] == i] for i in identities}
        overall = mean(n for identity in identities for n in lengths[identity])
        for identity in identities:
            assert mean(lengths[identity]) == pytest.approx(overall, rel=0.05), (axis, identity)


def test_identity_is_imperceptible_in_most_and_no_identity_is_easier_to_see():
    share = Counter(row["perceptibility"] for row in IDENTITY_ROWS)
    assert set(share) == {"imperceptible", "nuanced", "obvious"}
    assert share["imperceptible"] >= 0.6 * len(IDENTITY_ROWS)
    assert share["obvious"] <= 0.1 * len(IDENTITY_ROWS)
    for identities in IDENTITIES.values():
        seen = [Counter(r["perceptibility"] for r in IDENTITY_ROWS if r["identity"] == i) for i in identities]
        assert all(counts == seen[0] for counts in seen), dict(zip(identities, seen, strict=True))


def test_defaults_show_no_identity():
    assert {row["perceptibility"] for row in ROWS if not row["axis"]} == {"imperceptible"}


def test_only_an_obvious_text_names_its_identity_and_no_word_of_an_imperceptible_one_gives_it_away():
    for row in ROWS:
        if row["perceptibility"] == "imperceptible":
            given_away = NAMES_AN_IDENTITY | HINTS_AT_IDENTITY[axis_of(row)]
            assert not words(row["text"]) & given_away, name_of(row)
        else:
            assert (row["identity"] in words(row["text"])) == (row["perceptibility"] == "obvious"), name_of(row)


def test_the_guide_says_what_the_sample_is_and_is_not():
    guide = (DOCS / "explanation" / "sample-project.md").read_text(encoding="utf-8")
    for said in ("36 comparisons", "120 synthetic letters", "language model", "synthetic author", "no finding"):
        assert said in guide, said
    for number in (len(ROWS), *Counter(row["perceptibility"] for row in IDENTITY_ROWS).values()):
        assert str(number) in guide, number
