"""Whom the words of a sentence are about: the candidate, the writer, or somebody else."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from biasprint.core.letters.categories import MASK, WORD, idioms, lists, scope
from biasprint.core.letters.grammar import SHE_OR_HE, Parse, Whose, masked, parses
from biasprint.core.letters.values import Category, Sentence
from biasprint.core.swap import Person
from biasprint.core.swap.guess_pronoun import given_pronoun
from biasprint.core.swap.mentions import title_pronoun
from biasprint.core.swap.vocabulary import swap_words

# ---- A sentence as it is marked

_MASKED = re.compile(rf"{MASK}(?:[{MASK}\s]*{MASK})?('s?(?!\w))?")
WINDOW = 240  # characters before and after an entry that are looked at: far more than any rule reaches


@dataclass(frozen=True)
class MarkedText:
    """A sentence and its readings, all of one length, so that places are the same in each.

    `parse`: its grammar, where the letter is read with it.
    """

    sentence: Sentence
    cased: str
    lower: str
    parse: Parse | None = None

    @cached_property
    def first(self) -> int:
        """The place of the first letter or digit."""
        word_match = re.search(r"\w", self.sentence.text)
        return word_match.start() if word_match else 0

    @cached_property
    def idioms(self) -> list[tuple[int, int]]:
        """The places of praise that is said in the words of a denial."""
        return [match.span() for match in idioms().finditer(self.lower)]

    @cached_property
    def denials(self) -> list[tuple[int, int]]:
        """The places of words that deny something."""
        return meant(scope().negations, scope().no_negations, self.lower)

    @cached_property
    def hedges(self) -> list[tuple[int, int]]:
        """The places of words that weaken something."""
        return meant(scope().hedges, scope().no_hedges, self.lower)

    def before(self, place: int) -> str:
        return self.lower[max(0, place - WINDOW) : place]

    def after(self, place: int) -> str:
        return self.lower[place : place + WINDOW]


def meant(pattern: re.Pattern[str], exceptions: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Return the places of a pattern where no exception holds them."""
    notmeant = [match.span() for match in exceptions.finditer(text)]
    notmeant += [match.span() for match in idioms().finditer(text)]
    return [
        match.span()
        for match in pattern.finditer(text)
        if not any(low <= match.start() < high for low, high in notmeant)
    ]


def marked_text(sentence: Sentence, person: Person | None) -> MarkedText:
    """Return the sentence's page. The candidate's names, written with a capital, are masked throughout."""
    cased = masked(sentence.text, person)
    lower = cased.lower()
    if len(lower) != len(cased):  # a few letters grow when they are folded
        lower = "".join(character if len(character.lower()) != 1 else character.lower() for character in cased)
    return MarkedText(sentence, cased, lower)


def pages_of(sentences: Sequence[Sentence], person: Person | None, by_grammar: bool) -> list[MarkedText]:
    """Return the pages of the body, with their grammar if they are read by it."""
    pages = [marked_text(sentence, person) for sentence in sentences if sentence.part == "body"]
    if not by_grammar:
        return pages
    pronoun = person.pronoun if person is not None else ""
    trees = in_turn(parses([page.cased for page in pages]), pronoun)
    return [replace(page, parse=tree) for page, tree in zip(pages, trees, strict=True)]


def unnamed(sentence: Sentence, person: Person | None) -> str:
    """The sentence with “they” and “their” for the candidate's names."""
    return _MASKED.sub(lambda match: "their" if match[1] else "they", marked_text(sentence, person).cased)


# ---- Whose the words are

_W = rf"{WORD}\s{{1,9}}"
_NOT_THE_WRITER = frozenset(
    {
        "her", "him", "his", "hers", "she", "he", "they", "them", "their", "its", "this", "that", "such",
        "another", "each", "every", "with", "as", "for", "someone",
    }
)  # fmt: skip
_ARTICLES, _BEING = frozenset({"a", "an", "the"}), frozenset({"am", "was", "are", "were", "being"})
_WRITER = re.compile(rf"(?<![\w-])(?:i|we)(?P<being>'(?:m|re))?(?:'(?:ve|d|ll))?\s{{1,9}}(?P<between>(?:{_W}){{0,2}})$")
_WRITERS_OWN = re.compile(rf"(?<![\w-])(?:my|our)\s{{1,9}}(?:{_W})?$")
_GENERIC = re.compile(
    rf"(?<![\w-])any\s{{1,9}}(?:{_W}){{0,2}}$"
    rf"|(?<![\w-])(?:that|which)\s{{1,9}}(?:values?|requires?|demands?|needs?|rewards?|calls? for|looks? for)"
    rf"\s{{1,9}}(?:(?!(?:her|his|she|he)(?!\w))[^.;:]){{0,80}}$"
)
_THEIRS = re.compile(rf"(?<![\w-])their\s{{1,9}}(?:{_W}){{0,2}}$")
_ONE = re.compile(r"(?<![\w-])(?:he|she|his|her|him|hers)(?![\w-])")
_THING = re.compile(
    rf"(?:^|[,;]\s{{1,9}}|(?<![\w-])and\s{{1,9}}|^\W{{1,3}})(?:this|that|it|these|those|which)\s{{1,9}}"
    rf"(?:(?:has|have|had|will|also)\s{{1,9}})?(?:is|was|are|were|been|be|proved|proves)\s{{1,9}}(?:{_W})?$"
)
_AMONG = re.compile(r"(?<![\w-])(?:one of|among|amongst|most|best of|first of)\s{1,9}[^.;:]{0,80}$")
# “I myself am an old man”, and not “I was struck by how young …”
_WRITER_IS = re.compile(
    rf"(?<![\w-])(?:i|we)(?:\s{{1,9}}myself)?(?:'(?:m|re)|\s{{1,9}}(?:am|was|were|are|became|(?:have|had)\s{{1,9}}been))\s{{1,9}}"
    rf"(?:(?!(?:by|that|to|how|what|of|with|about|at)\s){_W}){{0,4}}$"
    rf"|(?<![\w-])myself\s{{1,9}}(?:{_W}){{0,2}}$"
)
_LIKE_THE_WRITER = re.compile(rf"\s{{1,9}}(?:{_W}){{0,3}}(?:myself|like me)(?![\w-])")
_SEEN = re.compile(
    r"(?:have|had|yet|never|no)\s"
)  # what the writer has yet to see, and the like: it is said of somebody
_SOMEBODY_ELSE = re.compile(
    rf"(?<![\w-])(?:from|replac(?:ed|es|ing)|succeed(?:ed|s|ing)|unlike|beside)\s{{1,9}}an?\s{{1,9}}(?:{_W}){{0,2}}$"
)
# “Amanda Lear, a French singer”, where the candidate has another name.
_NAMED = re.compile(
    r"(?P<name>[A-Z][\w'.-]{1,40}(?:\s{1,9}[A-Z][\w'.-]{1,40}){0,3}),\s{1,9}(?:an?|another|then an?)\s{1,9}"
    r"(?:[\w'-]{1,40}\s{1,9}){0,4}$"
)
# “A patient's hearing loss”, “children with diabetes”
_THEIR_HEALTH = re.compile(
    r"(?<![\w-])(?:(?:patient|client|customer|student|pupil|resident|user|visitor|veteran|animal|dog|cat|horse|adult)"
    r"(?:s|'s|s')?|child(?:ren)?(?:'s)?|people(?:'s)?|those|others|"
    r"(?:for|helping|treating|of) an? (?:boy|girl|man|woman))"
    rf"\s{{1,9}}(?:{_W}){{0,4}}$"
)
# A word of gender names somebody else: “the office lady”, “our foreman”, “one man on the board”, “a man's trade”. “The
# lad”, “the young man” and “the best salesman we had” can be the candidate.
_BESIDE = re.compile(r"(?<![\w-])(?:around|with|by|to|from|behind|past|beside|against|before|after)\s{1,9}$")
_NAMES_ONE = re.compile(
    r"(?:anchor|business|camera|chair|crafts|fire|fore|police|sales|spokes|sports)?(?:man|woman)|lady|gentleman|girl|boy|gal|guy|lad|lass|chap|bloke|dude"
)
_BEFORE_ANOTHER = re.compile(
    rf"(?<![\w-])(?P<whose>the|our|my|one|some|another|every|each|any)\s{{1,9}}(?P<what>(?:{_W}){{0,2}})$"
    rf"|(?<![\w-])there\s{{1,9}}(?:is|was|'s)\s{{1,9}}(?:{_W}){{1,3}}$"
)
_IS = re.compile(
    r"(?<![\w-])(?:is|was|are|be|been|being|became|become|remains|as|like|calls?|called)\s{1,9}(?:[\w'-]{1,40}\s{1,9})?$"
    r"|'s\s{1,9}(?:[\w'-]{1,40}\s{1,9})?$|,\s{1,9}$"
)
_NAMED_HERE = re.compile(rf",?\s{{1,9}}{MASK}")  # “our office lady, Joan Smith, has done the wages”
_CAN_BE_THE_CANDIDATE = re.compile(
    r"(?:first|only|right|same|new|perfect|ideal|most|young|younger|old|older|little|poor|good|nice|lovely|dear|best|\w+est)\s"
)
_PLACED = re.compile(r"(?<![\w-])(?:in|at|from|near)\s{1,9}$")
_FUNCTION_WORDS = frozenset(
    {
        "in", "of", "that", "to", "for", "and", "or", "as", "is", "are", "was", "were", "will", "would", "can",
        "with", "at", "by", "on", "from", "which", "who", "but", "when", "if",
    }
)  # fmt: skip


def is_about_another(page: MarkedText, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Return whether the entry at `start` to `end` praises somebody or something that is not the candidate."""
    before, after, words = page.before(start), page.after(end), page.lower[start:end]
    whose = _whose(page, start, end)
    if whose == "other" or (whose == "writer" and category != "standout"):
        return not (_ONE.search(words) or _SEEN.match(words))
    if whose == "candidate":
        return bool(_GENERIC.search(before))
    return (
        (not _ONE.search(words) and not _SEEN.match(words) and _is_the_writers(page, start, before, after, category))
        or bool(_GENERIC.search(before))
        or is_theirs(page, start, words, person)
        or _is_others(before, after, words, category)
        or _is_a_named_others(page, start, person)
        or bool(_SOMEBODY_ELSE.search(before) or _other_subject().search(before))
        or (category == "communal" and bool(_THING.search(before)))
    )


def _whose(page: MarkedText, start: int, end: int) -> Whose:
    """Return whom the words describe by the sentence's grammar; "" without one, or where it does not tell."""
    return "" if page.parse is None else page.parse.whose(start, end)


def is_of_another(page: MarkedText, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Return whether something private or a doubt at `start` to `end` is about the writer, others, or a work."""
    before, after, words = page.before(start), page.after(end), page.lower[start:end]
    if is_theirs(page, start, words, person):
        return True
    if category == "doubt":
        return False
    return (
        bool(_WRITER_IS.search(before) or _LIKE_THE_WRITER.match(after))
        or _is_in_a_title(page, start, end)
        or _is_a_named_others(page, start, person)
        or (category not in {"family", "personal_life"} and bool(_of_relative().search(before)))
        or (category == "gender" and _names_another(before, after, words))
        or (category == "health" and bool(_THEIR_HEALTH.search(before)))
        or (category in {"age", "gender", "health", "origin"} and _describes_people(before, after, words))
    )


_OFFERS = re.compile(r"(?:glad|happy|pleased|ready|delighted) to ")


def _is_the_writers(page: MarkedText, start: int, before: str, after: str, category: Category) -> bool:
    """“I led”, “we have always worked hard”, “our expertise”; not “I found her reliable” nor “our best engineer”."""
    if start == page.first and _OFFERS.match(page.lower, start):
        return True  # “Glad to help if you need more.”
    writer = _WRITER.search(before)
    if writer:
        between = page.cased[start - len(writer["between"]) : start].split()
        named = any(word in _NOT_THE_WRITER or word[0].isupper() or MASK in word for word in between)
        met = not (writer["being"] or _ARTICLES.isdisjoint(between)) and _BEING.isdisjoint(between)
        if not named and not met:
            return True
    if not _WRITERS_OWN.search(before):
        return False
    following = re.match(rf"\s{{1,9}}({WORD})", after)
    describes = following is not None and following[1] not in _FUNCTION_WORDS and not following[1].endswith("s")
    return category != "standout" and not describes


def is_theirs(page: MarkedText, start: int, words: str, person: Person | None) -> bool:
    """“The team developed their skills”, “the poor and their children”, where the candidate is he or she."""
    if not words.startswith(("their ", "they ")) and not _THEIRS.search(page.before(start)):
        return False
    if person is not None and person.pronoun:
        return person.pronoun != "they"
    return bool(_ONE.search(page.lower))


def _is_others(before: str, after: str, words: str, category: Category) -> bool:
    """“Many talented students”, “the hard work of his colleagues”, “her colleagues’ skills”; not “one of the best”."""
    if _possessed().search(before):
        return True
    if category in {"ability", "grindstone", "communal"} and _of_others().match(after):
        return bool(re.search(rf"(?<![\w-])the\s{{1,9}}(?:{_W})?$", before))
    if category not in {"ability", "grindstone", "standout"} and words not in lists()["leaders"]:
        return False
    if not _people_after().match(after) and words not in lists()["leaders"]:
        return False
    return not _AMONG.search(f"{before}{words} ")


@cache
def _people() -> str:
    return "|".join(map(re.escape, lists()["people"]))


@cache
def _possessed() -> re.Pattern[str]:
    owners = rf"(?:{_people()})'s?|others'|everyone's|everybody's|someone's|team's|team\s{{1,9}}members'?"
    return re.compile(rf"(?<![\w-])(?:{owners})\s{{1,9}}(?:{_W})?$")


@cache
def _of_others() -> re.Pattern[str]:
    whose = r"(?:his|her|their|the|our|my|other|all)\s{1,9}"
    return re.compile(rf"\s{{1,9}}of\s{{1,9}}(?:others|(?:{whose}){{0,2}}(?:{_people()}|team|staff))(?![\w-])")


@cache
def _people_after() -> re.Pattern[str]:
    return re.compile(rf"\s{{1,9}}(?:(?:and|or)\s{{1,9}}{_W})?(?:{_W})?(?:{_people()})(?![\w'-])")


def _is_a_named_others(page: MarkedText, start: int, person: Person | None) -> bool:
    """“Theodore Dreiser, a prominent American writer”, in a letter whose candidate is known by name."""
    if person is None or not person.full_name:
        return False
    window = page.cased[max(0, start - WINDOW) : start]
    named = _NAMED.search(window)
    if named is None or MASK in named["name"]:
        return False
    opens = start - len(window) + named.start() <= page.first and " " not in named["name"]
    return not opens and not _PLACED.search(window[: named.start()])


def _is_in_a_title(page: MarkedText, start: int, end: int) -> bool:
    """Return whether it is in quotation marks, or in a capitalised title: “The Black Woman Is God”."""
    before = page.cased[:start]
    if before.count("“") > before.count("”") or before.count('"') % 2:
        return True
    last = page.cased[start:end].split()[-1]
    return " " in page.cased[start:end] and last[:1].isupper() and last.lower() in lists()["person"]


def _names_another(before: str, after: str, words: str) -> bool:
    """“The office lady calls her spicy”; not “she is our lady of the lamp”."""
    if not _NAMES_ONE.fullmatch(words):
        return False
    if re.match(r"'s?\s", after):
        return True
    another = _BEFORE_ANOTHER.search(before)
    if another is None or another["whose"] is None:
        return another is not None
    beginning = before[: another.start()]
    if _IS.search(beginning) or _CAN_BE_THE_CANDIDATE.search(another["what"]) or _NAMED_HERE.match(after):
        return False
    return bool(
        another["what"] or another["whose"] != "the" or after.startswith(" of the ") or _BESIDE.search(beginning)
    )


def _describes_people(before: str, after: str, words: str) -> bool:
    """“Female students”, “elderly women”; not “one of our young teachers”."""
    if words.endswith(("woman", "man", "girl", "boy", "lady", "gentleman")) or _AMONG.search(f"{before}{words} "):
        return False
    return bool(_people_after().match(after))


@cache
def _of_relative() -> re.Pattern[str]:
    """Match a relative of the candidate before an entry, in the same breath: “her mother's cancer”."""
    relatives = "|".join(map(re.escape, lists()["relative"]))
    return re.compile(
        rf"(?<![\w-])(?:her|his|their|a|the)\s{{1,9}}(?:{_W}){{0,2}}(?:{relatives})(?:'s?)?\s{{1,9}}(?:{_W}){{0,4}}$"
    )


@cache
def _other_subject() -> re.Pattern[str]:
    """“The team was”, “counsel was”: the words that follow are about others."""
    owners = f"(?:{_people()}|{'|'.join(map(re.escape, lists()['groups']))})"
    return re.compile(
        rf"(?:^\W{{0,3}}|[,;:]\s{{1,9}}|(?<![\w-])and\s{{1,9}})(?:(?:the|our|my|these|those|all|some|most|other|many)\s{{1,9}})?"
        rf"(?:{_W})?{owners}\s{{1,9}}(?:is|was|are|were|(?:has|have|had)\s{{1,9}}been|(?:do|does|did|can|could)\s{{1,9}}not)"
        rf"\s{{1,9}}(?:{_W}){{0,2}}$"
    )


# ---- The subject of a clause

DEEDS: frozenset[Category] = frozenset({"agentic", "communal", "ability", "grindstone"})
PRIVATE = frozenset({"personal_life", "age", "family", "appearance", "health", "origin"})
_BE = r"(?:is|are|was|were|has|had|have|can|could|will|would|did|does|do|fell|falls|became|becomes|got|went)"
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
    """Return whether words, private or a doubt, are in a clause with another subject than the candidate.

    Only the part of the clause before them is looked at: “the pay is adequate, he says” is of the pay.
    """
    low = max(0, start - WINDOW)
    window = page.lower[low:end]
    begins = [match.end() for match in _NEW_CLAUSE.finditer(window) if match.end() <= start - low]
    clause = without_opening(window[begins[-1] :] if begins else window)
    whose = _whose(page, start, end)
    if whose == "candidate":
        return False
    if whose and category not in ("doubt", "family"):
        return True
    if _names(person).search(clause):
        return category != "family" and _theirs().match(clause) is not None
    if category == "doubt":
        # “We had our doubts” and “there were problems” are doubts about the candidate.
        match = _NOUN_SUBJECT.match(clause)
        return match is not None and not _is_the_candidates(match["noun"])
    return _has_another_subject(clause)


def is_of_the_candidate(page: MarkedText, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Return whether a whole clause can be about the candidate: it names them, or has no subject of its own."""
    clause = without_opening(page.lower[start:end])
    named = bool(_names(person).search(clause))
    if page.parse is not None:
        named = page.parse.names_candidate(start, end)
        if not named and _whose(page, start, end) == "other":
            return False
    if not named:
        return not (_has_another_subject(clause) or _others().match(clause))
    if category in PRIVATE or category == "doubt":
        theirs = category != "family" and _theirs().match(clause)  # “her parents live with her” is her family
        return not (theirs or (category in PRIVATE and _WRITERS.match(clause)))
    return not (category in DEEDS and _WRITERS_DEED.match(clause))


def without_opening(clause: str) -> str:
    opening = _OPENING.match(clause)
    return clause[opening.end() :] if opening else clause


def _has_another_subject(clause: str) -> bool:
    return bool(_PRONOUN_SUBJECT.match(clause) or _NOUN_SUBJECT.match(clause))


def _is_the_candidates(noun: str) -> bool:
    """Judge by the words of the subject before its complement: “work in the archive”."""
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


# ---- Whom he and she are


def in_turn(trees: Sequence[Parse], pronoun: str) -> list[Parse]:
    """Return the parses of a letter's sentences, with the he and she that are other people's.

    `pronoun`: the candidate's. A sentence that speaks of a woman before any word for the candidate goes on about her:
    “Mrs Hale leads the unit, and she is kind”. So does the sentence after it, where it names nobody else.
    """
    turned, topic = [], False
    for tree in trees:
        tree, topic = _resolved(replace(tree, pronoun=pronoun), topic)
        turned.append(tree)
    return turned


def _resolved(tree: Parse, topic: bool) -> tuple[Parse, bool]:
    """The parse with the pronouns of others; whether the sentence ends about another person of the same gender."""
    others, candidate, other = set(), False, topic
    forms = SHE_OR_HE.get(tree.pronoun, frozenset())
    for number, token in enumerate(tree.tokens):
        if token.named:
            candidate, other = True, False
        elif token.text in forms:
            if other and not candidate:
                others.add(number)
            else:
                candidate = True
        elif token.relation in ("nsubj", "nsubjpass") and not candidate and _gender(tree, number) == tree.pronoun != "":
            other = True
    return replace(tree, others=frozenset(others)), other and not candidate


def _gender(tree: Parse, place: int) -> str:
    """The pronoun of another person who is named or related: “Mrs Hale”, “my wife”; "" where it does not show."""
    token = tree.tokens[place]
    names = [place, *(child for child in tree.children[place] if tree.tokens[child].relation in ("compound", "appos"))]
    for name in names:
        word = tree.tokens[name]
        pronoun = title_pronoun(word.text) or (given_pronoun(word.text) if word.tag in ("NNP", "NNPS") else "")
        if pronoun:
            return pronoun
    related = swap_words().kin.get(token.text)
    if token.tag == "NN" and related is not None and related[0] != related[1]:
        return "he" if related[0] == token.text else "she" if related[1] == token.text else ""
    return ""
