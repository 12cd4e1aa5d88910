"""Seats of a workshop elsewhere: a packet for each in a shared folder, or what Potato or Label Studio is given for
people with a browser or a phone; and what is finished there collected.

Nobody is told apart: a seat is named after a participant's random code, and what comes back is counted, not listed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets import label_studio, potato
from biasprint.core.judging.packets.hand_out import hand_out
from biasprint.core.judging.packets.make import MadePacket, make_packets
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.judging.packets.outside import Tool
from biasprint.core.judging.packets.packet import SUFFIX
from biasprint.core.judging.workshop import participant_code, typed_code
from biasprint.core.project.project import Project

MOST_SEATS = 60


@dataclass(frozen=True)
class Collected:
    """`finished` of the seats in the folder, `unfinished` ones, and `refused`: why, a sentence for each.

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
    """So many seats, each for one participant: packets, or with `tool` a folder that it reads.

    Raises `AppError` where there is no such folder.
    """
    _check_there(folder, "No packet was written.")
    if tool is not None:
        codes = [typed_code() for _ in range(seats)]
        return hand_out(ctx, project, tool, plan_id=plan_id, codes=codes, folder=folder)
    return make_packets(ctx, project, plan_id=plan_id, codes=[participant_code() for _ in range(seats)], folder=folder)


def collect_seats(ctx: JobContext, project: Project, folder: Path) -> Collected:
    """Merge what a folder holds; what was collected before adds nothing. Raises `AppError` where it is gone."""
    kept = "What was collected before is in the project."
    _check_there(folder, kept)
    try:
        paths = sorted(_results_in(folder))
    except OSError as error:
        raise _gone(folder, kept) from error
    if not paths:
        raise AppError(
            f"There is no packet in “{folder.name}”, and no result of Potato or Label Studio.", kept=kept,
            hint="Choose the folder that they are in; of Label Studio the projects’ exports as JSON.",
        )  # fmt: skip
    report = merge_packets(ctx, project, paths)
    files = report.files
    refused = tuple(f"{one.refused} {one.hint}".strip() for one in files if one.refused)
    seats = [one for one in files if one.code and not one.refused]
    left_out = sum(len(one.changed_texts) + one.strange for one in files)
    # A copy of a seat is no other seat.
    codes = {one.code: False for one in seats} | {one.code: True for one in seats if one.finished}
    return Collected(
        finished=sum(codes.values()), unfinished=len(codes) - sum(codes.values()), refused=refused, left_out=left_out,
        to_decide=report.seats_to_decide, kept=report.seats_kept,
    )  # fmt: skip


def _results_in(folder: Path) -> Iterator[Path]:
    """Packets, Potato's folder and exports of Label Studio; not the tasks that were handed out for them."""
    for place in (folder, folder / potato.FOLDER, folder / label_studio.FOLDER):
        if (place / potato.CONFIG).exists():
            yield place
        elif place.is_dir():
            for path in place.iterdir():
                is_export = path.suffix.lower() == label_studio.SUFFIX and not label_studio.is_tasks(path)
                if path.suffix == SUFFIX or is_export:
                    yield path


def _check_there(folder: Path, kept: str) -> None:
    if not folder.is_dir():
        raise _gone(folder, kept)


def _gone(folder: Path, kept: str) -> AppError:
    return AppError(
        f"The folder “{folder.name}” is not there any more.",
        kept=kept,
        hint="Bring the stick or the network folder back, and try again.",
    )
