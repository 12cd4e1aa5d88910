"""No test reads or writes the settings of whoever runs it, and neither does what tests share."""

from pathlib import Path

import pytest

from biasprint.core.machine import storage


@pytest.fixture(scope="module")
def while_shared_things_are_made() -> Path:
    """The program's folder before any test has a home of its own."""
    return storage.home()


def test_what_tests_share_is_made_in_a_home_apart(while_shared_things_are_made: Path, homes: Path):
    assert homes in while_shared_things_are_made.parents


def test_each_test_has_a_home_of_its_own(while_shared_things_are_made: Path, homes: Path, own_home: Path):
    assert own_home in storage.home().parents
    assert homes in own_home.parents
    assert storage.home() != while_shared_things_are_made
