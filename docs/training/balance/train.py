"""Train the head of a letter's balance: `python -m training.balance.train` writes `models/balance/head.safetensors`.

    python -m training.balance.train           all sentences, and the file that the program reads
    python -m training.balance.train --check   authors, and groups of sentences, left out: how good a head is on theirs

It is taught with the agency head's sentences and with those of sentences.csv by five other authors. Sentences that
begin with “he” or “she” are read once more with a family name there, so that a name which no list has says little. The
strength of the penalty is chosen by leaving one author out at a time. There is no chance in it.
"""

import argparse
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biasprint.core.metrics.proportions import wilson
from biasprint.core.scorers.agency_minilm import CLASSES
from training.agency.train import Floats, Sentence, classes, embed, fit, predicted, read_sentences, split
from training.files import MODELS, read_rows, write_head

HERE = Path(__file__).parent
TARGET = MODELS / "balance" / "head.safetensors"
PENALTIES = (1.0, 3.0, 10.0)
OWN = "own"  # wrote the agency head's sentences too
# No list of the program has them, and none is taught.
WOMEN = ("Wanjiru", "Siobhan", "Chidinma", "Xiuying", "Lakshmi")
MEN = ("Kwabena", "Declan", "Emeka", "Haoran", "Arjun")
HE_OR_SHE = re.compile(r"^(?:He|She)\b")

Places = NDArray[np.bool_]


class Taught(NamedTuple):
    """Sentences, who wrote each, and the vectors and classes of them; `again`: with a name, by the first's place."""

    sentences: list[Sentence]
    authors: NDArray[np.str_]
    vectors: Floats
    of: NDArray[np.int64]
    again: Floats
    places: NDArray[np.int64]

    def head(self, within: Places, penalty: float) -> tuple[Floats, Floats]:
        """Taught with the sentences of `within`."""
        again = within[self.places]
        vectors = np.vstack([self.vectors[within], self.again[again]])
        return fit(vectors, np.concatenate([self.of[within], self.of[self.places[again]]]), penalty)

    def right(self, left: Places, penalty: float) -> Places:
        """Whether a head that has not seen the sentences of `left` is right in each of them."""
        return predicted(self.vectors[left], self.head(~left, penalty)) == self.of[left]


def read_taught() -> tuple[list[Sentence], list[str]]:
    """All sentences and their authors."""
    sentences = read_sentences()
    authors = [OWN] * len(sentences)
    for row in read_rows(HERE / "sentences.csv"):
        sentences.append(Sentence(row["text"], row["label"], row["group"]))
        authors.append(row["author"])
    return sentences, authors


def named(sentences: Sequence[Sentence], names: Sequence[str]) -> list[tuple[int, Sentence]]:
    """Those that begin with “he” or “she”, by their place, with the next of `names` instead."""
    places = [place for place, one in enumerate(sentences) if HE_OR_SHE.match(one.text)]
    texts = [HE_OR_SHE.sub(names[count % len(names)], sentences[place].text) for count, place in enumerate(places)]
    return [(place, sentences[place]._replace(text=text)) for place, text in zip(places, texts, strict=True)]


def family_names() -> list[str]:
    return files("biasprint.resources").joinpath("prompts", "family_names.txt").read_text("utf-8").split()


def taught() -> Taught:
    sentences, authors = read_taught()
    again = named(sentences, family_names())
    return Taught(
        sentences, np.array(authors), embed(sentences), classes(sentences),
        embed([one for _, one in again]), np.array([place for place, _ in again]),
    )  # fmt: skip


def chosen_penalty(given: Taught) -> float:
    """The best over all authors, each of whom counts alike."""
    shares = {}
    for penalty in PENALTIES:
        right = [given.right(given.authors == author, penalty).mean() for author in sorted(set(given.authors))]
        shares[penalty] = float(np.mean(right))
        print(f"C = {penalty:g}: {shares[penalty]:.4f}, an author left out at a time")
    return max(shares, key=lambda penalty: (shares[penalty], -penalty))


def check(given: Taught, penalty: float) -> None:
    """Print how good a head is on an author, and on groups of sentences, that it has not seen."""
    for author in sorted(set(given.authors)):
        _said(f"author {author} left out", given, given.authors == author, penalty)
    for author in (OWN, "e"):
        grouped = [one for one, by in zip(given.sentences, given.authors, strict=True) if by == author and one.group]
        groups = {one.group for one in split(grouped)[1]}
        left = np.array([one.group in groups for one in given.sentences]) & (given.authors == author)
        _said(f"groups of {author} left out", given, left, penalty)
        left_out = [one for one, is_left in zip(given.sentences, left, strict=True) if is_left]
        head = given.head(~left, penalty)
        woman, man = (predicted(embed([one for _, one in named(left_out, names)]), head) for names in (WOMEN, MEN))
        print(f"  a man's name instead of a woman's changes {(woman != man).sum()} of {len(man)} classes")


def _said(name: str, given: Taught, left: Places, penalty: float) -> None:
    right, of = given.right(left, penalty), given.of[left]
    each = (f"{label} {right[of == place].sum()} of {(of == place).sum()}" for place, label in enumerate(CLASSES))
    print(f"{name}: {right.sum()} of {len(right)} right, {wilson(int(right.sum()), len(right))}; {', '.join(each)}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--check", action="store_true")
    only_check = asked.parse_args().check
    given = taught()
    penalty = chosen_penalty(given)
    if only_check:
        check(given, penalty)
        return
    weight, bias = (part.astype(np.float32) for part in given.head(np.full(len(given.of), True), penalty))
    sha256 = write_head(TARGET, {"weight": weight, "bias": bias})
    print(f"C = {penalty:g}; {len(given.of)} sentences; SHA-256 {sha256}")


if __name__ == "__main__":
    main()
