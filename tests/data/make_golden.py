"""Makes the golden file of the present format, with rows in every table.

Run once per format; kept for how they were made. Those of formats 1 and 2 have rows in fewer tables.
"""

import sys
from pathlib import Path

from biasprint.core.findings import Finding
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem, PacketRow, RaterRow, SessionRow
from biasprint.core.project.specs import (
    AnnotationSpec,
    AxisSpec,
    ComparisonSpec,
    GeneratorSpec,
    JudgmentSpec,
    OutputSpec,
    PlanSpec,
    PromptSetSpec,
    PromptSpec,
    RaterSpec,
    RunSpec,
    ScoreSpec,
    SourceSpec,
)
from biasprint.core.project.stores.common import new_uuid
from biasprint.core.project.stores.judging import Remark
from biasprint.core.project.stores.packets import NewPacket


def make(path: Path) -> None:
    with Project.create(path) as project:
        study = project.studies.add("creativity", "Golden study", {"planned": 1}).number("study")
        project.axes.add(AxisSpec(key="gender", title="Gender", definition={"identities": ["man", "woman"]}))
        prompts = tuple(
            PromptSpec(key=f"golden/{name}", text=f"Write for a {name}", task="haiku", theme="stars", axis="gender",
                       identity=name) for name in ("man", "woman")
        )  # fmt: skip
        spec = PromptSetSpec(name="golden", recipe={"made": "by hand"}, prompts=prompts)
        prompt_set = project.prompts.add_set(study, spec).number("prompt_set")
        project.sources.add_many(
            study, [SourceSpec(kind="letter", origin="golden.csv", row=1, text="A letter.", fields={"group": "female"})]
        )
        generator = project.runs.add_generator(GeneratorSpec(backend="written", model="golden")).number("generator")
        started = RunSpec(study_id=study, prompt_set_id=prompt_set, generator_id=generator, seed=1)
        run = project.runs.start(started).number("run")
        texts = ("A first text.", "A second text, with a lone \ud800.")
        outputs = [
            OutputSpec(run_id=run, prompt_id=item.prompt.id, sample=0, seed=1, text=text)
            for item, text in zip(project.runs.pending(run), texts, strict=True)
        ]
        first, second = sorted(int(key) for key in project.outputs.record_many(outputs).of("output"))
        score = ScoreSpec(output_id=first, scorer="golden", version="1", values=[1.0, 2.0], summary=1.5)
        project.scores.record_many([score])
        project.scores.record_many([score], embeddings=True)
        shown = {"axis": "gender", "task": "haiku", "theme": "stars", "texts_sha256": "0" * 64}
        comparison = ComparisonSpec(
            position=0, items=(ComparisonItem(first, "man"), ComparisonItem(second, "woman")), **shown
        )
        plan = project.judging.add_plan(PlanSpec(study_id=study, title="Golden", axis="gender", seed=1), [comparison])
        rater = project.judging.add_rater(RaterSpec(code="R1")).uuid("rater")
        session = project.judging.open_session(plan.uuid("plan"), rater, "I agree").uuid("session")
        judged = JudgmentSpec(
            session_id=session, comparison_id=plan.uuid("comparison"), outcome="choice", chosen=0, shown=(1, 0),
            texts_sha256="0" * 64, active_seconds=2.0,
        )  # fmt: skip
        one = project.judging.record(judged).uuid("judgment")
        again = {"chosen": 1, "supersedes": one, "note": "after a second look"}
        project.judging.record(judged.model_copy(update=again))
        project.judging.save_draft(session, plan.uuid("comparison"), Remark("a note that"))
        project.annotations.add(AnnotationSpec(kind="golden", target=session, rater_id=rater, value={"said": 1}))
        at = project.judging.raters()[0].created_at
        sent = SessionRow(new_uuid(), plan.uuid("plan"), new_uuid(), "", "", at, None)
        project.packets.register(
            NewPacket(
                PacketRow(new_uuid(), plan.uuid("plan"), sent.rater_id, "made", "0" * 64, {"comparisons": 1}, at),
                RaterRow(sent.rater_id, "R2", "person", {}, at),
                sent,
            )
        )
        project.readings.add("Golden letter", "0" * 64, {"marks": []}, project.sources.page(study)[0].id)
        found = Finding(
            id="creativity.rbs", label="woman", title="Golden", groups=("woman",), estimate=0.5, unit="share", n=2
        )
        project.findings.replace("creativity", "golden", {"seed": 1}, [found])
        project.events.add("made", {"by": "make_golden.py"})


if __name__ == "__main__":
    make(Path(sys.argv[1]))
