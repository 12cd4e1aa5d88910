"""The settings for reading a letter, from the command line and the window to the compute process."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from biasprint.core.letters.values import Document, DocumentKind, Part
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
