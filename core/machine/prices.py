"""What texts from an endpoint cost. The program knows no prices: only the ones that the user typed in count."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.errors import UsageError

MILLION = 1_000_000
CHARACTERS_PER_TOKEN = 4.0
HOW = (
    "A rough count, made before anything is sent: one token for every four Latin characters and one for every other "
    "letter or sign; the model's own count differs, often by a fifth or more. The texts count as if each used all the "
    "tokens it may."
)
_CURRENCY = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True)
class Price:
    """What a million tokens cost, as the endpoint's own price list says. `currency` is a code such as EUR."""

    input_per_million: float
    output_per_million: float
    currency: str

    def __post_init__(self) -> None:
        for amount in (self.input_per_million, self.output_per_million):
            if isinstance(amount, bool) or not isinstance(amount, int | float):
                raise UsageError("A price is not a number.", hint="Give it for a million tokens.")
            if not math.isfinite(amount) or amount < 0:
                raise UsageError(f"{amount} is not a price.", hint="Give it for a million tokens, from 0 up.")
        if not isinstance(self.currency, str) or not _CURRENCY.fullmatch(self.currency):
            raise UsageError("The currency is not a code.", hint="Give three capital letters, such as EUR or USD.")


@dataclass(frozen=True)
class Cost:
    """An amount of money. `counted` is how many texts it covers: one whose usage was not reported is in no amount."""

    amount: float
    currency: str
    counted: int
    uncounted: int


def cost(usages: Iterable[Mapping[str, int]], price: Price) -> Cost:
    """What counted usage costs: Σ prompt tokens × input price + Σ completion tokens × output price, by the million.

    `usages` are those of completions ("prompt" and "completion" in tokens). Tokens that the endpoint served from a
    cache are charged as the others, so the amount may be too high and is never too low for that reason.
    """
    tokens_in = tokens_out = counted = uncounted = 0
    for usage in usages:
        if "prompt" not in usage or "completion" not in usage:
            uncounted += 1
            continue
        counted += 1
        tokens_in += usage["prompt"]
        tokens_out += usage["completion"]
    return Cost(_amount(tokens_in, tokens_out, price), price.currency, counted, uncounted)


@dataclass(frozen=True)
class Estimate:
    """What a run may use and cost, before it is begun. None with a `reason` where nothing can be said.

    `completion_tokens` and `amount` are the most that the token limit allows; `how` says how it was counted.
    """

    prompt_tokens: int
    completion_tokens: int | None
    amount: float | None
    currency: str
    reason: str
    how: str = HOW


def estimate(prompts: Iterable[str], max_tokens: int | None, price: Price | None) -> Estimate:
    """How many tokens the prompts have, about, and what they cost at most, at `max_tokens` a text."""
    counts = [rough_tokens(prompt) for prompt in prompts]
    currency = price.currency if price else ""
    if max_tokens is None:
        reason = "There is no limit on the tokens of a text, so neither they nor the cost can be told."
        return Estimate(sum(counts), None, None, currency, reason)
    most = len(counts) * max_tokens
    if price is None:
        return Estimate(sum(counts), most, None, "", "The endpoint has no price for this model; fill in its own.")
    return Estimate(sum(counts), most, _amount(sum(counts), most, price), currency, "")


def rough_tokens(text: str) -> int:
    """About how many tokens a text has: Latin characters / 4, and one for each other character, rounded up.

    Tokenisers differ, and this is none. The extra token or so that a chat template adds per text is not in it.
    """
    latin = sum(1 for character in text if character < "\u0250")
    return math.ceil(latin / CHARACTERS_PER_TOKEN + (len(text) - latin))


def _amount(tokens_in: int, tokens_out: int, price: Price) -> float:
    return (tokens_in * price.input_per_million + tokens_out * price.output_per_million) / MILLION
