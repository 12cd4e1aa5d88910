"""Errors of scorers as their cards give them: models/errors.toml."""

import tomllib
from functools import cache
from typing import Any

from biasprint.core.findings import ScorerUse
from biasprint.core.metrics.misclassified import KnownError
from biasprint.core.scorers.checked_files import fitted


def known_error(use: ScorerUse) -> KnownError | None:
    """The error of this version of a scorer on labelled sentences; None where its card does not give it."""
    entry = _errors().get(use.name)
    if entry is None or not use.version.startswith(entry["version"]):
        return None
    return KnownError(entry["found"], entry["present"], entry["rejected"], entry["absent"])


@cache
def _errors() -> dict[str, Any]:
    return tomllib.loads(fitted("models", "errors.toml").decode("utf-8"))
