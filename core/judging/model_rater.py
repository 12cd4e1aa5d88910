"""Judging by a model: its prompt, and the parser of its reply.

The texts are between fences that no text can close. A reply says one of the fixed answers or is unreadable; nothing is
guessed.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from biasprint.core.backends.reasoning import has_reasoning_end, split_reasoning
from biasprint.core.judging.blind import RatingCriterion
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.scorers.refusal import is_refusal

# ---- The prompt

LETTERS = "ABC"
CODE_LENGTH = 6  # letters, in few tokens: no text of the request has them
LONGEST_TITLE = 200


@dataclass(frozen=True)
class JudgingWords:
    """The words of resources/prompts/judging.toml. `control`: expressions for what chat templates put around
    messages.
    """

    version: int
    reply_tokens: int
    instruction: str
    criterion: str
    text: str
    question: str
    control: tuple[str, ...]


@cache
def judging_words() -> JudgingWords:
    return validated(JudgingWords, read_toml(packaged("prompts", "judging.toml")), "The judging prompt judging.toml")


@cache
def words_sha256() -> str:
    """Return the hash of the wording, so that judgments made with an edited one belong to another rater."""
    return hashlib.sha256(repr(judging_words()).encode()).hexdigest()


@dataclass(frozen=True)
class JudgingPrompt:
    """A prompt to judge. `code`: the text of the fences. `broken`: the control signs of chat templates broken up in
    them.
    """

    text: str
    code: str
    broken: int


def judging_prompt(title: str, criteria: Sequence[RatingCriterion], texts: Sequence[str], salt: str) -> JudgingPrompt:
    """Return the prompt for `texts` in the order of the cards; two or three.

    `salt`: what this request has of its own, such as its seed. The same arguments give the same prompt, so that a
    resumed session equals an uninterrupted one.
    """
    words = judging_words()
    code = fence_code(texts, salt)
    shown = [_harmless(text) for text in texts]
    letters = LETTERS[: len(texts)]
    named = f"{', '.join(letters[:-1])} or {letters[-1]}"
    asked = words.instruction.strip("\n").format(
        count=len(texts),
        letters=named,
        title=_one_line(title),
        criteria="\n".join(
            words.criterion.format(name=criterion.name, explanation=criterion.explanation) for criterion in criteria
        ),
        code=code,
    )
    fenced = [
        words.text.format(letter=letter, code=code, text=text) for letter, (text, _) in zip(letters, shown, strict=True)
    ]
    whole = "\n".join([asked, *fenced, words.question.format(letters=named, code=code)])
    return JudgingPrompt(whole, code, sum(broken for _, broken in shown))


def fence_code(texts: Sequence[str], salt: str) -> str:
    """Return a code that occurs in none of the texts, the same in whatever order they come.

    It is a hash over the texts themselves: whoever writes one would have to find a text that contains its own hash.
    Should it occur in one all the same, the next is taken.
    """
    attempt = 0
    while True:
        joined = "\x1f".join([salt, str(attempt), *sorted(texts)]).encode("utf-8", "surrogatepass")
        code = in_letters(hashlib.sha256(joined).hexdigest())
        if not any(code in text for text in texts):
            return code
        attempt += 1


def in_letters(digest: str) -> str:
    """Return the last digits of a hash (hex) in base 26, as small letters."""
    number, code = int(digest, 16), ""
    for _ in range(CODE_LENGTH):
        number, digit = divmod(number, 26)
        code = chr(ord("a") + digit) + code
    return code


def card_orders(cards: int, *, mirrored: bool = False) -> tuple[tuple[int, ...], ...]:
    """Return the orders in which a model is asked: each card comes once in each place. Two: both; three: all
    rotations.
    """
    first = tuple(reversed(range(cards))) if mirrored else tuple(range(cards))
    return tuple(first[turn:] + first[:turn] for turn in range(cards))


@cache
def _control() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in judging_words().control), re.IGNORECASE)


def _harmless(text: str) -> tuple[str, int]:
    """Return the text with a blank after the first sign of everything that a chat template would take for its own."""
    return _control().subn(lambda match: f"{match[0][0]} {match[0][1:]}", text)


def _one_line(title: str) -> str:
    return " ".join(title.split())[:LONGEST_TITLE]


def answers_to(cards: int) -> tuple[str, ...]:
    """Return the answers that a prompt with so many cards asks for."""
    return (*LETTERS[:cards], "TIE", "NONE")


# ---- The reply

ReadAs = Literal["choice", "tie", "none", "refused", "unreadable", "failed"]
READ_AS: tuple[ReadAs, ...] = get_args(ReadAs)
# Signs that models put around an answer: “**B**”, “\boxed{B}”, “$B$”, “[[B]]”, “<answer>B</answer>”, {"answer": "B"}.
_WRAPPED = re.compile(
    r"\\(?:boxed|text|textbf|mathbf|mathrm|fbox)\s*\{\s*([^{}]{1,40}?)\s*\}|\$+\s*([^$\n]{1,40}?)\s*\$+|"
    r"\\[(\[]\s*([^\n]{1,40}?)\s*\\[)\]]|\[\[\s*([^\[\]\n]{1,20}?)\s*\]\]|"
    r"<(?:answer|choice|verdict|final|output)>\s*([^<>]{1,40}?)\s*</\w+>|"
    r"\{\s*\"(?:answer|choice|verdict|winner|best|text|judgment)\"\s*:\s*\"([^\"\n]{1,20})\"\s*\}|```(?:\w{0,8}\n)?|`",
    re.IGNORECASE,
)
_AROUND = r"[\s*_`\"'“”‘’(\[]*"
_CARD = r"(?:(?:text|option|card|response|poem|haiku|story|song|letter|article|version|candidate)\s+)?"
# The whole reply, or its first or last line: "B", "**B**", "Answer: B.", "Text B".
_ANSWER = re.compile(
    rf"{_AROUND}(?:(?:(?:my|the|final|best|better)\s+)*(?:answer|choice|text|verdict|winner|judgment)\s*(?::|is){_AROUND})?"
    rf"{_CARD}(?P<word>[A-C]|tie|none)[\s*_`\"'“”‘’)\].!]*",
    re.IGNORECASE,
)
# A sentence that says which; the letter is a capital there, and no other follows it. Also “B, because …”.
_NO_OTHER = r"(?!\s*(?:or|and|/|&|,)\s*(?:text\s+)?[A-C]\b)"
_SAID = re.compile(
    rf"(?i:\bi(?:\s+(?:would|will|have|must)|['’](?:d|ll|ve))?\s+(?:choose|chose|pick|prefer|select|selected|vote\s+for|go\s+with|"
    rf"say|answer|favou?r)|\b(?:(?:my|the|final)\s+)+(?:answer|choice|verdict|pick|preference|selection|judge?ment|vote|winner)\s*(?:is|:)|"
    rf"\b(?:better|best|stronger|strongest|winning|superior|preferred)\s+(?:text|one|poem|haiku|story|song|option|piece|letter|"
    rf"article|response)(?:\s+(?:here|overall))?\s+is|\b(?:winner|verdict|answer|choice|final|best)\"?\s*[:–—-]|\b(?:so|thus|therefore|hence),?(?=\s+\S{{1,8}}\s*[.!]?\s*$))(?i:{_AROUND}{_CARD}{_AROUND})"
    rf"(?P<word>[A-C]\b|TIE\b|NONE\b){_NO_OTHER}"
)
_PRAISED = re.compile(
    rf"(?i:\b{_CARD})(?P<word>[A-C])[*_`\"'”]*(?i:\s+(?:is|wins?|meets\s+the\s+criteria|fits\s+the\s+criteria)\s+"
    r"(?:(?:clearly|slightly|overall|the|by\s+far|a\s+bit|much|somewhat)\s+)*(?:better|best|stronger|strongest|superior|winner|"
    r"preferred|winning|more\s+\w+\s+(?:text|one))|\s+wins)\b"
)
_REASONED = re.compile(
    rf"^{_AROUND}(?i:{_CARD})(?P<word>[A-C])[*_`\"'”’)\]]*\s*(?:[.:–—-]+|,?\s+(?i:because|since|as)\b)\s+\S"
)
_LABEL = re.compile(rf"^{_AROUND}(?i:{_CARD})([A-C])[*_`\"'”’)\]]*[\s.:–—-]", re.MULTILINE)
_TIE = re.compile(
    r"\b(?:it|this)(?:['’]s|\s+is)\s+an?\s+(?:tie|draw)\b|\bcall\s+it\s+an?\s+(?:tie|draw)\b|"
    r"\b(?:both|they|(?:the\s+)?(?:two\s+)?texts|a\s+and\s+b|all\s+three)\b[^.\n]{0,40}\bare\s+(?:\w+ly\s+)?equal(?:ly)?\b|"
    r"\b(?:can(?:not|['’]t)|unable\s+to)\s+tell\s+(?:them|the\s+\w+)\s+apart\b",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"\s*(?P<word>[A-C])\s*>\s*[A-C](?:\s*>\s*[A-C])?\s*")
_NONE_OF = re.compile(r"\W*none of (?:them|these|the (?:two|three|texts))\b", re.IGNORECASE)
LONGEST_ANSWER = 100  # characters, with the signs and blanks around it
_PART = re.compile(r"\n|(?<=[.!?])\s+")  # between lines and sentences
_SIGNS = " \t\r*_`\"'“”‘’()[].!?"
MOST_WRAPS = 4
LONGEST_READ = 20_000  # of a reply in sentences
LONGEST_WORD = 4  # of the answers: they occur in many texts by chance


@dataclass(frozen=True)
class ParsedReply:
    """A parsed reply. `card`: the place of the card that was chosen, with "choice" alone."""

    as_: ReadAs
    card: int | None = None


def read_reply(reply: str, texts: Sequence[str], *, whole: bool = True) -> ParsedReply:
    """Read a reply about the cards `texts`. `whole`: it was not cut off at the token limit.

    An answer is the whole reply, its first or last line, or a sentence that says which (“I choose B”); all that a
    reply has must agree. A letter within another sentence is none. What occurs in one of the texts, other than as a
    bare word of a whole reply, is not taken: a reply may echo a text that wants to be taken for an answer. For the
    same reason reasoning that was never opened ends at its end tag only where no text has one.
    """
    answer, _ = split_reasoning(reply, unopened=not any(has_reasoning_end(text) for text in texts))
    echoed = any(_echoes(candidate.strip(), text) for candidate in (reply, answer) for text in texts)
    words = _answers(answer, texts) if whole and not echoed else set()
    if len(words) == 1:
        return _parsed(words.pop(), len(texts))
    return ParsedReply("refused" if not echoed and is_refusal(answer) else "unreadable")


def _parsed(word: str, cards: int) -> ParsedReply:
    if word == "TIE":
        return ParsedReply("tie")
    if word == "NONE":
        return ParsedReply("none")
    card = LETTERS.index(word)
    return ParsedReply("choice", card) if card < cards else ParsedReply("unreadable")


def _answers(answer: str, texts: Sequence[str]) -> set[str]:
    """Return the answers in a reply: one where it can be read."""
    if len(answer) > LONGEST_READ:
        return set()
    bare = _unwrapped(answer)
    match = _ANSWER.fullmatch(bare) if len(bare) <= LONGEST_ANSWER else None
    if match is not None:
        return {match["word"].upper()}
    lines = [line.strip() for line in bare.strip().splitlines() if line.strip()]
    by_line = lines[:1] + lines[-1:] if "===" not in bare else []  # else a fence is echoed
    by_line += _PART.split(bare.strip())[-1:] if by_line else []
    own = [line for line in by_line if len(line) <= LONGEST_ANSWER and not _is_line(line, texts)]
    ends = [match for line in own if (match := _ANSWER.fullmatch(line))]
    said = [*_SAID.finditer(bare), *_PRAISED.finditer(bare)]
    if len(set(_LABEL.findall(bare))) < 2 and (reasoned := _REASONED.match(bare)):
        said.append(reasoned)
    folded = [text.casefold() for text in texts]
    said = [match for match in said if not any(match[0].strip().casefold() in text for text in folded)]
    words = {match["word"].upper() for match in (*ends, *said)}
    if not words and (order := _ORDERED.fullmatch(bare)):
        return {order["word"].upper()}
    if not words and _NONE_OF.match(bare):
        return {"NONE"}
    if not words and (tie := _TIE.search(bare)) and not any(tie[0].casefold() in text for text in folded):
        return {"TIE"}
    return words


def _unwrapped(answer: str) -> str:
    """Return the reply without what is put around an answer; one may be put into another."""
    for _ in range(MOST_WRAPS):
        bare = _WRAPPED.sub(lambda match: next(filter(None, match.groups()), ""), answer)
        if bare == answer:
            break
        answer = bare
    return answer


def _is_line(line: str, texts: Sequence[str]) -> bool:
    """Return whether a text has this line or sentence too."""
    bare = line.strip(_SIGNS).casefold()
    return any(bare == other.strip(_SIGNS).casefold() for text in texts for other in _PART.split(text))


def _echoes(answer: str, text: str) -> bool:
    return answer == text.strip() or (len(answer) > LONGEST_WORD and answer in text)
