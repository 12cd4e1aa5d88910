"""The tokeniser, a byte-level BPE split as GPT-2 splits text, and the turns of a chat."""

from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

BEGIN, END, USER, ASSISTANT = "<|begin|>", "<|end|>", "<|user|>", "<|assistant|>"
# Their numbers are 0 to 3, in this order.
SPECIAL = (BEGIN, END, USER, ASSISTANT)

# Whatever is no answer of the model's is read as a request: the model knows nothing else.
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'assistant' %}<|assistant|>{{ message['content'] }}<|end|>"
    "{% else %}<|user|>{{ message['content'] }}{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """A tokeniser with `vocabulary` tokens at most, special ones and all 256 bytes included; the same for one text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def as_asked(prompt: str) -> str:
    """One request as the chat template puts it, up to where the model begins to write."""
    return f"{BEGIN}{USER}{prompt}{ASSISTANT}"
