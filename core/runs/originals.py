"""The originals of a news study, and which of them an article was generated beside."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.project.project import Project
from core.project.rows import OutputRow, TextKey
from core.project.stores.common import chunks

KIND: Literal["original"] = "original"  # of the sources
# What ties a generated article to its original, whatever the headlines are: the beginning of the original's hash.
ORIGINAL_KEY = "original_key"


@dataclass(frozen=True)
class Original:
    key: TextKey
    text: str
    domain: str


@dataclass(frozen=True)
class Originals:
    """`found`: an original by its own key, and by its headline where no two share one."""

    found: Mapping[str, Original]

    @classmethod
    def of(cls, project: Project, study_id: int) -> "Originals":
        by_key: dict[str, Original] = {}
        by_headline: dict[str, Original] = {}
        shared = set()
        for source in chunks(lambda after, limit: project.sources.page(study_id, after, limit), lambda row: row.id):
            if source.kind != KIND:
                continue
            original = Original(("source", source.id), source.text, source.fields.get("domain", ""))
            by_key[source.fields.get(ORIGINAL_KEY, f"source {source.id}")] = original
            headline = source.fields.get("headline", "")
            if by_headline.setdefault(headline, original).text != source.text:
                shared.add(headline)
        unique = {name: original for name, original in by_headline.items() if name and name not in shared}
        return cls({**unique, **by_key})

    def of_output(self, output: OutputRow) -> Original | None:
        """The original that an article was imported with, else the one of its headline."""
        fields = output.fields
        return self.found.get(fields.get(ORIGINAL_KEY, "")) or self.found.get(fields.get("headline", ""))

    def beside(self, output: OutputRow) -> str:
        """The text of its original; empty where there is none."""
        original = self.of_output(output)
        return original.text if original else ""
