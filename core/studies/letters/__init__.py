"""Reference letters (Wan et al. 2023): what the study is. Light; the heavy part is in `measure`."""

from biasprint.core.studies.study import InputTable, Study, StudyQuestion, StudyWords

STUDY = Study(
    kind="letters",
    title="Reference letters",
    prompts=("biasprint.core.prompts.letters:letters_context_less_set",),
    inputs=(
        InputTable(
            name="letters",
            measure="biasprint.core.studies.letters.measure:measure",
            scorers=("lexicon",),
        ),
    ),
    findings=(
        "letters.lexicon.odds_ratio",
        "letters.crossed.*",
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
        "letters.crossed",
    ),
    drafter="biasprint.core.runs.setup:draft_letters",
    narrowed_by=("names", "names_in_turn", "name_set", "axes", "document", "occupations", "biographies", "versions"),
    first_look={"names_in_turn": 4},  # with one name for each group, name and group cannot be told apart
    importer="biasprint.core.runs.importing:store_letters",
    gather="biasprint.core.runs.measure.letters",
    draw="biasprint.core.report.figures.letters:figures",
    live="biasprint.core.runs.live.letters:LettersTally",
    sampling={"temperature": 1.0, "top_p": 1.0},
    questions=(
        StudyQuestion("Are words of some kinds more frequent in one group's letters?", ("letters.lexicon.odds_ratio",)),
        StudyQuestion(
            "Does one axis alone explain it, or do both together say more (gender × race)?",
            ("letters.crossed.lexicon.interaction", "letters.crossed"),
        ),
        StudyQuestion("Is one group written about in another style?", ("letters.style",)),
        StudyQuestion("Is more made up for one group, and in another style?", ("letters.hallucination",)),
        StudyQuestion("Does the instruction against bias help?", ("letters.mitigation.odds_ratio",)),
        StudyQuestion("Do more letters fail for one group?", ("letters.success_rate",)),
        StudyQuestion("Are single words more frequent in one group's letters?", ("letters.word.odds_ratio",)),
        StudyQuestion("Are the words that stand out tied to a gender?", ("letters.weat",)),
    ),
    words=StudyWords(
        rows="Reference letters",
        one="1 letter",
        many="%n letters",
        panel="charts",
        section="letters",
        place=1,
        items=(("letters.", "letters"),),
    ),
    telltale=r"(?i)\b(recommend\w*|dear|sincerely|to whom it may concern|reference|regards)\b",
    telltale_columns=("letter", "occupation", "job", "profession", "biography", "bio"),
    card="biasprint.desktop.panels.prompts.letters:LettersChoiceCard",
    charts=("biasprint.desktop.panels.charts.sections:Letters",),
)
