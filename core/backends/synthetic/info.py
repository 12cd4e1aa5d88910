"""What the synthetic author says of itself."""

from core.backends.protocol import BackendInfo, Capabilities
from core.backends.synthetic.dial import SETTINGS

NAME = "synthetic"

# Part of every draw: a change of grammar or words is a new version, so that old texts are not taken for new ones.
VERSION = "synthetic-1"

INFO = BackendInfo(
    name=NAME,
    title="Synthetic author",
    description=(
        "Not a language model: it joins sentences written for this program, with a bias that is known because it was "
        "planted. It shows how the program works and tests whether the measures find what is there. "
        "Its texts say nothing about any model or any group of people."
    ),
    models=SETTINGS,
    capabilities=Capabilities(streams=True, honours_seed=True, likelihood=False, offline=True, is_language_model=False),
)
