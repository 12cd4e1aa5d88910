"""The reading request: whatever a letter is read with beside its own text, as one value."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from biasprint.core.letters.house import HouseList
from biasprint.core.letters.references import ReferenceSet
from biasprint.core.letters.values import Document, Part
from biasprint.core.swap import Person


@dataclass(frozen=True)
class ReadingRequest:
    """What a letter is read with.

    `scorers`: role → name, for formality, positivity, agency and entailment; a role that is missing is said to be.
    Without one for agency no model is loaded, and only words of the lists are marked.
    `context`: the CV or whatever else the letter should rest on. `parts` and `person`: as a person set them; found and
    guessed where None. `occupation`: whose reference letters the letter is compared with; without one nothing is
    compared, because a guess is for a person to confirm. `house`: what is always ignored, and marked.
    """

    scorers: Mapping[str, str]
    context: Document | None = None
    parts: tuple[Part, ...] | None = None
    person: Person | None = None
    occupation: str = ""
    reference: ReferenceSet | None = None
    house: HouseList | None = None

    def narrowed(self) -> "ReadingRequest":
        """The same with nothing but the reference letters for its occupation: less to hand to another process."""
        return self if self.reference is None else replace(self, reference=self.reference.narrowed(self.occupation))
