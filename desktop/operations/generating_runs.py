"""The runs of a project as they are listed, and what is asked for when one is begun."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.jobs import JobContext
from desktop.operations.generator_options import same_generator
from desktop.widgets.words import number, plural, tr

if TYPE_CHECKING:
    from core.backends.protocol import Parameter
    from core.project.project import Project
    from core.project.rows import GeneratorRow, RunRow

IMPORTED = "imported"  # the generator of texts that came in as a table


@dataclass(frozen=True)
class WriteRequest:
    """What shall be written, and with what. `parameters` in the order of their names."""

    prompt_set_id: int
    backend: str
    model: str
    seed: int
    samples: int
    parameters: "tuple[tuple[str, Parameter], ...]" = ()


@dataclass(frozen=True)
class RunLine:
    """A run as it is listed: the request it belongs to, the set's name, and how far it is. `failures` by kind."""

    id: int
    request: WriteRequest
    prompt_set: str
    done: int
    failed: int
    missing: int
    study: str = ""  # its kind
    failures: Mapping[str, int] = field(default_factory=dict)

    @property
    def can_go_on(self) -> bool:
        return self.request.backend != IMPORTED


def author_words(request: WriteRequest) -> str:
    """The generator in a few words: its backend or endpoint, its model, and the temperature where there is one."""
    given = dict(request.parameters)
    words = " · ".join(part for part in (str(given.get("endpoint") or request.backend), request.model) if part)
    temperature = given.get("temperature")
    if isinstance(temperature, int | float):
        words += tr(", temperature {t}").format(t=f"{temperature:g}")
    return words + (tr(", by likelihood") if given.get("choose") else "")


def goes_on_with(request: WriteRequest, run: RunLine) -> bool:
    """Whether a request would go on with a run, as far as that is known before the model is opened."""
    stored = run.request
    same = (stored.prompt_set_id, stored.backend, stored.model, stored.seed)
    return (request.prompt_set_id, request.backend, request.model, request.seed) == same and same_generator(
        request.backend, dict(request.parameters), dict(stored.parameters)
    )


def read_runs(ctx: JobContext, project: "Project") -> tuple[RunLine, ...]:
    """The project's runs, newest first, each with its counts."""
    generators, sets = project.runs.generators(), {row.id: row for row in project.prompts.sets()}
    studies = {row.id: row.kind for row in project.studies.all()}
    lines = []
    for run in reversed(project.runs.all()):
        ctx.check()
        prompt_set = sets[run.prompt_set_id]
        counts = project.runs.counts(run.id)
        name = tr("{name} v{n}").format(name=prompt_set.name, n=prompt_set.version)
        if IMPORTED in prompt_set.recipe:
            name = prompt_set.name
        request = _request(run, generators[run.generator_id])
        line = RunLine(
            run.id, request, name, counts.done, counts.failed, counts.missing, studies[run.study_id], counts.failures
        )
        lines.append(line)
    return tuple(lines)


def _request(run: "RunRow", generator: "GeneratorRow") -> WriteRequest:
    parameters = tuple(sorted(generator.parameters.items()))
    return WriteRequest(run.prompt_set_id, generator.backend, generator.model, run.seed, run.samples, parameters)


def parameter_words(request: WriteRequest) -> str:
    """Every parameter of a generator, one a line."""
    return "\n".join(f"{name}: {value}" for name, value in request.parameters)


# kind of failure → what to say of one, and of several
FAILURES: Mapping[str, tuple[str, str]] = {
    "timeout": ("1 took longer than its deadline.", "%n took longer than their deadline."),
    "rate_limit": ("1 was turned away: the server wanted fewer requests.",
                   "%n were turned away: the server wanted fewer requests."),
    "server": ("1 met an error of the server.", "%n met an error of the server."),
    "connection": ("1 had no connection, or it broke.", "%n had no connection, or it broke."),
    "key": ("1 was refused for its key: check it under Models.",
            "%n were refused for their key: check it under Models."),
    "model": ("1 asked for a model that is unknown there.", "%n asked for a model that is unknown there."),
    "context": ("1 prompt is longer than the context.", "%n prompts are longer than the context."),
    "refused": ("1 request was not accepted by the server.", "%n requests were not accepted by the server."),
    "redirect": ("1 was sent elsewhere, and redirects are not followed: check the address.",
                 "%n were sent elsewhere, and redirects are not followed: check the address."),
    "too_large": ("1 reply was larger than is taken.", "%n replies were larger than is taken."),
    "bad_reply": ("1 reply was not in the promised form.", "%n replies were not in the promised form."),
    "parameters": ("1 prompt lacks what this generator needs.", "%n prompts lack what this generator needs."),
}  # fmt: skip
_OTHER = ("1 failed for another reason.", "%n failed for another reason.")


def failure_words(kind: str, count: int) -> str:
    """A sentence on the failures of a kind."""
    return plural(count, *FAILURES.get(kind, _OTHER))


def run_words(run: RunLine) -> str:
    """How a run that nobody is working on stands, in a word or two."""
    if not run.can_go_on:
        return tr("imported")
    parts = [tr("{n} to write").format(n=number(run.missing))] if run.missing else []
    parts += [plural(run.failed, "1 failed", "%n failed")] if run.failed else []
    return ", ".join(parts) or tr("done")
