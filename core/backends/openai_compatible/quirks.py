"""Differences of servers that speak as OpenAI's does: tables of what they name, refuse and expect otherwise.

A new difference is a row here and a case in `test_openai_compatible_quirks.py`.

Interfaces that are not OpenAI's: Anthropic's messages and Gemini's generateContent, put into OpenAI's form and back.

A request is made as for OpenAI's chat and put into the other form as it is sent; what comes back is put into OpenAI's
form before it is read. So refusals, texts that were cut, usage, errors and waits are known in one place. (Anthropic's
API reference, “Messages” and “Streaming messages”, version 2023-06-01; Google's, “Generating content”, v1beta.)
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from biasprint.core.backends.openai_compatible.settings import Mode
from biasprint.core.backends.protocol import FinishReason

Data = Mapping[str, Any]
Body = dict[str, Any]


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


@dataclass(frozen=True)
class Dialect:
    """One interface. `call`: the path and body of a request, of OpenAI's; `heard`: a reply, or an event of a stream, in
    OpenAI's form. `not_taken`: parameters that it never takes; `below`: where its calls lie under a bare address.
    """

    call: Callable[[Body], tuple[str, Body]]
    heard: Callable[[Any], Any] = lambda data: data
    not_taken: tuple[str, ...] = ()
    below: str = BELOW
    models: str = "/models"


# ---- OpenAI's own

OPENAI = Dialect(lambda body: ("/chat/completions" if "messages" in body else "/completions", body))

# ---- Anthropic's

LONGEST = 4096  # tokens, where nobody chose: it takes no request without a limit
_MOST_MODELS = 1000  # of one page of a list
_ANTHROPICS = {"stop": "stop_sequences"}


def _ask_messages(body: Body) -> tuple[str, Body]:
    system = [message["content"] for message in body["messages"] if message["role"] != "user"]
    own = {_ANTHROPICS.get(name, name): value for name, value in body.items() if name != "max_completion_tokens"}
    own["messages"] = [message for message in body["messages"] if message["role"] == "user"]
    return "/messages", {"max_tokens": LONGEST, **({"system": system[0]} if system else {}), **own}


def _heard_messages(data: Any) -> Any:
    if not isinstance(data, Mapping):
        return data
    match data.get("type"):
        case "message":
            message = {"content": data.get("content")}
            return _chat(data, {"message": message, "finish_reason": data.get("stop_reason")}, data.get("usage"))
        case "message_start":
            begun = data.get("message")
            return _chat(begun, None, begun.get("usage")) if isinstance(begun, Mapping) else {"choices": []}
        case "content_block_delta":
            delta = data.get("delta")
            part = delta if isinstance(delta, Mapping) else {}
            return {"choices": [{"delta": {"content": part.get("text"), "thinking": part.get("thinking")}}]}
        case "message_delta":
            delta = data.get("delta")
            ended = delta.get("stop_reason") if isinstance(delta, Mapping) else None
            return _chat({}, {"delta": {}, "finish_reason": ended}, data.get("usage"))
        case "ping" | "message_stop" | "content_block_start" | "content_block_stop":
            return {"choices": []}
    return data


def _chat(data: Data, choice: Body | None, usage: Any) -> Body:
    counts = usage if isinstance(usage, Mapping) else {}
    cached = counts.get("cache_read_input_tokens")
    read = [counts.get(name) for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")]
    return _reply(data.get("model"), choice, _sum(read), _sum([counts.get("output_tokens")]), cached)


# ---- Gemini's

_GEMINIS = {
    "temperature": "temperature", "top_p": "topP", "top_k": "topK", "max_tokens": "maxOutputTokens",
    "max_completion_tokens": "maxOutputTokens", "seed": "seed", "stop": "stopSequences",
    "frequency_penalty": "frequencyPenalty", "presence_penalty": "presencePenalty",
}  # fmt: skip
_MOST_SEED = 0x7FFF_FFFF
FOLDER = "models/"  # before each name in its list of models


def _ask_gemini(body: Body) -> tuple[str, Body]:
    chosen = {own: body[name] for name, own in _GEMINIS.items() if name in body}
    if "seed" in chosen:
        chosen["seed"] &= _MOST_SEED
    system = [{"text": message["content"]} for message in body["messages"] if message["role"] != "user"]
    asked = [{"text": message["content"]} for message in body["messages"] if message["role"] == "user"]
    own: Body = {"contents": [{"role": "user", "parts": asked}], "generationConfig": chosen}
    own |= {"systemInstruction": {"parts": system}} if system else {}
    other = {name: value for name, value in body.items() if name not in {*_GEMINIS, "model", "messages", "stream"}}
    model = quote(str(body["model"]).removeprefix(FOLDER), safe="")
    kind = "streamGenerateContent?alt=sse" if body.get("stream") else "generateContent"
    return f"/models/{model}:{kind}", own | other


def _heard_gemini(data: Any) -> Any:
    if not isinstance(data, Mapping) or data.get("error"):
        return data
    counts = data.get("usageMetadata")
    counts = counts if isinstance(counts, Mapping) else {}
    written = _sum([counts.get("candidatesTokenCount"), counts.get("thoughtsTokenCount")])
    read, cached = _sum([counts.get("promptTokenCount")]), counts.get("cachedContentTokenCount")
    return _reply(data.get("modelVersion"), _gemini_choice(data), read, written, cached)


def _gemini_choice(data: Data) -> Body | None:
    candidates = data.get("candidates")
    first = candidates[0] if isinstance(candidates, Sequence) and candidates else None
    feedback = data.get("promptFeedback")
    if isinstance(feedback, Mapping) and feedback.get("blockReason") and first is None:
        return {"delta": {}, "message": {}, "finish_reason": "content_filter"}
    if not isinstance(first, Mapping):
        return None
    content = first.get("content")
    parts = content.get("parts") if isinstance(content, Mapping) else None
    said = [part for part in parts or () if isinstance(part, Mapping) and isinstance(part.get("text"), str)]
    message = {
        "content": "".join(part["text"] for part in said if not part.get("thought")),
        "thinking": "".join(part["text"] for part in said if part.get("thought")),
    }
    return {"delta": message, "message": message, "finish_reason": first.get("finishReason")}


def _reply(model: Any, choice: Body | None, read: int | None, written: int | None, cached: Any) -> Body:
    usage = {"prompt_tokens": read, "completion_tokens": written, "prompt_tokens_details": {"cached_tokens": cached}}
    return {"model": model, "choices": [choice] if choice else [], "usage": usage}


def _sum(counts: Sequence[Any]) -> int | None:
    known = [count for count in counts if isinstance(count, int)]
    return sum(known) if known else None


DIALECTS: Mapping[Mode, Dialect] = {
    "chat": OPENAI,
    "completions": OPENAI,
    "messages": Dialect(
        _ask_messages, _heard_messages, ("seed", "stream_options"), models=f"/models?limit={_MOST_MODELS}"
    ),
    "generate_content": Dialect(
        _ask_gemini, _heard_gemini, ("stream_options",), "/v1beta", f"/models?pageSize={_MOST_MODELS}"
    ),
}
