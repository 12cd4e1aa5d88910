"""Fill in the blank (Kamruzzaman et al. 2024): what the study is. Light; the heavy part is in `measure`."""

from core.studies.study import InputTable, Study

STUDY = Study(
    kind="completion",
    title="Fill in the blank",
    prompts=(),
    inputs=(
        InputTable(
            name="completion",
            required=("domain", "direction", "pronoun", "given", "positive", "negative", "neutral", "response"),
            optional=("term", "context", "model"),
            measure="core.studies.completion.measure:measure",
        ),
    ),
    findings=(),
    figures=(),
)
