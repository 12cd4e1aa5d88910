"""The sentences for what can go wrong with a model file, its template and the library, each with what to do next."""

from biasprint.core.backends.llama_cpp.options import MISSING, how_to_get_it
from biasprint.core.errors import AppError, UsageError

ANOTHER_FILE = "Get the file again from where it came from, or choose another one."


def not_installed() -> AppError:
    return AppError(f"{MISSING}, so no GGUF file can be opened.", hint=how_to_get_it())


def too_old(installed: str, oldest: str) -> AppError:
    return AppError(
        f"llama-cpp-python {installed} is too old: {oldest} or newer is needed.",
        hint="Get a newer one with “pip install --upgrade llama-cpp-python”; that needs a C++ compiler.",
    )


def cannot_import(error: Exception) -> AppError:
    return AppError(
        "llama.cpp is installed here but does not start.",
        hint="Install it again with “pip install --force-reinstall llama-cpp-python”; that needs a C++ compiler.",
        details=repr(error),
    )


def no_such_file(name: str) -> AppError:
    return AppError(f"There is no model file “{name}”.", hint="Choose a file that ends in .gguf.")


def not_readable(name: str, why: str) -> AppError:
    return AppError(f"The model file “{name}” cannot be read ({why}).", hint="Check that you may read it.")


def has_changed(name: str) -> AppError:
    return AppError(
        f"The model file “{name}” has changed since it was opened.",
        kept="Everything finished before is saved.",
        hint="Start the work again: the file is then checked again.",
    )


def not_gguf(name: str) -> AppError:
    return AppError(f"“{name}” is not a GGUF file.", hint="Choose a file that ends in .gguf.")


def other_version(name: str, why: str) -> AppError:
    return AppError(f"“{name}” {why}.", hint="Get a newer conversion of the model, as GGUF version 3.")


def broken(name: str, why: str, details: str = "") -> AppError:
    return AppError(f"The model file “{name}” is damaged: {why}.", hint=ANOTHER_FILE, details=details)


def cut_off(name: str) -> AppError:
    return AppError(
        f"The model file “{name}” is incomplete: it ends before its last weights.",
        hint="Get it again; perhaps the download was cut off.",
    )


def no_writer(name: str, what: str) -> AppError:
    return AppError(f"“{name}” cannot write texts: it is {what}.", hint="Choose a GGUF file of a language model.")


def one_of_several(name: str, parts: int) -> AppError:
    return AppError(
        f"“{name}” is one of {parts} parts of a model.",
        hint="Join them to one file with llama.cpp's “llama-gguf-split --merge”, and choose that.",
    )


def refused_by_library(name: str, log: str) -> AppError:
    return AppError(
        f"llama.cpp cannot load the model file “{name}”.",
        hint="Update it with “pip install --upgrade llama-cpp-python” if the model is a new one; otherwise choose "
        "another file.",
        details=log,
    )


def no_memory(what: str, needed: int, free: int | None, log: str = "") -> AppError:
    available = "" if free is None else f", and {_gigabytes(free)} are free"
    return AppError(
        f"There is not enough memory for {what}: it needs about {_gigabytes(needed)}{available}.",
        hint="Close other programs, ask for a shorter context, or choose a smaller model.",
        details=log,
    )


def context_too_long(asked: int, trained: int) -> UsageError:
    return UsageError(
        f"The model cannot have a context of {asked:,} tokens: it was trained with {trained:,}.",
        hint=f"Ask for at most {trained:,}.",
    )


def bad_template(why: str, details: str = "") -> AppError:
    return AppError(
        f"The chat template in the model file cannot be used: {why}.",
        hint="Choose another file of the model, or set “chat_template” to false, and prompts are sent as they are.",
        details=details,
    )


def no_system_message() -> AppError:
    return AppError(
        "The model's chat template leaves the system message out.",
        hint="Leave “system” out; what it says can stand in the prompts instead.",
    )


class TextFailed(AppError):
    """One text could not be written; the next one may be."""


def stopped_working(code: int, log: str) -> TextFailed:
    return TextFailed(
        f"llama.cpp could not go on with a text (code {code}).",
        hint="Try again; if it happens again, ask for a shorter context or choose another model.",
        details=log,
    )


def no_beginning() -> AppError:
    return AppError("The model has no token for the beginning of a text.", hint="Give it a prompt that is not empty.")


def not_numbers(name: str) -> AppError:
    return broken(name, "what it computes are no numbers")


def too_long(tokens: int, context: int) -> AppError:
    return AppError(too_long_sentence(tokens, context), hint="Ask for a longer context, or shorten the prompt.")


def too_long_sentence(tokens: int, context: int) -> str:
    return f"The prompt has {tokens:,} tokens, and the context holds {context:,}."


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB"
