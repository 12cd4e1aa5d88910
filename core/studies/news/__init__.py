"""News against originals (Fang et al. 2024): what the study is. Light; the heavy part is in `measure`."""

from core.studies.study import InputTable, Study, StudyWords

STUDY = Study(
    kind="news",
    title="News articles",
    prompts=("core.prompts.news:news_set",),
    inputs=(
        InputTable(
            name="news",
            columns=("generated",),
            measure="core.studies.news.measure:measure",
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
    ),
    drafter="core.runs.setup:draft_news",
    narrowed_by=("headlines", "ideology", "base_model"),
    importer="core.runs.importing:store_articles",
    gather="core.runs.measure.news",
    draw="core.report.figures.news:figures",
    live="core.runs.live.news:NewsTally",
    words=StudyWords(
        rows="News articles with their originals",
        one="1 news article",
        many="%n news articles",
        place=3,
        items=(("news.refusal_rate", "prompts"), ("news.", "pairs of articles")),
    ),
    card="desktop.panels.prompts.studies:NewsChoiceCard",
)
