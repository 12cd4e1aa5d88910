"""What the backend says of itself, without loading anything of llama.cpp."""

from importlib.util import find_spec

from core.backends.protocol import BackendInfo, Capabilities

NAME = "llama_cpp"

CAPABILITIES = Capabilities(streams=True, honours_seed=True, likelihood=True, offline=True, is_language_model=True)


def installed() -> bool:
    """Whether the package is there; looked up, not imported."""
    return find_spec("llama_cpp") is not None


INFO = BackendInfo(
    name=NAME,
    title="llama.cpp (a GGUF file)",
    description=(
        "A language model on this computer, from one GGUF file. The same seed gives the same text again where what "
        "prompts share is not reused; reusing it is faster, and a few texts may then differ in their later words."
    ),
    models=(),
    capabilities=CAPABILITIES,
    unavailable=""
    if installed()
    else "Install it with “pip install llama-cpp-python”; that needs a C++ compiler and takes about three minutes.",
)
