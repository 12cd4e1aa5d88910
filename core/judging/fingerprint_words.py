"""A fingerprint in plain words, by rules. The sentences are data: `resources/fingerprint/words.toml`.

It begins with what was chosen and never says “no difference”: without evidence it says so, and what so many choices
can show. Labels of axes and identities are the user's data and stay plain text, whatever they hold.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from string import Formatter
from typing import Any

from biasprint.core.given import packaged_toml
from biasprint.core.judging.fingerprint import AxisChoice, Fingerprint, PreferencePower, ShareOfChoices

Say = Callable[[str], str]
Count = Callable[[float, int], str]


@dataclass(frozen=True)
class TextSpan:
    """A piece of a paragraph; what is `strong` is a label of the user's."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Paragraph:
    """A paragraph. `quiet`: a remark, not the statement itself. `large`: what is to be read before anything else."""

    spans: tuple[TextSpan, ...]
    quiet: bool = False
    large: bool = False

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


def paragraphs(fingerprint: Fingerprint, say: Say = str, count: Count | None = None) -> tuple[Paragraph, ...]:
    """Return the result in words, and its limits. `say` translates a sentence, `count` writes a number."""
    voice = _Voice(fingerprint, say, count or _plain)
    return tuple(paragraph for paragraph in voice.said() if paragraph.spans)


def limits(fingerprint: Fingerprint, say: Say = str) -> Paragraph:
    """Return the statement that every picture of a fingerprint carries."""
    own = _words()[_whose(fingerprint)]
    return Paragraph((TextSpan(f"{say(own['quality'])} {say(own['limits'])}"),), quiet=True)


Spans = list[TextSpan]
_Field = str | list[TextSpan]


class _Voice:
    """Turns one fingerprint into sentences."""

    def __init__(self, fingerprint: Fingerprint, say: Say, count: Count) -> None:
        self._print, self._say, self._count = fingerprint, say, count
        self._own = _words()[_whose(fingerprint)]
        self._any = _words()["any"]

    def said(self) -> Iterator[Paragraph]:
        """Yield each paragraph; some may be empty."""
        fingerprint = self._print
        chosen = [axis for axis in fingerprint.axes if axis.n]
        with_evidence = [axis for axis in chosen if axis.evidence]
        if not fingerprint.complete:
            left = sum(axis.left for axis in fingerprint.axes)
            yield _large(self._fill(self._own["begin_left"], left=self._n(left), planned=self._n(fingerprint.planned)))
        elif not chosen:
            yield _large(self._fill(self._own["begin_none"], planned=self._n(fingerprint.planned)))
        else:
            yield from self._findings(chosen, with_evidence)
        yield _quiet(self._joined(self._losses()))

    def _findings(self, chosen: Sequence[AxisChoice], with_evidence: Sequence[AxisChoice]) -> Iterator[Paragraph]:
        for place, axis in enumerate(with_evidence):
            first = self._fill(self._own["begin"]) if place == 0 else []
            yield Paragraph((*first, *self._evidence(axis, again=place > 0)))
        without = [axis for axis in chosen if not axis.evidence]
        silent = [axis for axis in self._print.axes if not axis.n]
        sentences = []
        if without and with_evidence:
            sentences.append(self._fill(self._own["not_enough"], axes=self._axes(without)))
        elif without:
            few = any(axis.seeing is None or 1 - axis.seeing.chance > _words()["too_few"] for axis in without)
            key = "begin_few" if few else "begin_nothing"
            yield _large(self._fill(self._own[key], n=self._n(sum(axis.n for axis in without))))
            sentences += [self._counted_on(axis) for axis in without]
        if silent:
            planned = self._n(sum(axis.planned for axis in silent))
            sentences.append(self._fill(self._own["no_choice"], planned=planned, axes=self._axes(silent)))
        yield _quiet(self._joined(sentences))
        yield _quiet(self._seeing(without))

    def _counted_on(self, axis: AxisChoice) -> Spans:
        """Return what was chosen on an axis, identity by identity."""
        counts = [self._count_of(share) for share in axis.identities]
        return self._fill(self._own["counted"], axis=self._axes([axis]), counts=self._list(counts))

    def _count_of(self, share: ShareOfChoices) -> Spans:
        return self._fill(self._any["count"], identity=[TextSpan(self._say(share.label))], chosen=self._n(share.chosen))

    def _evidence(self, axis: AxisChoice, *, again: bool) -> Spans:
        """Return the identity chosen most, the others, and how often choosing at random would do as much."""
        out, testing = axis.furthest, axis.testing
        assert out is not None
        assert testing is not None
        k = len(axis.identities)
        way = "often" if out.chosen > axis.n / k else "seldom"
        counts = [self._count_of(share) for share in axis.identities if share is not out and k > 2]
        sentence = self._fill(
            self._own[f"again_{way}" if again else way],
            axis=[TextSpan(self._say(_in_sentence(axis.title)), strong=True)],
            identity=[TextSpan(self._say(out.label), strong=True)],
            chosen=self._n(out.chosen),
            n=self._n(axis.n),
            others=self._fill(self._any["others"], counts=self._list(counts, last="comma")) if counts else "",
            chance=self._n(round(axis.n / k)),
        )
        return self._joined([sentence, self._rare(testing.p_adjusted, k, testing.axes)])

    def _rare(self, p: float, k: int, axes: int) -> Spans:
        rarest = _words()["rarest"]
        key = "rare" if p >= rarest else "rarer"
        of = one_of(max(p, rarest))
        key += "_of_axes" if axes > 1 else ""
        return self._fill(self._any[key], how_many=self._spelled(k), of=self._n(of), axes=self._spelled(axes))

    def _seeing(self, axes: Sequence[AxisChoice]) -> Spans:
        """Return how often so many choices miss a clear preference, once for all axes that have the same."""
        known = [(axis.seeing, axis) for axis in axes if axis.seeing is not None]
        known.sort(key=lambda entry: -len(entry[0].shares))
        return self._joined([self._missing(list(group)) for _, group in groupby(known, lambda entry: entry[0].shares)])

    def _missing(self, same: Sequence[tuple[PreferencePower, AxisChoice]]) -> Spans:
        return self._fill(
            self._any["seeing_each" if len(same) > 1 else "seeing"],
            n=self._range([seeing.n for seeing, _ in same]),
            axes=self._axes([axis for _, axis in same]),
            missed=self._range([missed_of_20(seeing.chance) for seeing, _ in same]),
            preference=preference_in_words(same[0][0].shares, self._say, self._count),
        )

    def _losses(self) -> list[Spans]:
        """Return the comparisons without a choice, on the axes where they are many."""
        losses = []
        many = _words()["many_without_choice"]
        for axis in self._print.axes:
            where = [TextSpan(self._say(_in_sentence(axis.title)), strong=True)]
            planned, counts = self._n(axis.planned), {"ties": axis.ties, "none": axis.none, "skips": axis.skips}
            without = sum(counts.values())
            if without and without >= many * axis.planned:
                listed = self._list([self._counted(name, number) for name, number in counts.items() if number])
                sentence, number = self._own["without_choice"], self._n(without)
                losses.append(self._fill(sentence, without=number, counts=listed, axis=where, planned=planned))
            if axis.unread and axis.unread >= many * axis.planned:
                unread = self._n(axis.unread)
                losses.append(self._fill(self._own["unread"], unread=unread, axis=where, planned=planned))
        return losses

    def _counted(self, name: str, number: int) -> Spans:
        return self._fill(self._any["tie" if (name, number) == ("ties", 1) else name], count=self._n(number))

    # pieces

    def _fill(self, sentence: str, **fields: _Field) -> Spans:
        """Return the translated sentence with its fields; a field's own braces are not looked at."""
        spans: Spans = []
        for text, name, _, _ in Formatter().parse(self._say(sentence)):
            spans += [TextSpan(text)] if text else []
            if name is not None:
                value = fields[name]
                spans += [TextSpan(value)] if isinstance(value, str) else value
        return spans

    def _axes(self, axes: Sequence[AxisChoice]) -> Spans:
        return self._list([[TextSpan(self._say(_in_sentence(axis.title)), strong=True)] for axis in axes])

    def _list(self, parts: Sequence[Spans], last: str = "and") -> Spans:
        joining = _words()["joining"]
        spans: Spans = []
        for place, part in enumerate(parts):
            if place:
                spans.append(TextSpan(self._say(joining[last if place == len(parts) - 1 else "comma"])))
            spans += part
        return spans

    def _joined(self, sentences: Sequence[Spans]) -> Spans:
        spans: Spans = []
        for sentence in sentences:
            spans += [TextSpan(" "), *sentence] if spans else sentence
        return spans

    def _range(self, values: Sequence[int]) -> Spans:
        low, high = min(values), max(values)
        if low == high:
            return [TextSpan(self._n(low))]
        return self._fill(self._any["range"], low=self._n(low), high=self._n(high))

    def _n(self, value: float) -> str:
        return self._count(value, 0 if abs(value - round(value)) < 0.05 else 1)

    def _spelled(self, value: int) -> str:
        words: Mapping[str, str] = _words()["numbers"]
        return self._say(words[str(value)]) if str(value) in words else self._n(value)


def one_of(p: float) -> int:
    """Return a probability as “1 of how many”, in two significant digits: 0.0042 is 1 of 240."""
    return int(float(f"{1 / p:.2g}"))


def _large(spans: Spans) -> Paragraph:
    return Paragraph(tuple(spans), large=True)


def _quiet(spans: Spans) -> Paragraph:
    return Paragraph(tuple(spans), quiet=True)


def missed_of_20(chance: float) -> int:
    """Return in how many of 20 sessions a preference is missed that is seen with this chance: 20 (1 − chance).

    Rounded to a whole number from 1 to 19, because neither 0 nor 20 can be promised.
    """
    return min(19, max(1, round(20 * (1 - chance))))


def preference_in_words(shares: Sequence[float], say: Say = str, count: Count | None = None) -> str:
    """Return “one kind of text 55 times in 100, the others 30 and 15 times”, 100 in all."""
    rounded = [round(100 * share) for share in shares[:-1]]
    most, *rest = [(count or _plain)(value, 0) for value in (*rounded, 100 - sum(rounded))]
    sentence = _words()["any"]["preference_of_two" if len(rest) == 1 else "preference"]
    joined = say(_words()["joining"]["and"]).join(rest)
    return say(sentence).format(most=most, rest=joined)


def _in_sentence(title: str) -> str:
    """Return an axis's title inside a sentence: “race”, but “LGBT”."""
    return title[0].lower() + title[1:] if title[1:2].islower() else title


def _plain(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}"


def _whose(fingerprint: Fingerprint) -> str:
    return "model" if fingerprint.kind == "model" else "person"


def _words() -> dict[str, Any]:
    return packaged_toml("fingerprint", "words.toml")
