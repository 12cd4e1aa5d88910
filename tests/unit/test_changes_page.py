"""The changelog stays short: versions, few bullets, few words in each."""

import re
from pathlib import Path

import pytest

from biasprint.core import __version__

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
MOST_WORDS = 25
MOST_BULLETS = 60
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
VERSION = re.compile(r"\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\)")


def bullets_by_version(page: str) -> dict[str, list[str]]:
    """Return the bullets of each version, each as one line."""
    _, *parts = HEADING.split(page)
    names, bodies = parts[::2], parts[1::2]
    return {
        name: [
            " ".join(bullet.split())
            for bullet in re.split(r"^- ", re.sub(r"^###.*$", "", body, flags=re.M), flags=re.M)[1:]
        ]
        for name, body in zip(names, bodies, strict=True)
    }


CHANGES = bullets_by_version(PAGE)


def test_unreleased_is_followed_by_dated_versions_and_has_the_programs_last_one() -> None:
    first, *versions = CHANGES
    assert first == "Unreleased"
    assert all(VERSION.fullmatch(version) for version in versions)
    assert versions[0].startswith(f"{__version__} ")


@pytest.mark.parametrize("version", CHANGES)
def test_a_version_has_at_most_60_bullets_of_at_most_25_words(version: str) -> None:
    bullets = CHANGES[version]
    assert len(bullets) <= MOST_BULLETS
    assert [bullet for bullet in bullets if len(bullet.split()) > MOST_WORDS] == []


@pytest.mark.parametrize("version", CHANGES)
def test_no_change_is_listed_twice(version: str) -> None:
    assert len(set(CHANGES[version])) == len(CHANGES[version])
