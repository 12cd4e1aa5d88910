"""In the compute process: one letter is read. Everything that is heavy about it happens here."""

from collections.abc import Mapping, Sequence

from core.documents import marks as language
from core.documents.parts import parts_of, suspicions
from core.documents.reading.split import sentences_of
from core.documents.reading.style import styles_of
from core.documents.reading.supported import support_of
from core.documents.reading.values import Reading
from core.documents.reading.whole import figures_of, naming_of
from core.documents.reference.compare import compared_with
from core.documents.reference.values import ReferenceSet
from core.documents.values import Document, Part
from core.scorers.segment import SEGMENTER
from core.swap import Person
from core.swap.guess import guess_person


def read_letter(
    document: Document,
    *,
    scorers: Mapping[str, str],
    context: Document | None = None,
    parts: Sequence[Part] | None = None,
    person: Person | None = None,
    occupation: str = "",
    reference: ReferenceSet | None = None,
) -> Reading:
    """The reading of a letter.

    `scorers`: role → name, for formality, positivity, agency and entailment; a role that is missing is said to be.
    `context`: the CV or whatever else the letter should rest on. `parts` and `person`: as a person set them; found and
    guessed where None. `occupation`: whose reference letters the letter is compared with.
    """
    text = document.text
    own_parts = tuple(parts) if parts is not None else parts_of(document)
    wrong = suspicions(document, own_parts)
    about = person if person is not None else guess_person(text)
    every = sentences_of(text, own_parts)
    body = tuple(sentence for sentence in every if sentence.part == "body")
    stopped = any(one.stops for one in wrong)
    scored = () if stopped else body
    marks = () if stopped else language.marks_of(every, about)
    scores, uses = styles_of(scored, scorers)
    support, checked = support_of(scored, context.text if context else "", scorers.get("entailment", ""))
    figures = figures_of(body, marks, scores, uses)
    compared, said = compared_with(figures, reference, occupation, language.version())
    return Reading(
        document=document,
        parts=own_parts,
        person=about,
        sentences=every,
        marks=marks,
        scores=scores,
        support=support,
        figures=figures,
        naming=naming_of("\n".join(sentence.text for sentence in body), about),
        compared=() if stopped else compared,
        reference=said,
        suspicions=wrong,
        scorers=(*uses, *checked),
        versions={"marks": language.version(), "segmenter": SEGMENTER},
        context_name=context.name if context else "",
    )
