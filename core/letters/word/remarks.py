"""What was found in a letter, as comments on its words."""

from collections.abc import Collection

from biasprint.core.letters.categories import categories
from biasprint.core.letters.values import Mark, Reading, how_said
from biasprint.core.letters.word import Comment

_UNSUPPORTED = ("unsupported", "contradicted")


def comments_on(reading: Reading, dismissed: Collection[str] = ()) -> tuple[Comment, ...]:
    """A comment for each mark, with its reason and source, and for each claim that the context does not carry.

    `dismissed`: the keys of marks (`Mark.key`) that a person put aside. In the order of the letter.
    """
    said = {sentence.index: sentence for sentence in reading.sentences}
    found = [
        Comment(mark.start, mark.end, _of_mark(mark))
        for mark in reading.marks
        if mark.key(said[mark.sentence].text) not in dismissed
    ]
    for support in reading.support:
        sentence = said[support.sentence]
        if support.verdict in _UNSUPPORTED:
            found.append(Comment(sentence.start, sentence.end, f"{reading.context_name}: {support.reason}"))
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def _of_mark(mark: Mark) -> str:
    title = categories()[mark.category].title
    how = f" ({how_said(mark)})" if how_said(mark) else ""
    return f"{title}{how}: {mark.reason}\nSource: {mark.source}"
