"""The generators behind a study's texts: who wrote how many of them, and a short name for each.

A generator is a backend with a model, an endpoint, a system prompt and parameters; several runs of it, with other seeds
or at another time, are samples of one. Imported texts have one too: what their table calls the model.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import UsageError
from core.project.project import Project
from core.project.rows import GeneratorRow, PromptRow
from core.project.stores.common import chunks
from core.project.stores.runs import OutputFilter
from core.text import sha256_text

IMPORTED = "imported"
NOT_WRITTEN = (IMPORTED, "written")  # backends of texts that nothing here wrote
LETTER = "letter"  # the kind of a source that is a text of its own, and no original or context
SHOWN = 32  # characters of a system prompt in a name
ENDPOINT, SYSTEM = "endpoint", "system"
# What a name says first where several differ, after the endpoint and the system prompt; the others by their names.
FIRST = (ENDPOINT, SYSTEM, "temperature", "top_p", "max_tokens")
# They say nothing of a text: where it ran and how fast.
SILENT = frozenset({"base_url", "stream", "threads", "gpu_layers", "prefix_cache"})


@dataclass(frozen=True)
class StudyGenerator:
    """A generator and what it wrote for a study. `name`: unique in the project. `revision`: of the model, or its hash.

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
        """As a recipe has it."""
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
        }


def generators_of(project: Project, study_id: int) -> tuple[StudyGenerator, ...]:
    """Those with a finished text in the study, the first one first; letters of tables come last."""
    names, rows = generator_names(project), project.runs.generators()
    written = project.outputs.written(study_id)
    runs = [run for run in project.runs.all() if run.id in written]
    found = []
    for key in dict.fromkeys(run.generator_id for run in runs):
        own = [run for run in runs if run.generator_id == key]
        texts = [written[run.id] for run in own]
        found.append(
            replace(
                _of_row(rows[key], names[key]),
                seeds=tuple(dict.fromkeys(run.seed for run in own)) if rows[key].backend != IMPORTED else (),
                n=sum(each.n for each in texts),
                first=min(each.first for each in texts),
                last=max(each.last for each in texts),
                runs=tuple(run.id for run in own),
            )
        )
    for model, texts_of in project.sources.written(study_id, LETTER).items():
        found.append(
            StudyGenerator(
                imported_name(model), IMPORTED, model, n=texts_of.n, first=texts_of.first, last=texts_of.last,
                imported_as=model,
            )
        )  # fmt: skip
    return tuple(found)


def texts_of(project: Project, study_id: int) -> int:
    """How many finished texts a study has: outputs, and letters of tables."""
    letters = sum(found.n for found in project.sources.written(study_id, LETTER).values())
    return project.outputs.count(OutputFilter(study_id=study_id, status="done")) + letters


def texts_read(recipe: Mapping[str, Any]) -> int | None:
    """How many texts there were when a study was measured, by the recipe of its findings; None where it says none."""
    if "generators" not in recipe:
        return None
    return sum(int(one["n"]) for one in recipe["generators"])


def generator_names(project: Project) -> dict[int, str]:
    """The name of each of the project's generators: its model, and where several share that, what tells them apart."""
    by_model: dict[str, list[GeneratorRow]] = defaultdict(list)
    for row in project.runs.generators().values():
        by_model[imported_name(row.model) if row.backend == IMPORTED else row.model or row.backend].append(row)
    return {key: name for model, rows in by_model.items() for key, name in _apart(model, rows).items()}


def runs_by_name(project: Project) -> dict[int, str]:
    """Run → the name of its generator."""
    names = generator_names(project)
    return {run.id: names[run.generator_id] for run in project.runs.all()}


def described(row: GeneratorRow) -> tuple[str, str, dict[str, Any]]:
    """Endpoint, system prompt and the other parameters of a generator."""
    parameters = dict(row.parameters)
    address = parameters.pop("base_url", "")
    endpoint = parameters.pop(ENDPOINT, "") or address
    return str(endpoint), str(parameters.pop(SYSTEM, "")), parameters


def written_by_these(project: Project, generators: Sequence[StudyGenerator]) -> Project:
    """The project read as if these generators had written all of it."""
    runs = [run for one in generators for run in one.runs]
    return project.narrowed(runs, LETTER, [one.imported_as for one in generators if one.imported_as is not None])


def prompts_asked(project: Project, study_id: int) -> dict[int, str]:
    """Prompt → what is the same for the same prompt, also of another version of its set: its key and its text."""
    rows = (row for found in project.prompts.sets(study_id) for row in _prompts(project, found.id))
    return {row.id: f"{row.key} {sha256_text(row.text)[:16]}" for row in rows}


def chosen(known: Sequence[StudyGenerator], wanted: Iterable[str]) -> tuple[StudyGenerator, ...]:
    """The generators that these words name, in their order: a whole name, or a model or part that one alone has.

    A word may hold several, with commas between them. Raises `UsageError` for one that names none, or more than one.
    """
    found: dict[str, StudyGenerator] = {}
    for words in wanted:
        for one in _named(known, words):
            found[one.name] = one
    return tuple(found.values())


def _prompts(project: Project, set_id: int) -> Iterator[PromptRow]:
    return chunks(lambda after, limit: project.prompts.page(set_id, after, limit), lambda row: row.id)


def _named(known: Sequence[StudyGenerator], words: str) -> list[StudyGenerator]:
    wanted = words.strip().casefold()
    exact = [one for one in known if one.name.casefold() == wanted]
    exact = exact or [one for one in known if wanted and one.model.casefold() == wanted]
    partly = exact or [one for one in known if wanted and wanted in one.name.casefold()]
    if len(partly) == 1:
        return partly
    # A name may hold a comma itself: the longest beginning that is one name is taken, then the rest is read.
    parts = words.split(",")
    for end in range(len(parts) - 1, 0, -1):
        head = ",".join(parts[:end]).strip().casefold()
        first = [one for one in known if one.name.casefold() == head]
        first = first or [one for one in known if head and head in one.name.casefold()]
        if len(first) == 1:
            return first + _named(known, ",".join(parts[end:]))
    names = "; ".join(f"“{one.name}”" for one in partly or known) or "none"
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


def _apart(model: str, rows: Sequence[GeneratorRow]) -> dict[int, str]:
    """Names of generators that share a model: with what tells most of them apart first, until no two are the same."""
    traits = {row.id: _traits(row) for row in rows}
    order = list(dict.fromkeys((*FIRST, *sorted({name for of in traits.values() for name in of}))))
    used: list[str] = []

    def classes(names: Sequence[str]) -> int:
        return len({tuple(_key(of.get(name)) for name in names) for of in traits.values()})

    while classes(used) < len(rows):
        best = max(order, key=lambda name: classes([*used, name]))
        if classes([*used, best]) == classes(used):
            break
        used.append(best)
    names = {key: ", ".join([model, *(_said(name, of.get(name)) for name in used)]) for key, of in traits.items()}
    twice = {name for name in names.values() if list(names.values()).count(name) > 1}
    return {key: f"{name}, no. {key}" if name in twice else name for key, name in names.items()}


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
    said = f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)[:SHOWN]
    return f"no {name}" if value is None else f"{name} {said}"
