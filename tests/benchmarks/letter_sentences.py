"""Letters by the synthetic author and their sentences, each different from the others: texts as people score them."""

from collections.abc import Iterator

from biasprint.core.backends.protocol import Request
from biasprint.core.backends.registry import open_backend
from biasprint.core.prompts import letters_context_less_set
from biasprint.core.scorers.segment import sentences


def letters(count: int, seed: int) -> list[str]:
    """Distinct letters; other ones for another seed."""
    backend = open_backend("synthetic", "medium", {})
    found: dict[str, None] = {}
    for number in range(seed, 10**6, 97):
        for draft in letters_context_less_set(names_per_group=2).prompts:
            request = Request(
                key=draft.key, prompt=draft.text, seed=number,
                fields={"task": draft.task, "theme": draft.theme, "axis": draft.axis, "identity": draft.identity,
                        **draft.fields},
            )  # fmt: skip
            found[backend.generate(request, lambda _: None, lambda: None).text] = None
            if len(found) == count:
                return list(found)
    raise AssertionError


def letter_sentences(count: int, seed: int) -> list[tuple[str, str]]:
    """Distinct sentences, each with the beginning of a letter as its context."""
    found: dict[str, str] = {}
    for sentence, letter in _each(seed):
        found.setdefault(sentence, " ".join(letter.split()[:120]))
        if len(found) == count:
            return [(context, sentence) for sentence, context in found.items()]
    raise AssertionError


def _each(seed: int) -> Iterator[tuple[str, str]]:
    for round_ in range(100):
        for place, letter in enumerate(letters(200, seed + round_)):
            # The author repeats itself: a number makes another sentence of the same length.
            yield from ((f"{letter[start:end]} {round_}{place % 10}", letter) for start, end in sentences(letter))
