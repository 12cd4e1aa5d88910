"""Values that measures read of a project: scores, made first where missing, models, temperatures and originals."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from biasprint.core.compute import ComputeProcess
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, Floats, OutputRow, ScoreRow, SourceRow, TextKey
from biasprint.core.project.specs import SourceSpec
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import score_kept
from biasprint.core.text import sha256_text
from biasprint.core.texts.score import KINDS, as_read, score

KIND: Literal["original"] = "original"  # of the sources
# What ties a generated article to its original, whatever the headlines are: the beginning of the original's hash.
ORIGINAL_KEY = "original_key"


@dataclass(frozen=True)
class Original:
    key: TextKey
    text: str
    domain: str
    origin: str = ""


def original_key(text: str) -> str:
    """Return the key that links an article to the original with this text."""
    return sha256_text(text)[:16]


def original_source(origin: str, row: int, text: str, fields: Mapping[str, str]) -> SourceSpec:
    """An original as it is stored. `fields`: its headline and domain, where they are known."""
    own = {name: fields.get(name, "") for name in ("headline", "domain")} | {ORIGINAL_KEY: original_key(text)}
    return SourceSpec(kind=KIND, origin=origin, row=row, text=text, fields=own)


class Originals:
    """A study's originals, by their own key, and by their headline where no two share one."""

    def __init__(self) -> None:
        self._by_key: dict[str, Original] = {}
        self._by_headline: dict[str, Original | None] = {}  # None where several share it

    @classmethod
    def of(cls, project: Project, study_id: int) -> "Originals":
        originals = cls()
        for source in chunks(lambda after, limit: project.sources.page(study_id, after, limit), lambda row: row.id):
            originals.add(source)
        return originals

    def add(self, source: SourceRow) -> frozenset[str]:
        """Add an original. Return the keys that lead to another original than before; none where the source is none."""
        if source.kind != KIND:
            return frozenset()
        original = Original(("source", source.id), source.text, source.fields.get("domain", ""), source.origin)
        key, headline = source.fields.get(ORIGINAL_KEY, f"source {source.id}"), source.fields.get("headline", "")
        before = [self.find(name) for name in (key, headline)]
        self._by_key[key] = original
        if headline:
            known = self._by_headline.setdefault(headline, original)
            if known is not None and known.text != source.text:
                self._by_headline[headline] = None
        return frozenset(name for name, was in zip((key, headline), before, strict=True) if self.find(name) != was)

    def find(self, name: str) -> Original | None:
        return self._by_key.get(name) or self._by_headline.get(name)

    def __bool__(self) -> bool:
        return bool(self._by_key)

    def __iter__(self) -> Iterator[Original]:
        return iter(
            {
                original.key: original for original in (*self._by_headline.values(), *self._by_key.values()) if original
            }.values()
        )

    def of_output(self, output: OutputRow) -> Original | None:
        """The original that an article was imported with, else the one of its headline."""
        fields = output.fields
        return self.find(fields.get(ORIGINAL_KEY, "")) or self.find(fields.get("headline", ""))

    def beside(self, output: OutputRow) -> str:
        """The text of its original; empty where there is none."""
        original = self.of_output(output)
        return original.text if original else ""


# ---- Scores, read in short transactions; missing ones are made first where that is allowed

Kind = Literal["output", "source"]


def stored_values(project: Project, info: ScorerInfo) -> dict[TextKey, Floats]:
    """The stored values of this scorer version, by text."""
    embeddings = info.role == "embedding"
    read = project.scores.embeddings if embeddings else project.scores.page
    return {(kind, _id(kind, row)): row.values for kind in KINDS for row in _rows(read, kind, info)}


def complete_values(
    ctx: JobContext,
    project: Project,
    study_id: int,
    info: ScorerInfo,
    compute: ComputeProcess,
    broken: list[str],
) -> dict[TextKey, Floats]:
    """The values of every text of a study. New ones are stored, except in a project that is open read-only.

    `broken` gets a sentence where the scorer broke on some texts; those have no value.
    """
    if not project.read_only:
        done = score(ctx, project, study_id, info, compute)
        if done.failed:
            broken.append(broken_words(info, done.failed, done.error))
        return stored_values(project, info)
    values = stored_values(project, info)
    for kind in KINDS:
        texts = _unscored(project, kind, info, study_id)
        scored = values_of(ctx, compute, info, [text for _, text in texts], broken)
        values |= {(kind, key): value for (key, _), value in zip(texts, scored, strict=True) if value.size}
    return values


def values_of(
    ctx: JobContext, compute: ComputeProcess, info: ScorerInfo, texts: Sequence[str], broken: list[str]
) -> Iterator[Floats]:
    """The values of texts that are not stored; of one that the scorer breaks on none. `broken`: as above."""
    _, values, failed = compute.call(score_kept, info.name, texts, ctx=ctx)
    if failed:
        broken.append(broken_words(info, len(failed), next(iter(failed.values()))))
    return (value.values for value in values)


def broken_words(info: ScorerInfo, failed: int, why: str) -> str:
    """That a scorer broke on some texts."""
    texts = "1 text, which has" if failed == 1 else f"{failed:,} texts, which have"
    return f"{info.name} failed on {texts} no score from it: {why}"


def stored_summaries(project: Project, info: ScorerInfo) -> dict[TextKey, float | None]:
    """The number that sums a text up, by text."""
    rows = ((kind, row) for kind in KINDS for row in _rows(project.scores.page, kind, info))
    return {(kind, _id(kind, row)): row.summary for kind, row in rows}


def unscored(project: Project, info: ScorerInfo, study_id: int) -> bool:
    """Return whether a text of the study lacks its values."""
    embeddings = info.role == "embedding"
    return any(
        project.scores.unscored(
            kind, info.name, info.version, study_id=study_id, after_id=0, limit=1, embeddings=embeddings
        )
        for kind in KINDS
    )


def _unscored(project: Project, kind: Kind, info: ScorerInfo, study_id: int) -> list[tuple[int, str]]:
    rows = chunks(
        lambda after, limit: project.scores.unscored(
            kind, info.name, info.version, study_id=study_id, after_id=after, limit=limit,
            embeddings=info.role == "embedding",
        ),
        lambda row: row.key,
    )  # fmt: skip
    return [(row.key, as_read(info, row)) for row in rows]


def _rows(read: Callable[..., Sequence[ScoreRow]], kind: Kind, info: ScorerInfo) -> Iterator[ScoreRow]:
    return chunks(
        lambda after, limit: read(kind, info.name, info.version, after_id=after, limit=limit),
        lambda row: _id(kind, row),
    )


def _id(kind: Kind, row: ScoreRow) -> int:
    number = row.output_id if kind == "output" else row.source_id
    assert number is not None
    return number


def temperatures(project: Project) -> dict[int, str]:
    """Run → the temperature of its generator as text, empty where none was set."""
    generators = project.runs.generators()
    given = {run.id: generators[run.generator_id].parameters.get("temperature") for run in project.runs.all()}
    return {run: "" if value is None else f"{float(value):g}" for run, value in given.items()}


class Wrote(NamedTuple):
    """Facts about who wrote a text: the model, its temperature as text, and the run."""

    model: str
    temperature: str
    run: int


def written_by(project: Project) -> dict[int, Wrote]:
    """Output → who wrote it."""
    heat = temperatures(project)
    return {
        row.id: Wrote(row.model, row.fields.get("temperature", "") or heat[row.run_id], row.run_id)
        for row in project.outputs.each(OutputFilter(status="done"))
    }


def compared_texts(comparison: ComparisonRow, wrote: Mapping[int, Wrote]) -> tuple[str, str]:
    """The models of the texts of a comparison, several joined; and the temperature, empty where they have no one."""
    shown = [item.output for item in comparison.items if item.output is not None]
    known = {(wrote[key].model, wrote[key].temperature) if key in wrote else ("", "") for key in shown}
    models, heat = zip(*sorted(known or {("", "")}), strict=True)
    return " + ".join(dict.fromkeys(models)), heat[0] if len(set(heat)) == 1 else ""


class TextStyle(NamedTuple):
    """Words and markdown of a text; all 0 for one that was cut off: its length is not known."""

    words: int
    headings: int
    lists: int
    bold: int


CODE = re.compile(r"^```.*?(?:^```|\Z)", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^ {0,3}#{1,6} ", re.MULTILINE)
LIST_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)]) +\S", re.MULTILINE)
BOLD = re.compile(r"\*\*(?=\S)[^*\n]+\*\*|__(?=\S)[^_\n]+__")


def text_style(text: str) -> TextStyle:
    """Count words, headings, list items and bold parts; a block of code has no markdown."""
    plain = CODE.sub("", text)
    marks = (sum(1 for _ in mark.finditer(plain)) for mark in (HEADING, LIST_ITEM, BOLD))
    return TextStyle(len(text.split()), *marks)


def text_styles(project: Project, comparisons: Iterable[ComparisonRow]) -> dict[TextKey, TextStyle]:
    """Return the style of each text of these comparisons."""
    keys = list(dict.fromkeys(item.key for row in comparisons for item in row.items))
    cut = project.outputs.cut_off()
    texts = project.texts(keys).items()
    return {
        key: TextStyle(0, 0, 0, 0) if key[0] == "output" and key[1] in cut else text_style(text) for key, text in texts
    }


def text_lengths(project: Project, comparisons: Iterable[ComparisonRow]) -> dict[TextKey, int]:
    """Count the words of each text of these comparisons; 0 for one that was cut off: how long it is is not known."""
    return {key: style.words for key, style in text_styles(project, comparisons).items()}
