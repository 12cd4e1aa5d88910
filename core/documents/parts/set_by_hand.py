"""Parts set by a person, who knows better."""

from collections.abc import Sequence

from core.documents.values import Part, PartKind


def with_kind(parts: Sequence[Part], start: int, end: int, kind: PartKind) -> tuple[Part, ...]:
    """The parts with the characters from `start` to `end` being of `kind`; neighbours of one kind are joined."""
    pieces: list[Part] = []
    for part in parts:
        if part.start < min(part.end, start):
            pieces.append(Part(part.kind, part.start, min(part.end, start)))
        if max(part.start, end) < part.end:
            pieces.append(Part(part.kind, max(part.start, end), part.end))
    pieces.append(Part(kind, start, end))
    joined: list[Part] = []
    for piece in sorted(pieces, key=lambda piece: (piece.start, piece.end)):
        if joined and joined[-1].kind == piece.kind:
            joined[-1] = Part(piece.kind, joined[-1].start, piece.end)
        else:
            joined.append(piece)
    return tuple(joined)
