"""Rating inside a packet in processes that are killed: what they acknowledged, and what the file holds afterwards."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from killed import Lives

from biasprint.core.judging.packets.packet import packet_info
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project

# Through the judging door, as the window does it: what is told of is what a window would call saved.
RATE = """
from pathlib import Path
from packet_files import judging
from biasprint.core.judging.session import offer_plans, open_session
from biasprint.core.judging.reveal import finish
from biasprint.core.judging.work import record_choice, save_note
def live(path):
    with judging(Path(path)) as door:
        (offer,) = door.ask(offer_plans).result().offers
        view = door.ask(open_session, offer.token, "R02", True).result()
        print("open", flush=True)
        while view.comparison is not None:
            shown = view.comparison
            note = f"{shown.ordinal} " * (1 + shown.ordinal % 40)
            door.ask(save_note, shown.token, note).result()
            print("note", shown.ordinal, flush=True)
            view = door.ask(record_choice, shown.token, "choice", shown.ordinal % 3, note).result()
            print("said", shown.ordinal, flush=True)
        print("finish", flush=True)
        door.ask(finish).result()
        print("finished", flush=True)
"""


def note_of(ordinal: int) -> str:
    return f"{ordinal} " * (1 + ordinal % 40)


@dataclass
class Told:
    """What killed raters had acknowledged, by the number of the comparison."""

    notes: list[int] = field(default_factory=list)
    said: list[int] = field(default_factory=list)
    finished: bool = False

    def hear(self, lines: Sequence[str]) -> None:
        for line in lines:
            what, _, ordinal = line.strip().partition(" ")
            if what in ("note", "said"):
                (self.notes if what == "note" else self.said).append(int(ordinal))
            self.finished |= what == "finished"


def look_at(path: Path, told: Told, kills: int) -> int:
    """Nothing that was acknowledged is lost, nothing is there twice, and the file is sound. How much was said."""
    with Project.open(path) as project:
        info = packet_info(project)
        assert info is not None
        assert not (told.finished and not info.finished), "a finished packet is open again"
        (session,), (plan,) = project.judging.sessions(), project.judging.plans()
        rows = project.judging.comparisons(plan.id)
        ordinal_of = {row.id: place for place, row in enumerate(rows, start=1)}
        found = project.judging.judgments(session.id, superseded=True)
        drafts = project.judging.drafts(session.id)
    said = [ordinal_of[row.comparison_id] for row in found]
    assert len(set(said)) == len(said), "a judgment stands twice"
    assert len(set(told.said)) == len(told.said), "what had been answered was asked again"
    assert set(told.said) <= set(said), "an acknowledged judgment is lost"
    # At most the answer that was on its way when the kill came may be there without having been acknowledged.
    assert len(said) - len(told.said) <= kills
    for row, ordinal in zip(found, said, strict=True):
        assert (row.note, row.chosen) == (note_of(ordinal), ordinal % 3)
    kept = {ordinal_of[comparison]: remark.note for comparison, remark in drafts.items()}
    waiting = [ordinal for ordinal in told.notes if ordinal not in said]
    assert all(kept.get(ordinal) == note_of(ordinal) for ordinal in waiting), "an acknowledged note is lost"
    assert check_project(path).sound
    return len(said)


def kill_often(path: Path, kills: int, seed: int) -> int:
    """Kill a packet's rater at random moments; how many answers the packet holds afterwards."""
    chance, told = random.Random(seed), Told()
    with Lives(RATE) as rater:
        for number in range(kills):
            # After the first note every other time: on a busy machine all would be killed before it.
            wait_for = "open" if number % 2 else "note"
            told.hear(rater.killed(path, chance.uniform(0.0, 0.08), wait_for=wait_for))
    assert told.said, "the test killed too early to show anything"
    return look_at(path, told, kills)
