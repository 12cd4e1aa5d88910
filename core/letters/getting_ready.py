"""Gets the quick process ready for letters. Light to import: the window names it at its start."""


def get_ready_for_words() -> None:
    """In the quick process, before there is a letter: load all that `read_words` needs."""
    from biasprint.core.letters.reading import read_words
    from biasprint.core.letters.values import Document, ReadingRequest

    read_words(Document("", "pasted", ("She led the studio for ten years.",)), ReadingRequest({}))
