"""Seats of a workshop at other computers: a packet for each in a shared folder, and what is finished there collected.

Nobody is told apart: a packet is named after a participant's random code, and what comes back is counted, not listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import AppError
from core.jobs import JobContext
from core.judging.packets.make import MadePacket, make_packets
from core.judging.packets.merge import merge_packets
from core.judging.packets.packet import SUFFIX
from core.judging.workshop import participant_code
from core.project.project import Project

MOST_SEATS = 60


@dataclass(frozen=True)
class Collected:
    """`finished` of the packets in the folder, `unfinished` ones, and `refused`: why, a sentence for each."""

    finished: int
    unfinished: int
    refused: Sequence[str] = ()


def make_seats(ctx: JobContext, project: Project, plan_id: str, seats: int, folder: Path) -> tuple[MadePacket, ...]:
    """So many packets, each for one participant. Raises `AppError` where there is no such folder."""
    _check_there(folder, "No packet was written.")
    return make_packets(ctx, project, plan_id=plan_id, codes=[participant_code() for _ in range(seats)], folder=folder)


def collect_seats(ctx: JobContext, project: Project, folder: Path) -> Collected:
    """Merge the packets in a folder; what was collected before adds nothing. Raises `AppError` where it is gone."""
    kept = "What was collected before is in the project."
    _check_there(folder, kept)
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except OSError as error:
        raise _gone(folder, kept) from error
    if not paths:
        raise AppError(
            f"There is no packet in “{folder.name}”.", kept=kept, hint="Choose the folder that the packets are in."
        )
    files = merge_packets(ctx, project, paths).files
    refused = tuple(f"{one.refused} {one.hint}".strip() for one in files if one.refused)
    finished = sum(one.finished for one in files if not one.refused)
    return Collected(finished, len(files) - finished - len(refused), refused)


def _check_there(folder: Path, kept: str) -> None:
    if not folder.is_dir():
        raise _gone(folder, kept)


def _gone(folder: Path, kept: str) -> AppError:
    return AppError(
        f"The folder “{folder.name}” is not there any more.",
        kept=kept,
        hint="Bring the stick or the network folder back, and try again.",
    )
