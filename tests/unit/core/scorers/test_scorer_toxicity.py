"""The toxicity stand-in: the package's own numbers, what is read of its pickles, identities, what its card says."""

import io
import pickle
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scorer_sets import DEVELOPMENT, HELD_OUT, are, in_words, on_card, rows, study_findings, values, wilson

from biasprint.core.errors import AppError
from biasprint.core.scorers.toxicity_profanity import (
    FILES,
    Holder,
    ToxicityProfanity,
    data_folder,
    identity_words,
    offensive,
    unpickled,
    weights,
)

GROUPS = (
    "lesbian",
    "gay",
    "black",
    "white",
    "Muslim",
    "Jewish",
    "transgender",
    "Asian",
    "queer",
    "disabled",
    "straight",
)


@pytest.fixture(scope="module")
def scorer() -> ToxicityProfanity:
    return ToxicityProfanity()


def probability(scorer: ToxicityProfanity, text: str) -> float:
    (value,) = scorer.score([text])
    assert len(value.values) == 1, text
    return float(value.values[0])


def test_with_no_word_left_out_it_gives_the_packages_own_probabilities() -> None:
    profanity_check = pytest.importorskip("profanity_check")  # only here: importing it unpickles its files
    texts = [row["text"] for part in (DEVELOPMENT, HELD_OUT) for row in rows("toxicity", part)] + ["", "!?", "zzz qqq"]
    known = weights(data_folder())

    own = [offensive(text, known, leave_out=frozenset()) for text in texts]

    np.testing.assert_allclose(own, profanity_check.predict_prob(texts), atol=1e-12)


def test_scoring_imports_neither_the_package_nor_scikit_learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FILES:
        shutil.copy(data_folder() / name, tmp_path / name)  # read anew: what is kept is kept by folder
    for name in ("profanity_check", "sklearn", *sys.modules):
        if name.partition(".")[0] in ("profanity_check", "sklearn"):
            monkeypatch.setitem(sys.modules, name, None)  # importing it fails
    assert (ToxicityProfanity(tmp_path).score(["You stupid fool."])[0].summary or 0) > 0.5
    with pytest.raises(ImportError):
        import sklearn.linear_model  # noqa: F401


def test_a_changed_file_is_refused_before_it_is_unpickled(tmp_path: Path) -> None:
    for name in FILES:
        shutil.copy(data_folder() / name, tmp_path / name)
    content = bytearray((tmp_path / "model.joblib").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "model.joblib").write_bytes(content)

    with pytest.raises(AppError, match="not the one of alt-profanity-check") as error:
        ToxicityProfanity(tmp_path).score(["a"])
    assert FILES["model.joblib"] in error.value.details


def test_a_missing_file_is_one_sentence_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(AppError, match=r"cannot be read.*pip install"):
        ToxicityProfanity(tmp_path).score(["a"])


class Canary:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (Path(self.path),)


def test_a_pickle_that_would_run_something_runs_nothing(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    with pytest.raises(AppError, match="which they must not"):
        unpickled(pickle.dumps(Canary(str(canary))))
    assert not canary.exists()


def test_classes_of_the_pickle_are_empty_holders() -> None:
    stream = io.BytesIO()
    stream.write(b"\x80\x04csklearn.svm._classes\nLinearSVC\n)\x81.")  # an instance of the class, made without its init
    assert type(unpickled(stream.getvalue())) is Holder


def test_the_card_says_what_is_measured_and_that_beats_always_saying_the_same(scorer: ToxicityProfanity) -> None:
    part = {name: rows("toxicity", name) for name in (DEVELOPMENT, HELD_OUT)}

    def right(of: list[dict[str, str]]) -> np.ndarray:
        return (values(lambda text: probability(scorer, text), of) >= 0.5) == are("toxic", of)

    held_out = right(part[HELD_OUT])
    assert on_card("toxicity", "Accuracy, development part") == in_words(right(part[DEVELOPMENT]))
    assert on_card("toxicity", "Accuracy, held-out part") == in_words(held_out)
    for label in ("toxic", "civil"):
        assert on_card("toxicity", f"Held-out, {label}") == in_words(held_out[are(label, part[HELD_OUT])])
    for kind in ("insult", "profanity", "threat", "identity"):
        of = [row for rows_of in part.values() for row in rows_of if row["kind"] == kind]
        assert on_card("toxicity", f"Both parts, {kind}") == in_words(right(of))
    share, low, _ = wilson(held_out)
    toxic = np.mean(are("toxic", part[HELD_OUT]))
    assert share >= 0.72
    assert low > max(toxic, 1 - toxic)


def test_naming_a_group_changes_nothing(scorer: ToxicityProfanity) -> None:
    known = weights(data_folder())
    plain = probability(scorer, "She is a teacher.")
    by_itself = [offensive(f"She is a {group} teacher.", known, leave_out=frozenset()) for group in GROUPS]

    assert max(by_itself) > 0.8  # why the words are left out
    assert [probability(scorer, f"She is a {group} teacher.") for group in GROUPS] == [plain] * len(GROUPS)
    assert probability(scorer, "He is a teacher.") == plain
    assert probability(scorer, "The women spoke.") == probability(scorer, "The men spoke.")


def test_what_is_said_of_a_group_counts(scorer: ToxicityProfanity) -> None:
    for group in ("Women", "Gay people", "Immigrants"):
        assert probability(scorer, f"{group} are stupid idiots.") > 0.9
    assert {"stupid", "idiot", "bitch", "slut"}.isdisjoint(identity_words())


def test_a_text_has_a_value_for_every_sentence_and_their_mean(scorer: ToxicityProfanity) -> None:
    (value,) = scorer.score(["You are a stupid idiot. The meeting is on Monday."])

    assert value.values.dtype == np.float32
    assert value.values[0] > 0.9
    assert value.values[1] < 0.1
    assert value.summary == pytest.approx(value.values.mean())


def test_nothing_to_read_has_no_value_and_another_language_neither(scorer: ToxicityProfanity) -> None:
    german = "Der Bürgermeister hat gestern die neue Brücke über den Fluss eröffnet, und viele Menschen kamen dazu."
    for text in ("", " \n ", f"{german} {german}"):
        (value,) = scorer.score([text])
        assert (value.values.size, value.summary) == (0, None)
    assert probability(scorer, "Hello") < 0.1
    assert probability(scorer, "!!!") < 0.1


@pytest.mark.parametrize("text", ["a" * 250_000, "you idiot " * 6_000, "She is kind. " * 5_000, "\ud800\x00 bad"])
def test_long_and_odd_lines_take_bounded_time(scorer: ToxicityProfanity, text: str) -> None:
    scorer.score(["She is kind."])  # what is loaded is loaded once
    began = time.process_time()
    (value,) = scorer.score([text])

    assert np.isfinite(value.values).all()
    assert time.process_time() - began < 3


def test_it_says_that_it_stands_in(scorer: ToxicityProfanity) -> None:
    assert (scorer.role, scorer.stand_in) == ("toxicity", True)
    assert "Used in place of" in scorer.note
    assert len(scorer.sha256) == 64
    assert "each sentence" not in scorer.shape  # else news would need a value for each sentence of a foreign article


@pytest.mark.soak
def test_the_news_study_finds_planted_toxicity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generated articles insult women, originals nobody; an article in another language is read by nobody."""
    german = "Die Frau und der Mann gingen gestern zusammen durch die ganze Stadt und sprachen lange über das Wetter. "
    rows_of = [
        {
            "original": f"The woman spoke in town {i}. The man listened to her speech.",
            "generated": f"The woman is a stupid idiot {i}. The man listened.",
            "headline": f"Speech {i}",
        }
        for i in range(12)
    ] + [{"original": german * 2, "generated": german * 3, "headline": "Wetter"}]

    found = study_findings(monkeypatch, "news", tmp_path / "news.csv", rows_of, ("toxicity",))

    gaps = [each for each in found if (each.id, each.variant) == ("news.sentence.toxicity.difference", "default")]
    (women,) = [each for each in gaps if each.groups[0] == "woman"]
    (men,) = [each for each in gaps if each.groups[0] == "man"]
    assert (women.estimate or 0) > 0.5
    assert abs(men.estimate or 0) < 0.1
    assert women.scorers[0].name == "toxicity_profanity"
    assert all(each.estimate is not None or each.reason for each in found)
