"""What may be wrong with a document that was given as a letter: a CV, two letters, hardly any text, no English."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from core.documents.parts.lines import lines_of
from core.documents.values import Document, Part

What = Literal["cv", "two letters", "too short", "language"]
FEWEST_HEADINGS = 3
FEWEST_WORDS = 30


@dataclass(frozen=True)
class Suspicion:
    """`said`: one sentence for the person. `stops`: nothing is scored."""

    what: What
    said: str
    stops: bool = False


def suspicions(document: Document, parts: Sequence[Part]) -> tuple[Suspicion, ...]:
    """Everything that looks wrong, the gravest first. Heavy: the language is told by its words."""
    found = []
    is_cv = looks_like_cv(document, parts)  # by English headings; a list has too few little words to tell by
    language = "" if is_cv else other_language(document.text)
    if language:
        said = f"This seems to be {language}. Only English letters can be read, so nothing was scored."
        found.append(Suspicion("language", said, stops=True))
    if is_cv:
        said = "This looks like a CV, not a letter. Give it as the context, and choose the letter."
        found.append(Suspicion("cv", said))
    if holds_several(document):
        said = "This file seems to hold more than one letter. What is shown mixes them: check each by itself."
        found.append(Suspicion("two letters", said))
    words = len(document.text.split())
    if words < FEWEST_WORDS:
        said = f"These are {words} words: too few to say anything about the letter as a whole."
        found.append(Suspicion("too short", said))
    return tuple(found)


def looks_like_cv(document: Document, parts: Sequence[Part]) -> bool:
    """Headings of a CV, no greeting, and hardly a sentence."""
    if any(part.kind == "salutation" for part in parts):
        return False
    lines = lines_of(document)
    headings = sum(line.looks_like("cv heading") and not line.is_sentence for line in lines)
    sentences = sum(line.is_sentence and line.is_long for line in lines)
    return headings >= FEWEST_HEADINGS and sentences <= len(lines) / 3


def holds_several(document: Document) -> bool:
    """A greeting after a closing, with running text behind it."""
    lines = lines_of(document)
    looks = [
        "greeting" if line.looks_like("salutation") else "closing" if line.looks_like("closing") else ""
        for line in lines
    ]
    greetings = [place for place, look in enumerate(looks) if look == "greeting"]
    return any(
        "closing" in looks[one + 1 : other] and any(line.is_long or line.is_sentence for line in lines[other + 1 :])
        for one, other in pairwise(greetings)
    )


def other_language(text: str) -> str:
    """The language's English name where the text is not English; "" where it is, or where nobody could tell."""
    from core.scorers.language import is_english
    from core.scorers.segment import words

    if is_english(words(text)):
        return ""
    from py3langid import langid

    return LANGUAGES.get(str(langid.classify(text)[0]), "another language than English")


LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "ga": "Irish", "gl": "Galician", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian",
    "lv": "Latvian", "mk": "Macedonian", "ms": "Malay", "nb": "Norwegian", "nl": "Dutch", "nn": "Norwegian",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "ta": "Tamil", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
