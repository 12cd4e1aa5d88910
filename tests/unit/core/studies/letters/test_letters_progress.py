"""Measuring letters tells which findings it is at, and stops there where it is cancelled."""

import itertools

import pytest

from biasprint.core.errors import JobCancelled
from biasprint.core.findings import ScorerUse
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.studies.letters import measure as letters_measure
from biasprint.core.studies.letters.lexicon import letters_table
from biasprint.core.studies.letters.measure import Embedded, LetterInputs, measure_whole

TEXTS = [f"{who} is a splendid leader and has talent no. {at}." for at in range(8) for who in ("He", "She")]


def test_each_kind_of_finding_is_told_as_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Embedded({}, ScorerUse("word_vectors", "none", "1"))
    monkeypatch.setattr(letters_measure, "embedded", lambda words, chosen: nothing)
    table, inputs = letters_table(TEXTS, ["male", "female"] * 8), LetterInputs(tuple(TEXTS), contexts=("",) * 16)
    heard: list[Progress] = []
    seconds = itertools.count()
    ctx = JobContext(heard.append, lambda: float(next(seconds)))
    measure_whole(table, inputs, resamples=50, ctx=ctx)
    steps = [one for one in heard if one.note.startswith("findings: ")]
    assert [one.done for one in steps] == list(range(len(steps)))
    assert {one.total for one in steps} == {len(steps)}
    assert [one.note for one in steps][-1] == "findings: words of lists"

    cancelled = JobContext(lambda progress: cancelled.cancel() if progress.note.startswith("findings: ") else None)
    with pytest.raises(JobCancelled):
        measure_whole(table, inputs, resamples=50, ctx=cancelled)
