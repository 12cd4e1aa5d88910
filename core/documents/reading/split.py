"""The sentences of a letter, each inside one part."""

from collections.abc import Sequence

from core.documents.values import Part, Sentence


def sentences_of(text: str, parts: Sequence[Part]) -> tuple[Sentence, ...]:
    """Every sentence in order, by the project's one segmenter. Heavy: the segmenter is loaded at the first call."""
    from core.scorers.segment import sentences

    found: list[Sentence] = []
    for part in parts:
        for start, end in sentences(text[part.start : part.end]):
            place = part.start + start
            found.append(Sentence(len(found), place, part.start + end, text[place : part.start + end], part.kind))
    return tuple(found)
