"""Suggestions for marks, as edits of one sentence, and what changes around words that are replaced or left out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

from biasprint.core.errors import AppError
from biasprint.core.letters.categories import any_of, categories, kind_file, lists
from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.passages import passages_of, without_doubted
from biasprint.core.letters.values import LARGER_READER, Category, Mark, Reading, Sentence
from biasprint.core.letters.verdict import KEEPS_AWAY, coding_of
from biasprint.core.prompts.resource_files import from_resources, strict_data
from biasprint.core.swap import Person
from biasprint.core.text import article, for_matching, sha256_text

_ARTICLE = re.compile(r"(?<![\w-])(an?)(\s+)$", re.IGNORECASE)
_WORD = re.compile(r"[\w’'-]+")


class Edit(NamedTuple):
    """The characters `start` to `end` of a sentence, and their replacement."""

    start: int
    end: int
    new: str


def replaced(sentence: str, start: int, end: int, new: str) -> Edit:
    """`new` instead of the characters, with a capital at the beginning, and the article before it made to fit."""
    if start == _first(sentence) or (sentence[start:end].isupper() and end - start > 1):
        new = new.upper() if sentence[start:end].isupper() and end - start > 3 else new[:1].upper() + new[1:]
    article_match = _ARTICLE.search(sentence[:start])
    if article_match is None:
        return Edit(start, end, new)
    right = article(new)
    if right == article_match[1].lower():
        return Edit(start, end, new)
    cased = right.capitalize() if article_match[1][0].isupper() else right
    return Edit(article_match.start(1), end, f"{cased}{article_match[2]}{new}")


def left_out(sentence: str, start: int, end: int) -> Edit:
    """The characters taken out: at the beginning the next word gets the capital, and an article before it fits."""
    following = _WORD.match(sentence, end)
    if start == _first(sentence) and following is not None:
        word = following[0]
        return Edit(start, following.end(), word[:1].upper() + word[1:])
    article_match = _ARTICLE.search(sentence[:start])
    if article_match is not None and following is not None and article(following[0]) != article_match[1].lower():
        right = article(following[0])
        cased = right.capitalize() if article_match[1][0].isupper() else right
        return Edit(article_match.start(1), following.end(), f"{cased}{article_match[2]}{following[0]}")
    return Edit(start, end, "")


def _first(sentence: str) -> int:
    """Return the place of the first word, after spaces and opening quotation marks."""
    word_match = re.search(r"\w", sentence)
    return word_match.start() if word_match else 0


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
    listed = re.search(r",?\s(?:and|or)\s", sentence[finish.end() : finish.end() + 40])
    if finish[0] == "," and (not goes_on or listed):
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


@dataclass(frozen=True)
class Suggestion:
    """Another way to say the characters `start` to `end` of the letter's text, which read `old`.

    `new` is the replacement, "" where they are deleted, and `None` where only a person can mend it: then the reason
    says how, and there is nothing to apply. `mark_key` is the key of the mark it is for.
    """

    mark_key: str
    start: int
    end: int
    old: str
    new: str | None
    reason: str
    source: str
    do: str = ""  # the end of the reason, which says what a person can do where there is nothing to apply

    @property
    def why(self) -> str:
        """The reason without what to do, and without who found the words: the letter's writer knows no models."""
        return self.reason.removesuffix(self.do).removeprefix(BY_A_MODEL).strip()


How = Literal["replace", "drop", "leave out", "hint"]


@strict_data
class _Rule:
    category: Category
    how: How
    reason: str
    find: tuple[str, ...]
    use: tuple[str, ...] = ()
    do: str = ""


@strict_data
class Hint:
    """The reason that words of a category are worth a look, and what a person can do about them."""

    why: str
    do: str


@strict_data
class _File:
    source: str
    name_reason: str
    name_hint: str
    sentence_reason: str
    turned_hint: str
    hints: dict[Category, Hint]
    rule: tuple[_Rule, ...]


@dataclass(frozen=True)
class Way:
    """The treatment of one phrase: put other words in, drop the word, leave the phrase out, or only give a hint."""

    how: How
    use: tuple[str, ...]
    reason: str
    do: str = ""


@dataclass(frozen=True)
class SuggestionWords:
    """The ways by category and phrase (lower case, single spaces), and a pattern for each category's phrases."""

    source: str
    name_reason: str
    name_hint: str
    sentence_reason: str
    turned_hint: str
    hints: Mapping[Category, Hint]
    ways: Mapping[Category, Mapping[str, Way]]
    patterns: Mapping[Category, re.Pattern[str]]


@cache
def suggestion_words() -> SuggestionWords:
    """The lexicon, read once. `AppError` where a rule's alternatives do not match its phrases."""
    file = from_resources(_File, "letters", "suggestions.toml")
    ways: dict[Category, dict[str, Way]] = {}
    for rule in file.rule:
        for entry in rule.find:
            for place, phrase in enumerate(_phrases(entry)):
                use = tuple(_at(replacement, place) for replacement in rule.use)
                ways.setdefault(rule.category, {}).setdefault(phrase, Way(rule.how, use, rule.reason, rule.do))
    patterns = {category: any_of(phrases) for category, phrases in ways.items()}
    texts = (file.source, file.name_reason, file.name_hint, file.sentence_reason, file.turned_hint)
    return SuggestionWords(*texts, file.hints, ways, patterns)


def way_of(category: Category, phrase: str) -> Way | None:
    """Return the treatment of the phrase, however it is spaced; None for an unknown one."""
    return suggestion_words().ways.get(category, {}).get(" ".join(phrase.lower().split()))


def _phrases(entry: str) -> list[str]:
    """“seems|seemed to be” → “seems to be”, “seemed to be”; all of an entry's alternatives go together."""
    counts = {word.count("|") + 1 for word in entry.split() if "|" in word} or {1}
    if len(counts) > 1:
        raise AppError(f"“{entry}” has alternatives that do not go together.", hint="Give each word as many of them.")
    return [" ".join(_at(word, place) for word in entry.split()) for place in range(counts.pop())]


def _at(words: str, place: int) -> str:
    """The alternative of each word at `place`: “is|was able” and 1 → “was able”."""
    chosen = []
    for word in words.split():
        options = word.split("|")
        if len(options) > 1 and place >= len(options):
            raise AppError(f"“{words}” has too few alternatives.", hint="Give as many as the phrase has.")
        chosen.append(options[place] if len(options) > 1 else word)
    return " ".join(chosen)


_TITLE = re.compile(r"(?:Mr|Ms|Mrs|Miss|Mx|Dr|Prof|Professor|Doctor)\.?\s+$")


def name_suggestions(sentence: Sentence, person: Person | None) -> Iterator[Suggestion]:
    """“Jane” → “Dr Smith”, as the person's title has it; without a title only a hint. Quotations are kept."""
    if person is None or sentence.part != "body" or not person.first_name or not person.last_name:
        return
    pattern = rf"(?<![\w@.-]){re.escape(person.first_name)}(?![\w@-])(?!\s+(?:\S+\s+)?{re.escape(person.last_name)})"
    sentence_hash = sha256_text(" ".join(sentence.text.split()))[:16]
    for match in re.finditer(pattern, sentence.text):
        if _TITLE.search(sentence.text[: match.start()]) or _quoted(sentence.text, match.start()):
            continue
        start, end = sentence.start + match.start(), sentence.start + match.end()
        key = f"name:{for_matching(person.first_name)}:{sentence_hash}"
        new = f"{person.title} {person.last_name}" if person.title else None
        reason = suggestion_words().name_reason if new else suggestion_words().name_hint
        yield Suggestion(key, start, end, match[0], new, reason, suggestion_words().source)


def _quoted(text: str, place: int) -> bool:
    return text[:place].count("“") > text[:place].count("”") or text[:place].count('"') % 2 == 1


_FOLLOWING = re.compile(r"\s+([a-z][\w’'-]*)")
PRIVATE = frozenset({"age", "family", "appearance", "health", "origin", "personal_life"})
_TWO_STATEMENTS = re.compile(r",\s|;|:|\s(?:who|which|but|while|when)\s|\sand\s+(?:will|led|ran|[a-z]+(?:s|ed))\s")
LONGEST = 2_000  # characters: what is longer is no sentence, and no change of it would be read through
BY_A_MODEL = "A model read this passage so: see first whether it is right."
MOST_DROPPED = 2  # words beside a new one, which go with it
MOST_BESIDE = 4  # words, a full stop among them: with more, the sentence says something else as well


def suggestions_of(reading: Reading) -> dict[int, tuple[Suggestion, ...]]:
    """Return sentence → suggestions for its marks. Runs in the compute process where models read the letter."""
    if reading.stopped:
        return {}
    if reading.read_as.kind == "advert":
        return _of_advert(reading)
    again = ReadAgain(reading.person, by_model=not reading.by_words_alone, by_both=LARGER_READER in reading.versions)
    body = (sentence for sentence in reading.sentences if sentence.part == "body")
    offers_of = {sentence.index: suggestions_for(sentence, reading.marks, again=again) for sentence in body}
    return {index: offers for index, offers in offers_of.items() if offers}


def _of_advert(reading: Reading) -> dict[int, tuple[Suggestion, ...]]:
    """Another word for posts named for one gender; else what to do, of coded words where most are masculine."""
    masculine, feminine = coding_of(reading.marks)
    offers: dict[int, tuple[Suggestion, ...]] = {}
    for mark in reading.marks:
        sentence = reading.sentence(mark.sentence)
        words = kind_file("advert").categories.get(mark.category)
        if mark.of_house or words is None or not words.do or (mark.category == "masculine" and masculine <= feminine):
            continue
        why = KEEPS_AWAY.get(mark.category, "women found adverts with many such words less appealing")
        why = f"{why[0].upper()}{why[1:]}."
        others = suggestions_for(sentence, [mark]) if mark.category == "gender" else ()
        own = tuple(replace(offer, reason=why) for offer in others if offer.new is not None)
        hint = _hinted(sentence, mark, why, words.do)
        offers[mark.sentence] = (*offers.get(mark.sentence, ()), *(own or (hint,)))
    return offers


class ReadAgain(NamedTuple):
    """The reading of a changed sentence before the change is offered, by words and by the models of the letter."""

    person: Person | None = None
    by_model: bool = False
    by_both: bool = False

    def marks(self, sentence: Sentence) -> tuple[Mark, ...]:
        """Return all marks of a sentence."""
        marks = marks_of([sentence], self.person)
        if not self.by_model:
            return marks
        meant = without_doubted([sentence], marks, self.person)
        return (*meant, *passages_of([sentence], meant, self.person, by_both=self.by_both))


def suggestions_for(
    sentence: Sentence, marks: Sequence[Mark], person: Person | None = None, again: ReadAgain | None = None
) -> tuple[Suggestion, ...]:
    """Return suggestions for those of `marks` that are in the sentence, in their order, and for a lone first name.

    A “sentence” of more than `LONGEST` characters has none.
    Each mark has its alternatives, what can be left out, or else a hint. `person` gives the title and the names;
    `again`, which holds a person too, how a changed sentence is read.
    """
    if len(sentence.text) > LONGEST:
        return ()
    again = again or ReadAgain(person)
    own = [mark for mark in marks if mark.sentence == sentence.index]
    suggestions = [suggestion for mark in own for suggestion in _for_mark(sentence, mark, own, again)]
    return tuple(suggestions + list(name_suggestions(sentence, again.person)))


def _for_mark(sentence: Sentence, mark: Mark, own: Sequence[Mark], again: ReadAgain) -> Iterator[Suggestion]:
    words, hint = suggestion_words(), suggestion_words().hints.get(mark.category)
    if mark.passage:  # a model read it so: no words are put into the letter for that
        if hint is not None:
            yield _hinted(sentence, mark, f"{BY_A_MODEL} {hint.why}", hint.do)
        return
    start, end = mark.start - sentence.start, mark.end - sentence.start
    place, way = _phrase_at(sentence, mark, start, end)
    if mark.of_house and way is None:
        return  # why it is marked, and what to do about it, is for the house to say
    edits = list(_edits(sentence.text, *place, way, again.person)) if way else []
    reason = way.reason if way else ""
    if not edits and mark.category in PRIVATE:
        private = _private(sentence.text, start, end, mark)
        edits = [private] if private else []
        reason = words.hints[mark.category].why
    praise = categories()[mark.category].praise
    edits = [edit for edit in edits if praise or not _loses_praise(sentence, edit, own)]
    edits = [settled for edit in edits if (settled := _settled(sentence, edit, own, again)) is not None]
    for edit in dict.fromkeys(edits):
        yield _suggestion(sentence, mark, edit, reason)
    if not edits and mark.category in PRIVATE and _is_private(sentence, own):
        yield _suggestion(sentence, mark, Edit(0, len(sentence.text), ""), words.sentence_reason)
    elif not edits and way is not None and way.how == "hint":
        yield _hinted(sentence, mark, way.reason, way.do)
    elif not edits and (mark.negated or mark.hedged):
        yield _hinted(sentence, mark, mark.reason, words.turned_hint)
    elif not edits and hint is not None:
        yield _hinted(sentence, mark, hint.why, hint.do)


def _hinted(sentence: Sentence, mark: Mark, why: str, do: str) -> Suggestion:
    key, reason = mark.key(sentence.text), f"{why} {do}".rstrip()
    return Suggestion(key, mark.start, mark.end, mark.words, None, reason, mark.source, do)


def _phrase_at(sentence: Sentence, mark: Mark, start: int, end: int) -> tuple[tuple[int, int], Way | None]:
    """The lexicon's phrase that touches the mark, the longest first; a hint only where there is nothing better."""
    pattern = suggestion_words().patterns.get(mark.category)
    if pattern is None:
        return (start, end), None
    text = sentence.text.replace("’", "'").lower()
    if len(text) != len(sentence.text):
        return (start, end), None
    low = max(0, start - 40)
    touching = [
        match.span() for match in pattern.finditer(text, low, end + 40) if match.start() < end and start < match.end()
    ]
    ways = [(place, way_of(mark.category, text[slice(*place)])) for place in touching]
    ordered = sorted(
        ways,
        key=lambda touched: (
            touched[1] is None or touched[1].how == "hint",
            touched[0][0] - touched[0][1],
        ),
    )
    return ordered[0] if ordered else ((start, end), None)


def _edits(text: str, start: int, end: int, way: Way, person: Person | None) -> Iterator[Edit]:
    if way.how == "replace":
        title = person.title if person is not None else ""
        use = (title, *way.use) if way.use == ("Ms",) and title.rstrip(".") in {"Dr", "Prof", "Professor"} else way.use
        following = _FOLLOWING.match(text, end)
        if way.use[0] == "person" and following and following[1].lower() not in NO_NOUN:
            edit = adjective(text, start, end)  # “a woman painter”
            use = ()
            if edit:
                yield edit
        for new in use:
            if _again(text, start, end, new):
                continue
            dot = end + 1 if way.use == ("Ms",) and text[end : end + 1] == "." else end
            yield replaced(text, start, dot, new)
    elif way.how == "drop":
        yield _dropped(text, start, end)
    elif way.how == "leave out":
        edit = adjective(text, start, end) or phrase(text, start, end)
        if edit:
            yield edit


def _again(text: str, start: int, end: int, new: str) -> bool:
    """Return whether the sentence already has the main word of `new`: no “communication and communication skills”."""
    first = new.split()[0].lower()
    return (
        len(first) > 4
        and re.search(rf"(?<!\w){re.escape(first)}(?!\w)", f"{text[:start]} {text[end:]}".lower()) is not None
    )


def _dropped(text: str, start: int, end: int) -> Edit:
    """Delete a word or phrase that nothing depends on, with the comma and the space that belong to it."""
    before, after = text[:start].rstrip(" "), text[end:]
    if after.startswith(", "):
        end += 2 if not before.endswith(",") or not before else 1
    elif after.startswith(" "):
        end += 1
    elif before.endswith(",") and after[:1] in ".;!?":
        start = len(before) - 1
    elif after[:1] in ".;!?,":
        start = len(before)
    if before.endswith(",") and text[end - 1 : end] == ",":
        start = len(before) - 1
    return left_out(text, start, end)


def _private(text: str, start: int, end: int, mark: Mark) -> Edit | None:
    """The least that can go: an adjective, a statement of two, an insertion, an opening."""
    words = mark.words.lower().split()
    if mark.category == "age" and words[-1].endswith("old"):
        edit = adjective(text, start, end)
        if edit:
            return edit
    if mark.category == "origin" and len(words) > 1 and words[-1] in lists()["person"]:
        edit = adjective(text, start, start + mark.words.rindex(mark.words.split()[-1]) - 1)
        if edit:
            return edit
    whole = None if mark.category == "age" and words[0] != "aged" else insertion(text, start, end)
    return predicate(text, start, end) or whole or phrase(text, start, end)


def _loses_praise(sentence: Sentence, edit: Edit, own: Sequence[Mark]) -> bool:
    """Return whether deleting the characters would delete praise, or a doubt that has suggestions of its own."""
    low, high = sentence.start + edit.start, sentence.start + edit.end
    return any(
        mark.start < high
        and low < mark.end
        and categories()[mark.category].praise
        and not edit.new.endswith(mark.words)
        for mark in own
    )


def _settled(sentence: Sentence, edit: Edit, own: Sequence[Mark], again: ReadAgain) -> Edit | None:
    """Return the edit if the changed sentence, read again, has nothing new to change; None where it has.

    Words that became one mark with the new ones go too: “perfectly adequate” becomes “good” and not “perfectly good”.
    """
    new = _new_mark(sentence, edit, own, again)
    if new is None:
        return edit
    changed = sentence.text[: edit.start] + edit.new + sentence.text[edit.end :]
    start, end = new.start - sentence.start, min(new.end - sentence.start, edit.start)
    beside = len(changed[start : edit.start].split())  # a passage of a model holds a whole clause, and is kept
    if new.passage or not edit.new or not 0 < beside <= MOST_DROPPED or changed[end : edit.start].strip():
        return None
    without = left_out(changed, start, edit.start)
    rest = changed[max(without.end, edit.start) : edit.start + len(edit.new)]
    wider = Edit(without.start, edit.end, without.new + rest)
    return wider if _new_mark(sentence, wider, own, again) is None else None


def _new_mark(sentence: Sentence, edit: Edit, own: Sequence[Mark], again: ReadAgain) -> Mark | None:
    """Return the first mark that the edit makes and that is no praise, or praise that would be worded otherwise."""
    text = sentence.text[: edit.start] + edit.new + sentence.text[edit.end :]
    changed = replace(sentence, text=text, end=sentence.start + len(text))
    start, end = sentence.start + edit.start, sentence.start + edit.end
    grown = len(edit.new) - (edit.end - edit.start)
    stays = [mark for mark in own if mark.passage or mark.end <= start or end <= mark.start]
    stays += [mark for mark in marks_of([sentence], again.person) if mark.end <= start or end <= mark.start]
    for mark in again.marks(changed):
        was = range(mark.start if mark.start < end + grown else mark.start - grown,
                    mark.end if mark.end <= start else mark.end - grown)  # fmt: skip
        if any(mark.category == old.category and old.start < was.stop and was.start < old.end for old in stays):
            continue
        way = _phrase_at(changed, mark, mark.start - sentence.start, mark.end - sentence.start)[1]
        if not categories()[mark.category].praise or (way is not None and way.how != "hint"):
            return mark
    return None


def _is_private(sentence: Sentence, own: Sequence[Mark]) -> bool:
    """Return whether all that was found in a short, simple sentence is private: then it can go as a whole."""
    if _TWO_STATEMENTS.search(sentence.text):
        return False
    rest = list(sentence.text)
    for mark in own:
        if mark.passage:
            continue  # it is no word that was found, and most of the sentence
        rest[mark.start - sentence.start : mark.end - sentence.start] = " " * (mark.end - mark.start)
    return len("".join(rest).split()) <= MOST_BESIDE and all(mark.category in PRIVATE | {"gender"} for mark in own)


def _suggestion(sentence: Sentence, mark: Mark, edit: Edit, reason: str) -> Suggestion:
    start, end = sentence.start + edit.start, sentence.start + edit.end
    old = sentence.text[edit.start : edit.end]
    return Suggestion(mark.key(sentence.text), start, end, old, edit.new, reason, mark.source)
