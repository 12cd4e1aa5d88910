"""What a packet says to its rater: texts, wording and settings, and the hash that tells whether they were changed."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from core.judging.settings import PlanSettings
from core.judging.wording import Wording
from core.project.stores.common import canonical_json

SUFFIX = ".bpacket"
STUDY = "packet"  # the kind of the one study in a packet
FORMAT = 1
CARD, ORIGIN = "card", "packet"  # kind and origin of its texts


class Shown(NamedTuple):
    """One comparison of a packet: its id, the number of its wording, the hashes of its texts in the order of cards."""

    id: str
    wording: str
    texts: Sequence[str]


def settings_for_rater(settings: PlanSettings, wording: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The plan's settings in a packet: what its rater needs, and no more."""
    return {
        "consent_text": settings.consent_text,
        "criterion_ratings": settings.criterion_ratings,
        "ask_background": settings.ask_background,
        "notes": settings.notes,
        "wording": list(wording),
    }


def content_sha256(code: str, settings: Mapping[str, Any], comparisons: Iterable[Shown]) -> str:
    """SHA-256 over the rater's code, the settings with the wording and, a line each, the comparisons."""
    digest = hashlib.sha256(canonical_json([code, dict(settings)]).encode("ascii"))
    for one in comparisons:
        digest.update(b"\n" + canonical_json([one.id, one.wording, list(one.texts)]).encode("ascii"))
    return digest.hexdigest()


class WordingList:
    """The different titles and criteria of a plan's comparisons, numbered as they come."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._numbers: dict[str, int] = {}
        self.all: list[dict[str, Any]] = []

    def number(self, task: str, theme: str) -> str:
        criteria = [[one.name, one.explanation] for one in self._wording.criteria(task)]
        shown = {"title": self._wording.title(task, theme), "criteria": criteria}
        key = canonical_json(shown)
        if key not in self._numbers:
            self._numbers[key] = len(self.all)
            self.all.append(shown)
        return str(self._numbers[key])
