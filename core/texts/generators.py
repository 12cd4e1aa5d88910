"""The generators behind a study's texts: who wrote how many of them, and a short name for each.

A generator is a backend with a model, an endpoint, a system prompt and parameters; several runs of it, with other seeds
or at another time, are samples of one. Imported texts have one too: what their table calls the model.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from biasprint.core.errors import UsageError
from biasprint.core.machine.endpoints import addresses_in
from biasprint.core.project.project import Project
from biasprint.core.project.rows import GeneratorRow, PromptRow, RunRow
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.text import sha256_text

IMPORTED = "imported"
POOLED = "pooled"  # the model of texts of several generators that are taken as one
NOT_WRITTEN = (IMPORTED, "written")  # backends of texts that nothing here wrote
LETTER = "letter"  # the kind of a source that is a text of its own, and no original or context
SHOWN = 32  # characters of a system prompt in a name
ENDPOINT, SYSTEM = "endpoint", "system"
# What a name says first where several differ, after the endpoint and the system prompt; the others by their names.
FIRST = (ENDPOINT, SYSTEM, "temperature", "top_p", "max_tokens")
# They say nothing about a text: where it ran and how fast.
SILENT = frozenset({"base_url", "stream", "threads", "gpu_layers", "prefix_cache"})


@dataclass(frozen=True)
class StudyGenerator:
    """A generator and what it wrote for a study. `revision`: of the model, or its hash.

    `name`: unique in the project, and the same for good.
    `runs`: those that have texts. `imported_as`: of letters of tables, what their column “model” says; else None.
    `first`, `last`: when its texts were stored.
    """

    name: str
    backend: str
    model: str
    endpoint: str = ""
    system_prompt: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    revision: str = ""
    seeds: tuple[int, ...] = ()
    n: int = 0
    first: str = ""
    last: str = ""
    runs: tuple[int, ...] = ()
    imported_as: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as a recipe has it."""
        return {
            "name": self.name,
            "backend": self.backend,
            "model": self.model,
            "endpoint": self.endpoint,
            "system_prompt": self.system_prompt,
            "parameters": dict(self.parameters),
            "revision": self.revision,
            "seeds": list(self.seeds),
            "runs": list(self.runs),
            "n": self.n,
            "first": self.first,
            "last": self.last,
            **({} if self.imported_as is None else {"imported_as": self.imported_as}),
        }


@dataclass(frozen=True)
class KnownGenerators:
    """Generators and runs of a project, read once for all its studies: a file may have hundreds."""

    rows: Mapping[int, GeneratorRow]
    names: Mapping[int, str]
    runs: tuple[RunRow, ...]


def known_generators(project: Project) -> KnownGenerators:
    rows = project.runs.generators()
    return KnownGenerators(rows, _names_of(rows), project.runs.all())


def generators_of(project: Project, study_id: int, known: KnownGenerators | None = None) -> tuple[StudyGenerator, ...]:
    """Return the generators with a finished text in the study, the first one first; letters of tables come last."""
    known = known or known_generators(project)
    written = project.outputs.written(study_id)
    of_generator: dict[int, list[RunRow]] = defaultdict(list)
    for run in known.runs:
        if run.id in written:
            of_generator[run.generator_id].append(run)
    generators = []
    for key, own in of_generator.items():
        row, texts = known.rows[key], [written[run.id] for run in own]
        generators.append(
            replace(
                _of_row(row, known.names[key]),
                seeds=tuple(dict.fromkeys(run.seed for run in own)) if row.backend != IMPORTED else (),
                n=sum(each.n for each in texts),
                first=min(each.first for each in texts),
                last=max(each.last for each in texts),
                runs=tuple(run.id for run in own),
            )
        )
    named = {generator.name: generator for generator in generators}
    for letters in _of_tables(project, study_id):
        same = named.get(letters.name)  # imported outputs beside letters of tables that name the same model
        named[letters.name] = letters if same is None else _with_letters(same, letters)
    return tuple(named.values())


def refusing_generators(project: Project, study_id: int) -> tuple[StudyGenerator, ...]:
    """Return the generators that have refusals in the study and no finished text."""
    known, texts = known_generators(project), project.outputs.written(study_id)
    written = {run.generator_id for run in known.runs if run.id in texts}
    refused: dict[int, list[RunRow]] = defaultdict(list)
    for run in known.runs:
        if run.study_id == study_id and run.generator_id not in written and project.runs.counts(run.id).refused:
            refused[run.generator_id].append(run)
    return tuple(
        replace(
            _of_row(known.rows[key], known.names[key]),
            seeds=tuple(dict.fromkeys(run.seed for run in runs)),
            first=min(run.created_at for run in runs),
            last=max(run.created_at for run in runs),
            runs=tuple(run.id for run in runs),
        )
        for key, runs in refused.items()
    )


def _of_tables(project: Project, study_id: int) -> Iterator[StudyGenerator]:
    for model, letters in project.sources.written(study_id, LETTER).items():
        yield StudyGenerator(
            imported_name(model), IMPORTED, model, n=letters.n, first=letters.first, last=letters.last,
            imported_as=model,
        )  # fmt: skip


def _with_letters(own: StudyGenerator, letters: StudyGenerator) -> StudyGenerator:
    first, last = min(own.first, letters.first), max(own.last, letters.last)
    return replace(own, n=own.n + letters.n, first=first, last=last, imported_as=letters.imported_as)


def texts_of(project: Project, study_id: int) -> int:
    """Count the finished texts of a study: outputs, and letters of tables."""
    letters = sum(letters_written.n for letters_written in project.sources.written(study_id, LETTER).values())
    return project.outputs.count(OutputFilter(study_id=study_id, status="done")) + letters


def texts_read(recipe: Mapping[str, Any]) -> int | None:
    """Return how many texts there were when a study was measured, by its findings' recipe; None where it says none."""
    if "generators" not in recipe:
        return None
    return sum(int(generator["n"]) for generator in recipe["generators"])


def generator_names(project: Project) -> dict[int, str]:
    """Return the name of each of the project's generators: its model, and how it differs from those that came before.

    The first of a model has the model's name alone. A name never changes: one that joins later gets a different one.
    """
    return _names_of(project.runs.generators())


def _names_of(rows: Mapping[int, GeneratorRow]) -> dict[int, str]:
    names: dict[int, str] = {}
    taken: set[str] = set()
    before: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for key, row in sorted(rows.items()):
        model = imported_name(row.model) if row.backend == IMPORTED else row.model or row.backend
        own = _traits(row)
        name = ", ".join([model, *_differs(own, before[model])])
        names[key] = f"{name}, no. {key}" if name in taken else name
        taken.add(names[key])
        before[model].append(own)
    return names


def runs_by_name(project: Project) -> dict[int, str]:
    """Run → the name of its generator."""
    names = generator_names(project)
    return {run.id: names[run.generator_id] for run in project.runs.all()}


def described(row: GeneratorRow) -> tuple[str, str, dict[str, Any]]:
    """Endpoint, system prompt and the other parameters of a generator."""
    parameters = dict(row.parameters)
    address, endpoint = (str(parameters.pop(name, "")) for name in ("base_url", ENDPOINT))
    several = addresses_in(address)
    if len(several) > 1:
        # Each of them wrote some of the texts, so another set is another generator also where its name is the same.
        address = ", ".join(several)
        endpoint = f"{endpoint} ({address})" if endpoint else address
    return endpoint or address, str(parameters.pop(SYSTEM, "")), parameters


def written_by_these(project: Project, generators: Sequence[StudyGenerator]) -> Project:
    """The project read as if these generators had written all of it."""
    runs = [run for generator in generators for run in generator.runs]
    return project.narrowed(
        runs, LETTER, [generator.imported_as for generator in generators if generator.imported_as is not None]
    )


def prompts_asked(project: Project, study_id: int) -> dict[int, str]:
    """Prompt → what is the same for the same prompt, also of another version of its set: its key and its text."""
    rows = (row for prompt_set in project.prompts.sets(study_id) for row in _prompts(project, prompt_set.id))
    return {row.id: f"{row.key} {sha256_text(row.text)[:16]}" for row in rows}


def table_prompt(fields: Mapping[str, str]) -> str:
    """Return the prompt of a table's letter: that of its key, else of its cell: the same block, group and name."""
    cell = [fields.get(name, "") for name in ("block", "group", "name")]
    return fields.get("key", "") or (" ".join(cell) if cell[0] else "")


def chosen(known: Sequence[StudyGenerator], wanted: Iterable[str]) -> tuple[StudyGenerator, ...]:
    """The generators that these words name, in their order: a whole name, or a model or part that one alone has.

    A word may hold several, with commas between them. Raises `UsageError` for one that names none, or more than one.
    """
    chosen_generators: dict[str, StudyGenerator] = {}
    for words in wanted:
        for generator in _named(known, words):
            chosen_generators[generator.name] = generator
    return tuple(chosen_generators.values())


def _prompts(project: Project, set_id: int) -> Iterator[PromptRow]:
    return chunks(lambda after, limit: project.prompts.page(set_id, after, limit), lambda row: row.id)


def _named(known: Sequence[StudyGenerator], words: str) -> list[StudyGenerator]:
    wanted = words.strip().casefold()
    exact = [generator for generator in known if generator.name.casefold() == wanted]
    exact = exact or [generator for generator in known if wanted and generator.model.casefold() == wanted]
    partly = exact or [generator for generator in known if wanted and wanted in generator.name.casefold()]
    if len(partly) == 1:
        return partly
    # A name may hold a comma itself: the longest beginning that is one name is taken, then the rest is read.
    parts = words.split(",")
    for end in range(len(parts) - 1, 0, -1):
        head = ",".join(parts[:end]).strip().casefold()
        first = [generator for generator in known if generator.name.casefold() == head]
        first = first or [generator for generator in known if head and head in generator.name.casefold()]
        if len(first) == 1:
            return first + _named(known, ",".join(parts[end:]))
    names = "; ".join(f"“{generator.name}”" for generator in partly or known) or "none"
    if partly:
        raise UsageError(
            f"“{words.strip()}” names {len(partly)} generators.", hint=f"Write one of them whole: {names}."
        )
    raise UsageError(f"No generator “{words.strip()}” wrote texts here.", hint=f"There are: {names}.")


def _of_row(row: GeneratorRow, name: str) -> StudyGenerator:
    endpoint, system, parameters = described(row)
    return StudyGenerator(name, row.backend, row.model, endpoint, system, parameters, row.revision)


def imported_name(model: str) -> str:
    """The name of the generator of imported texts whose table names this model."""
    return f"{IMPORTED}: {model}" if model else IMPORTED


def _differs(own: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the traits that set a generator apart from each other one; first the trait that does so for most."""
    left = list(others)
    order = list(dict.fromkeys((*FIRST, *sorted({name for of in (own, *left) for name in of}))))
    parts = []
    while left:
        apart = {name: [of for of in left if _key(of.get(name)) != _key(own.get(name))] for name in order}
        best = max(order, key=lambda name: len(apart[name]))
        if not apart[best]:
            break
        parts.append(_said(best, own.get(best)))
        left = [of for of in left if of not in apart[best]]
    return parts


def _traits(row: GeneratorRow) -> dict[str, Any]:
    endpoint, system, parameters = described(row)
    own = {name: value for name, value in parameters.items() if name not in SILENT}
    return own | {ENDPOINT: endpoint, SYSTEM: system, "revision": row.revision, "backend": row.backend}


def _key(value: Any) -> Hashable:
    return value if isinstance(value, Hashable) else str(value)


CHOOSING = {"likelihood": "by likelihood", "likelihood_corrected": "by corrected likelihood"}  # of options


def _said(name: str, value: Any) -> str:
    if name == "choose" and value in CHOOSING:
        return CHOOSING[value]
    if name == SYSTEM:
        text = " ".join(str(value).split())
        shown = text if len(text) <= SHOWN else f"{text[:SHOWN].rstrip()}…"
        return f"system prompt “{shown}”" if text else "no system prompt"
    if name in (ENDPOINT, "revision", "backend"):
        return f"{name} {str(value)[:SHOWN]}" if value else f"no {name}"
    written = f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)[:SHOWN]
    return f"no {name}" if value is None else f"{name} {written}"


# ---- Sets of runs

RUN, DATE = "run:", "date:"
_RUNS = re.compile(r"\d+(\+\d+)*")
_WHEN = re.compile(r"(\d{4}(?:-\d\d(?:-\d\d)?)?)(?:\.\.(\d{4}(?:-\d\d(?:-\d\d)?)?))?")
RUNS_SHOWN = 8  # runs in a hint


def named_texts(
    project: Project, study_id: int, known: Sequence[StudyGenerator], wanted: Iterable[str]
) -> tuple[StudyGenerator, ...]:
    """The generators and sets of runs that these words name, in their order, each once.

    A word may hold several, with commas between them. `known`: the generators whose runs count. Raises `UsageError`
    for what names nothing, and where two sets share a run.
    """
    by_name: dict[str, StudyGenerator] = {}
    for words in wanted:
        for part in _parts(words):
            of_runs = part.startswith((RUN, DATE))
            named = [_of_runs(project, study_id, known, part)] if of_runs else chosen(known, [part])
            by_name |= {generator.name: generator for generator in named}
    _check_apart(list(by_name.values()))
    return tuple(by_name.values())


def _parts(words: str) -> Iterator[str]:
    """Yield the parts between commas; names, which may hold commas themselves, together."""
    names: list[str] = []
    for part in words.split(","):
        if part.strip().startswith((RUN, DATE)):
            if names:
                yield ",".join(names)
            names = []
            yield part.strip()
        else:
            names.append(part)
    if names:
        yield ",".join(names)


def _of_runs(project: Project, study_id: int, known: Sequence[StudyGenerator], words: str) -> StudyGenerator:
    whose = {run: generator for generator in known for run in generator.runs}
    rows = [run for run in project.runs.all() if run.id in whose]
    picked = _numbered(rows, words) if words.startswith(RUN) else _begun(rows, words)
    if not picked:
        runs_text = [f"{run.id} ({whose[run.id].name}, {run.created_at[:10]})" for run in rows[-RUNS_SHOWN:]]
        hint = f"Runs with texts: {'; '.join(runs_text)}." if runs_text else "There is no run with texts."
        raise UsageError(f"“{words}” names no run of this study that has texts.", hint=hint)
    writers = list({whose[run.id].name: whose[run.id] for run in picked}.values())
    if len(writers) > 1:
        names = "; ".join(f"“{generator.name}”" for generator in writers)
        hint = f"Choose one of them beside it with --generator: {names}."
        raise UsageError(f"“{words}” names runs of {len(writers)} generators.", hint=hint)
    own = {run.id for run in picked}
    texts = [count for key, count in project.outputs.written(study_id).items() if key in own]
    return replace(
        writers[0],
        name=f"{writers[0].name}, {_called(words, picked)}",
        seeds=tuple(dict.fromkeys(run.seed for run in picked)),
        n=sum(generator.n for generator in texts),
        first=min(generator.first for generator in texts),
        last=max(generator.last for generator in texts),
        runs=tuple(run.id for run in picked),
        imported_as=None,
    )


def _called(words: str, runs: Sequence[RunRow]) -> str:
    if words.startswith(DATE):
        return words.removeprefix(DATE).replace("..", " to ")
    numbers = [str(run.id) for run in runs]
    return f"run {numbers[0]}" if len(numbers) == 1 else f"runs {', '.join(numbers[:-1])} and {numbers[-1]}"


def _numbered(rows: Sequence[RunRow], words: str) -> list[RunRow]:
    asked = words.removeprefix(RUN).replace(" ", "")
    if not _RUNS.fullmatch(asked):
        raise UsageError(f"“{words}” is no set of runs.", hint="For example run:3, or run:3+5.")
    numbers = {int(number) for number in asked.split("+")}
    matching = [run for run in rows if run.id in numbers]
    return matching if len(matching) == len(numbers) else []


def _begun(rows: Sequence[RunRow], words: str) -> list[RunRow]:
    match = _WHEN.fullmatch(words.removeprefix(DATE).strip())
    if match is None:
        raise UsageError(
            f"“{words}” is no date.",
            hint="For example date:2026, date:2026-03, date:2026-03-15 or two with .. between.",
        )
    first, last = match[1], match[2] or match[1]
    return [run for run in rows if first <= run.created_at[: len(first)] and run.created_at[: len(last)] <= last]


def _check_apart(named: Sequence[StudyGenerator]) -> None:
    """Raise `UsageError` where a text would be on both sides."""
    for place, generator in enumerate(named):
        for other in named[place + 1 :]:
            if shared := sorted(set(generator.runs) & set(other.runs)):
                raise UsageError(
                    f"“{generator.name}” and “{other.name}” share run {shared[0]}.", hint="Name sets that share none."
                )
