"""The chat template of a model: what stands before and after a prompt, worked out once.

The template is rendered with a mark for the prompt, in a sandbox with bounds. What stands around the mark in the
result is put around every prompt: so that no prompt meets the template's code, and so that it is known which part of
the text is the template's, in which special tokens count, and which is the prompt's, in which they are plain text.
"""

from dataclasses import dataclass

from jinja2 import TemplateError

from core.backends.llama_cpp import errors
from core.backends.llama_cpp.sandbox import LimitedEnvironment, TemplateRefused

_MARK = "7b9e1cprompt5d20f"


@dataclass(frozen=True)
class Around:
    """What is put around a prompt. `strips`: the template takes white space off both ends of the prompt."""

    before: str
    after: str
    strips: bool


def around(template: str, begin: str, end: str) -> Around:
    """Render a template with one message from a user and the beginning of an answer.

    `begin`, `end`: the texts of the special tokens. A template may ask for the day: it gets a fixed one.
    Raises `AppError` for a template that fails, takes too long, or does not put the prompt out once, as it is.
    """
    before, between, after = _rendered(template, f" {_MARK} ", begin, end)
    if between == f" {_MARK} ":
        return Around(before, after, strips=False)
    if between == _MARK:
        return Around(before, after, strips=True)
    raise errors.bad_template("it does not put the prompt out once, as it is")


def _rendered(template: str, prompt: str, begin: str, end: str) -> tuple[str, str, str]:
    """What stands before the prompt, the prompt as it came out, and what stands after it."""
    bare = render(template, _MARK, begin, end)
    text = render(template, prompt, begin, end)
    if bare.count(_MARK) != 1 or text.count(_MARK) != 1:
        raise errors.bad_template("it does not put the prompt out once, as it is")
    before, after = bare.split(_MARK)
    if not (text.startswith(before) and text.endswith(after)):
        raise errors.bad_template("it does not put the prompt out once, as it is")
    return before, text[len(before) : len(text) - len(after)], after


def render(template: str, prompt: str, begin: str, end: str) -> str:
    """One rendering, within bounds. Raises `AppError` with one sentence, whatever the template does."""
    environment = LimitedEnvironment()
    try:
        return environment.from_string(template).render(
            messages=[{"role": "user", "content": prompt}],
            add_generation_prompt=True,
            bos_token=begin,
            eos_token=end,
            tools=None,
            functions=None,
            documents=None,
        )
    except TemplateRefused as error:
        raise errors.bad_template(str(error)) from error
    except TemplateError as error:
        raise errors.bad_template(f"it fails ({_one_line(error)})", repr(error)) from error
    except (RecursionError, MemoryError) as error:
        raise errors.bad_template("it is nested too deeply", repr(error)) from error
    except Exception as error:  # a template is a stranger's program: anything may come of it
        raise errors.bad_template(f"it fails ({_one_line(error)})", repr(error)) from error


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
