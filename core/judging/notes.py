"""The notes of a session: what was typed, and what of it is on disk."""

from collections.abc import Mapping


class Notes:
    """Notes by index of the comparison. `judged` are those of answers, `drafts` those that no answer has taken yet."""

    def __init__(self, judged: Mapping[int, str], drafts: Mapping[int, str]) -> None:
        self._typed = {**judged, **drafts}
        self._kept = dict(self._typed)

    def of(self, index: int) -> str:
        return self._typed.get(index, "")

    def put(self, index: int, note: str) -> None:
        """What stands in the field now. Not on disk by that."""
        self._typed[index] = note

    def waits(self, index: int) -> bool:
        """Whether the disk has another note than the field."""
        return self.of(index) != self._kept.get(index, "")

    def saved(self, index: int) -> None:
        """The note is on disk."""
        self._kept[index] = self.of(index)
