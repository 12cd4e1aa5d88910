"""Every read that the store offers, for tests of files that are damaged."""

from biasprint.core.project.project import Project


def read_everything(project: Project) -> dict[str, int]:
    """How many rows of each kind the store hands out."""
    study = project.studies.all()[0].id if project.studies.all() else 0
    sets = project.prompts.sets()
    sessions = project.judging.sessions()
    plans = project.judging.plans()
    project.prompts.topics()
    project.sources.written(study, "letter")
    return {
        "study": len(project.studies.all()),
        "axis_definition": len(project.axes.all()),
        "prompt_set": len(sets),
        "prompt": sum(len(project.prompts.page(one.id)) for one in sets),
        "source": len(project.sources.page(study)),
        "generator": len(project.runs.generators()),
        "run": len(project.runs.all()),
        "output": len(list(project.outputs.each())),
        "score": len(project.scores.page("output", "golden", "1")),
        "embedding": len(project.scores.embeddings("output", "golden", "1")),
        "plan": len(plans),
        "comparison": sum(len(project.judging.comparisons(one.id)) for one in plans),
        "rater": len(project.judging.raters()),
        "session": len(sessions),
        "judgment": len(project.judging.judgments(superseded=True)),
        "draft": sum(len(project.judging.drafts(one.id)) for one in sessions),
        "annotation": len(project.annotations.of_kind("golden")),
        "packet": len(project.packets.all()),
        "reading": len(project.readings.all()) + 0 * len(project.readings.latest()),
        "finding": len(project.findings.all()),
        "event": len(project.events.recent()),
    }
