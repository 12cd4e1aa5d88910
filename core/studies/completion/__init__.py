"""Fill in the blank (Kamruzzaman et al. 2024): what the study is. Light; the heavy part is in `measure`."""

from biasprint.core.studies.study import InputTable, Study, StudyQuestion, StudyWords

STUDY = Study(
    kind="completion",
    title="Fill in the blank",
    prompts=("biasprint.core.prompts.completion:completion_set",),
    inputs=(
        InputTable(
            name="completion",
            columns=("response",),
            measure="biasprint.core.studies.completion.measure:measure",
        ),
    ),
    findings=(
        "completion.likelihood",
        "completion.delta",
        "completion.tau_b",
        "completion.tau_c",
        "completion.crossed.main_effect",
        "completion.crossed.interaction",
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
        "completion.crossed",
    ),
    drafter="biasprint.core.runs.setup:draft_completion",
    narrowed_by=("domains", "directions"),
    first_look={"domains": ("ageism",), "directions": ("SAI",)},
    importer="biasprint.core.runs.importing:store_replies",
    gather="biasprint.core.runs.measure.completion",
    draw="biasprint.core.report.figures.completion:figures",
    live="biasprint.core.runs.live.completion:CompletionTally",
    questions=(
        StudyQuestion(
            "Does what is given decide what is chosen?", ("completion.delta", "completion.tau_b", "completion.tau_c")
        ),
        StudyQuestion(
            "Does the pronoun change what is chosen, or what the given term does?",
            ("completion.crossed.interaction", "completion.crossed"),
        ),
        StudyQuestion("How often is each option chosen?", ("completion.likelihood",)),
        StudyQuestion(
            "Do replies follow the place of an option, or answer nothing?",
            ("completion.option_position", "completion.irrelevant"),
        ),
    ),
    words=StudyWords(
        rows="Fill-in-the-blank replies",
        one="1 reply",
        many="%n replies",
        scored=False,
        place=4,
        items=(("completion.", "replies"),),
    ),
    card="biasprint.desktop.panels.prompts.studies:CompletionChoiceCard",
)
