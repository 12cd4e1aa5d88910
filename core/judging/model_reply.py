"""How a model's reply is read: as one of the fixed answers, or not at all. Nothing is guessed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.judging.model_prompt import LETTERS
from core.scorers.refusal import is_refusal

ReadAs = Literal["choice", "tie", "none", "refused", "unreadable", "failed"]
READ_AS: tuple[ReadAs, ...] = get_args(ReadAs)
# The whole reply, with at most the signs that models put around one word: "B", "**B**", "Answer: B.", "Text B".
_ANSWER = re.compile(
    r"[\s*_`\"'“”‘’(\[]*(?:(?:(?:my|the|final)\s+)?(?:answer|choice)\s*(?::|is)[\s*_`\"'“”‘’(\[]*)?(?:text\s+)?"
    r"(?P<word>[A-C]|tie|none)[\s*_`\"'“”‘’)\].!]*",
    re.IGNORECASE,
)
# What models that reason write before their answer. The answer is what follows the last end of it.
_REASONING = re.compile(r"\s*<(think|thinking|reasoning)>.*</\1>", re.DOTALL | re.IGNORECASE)
LONGEST_ANSWER = 100  # characters, with the signs and blanks around it
LONGEST_WORD = 4  # of the answers: they stand in many a text by chance


@dataclass(frozen=True)
class Read:
    """`card`: the place of the card that was chosen, with "choice" alone."""

    as_: ReadAs
    card: int | None = None


def read_reply(reply: str, texts: Sequence[str], *, whole: bool = True) -> Read:
    """What a reply says of the cards `texts`. `whole`: it ended by itself and was not cut off.

    Only a reply that is an answer from its first sign to its last is one: a letter within a sentence may come from a
    text that is echoed. An answer that stands in one of the texts, other than as a bare word, is not taken either.
    """
    reasoned = _REASONING.match(reply)
    answer = reply[reasoned.end() :] if reasoned else reply
    found = _ANSWER.fullmatch(answer) if len(answer) <= LONGEST_ANSWER else None
    echoed = any(_echoes(said.strip(), text) for said in (reply, answer) for text in texts)
    if found is not None and whole and not echoed:
        word = found["word"].upper()
        if word == "TIE":
            return Read("tie")
        if word == "NONE":
            return Read("none")
        card = LETTERS.index(word)
        return Read("choice", card) if card < len(texts) else Read("unreadable")
    return Read("refused" if not echoed and is_refusal(answer) else "unreadable")


def _echoes(said: str, text: str) -> bool:
    return said == text.strip() or (len(said) > LONGEST_WORD and said in text)
