"""Measure what each part of reading a letter costs: processor time, and the memory that its process holds.

    python -m letters_measured.cost [--runs 5] [--words 400] [--ask MODEL]          (in docs)

The letter is made of those of `letters_a.jsonl`, cut at a sentence. Each part is tried in processes of its own, as many
as runs: `ready` is loading with a first short letter, `letter` the letter after that, and memory the most that a
process held (with the child that a language model runs in). Processor time is of all threads. A language model is asked
once.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

import psutil

sys.path.insert(0, str(Path(__file__).parents[2] / "core" / "python"))

from biasprint.core.compute import models
from biasprint.core.jobs import JobContext
from biasprint.core.letters import Document, Generator, ReadingRequest, read_by_model, scorers_for_letters
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.passages import passages_of, without_doubted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.values import Reading

SHORT = "I have worked with Maria Kowalski for six years. She led the studio, and she is kind. I recommend her."


def by_words(document: Document) -> Reading:
    return read_letter(document, ReadingRequest(), words_only=True)


def by_grammar(document: Document) -> Reading:
    return read_letter(document, ReadingRequest())  # what the quick process does


def by_heads(document: Document, by_both: bool = False) -> None:
    reading = by_words(document)
    body = [sentence for sentence in reading.sentences if sentence.part == "body"]
    words = marks_of(body, reading.person)
    passages_of(body, without_doubted(body, words, reading.person), reading.person, by_both=by_both)


def by_both_readers(document: Document) -> None:
    by_heads(document, by_both=True)


def whole(document: Document) -> None:
    read_letter(document, ReadingRequest(scorers_for_letters()))


PARTS: Mapping[str, Callable[[Document], object]] = {
    "words": by_words, "words and grammar": by_grammar, "words and heads on MiniLM": by_heads,
    "the same, and the larger reader": by_both_readers,
    "all of these, style and balance": whole,
}  # fmt: skip
ASKED = "a language model's own reading"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--words", type=int, default=400)
    parser.add_argument("--ask", default="", metavar="MODEL")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part:
        print(json.dumps(cost_of(asked.part, sys.stdin.read(), asked.ask)))
        return
    text = letter(asked.words)
    print(f"{len(text.split())} words, {asked.runs} processes a part; the middle, and least to most")
    print("| part | ready, s | letter, s | memory, MB |\n|---|--:|--:|--:|")
    for part in (*PARTS, *([ASKED] if asked.ask else [])):
        again = [sys.executable, "-m", "letters_measured.cost", "--part", part]
        again += ["--ask", asked.ask]
        runs = [
            json.loads(subprocess.run(again, input=text, check=True, stdout=subprocess.PIPE, text=True).stdout)
            for _ in range(1 if part == ASKED else asked.runs)
        ]
        print(f"| {part} | {' | '.join(spread(column) for column in zip(*runs, strict=True))} |")


def letter(words: int) -> str:
    """Return the sentences of the measured letters, one after the other, until there are so many words."""
    rows = [json.loads(line) for line in Path(__file__).with_name("letters_a.jsonl").read_text("utf-8").splitlines()]
    read = (by_words(read_pasted(row["text"])) for row in rows if "text" in row)
    body = (sentence.text for reading in read for sentence in reading.sentences if sentence.part == "body")
    chosen: list[str] = []
    while len(" ".join(chosen).split()) < words:
        chosen.append(" ".join(next(body).split()))
    return " ".join(chosen)


def cost_of(part: str, text: str, model: str) -> tuple[float, float, float]:
    """Return the processor seconds of getting ready and of the letter, and the memory in megabytes."""
    seconds = []
    for given in (SHORT, text):
        document, start = read_pasted(given), used()
        if part == ASKED:
            read_by_model(JobContext(), by_words(document), models(), Generator("llama_cpp", model))
        else:
            PARTS[part](document)
        seconds.append(used() - start)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # kilobytes on Linux
    return seconds[0], seconds[1], most + sum(child.memory_info().rss for child in children()) / 1e6


def used() -> float:
    """Return the processor seconds of this process and of those that it started, until now."""
    theirs = (child.cpu_times() for child in children())
    return time.process_time() + sum(times.user + times.system for times in theirs)


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def spread(values: Sequence[float]) -> str:
    shown = [f"{value:.2f}" if value < 20 else f"{value:,.0f}" for value in (median(values), min(values), max(values))]
    return f"{shown[0]} ({shown[1]} to {shown[2]})"


if __name__ == "__main__":
    main()
