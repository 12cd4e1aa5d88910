"""How well a model foretells the grammar's texts: e to the mean loss in nats per token of the texts, prompts given."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from training.teaching.batches import parts_of, tokens_of
from training.teaching.config import TEACHING
from training.teaching.corpus import Document
from training.teaching.network import Network
from training.teaching.train import losses


def of_network(folder: Path, documents: Sequence[Document]) -> float:
    """Of the weights as trained, in float32, from the folder that training kept."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    network = Network(TEACHING)
    network.load_state_dict(torch.load(folder / "weights.pt", weights_only=True))
    with torch.no_grad():
        found = torch.cat([losses(network, part) for part in parts_of(tokenizer, documents)])
    return float(found.double().mean().exp())


def of_file(model: Any, folder: Path, documents: Sequence[Document]) -> float:
    """Of a GGUF file opened with `every_logit`, over the same tokens.

    Raises `ValueError` where the file's tokeniser splits a text otherwise than the one it was trained with.
    """
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    lost: list[float] = []
    for document in documents:
        tokens, prompt = tokens_of(tokenizer, document)
        if (
            model.tokenize(tokenizer.decode(tokens, skip_special_tokens=False).encode(), add_bos=False, special=True)
            != tokens
        ):
            raise ValueError(f"The file splits “{document.prompt}” otherwise.")
        model.reset()
        model.eval(tokens)
        logits = np.asarray(model.scores[prompt - 1 : len(tokens) - 1], dtype=np.float64)
        top = logits.max(axis=1)
        whole = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
        lost += list(whole - logits[np.arange(len(logits)), tokens[prompt:]])
    return float(np.exp(np.mean(lost)))
