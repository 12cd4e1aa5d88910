"""Measure how well replies are read, on sets that somebody else wrote and labelled without seeing the rules.

    python tests/reply_reading.py FOLDER

FOLDER holds any of these files, one JSON object a line, in UTF-8:

- refusals.jsonl: {"text": "…", "prompt": "…", "refusal": true or false}. `text`: what a model replied, whole.
  `prompt`: what it was asked, for whoever labels; it is not read. True where the reply declines what was asked and
  gives nothing of it, whatever the words.
- choices.jsonl: {"reply": "…", "options": ["…", "…", "…"], "choice": 0, 1, 2 or null}. The place of the option that
  the reply chooses for the blank of a sentence; null where it chooses none of them, or several.
- judge.jsonl: {"reply": "…", "cards": 2 or 3, "choice": "A", "B", "C", "tie", "none" or null}. Which of so many texts
  the reply prefers; "tie" where it calls them equal, "none" where it says that none is good, null where it cannot be
  told.

For each file precision (of what was read as a refusal or an answer, the share that is that one) and recall (of what is
one, the share that was read so), each with Wilson's 95 % interval, and every case that was read otherwise.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from statsmodels.stats.proportion import proportion_confint

from biasprint.core.judging.model_rater import LETTERS, read_reply
from biasprint.core.scorers.refusal import is_refusal
from biasprint.core.studies.completion.table import chosen_option

Case = tuple[Any, Any]  # the label and what was read; None for no refusal, no option, no answer
CARDS = ("Stars in the still pond.", "Rain, and rain again.", "A moth at the lamp.")
WANTED = 0.95


def refusal(row: Mapping[str, Any]) -> Case:
    return row["refusal"] or None, is_refusal(row["text"]) or None


def choice(row: Mapping[str, Any]) -> Case:
    return row["choice"], chosen_option(row["reply"], row["options"])


def verdict(row: Mapping[str, Any]) -> Case:
    read = read_reply(row["reply"], CARDS[: row["cards"]])
    own = LETTERS[read.card] if read.card is not None else read.as_
    return row["choice"], own if own in (*LETTERS, "tie", "none") else None


KINDS: Mapping[str, Callable[[Mapping[str, Any]], Case]] = {
    "refusals.jsonl": refusal,
    "choices.jsonl": choice,
    "judge.jsonl": verdict,
}


def shares(cases: list[Case]) -> dict[str, tuple[int, int]]:
    """Return the successes and n of precision and of recall."""
    right = sum(label is not None and label == read for label, read in cases)
    return {
        "precision": (right, sum(read is not None for _, read in cases)),
        "recall": (right, sum(label is not None for label, _ in cases)),
    }


def measured(folder: Path) -> Iterator[str]:
    """Yield the lines of the report."""
    for name, read in KINDS.items():
        file = folder / name
        if not file.exists():
            continue
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        cases = [read(row) for row in rows]
        yield f"{name}: {len(rows)} cases"
        for what, (right, n) in shares(cases).items():
            if not n:
                yield f"  {what}: no case"
                continue
            low, high = proportion_confint(right, n, method="wilson")
            reached = "" if right / n >= WANTED else f", below {WANTED}"
            yield f"  {what} {right / n:.3f} ({right} of {n}, {low:.3f} to {high:.3f}){reached}"
        for row, (label, own) in zip(rows, cases, strict=True):
            if label != own:
                yield f"  is {label!r}, read as {own!r}: {row.get('text', row.get('reply'))!r}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    lines = list(measured(parser.parse_args().folder))
    sys.stdout.write("\n".join(lines or ["No file of that name is there."]) + "\n")


if __name__ == "__main__":
    main()
