"""Train the heads of letters: `python -m training.passages.train` writes `head.safetensors` and `words.safetensors`.

    python -m training.passages.train                           both, of all authors, as the program reads them
    python -m training.passages.train --check d k n+o …         each of these left out in turn: how good both are there
    python -m training.passages.train --base mpnet --out n+o    `larger.safetensors`, of all others, and how good it is

The larger base is all-mpnet-base-v2, which must be on this computer; its head is for passages alone.

What each is taught on: material.py; how: tuning.py.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from biasprint.core.letters.about_whom import marked_text
from biasprint.core.letters.passages import as_asked
from biasprint.core.letters.values import Sentence
from biasprint.core.metrics.proportions import wilson
from biasprint.core.scorers import passages as passage_heads
from biasprint.core.scorers.agency_minilm import neutral
from biasprint.core.scorers.passages import CATEGORIES, CLASSES, FOUND
from training.files import MODELS, write_head
from training.passages.material import Passage, Word, passages, words
from training.passages.tuning import BASES, BATCH, Base, Tuned, padded, states_of, trained

SMOOTHING = 0.05
LONGEST = 60  # tokens of a passage


class Task(Protocol):
    """What a head is taught, with what the kept layers make of it. `of` gives the places of some authors."""

    FILE: str
    authors: list[str]

    def train(self, places: Sequence[int]) -> Tuned: ...
    def predicted(self, model: Tuned, places: Sequence[int]) -> Any: ...
    def said(self, name: str, shares: Any, places: Sequence[int]) -> None: ...


class OfPassages:
    """Which class a clause is of."""

    FILE = passage_heads.FILE

    def __init__(self, base: Base, given: Sequence[Passage]) -> None:
        self.base, self.kept, embedder = base, base.kept(0), base.load()
        tokens = embedder.tokens([neutral(one.text.strip(" ,;:—–()")) for one in given])
        self.states = states_of(base, [embedder.marked(one[:LONGEST]) for one in tokens], self.kept)
        self.authors = [one.author for one in given]
        self.of = np.array([CLASSES.index(one.label) for one in given])

    def train(self, places: Sequence[int]) -> Tuned:
        own = np.array(places)

        def loss(model: Tuned, batch: Any) -> Tensor:
            wanted = torch.from_numpy(self.of[own[batch]])
            return nn.functional.cross_entropy(self._scores(model, own[batch]), wanted, label_smoothing=SMOOTHING)

        return trained(
            lambda: Tuned(self.base, self.kept, 1, len(CLASSES)),
            np.array([len(self.states[place]) for place in own]),
            loss,
        )

    def _scores(self, model: Tuned, places: Sequence[int]) -> Tensor:
        scores: Tensor = model(*padded([self.states[place] for place in places]))
        return scores

    def predicted(self, model: Tuned, places: Sequence[int]) -> Any:
        return in_parts(lambda part: torch.softmax(self._scores(model, part), 1), places)

    def said(self, name: str, shares: Any, places: Sequence[int]) -> None:
        of, best, sure = self.of[list(places)], shares.argmax(1), shares.max(1)
        print(f"passages, left out {name}: {(best == of).sum()} of {len(of)} right, {said_share(best == of)}")
        for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
            marked = (sure >= least) & (best < len(FOUND))
            right, there = int((marked & (best == of)).sum()), int((of < len(FOUND)).sum())
            print(f"  from {least}: {right} of {marked.sum()} marks right, {right} of {there} passages found")


class OfWords:
    """Whether listed words are meant."""

    FILE = passage_heads.WORDS_FILE

    def __init__(self, base: Base, given: Sequence[Word]) -> None:
        self.base, self.kept, embedder = base, base.kept(1), base.load()
        pages = [marked_text(Sentence(0, 0, len(one.text), one.text, "body"), None) for one in given]
        asked = [as_asked(page, one.start, one.end, one.category) for page, one in zip(pages, given, strict=True)]
        rows = passage_heads.word_rows(embedder, asked)
        self.states = states_of(base, [row.ids for row in rows], self.kept)
        self.inside = [torch.from_numpy(row.words) for row in rows]
        self.authors = [one.author for one in given]
        self.of = np.array([float(one.right) for one in given], dtype=np.float32)
        self.category = np.array([CATEGORIES.index(one.category) for one in given])

    def train(self, places: Sequence[int]) -> Tuned:
        own = np.array(places)

        def loss(model: Tuned, batch: Any) -> Tensor:
            wanted = torch.from_numpy(self.of[own[batch]] * (1 - 2 * SMOOTHING) + SMOOTHING)
            return nn.functional.binary_cross_entropy_with_logits(self._scores(model, own[batch]), wanted)

        return trained(
            lambda: Tuned(self.base, self.kept, 2, len(CATEGORIES), shared=True),
            np.array([len(self.states[place]) for place in own]),
            loss,
        )

    def _scores(self, model: Tuned, places: Sequence[int]) -> Tensor:
        states, there = padded([self.states[place] for place in places])
        inside, _ = padded([self.inside[place] for place in places])
        every: Tensor = model(states, there, inside)
        return every.gather(1, torch.from_numpy(self.category[list(places)])[:, None])[:, 0]

    def predicted(self, model: Tuned, places: Sequence[int]) -> Any:
        return in_parts(lambda part: torch.sigmoid(self._scores(model, part)), places)

    def said(self, name: str, shares: Any, places: Sequence[int]) -> None:
        right = self.of[list(places)] > 0
        print(f"words, left out {name}: {right.sum()} of {len(right)} are meant")
        for least in (0.1, 0.2, 0.3, 0.4, 0.5):
            gone = shares < least
            print(f"  below {least}: {(gone & ~right).sum()} of {(~right).sum()} wrong, {(gone & right).sum()} right")


def in_parts(share: Callable[[Sequence[int]], Tensor], places: Sequence[int]) -> Any:
    with torch.no_grad():
        return torch.cat([share(places[start : start + BATCH]) for start in range(0, len(places), BATCH)]).numpy()


def said_share(right: Any) -> str:
    bounds = wilson(int(right.sum()), len(right))
    return f"{bounds.low:.2f} to {bounds.high:.2f}" if bounds else "–"


def split(task: Task, authors: str) -> tuple[list[int], list[int]]:
    """The places of authors such as “n+o”, and of all others."""
    names = authors.split("+")
    there = range(len(task.authors))
    return [at for at in there if task.authors[at] in names], [at for at in there if task.authors[at] not in names]


def check(task: Task, authors: Sequence[str]) -> dict[str, Any]:
    """Print how good a head is that has seen nothing of an author, for each; return the probabilities."""
    found = {}
    for author in authors:
        left, rest = split(task, author)
        if left:
            found[author] = task.predicted(task.train(rest), left)
            task.said(author, found[author], left)
    return found


def write(task: Task, places: Sequence[int], file: str) -> Tuned:
    model = task.train(places)
    sha256 = write_head(MODELS / "passages" / file, model.weights())
    print(f"{file}: {len(places)} texts; SHA-256 {sha256}")
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", nargs="+", default=(), metavar="AUTHOR")
    parser.add_argument("--base", choices=BASES, default="minilm")
    parser.add_argument("--out", default="", metavar="AUTHORS")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    base = BASES[asked.base]
    tasks: list[Task] = [OfPassages(base, passages())]
    if not base.large:
        tasks.append(OfWords(base, words()))
    for task in tasks:
        if asked.check:
            check(task, asked.check)
            continue
        left, rest = split(task, asked.out)
        model = write(task, rest, passage_heads.MPNET_FILE if base.large else task.FILE)
        if left:
            task.said(asked.out, task.predicted(model, left), left)


if __name__ == "__main__":
    main()
