"""Letting a GGUF file write, through llama_cpp directly, and looking at what came: for checks and tests."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from biasprint.core.backends.protocol import output_seed
from biasprint.core.prompts.drafts import PromptDraft

# More than the longest letter of the training text.
MOST_TOKENS = 600


@dataclass(frozen=True)
class Written:
    """`ended`: the model ended the text itself."""

    draft: PromptDraft
    text: str
    ended: bool


def opened(path: Path, *, context: int = 1024, every_logit: bool = False, threads: int = 1) -> Any:
    """The model, in this process. `every_logit` keeps those of the prompt too."""
    from llama_cpp import Llama

    return Llama(
        str(path), n_ctx=context, n_threads=threads, n_threads_batch=threads, logits_all=every_logit, verbose=False
    )


def write(model: Any, drafts: Iterable[PromptDraft], *, seed: int, temperature: float = 1.0) -> list[Written]:
    """A text for each prompt, drawn from the model's own distribution: top-p 1, nothing cut, nothing penalised."""
    texts = []
    for draft in drafts:
        answer = model.create_chat_completion(
            [{"role": "user", "content": draft.text}],
            max_tokens=MOST_TOKENS,
            seed=output_seed(seed, draft.key, 0) % 2**32,
            temperature=temperature,
            top_p=1.0,
            top_k=0,
            min_p=0.0,
            repeat_penalty=1.0,
        )["choices"][0]
        texts.append(Written(draft, answer["message"]["content"], answer["finish_reason"] == "stop"))
    return texts


def names_its_person(letter: Written) -> bool:
    """The letter has the name that was asked for, no other, and no pronoun of the other gender."""
    words = re.findall(r"[^\W\d_]+", letter.text)
    fields = letter.draft.fields
    other = {"he": {"she", "her", "hers", "herself"}, "she": {"he", "him", "his", "himself"}}[fields["pronouns"]]
    known = _words_of_the_grammar() | set(re.findall(r"[^\W\d_]+", f"{fields['name']} {fields['occupation']}"))
    strange = {word for word in words if word[0].isupper() and word not in known}
    return fields["name"] in letter.text and not strange and not other & {word.lower() for word in words}


@cache
def _words_of_the_grammar() -> frozenset[str]:
    """Every word that the grammar's letters can have, also with a capital."""
    folder = files("biasprint.resources").joinpath("synthetic", "letters")
    text = " ".join(folder.joinpath(name).read_text(encoding="utf-8") for name in ("letter.toml", "occupations.toml"))
    words = set(re.findall(r"[^\W\d_]+", text)) | {"She", "Her", "Herself", "They", "Their"}
    return frozenset(words | {word.capitalize() for word in words})


def share(found: Sequence[bool]) -> float:
    return sum(found) / len(found)
