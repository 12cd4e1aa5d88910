"""Differences of servers that speak as OpenAI's does: tables of what they name, refuse and expect otherwise.

A new difference is a row here and a case in `test_openai_compatible_quirks.py`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from biasprint.core.backends.openai_compatible.settings import Mode
from biasprint.core.backends.protocol import FinishReason

# ---- The address and the key

# Where a server's calls lie that are not at the address that was given: Ollama, LM Studio, vLLM, llama.cpp.
BELOW = "/v1"
HAS_VERSION = re.compile(r"/v\d")
# LM Studio answers a wrong path with 200.
NO_SUCH_CALL = re.compile(r"unexpected endpoint or method", re.I)
AZURE = re.compile(r"(\.azure\.com|\.azure-api\.net)$")
ANTHROPIC = "api.anthropic.com"
ANTHROPIC_VERSION = {"anthropic-version": "2023-06-01"}


def key_headers(host: str, path: str, key: str, mode: Mode = "chat") -> dict[str, str]:
    """Return the headers that carry a key: OpenAI's, unless the server or its interface wants it in another one."""
    if mode == "generate_content":
        return {"x-goog-api-key": key}
    if mode == "messages":
        return {"x-api-key": key, **ANTHROPIC_VERSION}
    if AZURE.search(host) or "api-version=" in path:
        return {"api-key": key}
    if host == ANTHROPIC and path.endswith("/models"):  # the one call that is not as OpenAI's there
        return {"x-api-key": key, **ANTHROPIC_VERSION}
    return {"authorization": f"Bearer {key}"}


# ---- What a server may refuse by name, and how its words then look, in the order to be tried


def _unsupported(name: str) -> re.Pattern[str]:
    """A refusal of a parameter as such, not of its value."""
    words = r"(unsupported|not support|n't support|only the default|not allowed|not permitted|cannot both)"
    return re.compile(rf"\b{name}\b.{{0,120}}{words}|{words}.{{0,120}}\b{name}\b", re.IGNORECASE | re.DOTALL)


_ROLE = re.compile(
    r"\b(system|developer)\b.{0,80}(role|support|message|instruction)|role.{0,80}\b(system|developer)\b|"
    r"roles must alternate",
    re.I | re.S,
)
DEVELOPER, MERGED = "system role", "developer role"  # refused: then the developer says it; then the user
REFUSABLE = (
    ("stream_options", re.compile(r"stream_options|include_usage")),
    ("max_tokens", re.compile(r"max_completion_tokens")),
    ("seed", re.compile(r"\bseed\b")),
    *((name, _unsupported(name)) for name in ("top_p", "temperature")),
    *((who, _ROLE) for who in (DEVELOPER, MERGED)),
    ("stream", re.compile(r"\bstream(ing)?\b")),
)

# ---- How a reply ended

FINISHED: Mapping[str, FinishReason] = {
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "finished"), "stop"),
    **dict.fromkeys(
        ("length", "max_tokens", "model_length", "max_output_tokens", "model_context_window_exceeded"), "length"
    ),
}
# What they call it when a filter held it back, or the model declined.
HELD_BACK = frozenset(
    ("content_filter", "content_filtered", "safety", "prohibited_content", "blocklist", "recitation", "spii",
     "sensitive", "guardrail_intervened", "moderation", "refusal", "image_safety", "language")
)  # fmt: skip

# ---- Where things lie in a reply

STREAM_BEGINS = (b"data:", b"event:", b": ")  # also where it is not called a stream
REASONING = ("reasoning_content", "reasoning", "thinking")
METHODS, WRITES = "supportedGenerationMethods", "generateContent"  # of Gemini's list, which has embedders too
MODEL_LISTS, MODEL_NAMES = ("data", "models"), ("id", "name", "model")


def text_and_thought(content: Any) -> tuple[Any, str]:
    """Return the text of a message's content and what was thought before it: both may come as a list of parts."""
    if not isinstance(content, list) or not all(isinstance(part, Mapping) for part in content):
        return content, ""
    texts = [part["text"] for part in content if isinstance(part.get("text"), str) and part.get("type") != "thinking"]
    thoughts = [part.get("thinking") or part.get("text") for part in content if part.get("type") == "thinking"]
    return "".join(texts), "".join(thought for thought in thoughts if isinstance(thought, str))


def models_in(data: Any) -> list[str] | None:
    """Return the names in a list of models; None for what is none."""
    lists = data if isinstance(data, Mapping) else {MODEL_LISTS[0]: data}
    entries = next((lists[name] for name in MODEL_LISTS if isinstance(lists.get(name), list)), None)
    if entries is None:
        return None
    named = [entry for entry in entries if isinstance(entry, Mapping) and WRITES in entry.get(METHODS, [WRITES])]
    names = (next((str(entry[key]) for key in MODEL_NAMES if entry.get(key)), "") for entry in named)
    return [name.removeprefix("models/") for name in names]


def error_in(body: Any) -> Any:
    """Return the error in a reply's body, a mapping or a text: in a list, under `error`, or first of `errors`."""
    if isinstance(body, Sequence) and not isinstance(body, str) and body:
        return error_in(body[0])
    if not isinstance(body, Mapping):
        return None
    errors = body.get("errors")
    return body.get("error") or (errors[0] if isinstance(errors, list) and errors else body)


# ---- How long to wait, in words

_AGAIN_IN = re.compile(
    r"(?:again in|retry in|retryDelay\W+) ?(\d+(?:\.\d+)?) ?(ms|milliseconds|s|seconds|m|minutes)\b", re.I
)


def wait_in_words(message: str) -> float | None:
    """Return the seconds of “try again in 20s”; None where nothing is said."""
    said = _AGAIN_IN.search(message)
    if said is None:
        return None
    unit = said[2].lower()
    factor = 0.001 if unit.startswith(("ms", "milli")) else 60.0 if unit.startswith("m") else 1.0
    return float(said[1]) * factor
