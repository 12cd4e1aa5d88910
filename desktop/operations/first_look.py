"""A first look: a study's small prompt set, or one's own question, written by one generator and measured in one go."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.desktop.operations import operation
from biasprint.desktop.operations.importing import free_name
from biasprint.desktop.operations.measuring import start_measuring
from biasprint.desktop.operations.queue import Entry, put_in_queue
from biasprint.desktop.operations.runs import WriteRequest
from biasprint.desktop.operations.session import PROJECT_SUFFIX
from biasprint.desktop.widgets.words import tr
from biasprint.desktop.wording.generators import words_of

if TYPE_CHECKING:
    from biasprint.core.backends.protocol import Parameter
    from biasprint.core.project.project import Project
    from biasprint.core.runs.generate import GenerateResult
    from biasprint.core.runs.setup import AddedPrompts
    from biasprint.core.studies.kit.study import StudyDeclaration
    from biasprint.desktop.jobs import JobRunner
    from biasprint.desktop.operations.prompts import TemplateChoice

SEED = 1  # as the form of a run begins with
WORDINGS = 5  # of every prompt that ships
OWN_STUDY = "compare"  # which takes any prompts


@dataclass(frozen=True)
class FirstLookOffer:
    """A study that can be begun: its question, the number of prompts of its first look, and what to keep in mind."""

    kind: str
    title: str
    asks: str
    prompts: int
    hint: str = ""


@dataclass(frozen=True)
class FirstLookOffers:
    """The studies, and where a new project could be kept."""

    studies: tuple[FirstLookOffer, ...]
    path: Path


@dataclass(frozen=True)
class FirstLook:
    """The request of a first look. `path`: of the project to be made; None for the open one."""

    study: str
    backend: str
    model: str
    parameters: "tuple[tuple[str, Parameter], ...]"
    path: Path | None
    question: "TemplateChoice | None" = None  # one's own, in place of the study's prompts
    samples: int = 1
    wordings: bool = False  # whether each of the study's prompts is asked in several


def own_question(text: str, names: Sequence[str]) -> "TemplateChoice":
    """Return the choice of prompts that ask a question, with {name} in it, once with each name."""
    from biasprint.desktop.operations.prompts import TemplateChoice  # which loads the engine

    table = io.StringIO()
    csv.writer(table).writerows([("name", "group"), *((name, name) for name in names)])
    return TemplateChoice(OWN_STUDY, text, None, typed=table.getvalue(), name=tr("My own question"))


def name_known(name: str) -> str:
    """Return whom a name stands for in the shipped sets of names, in words; empty for no name."""
    from biasprint.core.prompts.name_sets import groups_of_name  # reads all sets

    if not name.strip():
        return ""
    known = "; ".join(groups_of_name(name).values())
    return tr("Found: {groups}.").format(groups=known) if known else tr("In no shipped set of names.")


def read_offers(ctx: JobContext, project: "Project | None", folder: Path) -> FirstLookOffers:
    """Read the studies with prompts, in the order in which the window names them, and a free name in the folder.

    A study that makes no prompts without a choice, possible for a plug-in's, has no first look.
    """
    from biasprint.core.runs.setup import first_look
    from biasprint.core.studies.registry import studies

    offers = []
    for study in sorted(studies().values(), key=lambda one: one.words.place):
        ctx.check()
        if study.has_prompts:
            try:
                draft = first_look(ctx, project, study.kind)
            except UsageError:
                continue
            hints = " ".join(draft.hints)
            offers.append(FirstLookOffer(study.kind, study.title, _asks(study), len(draft.prompts), hints))
    return FirstLookOffers(tuple(offers), free_name(folder / f"{tr('My audit')}{PROJECT_SUFFIX}"))


def _asks(study: "StudyDeclaration") -> str:
    """Return the question of the study, or of the design that it begins with."""
    from biasprint.core.prompts.designs import load_design

    if key := study.first_look.get("design"):
        design = load_design(key)
        return f"{design.title}. {design.question}"
    return study.questions[0].ask if study.questions else words_of(study.kind).rows


@operation("Adding prompts", quiet=True)
def add_first_look(ctx: JobContext, *, project: "Project", audit: FirstLook) -> "AddedPrompts":
    """Store the small prompt set of a study or the own question, unless it is there already."""
    from biasprint.core.runs.setup import first_look, store_set
    from biasprint.desktop.operations.prompts import expand

    own = audit.question
    several = str(WORDINGS) if audit.wordings else None
    draft = first_look(ctx, project, audit.study, several) if own is None else expand(ctx, project, own)
    return store_set(project, audit.study, draft)


def write_and_measure(
    jobs: "JobRunner",
    project: "Project",
    audit: FirstLook,
    prompt_set: int,
    *,
    scores: bool,
    still_open: Callable[[], bool],
    on_measured: Callable[[], object],
    on_error: "Callable[[AppError], object]",
) -> Entry:
    """Write what is missing of a prompt set, then measure its study. Nothing is measured if every text failed.

    `scores`: each text as it comes. `still_open`: returns whether the project is still open.
    """

    def measure(written: "GenerateResult") -> None:
        if written.done and still_open():
            start_measuring(jobs, project, (audit.study,), on_done=lambda _: on_measured() if still_open() else None)

    request = WriteRequest(prompt_set, audit.backend, audit.model, SEED, audit.samples, audit.parameters)
    return put_in_queue(jobs, project, request, scores=scores, on_done=measure, on_error=on_error)
