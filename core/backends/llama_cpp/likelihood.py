"""How likely continuations of one prompt are: the prompt is evaluated once, the continuations beside each other."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.backends.llama_cpp import errors
from core.backends.llama_cpp.native_model import BATCH, MOST_ASKED, SEQUENCES, Check, NativeModel
from core.backends.llama_cpp.prefix import Other, Prefix
from core.backends.llama_cpp.tokens import Vocabulary
from core.backends.local_model import shared_beginning
from core.backends.protocol import Likelihood


@dataclass
class _Option:
    """The tokens of one continuation, and the sum of their log-probabilities so far."""

    tokens: list[int]
    logprob: float = 0.0


def of_all(
    native: NativeModel,
    vocabulary: Vocabulary,
    prefix: Prefix,
    prompt: str,
    continuations: Sequence[str],
    check: Check,
) -> list[Likelihood]:
    """Σ log P(tokenᵢ | prompt, tokens before it) of each continuation, with natural logarithms.

    Prompt and continuation are split into tokens together, as the text that they make. Where the prompt's last tokens
    would be others with a continuation behind them ("the " + "nurse" is "the" + " nurse" to most models), counting
    begins at the last token that all have in common, so that all continuations are counted from one place.
    An empty prompt stands for the beginning of a text. Raises `AppError` where a whole is longer than the context.
    """
    wholes = [vocabulary.plain(prompt + continuation) for continuation in continuations]
    shared = shared_beginning([vocabulary.plain(prompt), *wholes])
    begun = shared or vocabulary.beginning()
    options = [_Option(whole[len(shared) :]) for whole in wholes]
    longest = len(begun) + max((len(option.tokens) for option in options), default=0)
    if longest > native.size:
        raise errors.too_long(longest, native.size)
    if native.can_go_back:
        _beside_each_other(native, prefix, begun, options, check)
    else:
        for option in options:
            _alone(native, prefix, begun, option, check)
    if any(math.isnan(option.logprob) for option in options):
        raise errors.not_numbers(native.name)
    return [Likelihood(option.logprob, len(option.tokens)) for option in options]


def _beside_each_other(
    native: NativeModel, prefix: Prefix, begun: list[int], options: Sequence[_Option], check: Check
) -> None:
    """Each option is a text of its own behind the shared beginning, whose end is evaluated together with them."""
    for group in _groups([option for option in options if option.tokens], native.size - len(begun)):
        prefix.bring_to(begun, check, leaving=BATCH - MOST_ASKED)
        end = begun[len(prefix) :]
        steps = [
            (option, Other(text, option.tokens[at], len(begun) + at), option.tokens[at + 1])
            for text, option in enumerate(group, start=1)
            for at in range(len(option.tokens) - 1)  # after its last token nothing is asked
        ]
        size = MOST_ASKED - 1
        try:
            for start in range(0, max(1, len(steps)), size):
                batch = steps[start : start + size]
                prefix.end_with(end, [other for _, other, _ in batch], check)
                if end:
                    following = native.logits(len(end) - 1)
                    for option in group:
                        option.logprob += log_probability(following, option.tokens[0])
                for row, (option, _, asked) in enumerate(batch, start=len(end)):
                    option.logprob += log_probability(native.logits(row), asked)
                end = []
        finally:
            for text in range(1, len(group) + 1):
                native.drop(text)


def _groups(options: Sequence[_Option], room: int) -> Iterator[list[_Option]]:
    """As many at a time as there are texts beside the prompt, and as fit into the context together."""
    group: list[_Option] = []
    for option in options:
        taken = sum(len(other.tokens) for other in group)
        if group and (len(group) == SEQUENCES - 1 or taken + len(option.tokens) > room):
            yield group
            group = []
        group.append(option)
    if group:
        yield group


def _alone(native: NativeModel, prefix: Prefix, begun: list[int], option: _Option, check: Check) -> None:
    """For models whose state cannot be shared: the prompt again for every option, and the option token by token."""
    prefix.bring_to(begun, check)
    for number, token in enumerate(option.tokens, start=1):
        option.logprob += log_probability(native.logits(-1), token)
        if number < len(option.tokens):
            check()
            prefix.follow(token)


def log_probability(logits: npt.NDArray[np.float32], token: int) -> float:
    """x_token − log Σ exp(xⱼ)."""
    highest = logits.max()
    return float(logits[token] - highest) - math.log(float(np.exp(logits - highest).sum(dtype=np.float64)))
