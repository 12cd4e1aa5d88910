"""Tests of the compute process itself start it as the program does."""

from collections.abc import Iterator

import pytest
import warm_children


@pytest.fixture(autouse=True)
def spawned() -> Iterator[None]:
    with warm_children.as_the_program_does():
        yield
