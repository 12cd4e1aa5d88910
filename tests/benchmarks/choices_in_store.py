"""Makes choices in a project through its store, alone and then beside what else may go on (see load.py)."""

import random
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from children import tell
from load import Charts, Everything, Writing

from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.core.judging.assignment import CompactRows
from biasprint.core.project.project import Project
from biasprint.core.project.rows import SessionRow
from biasprint.core.project.specs import JudgmentSpec, RaterSpec

CHOICES = 500
LONGEST_PAUSE = 0.03
SETTLE_SECONDS = 1.0


def main(path: Path) -> None:
    with Project.open(path) as project:
        session = open_session(project)
        answer: dict[str, object] = {"alone": choose(project, session, 0)}
        writing, charts = Writing(project), Charts(project)
        loads = {"busy": (writing.run, charts.run), "busier": (Everything(project).run,)}
        ctx = JobContext()
        threads: list[threading.Thread] = []
        for number, (name, runs) in enumerate(loads.items(), start=1):
            added = [threading.Thread(target=quietly, args=(run, ctx)) for run in runs]
            for thread in added:
                thread.start()
            threads += added
            time.sleep(SETTLE_SECONDS)
            answer[name] = choose(project, session, number * CHOICES)
            answer[f"rows_per_second_{name}"] = writing.per_second
            answer[f"refreshes_per_second_{name}"] = charts.per_second
        ctx.cancel()
        for thread in threads:
            thread.join()
    tell(answer)


def quietly(run, ctx: JobContext) -> None:
    with suppress(JobCancelled):
        run(ctx)


def open_session(project: Project) -> SessionRow:
    rater = project.judging.add_rater(RaterSpec(code=f"R{random.randrange(10**6)}")).uuid("rater")
    (plan,) = project.judging.plans()
    opened = project.judging.open_session(plan.id, rater).uuid("session")
    return next(row for row in project.judging.sessions() if row.id == opened)


def choose(project: Project, session: SessionRow, first: int) -> list[float]:
    """Milliseconds from each choice until it is on disk and the next comparison's texts are read."""
    found = []
    pauses = random.Random(1)
    rows = CompactRows(project.judging.comparisons(session.plan_id))  # as a session holds them
    following = rows[first]
    for number in range(first, first + CHOICES):
        time.sleep(pauses.uniform(0.0, LONGEST_PAUSE))  # at any moment of the writer's rhythm
        started = time.perf_counter()
        project.judging.record(
            JudgmentSpec(
                session_id=session.id,
                comparison_id=following.id,
                outcome="choice",
                chosen=0,
                shown=(1, 0, 2),
                texts_sha256=following.texts_sha256,
                active_seconds=1.0,
            )
        )
        following = rows[number + 1]
        texts = project.outputs.texts([item.output for item in following.items])
        found.append(1000 * (time.perf_counter() - started))
        assert len(texts) == len(following.items)
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]))
