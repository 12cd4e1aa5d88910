"""The occupation that a letter gives its candidate: a guess to be looked at, never a fact.

Noun phrases are weighed by how clearly they describe the candidate; what the writer, a relative or somebody else
named is, what the candidate may become and the post applied for weigh nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from biasprint.core.letters.about_whom import in_turn
from biasprint.core.letters.grammar import Parse, Whose, masked, parses, why_without
from biasprint.core.letters.values import OccupationGuess
from biasprint.core.prompts.letters import letter_design
from biasprint.core.prompts.resource_files import from_resources, packaged, strict_data
from biasprint.core.swap.candidate import kin
from biasprint.core.swap.guess import guess_person
from biasprint.core.swap.guess_pronoun import beside_the_candidate
from biasprint.core.swap.page import Person, Stretch
from biasprint.core.swap.told import Telling, person_words, told
from biasprint.core.text import for_matching

# ---- Occupations and their plurals


def same_occupation(occupation: str, other_occupation: str) -> bool:
    """Is it the same occupation, in the singular or the plural?"""
    return occupation_key(occupation) == occupation_key(other_occupation) != ""


def occupation_key(occupation: str) -> str:
    """The occupation in the singular, for matching; "" for none."""
    plain = " ".join(for_matching(occupation).split())
    return plurals().get(plain, plain)


LEARNING = frozenset({"apprentice", "assistant", "associate", "deputy", "junior", "student", "trainee", "vice"})


def wider_occupations(occupation: str) -> tuple[str, ...]:
    """Return the occupations that this one is a kind of by its words, nearest first: “pastry chef” is a chef.

    None for who is learning it or does it in another's place: an apprentice plumber is not a plumber yet.
    """
    words = occupation_key(occupation).split()
    if LEARNING & set(words):
        return ()
    return tuple(occupation_key(" ".join(words[start:])) for start in range(1, len(words)))


@cache
def singulars() -> tuple[str, ...]:
    """The known occupations in the singular: a list of our own, and those that the letter prompts ask for."""
    every = _listed()
    return tuple(sorted(every - set(plurals())))


@cache
def plurals() -> Mapping[str, str]:
    """Plural → singular, of those that are both in the list."""
    every = _listed()
    by_plural: dict[str, str] = {}
    for singular in every:
        forms = {
            f"{singular}s",
            f"{singular}es",
            f"{singular[:-1]}ies" if singular.endswith("y") else "",
            singular.replace("man", "men"),
        }
        by_plural |= {form: singular for form in forms - {singular} if form in every}
    return by_plural


@cache
def _listed() -> frozenset[str]:
    lines = packaged("lexicons", "occupations.txt").read_text(encoding="utf-8").splitlines()
    own = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    for occupation in letter_design().occupations:
        own |= {occupation, f"{occupation}s"}
    return frozenset(map(for_matching, own))


@cache
def _heads() -> frozenset[str]:
    return frozenset(singular.split()[-1] for singular in singulars())


@strict_data
class OccupationWords:
    """letters/occupation_words.toml; see the file for what each list is for."""

    version: int
    nouns: frozenset[str]
    endings: tuple[str, ...]
    praise: frozenset[str]
    never: frozenset[str]
    narrowed: frozenset[str]
    dropped: frozenset[str]
    dropped_endings: tuple[str, ...]
    kept: frozenset[str]
    patterns: Mapping[str, str]


@cache
def _words() -> OccupationWords:
    return from_resources(OccupationWords, "letters", "occupation_words.toml")


LIKELY_FROM = 3  # what one clear place weighs
TITLE = 3.25  # “Sergeant Okafor”: counted once
NAMED, SAID, CALLED, OWNED, PRAISED = 6, 5, 4, 3, 2


def guess_occupation(
    text: str, parts: Sequence[Stretch] = (), person: Person | None = None, by_grammar: bool = False
) -> OccupationGuess:
    """The occupation that the letter names where it says what the candidate is; the best supported one wins.

    `person`: the candidate, where known: what another name is said to be is not theirs. `by_grammar`: the parser
    decides whose attribute a noun is, not the distance of words. Raises `AppError` where there is none.
    """
    page = told(text, parts)
    weights: dict[str, float] = {}
    named_as: dict[str, str] = {}
    held = _HELD.search(page.text)
    if held is not None and (post := _held(held["what"])):
        reported = " ".join(held[0].split())
        return OccupationGuess(post, True, f"It says “{reported}”.")
    for phrase in _phrases(page, person or guess_person(text, parts), by_grammar):
        if phrase.weight == TITLE and phrase.occupation in weights:
            continue
        # Mentions in passing do not add up to a statement.
        weights[phrase.occupation] = weights.get(phrase.occupation, 0) + (
            phrase.weight if phrase.weight > 1 else phrase.weight / 10
        )
        if phrase.weight > 1 and phrase.occupation not in named_as:
            named_as[phrase.occupation] = _around(page.text, phrase.start, phrase.end)
    weights = {occupation: weight for occupation, weight in weights.items() if weight > 0}
    if not weights:
        return OccupationGuess("", False, "The letter does not say what the candidate is.")
    # “Pastry chef” is said by “chef” too; of two said as clearly the later one is what the candidate is now.
    whole = {
        occupation: weight + sum(other for short, other in weights.items() if occupation.endswith(f" {short}"))
        for occupation, weight in weights.items()
    }
    best = max(reversed(list(whole)), key=lambda occupation: whole[occupation])
    if whole[best] < LIKELY_FROM:
        return OccupationGuess("", False, f"It mentions “{best}”, but does not say that the candidate is one.")
    reported = named_as.get(best, best)
    return OccupationGuess(best, True, f"It says “… {reported}”.")


def guess_occupation_read(text: str, parts: Sequence[Stretch], person: Person | None) -> OccupationGuess:
    """`guess_occupation` by grammar where the parser is here: for the compute process, which loads it."""
    return guess_occupation(text, parts, person, by_grammar=not why_without())


# A line of a form: “Position held: Site Engineer”.
_HELD = re.compile(
    r"(?:^|\n)[^\S\n]*(?:(?:position|post|role)\s+held|(?:job\s+)?title|occupation|employed\s+as|(?:current|present)\s+(?:position|post|role))"
    r"[^\S\n]*:[^\S\n]*(?P<what>[^\n.;,(]{3,60})",
    re.IGNORECASE,
)


def _held(line: str) -> str:
    """The occupation that a line ends with; "" for none."""
    lower = line.strip().lower()
    heads = list(re.finditer(r"[^\W\d_][\w’'-]*", lower))
    phrase = _noun_phrase(lower, heads[-1]) if heads else None
    return phrase[0] if phrase is not None and not phrase[2] else ""


@dataclass(frozen=True)
class _Phrase:
    occupation: str
    start: int
    end: int
    weight: float


def _phrases(page: Telling, person: Person, by_grammar: bool = False) -> Iterator[_Phrase]:
    """Yield every noun phrase for an occupation, with its weight."""
    words = person.full_name.split()
    own = {word for word in words if len(word) > 2} | {
        word[0] for word in words if word.endswith(".") and word[0] != "I"
    }
    texts = [page.text[start:end] for start, end in page.sentences]
    trees: Sequence[Parse | None] = [None] * len(texts)
    if by_grammar:
        trees = in_turn(parses([masked(text, person) for text in texts]), person.pronoun)
    for (start, _), sentence, tree in zip(page.sentences, texts, trees, strict=True):
        last: _Phrase | None = None
        for match in re.finditer(r"[^\W\d_][\w’'-]*", sentence):
            phrase = _noun_phrase(sentence, match)
            if phrase is None:
                continue
            occupation, at, plural = phrase
            if plural and not _is_one_of_them(sentence, at, match.end()):
                continue
            weight = CALLED if plural else _weight(sentence, at, match.end(), own)
            if tree is not None and not plural:
                weight = _by_grammar(weight, tree.named_as(at, match.end()), sentence[:at])
            if occupation in _words().praise and not _PLAINLY.search(sentence[:at]):
                weight = min(weight, PRAISED)
            if last is not None and last.weight >= OWNED and _LATER.fullmatch(sentence[last.end - start : at]):
                later = _THEN.search(sentence[last.end - start : at]) is not None
                weight = max(weight, last.weight + (0.5 if later else -0.5))
            if weight >= CALLED and _is_here(sentence, at, match.end()):
                weight += 1
            last = _Phrase(occupation, start + at, start + match.end(), weight)
            yield last


def _by_grammar(weight: float, named: Whose, before: str) -> float:
    """Weigh a noun by its subject: an attribute of the candidate counts at any distance, somebody else's never."""
    if named in ("writer", "other", "thing"):
        return 0
    if named == "candidate" and not (_is_wanted(before) or _NO.search(before)):
        return max(weight, CALLED)
    return weight


def _is_one_of_them(sentence: str, start: int, end: int) -> bool:
    """“Among the eight engineers I have supervised”, “midwives, of whom she was one”."""
    return _AMONG.search(sentence[:start]) is not None or _OF_WHOM.match(sentence[end:]) is not None


def _is_here(sentence: str, start: int, end: int) -> bool:
    """Is it what the candidate is with whoever writes, not somewhere else before?"""
    after = re.split(r"[,;.]|\b(?:before|after|until|and)\b", sentence[end : end + 70])[0]
    return _HERE.search(after) is not None or re.search(rf"\b(?:our|my)\s+{_BETWEEN}$", sentence[:start]) is not None


def _noun_phrase(sentence: str, head: re.Match[str]) -> tuple[str, int, bool] | None:
    """The phrase that ends in this noun without praise (“textile conservator”), its start, and whether it is plural."""
    word = re.sub(r"['’]s$", "", head.group())
    lower = word.lower()
    single = occupation_key(lower)
    plural = single != lower
    if not plural and lower.endswith("s") and _is_noun(lower[:-1]) and not _is_noun(lower):
        single, plural = lower[:-1], True
    if lower.endswith("ives") and _is_noun(f"{lower[:-3]}fe"):
        single, plural = f"{lower[:-3]}fe", True
    if not _is_noun(single) or _goes_on(sentence, head) or word != head.group():
        return None
    words, at = [single], head.start()
    for before in reversed(list(re.finditer(r"(?<![\w’'-])[^\W\d_][\w’-]*(?=[ \n])", sentence[:at]))[-3:]):
        modifier = before.group()
        if sentence[before.end() : at].strip() or not _narrows(modifier, capital=word[0].isupper()):
            break
        words, at = [modifier.lower(), *words], before.start()
    if len(words) == 1 and single in _words().narrowed:
        return None
    phrase = " ".join(words)
    return None if phrase in _words().never else (phrase, at, plural)


def _is_noun(word: str) -> bool:
    words = _words()
    if word in words.never:
        return False
    return (
        word in words.nouns
        or word in _heads()
        or (len(word) > 5 and word.endswith(words.endings))
        or word in words.narrowed
    )


def _narrows(word: str, *, capital: bool) -> bool:
    words = _words()
    lower = word.lower()
    owner = re.sub(r"['’]s$", "", lower)
    if word[0].isupper() != capital or (
        owner != lower and (_is_noun(owner) or owner in beside_the_candidate() | _kin())
    ):
        return False
    if "-" in lower and not lower.endswith(words.endings):
        return False  # “self-driven”, “top-performing”
    if lower in words.dropped:
        return capital and lower in ("second", "first", "third")
    return not lower.endswith(words.dropped_endings) or lower in words.kept


def _goes_on(sentence: str, head: re.Match[str]) -> bool:
    """“Data engineer”: “student nurse” is a nurse; “model letters” and “the manager role” are none."""
    after = re.match(r"[ \n]([a-z][\w’-]*)", sentence[head.end() :])
    if after is None:
        return False
    word = after.group(1)
    return _is_noun(occupation_key(word)) or word in _POSTS


_POSTS = frozenset({
    "role", "post", "position", "job", "jobs", "vacancy", "team", "training", "school", "course", "work", "program",
    "programme", "department", "unit", "services", "service", "application", "opening",
})  # fmt: skip
_LATER = re.compile(
    r"[^.;]{0,40}?(?:,|\band|\bthen|,\s*and)\s*(?:(?:later|then|finally|now|eventually|subsequently|afterwards|latterly|"
    r"lastly)\s+)?(?:(?:as|is|was|became)\s+)?(?:an?\s+|the\s+|our\s+|my\s+)?(?:[\w’-]+\s+){0,2}"
)
_THEN = re.compile(r"\b(?:later|then|finally|now|eventually|subsequently|afterwards|latterly|lastly)\b")
# What may stand between an article and the noun: no verb, no preposition and no other owner.
_NOT_BETWEEN = (
    "to|of|in|at|on|for|from|with|by|the|an?|that|who|which|he|she|they|we|i|it|is|was|are|were|had|has|have|my|our|his|her|"
    "their|this|as|than|into|about|if|when|because|so|whose|where|what|or"
)
_BETWEEN = rf"(?:(?!(?:{_NOT_BETWEEN})\b|[\w’'-]+['’]s?\s)[\w’'-]+(?:,|,?\s+and|\s+but)?\s+){{0,5}}"
_ARTICLE = r"(?:(?:an?|our|the|my|its|such\s+an?)\s+)"
_DETERMINED = rf"{_ARTICLE}?{_BETWEEN}"
_AMONG = re.compile(
    rf"\b(?:among|amongst|(?:is|was|been|as|became|remains|him|her)\s+one\s+of|best\s+of|first\s+of|of\s+all)\s+(?:all\s+)?(?:the|our|my)\s+{_BETWEEN}$",
    re.IGNORECASE,
)
_AS = re.compile(rf"\b(?:as|being)\s+{_DETERMINED}$", re.IGNORECASE)
_FIRMLY = re.compile(
    r"\b(?:work\w*|serv\w+|employ\w*|stayed|appoint\w*|known|retired|engaged|promoted|years|came\s+to\s+us|joined\s+(?:us|our)|hired|here|flew|finally|now)\b"
    r"[^.;]{0,80}$", re.IGNORECASE,
)  # fmt: skip
_BE = (
    r"(?:\b(?:is|was|were|are|been|became|become|remains|remained)|['’](?:s|re))\s+(?:(?:now|also|then|still|already|truly|"
    r"simply|once|by\s+far|without\s+doubt|always|for\s+(?!the\b)\w+\s+\w+)\s+)?"
)
_COPULA = re.compile(rf"{_BE}{_DETERMINED}$", re.IGNORECASE)
_PLAINLY = re.compile(rf"{_BE}{_ARTICLE}?$", re.IGNORECASE)
_FINEST = re.compile(
    rf"\b(?:the|our)\s+(?:single\s+)?(?:most\s+\w+|best|finest|ablest|strongest|only|first|steadiest|greatest)\s+{_BETWEEN}$",
    re.IGNORECASE,
)
_POST = re.compile(
    rf"\b(?:position|role|post|job|title|profession|career|work|rank|office)\s+(?:of|as)\s+(?:an?\s+|the\s+|our\s+)?{_BETWEEN}$",
    re.IGNORECASE,
)
_OWNED = re.compile(rf"\b(?:our|my|the|this|an?)\s+{_BETWEEN}$", re.IGNORECASE)
_OURS = re.compile(rf"\b(?:our|my)\s+{_BETWEEN}$", re.IGNORECASE)
_MISSED = re.compile(
    rf"\b(?:lose|losing|miss|take|taking|call|calling|called|hire|describe|recommend|recommending|about|for|of|release|"
    rf"let\s+go\s+of|part\s+with|letter\s+for|him|her)\s+(?:our|my)\s+{_BETWEEN}$", re.IGNORECASE,
)  # fmt: skip
_AGED = re.compile(rf"\b\d{{1,2}}[- ]years?[- ]old\s+{_BETWEEN}$", re.IGNORECASE)
_NO = re.compile(
    rf"\b(?:not|no|never|like|than|any|every|other|another|each|whose|fellow|without|married\s+to)\s+"
    rf"(?:yet\s+)?(?:an?\s+|the\s+|merely\s+|just\s+|only\s+)?{_BETWEEN}$", re.IGNORECASE,
)  # fmt: skip
_CAPACITY = re.compile(r"\bmy\s+(?:capacity|role|position|work|time|years|own\s+\w+)\s+as\s", re.IGNORECASE)
_HERE = re.compile(r"\b(?:our|my|us|here|me)\b")
_ASKED_ABOUT = re.compile(
    r",?\s+(?:who\s+(?:worked|works|served|joined)\b[^.;]{0,40}\b(?:my|our|us|me|here)\b|about\s+whom|whom\s+you|that\s+you|you\s+(?:ask|write|inquire|enquire)|who\s+is\s+(?:coming|applying))\b"
)
_OF_WHOM = re.compile(r"s?,?\s+of\s+whom\s+\S")
_WRITER_AFTER = re.compile(
    r"^(?:\s+(?:of|at|in|for|myself|here|the|a)?\s*[\w’'-]+){0,6}?\s*,?\s*\b(?:I|we|my|our)\b(?!\s+(?:can|could|would)\b)"
)


def _weight(sentence: str, at: int, end: int, own: set[str]) -> float:
    """Return how clearly the phrase from `at` to `end` describes the candidate."""
    before, after = sentence[:at], sentence[end:]
    subject = _last_person(before, own)
    if _is_wanted(before) or _NO.search(before):
        return 0
    if _appositive(before, own):
        return NAMED if subject != "other" else 0
    named_after = _is_named(after, own)
    if named_after == "own":
        titled = not after.startswith(",") and not _OWNED.search(before)
        return TITLE if titled else NAMED
    if named_after == "other":
        return 0
    if _AGED.search(before):
        return NAMED
    if re.match(r"\s*as\s", before, re.IGNORECASE) and _AS.fullmatch(before.lstrip()):
        writer = _WRITER_AFTER.match(after) or re.match(r"\s*as\s+(?:his|her|their)\b", before, re.IGNORECASE)
        return 0 if writer else OWNED  # “As a teacher she is patient” may be said of one side of many
    if _OF_WHOM.match(after):
        return SAID
    if _ASKED_ABOUT.match(after) and subject != "other":
        return SAID
    if _AS.search(before):
        if subject in ("other", "writer") or _CAPACITY.search(before):
            return 0
        firmly = _FIRMLY.search(_AS.sub("", before)) and not re.search(r"\bfirst\s+as\b", before)
        return SAID if firmly else CALLED
    if _COPULA.search(before):
        return _is_one(before, after, subject)
    if _POST.search(before) and subject != "other":
        return CALLED
    return 0 if subject == "other" else _owned(before, after)


def _is_one(before: str, after: str, subject: str) -> float:
    """“She was our locum”, more clearly than “he is a gifted translator”."""
    if subject in ("other", "writer"):
        return 0
    if subject != "own":
        return 1
    if _PLAINLY.search(before) or (_FINEST.search(before) and re.match(r"\s+(?:I|we|in|of|that|among|at)\b", after)):
        return SAID
    return CALLED - 0.5


def _owned(before: str, after: str) -> float:
    if _OURS.search(before):
        return OWNED if _MISSED.search(before) and not re.search(r"\bown\s+$", before) else 1
    if _FINEST.search(before) and re.match(r"\s+(?:I|we|in|with)\b", after):
        return OWNED
    return 1 if _OWNED.search(before) else 0


def _is_wanted(before: str) -> bool:
    """Return whether the text before a phrase shows what the candidate may become or has applied for."""
    patterns = _patterns()
    clause = re.split(r"[;:,]|\b(?:who|since|where|while|when|whom)\b", before)[-1][-90:]
    if patterns["rose"].search(clause):
        return False
    return patterns["not_yet"].search(clause) is not None or patterns["applied"].search(clause) is not None


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _words().patterns.items()}


_NAME_AFTER = re.compile(r"^,?\s+(?:named\s+|called\s+)?((?:[A-Z][\w.’'-]*\s?){1,4})")


def _is_named(after: str, own: set[str]) -> str:
    """“Our organist, Peter Lindqvist”: whether a name follows, and whether it is the candidate's."""
    match = _NAME_AFTER.match(after)
    if match is None:
        return ""
    words = set(re.sub(r"['’]s\b", "", match.group(1)).rstrip(". ").split())
    if words & own:
        return "own"
    titled = any(word.rstrip(".").lower() in person_words().titles for word in words)
    return "other" if titled or after.startswith(",") or len(words) > 1 else ""


def _appositive(before: str, own: set[str]) -> bool:
    """“Anders Holm, a physiotherapist”: the candidate's name comes right before."""
    match = re.search(
        r"([A-Z][\w.’'-]*)(?:\s*\([^)]{1,40}\))?,\s+(?:(?:an?|our|the|my|one\s+of\s+\w+)\s+)?" + _BETWEEN + "$", before
    )
    return match is not None and re.sub(r"['’]s$", "", match.group(1)) in own


_WRITERS = frozenset({"I", "we", "We", "myself"})


def _last_person(before: str, own: set[str]) -> str:
    """Return the last person in the sentence: "own" for the candidate, "writer", "other", or "" for nobody."""
    last_one = previous = ""
    related = False  # “her husband Shri R. Krishnamurthy”, “her colleague José García”
    for match in re.finditer(r"[^\W\d_][\w’'-]*", before):
        word = re.sub(r"['’](?:s|d|ll|ve|re|m)$", "", match.group())
        lower = word.lower()
        if lower in ("he", "she", "they", "him") or (word in own and not related):
            last_one = "own"
        elif lower in ("his", "her"):
            last_one = last_one if last_one == "other" else "own"
        elif word in _WRITERS or (lower == "us" and previous == "of"):
            last_one = "writer"
        elif (
            lower in _kin()
            or (previous in _OWNERS and lower in beside_the_candidate())
            or (
                own
                and word[0].isupper()
                and match.start()
                and _IS.match(before[match.end() :])
                and not _placed(previous)
            )
        ):
            last_one = "other"
        hers = previous in ("his", "her", "their") and lower in beside_the_candidate()
        related = lower in _kin() or hers or (related and word[0].isupper())
        previous = lower
    return last_one or ("" if own else "own")  # of somebody without a name much is said without a pronoun


_OWNERS = frozenset({"my", "his", "her", "their", "your", "the", "our"})
_IS = re.compile(r"\s+(?:is|was|had|has|who)\b|,\s+who\b")


@cache
def _kin() -> frozenset[str]:
    return kin()


def _placed(word: str) -> bool:
    return word in ("in", "at", "of", "from", "near", "the", "for", "to")


def _around(text: str, start: int, end: int) -> str:
    """The words before an occupation, and it: none of them cut in two."""
    first = max(0, start - 25)
    words = text[first:end].split()
    cut = first > 0 and not text[first - 1].isspace() and not text[first].isspace()
    return " ".join(words[1:] if cut and len(words) > 1 else words)
