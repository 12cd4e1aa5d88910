"""A first name on its own, where the rest of the letter may say title and name."""

import re
from collections.abc import Iterator

from core.documents.suggestions.lexicon import lexicon
from core.documents.suggestions.values import Suggestion
from core.documents.values import Sentence
from core.swap import Person
from core.text import for_matching, sha256_text

_TITLE = re.compile(r"(?:Mr|Ms|Mrs|Miss|Mx|Dr|Prof|Professor|Doctor)\.?\s+$")


def name_suggestions(sentence: Sentence, person: Person | None) -> Iterator[Suggestion]:
    """“Jane” → “Dr Smith”, as the person's title has it; without a title only a hint. Quotations are kept."""
    if person is None or sentence.part != "body" or not person.first_name or not person.last_name:
        return
    pattern = rf"(?<![\w@.-]){re.escape(person.first_name)}(?![\w@-])(?!\s+(?:\S+\s+)?{re.escape(person.last_name)})"
    said = sha256_text(" ".join(sentence.text.split()))[:16]
    for found in re.finditer(pattern, sentence.text):
        if _TITLE.search(sentence.text[: found.start()]) or _quoted(sentence.text, found.start()):
            continue
        start, end = sentence.start + found.start(), sentence.start + found.end()
        key = f"name:{for_matching(person.first_name)}:{said}"
        new = f"{person.title} {person.last_name}" if person.title else None
        reason = lexicon().name_reason if new else lexicon().name_hint
        yield Suggestion(key, start, end, found[0], new, reason, lexicon().source)


def _quoted(text: str, place: int) -> bool:
    return text[:place].count("“") > text[:place].count("”") or text[:place].count('"') % 2 == 1
