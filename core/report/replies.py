"""Refusals, cut texts and failures in sentences: what a reader must know before any other finding."""

from collections.abc import Iterator, Mapping, Sequence

from biasprint.core.draw import digits
from biasprint.core.draw.words import DECIDES
from biasprint.core.findings import Finding
from biasprint.core.studies.kit.declared import DIFFERENCE, REPLIES, TITLES

DEFAULT = "default"  # the group of prompts that name no identity
# kind of reply → one text, several texts
VERBS: Mapping[str, tuple[str, str]] = {
    "refusal": ("was refused", "were refused"),
    "empty": ("came back without text", "came back without text"),
    "cut off": ("was cut off at the limit on its length", "were cut off at the limit on their length"),
    "failed": ("failed", "failed"),
}
NOT_COMPARED = "Lengths are compared without them."
MOST_SENTENCES = 6
MOST_NAMED = 4  # groups


def reply_sentences(findings: Sequence[Finding]) -> list[str]:
    """Return a sentence for each kind of reply but answers: by group where groups differ, else of all.

    Of several generators each sentence names its own.
    """
    own = [finding for finding in findings if finding.id.endswith((REPLIES, DIFFERENCE))]
    writers = list(dict.fromkeys(finding.dims.get("generator", "") for finding in own))
    sentences = []
    for writer in writers:
        of_writer = [finding for finding in own if finding.dims.get("generator", "") == writer]
        start = f"“{writer}”: " if writer else ""
        sentences += [f"{start}{sentence}" for sentence in _of_writer(of_writer)]
    more = len(sentences) - MOST_SENTENCES
    return sentences[:MOST_SENTENCES] + ([f"And {more} more of this kind."] if more > 0 else [])


def _of_writer(findings: Sequence[Finding]) -> Iterator[str]:
    for kind in TITLES:
        shares = [finding for finding in findings if finding.label == kind and finding.id.endswith(REPLIES)]
        tests = [finding for finding in findings if finding.label == kind and finding.id.endswith(DIFFERENCE)]
        parts = dict.fromkeys(_part(finding) for finding in shares if finding.groups)
        by_group = [
            sentence
            for part in parts
            if (sentence := _by_group(
                kind, [share for share in shares if share.groups and _part(share) == part],
                [test for test in tests if _part(test) == part],
            ))
        ]  # fmt: skip
        whole = [f"{_counted(share)} {VERBS[kind][_number(share) != 1]}." for share in shares if not share.groups]
        sentences = by_group or whole
        yield from sentences[:-1]
        if sentences:
            yield f"{sentences[-1]} {NOT_COMPARED}" if kind == "cut off" else sentences[-1]


def _by_group(kind: str, shares: Sequence[Finding], tests: Sequence[Finding]) -> str:
    """ "All 12 texts asked for Lakisha were refused, none of 12 for Emily."; empty where groups differ little."""
    known = [share for share in shares if share.estimate is not None]
    if len(known) < 2:
        return ""
    highest, lowest = (choose(share.estimate or 0.0 for share in known) for choose in (max, min))
    shown = any(test.p_adjusted is not None and test.p_adjusted <= DECIDES for test in tests)
    if highest == lowest or not (shown or (highest, lowest) == (1.0, 0.0)):
        return ""
    most = [share for share in known if share.estimate == highest]
    others = [share for share in known if share.estimate != highest]
    some, rest = sum(map(_number, others)), sum(share.n for share in others)
    count = "none" if not some else digits.count(some)
    verb = VERBS[kind][sum(map(_number, most)) != 1]
    return f"{_counted(*most)} asked {_for(most)} {verb}, {count} of {digits.count(rest)} {_for(others)}."


def _counted(*shares: Finding) -> str:
    """ "All 12 texts", "3 of 12 texts" """
    number, n = sum(map(_number, shares)), sum(share.n for share in shares)
    if number == n:
        return "The one text" if number == 1 else f"All {digits.count(number)} texts"
    return f"{digits.count(number)} of {digits.count(n)} texts"


def _number(share: Finding) -> int:
    return round((share.estimate or 0.0) * share.n)


def _for(shares: Sequence[Finding]) -> str:
    """ "for Jamal and Kim", "for 12 groups" """
    names = [share.groups[0].replace("_", " ") for share in shares]
    if names == [DEFAULT]:
        return "without an identity"
    if len(names) > MOST_NAMED:
        return f"for {len(names)} groups"
    listed = "{names} and {last}".format(names=", ".join(names[:-1]), last=names[-1]) if names[1:] else names[0]
    return f"for {listed}"


def _part(finding: Finding) -> tuple[tuple[str, str], ...]:
    """Return the dims by which groups were made, such as the axis."""
    return tuple((name, value) for name, value in finding.dims.items() if name in ("axis", "by"))
