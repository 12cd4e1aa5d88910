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

from biasprint.core.backends.protocol import has_reasoning_end, split_reasoning
from biasprint.core.judging.blind import RatingCriterion
from biasprint.core.judging.verdict import LETTERS, LONGEST_ANSWER, LONGEST_WORD, PART, is_line, verdict
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.scorers.refusal import is_refusal

# ---- The prompt

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
    shown = [harmless(text) for text in texts]
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


def harmless(text: str) -> tuple[str, int]:
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
_LISTED = re.compile(r"\W*\d+[.)]\s")
MOST_WRAPS = 4
LONGEST_READ = 20_000  # of a reply in sentences


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
    word = _answer(answer, texts) if whole and not echoed else None
    if word is not None:
        return _parsed(word, len(texts))
    return ParsedReply("refused" if not echoed and is_refusal(answer) else "unreadable")


def _parsed(word: str, cards: int) -> ParsedReply:
    if word == "TIE":
        return ParsedReply("tie")
    if word == "NONE":
        return ParsedReply("none")
    card = LETTERS.index(word)
    return ParsedReply("choice", card) if card < cards else ParsedReply("unreadable")


def _answer(answer: str, texts: Sequence[str]) -> str | None:
    """Return the answer in a reply; None where it cannot be read."""
    if len(answer) > LONGEST_READ:
        return None
    bare = _unwrapped(answer)
    match = _ANSWER.fullmatch(bare) if len(bare) <= LONGEST_ANSWER else None
    if match is not None:
        return match["word"].upper()
    lines = [line.strip() for line in bare.splitlines() if line.strip()]
    if "===" in bare or not lines:  # a fence is echoed
        return None
    alone = {line: match["word"].upper() for line in lines if (match := _alone(line, texts))}
    by_line = (
        {alone[line] for line in (lines[0], lines[-1]) if line in alone} if len(set(alone.values())) == 1 else set()
    )
    said = verdict(bare, texts)
    if said is None and not by_line:
        last = None if _LISTED.match(lines[-1]) else _alone(PART.split(lines[-1])[-1], texts)
        return last["word"].upper() if last else None
    words = by_line | ({said} if said else set())
    return words.pop() if len(words) == 1 else None


def _alone(line: str, texts: Sequence[str]) -> re.Match[str] | None:
    """Return the answer that a line is and nothing else; None where a text has this line too."""
    return None if len(line) > LONGEST_ANSWER or is_line(line, texts) else _ANSWER.fullmatch(line)


def _unwrapped(answer: str) -> str:
    """Return the reply without what is put around an answer; one may be put into another."""
    for _ in range(MOST_WRAPS):
        bare = _WRAPPED.sub(lambda match: next(filter(None, match.groups()), ""), answer)
        if bare == answer:
            break
        answer = bare
    return answer


def _echoes(answer: str, text: str) -> bool:
    return answer == text.strip() or (len(answer) > LONGEST_WORD and answer in text)
