"""A live figure in words: its title, and its present value in a sentence."""

from collections.abc import Callable, Mapping, Sequence

from biasprint.core.draw import digits
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.runs.live import LiveKey, LiveRates, LiveValue
from biasprint.core.studies.kit.choose import words
from biasprint.desktop.widgets.words import number, plural, spelled_seconds, tr

# Beginning of a finding's id → the title of its card, {label} being the figure's own.
TITLES: Mapping[str, str] = {
    "letters.lexicon": "{label} words",
    "letters.style": "{label} sentences",
    "letters.success_rate": "Letters by outcome",
    "creativity.distance": "Distance from the default text",
    "creativity.rbs": "Spread of the distances (RBS)",
    "creativity.share": "How often each identity was chosen",
    "creativity.abs": "How unequally was chosen (ABS)",
    "news.word.wasserstein": "Words: distance from the originals (W)",
    "news.word.difference": "Words of each group, less the originals’",
    "news.sentence.sentiment.gap": "Sentiment: largest gap from the originals",
    "news.sentence.sentiment.difference": "Sentiment about each group, less the originals’",
    "news.sentence.toxicity.gap": "Toxicity: largest gap from the originals",
    "news.sentence.toxicity.difference": "Toxicity about each group, less the originals’",
    "news.document.wasserstein": "Topics: distance from the originals (W)",
    "news.refusal_rate": "Articles that were refused",
}
REFUSALS = "news.refusal_rate"  # one label, which says the same as the title
NAMED_BY_GROUP = ("letters.success_rate",)  # their labels name the curves too
CHOSEN = ("creativity.share", "creativity.abs")  # their n are choices, not texts
NameOf = Callable[[str], str]
Counted = Callable[[int], str]  # "12 letters"


def counted_in(key: LiveKey, texts: Counted) -> Counted:
    """Return the wording of a figure's n: mostly texts of the study."""
    return _choices if key.id in CHOSEN else texts


def noun(counted: Counted) -> str:
    """Return the plural of what is counted."""
    return counted(2).replace("2", "", 1).strip()


def _choices(n: int) -> str:
    return plural(n, "1 choice", "%n choices")


def measure_title(key: LiveKey, unit: str, name_of: NameOf, *, named: bool) -> str:
    """Return the title of a card. `named`: whether the label is in it, and not in the curves' names."""
    template = next((tr(title) for start, title in TITLES.items() if key.id.startswith(start)), "{label}")
    parts = [template.format(label=words(key.label))]
    if "{label}" not in template and named and key.label and key.id != REFUSALS:
        parts.append(name_of(key.label))
    parts += [name_of(value) for name, value in key.dims if name != "model"]
    if "difference" in unit:
        parts.append(tr("difference"))
    if key.variant == "as_published":
        parts.append(tr("as published"))
    return " · ".join(dict.fromkeys(part for part in parts if part))


def groups_in_words(key: LiveKey, name_of: NameOf) -> str:
    """Return the groups: "Male against female", "Male", or ""."""
    return tr(" against ").join(name_of(group) for group in key.groups)


def seen_now(value: LiveValue, name: str, counted: Counted) -> str:
    """Return a sentence on a card's only curve: the estimate, its band, its n, and that looking changes nothing.

    `name`: the curve's, or empty; `counted`: what n counts, in words.
    """
    start = f"{name}: " if name else ""
    if value.estimate is None:
        reason = value.reason or tr("no value")
        if not start:
            return tr("Nothing to show yet ({reason}).").format(reason=reason)
        return tr("{start}nothing to show yet ({reason}).").format(start=start, reason=reason)
    shown, ends = digits.written(value.estimate, value.low, value.high, value.unit)
    if "ratio" in value.unit and len(value.key.groups) == 2:
        shown = tr("{ratio} times").format(ratio=shown)
    after = tr("after {texts}").format(texts=counted(value.n))
    if ends:
        return tr("{start}{value}, 95 % band {ends} {after}, valid whenever you look.").format(
            start=start, value=shown, ends=ends, after=after
        )
    reason = f" ({value.reason})" if value.reason else ""
    return tr("{start}{value} {after}, without a band{reason}.").format(
        start=start, value=shown, after=after, reason=reason
    )


def value_words(value: LiveValue) -> str:
    """Return the present value: "0.61 (0.48–0.73)"."""
    return "–" if value.estimate is None else digits.whole(value.estimate, value.low, value.high, value.unit)


def with_value(name: str, value: LiveValue) -> str:
    """Return a curve's name in a legend with its present value: "Male: 0.61 (0.48–0.73)"."""
    return f"{name}: {value_words(value)}"


def measure_sentence(values: Sequence[tuple[str, LiveValue]], counted: Counted, common: str = "") -> str:
    """Return the sentence of a card: its present value; for several curves what holds for all of them.

    The legend has the curves' values. `common`: the part that their names share, and omit.
    """
    some = [value for _, value in values if value.estimate is not None]
    if len(values) == 1 or not some:
        return seen_now(values[0][1], common or values[0][0], counted)
    least, most = min(value.n for value in some), max(value.n for value in some)
    texts = counted(most)
    if least != most:
        texts = tr("{least} to {texts}").format(least=digits.count(least), texts=texts)
    words = tr("After {texts}").format(texts=texts)
    if common:
        words = f"{common}. {words}"
    if any(value.low is not None for value in some):
        words += tr("; 95 % bands, valid whenever you look")
    reasons = dict.fromkeys(value.reason for value in some if value.low is None and value.reason)
    return ". ".join([words, *(reason[:1].upper() + reason[1:] for reason in reasons)]) + "."


def pace_words(rates: LiveRates, *, short: bool = False) -> str:
    """Return texts, their rate, and tokens on one line; a `short` one where there are several."""
    parts = [plural(rates.texts, "1 text", "%n texts")]
    if rates.texts_per_second:
        parts.append(tr("{rate} texts a second now").format(rate=number(rates.texts_per_second, 1)))
    if short or rates.seconds < 1:  # imported, or too quick to say
        return ", ".join(parts) + "."
    if rates.texts_per_second_in_all:
        whole = tr("{rate} over the whole time") if rates.texts_per_second else tr("{rate} a second on average")
        parts.append(whole.format(rate=number(rates.texts_per_second_in_all, 1)))
    if rates.tokens_per_second:
        parts.append(tr("{rate} tokens a second").format(rate=number(rates.tokens_per_second)))
    elif rates.tokens_per_second_in_all:
        parts.append(tr("{rate} tokens a second on average").format(rate=number(rates.tokens_per_second_in_all)))
    parts.append(tr("{time} of writing").format(time=spelled_seconds(rates.seconds)))
    return ", ".join(parts) + "."


def scored_words(rates: LiveRates) -> str:
    """Return how many texts, and sources beside them, each scorer has scored; empty where none has scored any."""
    texts, sources = (_scorers_words(counts) for counts in (rates.scored, rates.scored_sources))
    sentences = [tr("Scored: {scored}.").format(scored=texts)] if texts else []
    sentences += [tr("Scored sources, such as originals: {scored}.").format(scored=sources)] if sources else []
    return " ".join(sentences)


def _scorers_words(counts: Mapping[str, int]) -> str:
    parts = (
        tr("{scorer} {n}").format(scorer=scorer_title(scorer), n=digits.count(count))
        for scorer, count in sorted(counts.items())
        if count
    )
    return ", ".join(parts)
