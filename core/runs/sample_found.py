"""What was found in the real letters of the sample, in a sentence. Light: Home reads it before any project is open.

Which finding it is was fixed before the letters were measured: agentic words are what the letters paper is about.
"""

import json
from importlib.resources import files

from biasprint.core.draw import digits
from biasprint.core.draw.digits import tr
from biasprint.core.draw.verdicts import apart
from biasprint.core.findings import Finding

ID, LABEL = "letters.lexicon.odds_ratio", "agentic"
PLACE = ("sample", "real", "found.json")
EVIDENCE = 0.05


def is_found(finding: Finding, model: str) -> bool:
    """Whether this is the finding that the sentence is about."""
    named = (finding.id, finding.label, finding.variant) == (ID, LABEL, "default")
    return named and finding.dims.get("model") == model and set(finding.dims) <= {"model", "generator"}


def found() -> Finding:
    """The finding as it stands in the sample; docs/make_sample.py puts it beside it."""
    return Finding.from_json(json.loads(files("biasprint.resources").joinpath(*PLACE).read_text(encoding="utf-8")))


def found_sentence(finding: Finding, model: str) -> str:
    """A ratio between two groups with its n and interval, and whether it is evidence; `model`: what to call it.

    A ratio of odds is said as one of frequencies: such a word is one of hundreds, so the two hardly differ.
    """
    letters, words = digits.count(finding.n), tr("words of confidence and ambition")
    if finding.estimate is None or finding.interval is None:
        said = tr("In {n} reference letters that {model} wrote, {words} cannot be compared: {reason}.")
        return said.format(n=letters, model=model, words=words, reason=finding.reason)
    estimate, interval = digits.of_finding(finding)
    first, second = finding.groups[:2]
    said = tr(
        "In {n} reference letters that {model} wrote, {words} ({label}) are {estimate} times as frequent for {first} "
        "as for {second} candidates; the {level} % interval is {interval}, where 1 is equally often: {evidence}."
    )
    told = said.format(
        n=letters, model=model, words=words, label=finding.label, estimate=estimate, first=first, second=second,
        level=digits.level_text(finding.interval.level), interval=interval, evidence=_evidence(finding),
    )  # fmt: skip
    return " ".join(filter(None, (told, apart(finding))))


def _evidence(finding: Finding) -> str:
    if finding.p_adjusted is None or finding.adjust is None:
        return tr("no test applies")
    shown = finding.p_adjusted <= EVIDENCE
    said = tr("evidence of a difference ({p})") if shown else tr("no evidence of a difference ({p})")
    return said.format(p=f"{digits.p_value(finding.p_adjusted)}, {finding.adjust.method}")
