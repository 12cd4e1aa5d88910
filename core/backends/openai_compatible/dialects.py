"""Interfaces that are not OpenAI's: Anthropic's messages and Gemini's generateContent, put into OpenAI's form and back.

A request is made as for OpenAI's chat and put into the other form as it is sent; what comes back is put into OpenAI's
form before it is read. So refusals, texts that were cut, usage, errors and waits are known in one place. (Anthropic's
API reference, “Messages” and “Streaming messages”, version 2023-06-01; Google's, “Generating content”, v1beta.)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from biasprint.core.backends.openai_compatible.quirks import BELOW
from biasprint.core.backends.openai_compatible.settings import Mode

Data = Mapping[str, Any]
Body = dict[str, Any]


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
