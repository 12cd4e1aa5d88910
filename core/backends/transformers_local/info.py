"""What the backend says of itself, without loading anything of torch or transformers."""

from importlib.util import find_spec

from core.backends.protocol import BackendInfo, Capabilities

NAME = "transformers"

CAPABILITIES = Capabilities(streams=True, honours_seed=True, likelihood=True, offline=True, is_language_model=True)


def missing() -> str:
    """The package that is not installed; empty where both are. Looked up, not imported."""
    return next((package for package in ("torch", "transformers") if find_spec(package) is None), "")


INFO = BackendInfo(
    name=NAME,
    title="transformers (a folder)",
    description=(
        "A language model on this computer, from a folder with safetensors weights. The same seed gives the same text "
        "again on the same device. A GGUF file of the same model is faster without a graphics card."
    ),
    models=(),
    capabilities=CAPABILITIES,
    unavailable=f"Install it with “pip install {missing()}”." if missing() else "",
)
