"""The synthetic author: a seeded writer with a planted bias, for trying the program and for testing its measures.

It is not a language model and is never presented as one. Its model is the setting of its dial.
"""

from collections.abc import Mapping

from biasprint.core.backends.protocol import Parameter
from biasprint.core.backends.synthetic.author import SyntheticAuthor
from biasprint.core.backends.synthetic.dial import INFO, SETTINGS, load_dial
from biasprint.core.errors import UsageError

__all__ = ["INFO", "SyntheticAuthor", "open"]

# Common to all backends and without effect here, so they are accepted rather than refused.
_SAMPLING = {"temperature", "top_p", "max_tokens"}


def open(model: str, parameters: Mapping[str, Parameter]) -> SyntheticAuthor:
    """The author with its dial at `model`; without one, at "none".

    Raises `UsageError` for another setting or a parameter that it does not have.
    """
    setting = model or SETTINGS[0]
    if setting not in SETTINGS:
        raise UsageError(f"The synthetic author has no model “{model}”.", hint=f"Its dial: {', '.join(SETTINGS)}.")
    unknown = sorted(set(parameters) - _SAMPLING)
    if unknown:
        raise UsageError(f"The synthetic author has no parameter “{unknown[0]}”.", hint="Leave it out.")
    return SyntheticAuthor(load_dial(setting))
