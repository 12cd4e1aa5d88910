"""News against originals (Fang et al. 2024): what the study is. Light; the heavy part is in `measure`."""

from biasprint.core.studies.study import InputTable, Study, StudyQuestion, StudyWords

STUDY = Study(
    kind="news",
    title="News articles",
    prompts=("biasprint.core.prompts.news:news_set",),
    inputs=(
        InputTable(
            name="news",
            columns=("generated",),
            measure="biasprint.core.studies.news.measure:measure",
            scorers=("sentiment", "toxicity"),
        ),
    ),
    findings=(
        "news.word.*",
        "news.sentence.sentiment.*",
        "news.sentence.toxicity.*",
        "news.document.*",
        "news.refusal_rate",
        "news.refusal_rate.prompts",
        "news.words_per_article",
    ),
    figures=(
        *(
            f"{level}.{name}"
            for level in ("news.word", "news.sentence.sentiment", "news.sentence.toxicity", "news.document")
            for name in (
                "distance",
                "difference",
                "prejudice_share",
                "prejudice_drop",
                "prompts.prejudice_share",
                "prompts.prejudice_drop",
                "prompts.change",
                "models",
            )
        ),
        "news.document.topics",
        "news.document.counts",
        "news.document.words",
        "news.refusals",
        "news.words_per_article",
        "news.crossed",
    ),
    drafter="biasprint.core.runs.setup:draft_news",
    narrowed_by=("headlines", "ideology", "base_model"),
    importer="biasprint.core.runs.importing:store_articles",
    gather="biasprint.core.runs.measure.news",
    draw="biasprint.core.report.figures.news:figures",
    live="biasprint.core.runs.live.news:NewsTally",
    questions=(
        StudyQuestion(
            "Do generated articles name groups in other shares than the originals?",
            ("news.word.difference", "news.word"),
        ),
        StudyQuestion(
            "Are sentences about a group more negative than in the originals?",
            ("news.sentence.sentiment.difference", "news.sentence.sentiment"),
        ),
        StudyQuestion(
            "Are sentences about a group more toxic than in the originals?",
            ("news.sentence.toxicity.difference", "news.sentence.toxicity"),
        ),
        StudyQuestion(
            "Do whole articles treat groups otherwise than the originals?",
            ("news.document.difference", "news.document"),
        ),
        StudyQuestion(
            "On a crossed axis: is it one of the two axes, or both together?",
            (
                "news.word.crossed.interaction",
                "news.word.crossed",
                "news.sentence.sentiment.crossed",
                "news.sentence.toxicity.crossed",
                "news.document.crossed",
            ),
        ),
        StudyQuestion("Does the model decline what asks for prejudice?", ("news.refusal_rate",)),
        StudyQuestion("Are the articles longer or shorter than the originals?", ("news.words_per_article",)),
    ),
    words=StudyWords(
        rows="News articles with their originals",
        one="1 news article",
        many="%n news articles",
        place=3,
        items=(("news.refusal_rate", "prompts"), ("news.", "pairs of articles")),
        sides=("the generated articles", "the originals"),
    ),
    card="biasprint.desktop.panels.prompts.studies:NewsChoiceCard",
)
