"""Reference letters (Wan et al. 2023): what the study is. Light; the heavy part is in `measure`."""

from core.studies.study import InputTable, Study

STUDY = Study(
    kind="letters",
    title="Reference letters",
    prompts=("core.prompts.letters:letters_context_less_set",),
    inputs=(
        InputTable(
            name="letters",
            required=("text", "group"),
            optional=(
                *("block", "name", "context", "occupation", "document", "model", "sample"),
                *("formality", "positivity", "agency"),
                *("arm", "pair"),
            ),
            measure="core.studies.letters.measure:measure",
            scorers=("lexicon",),
        ),
    ),
    findings=(
        "letters.lexicon.odds_ratio",
        "letters.word.odds_ratio",
        "letters.weat",
        "letters.style.*",
        "letters.hallucination.*",
        "letters.success_rate",
        "letters.mitigation.odds_ratio",
    ),
    figures=(
        "letters.categories",
        "letters.words",
        "letters.weat",
        "letters.style",
        "letters.style.tests",
        "letters.hallucination",
        "letters.success",
        "letters.mitigation",
    ),
)
