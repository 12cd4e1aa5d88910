"""Options of a command that belong together, declared once as a dataclass."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from biasprint.core.cli.console import note
from biasprint.core.errors import UsageError
from biasprint.core.given import ordinary_file


def words_of(path: Path | None, what: str) -> str:
    """Return the text of a file that a person wrote, "" for none. Raises `UsageError` where it holds no words."""
    if path is None:
        return ""
    try:
        ordinary_file(path, follow=True)
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"The {what} {path.name} cannot be read.", hint="Name a text file in UTF-8.") from None
    if not text.strip():
        raise UsageError(f"The {what} {path.name} has no words.", hint="Write at least one, or leave the option out.")
    return text


# ---- Generators

Backend = Annotated[str, typer.Option(help="What kind of generator: synthetic, llama_cpp, transformers, …")]
Model = Annotated[
    str,
    typer.Option(
        help="The generator's model: of the synthetic author none, small, medium or large; a name that “models list” "
        "shows, a file or a folder; of an endpoint one of its own."
    ),
]
Endpoint = Annotated[str | None, typer.Option(help="An endpoint by its name; “endpoints list” shows them.")]
Temperature = Annotated[float | None, typer.Option(help="Where the generator has one.", min=0.0, max=5.0)]
TopP = Annotated[float | None, typer.Option("--top-p", help="Where the generator has one.", min=0.0, max=1.0)]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", help="The longest a text may get, in tokens.", min=1)]
Set = Annotated[list[str] | None, typer.Option("--set", help="name=value: another parameter of the generator.")]
AskKey = Annotated[
    bool, typer.Option("--ask-key", help="Ask for the endpoint's key, for this run alone; it is not shown or kept.")
]

UsePreset = Annotated[
    bool, typer.Option("--preset/--no-preset", help="Begin with what the catalogue recommends for this model and work.")
]

_WORDS: dict[str, Any] = {"true": True, "yes": True, "false": False, "no": False}


def parameters(
    endpoint: str | None,
    temperature: float | None,
    top_p: float | None,
    max_tokens: int | None,
    others: Sequence[str],
    **more: str | None,
) -> dict[str, Any]:
    """Return the given parameters, by the backend's names. Raises `UsageError` for a `--set` that is no name=value."""
    named: dict[str, Any] = {
        "endpoint": endpoint, "temperature": temperature, "top_p": top_p, "max_tokens": max_tokens, **more,
    }  # fmt: skip
    return {name: value for name, value in named.items() if value is not None} | dict(map(_pair, others))


def preset_of(backend: str, model: str, purpose: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the catalogue recommends for a local model and a study, or for judging; note its use on stderr."""
    from biasprint.core.runs.setup import recommended

    preset = recommended(backend, model, purpose)
    if preset:
        settings = ", ".join(f"{name} {given.get(name, value)}" for name, value in preset.items())
        note(f"As recommended for {model} and {purpose} (--no-preset leaves it out): {settings}.")
    return preset


def session_keys(endpoint: str | None, ask: bool) -> dict[str, str]:
    """The keys that this session alone knows, with those that are asked for now."""
    from biasprint.core.machine import endpoints, keys

    if not ask:
        return keys.session_keys()
    if endpoint is None:
        raise UsageError("--ask-key asks for the key of an endpoint.", hint="Name it with --endpoint.")
    urls = [address.base_url for address in endpoints.endpoint(endpoint).addresses]
    return keys.session_keys() | keys.by_name(endpoint, urls, typed_keys(endpoint, len(urls)))


def typed_keys(endpoint: str, addresses: int) -> str:
    """Ask for the key of an endpoint, or for its keys at so many addresses, and return what is typed."""
    several = f", or {addresses} with blanks between them, one for each address" if addresses > 1 else ""
    typed: str = typer.prompt(f"Key of {endpoint}{several}", hide_input=True, err=True)
    return typed


@dataclass(frozen=True)
class GeneratorOptions:
    """Options that say how a generator is asked: where, with which parameters and by which key."""

    endpoint: Endpoint = None
    temperature: Temperature = None
    top_p: TopP = None
    max_tokens: MaxTokens = None
    settings: Set = None
    preset: UsePreset = True
    ask_key: AskKey = False

    def chosen(
        self, backend: str, model: str, purpose: str, **more: str | None
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the parameters for a study, or for judging, with what is recommended below them; and the keys."""
        given = parameters(self.endpoint, self.temperature, self.top_p, self.max_tokens, self.settings or (), **more)
        if self.preset:
            given = {**preset_of(backend, model, purpose, given), **given}
        return given, session_keys(self.endpoint, self.ask_key)


def _pair(entry: str) -> tuple[str, Any]:
    name, separator, value = entry.partition("=")
    if not separator or not name.strip():
        raise UsageError(f"“{entry}” sets nothing.", hint="For example: --set context=2048")
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:
    if text.casefold() in _WORDS:
        return _WORDS[text.casefold()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer reads it: a parameter that is a dataclass becomes an option for each of its fields.

    The fields are annotated as parameters would be, `Annotated[…, typer.Option(…)]`, and each has a default.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hints[name] for name in signature(command).parameters if is_dataclass(hints[name])}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name not in groups:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))
            continue
        types = get_type_hints(groups[name], include_extras=True)
        parameters += [
            Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=types[field.name])
            for field in fields(groups[name])
        ]

    @wraps(command)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called
