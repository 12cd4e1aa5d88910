"""Whether a clause is about the candidate at all: “the pay here is adequate” is no doubt about them.

`core.letters.whose` asks whom single words belong to; here it is the subject of the clause that they stand in.
"""

import re
from functools import cache

from biasprint.core.letters.categories import MASK, lists
from biasprint.core.letters.values import Category
from biasprint.core.letters.whose import WINDOW, MarkedText
from biasprint.core.swap import Person

DEEDS: frozenset[Category] = frozenset({"agentic", "communal", "ability", "grindstone"})
PRIVATE = frozenset({"personal_life", "age", "family", "appearance", "health", "origin"})
_BE = r"(?:is|are|was|were|has|had|have|can|could|will|would|did|does|do)"
_DETERMINERS = r"(?:the|our|my|your|some|many|most|all|other|another|those|these|this|that|an?|each|every|both|few)"
_OPENING = re.compile(
    r"^\W*(?:(?:and|but|or|so|then|though|although|because|while|when|if|until|where|even|also|still|just|in fact)\s+)*"
)
# “The pay here is adequate”, “some of them can be difficult”: the clause has a subject of its own, and it is not the
# candidate. “The best pair of hands I have seen” has none.
_NOUN_SUBJECT = re.compile(
    rf"{_DETERMINERS}(?!\w)(?P<noun>(?:(?!(?:i|we|who|that|which|you)\s)[^.;:?!]){{0,60}}?)\s{_BE}(?![\w-])"
)
_PRONOUN_SUBJECT = re.compile(r"(?:i|we|it|there|you|one|people|nobody|somebody|everybody|everyone)(?:'\w+)?\s")
_WRITERS = re.compile(r"(?:i|we|my|our)(?:'\w+)?\s")
# “I left before he did” is no deed of the candidate's; “I saw her take it” is.
_WRITERS_DEED = re.compile(
    r"(?:i|we)(?:'\w+)?\s(?!(?:(?:have|had|once|ever|never|often)\s){0,2}(?:seen|saw|see|watched|found|find|heard|known|met)\s)"
)
# Where the clause that some words stand in begins: after a sign, or where a subject of its own follows.
_NEW_CLAUSE = re.compile(
    r"[;:—–(!?]\s{0,9}"
    r"|(?:,\s{1,9}|\s)(?:(?:and|but|or|so|yet|though|although|because|while|whereas|when|since|as)\s{1,9})"
    rf"(?=(?:{_DETERMINERS}|he|she|they|i|we|it|there|you|people|{MASK}{{1,40}})\s)"
)
# What is the candidate's own without saying so: “the work was patchy” is a doubt.
_THE_CANDIDATES = frozenset(
    {
        "work", "works", "job", "result", "results", "performance", "attendance", "timekeeping", "punctuality",
        "attitude", "manner", "manners", "tone", "conduct", "behaviour", "behavior", "grade", "grades", "mark", "marks",
        "report", "reports", "draft", "drafts", "essay", "essays", "thesis", "paper", "papers", "writing", "spelling",
        "english", "progress", "start", "beginning", "weakness", "weaknesses", "drawback", "downside", "concern",
        "concerns", "worry", "reservation", "reservations", "doubt", "doubts", "problem", "problems", "trouble",
        "complaint", "complaints", "quality", "output", "effort", "lessons", "teaching", "presentation",
        "presentations", "notes", "planning", "paperwork", "record", "thing", "things", "fault", "side", "one", "rest",
        "candidate", "applicant", "person", "woman", "man", "girl", "boy", "lad", "lady", "colleague", "employee",
        "month", "months", "week", "weeks", "year", "years", "term", "days", "placement", "probation",
    }
)  # fmt: skip


def is_said_elsewhere(page: MarkedText, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Whether words, private or a doubt, stand in a clause with another subject than the candidate.

    Of the clause only what stands before them is looked at: “the pay is adequate, he says” is of the pay.
    """
    low = max(0, start - WINDOW)
    window = page.lower[low:end]
    begins = [found.end() for found in _NEW_CLAUSE.finditer(window) if found.end() <= start - low]
    clause = _without_opening(window[begins[-1] :] if begins else window)
    if _names(person).search(clause):
        return category != "family" and _theirs().match(clause) is not None
    if category == "doubt":
        # “We had our doubts” and “there were problems” are doubts about the candidate.
        found = _NOUN_SUBJECT.match(clause)
        return found is not None and not _is_the_candidates(found["noun"])
    return _has_another_subject(clause)


def is_of_the_candidate(page: MarkedText, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Whether a whole clause can be about the candidate: it names them, or has no subject of its own."""
    clause = _without_opening(page.lower[start:end])
    if not _names(person).search(clause):
        return not (_has_another_subject(clause) or _others().match(clause))
    if category in PRIVATE or category == "doubt":
        theirs = category != "family" and _theirs().match(clause)  # “her parents live with her” is her family
        return not (theirs or (category in PRIVATE and _WRITERS.match(clause)))
    return not (category in DEEDS and _WRITERS_DEED.match(clause))


def _without_opening(clause: str) -> str:
    opening = _OPENING.match(clause)
    return clause[opening.end() :] if opening else clause


def _has_another_subject(clause: str) -> bool:
    return bool(_PRONOUN_SUBJECT.match(clause) or _NOUN_SUBJECT.match(clause))


def _is_the_candidates(noun: str) -> bool:
    """By the words of the subject up to what hangs on it: “work in the archive”."""
    noun = re.sub(r"^\s+of\s+", "", noun)  # “some of them”
    head = re.split(r"\s(?:of|in|at|on|for|with|from|about|to|here|there)(?!\w)", noun, maxsplit=1)[0].split()
    return not head or head[-1] in _THE_CANDIDATES


@cache
def _named(also: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'-])(?:he|she|him|her|his|hers|himself|herself{also}|{MASK}{{1,40}})(?![\w-])")


def _names(person: Person | None) -> re.Pattern[str]:
    """“They” is the candidate unless the candidate is known to be he or she."""
    other = person is not None and person.pronoun in ("he", "she")
    return _named("" if other else "|they|them|their|theirs|themselves")


@cache
def _others() -> re.Pattern[str]:
    """“Patients are poor”, “residents with dementia”."""
    return re.compile(rf"(?:{'|'.join(map(re.escape, (*lists()['people'], *lists()['groups'])))})(?![\w-])")


@cache
def _theirs() -> re.Pattern[str]:
    """“Her patients have cancer”, “his boss was ill”."""
    people = "|".join(map(re.escape, (*lists()["people"], *lists()["groups"], "boss", "supervisor", "predecessor")))
    return re.compile(rf"(?:her|his|their)\s{{1,9}}(?:[\w'-]{{1,40}}\s{{1,9}})?(?:{people})(?![\w'-])")
