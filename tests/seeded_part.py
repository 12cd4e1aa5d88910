"""Matrices of commands, files and kinds: a seeded part in ordinary runs, the rest in the soak, which runs all of it."""

import random
from collections.abc import Iterable
from typing import Any

import pytest


def seeded_part(cases: Iterable[Any], size: int, seed: int = 1) -> list[Any]:
    """Return every case, all but `size` of them marked for the soak; a tuple is the values of several arguments."""
    given = list(cases)
    ordinary = set(random.Random(seed).sample(range(len(given)), size))
    return [
        case if place in ordinary else pytest.param(*_values(case), marks=pytest.mark.soak)
        for place, case in enumerate(given)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
