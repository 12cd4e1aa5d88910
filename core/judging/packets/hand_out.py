"""Handing a plan out to another tool: a folder in its own format, with what the packets of these raters would hold."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets import outside
from biasprint.core.judging.packets.make import (
    AT_ONCE,
    MadePacket,
    PlanToSend,
    asked_of,
    begun_packet,
    later_round,
    make_packets,
    order_for,
    rater_codes,
    read_plan,
)
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.judging.packets.outside import QUESTION, Handout, OutsideTask, Tool
from biasprint.core.judging.packets.packet import HELD_WORDS, SUFFIX
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.judging.wording import ComparisonWording, plan_wording, rubric_text, wording_of
from biasprint.core.judging.workshop import participant_code, typed_code
from biasprint.core.language import chosen
from biasprint.core.machine.files import whole_folder
from biasprint.core.project.project import Project
from biasprint.core.project.stores.packets import NewPacket

# The folder's name, and what writes it and says which file is whose.
WRITERS: Mapping[Tool, tuple[str, Callable[[Path, Handout], Mapping[str, str]]]] = {
    "potato": (outside.POTATO_FOLDER, outside.write_potato),
    "label-studio": (outside.LABEL_STUDIO_FOLDER, outside.write_label_studio),
}


def hand_out(
    ctx: JobContext,
    project: Project,
    tool: Tool,
    *,
    plan_id: str,
    codes: Sequence[str],
    folder: Path,
    wording: ComparisonWording | None = None,
    number: int | None = None,
    page_language: str = "",
) -> tuple[MadePacket, ...]:
    """Write a folder for the tool into `folder`, and note raters, sessions and packets in the project; for "html",
    which is nobody's tool, a page for each rater, in `page_language` or else that of whoever makes it.

    Raises UsageError for a code or plan that makes no sense, AppError for a code that has rated this plan here, a
    folder that is in the way or cannot be written to. Nothing is written unless all of it can be.
    """
    words = wording or wording_of(project)
    plan = read_plan(ctx, project, plan_id, words, number)
    asked = PlanSettings.of(plan.row.settings)
    if tool == "html":
        if asked.workshop:
            raise UsageError(
                "A workshop has no pages for browsers: participants see their own picture at its end.",
                hint="Make packets, or use Potato.",
            )
        return make_packets(
            ctx,
            project,
            plan_id=plan_id,
            codes=codes,
            folder=folder,
            wording=words,
            number=number,
            page_language=page_language or chosen(),
        )
    _refuse_more_than_choices(asked)
    begun = [begun_packet(project, plan, code) for code in rater_codes(codes)]
    shown = plan_wording(words, asked)
    tasks = {new.rater.code: _tasks(ctx, project, plan, new, shown) for new in begun}
    handout = Handout(
        tasks,
        cards=max(len(row.items) for row in plan.rows if row.id in plan.usable),
        notes=bool(plan.settings["notes"]),
        question=str(plan.settings.get("question") or QUESTION),
        instructions=str(plan.settings.get("instructions", "")),
        consent_text=str(plan.settings["consent_text"]),
        workshop=asked.workshop,
    )
    name, write = WRITERS[tool]
    if later := later_round(project, plan_id, number):
        name = f"{name}-round-{later}"
    with _new_folder(folder / name) as part:
        files = write(part, handout)
        for new in begun:
            project.packets.register(replace(new, packet=replace(new.packet, file_sha256="")))  # no file that signs
    return tuple(
        MadePacket(folder / name / files[new.rater.code], new.rater.code, new.packet.id, len(tasks[new.rater.code]))
        for new in begun
    )


def _refuse_more_than_choices(asked: PlanSettings) -> None:
    """Raise UsageError where a plan asks for, or shows, what no other tool does."""
    all_of_them = {
        "asks for the worst text as well": asked.worst,
        "shows recommendations with some comparisons": bool(asked.sway),
        "asks how much better a text is": asked.graded,
        "asks how sure raters are": asked.confidence,
        "asks for the words that decided it": asked.spans,
    }
    if more := [words for words, wanted in all_of_them.items() if wanted]:
        raise UsageError(
            f"This plan {' and '.join(more)}, which other tools do not.", kept="Nothing was made.",
            hint="Make packets for this program, or pages for a browser (--to html), instead.",
        )  # fmt: skip


def _tasks(
    ctx: JobContext, project: Project, plan: PlanToSend, new: NewPacket, wording: ComparisonWording
) -> list[OutsideTask]:
    order, code = order_for(plan, new.rater.code), new.rater.code
    tasks: list[OutsideTask] = []
    asked = asked_of(plan, code)
    for start in range(0, len(asked), AT_ONCE):
        ctx.check()
        rows = asked[start : start + AT_ONCE]
        texts = project.texts({item.key for row in rows for item in row.items})
        for row in rows:
            shown = tuple(texts[row.items[index].key] for index in order.of(row.id))
            name = f"{new.packet.id[:8]}-{len(tasks) + 1:04d}"
            title, criteria = wording.title(row.task, row.theme), wording.criteria(row.task)
            rubric = rubric_text([(criterion.name, criterion.explanation) for criterion in criteria])
            tasks.append(OutsideTask(name, new.packet.id, row.id, code, title, shown, rubric))
    return tasks


@contextmanager
def _new_folder(target: Path) -> Iterator[Path]:
    """Yield a folder that takes its name where the block ends well, and is gone otherwise."""
    if target.exists():
        raise AppError(
            f"There is something at “{target.name}” already.", kept="Nothing was written, and nothing was changed.",
            hint="Choose another folder: what raters answered may be in that one.",
        )  # fmt: skip
    try:
        with whole_folder(target) as part:
            yield part
    except OSError as error:
        raise AppError(
            f"The folder “{target.name}” could not be written.", kept="The project itself is as it was.",
            hint="Choose another folder, or free some space.", details=str(error),
        ) from error  # fmt: skip


# ---- Seats

MOST_SEATS = 60


@dataclass(frozen=True)
class Collected:
    """The result of collecting. `finished` of the seats in the folder, `unfinished` ones, and `refused`: why, a
    sentence for each.

    `left_out`: answers in another tool that were to other texts than were handed out, or to nothing that was.
    `to_decide`: seats whose copies differ, and `kept`: seats of which a copy with other answers came too late.
    """

    finished: int
    unfinished: int
    refused: Sequence[str] = ()
    left_out: int = 0
    to_decide: int = 0
    kept: int = 0


def make_seats(
    ctx: JobContext, project: Project, plan_id: str, seats: int, folder: Path, tool: Tool | None = None
) -> tuple[MadePacket, ...]:
    """Make so many seats, each for one participant: packets, or with `tool` a folder that it reads.

    Raises `AppError` where there is no such folder.
    """
    _check_exists(folder, "No packet was written.")
    if tool is not None:
        codes = [typed_code() for _ in range(seats)]
        return hand_out(ctx, project, tool, plan_id=plan_id, codes=codes, folder=folder)
    return make_packets(ctx, project, plan_id=plan_id, codes=[participant_code() for _ in range(seats)], folder=folder)


def collect_seats(ctx: JobContext, project: Project, folder: Path) -> Collected:
    """Merge what a folder holds; what was collected before adds nothing. Raises `AppError` where it is gone."""
    remark = "What was collected before is in the project."
    _check_exists(folder, remark)
    try:
        paths = sorted(_results_in(folder))
    except OSError as error:
        raise _gone(folder, remark) from error
    if not paths:
        raise AppError(
            f"There is no packet in “{folder.name}”, and no result of Potato or Label Studio.", kept=remark,
            hint="Choose the folder that they are in; of Label Studio the projects’ exports as JSON.",
        )  # fmt: skip
    report = merge_packets(ctx, project, paths)
    files = report.files
    refused = tuple(f"{file.refused} {file.hint}".strip() for file in files if file.refused)
    refused += tuple(f"“{file.name}” waits for a decision: {HELD_WORDS[file.held]}" for file in files if file.held)
    seats = [file for file in files if file.code and not (file.refused or file.held)]
    left_out = sum(len(file.changed_texts) + file.strange for file in files)
    # A copy of a seat is no other seat.
    codes = {file.code: False for file in seats} | {file.code: True for file in seats if file.finished}
    return Collected(
        finished=sum(codes.values()), unfinished=len(codes) - sum(codes.values()), refused=refused, left_out=left_out,
        to_decide=report.seats_to_decide, kept=report.seats_kept,
    )  # fmt: skip


def _results_in(folder: Path) -> Iterator[Path]:
    """Yield packets, Potato's folder and exports of Label Studio; not the tasks that were handed out for them."""
    for place in (folder, folder / outside.POTATO_FOLDER, folder / outside.LABEL_STUDIO_FOLDER):
        if (place / outside.POTATO_CONFIG).exists():
            yield place
        elif place.is_dir():
            for path in place.iterdir():
                is_export = path.suffix.lower() == outside.EXPORT_SUFFIX and not outside.is_label_studio_tasks(path)
                if path.suffix == SUFFIX or is_export:
                    yield path


def _check_exists(folder: Path, remark: str) -> None:
    if not folder.is_dir():
        raise _gone(folder, remark)


def _gone(folder: Path, remark: str) -> AppError:
    return AppError(
        f"The folder “{folder.name}” is not there any more.",
        kept=remark,
        hint="Bring the stick or the network folder back, and try again.",
    )
