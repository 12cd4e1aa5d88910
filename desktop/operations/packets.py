"""What kind of file was opened: a project, or a rating packet."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import AppError

if TYPE_CHECKING:
    from core.judging.packets.inside import PacketInfo
    from core.project.project import Project

SUFFIX = ".bpacket"


@dataclass(frozen=True)
class Opened:
    """An open file, and what it says of itself where it is a packet."""

    project: "Project"
    packet: "PacketInfo | None"


def looked_into(project: "Project") -> Opened:
    """Read what the file is, off the window's thread. A file that says it is a packet and is none is closed again."""
    from core.judging.packets.inside import packet_info

    try:
        packet = packet_info(project)
        if packet is None and project.path.suffix.lower() == SUFFIX:
            raise AppError(
                "This file is not a rating packet.",
                kept="It was not changed.",
                hint="Ask whoever sent it to send the packet again.",
            )
    except BaseException:
        project.close()
        raise
    return Opened(project, packet)
