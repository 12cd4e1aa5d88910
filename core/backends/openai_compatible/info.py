"""What the backend for endpoints says of itself."""

from importlib.util import find_spec

from core.backends.protocol import BackendInfo, Capabilities

NAME = "openai_compatible"


def _unavailable() -> str:
    return "" if find_spec("openai") else "It needs the package “openai”. Install it with: pip install openai"


INFO = BackendInfo(
    name=NAME,
    title="OpenAI-compatible endpoint",
    description=(
        "A server that is spoken to as OpenAI's: Ollama, vLLM, llama.cpp's server, LM Studio, and hosted services. "
        "Prompts leave this computer unless the server runs on it. A seed is sent, but whether it is heeded is up to "
        "the server."
    ),
    models=(),
    # Whether a seed makes a text come again depends on the server, so it is not promised.
    capabilities=Capabilities(
        streams=True, honours_seed=False, likelihood=False, offline=False, is_language_model=True, concurrent=True
    ),
    unavailable=_unavailable(),
)
