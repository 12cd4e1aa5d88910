"""Creative writing, CoGS (Kumar et al. 2024): what the study is. Light; the heavy parts are modules of their own."""

from core.studies.study import InputTable, Study, StudyQuestion, StudyWords

# From so many raters on they are a unit beside comparisons. Of fewer one cannot tell how raters differ: then intervals
# are of these raters only. With fewer than FEW_RATERS it is said that they are few.
FEWEST_RATERS, FEW_RATERS = 5, 10

STUDY = Study(
    kind="creativity",
    title="Creative writing",
    prompts=("core.prompts.cogs:cogs_set", "core.prompts.cogs:sweep_set"),
    inputs=(
        InputTable(
            name="judgments",
            columns=("chosen",),
            measure="core.studies.creativity.judgments:measure_judgments",
        ),
        InputTable(
            name="outputs",
            table="creativity",
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
        "creativity.share.adjusted",
        "creativity.abs.adjusted",
        "creativity.length",
        "creativity.rank.*",
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
        "creativity.abs.adjusted",
        "creativity.length",
        "creativity.rank",
        "creativity.rank.pairs",
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
    drafter="core.runs.setup:draft_creativity",
    narrowed_by=("tasks", "themes", "axes", "preset"),
    importer="core.runs.importing:store_creative_texts",
    gather="core.runs.measure.creativity",
    draw="core.report.figures.creativity:figures",
    live="core.runs.live.creativity:CreativityTally",
    sampling={"temperature": 0.2},
    questions=(
        StudyQuestion(
            "Do texts for some identities differ from those for others?", ("creativity.rbs", "creativity.distance")
        ),
        StudyQuestion("Are texts for some identities preferred?", ("creativity.abs", "creativity.share")),
        StudyQuestion(
            "Are they preferred at equal length and place as well?",
            ("creativity.abs.adjusted", "creativity.share.adjusted", "creativity.length"),
        ),
        StudyQuestion("Which is preferred to which?", ("creativity.rank.pair", "creativity.rank")),
        StudyQuestion("Do raters choose alike?", ("creativity.agreement",)),
        StudyQuestion(
            "Is there a sign that raters did not choose by the texts?",
            (
                "creativity.quality",
                "creativity.agreement.flips",
                "creativity.agreement.orders",
                "creativity.agreement.position",
                "creativity.agreement.unanswered",
            ),
        ),
        StudyQuestion("Can one tell from a text for whom it was written?", ("creativity.perceptibility",)),
    ),
    words=StudyWords(
        rows="Creative texts",
        one="1 creative text",
        many="%n creative texts",
        panel="charts",
        section="distance",
        place=2,
        items=(
            ("creativity.share", "choices"),
            ("creativity.abs", "choices"),
            ("creativity.length", "choices"),
            ("creativity.rank", "answers"),
            ("creativity.agreement.common", "choices"),
            ("creativity.agreement", "comparisons"),
            ("creativity.perceptibility", "outputs"),
            ("creativity.quality.consistency", "repeats"),
            ("creativity.quality.position", "choices"),
            ("creativity.quality.without.abs", "choices"),
            ("creativity.quality.excluded", "choices"),
            ("creativity.quality.without", "comparisons"),
            ("creativity.quality", "judgments"),
            ("creativity.", "prompts"),
        ),
    ),
    card="desktop.panels.prompts.studies:CreativeChoice",
    charts=(
        "desktop.panels.charts.sections:Preferences",
        "desktop.panels.charts.sections:Affinity",
        "desktop.panels.charts.sections:Distance",
    ),
)
