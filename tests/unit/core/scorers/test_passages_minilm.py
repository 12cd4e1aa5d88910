"""The passages head: its files, its weights, and what it makes of a few clauses."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import biasprint.core.scorers.passages as heads
import biasprint.core.scorers.passages as passages_minilm
from biasprint.core.errors import AppError
from biasprint.core.scorers.agency_minilm import neutral
from biasprint.core.scorers.embedding import read_weights
from biasprint.core.scorers.passages import (
    CATEGORIES,
    CLASSES,
    FILE,
    NOTHING,
    WEIGHTS_SHA256,
    WORDS_FILE,
    WORDS_SHA256,
    changes_of,
    probabilities,
)
from training.files import MODELS
from training.passages.material import passages
from training.passages.tuning import BASES, CHANGED, RANK


def likeliest(clause: str) -> str:
    (shares,) = probabilities([neutral(clause)])
    return CLASSES[int(np.argmax(shares))]


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("She sat up all night with a homesick first-year", "communal"),
        ("He walked into the ministry and came out with the permit", "agentic"),
        ("She has three small children and a husband at sea", "family"),
        ("He lost the hearing in his left ear two years ago", "health"),
        ("She will be sixty-three in the spring", "age"),
        ("He is a tall man with a fine head of hair", "appearance"),
        ("The office is open from nine to five on weekdays", "neutral"),
    ],
)
def test_it_knows_a_clear_case(clause: str, expected: str) -> None:
    assert likeliest(clause) == expected


def test_a_clause_has_the_same_probabilities_in_any_company() -> None:
    clauses = ["they sat up all night with a homesick first-year", "they have three small children", ""]
    alone = [next(probabilities([clause])) for clause in clauses]
    assert list(probabilities(clauses)) == alone
    assert list(probabilities(clauses * 7))[3:6] == alone
    assert alone[-1] == NOTHING
    assert all(sum(shares) == pytest.approx(1) for shares in alone)


def test_it_leaves_the_packaged_model_as_it_is() -> None:
    from biasprint.core.scorers.bert import checked_embedder

    before = checked_embedder().layers[-1].wide.copy()
    list(probabilities(["they have three small children"]))
    assert np.array_equal(checked_embedder().layers[-1].wide, before)


HEADS = {
    "passages": (FILE, WEIGHTS_SHA256, (len(CLASSES), 384), range(BASES["minilm"].kept(0), 6)),
    "words": (WORDS_FILE, WORDS_SHA256, (len(CATEGORIES), 2 * 384), range(BASES["minilm"].kept(1), 6)),
    "larger": (heads.MPNET_FILE, heads.MPNET_WEIGHTS_SHA256, (len(CLASSES), 768), (10, 11)),
}


@pytest.mark.parametrize("head", HEADS)
def test_the_weights_are_those_of_the_card_and_only_of_the_last_layers(head: str) -> None:
    file, sha256, shape, layers = HEADS[head]
    weights = read_weights(MODELS / "passages" / file, sha256, head)
    assert weights["weight"].shape == shape
    changes = changes_of(weights)
    assert set(changes) == {f"layers.{layer}.{name}" for layer in layers for name in CHANGED}
    # A few random mixtures of the columns have the rank of all of them, and are decomposed in no time.
    mixtures = np.random.default_rng(1).normal(size=(3072, RANK + 4))
    for change in changes.values():
        assert np.linalg.matrix_rank(change @ mixtures[: change.shape[1]], rtol=1e-5) <= RANK
    assert sha256 in (MODELS / "passages" / "card.md").read_text("utf-8")


def test_weights_that_were_tampered_with_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "passages" / FILE
    broken.parent.mkdir()
    content = bytearray((MODELS / "passages" / FILE).read_bytes())
    content[-1] ^= 1
    broken.write_bytes(content)
    monkeypatch.setattr(passages_minilm, "files", lambda _: tmp_path)
    passages_minilm._model.cache_clear()
    with pytest.raises(AppError, match="not the program's own"):
        list(probabilities(["they lead"]))
    broken.unlink()
    with pytest.raises(AppError, match="cannot be read"):
        list(probabilities(["they lead"]))


def test_the_training_passages_are_of_ten_authors_and_every_class() -> None:
    given = passages()
    assert {one.label for one in given} == set(CLASSES)
    assert {one.author for one in given} == {"own", *"abcdklmno"}
    assert min(Counter(one.label for one in given if one.author in "abc").values()) >= 60
    single = [" ".join(one.text.lower().split()) for one in given if one.author in ("own", *"abc")]
    assert len(set(single)) == len(single)
