"""What both heads of letters are taught on, by author: read here alone.

clauses.csv has single passages by their class, letters.jsonl whole letters in which the passages are set off, words.csv
words of the lists in a sentence and whether they are meant there, and formal.csv letters whose listed words all are.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.passages import clauses
from biasprint.core.letters.values import Category, Mark, Sentence
from training.files import read_rows

HERE = Path(__file__).parent
MOST_FORMAL = 220  # words of a category: praise would outweigh what is rare


class Passage(NamedTuple):
    text: str
    label: str
    author: str


class Word(NamedTuple):
    """Words of a sentence, from `start` to `end`, and whether they say of the candidate what `category` means."""

    text: str
    start: int
    end: int
    category: Category
    right: bool
    author: str


def sentences_of_letters() -> list[Mapping[str, Any]]:
    lines = (HERE / "letters.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def passages() -> list[Passage]:
    """Every passage, and the clauses of the letters as the program cuts them: most are neutral."""
    found = [Passage(row["text"], row["label"], row["author"]) for row in read_rows(HERE / "clauses.csv")]
    for row in sentences_of_letters():
        found += [Passage(text, label, row["author"]) for text, label in _of_sentence(row["text"], row["passages"])]
    # Gender is left to the lists: a clause is read without it.
    return [one for one in dict.fromkeys(found) if one.label != "gender"]


def _of_sentence(text: str, given: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    yield from ((one["text"], one["label"]) for one in given)
    if not given:
        yield text, "neutral"
    places = [(text.index(one["text"]), one) for one in given]
    for start, end in clauses(text):
        over = [(min(end, at + len(one["text"])) - max(start, at), one["label"]) for at, one in places]
        most, label = max(over, default=(0, ""))
        if most <= 0:
            yield text[start:end], "neutral"
        elif 2 * most > end - start:
            yield text[start:end], label


def words() -> list[Word]:
    """Every marked word of the four files of which the material says whether it is meant."""
    found: list[Word] = []
    for row in read_rows(HERE / "clauses.csv"):
        own = [mark for mark in marked(row["text"]) if row["label"] in (mark.category, "neutral")]
        found += [_word(row["text"], mark, row["label"] == mark.category, row["author"]) for mark in own]
    for line in sentences_of_letters():
        found += _of_letter(line)
    for row in read_rows(HERE / "words.csv"):
        found.append(_given(row))
    seen: dict[str, int] = {}
    for row in read_rows(HERE / "formal.csv"):
        for mark in marked(row["text"]):
            seen[mark.category] = seen.get(mark.category, 0) + 1
            if mark.category != "doubt" and seen[mark.category] <= MOST_FORMAL:
                found.append(_word(row["text"], mark, True, row["author"]))
    return list(dict.fromkeys(found))


def marked(text: str) -> list[Mark]:
    """The words that the lists mark in a sentence, those that are denied or weakened left out."""
    marks = marks_of([Sentence(0, 0, len(text), text, "body")])
    return [mark for mark in marks if not (mark.negated or mark.hedged)]


# What lies near each other: whether a word of one is meant where the author set off the other is not known.
KIN = (frozenset({"family", "personal_life"}), frozenset({"family", "gender"}), frozenset({"appearance", "health"}))


def _of_letter(row: Mapping[str, Any]) -> Iterator[Word]:
    """A word on a passage of its category is meant, on others or in a trap it is not; of the rest nothing is known."""
    text: str = row["text"]
    places = [(text.index(one["text"]), one) for one in row["passages"]]
    there = {one["label"] for _, one in places}
    for mark in marked(text):
        over = {one["label"] for at, one in places if at < mark.end and mark.start < at + len(one["text"])}
        kin = any(mark.category in group and group & there for group in KIN)
        if mark.category in over:
            yield _word(text, mark, True, row["author"])
        elif (there or row["trap"]) and mark.category not in there and not kin:
            yield _word(text, mark, False, row["author"])


def _given(row: Mapping[str, str]) -> Word:
    """As the lists mark it, where they do, else as it was given."""
    text, wanted = row["text"], row["words"].lower()
    right, category = row["right"] == "1", row["category"]
    for mark in marked(text):
        if mark.category == category and (mark.words.lower() in wanted or wanted in mark.words.lower()):
            return _word(text, mark, right, row["author"])
    start = text.index(row["words"])
    return Word(text, start, start + len(row["words"]), category, right, row["author"])  # type: ignore[arg-type]


def _word(text: str, mark: Mark, right: bool, author: str) -> Word:
    return Word(text, mark.start, mark.end, mark.category, right, author)
