"""Creative writing, CoGS (Kumar et al. 2024): what the study is. Light; the heavy parts are modules of their own."""

from core.studies.study import InputTable, Study

STUDY = Study(
    kind="creativity",
    title="Creative writing",
    prompts=("core.prompts.cogs:cogs_set",),
    inputs=(
        InputTable(
            name="judgments",
            required=("comparison", "rater", "axis", "shown", "outcome", "chosen"),
            optional=("repeat_of", "seconds"),
            measure="core.studies.creativity.judgments:measure_judgments",
        ),
        InputTable(
            name="outputs",
            required=("task", "theme", "identity", "text"),
            optional=("sample", "model"),
            measure="core.studies.creativity.outputs:measure_outputs",
            scorers=("embedding",),
        ),
    ),
    findings=("creativity.distance", "creativity.rbs", "creativity.share", "creativity.abs"),
    figures=("radar", "spread", "preferences"),
)
