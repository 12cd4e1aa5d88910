"""Reasons in words: what raters noted, and which words they marked, by the identity whose text they chose."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import unswayed
from biasprint.core.judging.plan import CHECK, workshops_among
from biasprint.core.judging.workshop import tellable_sessions
from biasprint.core.project.project import Project
from biasprint.core.scorers.group_words import tokens_of

FEWEST_TIMES = 2  # a word is written in reasons of one side, or it is left out
MORE_OFTEN = 1.5  # times its share in the other reasons: what everybody writes, such as “the”, says nothing


@dataclass(frozen=True)
class GivenReason:
    """A note beside a choice, or words that were marked in the chosen text."""

    rater: str
    text: str
    marked: bool


@dataclass(frozen=True)
class WordOfReasons:
    """A word, and how often it is written in these reasons and in those for the others."""

    word: str
    here: int
    others: int


@dataclass(frozen=True)
class ReasonsFor:
    """The reasons beside choices of one identity's texts. `words`: those that make up clearly more of the words here
    than in the reasons for the other identities of the axis, the largest difference first.
    """

    axis: str
    identity: str
    reasons: tuple[GivenReason, ...]
    words: tuple[WordOfReasons, ...]


def reasons(ctx: JobContext, project: Project) -> tuple[ReasonsFor, ...]:
    """Return the reasons of finished sessions, by axis and identity. People of workshops, raters who are left out, and
    hidden repeats do not count.
    """
    workshops = workshops_among(project.judging.plans())
    codes = {row.id: row.code for row in project.judging.raters() if row.kind == "person"}
    ended = [row for row in project.judging.sessions() if row.revealed_at is not None and row.plan_id not in workshops]
    given: defaultdict[tuple[str, str], list[GivenReason]] = defaultdict(list)
    for session in tellable_sessions(project, ended):
        ctx.check()
        if session.rater_id not in codes:
            continue
        rows = {row.id: row for row in project.judging.comparisons(session.plan_id)}
        for judgment in unswayed(project, session.id):
            row = rows[judgment.comparison_id]
            if judgment.chosen is None or row.repeat_of is not None or row.axis == CHECK:
                continue
            item = row.items[judgment.chosen]
            spans = [(start, end) for place, start, end in judgment.spans if place == judgment.chosen]
            whole = project.texts([item.key]).get(item.key, "") if spans else ""
            texts = [judgment.note.strip(), *(whole[start:end] for start, end in spans)]
            given[row.axis, item.identity] += [
                GivenReason(codes[session.rater_id], text, place > 0) for place, text in enumerate(texts) if text
            ]
    counts = {side: _counted(some) for side, some in given.items()}
    found = []
    for axis, identity in sorted(given):
        others = sum((words for (of, name), words in counts.items() if of == axis and name != identity), Counter[str]())
        found.append(ReasonsFor(axis, identity, tuple(given[axis, identity]), _more(counts[axis, identity], others)))
    return tuple(found)


def _more(here: Counter[str], others: Counter[str]) -> tuple[WordOfReasons, ...]:
    """Return the words with a clearly larger share of the words here."""
    shares = {
        word: (times / here.total(), others[word] / (others.total() or 1))
        for word, times in here.items()
        if times >= FEWEST_TIMES
    }
    more = {word: own - other for word, (own, other) in shares.items() if own >= MORE_OFTEN * other}
    words = sorted(more, key=lambda word: (-more[word], word))
    return tuple(WordOfReasons(word, here[word], others[word]) for word in words)


def _counted(some: Iterable[GivenReason]) -> Counter[str]:
    return Counter(word.casefold() for reason in some for word in tokens_of(reason.text) if any(map(str.isalpha, word)))
