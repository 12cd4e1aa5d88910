"""A project for the live board: scored letters, and a run of many samples of which nothing is written yet."""

from pathlib import Path

from live_scene import Quick, store, written

from biasprint.core.project.project import Project
from biasprint.core.runs.generate import start_run
from biasprint.core.runs.setup import generator_spec, study_of
from biasprint.core.scorers.registry import score_batch

NAMES = ["Kelly=female", "Joseph=male"]
PROMPTS = 120  # of the set
SAMPLES = 100
WANTED = PROMPTS * SAMPLES
MODELLED = "agency"  # its stand-in loads a model first: that is no part of what is measured


def with_letters(path: Path) -> None:
    """Letters of the synthetic author with the scores that the board reads, and the run that is to be followed."""
    from biasprint.core.studies.letters.live import LettersTally

    with Project.create(path) as project:
        written(project, "letters", names=NAMES)
        study = study_of(project, "letters")
        ids = [row.id for row in project.outputs.each()]
        texts = project.outputs.texts(ids)
        for info in LettersTally(project, study.id, Quick()).scorers:  # type: ignore[arg-type]
            if info.role == MODELLED:
                continue
            _, values = Quick().call(score_batch, info.name, [texts[key] for key in ids])
            found = {("output", key): one.values for key, one in zip(ids, values, strict=True) if one.values.size}
            store(project, info, found)  # type: ignore[arg-type]
        (made,) = project.prompts.sets()
        run = start_run(
            project, prompt_set_id=made.id, generator=generator_spec("synthetic", "large", {}), seed=2, samples=SAMPLES
        )
        assert len(project.runs.pending(run, limit=WANTED + 1)) == WANTED
