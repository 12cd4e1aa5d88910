"""A fifth study from outside the tree: a small distribution with a module and an entry point."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from biasprint.core.compute import models, shared
from biasprint.core.studies.registry import studies

MODULE = """
from biasprint.core.studies.kit.declared import InputTable, StudyWords
from biasprint.core.studies.kit.study import Study
from biasprint.core.tables.fields import FieldSpec


def songs_set():
    from biasprint.core.prompts import PromptDraft, PromptSetDraft

    prompts = tuple(
        PromptDraft(f"songs/{group}/{n}", f"Write song {n} about a {group}.", "song", fields={"group": group})
        for group in ("cat", "dog")
        for n in range(3)
    )
    return PromptSetDraft("Songs", {"suite": "songs"}, prompts)


def measure(columns, seed, scores):
    from biasprint.core.findings import Finding, StudyResult

    lengths = {}
    for text, group in zip(columns["text"], columns["group"]):
        lengths.setdefault(group, []).append(len(text.split()))
    groups = tuple(sorted(lengths))
    means = [sum(lengths[group]) / len(lengths[group]) for group in groups]
    n = sum(map(len, lengths.values()))
    assert len(scores["sentiment"]) == n
    finding = Finding("songs.words", "words", "Words of a song", groups, means[0] - means[1], "words", n)
    return StudyResult("songs", n, {}, (finding,))


def draw(findings):
    from biasprint.core.draw.figure import Figure, FigureMark

    marks = tuple(FigureMark(one, one.title, value=one.estimate, n=one.n) for one in findings)
    return [Figure("songs.words", "songs", "Longer songs", "More words for one of them.", "intervals", marks, "words")]


class SongsStudy(Study):
    kind, title = "songs", "Songs"
    inputs = (
        InputTable(
            "songs",
            measure,
            fields=(FieldSpec("text", True, ("lyrics",), "the song", True), FieldSpec("group", True)),
            scorers=("sentiment",),
        ),
    )
    findings = figures = ("songs.words",)
    words = StudyWords(rows="Songs that models wrote", one="1 song", many="%n songs", items=(("songs.", "songs"),))

    def prompts(self):
        return songs_set()

    def draw(self, findings):
        return draw(findings)


STUDY = SongsStudy()
"""
TABLE = "lyrics,group\nMiau my love miau,cat\nMiau miau,cat\nWuff,dog\nWuff wuff I say,dog\nWuff,dog\n"
WORDS = 3.0 - 2.0  # of cats less of dogs: (4 + 2) / 2 and (1 + 4 + 1) / 3


def install(site: Path) -> Path:
    """Put the distribution into a folder that is, or comes, on the path."""
    info = site / "songs_study-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: songs-study\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[biasprint.studies]\nsongs = songs_study:STUDY\n")
    (site / "songs_study.py").write_text(MODULE)
    return site


@contextmanager
def installed(site: Path) -> Iterator[None]:
    """This process, and the compute process that it starts next, find the study as if it had just been installed."""
    with found_in(install(site)):
        yield
    sys.modules.pop("songs_study", None)


@contextmanager
def found_in(site: Path) -> Iterator[None]:
    """The same for whatever plug-ins a folder of packages has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        _forget()
        yield
    _forget()


def _forget() -> None:
    studies.cache_clear()
    for process in (shared(), models()):
        process.close()
