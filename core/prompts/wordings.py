"""Prompts in several wordings: each template also in sentences that ask for the same in other words.

`resources/wordings` has four others of every template that ships; a file of one's own has the same form. Wording 1 is
the template itself, and its prompts keep their keys.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import ordinary_file
from biasprint.core.prompts.axes import Text
from biasprint.core.prompts.drafts import PromptSetDraft
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.prompts.template import Template

WORDING = "wording"  # the field of a prompt that says which wording it has, where there are several
ALL = "all"
MOST = 50
BETWEEN = "---"  # the line between two wordings in a text file
EXAMPLE = "Copy one of the files in resources/wordings and change its sentences."


@dataclass(frozen=True)
class TemplateWords:
    """The templates of a prompt set in one wording; those that are not named stay as they are."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def of(self, key: str, text: str) -> str:
        """Return the template of this key, which is `text` in wording 1."""
        return self.texts.get(key, text)


AS_IT_IS = TemplateWords()


class _Asked(TemplateWords):
    """Wording 1, which keeps the templates that were asked for."""

    def of(self, key: str, text: str) -> str:
        self.__dict__.setdefault("asked", {})[key] = text
        return text


def in_wordings(
    draft: Callable[[TemplateWords], PromptSetDraft], asked: int | str, shipped: str = ""
) -> PromptSetDraft:
    """Return the set in several wordings. `asked`: how many, “all”, or a file of one's own, which has the others.

    Prompts of one key are consecutive. Each says its wording in the field `wording`, and from the second on in its key.
    `shipped`: the name of the shipped file. Raises `AppError` or `UsageError` for a template that has too few, two
    wordings that are the same, and one whose placeholders differ from the first.
    """
    listening = _Asked()
    first = draft(listening)
    templates: dict[str, str] = listening.__dict__.get("asked", {})
    if not templates:
        raise UsageError("These prompts have one wording only.", hint="Leave --wordings out.")
    others = _others(templates, asked, _shipped(shipped))
    if not others:
        return first
    drafts = [first, *(draft(TemplateWords(texts)) for texts in others)]
    prompts = tuple(
        replace(
            prompts[0],
            key=prompt.key if number == 1 else f"{prompts[0].key}/{WORDING}/{number}",
            text=prompt.text,
            fields={**prompts[0].fields, WORDING: str(number)},
        )
        for prompts in zip(*(one.prompts for one in drafts), strict=True)
        for number, prompt in enumerate(prompts, start=1)
    )
    recipe = {**first.recipe, "wordings": [templates, *others]}
    return replace(first, name=f"{first.name}, in {len(drafts)} wordings", recipe=recipe, prompts=prompts)


def item_of(key: str) -> str:
    """Return the key of the prompt in wording 1: what prompts in several wordings share."""
    start, found, number = key.rpartition(f"/{WORDING}/")
    return start if found and number.isdecimal() else key


def sample_in(sample: int, fields: Mapping[str, str]) -> int:
    """Return a sample's number that differs between wordings, so that texts of one wording meet each other."""
    number = fields.get(WORDING, "")
    return sample * MOST + int(number) - 1 if number.isdecimal() and 1 <= int(number) <= MOST else sample


def _others(
    templates: Mapping[str, str], asked: int | str, shipped: Mapping[str, Sequence[str]]
) -> list[dict[str, str]]:
    """Return the templates of each wording from the second on."""
    known = {key: tuple(shipped.get(key, ())) for key in templates}
    if isinstance(asked, int) or asked.strip().isdecimal() or asked == ALL:
        least = min(map(len, known.values())) + 1
        number, where = least if asked == ALL else int(asked), "The program"
    else:
        own, where = _own(Path(asked), templates, shipped), f"“{Path(asked).name}”"
        known |= own
        number = 1 + max(map(len, own.values()))
    if not 1 <= number <= MOST:
        raise UsageError(f"Prompts cannot be made in {number} wordings.", hint=f"Ask for 1 to {MOST}.")
    for key, texts in known.items():
        if len(texts) + 1 < number:
            count = "no other wording" if not texts else f"{len(texts)} other wording{'s' * (len(texts) > 1)}"
            hint = f"Ask for fewer, or give {number - 1} others of it in a file: --wordings FILE."
            raise UsageError(f"{where} has {count} of “{key}”, and {number - 1} are needed.", hint=hint)
        _check(key, (templates[key], *texts[: number - 1]), where)
    return [{key: texts[place] for key, texts in known.items()} for place in range(number - 1)]


def _check(key: str, texts: Sequence[str], where: str) -> None:
    """Raise for wordings of a template that are no wordings of the same."""
    names = set(Template(texts[0]).names)
    seen: dict[str, int] = {}
    for number, text in enumerate(texts, start=1):
        own = set(Template(text).names)
        if differs := sorted(names ^ own):
            what = "lacks" if differs[0] in names else "has, unlike the first,"
            raise AppError(
                f"{where}: wording {number} of “{key}” {what} {{{differs[0]}}}.",
                hint=f"Each wording has the same placeholders: {', '.join(f'{{{name}}}' for name in sorted(names))}.",
            )
        before = seen.setdefault(" ".join(text.casefold().split()), number)
        if before != number:
            raise AppError(f"{where}: wordings {before} and {number} of “{key}” are the same.", hint="Change one.")


def _shipped(name: str) -> Mapping[str, tuple[str, ...]]:
    path = packaged("wordings", f"{name}.toml")
    return _read(read_toml(path), f"The file wordings/{name}.toml") if name and path.is_file() else {}


def _read(data: object, where: str) -> Mapping[str, tuple[str, ...]]:
    read = validated(dict[str, tuple[Text, ...]], data, where)
    return {key: tuple(text.strip() for text in texts) for key, texts in read.items()}


def _own(path: Path, templates: Mapping[str, str], shipped: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the wordings of one's own file: TOML, or a text file for prompts of one template."""
    listed = ", ".join(templates)
    if path.suffix.lower() == ".toml":
        read = _read(read_toml(path), f"The file {path}")
        if unknown := sorted(set(read) - set(templates) - set(shipped)):
            raise UsageError(
                f"“{path.name}” has wordings of “{unknown[0]}”, which is no template here.",
                hint=f"Templates: {listed}.",
            )
        own = {key: texts for key, texts in read.items() if key in templates and texts}
    elif path.suffix.lower() != ".txt":
        raise UsageError(f"“{path}” is no number of wordings, and no .toml or .txt file.", hint=EXAMPLE)
    elif len(templates) > 1:
        hint = f"Name each in a .toml file. {EXAMPLE}"
        raise UsageError(f"These prompts have several templates ({listed}), and “{path.name}” has no names.", hint=hint)
    else:
        own = {key: texts for key in templates if (texts := _lines(path))}
    if not own:
        raise AppError(f"“{path.name}” has no wording of these prompts.", hint=f"Templates: {listed}. {EXAMPLE}")
    return own


def _lines(path: Path) -> tuple[str, ...]:
    """Return the texts between lines of ---; without such a line each line is one."""
    try:
        ordinary_file(path, follow=True)
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AppError(f"The file {path} could not be read.", hint="It is text in UTF-8.") from error
    if BETWEEN not in map(str.strip, lines):
        return tuple(line.strip() for line in lines if line.strip())
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.strip() == BETWEEN:
            parts.append([])
        else:
            parts[-1].append(line)
    return tuple(text for part in parts if (text := "\n".join(part).strip()))
