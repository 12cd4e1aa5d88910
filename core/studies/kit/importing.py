"""Bringing the rows of a table into a project: outputs of prompts that represent the ones asked."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import AxisSpec, GeneratorSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.project.stores.runs import CUT
from biasprint.core.prompts.axes import Axis, available_axes, load_axis
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.text import sha256_text
from biasprint.core.texts.replies import REPLY_KIND, is_cut

MODEL, SAMPLE, TEXT = "model", "sample", "text"

CHUNK = 500  # rows of one transaction: each waits for the disk, and a choice that is made meanwhile waits for it
WATCHED = 1000  # rows, after which a cancel is looked for
LONGEST_KEY = 200
MOST_SAMPLES = 10_000


class ImportedText(NamedTuple):
    """One output: the prompt it answers, what wrote it, and which of several answers it is. `cut`: was it cut off?"""

    prompt: PromptSpec
    model: str
    sample: int
    text: str
    cut: bool = False


def store_outputs(
    ctx: JobContext, project: Project, study_id: int, origin: str, items: Sequence[ImportedText], note: str
) -> int:
    """Store the outputs in runs of a generator "imported" for each model; how many were not there already.

    `note` says in the prompt set's recipe what is known of the prompts.
    """
    prompts = {item.prompt.key: item.prompt for item in items}
    recipe = {"imported": origin, "note": note}
    spec = PromptSetSpec(
        name=f"imported: {origin}", recipe=recipe, prompts=tuple(prompts[key] for key in sorted(prompts))
    )
    set_id = project.prompts.add_set(study_id, spec, ctx).number("prompt_set")
    by_key = project.prompts.ids(set_id)
    by_model: dict[str, list[ImportedText]] = {}
    for item in items:
        by_model.setdefault(item.model, []).append(item)
    return sum(
        _of_model(ctx, project, study_id, set_id, by_key, model, texts) for model, texts in sorted(by_model.items())
    )


def _of_model(
    ctx: JobContext,
    project: Project,
    study_id: int,
    set_id: int,
    by_key: dict[str, int],
    model: str,
    items: Sequence[ImportedText],
) -> int:
    generator = project.runs.add_generator(GeneratorSpec(backend="imported", model=model)).number("generator")
    samples = max(item.sample for item in items) + 1
    spec = RunSpec(study_id=study_id, prompt_set_id=set_id, generator_id=generator, seed=0, samples=samples)
    run = project.runs.start(spec).number("run")
    added, rest = 0, iter(items)
    while chunk := list(islice(rest, CHUNK)):
        ctx.check()
        texts = [(by_key[item.prompt.key], item.sample, item.text, CUT if item.cut else "imported") for item in chunk]
        added += len(project.outputs.record_imported(run, texts).of("output"))
        ctx.report(added, len(items))
    return added


def check_key(record: Record, key: str, what: str) -> None:
    """Raise `AppError` for a row whose fields (`what`, in words) are too long to name a prompt."""
    if len(key) > LONGEST_KEY:
        raise AppError(
            f"Row {record.number}: {what} are too long to name a prompt.",
            kept="Nothing was imported.",
            hint="Shorten them to 150 characters together.",
        )


def sample_numbers(rows: Sequence[Record], prompts: Iterable[Hashable]) -> list[int]:
    """The sample number of each row: its own, or, where the table has none, its place among rows of the same prompt.

    `prompts`: for each row, what rows of the same prompt and model have in common.
    """
    seen: dict[tuple[Hashable, int], int] = {}
    counted: dict[Hashable, int] = {}
    numbers: list[int] = []
    for record, key in zip(rows, prompts, strict=True):
        given = record.values.get("sample", "").strip()
        number = _whole(record, given) if given else counted.get(key, 0)
        counted[key] = counted.get(key, 0) + 1
        if (first := seen.setdefault((key, number), record.number)) != record.number:
            raise AppError(
                f"Row {record.number} is sample {number} of the same prompt and model as row {first}.",
                kept="Nothing was imported.",
                hint="Give each a sample number of its own, or leave the column out to have them counted.",
            )
        if number >= MOST_SAMPLES:
            raise AppError(
                f"More than {MOST_SAMPLES:,} rows are of the same prompt and model as row {record.number}.",
                kept="Nothing was imported.",
                hint="Map a column that tells them apart, or measure the table without a project.",
            )
        numbers.append(number)
    return numbers


def _whole(record: Record, given: str) -> int:
    if not given.isdecimal() or int(given) >= MOST_SAMPLES:
        raise AppError(
            f"Row {record.number}: “{given}” is not a sample number.",
            kept="Nothing was imported.",
            hint=f"Samples are whole numbers from 0 to {MOST_SAMPLES - 1}.",
        )
    return int(given)


def store_rows(
    kind: str, ctx: JobContext, project: Project, study_id: Callable[[], int], origin: str, table: TableRead
) -> int:
    """Store each row's `text` as an output of a prompt with the row's other fields; return the number added."""
    identity = "group" if kind == "compare" else "identity"  # a prompt about two groups has none
    prompts = [
        PromptSpec(
            key=f"imported/{kind}/{sha256_text(repr(sorted(fields.items())))[:32]}", text="", fields=fields,
            task=fields.get("task", "")[:200], theme=fields.get("theme", "")[:200], axis=fields.get("axis", "")[:200],
            identity=fields.get(identity, "")[:200],
        )
        for fields in map(_row_fields, _watched(ctx, table.rows))
    ]  # fmt: skip
    models = [record.values.get(MODEL, "") for record in table.rows]
    prompts = _in_parts(prompts, models)
    samples = sample_numbers(table.rows, zip((prompt.key for prompt in prompts), models, strict=True))
    items = [
        ImportedText(prompt, model, sample, record.values.get(TEXT, ""), cut=is_cut(record.values))
        for record, prompt, model, sample in zip(table.rows, prompts, models, samples, strict=True)
    ]
    return store_outputs(
        ctx, project, study_id(), origin, items,
        "The prompts were not part of the imported table.",
    )  # fmt: skip


def _in_parts(prompts: list[PromptSpec], models: Sequence[str]) -> list[PromptSpec]:
    """Return the prompts, with other keys after each 10,000 of one key and model, as many as a run has samples: in a
    table without prompts all rows of a group have the same one.
    """
    rows = Counter((prompt.key, model) for prompt, model in zip(prompts, models, strict=True))
    many = {of for of, count in rows.items() if count > MOST_SAMPLES}
    counted: Counter[tuple[str, str]] = Counter()
    parts = []
    for prompt, model in zip(prompts, models, strict=True) if many else ():
        of = prompt.key, model
        part = counted[of] // MOST_SAMPLES if of in many else 0
        counted[of] += 1
        parts.append(replace(prompt, key=f"{prompt.key}/{part}") if part else prompt)
    return parts or prompts


def _watched(ctx: JobContext, rows: Sequence[Record]) -> Iterator[Record]:
    for number, record in enumerate(rows):
        if number % WATCHED == 0:
            ctx.step(number, len(rows), note="preparing rows")
        yield record


_NOT_THE_PROMPTS = frozenset((TEXT, MODEL, SAMPLE, REPLY_KIND))


def _row_fields(record: Record) -> dict[str, str]:
    return {name: value for name, value in record.values.items() if name not in _NOT_THE_PROMPTS}


def shipped_axes(identities: Collection[str]) -> dict[str, list[str]]:
    """The shipped axes that these identities belong to, with all of theirs: every axis with at least two of them."""
    axes: dict[str, list[str]] = {}
    for key in available_axes():
        axis = load_axis(key)
        names = [identity.key for identity in axis.identities]
        if not axis.reported_as and len(set(names).intersection(identities)) >= 2:
            axes[key] = names
    return axes


def store_axis(project: Project, axis: Axis) -> None:
    """Store a copy of an axis as it is now; an edited one becomes the next version."""
    project.axes.add(AxisSpec(key=axis.key, title=axis.title, definition=axis.definition()))
