"""A text as tokens with places and parts of speech (TextBlob's tagger, which needs no download)."""

import re
from dataclasses import dataclass

# “Ann's” is two tokens, as the tagger expects: the name, and the 's.
TOKEN = re.compile(r"['’]s\b|\w+(?:[-.]\w+)*(?:['’](?!s\b)\w+)?|[^\w\s]")
SENTENCE_END = (".", "!", "?")


@dataclass(frozen=True)
class Token:
    """`text[start:end]` of the biography, its Penn Treebank tag, and whether a sentence begins with it."""

    text: str
    start: int
    end: int
    tag: str
    first: bool

    @property
    def lower(self) -> str:
        return self.text.lower()


def tokens(text: str) -> list[Token]:
    """All words and signs in order; heavy (the tagger is loaded at the first call)."""
    found = list(TOKEN.finditer(text))
    tags = _tags([match.group() for match in found])
    result: list[Token] = []
    first = True
    for match, tag in zip(found, tags, strict=True):
        result.append(Token(match.group(), match.start(), match.end(), tag, first))
        first = match.group() in SENTENCE_END
    return result


def _tags(words: list[str]) -> list[str]:
    """One tag per word. The tagger reads a sentence as words between blanks, so each is tagged as one."""
    from textblob.en import tag

    tags: list[str] = []
    sentence: list[str] = []
    for word in [*words, None]:
        if word is not None:
            sentence.append(word)
        if sentence and (word is None or word in SENTENCE_END):
            given = [pos for _, pos in tag(" ".join(sentence), tokenize=False)]
            # Where the tagger makes more or fewer of them, none can be trusted.
            tags += given if len(given) == len(sentence) else [""] * len(sentence)
            sentence = []
    return tags
