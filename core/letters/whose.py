"""Whom words of a sentence are about: the candidate, the writer, or somebody or something else."""

import re
from dataclasses import dataclass
from functools import cache, cached_property

from biasprint.core.letters.categories import MASK, WORD, lists
from biasprint.core.letters.values import Category, Sentence
from biasprint.core.swap import Person

_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-"})
_MASKED = re.compile(rf"{MASK}(?:[{MASK}\s]*{MASK})?('s?(?!\w))?")
WINDOW = 240  # characters before and after an entry that are looked at: far more than any rule reaches


@dataclass(frozen=True)
class MarkedText:
    """A sentence and its readings, all of one length, so that places are the same in each."""

    sentence: Sentence
    cased: str
    lower: str

    @cached_property
    def first(self) -> int:
        """Where the first letter or digit stands."""
        found = re.search(r"\w", self.sentence.text)
        return found.start() if found else 0

    def before(self, place: int) -> str:
        return self.lower[max(0, place - WINDOW) : place]

    def after(self, place: int) -> str:
        return self.lower[place : place + WINDOW]


def marked_text(sentence: Sentence, person: Person | None) -> MarkedText:
    """The sentence's page. The candidate's names, written with a capital, are masked wherever they stand."""
    cased = sentence.text.translate(_PLAIN)
    names = [name for name in (person.first_name, person.last_name) if len(name) > 1] if person else []
    for name in names:
        plain = name.translate(_PLAIN)
        pattern = rf"(?<![\w-])(?:{re.escape(plain)}|{re.escape(plain.upper())})(?=$|'s?(?!\w)|[^\w'-])"
        cased = re.sub(pattern, lambda found: MASK * len(found[0]), cased)
    lower = cased.lower()
    if len(lower) != len(cased):  # a few letters grow when they are folded
        lower = "".join(one if len(one.lower()) != 1 else one.lower() for one in cased)
    return MarkedText(sentence, cased, lower)


def unnamed(sentence: Sentence, person: Person | None) -> str:
    """The sentence with “they” and “their” for the candidate's names."""
    return _MASKED.sub(lambda found: "their" if found[1] else "they", marked_text(sentence, person).cased)


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
    """Whether the entry at `start` to `end` praises somebody or something that is not the candidate."""
    before, after, words = page.before(start), page.after(end), page.lower[start:end]
    return (
        (not _ONE.search(words) and not _SEEN.match(words) and _is_the_writers(page, start, before, after, category))
        or bool(_GENERIC.search(before))
        or is_theirs(page, start, words, person)
        or _is_others(before, after, words, category)
        or _is_a_named_others(page, start, person)
        or bool(_SOMEBODY_ELSE.search(before) or _other_subject().search(before))
        or (category == "communal" and bool(_THING.search(before)))
    )


def is_of_another(page: MarkedText, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Whether something private or a doubt at `start` to `end` is told of the writer, of others, or of a work."""
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


def _is_the_writers(page: MarkedText, start: int, before: str, after: str, category: Category) -> bool:
    """“I led”, “we have always worked hard”, “our expertise”; not “I found her reliable” nor “our best engineer”."""
    found = _WRITER.search(before)
    if found:
        between = page.cased[start - len(found["between"]) : start].split()
        named = any(word in _NOT_THE_WRITER or word[0].isupper() or MASK in word for word in between)
        met = not (found["being"] or _ARTICLES.isdisjoint(between)) and _BEING.isdisjoint(between)
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
    found = _NAMED.search(window)
    if found is None or MASK in found["name"]:
        return False
    opens = start - len(window) + found.start() <= page.first and " " not in found["name"]
    return not opens and not _PLACED.search(window[: found.start()])


def _is_in_a_title(page: MarkedText, start: int, end: int) -> bool:
    """Within quotation marks, or a name made of words with a capital: “The Black Woman Is God”."""
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
    found = _BEFORE_ANOTHER.search(before)
    if found is None or found["whose"] is None:
        return found is not None
    said = before[: found.start()]
    if _IS.search(said) or _CAN_BE_THE_CANDIDATE.search(found["what"]) or _NAMED_HERE.match(after):
        return False
    return bool(found["what"] or found["whose"] != "the" or after.startswith(" of the ") or _BESIDE.search(said))


def _describes_people(before: str, after: str, words: str) -> bool:
    """“Female students”, “elderly women”; not “one of our young teachers”."""
    if words.endswith(("woman", "man", "girl", "boy", "lady", "gentleman")) or _AMONG.search(f"{before}{words} "):
        return False
    return bool(_people_after().match(after))


@cache
def _of_relative() -> re.Pattern[str]:
    """Someone of the candidate's family stands before, in the same breath: “her mother's cancer”."""
    relatives = "|".join(map(re.escape, lists()["relative"]))
    return re.compile(
        rf"(?<![\w-])(?:her|his|their|a|the)\s{{1,9}}(?:{_W}){{0,2}}(?:{relatives})(?:'s?)?\s{{1,9}}(?:{_W}){{0,4}}$"
    )


@cache
def _other_subject() -> re.Pattern[str]:
    """“The team was”, “counsel was”: the words that follow are said of others."""
    owners = f"(?:{_people()}|{'|'.join(map(re.escape, lists()['groups']))})"
    return re.compile(
        rf"(?:^\W{{0,3}}|[,;:]\s{{1,9}}|(?<![\w-])and\s{{1,9}})(?:(?:the|our|my|these|those|all|some|most|other|many)\s{{1,9}})?"
        rf"(?:{_W})?{owners}\s{{1,9}}(?:is|was|are|were|(?:has|have|had)\s{{1,9}}been|(?:do|does|did|can|could)\s{{1,9}}not)"
        rf"\s{{1,9}}(?:{_W}){{0,2}}$"
    )
