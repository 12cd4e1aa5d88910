"""Names of the levels of news in ids of findings."""

# What the measure of spread of each is called.
DISTANCES = {
    "news.word": "wasserstein",
    "news.sentence.sentiment": "gap",
    "news.sentence.toxicity": "gap",
    "news.document": "wasserstein",
}
