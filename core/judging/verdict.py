"""Grammar of what a judge replies: the text that it prefers.

What a reply calls its verdict decides; else what it states, else what it compares. Of each kind all must agree, and
what follows from nothing is not guessed: then there is no verdict.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial

READER_VERSION = "replies 1"  # goes into every judgment; tests/unit/core/judging/test_reader_version.py holds it
LETTERS = "ABC"
LONGEST_WORD = 4  # of the answers: they occur in many texts by chance
LONGEST_LINE = 2000  # characters of a paragraph that is read
LONGEST_ANSWER = 100  # characters of a line that is an answer
PART = re.compile(r"\n|(?<=[.!?])\s+")  # between lines and sentences
_SIGNS = " \t\r*_`\"'“”‘’()[].!?"
UNCLEAR = "?"

# ---- Texts that are named, each as one sign of the private use area; the last sign is a text that does not exist

_FIRST_SIGN = 0xE000
_X = "[\ue000-\ue003]"
_NO_WORD = r"[^\w\ue000-\ue003]*"
_THING = (
    r"(?:text|option|card|response|poem|haiku|story|song|letter|article|version|candidate|entry|one|piece|answer|"
    r"essay|reply|passage|sample)"
)
_PLACES = {"first": 0, "1st": 0, "former": 0, "second": 1, "2nd": 1, "latter": 1, "third": 2, "3rd": 2}
_MARKS = re.compile(r"[*_`#~|\"“”]+")
_AFTER_LETTER = (
    r"(?=\s*(?:$|[\n.,;:!?)\]>=<→–—-]|['’]s\b|(?:is|isn['’]t|was|has|had|wins?|beats?|loses?|and|or|over|"
    r"because|since|as|"
    r"for|but|by|in|with|to|than|does|doesn['’]t|seems|feels|comes|would|outshines|outperforms|surpasses|edges|it|"
    r"meets|fits|makes|deserves|takes|more|rather|followed|overall|my|lacks|gets|reads|remains|stands|edged|"
    r"(?:\w+ly|just|still|narrowly|also)\s+(?:is|has|wins?|beats?|better|outshines|takes|edges))\b))"
)
_CHOOSE = r"choose|chose|pick|picked|prefer|select|vote\s+for|go\s+(?:with|for)|going\s+with|take|favou?r|opt\s+for"
_NO_LETTER = r"(?<!itamin )(?<!plan )(?<!rade )(?<!type )(?<!class )(?<!level )"  # “vitamin C”
_NAMES = (
    (re.compile(rf"\b{_THING}\s+([A-D])\b", re.IGNORECASE), False),
    (re.compile(rf"\b{_THING}\s+(?:no\.?\s*|number\s+|#)?([1-4])\b(?!\s*[/%])", re.IGNORECASE), False),
    (re.compile(rf"\b(?:the\s+)?({'|'.join(_PLACES)})\s+{_THING}\b", re.IGNORECASE), False),
    (re.compile(r"\bthe\s+(former|latter)\b", re.IGNORECASE), False),
    (re.compile(
        rf"\b(?:{_CHOOSE}|than|versus|(?:answer|choice|verdict|winner|pick)(?:\s+is|"
        rf"\s*:))\s+([a-d])\b{_AFTER_LETTER}"), True),
    (re.compile(r"\b(?:think|believe|say|feel|find)(?:\s+that)?\s+([a-d])(?=\s+is\b)"), True),
    (re.compile(rf"(?:(?<=[.!?:>=<→–—-]\s)|(?<=\n)|^)\s*[(\[]?(A)[)\]]?(?!['’]s?\w*(?<!s)\b){_AFTER_LETTER}"), True),
    (re.compile(r"(?:(?<=[\w,;)/] )|(?<=[(\[/]))[(\[]?(A)[)\]]?(?=['’]s\b|[^\w'’-]|$)"), True),
    (re.compile(
        r"(?:\b(?:is|prefer|choose|pick|with|take|than)|[:,]|^)\s+the\s+(first|second|third)(?=\W*$|"
        r"\s*[,;.])", re.IGNORECASE), True),
    (re.compile(rf"(?<![\w'’.-]){_NO_LETTER}[(\[]?([B-D])[)\]]?(?![\w-]|['’](?!s\b))"), True),
)  # fmt: skip


def _named(text: str) -> str:
    """Return a reply in small letters with a sign where it names a text."""
    plain = _MARKS.sub("", text).replace("’", "'").replace("‘", "'")
    plain = re.sub(r"[^\S\n]+", " ", plain)
    for pattern, within in _NAMES:
        plain = pattern.sub(partial(_with_sign, within=within), plain)
    return re.sub(rf"{_X} ?[❌✗✘]", "", plain).casefold()


def _with_sign(match: re.Match[str], within: bool) -> str:
    word = match[1].casefold()
    place = _PLACES.get(word, "abcd1234".find(word) % 4)
    sign = chr(_FIRST_SIGN + place)
    if not within:
        return sign
    start = match.start(1) - match.start()
    around = re.sub(r"\bthe $", "", match[0][:start]).rstrip("([") + sign + match[0][start + len(word) :].lstrip(")]")
    return around


# ---- What is said of them

_ADVERBS = (
    r"(?:(?:\w+ly|by far|by a hair|a bit|a little|a lot|much|far|somewhat|still|also|just|even|the|my|a|an|overall|"
    r"in my (?:view|opinion)|for me|to me|here|in the end|therefore|thus|hence|ahead as|out as|personal),? )*"
)
_BE = r"(?:is|was|seems|feels|remains|looks|appears|would be|stands|emerges|comes|must be|reads|gets|'s)"
_GOOD = (
    r"(?:better|best|superior|stronger|strongest|preferable|preferred|favou?rite|winner|winning|finest|victor|"
    r"(?:clear )?(?:choice|pick)|on top|ahead|less (?:bad|weak|poor)|the one (?:i|to))\b"
)
_BAD = r"(?:weaker|weakest|worse|worst|inferior|poorer|less \w+)"
_NOT = r"(?:is not|isn't|was not|wasn't|'s not)"
_WINS = (
    r"(?:wins|won|beats|outshines|outperforms|outdoes|outclasses|surpasses|trumps|tops|edges|edged|prevails|"
    r"takes (?:it|the \w+)|comes (?:out )?(?:closer|closest|first|on top|ahead)|has the (?:edge|upper hand)|"
    r"stands out|"
    r"carries the day|deserves (?:the|to win|first)|meets the criteria|fits the criteria|does (?:it |this |"
    r"the job )?better|does (?:a|the) better|comes? first|first, then|it is)\b"
)
_SO = (
    r"(?:\b(?:so|thus|therefore|hence|but|overall|still)[, ]+|: ?|→ ?|=> ?|-> ?)"
    r"(?:it's |it is |it must be |it has to be |probably |maybe |with |i say |must be |is )*"
)
_STATED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:i|we)(?:'d| would| will|'ll| must)?(?: (?:\w+ly|still|rather|just|have|to|am|"
        rf"going))* (?:{_CHOOSE}|chosen|preferred|"
        rf"selected|say|answer|side with|lean (?:towards?|to)|recommend|settle on|give (?:it|this|the \w+) to)"
        rf" (?:probably |definitely |clearly )?({_X})",
        rf"\b(?:{_CHOOSE}|settle on|lean towards?) ({_X})(?={_NO_WORD}$| over | because | since |, )",
        rf"\blike ({_X}) (?:better|best|more|most)\b",
        rf"\b{_GOOD}(?: {_THING})?(?: (?:here|overall|of (?:the )?\w+|for me|by far))*(?: is| goes to|:|"
        rf" would be| must be)+ ({_X})",
        rf"({_X}),? {_ADVERBS}{_WINS}",
        rf"({_X}),? {_ADVERBS}{_BE} {_ADVERBS}{_GOOD}",
        rf"\b(?:makes|puts|ranks|rates|finds?|consider) ({_X}) {_ADVERBS}(?:{_GOOD}|first|higher|highest|"
        rf"more \w+|most \w+)",
        rf"\b(?:marks?|scores?|prize|edge|nod|vote|win|preference|points?|crown|award|victory|"
        rf"advantage)(?: goes| go)? to ({_X})",
        rf"\bpreference (?:is )?for ({_X})",
        rf"(?:{_X}) {_ADVERBS}(?:loses (?:out )?to|falls (?:short of|behind)|{_BE} {_ADVERBS}{_BAD} (?:than|to)|"
        rf"(?:does not|doesn't|cannot|"
        rf"can't) (?:quite )?(?:match|reach|compete with|compare (?:with|to))|{_NOT} (?:\w+ )?as \w+ as|"
        rf"{_BE} (?:outshone|beaten|"
        rf"outdone|surpassed) by|pales (?:beside|against|next to)|lags behind) ({_X})",
        rf"{_X} {_NOT} (?:the )?(?:\w+ )?{_GOOD}[^.!?\n]{{0,20}}[;,.] ?(?:but )?({_X}) is\b",
        rf"^({_X}) (?:over|rather than|instead of|not|by far)\b",
        rf"\bnot {_X},? but ({_X})",
        rf"^{_NO_WORD}(?:(?:definitely|clearly|probably|easily|certainly|slightly|perhaps|no doubt|hands down|"
        rf"it's|it is|i think|of the \w+|for me|"
        rf"if (?:i (?:had|have) to|i must|forced to|pressed to)? ?(?:choose|pick|decide)?|still|yes|"
        rf"honestly),? )*({_X})(?:,? (?:hands down|by far|clearly|"
        rf"definitely|easily|of course|for me|i think|by a hair|slightly))?{_NO_WORD}$",
        rf"{_SO}({_X})(?:, (?:then|i think|i guess|for me|by a hair))?{_NO_WORD}$",
    )
)
_COMPARED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"({_X}),? {_ADVERBS}(?:{_BE}|has|offers|shows) {_ADVERBS}(?:more|most|greater) \w+",
        rf"({_X}) {_ADVERBS}{_BE} {_ADVERBS}(?!other|longer|shorter|over|ever|never)\w{{3,}}er (?:than {_X}|"
        rf"{_NO_WORD}$)",
        rf"({_X}) (?:is|has|does) [^.;\n]{{1,40}}[;,] (?:but |and |while )?(?:the others?|{_X})(?: two|"
        rf" one)? (?:are not|aren't|isn't|is not|"
        rf"does not|doesn't|do not|don't){_NO_WORD}$",
        rf"\bonly ({_X}) (?:is|has|does|meets|fits|follows|keeps|works)\b",
    )
)
_REJECTED = re.compile(
    rf"\b(?:eliminate|rule out|reject|discard|drop|exclude|dismiss|not) ({_X})|({_X}) {_BE} {_ADVERBS}(?:weaker|"
    rf"worse|inferior|worst|weakest)\b|"
    rf"\b(?:weaker|worse|inferior|worst|weakest)(?: {_THING})?(?: is|:) ({_X})|\bthen ({_X}) for\b"
)
_BOTH = rf"(?:(?:both|they|these|it|all (?:three|of them)|the (?:two|three)|the texts)\b|{_X}(?:,? (?:and )?{_X})+)"
_TIE = re.compile(
    rf"\b(?:it|this)(?:'s| is)(?: \w+)? an? (?:\w+ )?(?:tie|draw)\b|\bcall (?:it|this) an? (?:tie|draw)\b|"
    rf"^an? (?:tie|draw)\b|^(?:a )?(?:tie|draw){_NO_WORD}$|"
    rf"{_BOTH}[^.\n]{{0,40}} (?:are|seem|is) (?:\w+ly )?(?:equals?\b|equally (?:good|strong|well|weak|bad|"
    rf"matched)|on (?:a )?par|"
    rf"indistinguishable|tied|(?:about|roughly|much) the same|of equal|of the same|the same (?:quality|level)|"
    rf"just as good)|"
    rf"\b(?:cannot|can't|unable to|could not|couldn't) tell (?:them|the \w+|{_X} and {_X}) apart\b|"
    rf"\bno (?:\w+ )?(?:difference|preference)(?: in quality)?(?= between| among| in quality|{_NO_WORD}$)|"
    rf"\b(?:can't|cannot|don't|do not) (?:see|find|detect|make out) any (?:\w+ )?difference\b|"
    rf"\b(?:neither|none|no one)\b[^.;\n]{{0,30}} (?:is|was) (?:\w+ )?(?:better|best|stronger|superior)\b|"
    rf"\bequally (?:good|strong|well[- ]\w+|matched|bad|weak)\b|^(?:of )?(?:the )?(?:same|equal) quality"
)
_NONE = re.compile(
    rf"\bnone of (?:(?:them|these|those|the \w+)\b|{_X})|\bneither (?:(?:of (?:them|these|the \w+)|text|one|"
    rf"poem|is|has|meets|deserves|"
    rf"convinces)\b|{_X} nor {_X})|"
    rf"\bno {_THING}\b[^.\n]{{0,20}} (?:is|was) (?:good|worthy)|\b(?:both|all)\b[^.\n]{{0,40}} (?:fail|"
    rf"are (?:\w+ )?(?:bad|poor|weak|unacceptable))\b|"
    rf"\bno {_THING} (?:meets|deserves|satisfies)\b"
)
_UNCLEAR = re.compile(
    rf"\bit (?:all )?depends\b|\b(?:cannot|can't|could not|couldn't|unable to|hard to|"
    rf"impossible to) (?:really )?(?:say|tell|decide|choose|pick|judge)\b"
    rf"|{_X} or {_X}"
)
_SCORE = re.compile(
    rf"({_X})(?: \([^)]*\))?(?: gets| scores| earns| receives|: ?| - | – )+(?:score: ?|"
    rf"an? )?(\d+(?:\.\d+)?)(?: ?/ ?\d+| points?| out of)?"
)
_DENIED = re.compile(r"(?:\b(?:not|never|hardly|neither|nor|doubt|cannot|no longer)\b|n't\b)[^.,;:!?\n]{0,40}$")
_NOT_MEANT = re.compile(
    rf"\bif (?!forced|i (?:had|have|must|am|were|was)|i'm|pressed|pushed|asked|anything|only one|one (?:has|had|"
    rf"must))|\?{_NO_WORD}$|"
    r"\b(?:some|many|others|people|readers|you|one|critics)(?: \w+)? (?:might|would|may|could|"
    r"will) (?:\w+ )?(?:say|argue|prefer|think|"
    r"choose|pick|find|like|call)\b"
)
_AT_FIRST = re.compile(
    r"\b(?:at first|(?:i )?first thought|initially|my first|i (?:had )?expected)\b[^.;\n]*?(?=\bbut\b|"
    r"\bhowever\b|[.;\n]|$)"
)


_MORE_BEFORE = re.compile(rf"{_X},? ?(?:and|or|nor|&|/) ?$")
_MORE_AFTER = re.compile(rf"^ ?(?:or|and|/|&) ?(?:the )?{_X}")


def _denied(text: str, start: int) -> bool:
    return _DENIED.search(text[max(0, start - 60) : start]) is not None


def _statements(part: str, patterns: Sequence[re.Pattern[str]]) -> Iterator[tuple[int, str, str]]:
    """Yield where a part of a reply says which text it prefers, what it says, and the words."""
    for pattern in patterns:
        for match in pattern.finditer(part):
            several = _MORE_BEFORE.search(part[max(0, match.start(1) - 12) : match.start(1)]) or _MORE_AFTER.match(
                part[match.end(1) :]
            )
            if not several and not _denied(part, match.start()):
                yield match.end(), match[1], match[0]


def _of_none(part: str, cards: int) -> Iterator[tuple[int, str, str]]:
    tie, none, unclear = _TIE.search(part), _NONE.search(part), _UNCLEAR.search(part)
    some = len(re.findall(_X, tie[0])) if tie else 0
    if tie and some in (0, cards) and not _denied(part, tie.start()):
        yield tie.end(), "TIE", tie[0]
    elif none:
        yield none.end(), "NONE", none[0]
    elif unclear:
        yield unclear.end(), UNCLEAR, unclear[0]


# ---- Verdicts, rankings and marks

_LABEL = re.compile(
    rf"(?<![\w'])(?P<final>final )?(?:(?:my|the|overall|final) )*(?:(?:verdict|conclusion|winner|decision|"
    rf"answer|choice|pick|judge?ment|"
    rf"result|preference|selection|vote|recommendation|outcome|preferred|final|best|better|favou?rite|"
    rf"bottom line|winning|overall)(?: {_THING})?"
    rf"(?: (?:here|overall|of the \w+))?(?: ?(?:is|would be)\b ?:?| ?[:→–—]| ?[-=]+>?| ?$)|(?:overall|"
    rf"all in all|in conclusion|to conclude|"
    rf"in summary|to sum up|ultimately|in the end|on balance),? )\s*(?:(?:that|is|the|goes to|clearly) )*"
)
_BEGINS = re.compile(
    rf"^[\s(\[]*(?:({_X})(?!\s*(?:or|and|/|&|,)\s*(?:the )?{_X})(?=[)\]]*\s*(?:$|[^\w\s']|(?:because|as|since|"
    rf"for|by|over|due|with|followed)\b))"
    rf"|(?:it's |it is )?(?:an? )?(tie|draw)\b|(none|neither){_NO_WORD}$)"
)
_REASONED = re.compile(rf"^[\s(]*({_X})\)?(?:[.:–—-]+|,? (?:because|since|as)\b|(?= -| –| —| \()) ?\S")
_HEADED = re.compile(rf"(?:^{_NO_WORD}(?={_X}\)?[.–—]|{_X} [–—-] )|(?={_X}\)?:))({_X})", re.MULTILINE)
_CHAIN = re.compile(rf"{_X}(?: ?(?:>+|=+|<+|≥|≈|~) ?{_X})+")
_RANKING = re.compile(
    rf"(?:(?P<how>[^\n:]{{0,60}}\b(?:rank\w*|order|best|worst)\b[^\n:]{{0,60}}):|\brank (?:them|it|"
    rf"the \w+)(?: as)?)\s*(?P<all>(?:\d[.)]\s*)?{_X}(?:(?:[\s,>;]|then|and|\d[.)])+{_X})+)"
)
_RANKED = re.compile(rf"^{_NO_WORD}(?P<rank>1st|first|1)(?: place)?[.):]* ?(?:- )?(?P<card>{_X})", re.MULTILINE)
_SECOND = re.compile(rf"^{_NO_WORD}(?:2nd|second|2)(?: place)?[.):]* ?(?:- )?(?P<card>{_X})", re.MULTILINE)
_VALUE = re.compile(
    r"[\"'](?:final_?)?(?:verdict|preferred|preference|choice|answer|winner|best|better|result|decision|"
    r"judge?ment|selected|selection|pick)"
    rf"(?:_\w+)?[\"']\s*:\s*[\"']?\s*(?:{_THING}[ _])?([a-d]|tie|draw|none|neither)\b\s*[\"']?\s*[,}}\n]",
    re.IGNORECASE,
)


def _rankings(text: str) -> Iterator[str]:
    """Yield the first of each ranking."""
    for chain in _CHAIN.finditer(text):
        cards, between = re.findall(_X, chain[0]), set(re.sub(rf"{_X}|\s", " ", chain[0]).split())
        kinds = {sign[0] for sign in between}
        if kinds <= set("=≈~"):
            yield "TIE"
        elif "<" in kinds and ">" not in kinds:
            yield cards[-1]
        elif re.match(rf"{_X} ?[>≥]", chain[0]):
            yield cards[0]
    for ranking in _RANKING.finditer(text):
        cards = re.findall(_X, ranking["all"])
        rising = re.search(r"worst (?:to|first)|weakest (?:to|first)|ascending", ranking["how"] or "")
        if len(set(cards)) == len(cards):
            yield cards[-1 if rising else 0]
    first, second = _RANKED.search(text), _SECOND.search(text)
    if first and second and first["card"] != second["card"]:
        said = re.search(r"\b(?:rank|best|order|place)", text)
        if first["rank"] != "1" or said or first["card"] > second["card"]:
            yield first["card"]


def _scored(text: str, cards: int) -> Iterator[str]:
    """Yield the text with the highest mark, where each has one mark."""
    marks = [(match[1], float(match[2])) for match in _SCORE.finditer(text)]
    if len(marks) == cards == len({card for card, _ in marks}):
        highest = max(mark for _, mark in marks)
        best = [card for card, mark in marks if mark == highest]
        if len(best) in (1, cards):
            yield best[0] if len(best) == 1 else "TIE"


def _verdicts(lines: Sequence[str], cards: int) -> Iterator[tuple[bool, str, str]]:
    """Yield what follows “verdict:” and the like: whether it is called final, what it says, and the words."""
    for place, line in enumerate(lines):
        for label in _LABEL.finditer(line):
            if _denied(line, label.start()):
                continue
            rest = line[label.end() :].strip() or " ".join(lines[place + 1 : place + 2])
            first = PART.split(rest)[0]
            begins = _BEGINS.match(rest)
            if begins:
                said = begins[1] or ("TIE" if begins[2] else "NONE")
                yield bool(label["final"]), said, f"{label[0]}{begins[0]}"
                continue
            found = [*_statements(first, _STATED)] or [*_of_none(first, cards)]
            for said in {said for _, said, _ in found}:
                yield bool(label["final"]), said, found[0][2]


# ---- The whole


def verdict(reply: str, texts: Sequence[str]) -> str | None:
    """Return the answer of a reply without the signs around it: A, B, C, TIE or NONE; None where it has none.

    What occurs in one of `texts` is not taken: a reply may repeat a text that wants to be taken for an answer.
    """
    values = {_of_value(match[1]) for match in _VALUE.finditer(reply) if not _in_texts(match[0], texts)}
    if values:
        return _one(values, len(texts))
    own = [
        line.strip()
        for line in reply.splitlines()
        if 0 < len(line.strip()) <= LONGEST_LINE and not is_line(line, texts)
    ]
    text = "\n".join(_named(_without(line, texts)) for line in own)
    lines = text.splitlines()
    said = [
        (final, what) for final, what, words in _verdicts(lines, len(texts)) if not _in_texts(_spelled(words), texts)
    ]
    called = {what for final, what in said if final} or {what for _, what in said}
    if called:
        return _one(called, len(texts))
    ranked = {*_rankings(text)}
    if ranked:
        return _one(ranked, len(texts))
    return _stated(text, texts)


def _stated(text: str, texts: Sequence[str]) -> str | None:
    """Return what a reply states, else compares; a choice counts over a tie or none that comes before it."""
    parts = [part for part in PART.split(_AT_FIRST.sub("", text)) if not _NOT_MEANT.search(part)]
    letters = any(is_line(letter, texts) for letter in LETTERS)
    chosen: list[str] = []
    nothing: str | None = None
    reasoned = _REASONED.match(text)
    if reasoned and not letters and len({*_HEADED.findall(text)}) <= 1 and not _in_texts(_spelled(reasoned[0]), texts):
        chosen.append(reasoned[1])
    for part in parts:
        own = [*_statements(part, _STATED[:-2] if letters else _STATED), *_of_none(part, len(texts))]
        for _, what, words in sorted(own):
            if _in_texts(_spelled(words), texts):
                continue
            if ord(what[0]) >= _FIRST_SIGN:
                chosen, nothing = [*chosen, what], None
            else:
                nothing = what
    if nothing is not None and len(set(chosen)) != 1:
        own_marks = [*_scored(text, len(texts))]
        return _one({nothing, *own_marks}, len(texts))
    if chosen:
        return _one({*chosen} if nothing is None else {*chosen, nothing}, len(texts))
    marks = {*_scored(text, len(texts))}
    if marks:
        return _one(marks, len(texts))
    compared = {
        what for part in parts[-1:] for _, what, words in _statements(part, _COMPARED) if not _in_texts(words, texts)
    }
    out = {card for match in _REJECTED.finditer(text) for card in match.groups() if card}
    left = {chr(_FIRST_SIGN + place) for place in range(len(texts))} - out
    return _one(compared or (left if out else set()), len(texts))


def _one(said: set[str], cards: int) -> str | None:
    if len(said) != 1:
        return None
    what = said.pop()
    if what in ("TIE", "NONE"):
        return what
    place = ord(what[0]) - _FIRST_SIGN
    return LETTERS[place] if 0 <= place < cards else None


def _of_value(word: str) -> str:
    low = word.casefold()
    if len(low) == 1:
        return chr(_FIRST_SIGN + "abcd".index(low))
    return "TIE" if low in ("tie", "draw") else "NONE"


def _spelled(words: str) -> str:
    """Return marked words with letters again."""
    return re.sub(_X, lambda match: "abcd"[ord(match[0]) - _FIRST_SIGN], words)


def _without(line: str, texts: Sequence[str]) -> str:
    """Return a line without the lines and sentences of the texts that it repeats."""
    for repeated in (part.strip() for text in texts for part in PART.split(text)):
        if len(repeated) > LONGEST_WORD:
            line = line.replace(repeated, " ")
    return line


def _in_texts(words: str, texts: Sequence[str]) -> bool:
    bare = words.strip(_SIGNS).casefold()
    return len(bare) > LONGEST_WORD and any(bare in text.casefold() for text in texts)


def is_line(line: str, texts: Sequence[str]) -> bool:
    """Return whether a text has this line or sentence too."""
    bare = line.strip(_SIGNS).casefold()
    return any(bare == other.strip(_SIGNS).casefold() for text in texts for other in PART.split(text))
