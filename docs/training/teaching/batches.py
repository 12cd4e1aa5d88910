"""What each training step reads: documents as tokens, in parts of texts of like length."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

from training.teaching.corpus import KINDS, TRAINING, Document
from training.teaching.tokenizer import END, as_asked

# Documents of each kind in one step: about five thousand tokens.
PER_STEP: Mapping[str, int] = {"letter": 10, "creative": 12, "completion": 8}
PARTS = 3


@dataclass(frozen=True)
class Part:
    """`tokens` and `learned`, both of shape (texts, length).

    `learned`: the token is the model's own and not the prompt's; shorter texts are filled up with tokens that are not.
    """

    tokens: Tensor
    learned: Tensor


def step_parts(tokenizer: Tokenizer, seed: int, step: int, per_step: Mapping[str, int] = PER_STEP) -> list[Part]:
    """The texts of one step, which no other step has, sorted by length and cut into `PARTS`."""
    documents = [
        KINDS[kind](seed, TRAINING, step * count + place) for kind, count in per_step.items() for place in range(count)
    ]
    documents.sort(key=lambda document: len(tokens_of(tokenizer, document)[0]))
    return list(parts_of(tokenizer, documents, -(-len(documents) // PARTS)))


def parts_of(tokenizer: Tokenizer, documents: Sequence[Document], size: int = 10) -> Iterator[Part]:
    """Documents in parts of `size`, in order."""
    for start in range(0, len(documents), size):
        yield _filled(tokenizer, documents[start : start + size])


def tokens_of(tokenizer: Tokenizer, document: Document) -> tuple[list[int], int]:
    """A document's tokens with the turns of the chat, and how many of them are the prompt's."""
    prompt = tokenizer.encode(as_asked(document.prompt)).ids
    return prompt + tokenizer.encode(document.text + END).ids, len(prompt)


def _filled(tokenizer: Tokenizer, documents: Sequence[Document]) -> Part:
    rows = [tokens_of(tokenizer, document) for document in documents]
    shape = len(rows), max(len(tokens) for tokens, _ in rows)
    tokens = torch.zeros(shape, dtype=torch.long)
    learned = torch.zeros(shape, dtype=torch.bool)
    for place, (row, prompt) in enumerate(rows):
        tokens[place, : len(row)] = torch.tensor(row)
        learned[place, prompt : len(row)] = True
    return Part(tokens, learned)
