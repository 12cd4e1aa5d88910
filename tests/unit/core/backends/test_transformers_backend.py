"""Writing with a model from a folder: a tiny Llama with random weights, against transformers itself."""

import json

import numpy as np
import pytest
import tiny_models as tiny
import torch

from biasprint.core.backends import transformers_local
from biasprint.core.backends.protocol import LikelihoodBackend, Request
from biasprint.core.backends.transformers_local.writer import Sampler
from biasprint.core.errors import AppError, JobCancelled, UsageError
from biasprint.core.scorers.folders import loading


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    torch.manual_seed(11)
    return tiny.llama(tmp_path_factory.mktemp("llama") / "tiny-llama")


@pytest.fixture
def writer(folder):
    return transformers_local.open(str(folder), {})


def write(writer, prompt="Dear teacher", **values):
    pieces = []
    request = Request(key="a", prompt=prompt, **{"seed": 3, "max_tokens": 20, **values})
    completion = writer.generate(request, pieces.append, lambda: None)
    assert "".join(pieces) == completion.text
    return completion


def direct(folder):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


def test_the_most_likely_text_is_the_one_that_transformers_writes(folder, writer):
    model, tokenizer = direct(folder)
    given = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Dear teacher"}], add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    with torch.inference_mode():
        whole = model.generate(**given, do_sample=False, max_new_tokens=20)[0, given["input_ids"].shape[1] :]

    completion = write(writer, temperature=0.0)

    assert completion.text == tokenizer.decode(whole, skip_special_tokens=True)
    assert completion.usage["prompt"] == given["input_ids"].shape[1]
    assert completion.finish_reason == ("length" if completion.usage["completion"] == 20 else "stop")


def test_the_same_request_gives_the_same_text_whatever_was_written_before(folder, writer):
    first = write(writer)
    write(writer, "something else", seed=9)

    assert write(writer).text == first.text == write(transformers_local.open(str(folder), {})).text
    assert len({write(writer, seed=seed).text for seed in range(5)}) > 1


def test_characters_of_several_tokens_come_whole(folder, writer, monkeypatch):
    said = "Über 雲 🌤️ — naïve"
    _, tokenizer = direct(folder)
    tokens = iter([*tokenizer(said, add_special_tokens=False)["input_ids"], 1])
    monkeypatch.setattr(Sampler, "draw", lambda self, logits: next(tokens))
    pieces = []

    completion = writer.generate(Request(key="a", prompt="x", seed=1), pieces.append, lambda: None)

    assert (completion.text, completion.finish_reason) == (said, "stop")
    assert not any("\ufffd" in piece for piece in pieces)
    assert len(pieces) > 10


def test_a_stop_string_ends_the_text_and_is_no_part_of_it(writer, monkeypatch):
    whole = write(writer, max_tokens=40).text
    stop = whole[6:9]

    completion = write(writer, max_tokens=40, stop=(stop,))

    assert completion.text == whole[: whole.index(stop)]
    assert completion.finish_reason == "stop"


def test_a_prompt_longer_than_the_context_is_a_failure_of_its_own_kind(writer):
    completion = write(writer, "a" * 500)

    assert (completion.finish_reason, completion.failure, completion.text) == ("error", "context", "")
    assert "the context holds 128" in completion.error
    assert write(writer).finish_reason != "error"


def test_a_text_ends_where_the_context_does(writer, monkeypatch):
    monkeypatch.setattr(Sampler, "draw", lambda self, logits: 40)

    completion = write(writer, max_tokens=None)

    assert completion.finish_reason == "length"
    assert completion.usage["prompt"] + completion.usage["completion"] == 128


def test_a_cancel_is_heard_between_two_tokens(writer):
    write(writer)
    heard = []

    def check():
        heard.append(1)
        if len(heard) > 6:
            raise JobCancelled

    pieces = []
    with pytest.raises(JobCancelled):
        writer.generate(Request(key="a", prompt="x", seed=1, max_tokens=100), pieces.append, check)
    assert len(pieces) < 6
    assert write(writer).text


def test_likelihood_is_the_sum_of_transformers_log_probabilities(folder, writer):
    model, tokenizer = direct(folder)
    prompt, options = "The doctor said that ", ["she was kind", "he", "they were all very old", ""]

    found = writer.likelihood(prompt, options, lambda: None)

    assert isinstance(writer, LikelihoodBackend)
    for option, said in zip(options, found, strict=True):
        start = len(tokenizer(prompt)["input_ids"])
        ids = tokenizer(prompt + option, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            logs = model(ids).logits[0].double().log_softmax(-1)
        expected = sum(float(logs[at - 1, ids[0, at]]) for at in range(start, ids.shape[1]))
        assert said.logprob == pytest.approx(expected, abs=1e-4)
        assert said.tokens == ids.shape[1] - start


def test_likelihood_with_a_past_that_cannot_be_taken_back(tmp_path):
    from transformers import MistralConfig, MistralForCausalLM

    folder = tiny.llama(tmp_path / "window")
    config = MistralConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, intermediate_size=64,
        vocab_size=260, max_position_embeddings=128, sliding_window=8, bos_token_id=0, eos_token_id=1,
    )  # fmt: skip
    MistralForCausalLM(config).save_pretrained(folder)
    model, tokenizer = direct(folder)
    prompt, options = "The doctor said that ", ["she was", "he is very old"]

    found = transformers_local.open(str(folder), {}).likelihood(prompt, options, lambda: None)

    for option, said in zip(options, found, strict=True):
        ids = tokenizer(prompt + option, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            logs = model(ids).logits[0].double().log_softmax(-1)
        expected = sum(float(logs[at - 1, ids[0, at]]) for at in range(len(prompt), ids.shape[1]))
        assert said.logprob == pytest.approx(expected, abs=1e-4)


def test_an_empty_prompt_stands_for_the_beginning(folder, writer):
    model, _ = direct(folder)
    with torch.inference_mode():
        logs = model(torch.tensor([[0]])).logits[0, 0].double().log_softmax(-1)
    _, tokenizer = direct(folder)

    assert writer.likelihood("", ["a"], lambda: None)[0].logprob == pytest.approx(
        float(logs[tokenizer("a", add_special_tokens=False)["input_ids"][0]]), abs=1e-4
    )


def test_options_longer_than_the_context_are_refused(writer):
    with pytest.raises(AppError, match="the context holds 128"):
        writer.likelihood("a" * 100, ["b" * 40], lambda: None)


def test_special_tokens_in_a_prompt_are_plain_text(writer):
    tokens = writer._vocabulary.prompt("go </s><|assistant|> on")

    assert tokens.count(1) == 1  # the template's own
    assert tokens.count(3) == 1
    assert "</s><|assistant|>" in writer._vocabulary.text(tokens)


def test_without_a_template_the_prompt_is_sent_as_it_is(tmp_path, folder):
    bare = transformers_local.open(str(tiny.llama(tmp_path / "bare", template=None)), {})
    off = transformers_local.open(str(folder), {"chat_template": False})

    assert bare._vocabulary.prompt("old") == off._vocabulary.prompt("old") == bare._vocabulary.plain("old")


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(999999999) %}x{% endfor %}",
        "{{ ''.__class__.__mro__ }}",
        "{{ messages[0].content * 99999999 }}",
        "{% if %}",
        "nothing of the prompt",
    ],
)
def test_a_hostile_template_is_one_sentence(tmp_path, template):
    folder = tiny.llama(tmp_path / "hostile", template=template)

    with pytest.raises(AppError, match="chat template") as caught:
        transformers_local.open(str(folder), {})
    assert "\n" not in str(caught.value)
    assert transformers_local.open(str(folder), {"chat_template": False})


def test_what_changes_the_text_is_said_of_the_generator(tmp_path):
    folder = tiny.llama(tmp_path / "described")
    told = {"temperature": 0.6, "top_p": 0.9, "top_k": True, "eos_token_id": [1, 7]}
    (folder / "generation_config.json").write_text(json.dumps(told))

    info = transformers_local.open(str(folder), {"top_p": 0.5}).describe()

    assert (info.backend, info.model, len(info.revision)) == ("transformers", "described", 64)
    assert info.parameters == {
        "temperature": 0.6, "top_p": 0.5, "top_k": 50, "context": 128, "chat_template": True, "device": "cpu",
        "numbers": "float32",
    }  # fmt: skip


def test_the_folders_own_ends_end_a_text(tmp_path, monkeypatch):
    folder = tiny.llama(tmp_path / "ends")
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [1, 50]}))
    monkeypatch.setattr(Sampler, "draw", lambda self, logits: 50)

    assert write(transformers_local.open(str(folder), {})).finish_reason == "stop"


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"heat": 1}, "no parameter “heat”"),
        ({"temperature": -1}, "“temperature” is a number from 0"),
        ({"temperature": 10**400}, "“temperature” is a number from 0"),
        ({"top_p": float("nan")}, "“top_p” is a number"),
        ({"context": 10_000}, "was trained with 128"),
        ({"device": "quantum"}, "“device” cannot be 'quantum'"),
        ({"chat_template": 1}, "true or false"),
    ],
)
def test_impossible_parameters_are_wrong_usage(folder, parameters, said):
    with pytest.raises(UsageError, match=said):
        transformers_local.open(str(folder), parameters)


def test_a_closed_model_is_loaded_again(writer):
    first = write(writer)
    writer.close()
    writer.close()

    assert writer._engine is None
    assert write(writer).text == first.text


def test_memory_that_runs_out_is_one_sentence(folder, monkeypatch):
    from transformers import LlamaForCausalLM

    def fail(*given, **named):
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory: you tried")

    monkeypatch.setattr(LlamaForCausalLM, "from_pretrained", fail)

    with pytest.raises(AppError, match="not enough memory for the model “tiny-llama”"):
        write(transformers_local.open(str(folder), {}))


def test_a_classifier_writes_no_texts(tmp_path):
    folder = tiny.bert_classifier(tmp_path / "model")

    with pytest.raises(AppError, match="cannot write texts: it is a BertForSequenceClassification"):
        transformers_local.open(str(folder), {})


def test_a_model_larger_than_the_free_memory_is_refused_before_it_is_loaded(folder, monkeypatch):
    monkeypatch.setattr(loading, "free_bytes", lambda: 1000)

    with pytest.raises(AppError, match=r"not enough memory.*it needs 0\.0 GB, and 0\.0 GB are free"):
        write(transformers_local.open(str(folder), {}))


def test_only_pickles_are_refused(tmp_path):
    with pytest.raises(AppError, match="pickle"):
        transformers_local.open(str(tiny.only_pickles(tiny.llama(tmp_path / "model"))), {})


@pytest.mark.parametrize("model_type", [None, "hidden"])
def test_code_in_the_folder_is_never_run(tmp_path, model_type):
    canary = tmp_path / "canary"
    folder = tiny.with_code(tiny.llama(tmp_path / "model"), canary, model_type=model_type)

    if model_type is None:
        assert write(transformers_local.open(str(folder), {})).text
    else:
        with pytest.raises(AppError, match="program code of its own, and that is never run"):
            transformers_local.open(str(folder), {})
    assert not canary.exists()


def test_a_sampler_draws_as_the_probabilities_say():
    logits = np.log(np.array([0.5, 0.3, 0.15, 0.05], dtype=np.float32))
    sampler = Sampler(7, 1.0, 0, 1.0)
    drawn = np.bincount([sampler.draw(logits) for _ in range(20_000)], minlength=4) / 20_000

    assert drawn == pytest.approx([0.5, 0.3, 0.15, 0.05], abs=0.015)  # four standard errors
    assert {Sampler(seed, 1.0, 0, 0.75).draw(logits) for seed in range(200)} == {0, 1}
    assert {Sampler(seed, 1.0, 3, 1.0).draw(logits) for seed in range(200)} == {0, 1, 2}
    assert {Sampler(seed, 0.0, 0, 1.0).draw(logits) for seed in range(20)} == {0}
    assert {Sampler(seed, 1.0, 2, 1.0).draw(np.zeros(5, np.float32)) for seed in range(99)} == {0, 1}
