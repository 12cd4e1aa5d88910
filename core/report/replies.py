"""Refusals, cut texts and failures in sentences: what a reader must know before any other finding."""

from collections.abc import Iterator, Mapping, Sequence

from biasprint.core.draw import digits
from biasprint.core.draw.digits import tr
from biasprint.core.draw.verdicts import DECIDES
from biasprint.core.findings import Finding
from biasprint.core.studies.kit.replies import DIFFERENCE, REPLIES, TITLES

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


def reply_sentences(findings: Sequence[Finding]) -> list[str]:
    """Return a sentence for each kind of reply but answers: by group where groups differ, else of all.

    Of several generators each sentence names its own.
    """
    own = [finding for finding in findings if finding.id.endswith((REPLIES, DIFFERENCE))]
    writers = list(dict.fromkeys(finding.dims.get("generator", "") for finding in own))
    sentences = []
    for writer in writers:
        of_writer = [finding for finding in own if finding.dims.get("generator", "") == writer]
        start = f"“{writer}”: " if len(writers) > 1 else ""
        sentences += [f"{start}{sentence}" for sentence in _of_writer(of_writer)]
    more = len(sentences) - MOST_SENTENCES
    return sentences[:MOST_SENTENCES] + ([tr("And {n} more of this kind.").format(n=more)] if more > 0 else [])


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
            yield f"{sentences[-1]} {tr(NOT_COMPARED)}" if kind == "cut off" else sentences[-1]


def _by_group(kind: str, shares: Sequence[Finding], tests: Sequence[Finding]) -> str:
    """ "All 12 texts asked for Lakisha were refused, none of 12 for Emily."; empty where groups differ little."""
    known = [share for share in shares if share.estimate is not None]
    if len(known) < 2:
        return ""
    most, *others = sorted(known, key=lambda share: (-(share.estimate or 0.0), share.groups))
    least = others[-1]
    shown = any(test.p_adjusted is not None and test.p_adjusted <= DECIDES for test in tests)
    if not shown and (most.estimate, least.estimate) != (1.0, 0.0):
        return ""
    rest = sum(map(_number, others)), sum(share.n for share in others)
    whom = _for(least.groups[0]) if len(others) == 1 else tr("for the {n} other groups").format(n=len(others))
    count = tr("none") if not rest[0] else tr("all") if rest[0] == rest[1] else digits.count(rest[0])
    verb = VERBS[kind][_number(most) != 1]
    return f"{_counted(most)} asked {_for(most.groups[0])} {verb}, {count} of {digits.count(rest[1])} {whom}."


def _counted(share: Finding) -> str:
    """ "All 12 texts", "3 of 12 texts" """
    number = _number(share)
    if number == share.n:
        return tr("The one text") if number == 1 else tr("All {n} texts").format(n=digits.count(number))
    return tr("{some} of {n} texts").format(some=digits.count(number), n=digits.count(share.n))


def _number(share: Finding) -> int:
    return round((share.estimate or 0.0) * share.n)


def _for(group: str) -> str:
    return tr("without an identity") if group == DEFAULT else tr("for {group}").format(group=group.replace("_", " "))


def _part(finding: Finding) -> tuple[tuple[str, str], ...]:
    """Return the dims by which groups were made, such as the axis."""
    return tuple((name, value) for name, value in finding.dims.items() if name in ("axis", "by"))
