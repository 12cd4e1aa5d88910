"""Failures of one request (kind, sentence, whether to ask again), and the layer that asks again."""

import asyncio
import math
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from biasprint.core.backends.openai_compatible.quirks import NO_SUCH_CALL, error_in
from biasprint.core.backends.protocol import Failure
from biasprint.core.machine.offline import NoConnection

# ---- Failures

FILTERED = "The endpoint's own filter held the text back."
LONGEST_QUOTE = 200
_KEY_WINDOW = 8
_CONTEXT = re.compile(
    r"context.{0,12}(length|size|window)|exceed.{0,40}context|maximum context|prompt is too long|too many tokens|"
    r"exceeds the maximum number of tokens",
    re.I,
)
_MODEL = re.compile(
    r"model.{0,120}(not found|does ?n[o']t exist|unknown|not available|no such|(is|are) not supported)|"
    r"(unknown|invalid|no such) model|(not find|find no|no) model|^model: ",
    re.I | re.S,
)


_BAD_KEY = re.compile(r"\bAPI.?key (not valid|expired|not found|invalid)", re.I)
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient (credit|balance|funds)|(no|out of|not enough) (credit|balance)|"
    r"credit balance is too low|billing_(hard_limit|not_active)|exceeded your current quota",
    re.I,
)


# Codes and words of a filter that holds a prompt or a text back, whatever the status.
_FILTER_CODE = re.compile(
    r"content[_-]?filter|content[_-]policy|responsibleaipolicy|data_?inspection_?failed|moderation|"
    r"(content|prompt|safety)_(blocked|violation)|prohibited_content|guardrail|policy_violation|\bsafety\b",
    re.I,
)
_FILTER = re.compile(
    r"content management policy|(content|usage|safety) polic(y|ies)|content exists risk|inappropriate content|"
    r"requires moderation|"
    r"\b(prompt|input|content|message|text|response|output|completion)s?\b.{0,60}\b(flagged|filtered|blocked)\b|"
    r"\b(rejected|blocked|filtered|stopped|refused|flagged)\b.{0,40}\b(safety|content|moderation|filter|guardrail)",
    re.I | re.S,
)
# What is said of a parameter or of an account is no refusal of what the prompt asks for.
_OF_SOMETHING_ELSE = re.compile(
    r"parameter|unsupported|unrecogni[sz]ed|unknown (field|argument)|not permitted|invalid[_ ](value|type)|argument|"
    r"\b(account|api.?key|key|organi[sz]ation|project|region|country|credit|quota)\b",
    re.I,
)


class Trouble(Exception):
    """One try failed. `retry`: another may succeed; `wait` is how many seconds the server asked to wait for.

    `away`: nobody answered at all. `elsewhere`: nothing there answers such calls. `asked` is what the server said about
    the request, for finding out which parameter it refuses; it is shown only through `quoted`, which keeps the key out.
    """

    def __init__(
        self,
        failure: Failure,
        sentence: str,
        *,
        retry: bool = False,
        wait: float | None = None,
        asked: str = "",
        away: bool = False,
        elsewhere: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.failure = failure
        self.sentence = sentence
        self.retry = retry
        self.wait = wait
        self.asked = asked
        self.away = away
        self.elsewhere = elsewhere


@dataclass(frozen=True)
class Said:
    """Contents of a server's error reply."""

    message: str = ""
    code: str = ""
    parameter: str = ""

    @property
    def whole(self) -> str:
        return f"{self.message} {self.code} {self.parameter}"


def said(body: Any) -> Said:
    """The error in a reply's body, as servers write it: `{"error": {…}}`, `{"error": "…"}`, `{"detail": …}`."""
    error = error_in(body)
    if isinstance(error, str):
        return Said(error)
    if not isinstance(error, Mapping):
        return Said()
    message = error.get("message") or error.get("detail") or error.get("msg") or ""
    kinds = [str(error[name]) for name in ("code", "type") if isinstance(error.get(name), str | int)]
    return Said(str(message), " ".join(kinds), str(error.get("param") or ""))


def of_status(status: int, heard: Said, *, wait: float | None, key: str | None) -> Trouble:
    """Return the trouble that a reply with this status means. 429 and 5xx may be asked again, nothing else."""
    quote = quoted(heard.message, key)
    if 300 <= status < 400:
        return redirected()
    if 400 <= status < 500 and status not in (401, 429) and of_filter(heard):
        return refusal(FILTERED if status == 403 else f"{FILTERED}{quote}")
    if status == 400 and _BAD_KEY.search(heard.message):  # as Gemini's interface says it
        return Trouble("key", _KEY_SENTENCE[401].replace("401", "400") if key else _NO_KEY)
    # Gemini's says the same of a minute's quota, with the time to wait.
    soon = status == 429 and wait is not None and "insufficient_quota" not in heard.code
    if status == 402 or (status in (400, 403, 429) and not soon and _NO_CREDIT.search(heard.whole)):
        return Trouble("credit", f"The account at the endpoint has no credit left ({status}).{quote}")
    if status in (401, 403):
        # What the server says here often holds the key, so none of it is shown.
        return Trouble("key", _KEY_SENTENCE[status] if key else _NO_KEY)
    if status in (400, 413, 422, 500) and _CONTEXT.search(heard.whole):
        return Trouble("context", f"The prompt is longer than the model's context.{quote}")
    if status in (400, 404, 422) and ("model_not_found" in heard.code or _MODEL.search(heard.message)):
        return Trouble("model", f"The endpoint does not know this model.{quote}")
    if status == 404:
        sentence = f"There is nothing to ask at this address; many end in /v1 (404).{quote}"
        return Trouble("rejected", sentence, elsewhere=True)
    if status == 429:
        return Trouble(
            "rate_limit", f"The endpoint takes no more requests for now (429).{quote}", retry=True, wait=wait
        )
    if status >= 500:
        return Trouble("server", f"The endpoint failed ({status}).{quote}", retry=True, wait=wait)
    return Trouble("rejected", f"The endpoint did not accept the request ({status}).{quote}", asked=heard.whole)


def of_filter(heard: Said) -> bool:
    """Return whether a filter said this of a prompt or a text; not where a parameter or an account was meant."""
    if _OF_SOMETHING_ELSE.search(f"{heard.message} {heard.code}"):
        return False
    return bool(_FILTER_CODE.search(heard.code) or _FILTER.search(heard.message))


def refusal(sentence: str) -> Trouble:
    return Trouble("refusal", sentence)


_KEY_SENTENCE = {
    401: "The endpoint did not accept the key (401).",
    403: "The key has no right to this (403).",
}
_NO_KEY = "The endpoint asks for a key, and none is kept for it."


def of_stream(heard: Said, *, key: str | None) -> Trouble:
    """An error that came inside a stream, where there is no status any more."""
    if of_filter(heard):
        return refusal(f"{FILTERED}{quoted(heard.message, key)}")
    if NO_SUCH_CALL.search(heard.message):
        return of_status(404, heard, wait=None, key=key)
    number = next((int(word) for word in heard.code.split() if word.isdigit() and 400 <= int(word) < 600), 0)
    if number or _CONTEXT.search(heard.whole):
        return of_status(number or 400, heard, wait=None, key=key)
    return Trouble("server", f"The endpoint broke off with an error.{quoted(heard.message, key)}", retry=True)


def redirected() -> Trouble:
    return Trouble(
        "redirect", "The endpoint sent the request elsewhere, which is not followed; give the final address."
    )


def bad_reply(what: str) -> Trouble:
    return Trouble("bad_reply", what)


def late(seconds: float) -> Trouble:
    return Trouble("timeout", f"No complete reply within {seconds:g} seconds.")


def unreachable(error: BaseException) -> Trouble:
    """Return the trouble of a failed connection. Names only known reasons: an error's text may hold anything."""
    if any(isinstance(link, NoConnection) for link in _chain(error)):
        return Trouble("connection", "The offline switch was turned on, so no connection was made.")
    reasons = " ".join(f"{type(link).__name__} {link}" for link in _chain(error))
    sentence, retry = next(
        (message for words, message in _NO_CONNECTION if any(word in reasons for word in words)), _BROKE
    )
    away = (sentence, retry) != _BROKE or "without sending a response" in reasons
    return Trouble("connection", sentence, retry=retry, away=away)


# What the errors of libraries have in them, and the sentence for it, with whether another try may succeed.
_NO_CONNECTION: tuple[tuple[tuple[str, ...], tuple[str, bool]], ...] = (
    (
        ("CERTIFICATE_VERIFY_FAILED", "CertificateError"),
        (
            "The endpoint's certificate is not one that this computer trusts. The environment variable SSL_CERT_FILE "
            "can name a file with it.",
            False,
        ),
    ),
    (
        ("WRONG_VERSION_NUMBER", "SSL", "TLS"),
        ("No secure connection came about; the address may need http instead of https.", False),
    ),
    (("ProxyError",), ("The proxy of this computer's settings did not let the request through.", False)),
    (("gaierror", "getaddrinfo", "Name or service"), ("The endpoint's address cannot be found.", True)),
    (("refused", "ConnectError"), ("Nothing answers at the endpoint's address.", True)),
    (("ConnectTimeout",), ("The endpoint cannot be reached.", True)),
)
_BROKE = ("The connection to the endpoint broke.", True)


def quoted(message: str, key: str | None) -> str:
    """Quote what the server said, short and on one line, and only where no part of the key is in it."""
    line = " ".join("".join(c if c.isprintable() else " " for c in message).split())
    if not line:
        return ""
    if holds_part_of(line, key):
        return " What it said is not shown, because it holds the key."
    shown = line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + "…"
    return f" It said: “{shown}”"


def holds_part_of(text: str, key: str | None) -> bool:
    """Return whether a text holds the key or eight characters of it in a row."""
    if not key:
        return False
    width = min(_KEY_WINDOW, len(key))
    return any(key[at : at + width] in text for at in range(len(key) - width + 1))


def _chain(error: BaseException | None) -> list[BaseException]:
    errors: list[BaseException] = []
    while error is not None and error not in errors:
        errors.append(error)
        error = error.__cause__ or error.__context__
    return errors


# ---- Retries

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
Result = TypeVar("Result")


@dataclass(frozen=True)
class Clock:
    """Time and chance, so that tests can replace both. `now` and `sleep` are in seconds."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: random.Random = field(default_factory=random.Random)


async def with_retries(
    attempt: Callable[[], Awaitable[Result]],
    *,
    retries: int,
    deadline_seconds: float,
    clock: Clock,
    seconds_to_next: Callable[[int, Trouble], float] | None = None,
    wait: Callable[[float], Awaitable[None]] | None = None,
) -> Result:
    """Run `attempt` at most 1 + `retries` times within the deadline, and return its result. Raises `Trouble`.

    Only trouble that says so is tried again, after `wait` for at least the seconds that `seconds_to_next` gives for
    the number of earlier tries and the last one's trouble; by default `wait_before_next`, and they are slept. A wait
    that would go past the deadline is not begun, and one that does is given up: the request then fails of the kind
    that made it wait.
    """
    wait = wait or clock.sleep
    end = clock.now() + deadline_seconds
    waits_for: Trouble | None = None
    try:
        async with asyncio.timeout(deadline_seconds):
            for tries in range(retries + 1):
                waits_for = None
                try:
                    return await attempt()
                except Trouble as trouble:
                    if not trouble.retry or tries == retries:
                        raise
                    waits_for = trouble
                if seconds_to_next is None:
                    seconds = wait_before_next(tries, waits_for.wait, clock.chance)
                else:
                    seconds = seconds_to_next(tries, waits_for)
                if clock.now() + seconds >= end:
                    raise _too_long(waits_for, seconds, deadline_seconds) from None
                await wait(seconds)
    except TimeoutError:
        raise waits_for or late(deadline_seconds) from None
    raise AssertionError("the last try returns or raises")


def wait_before_next(tries: int, asked: float | None, chance: random.Random) -> float:
    """Seconds to wait after this many earlier tries: what the server asked for, or 0.5 · 2ᵗʳⁱᵉˢ, at most 30.

    Half of our own wait is left to chance, and up to a quarter second is added to the server's: requests that failed
    together must not come back together.
    """
    if asked is not None:
        return asked + chance.uniform(0.0, 0.25)
    longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0**tries)
    return longest * chance.uniform(0.5, 1.0)


def asked_wait(headers: Mapping[str, str], wall: float | None = None) -> float | None:
    """Seconds that `Retry-After` (or `retry-after-ms`) asks for; None where it is absent or makes no sense.

    A date is taken against the reply's own `Date` where it has one, so that a wrong clock here does no harm.
    """
    thousandths = _number(headers.get("retry-after-ms"))
    if thousandths is not None:
        return thousandths / 1000
    asked = headers.get("retry-after")
    seconds = _number(asked)
    if seconds is not None or asked is None:
        return seconds
    when = _date(asked)
    if when is None:
        return None
    now = _date(headers.get("date", "")) or (time.time() if wall is None else wall)
    return max(0.0, when - now)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _too_long(trouble: Trouble, seconds: float, deadline_seconds: float) -> Trouble:
    if trouble.wait is None:
        return trouble
    sentence = (
        f"The endpoint asked to wait {seconds:,.0f} seconds, "
        f"which is more than the {deadline_seconds:g} that a request may take leave."
    )
    return Trouble(trouble.failure, sentence)
