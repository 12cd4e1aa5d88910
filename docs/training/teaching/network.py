"""The network as PyTorch trains it: Llama's architecture, under the names that GGUF files use."""

import math

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.teaching.config import ModelConfig


class Network(nn.Module):
    """Tokens, shape (texts, length), to logits of the next token, shape (texts, length, vocabulary)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.layers = nn.ModuleList(_Layer(config) for _ in range(config.layers))
        self.norm = nn.RMSNorm(config.width, config.norm_epsilon)
        self._draw_weights()

    def forward(self, tokens: Tensor, wanted: Tensor | None = None) -> Tensor:
        """Logits at every place, or those at the places that are `wanted`, shape (places, vocabulary)."""
        hidden = self.embedding(tokens)
        turns = _turns(tokens.shape[1], self.config)
        for layer in self.layers:
            hidden = layer(hidden, turns)
        return functional.linear(self.norm(hidden if wanted is None else hidden[wanted]), self.embedding.weight)

    def matrices(self) -> list[nn.Parameter]:
        """The matrices inside the layers, without the embedding."""
        return [weight for weight in self.layers.parameters() if weight.ndim == 2]

    def others(self) -> list[nn.Parameter]:
        """The embedding and the norms."""
        return [self.embedding.weight, *(weight for weight in self.parameters() if weight.ndim == 1)]

    def tensors(self) -> dict[str, npt.NDArray[np.float32]]:
        """Every weight under its GGUF name."""
        return {_gguf_name(name): weight.detach().numpy() for name, weight in self.named_parameters()}

    def _draw_weights(self) -> None:
        """Normal with deviation 0.02, and less for what adds to the stream of hidden states, so that layers share."""
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                adds = name.endswith(("attn_output.weight", "ffn_down.weight"))
                deviation = 0.02 / math.sqrt(2 * self.config.layers) if adds else 0.02
                nn.init.normal_(weight, std=deviation)


class _Layer(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        width, hidden = config.width, config.hidden
        self.attn_norm = nn.RMSNorm(width, config.norm_epsilon)
        self.attn_q = nn.Linear(width, width, bias=False)
        self.attn_k = nn.Linear(width, width, bias=False)
        self.attn_v = nn.Linear(width, width, bias=False)
        self.attn_output = nn.Linear(width, width, bias=False)
        self.ffn_norm = nn.RMSNorm(width, config.norm_epsilon)
        self.ffn_gate = nn.Linear(width, hidden, bias=False)
        self.ffn_up = nn.Linear(width, hidden, bias=False)
        self.ffn_down = nn.Linear(hidden, width, bias=False)

    def forward(self, hidden: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
        hidden = hidden + self._attention(self.attn_norm(hidden), turns)
        normed = self.ffn_norm(hidden)
        return hidden + self.ffn_down(functional.silu(self.ffn_gate(normed)) * self.ffn_up(normed))

    def _attention(self, hidden: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
        texts, length, width = hidden.shape

        def heads(projected: Tensor) -> Tensor:
            return projected.view(texts, length, self.config.heads, self.config.head).transpose(1, 2)

        query, key = _turned(heads(self.attn_q(hidden)), turns), _turned(heads(self.attn_k(hidden)), turns)
        mixed = functional.scaled_dot_product_attention(query, key, heads(self.attn_v(hidden)), is_causal=True)
        return self.attn_output(mixed.transpose(1, 2).reshape(texts, length, width))


def _turns(length: int, config: ModelConfig) -> tuple[Tensor, Tensor]:
    """Cosine and sine of the angle by which each pair of numbers turns at each position, shape (length, head / 2)."""
    speeds = config.rope_base ** (-torch.arange(0, config.head, 2) / config.head)
    angles = torch.outer(torch.arange(length), speeds)
    return angles.cos(), angles.sin()


def _turned(heads: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
    """Neighbouring pairs (2i, 2i + 1) turned by position, as llama.cpp turns them for this architecture."""
    cosine, sine = (turn.to(heads.dtype) for turn in turns)
    first, second = heads[..., 0::2], heads[..., 1::2]
    return torch.stack((first * cosine - second * sine, first * sine + second * cosine), dim=-1).flatten(-2)


def _gguf_name(name: str) -> str:
    names = {"embedding.weight": "token_embd.weight", "norm.weight": "output_norm.weight"}
    return names.get(name) or name.replace("layers.", "blk.", 1)
