"""What a project has for each door, and so what the door lacks."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.jobs import JobContext
from desktop.operations.studies import StudyFacts, study_facts

if TYPE_CHECKING:
    from core.project.project import Project

COMPARED = "creativity"  # comparisons to rate are drawn from the outputs of this study


@dataclass(frozen=True)
class Facts:
    """What is in the open project, study by study, and how many comparisons there are to rate."""

    studies: tuple[StudyFacts, ...] = ()
    comparisons: int = 0
    begun: int = 0  # rating sessions of people on this machine that are open
    finished: int = 0  # and those whose result their raters have seen

    @property
    def compared(self) -> StudyFacts:
        """The study that comparisons are drawn from."""
        return next((one for one in self.studies if one.kind == COMPARED), StudyFacts(COMPARED, ""))

    @property
    def with_texts(self) -> tuple[StudyFacts, ...]:
        return tuple(one for one in self.studies if one.texts)

    @property
    def with_prompts(self) -> tuple[StudyFacts, ...]:
        return tuple(one for one in self.studies if one.prompts)


def read_facts(ctx: JobContext, project: "Project") -> Facts:
    """Count, in short readings."""
    judging = project.judging
    comparisons = sum(judging.count(plan.id) for plan in judging.plans())
    people = {row.id for row in judging.raters() if row.kind == "person"}
    away = judging.packet_sessions()
    sessions = [row for row in judging.sessions() if row.rater_id in people]
    finished = sum(row.revealed_at is not None for row in sessions)
    begun = sum(row.revealed_at is None and row.id not in away for row in sessions)
    return Facts(study_facts(ctx, project), comparisons, begun, finished)
