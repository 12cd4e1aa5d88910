"""Creative writing, CoGS (Kumar et al. 2024): what the study is. Light; the heavy parts are modules of their own."""

from core.studies.study import InputTable, Study

STUDY = Study(
    kind="creativity",
    title="Creative writing",
    prompts=("core.prompts.cogs:cogs_set", "core.prompts.cogs:sweep_set"),
    inputs=(
        InputTable(
            name="judgments",
            required=("comparison", "rater", "axis", "shown", "outcome", "chosen"),
            optional=(
                "repeat_of",
                "seconds",
                "task",
                "theme",
                "model",
                "temperature",
                "rater_kind",
                "read_as",
                "superseded",
            ),
            measure="core.studies.creativity.judgments:measure_judgments",
        ),
        InputTable(
            name="outputs",
            required=("task", "theme", "identity", "text"),
            optional=("sample", "model", "temperature", "perceptibility"),
            measure="core.studies.creativity.outputs:measure_outputs",
            scorers=("embedding",),
        ),
    ),
    findings=(
        "creativity.distance",
        "creativity.rbs",
        "creativity.rbs.trend",
        "creativity.share",
        "creativity.abs",
        "creativity.agreement.*",
        "creativity.quality.*",
        "creativity.perceptibility",
        "creativity.perceptibility.suggested",
    ),
    figures=(
        "creativity.distance",
        "creativity.rbs",
        "creativity.normal",
        "creativity.abs",
        "creativity.preferred",
        "creativity.preferences",
        "creativity.evaluators",
        "creativity.tasks",
        "creativity.topics",
        "creativity.tasks.raters",
        "creativity.tasks.evaluators",
        "creativity.temperature",
        "creativity.agreement",
        "creativity.agreement.pairs",
        "creativity.agreement.orders",
        "creativity.perceptibility",
        "creativity.perceptibility.suggested",
    ),
)
