"""Tiny models in the architectures that the catalogue names: random weights, tokenizers made here, safetensors.

Each writes a folder as the hub has it. The numbers they give mean nothing; that they load and compute as the real ones
do is what the tests look at. Call `torch.manual_seed` first for the same weights again.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WORDS = """
the a of and to in is was she he they her his teacher doctor nurse leader team kind warm bold calm led wrote read
letter book garden city friend student garden old new good bad very not never always work works worked won prize
help helps helped care cares strong brave gentle idea ideas question answer first last long short day night . , !
? ' - 1 2 3 10
""".split()  # noqa: SIM905 - easier to read
LETTERS = list("abcdefghijklmnopqrstuvwxyz")
SST2 = ("NEGATIVE", "POSITIVE")
FORMALITY = ("informal", "formal")
NLI = ("entailment", "neutral", "contradiction")
UNBIASED = (
    "toxicity", "severe_toxicity", "obscene", "identity_attack", "insult", "threat", "sexual_explicit",
)  # fmt: skip
GROUPS = (
    "male", "female", "homosexual_gay_or_lesbian", "christian", "jewish", "muslim", "black", "white",
    "psychiatric_or_mental_illness",
)  # fmt: skip
JIGSAW = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")
CHAT = (
    "{% for message in messages %}<|{{ message['role'] }}|> {{ message['content'] }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_SMALL: dict[str, Any] = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64,
}  # fmt: skip


def bert_tokenizer(extra: Sequence[str] = ()) -> Any:
    from transformers import BertTokenizer

    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(WORDS), *LETTERS]
    vocab += [f"##{letter}" for letter in LETTERS] + list(extra)
    return BertTokenizer(vocab={word: place for place, word in enumerate(dict.fromkeys(vocab))}, model_max_length=64)


def roberta_tokenizer(most: int = 64) -> Any:
    """Byte-level, so that it knows every text."""
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import RobertaTokenizer

    known = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *sorted(ByteLevel.alphabet())]
    return RobertaTokenizer(vocab={word: place for place, word in enumerate(known)}, merges=[], model_max_length=most)


def roberta_classifier(folder: Path, labels: Sequence[str] = FORMALITY, *, most: int = 64, width: int = 32) -> Path:
    from transformers import RobertaConfig, RobertaForSequenceClassification

    tokenizer = roberta_tokenizer(most)
    sizes = _SMALL | {"hidden_size": width, "intermediate_size": 2 * width}
    config = RobertaConfig(
        **sizes, vocab_size=len(tokenizer), max_position_embeddings=most + 2, pad_token_id=1, **_named(labels)
    )
    return _saved(folder, RobertaForSequenceClassification(config), tokenizer)


def bert_classifier(folder: Path, labels: Sequence[str] = SST2) -> Path:
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = bert_tokenizer()
    config = BertConfig(**_SMALL, vocab_size=len(tokenizer), max_position_embeddings=64, **_named(labels))
    return _saved(folder, BertForSequenceClassification(config), tokenizer)


def distilbert_classifier(folder: Path, labels: Sequence[str] = SST2) -> Path:
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    tokenizer = bert_tokenizer()
    config = DistilBertConfig(
        vocab_size=len(tokenizer), dim=32, hidden_dim=64, n_layers=2, n_heads=2, max_position_embeddings=64,
        **_named(labels),
    )  # fmt: skip
    return _saved(folder, DistilBertForSequenceClassification(config), tokenizer)


def toxic_bert(folder: Path) -> Path:
    """As the hub's unitary/toxic-bert is laid out."""
    return bert_classifier(folder, JIGSAW)


def unbiased_roberta(folder: Path) -> Path:
    """As the hub's unitary/unbiased-toxic-roberta is laid out: seven classes, and behind them groups."""
    return roberta_classifier(folder, (*UNBIASED, *GROUPS))


def multilingual_xlm_roberta(folder: Path) -> Path:
    """As the hub's unitary/multilingual-toxic-xlm-roberta is laid out."""
    from transformers import XLMRobertaConfig, XLMRobertaForSequenceClassification, XLMRobertaTokenizer

    known = ["<s>", "<pad>", "</s>", "<unk>", *(f"▁{word}" for word in dict.fromkeys(WORDS)), "▁", *LETTERS, "<mask>"]
    pieces = [(piece, -1.0 - place / 100) for place, piece in enumerate(dict.fromkeys(known))]
    tokenizer = XLMRobertaTokenizer(vocab=pieces, model_max_length=62)
    config = XLMRobertaConfig(
        **_SMALL, vocab_size=len(tokenizer), max_position_embeddings=66, pad_token_id=1, **_named((*UNBIASED, *GROUPS))
    )
    return _saved(folder, XLMRobertaForSequenceClassification(config), tokenizer)


def detoxify_checkpoint(folder: Path, name: str = "toxic.ckpt") -> Path:
    """The folder's weights as Detoxify's own checkpoint instead, with its settings of training."""
    import torch
    from safetensors.torch import load_file

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    labels = [label for label in config["id2label"].values() if label not in GROUPS]
    arch = {
        "model_type": "bert-base-uncased", "model_name": config["architectures"][0], "tokenizer_name": "BertTokenizer",
        "num_classes": len(config["id2label"]),
    }  # fmt: skip
    weights = load_file(folder / "model.safetensors")
    content = {"config": {"arch": {"args": arch}, "dataset": {"args": {"classes": labels}}}, "state_dict": weights}
    torch.save(content, folder / name)
    (folder / "model.safetensors").unlink()
    return folder


def mpnet_embedder(folder: Path, *, pooling: str = "pooling_mode_mean_tokens") -> Path:
    from transformers import MPNetConfig, MPNetModel, MPNetTokenizer

    known = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>", *dict.fromkeys(WORDS), *LETTERS]
    known += [f"##{letter}" for letter in LETTERS]
    tokenizer = MPNetTokenizer(vocab={word: place for place, word in enumerate(known)}, model_max_length=62)
    config = MPNetConfig(**_SMALL, vocab_size=len(tokenizer), max_position_embeddings=64, pad_token_id=1)
    return _sentence_embedder(_saved(folder, MPNetModel(config), tokenizer), 32, pooling, most=40)


def minilm_embedder(folder: Path, *, width: int = 32) -> Path:
    from transformers import BertConfig, BertModel

    tokenizer = bert_tokenizer()
    sizes = _SMALL | {"hidden_size": width, "intermediate_size": 2 * width}
    config = BertConfig(**sizes, vocab_size=len(tokenizer), max_position_embeddings=64)
    return _sentence_embedder(_saved(folder, BertModel(config), tokenizer), width, "pooling_mode_mean_tokens", most=64)


def llama(folder: Path, *, template: str | None = CHAT, context: int = 128) -> Path:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    special = ["<s>", "</s>", "<|user|>", "<|assistant|>"]
    known = {word: place for place, word in enumerate([*special, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    raw = Tokenizer(models.BPE(vocab=known, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, bos_token="<s>", eos_token="</s>", additional_special_tokens=special[2:],
        model_max_length=context, chat_template=template,
    )  # fmt: skip
    config = LlamaConfig(
        **_SMALL, vocab_size=len(known), max_position_embeddings=context, bos_token_id=0, eos_token_id=1,
        num_key_value_heads=1,
    )  # fmt: skip
    return _saved(folder, LlamaForCausalLM(config), tokenizer)


def only_pickles(folder: Path) -> Path:
    """The same folder with its weights as a pickle instead."""
    import torch
    from safetensors.torch import load_file

    weights = folder / "model.safetensors"
    torch.save(load_file(weights), folder / "pytorch_model.bin")
    weights.unlink()
    return folder


def with_code(folder: Path, canary: Path, *, model_type: str | None = None) -> Path:
    """The folder with program code beside its weights that writes `canary` when it is run, by import or by call."""
    code = f"from pathlib import Path\nPath({str(canary)!r}).write_text('run')\nclass Hidden: ...\n"
    for name in ("modeling_hidden", "configuration_hidden", "tokenization_hidden"):
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    (folder / "custom_generate").mkdir()
    (folder / "custom_generate" / "generate.py").write_text(code, encoding="utf-8")
    kinds = ("AutoModel", "AutoModelForSequenceClassification", "AutoModelForCausalLM")
    change(
        folder,
        auto_map={"AutoConfig": "configuration_hidden.Hidden", **dict.fromkeys(kinds, "modeling_hidden.Hidden")},
        **({} if model_type is None else {"model_type": model_type}),
    )
    tokenizer = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    tokenizer["auto_map"] = {"AutoTokenizer": ["tokenization_hidden.Hidden", "tokenization_hidden.Hidden"]}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    return folder


def change(folder: Path, **values: Any) -> Path:
    """config.json with other values; None takes one out."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8")) | values
    kept = {key: value for key, value in config.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(kept), encoding="utf-8")
    return folder


def _named(labels: Sequence[str]) -> dict[str, Any]:
    return {"id2label": dict(enumerate(labels)), "label2id": {label: place for place, label in enumerate(labels)}}


def _saved(folder: Path, model: Any, tokenizer: Any) -> Path:
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _sentence_embedder(folder: Path, width: int, pooling: str, most: int) -> Path:
    kinds = ("Transformer", "Pooling", "Normalize")
    parts = [
        {"idx": place, "name": str(place), "path": "" if place == 0 else f"{place}_{kind}",
         "type": f"sentence_transformers.models.{kind}"}
        for place, kind in enumerate(kinds)
    ]  # fmt: skip
    (folder / "modules.json").write_text(json.dumps(parts), encoding="utf-8")
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": most, "do_lower_case": False}))
    (folder / "1_Pooling").mkdir()
    settings = {"word_embedding_dimension": width, pooling: True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "2_Normalize").mkdir()
    return folder
