"""Any score by any group: what the study is. Light; the heavy part is in `measure`."""

from core.studies.study import InputTable, Study, StudyQuestion, StudyWords

STUDY = Study(
    kind="compare",
    title="Any score by any group",
    inputs=(InputTable(name="compare", measure="core.studies.compare.measure:measure"),),
    findings=(
        "compare.difference",
        "compare.equivalence",
        "compare.mean",
        "compare.rate",
        "compare.impact_ratio",
        "compare.similarity.*",
        "compare.cooccurrence",
        "compare.association",
        "compare.word_association",
        "compare.relative_decision",
        "compare.log_odds",
        "compare.position",
    ),
    figures=(
        "compare.difference",
        "compare.mean",
        "compare.rate",
        "compare.impact_ratio",
        "compare.similarity",
        "compare.word_association",
        "compare.relative_decision",
        "compare.log_odds",
    ),
    drafter="core.runs.setup:draft_design",
    narrowed_by=("design",),
    importer="core.runs.importing:store_compared",
    gather="core.runs.measure.compare",
    draw="core.report.figures.compare:figures",
    questions=(
        StudyQuestion("Do texts of one group score higher than those of another?", ("compare.difference",)),
        StudyQuestion("Are the groups alike, within a margin?", ("compare.equivalence",)),
        StudyQuestion(
            "Is one group chosen, refused or answered less often?",
            ("compare.impact_ratio", "compare.rate", "compare.log_odds"),
        ),
        StudyQuestion("Are words given to groups as stereotypes have it?", ("compare.word_association",)),
        StudyQuestion("Are tasks handed out as stereotypes have it?", ("compare.relative_decision",)),
        StudyQuestion("Does what is named first get more?", ("compare.position",)),
        StudyQuestion("How does each group score?", ("compare.mean",)),
        StudyQuestion("How alike are the texts of a counterfactual pair?", ("compare.similarity",)),
        StudyQuestion(
            "Do stereotyped words keep company with one gender’s words?",
            ("compare.cooccurrence", "compare.association"),
        ),
    ),
    words=StudyWords(
        rows="Any texts, by group",
        one="1 text",
        many="%n texts",
        place=5,
        items=(
            ("compare.similarity", "pairs"),
            ("compare.word_association", "replies"),
            ("compare.relative_decision", "replies"),
            ("compare.position", "replies"),
            ("compare.", "texts"),
        ),
    ),
    card="desktop.panels.prompts.designs:DesignChoiceCard",
)
