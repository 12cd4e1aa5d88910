"""The endpoints that this computer knows: addresses, limits and prices, in one JSON file. Never a key.

The program knows no prices: only the ones that the user typed in count.
"""

import ipaddress
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import MISFIT
from biasprint.core.machine import keys, storage
from biasprint.core.machine.storage import home

# ---- Prices

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
    """The price of a million tokens by the endpoint's own price list. `currency` is a code such as EUR."""

    input_per_million: float
    output_per_million: float
    currency: str

    def __post_init__(self) -> None:
        for amount in (self.input_per_million, self.output_per_million):
            if isinstance(amount, bool) or not isinstance(amount, int | float):
                raise UsageError("A price is not a number.", hint="Give it for a million tokens.")
            if not 0 <= amount < math.inf:
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
    """Return the cost of counted usage: Σ prompt tokens × input price + Σ completion tokens × output price, by the
    million.

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
    """An estimate of a run's tokens and cost, before it is begun. None with a `reason` where nothing can be said.

    `completion_tokens` and `amount` are the most that the token limit allows; `how` says how it was counted.
    """

    prompt_tokens: int
    completion_tokens: int | None
    amount: float | None
    currency: str
    reason: str
    how: str = HOW


def estimate(prompts: Iterable[str], max_tokens: int | None, price: Price | None) -> Estimate:
    """Return how many tokens the prompts have, about, and what they cost at most, at `max_tokens` a text."""
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
    """Estimate the number of tokens in a text: Latin characters / 4, and one for each other character, rounded up.

    Tokenisers differ, and this is none. The extra token or so that a chat template adds per text is not in it.
    """
    latin = sum(1 for character in text if character < "\u0250")
    return math.ceil(latin / CHARACTERS_PER_TOKEN + (len(text) - latin))


def _amount(tokens_in: int, tokens_out: int, price: Price) -> float:
    return (tokens_in * price.input_per_million + tokens_out * price.output_per_million) / MILLION


# ---- Endpoints

FILE = "endpoints.json"
LONGEST_NAME = 60
MOST_CONCURRENT = 256
LONGEST_DEADLINE = 3600.0
MOST_RETRIES = 10
MOST_ADDRESSES = 64
_VERSION = re.compile(r"api-version=[\w.-]{1,40}")
_NEXT = re.compile(r"\s+(?=https?://)", re.I)
# People paste the address from a page of documentation, where it often ends in the call itself.
_CALLS = ("/chat/completions", "/completions", "/responses", "/models", "/api/chat", "/api/generate", "/api/tags")


@dataclass(frozen=True)
class Address:
    """One server of an endpoint: where it is, and how many requests at once it takes."""

    base_url: str
    concurrency: int = 8

    def __post_init__(self) -> None:
        _within("concurrency", self.concurrency, 1, MOST_CONCURRENT, whole=True)
        object.__setattr__(self, "base_url", checked_address(self.base_url))


@dataclass(frozen=True)
class Endpoint:
    """The address of an OpenAI-compatible server and the settings for its requests.

    `deadline_seconds` is for one text in all, its retries included; `retries` is how often a request is sent again.
    `plain_http_confirmed`: the user knows that texts and key go unencrypted to another computer. `prices` by model.
    `others`: further servers of the same models, among which requests are shared out.
    """

    name: str
    base_url: str
    concurrency: int = 8
    deadline_seconds: float = 120.0
    retries: int = 4
    plain_http_confirmed: bool = False
    prices: Mapping[str, Price] = field(default_factory=dict)
    others: tuple[Address, ...] = ()

    def __post_init__(self) -> None:
        if (
            not self.name
            or len(self.name) > LONGEST_NAME
            or not self.name.isprintable()
            or self.name != self.name.strip()
        ):
            raise UsageError(
                "An endpoint needs a short name.", hint=f"Give up to {LONGEST_NAME} letters on one line, such as “lab”."
            )
        _within("concurrency", self.concurrency, 1, MOST_CONCURRENT, whole=True)
        _within("deadline_seconds", self.deadline_seconds, 0.05, LONGEST_DEADLINE)
        _within("retries", self.retries, 0, MOST_RETRIES, whole=True)
        object.__setattr__(self, "base_url", checked_address(self.base_url))
        _require_distinct(self.addresses)

    @property
    def origin(self) -> tuple[str, str, int]:
        """The scheme, host and port."""
        return origin(self.base_url)

    @property
    def addresses(self) -> tuple[Address, ...]:
        """All of its servers, at least one."""
        return (Address(self.base_url, self.concurrency), *self.others)

    @property
    def at_once(self) -> int:
        """The number of requests at once that its servers take together."""
        return sum(address.concurrency for address in self.addresses)

    def at(self, address: Address) -> "Endpoint":
        """Return the endpoint with this as its only server."""
        return replace(self, base_url=address.base_url, concurrency=address.concurrency, others=())

    def require_safe(self) -> None:
        """Raise `AppError` where plain http would leave this computer without having been confirmed."""
        for address in self.addresses:
            scheme, host, _ = origin(address.base_url)
            if scheme == "http" and not is_loopback(host) and not self.plain_http_confirmed:
                raise AppError(
                    f"The endpoint “{self.name}” is reached over plain http, which others on the way can read.",
                    hint="Use its https address, or confirm plain http on the endpoint if the network is yours.",
                )


def endpoint_of(name: str, urls: Sequence[str], limits: Sequence[int] = (), **options: Any) -> Endpoint:
    """Return an endpoint with a server at each of these addresses, at least one.

    `limits`: requests at once, one for all addresses or one for each in their order. Raises `UsageError` for another
    number of them, for an address that is none, and for one that is given twice.
    """
    if len(limits) not in (0, 1, len(urls)):
        raise UsageError(
            f"{len(limits)} limits were given for {len(urls)} address{'es' if len(urls) > 1 else ''}.",
            hint="Give one limit for all addresses, or one for each in their order.",
        )
    each = limits if len(limits) == len(urls) else [*limits] * len(urls)
    first, *others = [Address(url, *each[place : place + 1]) for place, url in enumerate(urls)]
    return Endpoint(name, first.base_url, concurrency=first.concurrency, others=tuple(others), **options)


def _require_distinct(addresses: Sequence[Address]) -> None:
    if len(addresses) > MOST_ADDRESSES:
        raise UsageError(f"An endpoint has at most {MOST_ADDRESSES} addresses.", hint="Keep the others as another one.")
    seen: set[tuple[object, str]] = set()
    for address in addresses:
        same = (origin(address.base_url), urlsplit(address.base_url).path)
        if same in seen:
            raise UsageError(
                f"The endpoint has the address {address.base_url} twice.",
                hint="Give each server once; its limit says how many requests at once it takes.",
            )
        seen.add(same)


def checked_address(address: str) -> str:
    """Return the base URL in one spelling, without a slash at its end.

    `UsageError` where it is no http or https address, or carries a password, a question mark part or a fragment: a key
    may hide there, and addresses are stored with results.
    """
    wrong = UsageError(
        "That is not the address of an endpoint.", hint="It looks like https://host/v1 or http://127.0.0.1:8080/v1."
    )
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not host or not host.isprintable() or " " in host or "\\" in address:
        raise wrong
    version = _VERSION.fullmatch(parts.query)  # Azure's addresses name one
    if parts.username or parts.password or (parts.query and not version) or parts.fragment:
        raise UsageError(
            "The address of an endpoint holds more than an address.",
            hint="Leave out user name, password and whatever follows “?” or “#”; the key has its own field.",
        )
    path = parts.path.rstrip("/")
    for call in _CALLS:
        path = path.removesuffix(call)
    at = f"[{host}]" if ":" in host else host
    return urlunsplit((parts.scheme, at if port is None else f"{at}:{port}", path, parts.query, ""))


def addresses_in(text: str) -> list[str]:
    """Return the addresses in a text that has blanks or lines between them, unchecked; the text itself where it has
    one.
    """
    return _NEXT.split(text.strip())


def origin(address: str) -> tuple[str, str, int]:
    """Return the scheme, host and port of a checked address."""
    parts = urlsplit(address)
    return parts.scheme, parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def is_loopback(host: str) -> bool:
    """Return whether a host is this computer: “localhost” or a loopback address; no name is looked up."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def endpoints() -> list[Endpoint]:
    """Return all stored endpoints, by name. `AppError` where the file cannot be read; it is left as it is."""
    return _read(storage.read(FILE))


def endpoint(name: str) -> Endpoint:
    """Return the one of that name; `UsageError` where there is none."""
    known = {candidate.name: candidate for candidate in endpoints()}
    if name not in known:
        hint = f"There are: {', '.join(known)}." if known else "Add it under Models, or give its address as base_url."
        raise UsageError(f"There is no endpoint “{name}”.", hint=hint)
    return known[name]


def save(wanted: Endpoint) -> None:
    """Keep an endpoint, in place of the one of the same name; own keys of addresses that it had are forgotten."""
    with storage.change(FILE) as data:
        before = _read(data)
        data |= _written([*(saved for saved in before if saved.name != wanted.name), wanted])
    now = {address.base_url for address in wanted.addresses}
    for saved in before:
        if saved.name == wanted.name and saved.others:
            keys.forget_own(
                saved.name, [address.base_url for address in saved.addresses if address.base_url not in now]
            )


def remove(name: str) -> None:
    """Forget an endpoint; its key is forgotten by `keys.forget`."""
    with storage.change(FILE) as data:
        data |= _written([entry for entry in _read(data) if entry.name != name])


def _within(name: str, value: float, low: float, high: float, whole: bool = False) -> None:
    number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise UsageError(f"{name} cannot be {value}.", hint=f"Choose a number from {low:g} to {high:g}.")


def _read(data: Mapping[str, Any]) -> list[Endpoint]:
    try:
        return sorted((_endpoint(entry) for entry in data.get("endpoints", [])), key=_name)
    except (AppError, *MISFIT) as error:
        raise AppError(
            "The list of endpoints cannot be read.",
            kept="Nothing was changed, and keys are kept elsewhere.",
            hint=f"Put the file {home() / FILE} right, or delete it and add the endpoints again.",
            details=repr(error),
        ) from None


def _endpoint(entry: Any) -> Endpoint:
    values = dict(entry)
    prices = {model: Price(**price) for model, price in dict(values.pop("prices", {})).items()}
    # Only the word itself: whatever else is in the file does not confirm anything.
    confirmed = values.pop("plain_http_confirmed", False) is True
    others = tuple(Address(**other) for other in values.pop("others", ()))
    return Endpoint(**values, plain_http_confirmed=confirmed, prices=prices, others=others)


def _written(every: list[Endpoint]) -> dict[str, Any]:
    entries = [asdict(entry) for entry in sorted(every, key=_name)]
    # Without further addresses the file stays one that earlier versions read.
    return {"endpoints": [{name: of for name, of in entry.items() if name != "others" or of} for entry in entries]}


def _name(endpoint: Endpoint) -> str:
    return endpoint.name
