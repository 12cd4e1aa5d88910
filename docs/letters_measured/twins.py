"""Measure swap twins of letters whose right twin is known: which words are wrong, and whether a warning says so.

    python -m letters_measured.twins FILE… [--without-grammar] [--wrong PLACES.jsonl]          (in docs)

FILE is UTF-8 with one JSON object a line, each a letter and its right twin:

    {"id": "a01",
     "text": "I recommend Maria Kowalski. She led her team, and I saw her Monday.",
     "from": "Maria Kowalski", "from_pronoun": "she",
     "to": "James Miller", "to_pronoun": "he",
     "words": [["Maria Kowalski", "James Miller"], ["She", "He"], ["her", "his"], ["her", "him"]]}

- `id`: any string, once in the file.
- `text`: the whole letter as it would be pasted; "\\n\\n" between paragraphs.
- `from`, `from_pronoun`: the candidate as a person would type it; he, she or they. With `"from": ""` and
  `"from_pronoun": ""` the program finds the candidate itself.
- `to`, `to_pronoun`: the twin's first and family name as typed; he, she or they. `to_title`, if given: such as "Mrs".
- The right twin, in exactly one of two ways:
  - `twin`: the whole text of it. `"twin": null`: no twin can be asked for (nobody is recommended, or two are and none
    is named): right if the program warns or refuses, wrong if it makes a twin and says nothing.
  - `words`: all that changes, in the order of the text. Each is [old, right]: `old` stands in the text after the one
    before it, as whole words. `right` is the new word or words, "" if they are left out, a list if several are right
    (["himself", "themself"]), or null if a reader of the letter cannot tell and a person has to be asked. [old, old]
    steps over words that stay. Whatever no pair names must stay as it is.
- In `twin` and in a list, "Mr" and "Mr." count as the same.

A place is a word, or a run of words, that changes in the right twin or in the program's. It is
- right: as in the right twin, without a doubt;
- asked: as in the right twin, and the program asks a person to look at it; or null above and asked;
- left and listed: it should have changed and did not, and the program lists it as left;
- wrong with a warning: another word than the right one, and the program asks a person to look at it;
- wrong without a warning: everything else.
Intervals: Wilson. Places of one letter are not independent, so that the interval of letters (the last row) is safer.
The program is measured as it is on this computer: `--without-grammar` as on one without the parser.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "core" / "python"))

from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.twins import LetterTwin, twin_text
from biasprint.core.scorers import parts_of_speech
from biasprint.core.swap import Change
from biasprint.core.swap.guess import named
from letters_measured.measure import share

RIGHT, ASKED, LEFT = "right", "asked", "left and listed"
WARNED, UNWARNED = "wrong with a warning", "wrong without a warning"
OUTCOMES = (RIGHT, ASKED, LEFT, WARNED, UNWARNED)
_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
Row = dict[str, Any]


class Edit(NamedTuple):
    """Characters `start` to `end` of the letter become one of `right`; None where a person has to be asked."""

    start: int
    end: int
    right: tuple[str, ...] | None


class Place(NamedTuple):
    """A place of a letter, what the program made of it, and how that is judged."""

    letter: str
    old: str
    right: str
    made: str
    outcome: str
    doubt: str


@dataclass
class Measured:
    """The places, by outcome, and the letters with a wrong word without a warning."""

    places: list[Place] = field(default_factory=list)
    letters: int = 0
    spoiled: int = 0
    seconds: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--without-grammar", action="store_true", help="As on a computer without the parser.")
    parser.add_argument("--wrong", type=Path, help="Write every place that is not right here, for readers.")
    asked = parser.parse_args()
    if asked.without_grammar:
        parts_of_speech.installed = lambda: None
    rows = [json.loads(line) for file in asked.files for line in file.read_text("utf-8").splitlines() if line.strip()]
    measured = measure(rows)
    print("\n".join(table(measured)))
    if asked.wrong is not None:
        others = [place._asdict() for place in measured.places if place.outcome != RIGHT]
        asked.wrong.write_text("".join(json.dumps(place, ensure_ascii=False) + "\n" for place in others), "utf-8")


def measure(rows: Sequence[Row]) -> Measured:
    """Make the twin of every letter and judge each of its places."""
    measured = Measured()
    for row in map(read_row, rows):
        began = time.perf_counter()
        made = twin_of_row(row)
        measured.seconds.append(time.perf_counter() - began)
        places = list(places_of(row, made))
        measured.places += places
        measured.letters += 1
        measured.spoiled += any(place.outcome == UNWARNED for place in places)
    return measured


def read_row(row: Row) -> Row:
    """The row with its texts as the program reads a pasted one, whose places are counted."""
    read = {key: read_pasted(row[key]).text for key in ("text", "twin") if row.get(key)}
    return {**row, **read}


def twin_of_row(row: Row) -> LetterTwin:
    """Make the twin as the command `letter --name … --twin …` does."""
    other = named(row["to"])
    other = replace(other, title=row.get("to_title", other.title), pronoun=row["to_pronoun"])
    return twin_text(read_pasted(row["text"]), (row["from"], row["from_pronoun"]), other)


def places_of(row: Row, made: LetterTwin) -> Iterator[Place]:
    """Yield the places of one letter, each judged."""
    text = row["text"]
    if "twin" in row and row["twin"] is None:
        warned = bool(made.remarks) or not made.twin.changes
        yield Place(row["id"], "", "no twin", made.twin.text[:80], ASKED if warned else UNWARNED, "")
        return
    wanted = edits_of(row)
    changes = [*made.twin.changes]
    for start, end in regions(text, wanted, changes):
        own = [edit for edit in wanted if start <= edit.start and edit.end <= end]
        here = [change for change in changes if start <= change.start and change.end <= end]
        left = [change for change in made.twin.left_alone if change.start < end and start < change.end]
        yield judged(row["id"], text, (start, end), own, here, left)


def judged(
    letter: str, text: str, at: tuple[int, int], own: Sequence[Edit], here: Sequence[Change], left: Sequence[Change]
) -> Place:
    start, end = at
    old, result = text[start:end], replaced(text, start, end, [(each.start, each.end, each.new) for each in here])
    doubt = "; ".join(dict.fromkeys(each.doubt for each in (*here, *left) if each.doubt))
    if any(edit.right is None for edit in own):
        return Place(letter, old, "?", result, ASKED if doubt else UNWARNED, doubt)
    rights = [""]
    done = start
    for edit in own:
        rights = [f"{right}{text[done : edit.start]}{option}" for right in rights for option in edit.right or ()]
        done = edit.end
    rights = [right + text[done:end] for right in rights]
    if plain(result) in map(plain, rights):
        return Place(letter, old, rights[0], result, ASKED if doubt else RIGHT, doubt)
    listed = doubt or (left and not here)
    outcome = (LEFT if not here else WARNED) if listed else UNWARNED
    return Place(letter, old, rights[0], result, outcome, doubt)


def plain(words: str) -> str:
    return " ".join(re.sub(r"\b(Mr|Mrs|Ms|Mx|Dr)\.", r"\1", words).replace("’", "'").split())


def replaced(text: str, start: int, end: int, edits: Sequence[tuple[int, int, str]]) -> str:
    parts, done = [], start
    for begin, stop, new in edits:
        parts += [text[done:begin], new]
        done = stop
    return "".join([*parts, text[done:end]])


def regions(text: str, wanted: Sequence[Edit], changes: Sequence[Change]) -> Iterator[tuple[int, int]]:
    """Yield the stretches that either twin changes, as whole words; stretches that overlap are one."""
    spans = [(edit.start, edit.end) for edit in wanted] + [(change.start, change.end) for change in changes]
    whole = sorted(_whole(text, start, end) for start, end in spans)
    start, end = whole[0] if whole else (0, 0)
    for begin, stop in whole[1:]:
        if begin < end:
            end = max(end, stop)
            continue
        yield start, end
        start, end = begin, stop
    if whole:
        yield start, end


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    for match in _TOKEN.finditer(text):
        if match.start() < end and start < match.end():
            start, end = min(start, match.start()), max(end, match.end())
    return start, end


def edits_of(row: Row) -> list[Edit]:
    """Return what the right twin changes. Raises `ValueError` for a pair that is not in the text."""
    if "words" in row:
        return list(_from_pairs(row))
    return list(_from_twin(row["text"], row["twin"]))


def _from_pairs(row: Row) -> Iterator[Edit]:
    text, at = row["text"], 0
    for old, right in row["words"]:
        words = r"\s+".join(map(re.escape, old.split()))
        match = re.compile(rf"(?<!\w){words}(?!\w)").search(text, at)
        if match is None:
            raise ValueError(f"{row['id']}: “{old}” does not stand after the pair before it.")
        at = match.end()
        if right != old:
            yield from _split(match.start(), match.group(), right)


def _split(start: int, old: str, right: str | list[str] | None) -> Iterator[Edit]:
    """Names of as many words in both twins are one place a word."""
    words = list(_TOKEN.finditer(old))
    if isinstance(right, str) and len(words) == len(news := _TOKEN.findall(right)) > 1:
        for match, new in zip(words, news, strict=True):
            if match.group() != new:
                yield Edit(start + match.start(), start + match.end(), (new,))
        return
    yield Edit(start, start + len(old), None if right is None else (right,) if isinstance(right, str) else tuple(right))


def _from_twin(text: str, twin: str) -> Iterator[Edit]:
    olds, news = list(_TOKEN.finditer(text)), list(_TOKEN.finditer(twin))
    words = ([match.group() for match in olds], [match.group() for match in news])
    for kind, first, last, begin, stop in SequenceMatcher(None, *words, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if last - first == stop - begin:
            for old, new in zip(olds[first:last], news[begin:stop], strict=True):
                if old.group() != new.group():
                    yield Edit(old.start(), old.end(), (new.group(),))
            continue
        start = olds[first].start() if first < len(olds) else len(text)
        end = olds[last - 1].end() if last > first else start
        new = twin[news[begin].start() : news[stop - 1].end()] if stop > begin else ""
        if last == first:  # words that are added belong to the word before them
            start, end = (olds[first - 1].start(), olds[first - 1].end()) if first else (0, 0)
            new = f"{text[start:end]} {new}"
        yield Edit(start, end, (new,))


def table(measured: Measured) -> Iterator[str]:
    n = len(measured.places)
    counts = Counter(place.outcome for place in measured.places)
    yield "| places | count | share | interval |"
    yield "|---|--:|--:|---|"
    for outcome in OUTCOMES:
        yield f"| {outcome} | {' | '.join(share(counts[outcome], n))} |"
    clean = measured.letters - measured.spoiled
    yield f"| letters without a wrong word that nothing warns of | {' | '.join(share(clean, measured.letters))} |"
    slowest = max(measured.seconds[1:] or measured.seconds or [0.0])
    yield ""
    yield f"Slowest twin after the first: {slowest:.2f} s."
    for place in measured.places:
        if place.outcome == UNWARNED:
            yield f"{place.letter}: “{place.old}” should be “{place.right}” and is “{place.made}”"


if __name__ == "__main__":
    main()
