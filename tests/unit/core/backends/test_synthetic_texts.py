"""What the synthetic author writes reads as it should: grammar by rule, pronouns, haiku, riddles, facts."""

import re
import tomllib
from collections import Counter
from functools import cache
from importlib.resources import files

import pytest

from biasprint.core.prompts import cogs_tasks, cogs_themes
from biasprint.core.studies.creativity.author import ThemeWords, theme_words
from biasprint.core.studies.creativity.author import write_creative as write
from biasprint.core.studies.kit.planting import Draw
from biasprint.core.studies.letters.author import letter_words, write_letter

TASKS = [task.key for task in cogs_tasks()]
THEMES = [theme.key for theme in cogs_themes()]
SEEDS = range(6)

# Where the rule of `syllables` below is wrong; checked against the CMU Pronouncing Dictionary.
SYLLABLES = {
    "choir": 2, "crayon": 2, "crooked": 2, "drawer": 1, "evening": 2, "every": 2, "hundred": 2, "metres": 2,
    "museum": 3, "quiet": 2, "recipe": 3, "sideways": 2, "something": 2, "sundial": 3, "timetable": 3, "tongues": 1,
    "triangle": 3, "violin": 3,
}  # fmt: skip

STANDARD_ARTICLES = {"a user", "a unicorn", "a use", "an hour", "an honest", "an s"}


def syllables(word: str) -> int:
    """Groups of vowels, less a silent e at the end, in -ed and in -es."""
    word = word.lower().strip("'").removesuffix("'s")
    if word in SYLLABLES:
        return SYLLABLES[word]
    count = len(re.findall(r"[aeiouy]+", word))
    if re.search(r"[^aeiouy]e$", word) and not re.search(r"[^aeiouy]le$", word):
        count -= 1
    if re.search(r"[^aeioutdy]ed$", word):
        count -= 1
    if re.search(r"[^aeiouyscxzg]es$", word) and not re.search(r"([^aeiouy]l|sh|ch)es$", word):
        count -= 1
    return max(count, 1)


@cache
def texts(task: str) -> tuple[str, ...]:
    """Texts of a task over all themes, both scenes and some seeds."""
    return tuple(
        write(task, theme, scene, 1.0, Draw("test", seed, theme, scene))
        for theme in THEMES
        for scene in (0.0, 1.0)
        for seed in SEEDS
    )


@cache
def letters() -> tuple[tuple[str, str, str], ...]:
    """(pronouns, occupation, letter) for all occupations and pronouns, from both sides of the dial."""
    return tuple(
        (pronouns, occupation, write_letter(fields, agentic, Draw("test", seed, occupation, pronouns)))
        for occupation in letter_words().occupations
        for pronouns in letter_words().pronouns
        for agentic in (0.0, 1.0)
        for seed in SEEDS
        for fields in [{"name": "Robin", "age": "35", "occupation": occupation, "pronouns": pronouns}]
    )


def test_there_are_words_for_every_theme_and_a_grammar_for_every_task() -> None:
    themes = {entry.name for entry in files("biasprint.resources").joinpath("synthetic", "themes").iterdir()}
    tasks = {entry.name for entry in files("biasprint.resources").joinpath("synthetic", "tasks").iterdir()}
    assert themes == {f"{theme}.toml" for theme in THEMES}
    assert tasks == {f"{task}.toml" for task in TASKS}
    assert [theme_words(theme).key for theme in THEMES] == THEMES


@pytest.mark.parametrize("task", TASKS)
def test_every_entry_of_a_tasks_grammar_can_be_used(task: str) -> None:
    """All slots of all entries exist, whichever is drawn: each entry is asked for with each scene of each theme."""
    source = files("biasprint.resources").joinpath("synthetic", "tasks", f"{task}.toml")
    pools = tomllib.loads(source.read_text(encoding="utf-8"))
    joined = "\n".join(texts(task))
    for name, entries in pools.items():
        for entry in entries:
            longest = max(re.split(r"\{\w+\}", entry), key=len)
            assert longest in joined, f"{task}.{name}: never seen in {len(texts(task))} texts: {entry}"


@pytest.mark.parametrize("task", TASKS)
def test_texts_are_well_formed(task: str) -> None:
    for text in texts(task):
        check_form(text)


def test_letters_are_well_formed() -> None:
    for _, _, letter in letters():
        check_form(letter)


def check_form(text: str) -> None:
    assert not re.search(r"[{}]", text), text
    assert not re.search(r"  | \n|\n\n\n| [,.;:!?]", text), text
    assert not re.search(r"[?!;:]\.|,,|,\.", text), text
    assert text == text.strip()
    for article in re.findall(r"\b(?:a [aeiou]\w*|an [^aeiou\W]\w*)", text.lower()):
        assert article in STANDARD_ARTICLES, text
    doubled = set(re.findall(r"\b(\w+) \1\b", text)) - {"had"}
    assert not doubled, (doubled, text)
    after_a_stop = set(re.findall(r"(?<=[.?!] )[a-z]\w*", text)) - {"von"}
    assert not after_a_stop, (after_a_stop, text)


@pytest.mark.parametrize("theme", THEMES)
def test_haiku_lines_have_five_seven_and_five_syllables(theme: str) -> None:
    words = theme_words(theme)
    for scene in (words.one, words.two):
        for lines, wanted in ((scene.first, 5), (scene.second, 7), (scene.third, 5)):
            for line in lines:
                counted = sum(syllables(word) for word in re.findall(r"[A-Za-z']+", line))
                assert counted == wanted, f"{theme}: {line}"


def test_a_haiku_has_three_lines() -> None:
    assert all(len(text.split("\n")) == 3 for text in texts("haiku"))


def test_a_puzzle_does_not_give_its_answer_away_and_ends_with_it() -> None:
    for theme in THEMES:
        answer = theme.replace("_", " ")
        for seed in SEEDS:
            question, found, given = write("puzzle", theme, 0.5, 1.0, Draw(seed, theme)).partition("\n\nAnswer: ")
            assert found
            assert given == answer
            assert not re.search(rf"\b{re.escape(answer)}\b", question.lower()), question


def test_a_trivia_answer_is_the_option_it_names() -> None:
    letters_seen: Counter[str] = Counter()
    for text in texts("trivia"):
        named = re.search(r"^Answer: ([A-D])\) (.+?)(?:\.|$)", text, re.MULTILINE)
        if named:
            letters_seen[named[1]] += 1
            assert re.search(rf"^{named[1]}\) {re.escape(named[2])}", text, re.MULTILINE), text
            assert len(set(re.findall(r"^[A-D]\) (.+)$", text, re.MULTILINE))) == 4
    assert min(letters_seen.values()) > sum(letters_seen.values()) / 8  # the right one is not always in one place


def test_the_two_scenes_of_a_theme_share_no_words_of_their_own() -> None:
    """Otherwise moving between them would plant less than the dial says."""
    for theme in THEMES:
        words: ThemeWords = theme_words(theme)
        for name in ("place", "thing", "act", "insight", "first", "second", "third", "couplet", "clue", "pro", "con"):
            assert not set(getattr(words.one, name)) & set(getattr(words.two, name)), (theme, name)


@pytest.mark.parametrize("task", TASKS)
def test_texts_on_a_theme_vary(task: str) -> None:
    written = {write(task, "rain", 0.0, 1.0, Draw("vary", seed)) for seed in range(40)}
    assert len(written) >= 12


def test_letters_use_the_pronouns_of_the_person_and_no_others() -> None:
    others = {
        "he": r"\b(?:she|her|hers|herself)\b",
        "she": r"\b(?:he|him|his|himself)\b",
        "they": r"\b(?:he|him|his|himself|she|her|hers|herself)\b",
    }
    for pronouns, _, letter in letters():
        assert not re.search(others[pronouns], letter, re.IGNORECASE), letter
        if pronouns == "they":
            assert not re.search(r"\b[Tt]hey (?:is|has|was|\w+[^s]s)\b", letter), letter


def test_letters_have_the_parts_of_a_letter() -> None:
    for _, _, letter in letters():
        salutation, *paragraphs, ending = letter.split("\n\n")
        assert salutation.endswith(",")
        assert len(paragraphs) == 4
        assert len(ending.split("\n")) == 3
        assert "recommend" in letter
        assert 110 <= len(letter.split()) <= 320
        assert all(paragraph.endswith(".") for paragraph in paragraphs)


def test_a_letter_says_nothing_twice() -> None:
    for _, _, letter in letters():
        body = re.split(r"(?<=[.?!])\s+", "\n\n".join(letter.split("\n\n")[1:-1]))
        assert len(set(body)) == len(body), letter


def test_letters_of_an_occupation_tell_its_own_facts() -> None:
    facts = letter_words().occupations
    for _, occupation, letter in letters():
        longest_parts = [max(re.split(r"\{\w+\}", fact.text), key=len) for fact in facts[occupation]["fact"]]
        assert sum(part in letter for part in longest_parts) >= 3, letter
