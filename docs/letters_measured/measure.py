"""Measure the letter check on letters that were written for it by authors who knew neither its lists nor its heads.

    python -m letters_measured.measure [--words | --ask MODEL] FILE…          (in docs)

FILE has one JSON document a line: a letter with its `marks` (words, category, and which of several places `nth`),
`candidate`, `pronoun`, `occupation`, and where it has a `cv`, `claims`; or a `sentence` and whether it is a `doubt`.
What is measured is the program as it is on this computer: with BIASPRINT_HOME an empty folder without the tagger and
the larger encoder. `--words`: the word lists alone; `--ask`: what a language model on this computer names.

A passage is found if a mark of its category shares a sign with it. A mark is right if it shares a sign with a passage
of its category: what the author did not set off counts as wrong, so this precision is the least. Intervals: Wilson.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "core" / "python"))

from biasprint.core.compute import models
from biasprint.core.jobs import JobContext
from biasprint.core.letters import (
    CATEGORIES,
    Generator,
    ReadingRequest,
    candidate_of,
    occupation_of,
    read_by_model,
    scorers_for_letters,
)
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.values import Mark, Reading
from biasprint.core.metrics.proportions import wilson

Row = dict[str, Any]
IN_CV = {
    "supported": ("grounded",),
    "mismatch": ("contradicted", "unsupported"),
    "absent": ("unsupported",),
    "opinion": ("not a claim",),
}


@dataclass
class Counted:
    """How many of `there` were found, and how many of `marked` were right, by category; and the other counts."""

    there: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    marked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    about: Counter[str] = field(default_factory=Counter)
    about_right: Counter[str] = field(default_factory=Counter)
    wrong: list[Row] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--words", action="store_true")
    parser.add_argument("--ask", default="", metavar="MODEL")
    parser.add_argument("--wrong", type=Path, help="Write the marks that no author set off here, for readers.")
    asked = parser.parse_args()
    rows = [json.loads(line) for file in asked.files for line in file.read_text("utf-8").splitlines()]
    scorers = {} if asked.words else scorers_for_letters()
    counted = Counted()
    for row in rows:
        if "text" in row:
            of_letter(row, scorers, counted, asked.ask)
        elif not asked.ask:
            of_sentence(row, scorers, counted)
    print("\n".join(table(counted)))
    if asked.wrong is not None:
        lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in counted.wrong)
        asked.wrong.write_text("".join(lines), encoding="utf-8")


def of_letter(row: Row, scorers: dict[str, str], counted: Counted, model: str = "") -> None:
    document = read_pasted(row["text"])
    cv = read_pasted(row["cv"]) if row.get("cv") else None
    reading = read_letter(document, ReadingRequest(scorers, cv))
    if model:
        asked = read_by_model(JobContext(), reading, models(), Generator("llama_cpp", model))
        reading = replace(reading, marks=asked.marks)
        counted.about["lines of the model that were kept"] += len(asked.marks) + sum(asked.left_out.values())
        counted.about_right["lines of the model that were kept"] += len(asked.marks)
    text = document.text
    gold = [(*place(text, mark["text"], mark.get("nth", 0)), mark["category"]) for mark in row["marks"]]
    for start, end, category in gold:
        counted.there[category] += 1
        counted.found[category] += any(
            mark.category == category and mark.start < end and start < mark.end for mark in reading.marks
        )
    for mark in reading.marks:
        right = any(mark.category == own and mark.start < end and start < mark.end for start, end, own in gold)
        counted.marked[mark.category] += 1
        counted.right[mark.category] += right
        if not right:
            counted.wrong.append(shown(row, reading, mark))
    who = candidate_of(document)
    occupation = occupation_of(document, ReadingRequest(person=who))
    for what, right, known in (
        ("names", same(who.full_name, row["candidate"]), True),
        ("pronouns", who.pronoun == row["pronoun"], True),
        ("occupations", same(occupation.occupation, row["occupation"] or ""), row["occupation"] is not None),
        ("clean letters without a doubt or private mark", not private(reading.marks), row["clean"]),
    ):
        if known:
            counted.about[what] += 1
            counted.about_right[what] += right
    for claim in row.get("claims", ()) if cv is not None else ():
        verdicts = verdicts_of(reading, claim["sentence"])
        kind = f"claims: {claim['verdict']}"
        counted.about[kind] += 1
        counted.about_right[kind] += bool(verdicts & set(IN_CV[claim["verdict"]]))
        if "contradicted" in verdicts:
            counted.about["“contradicted” said"] += 1
            counted.about_right["“contradicted” said"] += claim["verdict"] == "mismatch"
        if "grounded" in verdicts:
            counted.about["“supported” said"] += 1
            counted.about_right["“supported” said"] += claim["verdict"] == "supported"


def of_sentence(row: Row, scorers: dict[str, str], counted: Counted) -> None:
    text = f"I have worked with Maria Kowalski for six years. {row['sentence']} I recommend her for the post."
    reading = read_letter(read_pasted(text), ReadingRequest(scorers))
    doubts = [mark for mark in reading.marks if mark.category == "doubt"]
    what = "honest doubts marked" if row["doubt"] else "idioms without a doubt mark"
    counted.about[what] += 1
    counted.about_right[what] += bool(doubts) == row["doubt"]


def place(text: str, words: str, nth: int) -> tuple[int, int]:
    """Return the place of words in the text as it was read, whose line breaks may be blanks."""
    plain, wanted = " ".join(text.split()), " ".join(words.split())
    start = -1
    for _ in range(nth + 1):
        start = plain.index(wanted, start + 1)
    # Back to the text's own signs: count what is no blank.
    signs = [at for at, sign in enumerate(text) if not sign.isspace()]
    before, within = (sum(not sign.isspace() for sign in part) for part in (plain[:start], wanted))
    return signs[before], signs[before + within - 1] + 1


def verdicts_of(reading: Reading, sentence: str) -> set[str]:
    wanted = " ".join(sentence.split())
    return {
        support.verdict
        for support in reading.support
        if (own := " ".join(reading.sentence(support.sentence).text.split())) in wanted or wanted in own
    }


def private(marks: Sequence[Mark]) -> list[Mark]:
    praise = ("agentic", "communal", "standout", "ability", "grindstone")
    return [mark for mark in marks if mark.category not in praise]


def same(ours: str, theirs: str) -> bool:
    return " ".join(ours.casefold().split()) == " ".join(theirs.casefold().split())


def shown(row: Row, reading: Reading, mark: Mark) -> Row:
    sentence = reading.sentence(mark.sentence).text
    return {"id": row["id"], "category": mark.category, "words": mark.words, "sentence": sentence}


def table(counted: Counted) -> Iterator[str]:
    yield "| category | found | recall | interval | right | precision, at least | interval |"
    yield "|---|--:|--:|---|--:|--:|---|"
    for category in CATEGORIES:
        yield row_of(category, counted, [category])
    yield row_of("all", counted, CATEGORIES)
    yield ""
    yield "| what | right | share | interval |"
    yield "|---|--:|--:|---|"
    for what, n in sorted(counted.about.items()):
        yield f"| {what} | {' | '.join(share(counted.about_right[what], n))} |"


def row_of(name: str, counted: Counted, categories: Sequence[str]) -> str:
    def total(counts: Counter[str]) -> int:
        return sum(counts[category] for category in categories)

    found = share(total(counted.found), total(counted.there))
    right = share(total(counted.right), total(counted.marked))
    return f"| {name} | {' | '.join((*found, *right))} |"


def share(count: int, n: int) -> tuple[str, str, str]:
    bounds = wilson(count, n)
    if bounds is None:
        return "0 of 0", "–", "–"
    return f"{count} of {n}", f"{count / n:.2f}", f"{bounds.low:.2f} to {bounds.high:.2f}"


if __name__ == "__main__":
    main()
