"""The phrase of a noun: its first word, the word it depends on, and what kind of noun it is."""

from biasprint.core.swap.page import Page

OWNERS = ("my", "our", "your", "his", "their", "'s", "’s", "whose", "its")
_INSIDE = ("JJ", "CD", "VBN", "VBG", "NN", "FW", "RB")
ARTICLES = ("a", "an", "the", "this", "that", "every", "each", "no", "any", "another", "one", "such", "some")


def is_inner(page: Page, place: int) -> bool:
    """Is this a noun before the head: “female software engineer”?"""
    following = page.touching(place)
    return (
        following is not None
        and page.sentence[following] == page.sentence[place]
        and page.tag(place).startswith("NN")
        and page.tag(following).startswith("NN")
        and page.tokens[place].text.isalnum()
    )


def is_meant_as_verb(page: Page, place: int) -> bool:
    """“to man the desk”, “she fathered”: the tagger seldom sees these; the words around them show it."""
    before, after = page.lower(place - 1), page.lower(place + 1)
    return before in ("to", "will", "would", "can", "could", "must", "help") and after in (
        *ARTICLES,
        "our",
        "his",
        "her",
    )


def is_one_of(page: Page, start: int) -> bool:
    near = [page.lower(at) for at in range(max(0, start - 4), start + 1)]
    return ("one" in near and "of" in near) or "among" in near


def is_title_case(page: Page, place: int) -> bool:
    """A heading in capitals all through, where capitals tell nothing."""
    around = [
        page.tokens[at].text for at in (*page.before(place), *page.after(place)) if page.tokens[at].text.isalpha()
    ]
    return page.tokens[place].text.isupper() and len(around) > 1 and all(text.isupper() for text in around)


def phrase_start(page: Page, place: int) -> int:
    """The first token of the noun's phrase: its article, or else its first adjective."""
    at = place
    while at and page.sentence[at - 1] == page.sentence[place]:
        lower, tag = page.lower(at - 1), page.tag(at - 1)
        if lower in ARTICLES:
            return at - 1
        joined = lower in ("-", ",", "and") and page.tag(at - 2).startswith("JJ") and tag != "NN"
        if lower in OWNERS or lower == "her" or not (tag.startswith(_INSIDE) or joined):
            return at
        if page.looks_named(at - 1) and tag != "JJ":  # “her Swedish grandmother”
            return at
        at -= 1
    return at


def governor_of(page: Page, start: int, place: int) -> int | None:
    """The verb or preposition that the noun's phrase depends on; `None` where it is its sentence's subject."""
    at = start - 1
    while (
        at >= 0
        and page.sentence[at] == page.sentence[place]
        and (page.is_adverb(at) or page.lower(at) in ("all", "both"))
    ):
        at -= 1
    return at if at >= 0 and page.sentence[at] == page.sentence[place] else None
