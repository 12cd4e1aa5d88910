"""Fill in the blank (Kamruzzaman et al. 2024): what the study is. Light; the heavy part is in `measure`."""

from core.studies.study import InputTable, Study

STUDY = Study(
    kind="completion",
    title="Fill in the blank",
    prompts=("core.prompts.completion:completion_set",),
    inputs=(
        InputTable(
            name="completion",
            required=("domain", "direction", "pronoun", "given", "positive", "negative", "neutral", "response"),
            optional=("term", "context", "model", "order"),
            measure="core.studies.completion.measure:measure",
        ),
    ),
    findings=(
        "completion.likelihood",
        "completion.delta",
        "completion.tau_b",
        "completion.tau_c",
        "completion.option_position",
        "completion.irrelevant",
    ),
    figures=(
        "completion.tau",
        "completion.base_rates",
        "completion.pronouns",
        "completion.likelihood",
        "completion.domain_pronoun",
        "completion.delta",
        "completion.omnibus",
        "completion.irrelevant",
        "completion.option_position",
    ),
)
