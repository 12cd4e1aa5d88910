"""What can be left out so that a sentence remains; where that is not sure, nothing, and a person must mend it."""

import re
from typing import NamedTuple

from core.swap.agreement import article

_ARTICLE = re.compile(r"(?<![\w-])(an?)(\s+)$", re.IGNORECASE)
_WORD = re.compile(r"[\w’'-]+")


class Edit(NamedTuple):
    """The characters `start` to `end` of a sentence, and what stands there instead."""

    start: int
    end: int
    new: str


def replaced(sentence: str, start: int, end: int, new: str) -> Edit:
    """`new` instead of the characters, with a capital at the beginning, and the article before it made to fit."""
    if start == _first(sentence) or (sentence[start:end].isupper() and end - start > 1):
        new = new.upper() if sentence[start:end].isupper() and end - start > 3 else new[:1].upper() + new[1:]
    found = _ARTICLE.search(sentence[:start])
    if found is None:
        return Edit(start, end, new)
    right = article(new)
    if right == found[1].lower():
        return Edit(start, end, new)
    cased = right.capitalize() if found[1][0].isupper() else right
    return Edit(found.start(1), end, f"{cased}{found[2]}{new}")


def left_out(sentence: str, start: int, end: int) -> Edit:
    """The characters taken out: at the beginning the next word gets the capital, and an article before it fits."""
    following = _WORD.match(sentence, end)
    if start == _first(sentence) and following is not None:
        word = following[0]
        return Edit(start, following.end(), word[:1].upper() + word[1:])
    found = _ARTICLE.search(sentence[:start])
    if found is not None and following is not None and article(following[0]) != found[1].lower():
        right = article(following[0])
        cased = right.capitalize() if found[1][0].isupper() else right
        return Edit(found.start(1), following.end(), f"{cased}{found[2]}{following[0]}")
    return Edit(start, end, "")


def _first(sentence: str) -> int:
    """Where the first word begins, behind spaces and opening quotation marks."""
    found = re.search(r"\w", sentence)
    return found.start() if found else 0


NO_NOUN = frozenset(
    {
        "and", "or", "but", "of", "in", "on", "at", "to", "for", "with", "from", "by", "as", "who", "which",
        "that", "is", "was", "are", "were", "has", "had", "have", "when", "while", "if", "since", "than",
        "because", "so", "she", "he", "they", "it", "i", "we", "her", "his", "their", "enough", "too", "either",
        "now", "today", "again", "whose", "whom", "capable", "able", "then", "herself", "himself", "more",
        "very",
    }
)  # fmt: skip
_BEFORE_ADJECTIVE = re.compile(
    r"(?:(?<![\w-])(?:a|an|the|his|her|their|our|my|this|that|as|every|first|only|very|most|more|is|was|and|or|of|by|with"
    r"|for|[a-z]+(?:ed|ing|ous|ful|ent|ant|ive|ble|al|ic|ary|less))|,)\s+$",
    re.IGNORECASE,
)
_THE = re.compile(r"(?<![\w-])the\s+$", re.IGNORECASE)
_BEING = re.compile(r"(?:(?<![\w-])(?:is|was|are|were|be|been|looks|looked|very|so|too|more)|^\W*)\s*$", re.IGNORECASE)
_BOUND = frozenset(
    {
        "is", "was", "are", "were", "be", "been", "being", "and", "or", "but", "of", "in", "on", "at", "to",
        "for", "with", "from", "by", "as", "than", "not", "when", "since", "she", "he", "they", "until",
        "while", "if", "because", "became", "turned",
    }
)  # fmt: skip
_ADVERBIAL = re.compile(r"(?:at|in|on|despite|outside|aged|during|since|now|with|in spite of)\s", re.IGNORECASE)
_OPENING = re.compile(r"\W*(?:An?|As an?|The|Now|Despite|At|In|On|Outside|During|Aged|Born|Once)\s[^,.;:!?]{1,80},\s+")
# What stands behind an opening has to be the subject: “she”, “the team”, “Dr Smith leads”, and no “which …”.
_SUBJECT = re.compile(
    r"(?:she|he|they|it|we|I|the|a|an|her|his|their|this|these)\s"
    r"|(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor)\.?\s)?[A-Z][\w’'-]+(?:\s[A-Z][\w’'-]+)?\s(?!and\s|or\s)[a-z]"
)
_SINGLED_OUT = re.compile(
    r"(?<![\w-])(?:(?:first|only|sole|last|few|one)\s+(?:[\w’'-]+\s+)?|such\s+an?\s+)$", re.IGNORECASE
)
_BESIDE = "now|also|a|an|the|happily|recently|currently|still"
_VERB = r"(?:is|was|has|had|will|can|works|worked|joined|leads|led|teaches|taught|runs|ran|holds|held|knows)"


def adjective(sentence: str, start: int, end: int) -> Edit | None:
    """Leaves out an adjective before a noun or beside another one: “a female engineer”, “young and able”."""
    before, after = sentence[:start], sentence[end:]
    if _SINGLED_OUT.search(before):
        return None  # “the first female member”: without the word it would be untrue
    joined = re.match(r"\s+and\s+(\w[\w’'-]*)", after)
    following = re.match(r"(\s+)(\w[\w’'-]*)", after)
    listed = re.match(r",\s+(\w[\w’'-]*)", after)
    if joined and joined[1].lower() not in NO_NOUN | {"a", "an", "the"} and _BEFORE_ADJECTIVE.search(before):
        return left_out(sentence, start, end + joined.start(1))
    if following and _THE.search(before) and re.match(r"\w+(?:ed|s)(?!\w)", following[2]):
        return None  # “the 52-year-old joined”: perhaps no noun follows
    if following and following[2].lower() not in NO_NOUN and not _BEING.search(before):
        beside = re.search(r"(?<!,)\s+and\s+$", before)
        if beside:
            return Edit(beside.start(), end, "")
        return left_out(sentence, start, end + len(following[1]))
    last = re.search(r"(\w[\w’'-]*)(,?\s+and\s+)(?:(?:very|quite|always)\s+)?$", before)
    if last and (not after.strip() or re.match(r"\s*[.,;:!?]", after)):
        return Edit(last.start(2), end, "")
    if listed and listed[1].lower() not in NO_NOUN | {"a", "an", "the"} and _BEFORE_ADJECTIVE.search(before):
        return left_out(sentence, start, end + listed.start(1))
    return None


def phrase(sentence: str, start: int, end: int) -> Edit | None:
    """Leaves out an opening (“At the age of 40, she …”), an insertion between commas, or a phrase at the end."""
    opening = _OPENING.match(sentence)
    if opening and opening.end() >= end and _SUBJECT.match(sentence, opening.end()):
        first = re.search(r"\w", sentence)
        return left_out(sentence, first.start() if first else 0, opening.end())
    before, after = sentence[:start], sentence[end:]
    if not _ADVERBIAL.match(sentence[start:end]):
        return None
    comma = re.search(r",\s+$", before)
    if comma and after.startswith(","):
        return Edit(comma.start(), end + 1, "")
    word = re.search(r"([\w’'-]+)(,?\s+)$", before)
    if re.match(r"\s*[.;!?]|,\s", after) and word and word[1].lower() not in _BOUND:
        return Edit(word.start(2), end, "")
    return None


def insertion(sentence: str, start: int, end: int) -> Edit | None:
    """Leaves out “, a mother of two,” and “, who is from Lyon,” around the characters, or such a phrase at the end."""
    begin = sentence.rfind(",", 0, start)
    if begin < 0 or not re.match(r",\s+(?:an?|who|whose|himself|herself|now|born|originally)\s", sentence[begin:]):
        return None
    if not sentence[:begin].strip() or len(sentence[begin:end].split()) > 9:
        return None
    finish = re.compile(r"[,.;:!?]").search(sentence, end)
    if finish is None or len(sentence[begin : finish.start()].split()) > 10:
        return None
    goes_on = re.match(rf"\s+(?:{_VERB}|\w+(?:s|ed))(?!\w)", sentence[finish.end() :])
    lists = re.search(r",?\s(?:and|or)\s", sentence[finish.end() : finish.end() + 40])
    if finish[0] == "," and (not goes_on or lists):
        return None  # a list, perhaps, and no end of the insertion
    return Edit(begin, finish.end() if finish[0] == "," else finish.start(), "")


def predicate(sentence: str, start: int, end: int) -> Edit | None:
    """Leaves out the first of two statements: “is 60 years old and has …”, “is married and works …”."""
    before = re.search(rf"(?<![\w-])(?:is|was)\s+(?:(?:{_BESIDE})\s+)*$", sentence[:start])
    after = re.match(rf"\s+and\s+(?={_VERB}(?!\w))", sentence[end:])
    if before and after:
        return Edit(before.start(), end + after.end(), "")
    second = re.search(rf",?\s+and\s+(?:is|was|has|had)\s+(?:(?:{_BESIDE})\s+)*$", sentence[:start])
    rest = re.match(r"(?:\s+(?:with|of|to|from|at|in|years|old)(?:\s+[\w’'-]+){0,3})?(?=[.;!?]?\s*$)", sentence[end:])
    return Edit(second.start(), end + rest.end(), "") if second and rest else None
