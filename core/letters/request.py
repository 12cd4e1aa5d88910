"""The settings for reading a letter or having one written, from the command line and window to the compute process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from biasprint.core.letters.values import Document, DocumentKind, Mark, Part, PartKind
from biasprint.core.swap import Person

if TYPE_CHECKING:
    from biasprint.core.letters.house import HouseList
    from biasprint.core.letters.references import ReferenceSet


@dataclass(frozen=True)
class ReadingRequest:
    """The settings for reading a letter.

    `scorers`: role → name, for formality, positivity, agency and entailment; a missing role is reported as missing.
    Without one for agency no model is loaded, and only words of the lists are marked.
    `context`: the CV or whatever else the letter should rest on. `parts` and `person`: as a person set them; found and
    guessed where None. `occupation`: whose reference letters the letter is compared with; None where nobody said it.
    Without one nothing is compared, because a guess is for a person to confirm. `house`: what is always ignored, and
    marked. `kind`: what the document is read as; guessed where None. `larger`: all-mpnet-base-v2 reads
    passages too, where it is on this computer.
    """

    scorers: Mapping[str, str] = field(default_factory=dict)
    context: Document | None = None
    parts: tuple[Part, ...] | None = None
    person: Person | None = None
    occupation: str | None = None
    reference: "ReferenceSet | None" = None
    house: "HouseList | None" = None
    kind: DocumentKind | None = None
    larger: bool = True

    def narrowed(self) -> "ReadingRequest":
        """Return the request with only the reference letters for its occupation: less to hand to another process."""
        if self.reference is None:
            return self
        return replace(self, reference=self.reference.narrowed(self.occupation or ""))


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


# ---- What a generator is asked with, and what a language model reads


@dataclass(frozen=True)
class Generator:
    """The writer of texts, named as `generate` names it. `keys`: keys of endpoints that this session alone knows."""

    backend: str
    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelReading:
    """A model's reading. `marks`: passages of the letter, by place; `left_out`: reason → lines left out.

    `made_by`: the model, in words. `prompt_sha256`: of the prompt with the letter in it; `reply`: as it came.
    """

    made_by: str
    marks: tuple[Mark, ...]
    left_out: Mapping[str, int]
    reply: str
    ended: str
    prompt_sha256: str

    @property
    def summary(self) -> str:
        """One sentence: who read, how many passages, and how many lines were left out, and why."""
        passages = f"{len(self.marks)} passage" + "s" * (len(self.marks) != 1)
        lines = sum(self.left_out.values())
        reasons = ", ".join(f"{count} {reason}" for reason, count in self.left_out.items())
        left = f"; {lines} of its lines {'was' if lines == 1 else 'were'} left out ({reasons})" if lines else ""
        cut = "; its reply was cut off at the longest length" if self.ended == "length" else ""
        return f"{self.made_by} names {passages}{left}{cut}. This is that model's reading, and counts nowhere."
