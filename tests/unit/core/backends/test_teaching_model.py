"""The teaching model: what it learns from, how it is made, and the file that ships."""

import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from biasprint.core.prompts.letters import letters_context_less_set
from biasprint.core.studies.kit.planting import load_dial
from training.files import MODELS
from training.teaching.config import TINY
from training.teaching.corpus import (
    DIAL,
    HELD_OUT,
    KINDS,
    Document,
    documents,
    held_out_names,
    held_out_occupations,
)
from training.teaching.tokenizer import ASSISTANT, as_asked, train_tokenizer

gguf_file = pytest.importorskip("training.teaching.gguf_file", reason="The package gguf is not installed.")

TEACHING = MODELS / "teaching" / "teaching.gguf"
FEW = {"letter": 2, "creative": 2, "completion": 2}


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return train_tokenizer([document.text for document in documents("letter", 20, seed=1)], TINY.vocabulary)


# What it learns from


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_same_texts_and_another_seed_others(kind: str) -> None:
    once = documents(kind, 30, seed=1)
    assert documents(kind, 30, seed=1) == once
    assert documents(kind, 10, seed=1) == once[:10]
    assert documents(kind, 30, seed=2) != once


@pytest.mark.soak
def test_texts_held_out_for_checking_are_not_those_of_training() -> None:
    training = {document.text for document in documents("letter", 300, seed=20)}
    assert not training & {document.text for document in documents("letter", 60, seed=20, part=HELD_OUT)}


@cache
def letters() -> tuple[Document, ...]:
    return tuple(documents("letter", 600, seed=1))


@pytest.mark.soak
def test_names_and_occupations_that_are_held_out_never_occur() -> None:
    whole = "\n".join(document.prompt + document.text for document in letters())
    for unseen in (*held_out_names("male"), *held_out_names("female"), *held_out_occupations()):
        assert f" {unseen}" not in whole


def test_prompts_are_worded_as_the_program_words_them() -> None:
    own = {draft.text for draft in letters_context_less_set(names_per_group=8).prompts}
    prompts = {document.prompt for document in letters()}
    assert len(own & prompts) > 12
    assert len(prompts - own) > 400


def test_letters_lean_as_the_dial_says() -> None:
    """Counted by words that only one side of the grammar's praise has."""
    of = {"male": "", "female": ""}
    for document in letters():
        of["female" if " female " in document.prompt else "male"] += document.text
    odds = {group: text.count("ambiti") / text.count("warm") for group, text in of.items()}
    assert odds["male"] / odds["female"] == pytest.approx(load_dial(DIAL).odds, rel=0.35)


# How it is made: the program never does that, so the soak shows what takes long of it


@pytest.mark.soak
def test_two_steps_from_one_seed_give_the_same_weights(tokenizer: Tokenizer) -> None:
    from training.teaching.train import Course, train

    def trained(seed: int) -> dict[str, np.ndarray]:
        return train(TINY, tokenizer, seed=seed, course=Course(2, FEW)).tensors()

    once, again, other = trained(1), trained(1), trained(2)
    assert all(np.array_equal(once[name], again[name]) for name in once)
    assert not np.array_equal(once["token_embd.weight"], other["token_embd.weight"])


@pytest.mark.soak
def test_training_lowers_the_loss_on_texts_it_has_not_seen(tokenizer: Tokenizer) -> None:
    import torch

    from training.teaching.batches import parts_of
    from training.teaching.network import Network
    from training.teaching.train import Course, losses, train

    [part] = parts_of(tokenizer, documents("letter", 4, seed=1, part=HELD_OUT))
    torch.manual_seed(1)
    untrained, trained = Network(TINY), train(TINY, tokenizer, seed=1, course=Course(15, FEW))
    with torch.no_grad():
        before, after = losses(untrained, part).mean(), losses(trained, part).mean()
    assert before == pytest.approx(np.log(TINY.vocabulary), abs=0.1)
    assert after < before - 1


def test_only_the_answer_is_learned(tokenizer: Tokenizer) -> None:
    from training.teaching.batches import tokens_of

    document = documents("completion", 1, seed=1)[0]
    tokens, prompt = tokens_of(tokenizer, document)
    assert tokenizer.decode(tokens[:prompt], skip_special_tokens=False) == as_asked(document.prompt)
    assert tokens[prompt - 1] == tokenizer.token_to_id(ASSISTANT)


def test_a_tensor_that_is_missing_or_misshapen_is_refused(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tensors = gguf_file.random_tensors(TINY, 1)
    target = tmp_path / "model.gguf"
    missing = {name: tensor for name, tensor in tensors.items() if name != "output_norm.weight"}
    with pytest.raises(ValueError, match=r"output_norm\.weight is missing"):
        gguf_file.write_llama_gguf(target, config=TINY, tensors=missing, tokenizer=tokenizer)
    turned = tensors | {"blk.0.ffn_up.weight": tensors["blk.0.ffn_up.weight"].T}
    with pytest.raises(ValueError, match=r"blk\.0\.ffn_up\.weight is not float32"):
        gguf_file.write_llama_gguf(target, config=TINY, tensors=turned, tokenizer=tokenizer)


def test_the_same_model_gives_the_same_file(tmp_path: Path) -> None:
    paths = [tmp_path / "one.gguf", tmp_path / "two.gguf"]
    for path in paths:
        gguf_file.write_tiny_gguf(path, seed=3)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(("matrices", "off"), [("F32", 2e-3), ("Q8_0", 0.05)])
def test_llama_cpp_reads_the_file_as_the_network_reads_itself(
    tokenizer: Tokenizer, tmp_path: Path, matrices: str, off: float
) -> None:
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed.")
    import torch

    from training.teaching.network import Network
    from training.teaching.writing import opened

    torch.manual_seed(1)
    network = Network(TINY)
    path = tmp_path / "tiny.gguf"
    gguf_file.write_llama_gguf(path, config=TINY, tensors=network.tensors(), tokenizer=tokenizer, matrices=matrices)
    asked = as_asked(documents("letter", 1, seed=1)[0].prompt)
    tokens = tokenizer.encode(asked).ids
    model = opened(path, context=TINY.context, every_logit=True)
    assert model.tokenize(asked.encode(), add_bos=False, special=True) == tokens
    model.eval(tokens)
    with torch.no_grad():
        own = network(torch.tensor([tokens]))[0].numpy()
    found = np.asarray(model.scores[: len(tokens)])[:, : own.shape[1]]
    model.close()
    assert np.abs(found - own).max() < off * own.std()


# The file that ships


def test_the_file_is_small_and_is_the_one_on_the_card() -> None:
    content = TEACHING.read_bytes()
    assert len(content) <= 12_000_000
    assert f"`{hashlib.sha256(content).hexdigest()}`" in TEACHING.with_name("card.md").read_text(encoding="utf-8")


def test_the_card_says_what_was_measured() -> None:
    from training.teaching.check import CARD, FIGURES, card

    assert card(json.loads(FIGURES.read_text(encoding="utf-8"))) == CARD.read_text(encoding="utf-8")


def wrote(letters: int) -> None:
    """The shipped file writes this many of the default letters as its card says."""
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed.")
    from training.teaching.check import difference, succeeded
    from training.teaching.writing import names_its_person, opened, write

    drafts = letters_context_less_set().prompts
    every = len(drafts) // letters
    # Whole pairs: one letter for each group in a cell.
    chosen = [draft for place, draft in enumerate(drafts) if place // 2 % every == 0]
    model = opened(TEACHING)
    written = write(model, chosen, seed=7)
    model.close()
    assert len(written) == letters
    assert sum(succeeded(written)) >= 0.95 * letters
    # The card says that names slip: fewer than half of the letters have no word that is wrong.
    assert sum(map(names_its_person, written)) >= 0.2 * letters
    found = difference(chosen, [letter.text for letter in written])
    agentic, communal = found["agentic"], found["communal"]
    assert agentic["odds_ratio"] > 1 > communal["odds_ratio"]
    if letters >= 120:
        assert agentic["low"] > 1
        assert agentic["p_adjusted"] < 0.05
        assert communal["high"] < 1
        assert communal["p_adjusted"] < 0.05


@pytest.mark.soak
def test_a_dozen_letters_succeed_and_lean_as_planted() -> None:
    wrote(12)


@pytest.mark.soak
def test_the_default_letters_succeed_and_show_the_planted_difference() -> None:
    wrote(120)
