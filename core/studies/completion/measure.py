"""Fill in the blank. Called in the compute process; what it reads is described in `table`."""

from dataclasses import replace

from core.findings import Finding, StudyResult
from core.metrics.result import RESAMPLES
from core.studies.completion.cells import cells
from core.studies.completion.delta import ID as DELTA
from core.studies.completion.delta import OMNIBUS, deltas, published_deltas
from core.studies.completion.irrelevant import ID as LEFT_OUT
from core.studies.completion.irrelevant import irrelevant
from core.studies.completion.likelihood import ID as LIKELIHOOD
from core.studies.completion.likelihood import likelihoods, published_likelihoods
from core.studies.completion.options import option_positions
from core.studies.completion.reference import SOURCE
from core.studies.completion.table import IRRELEVANT, Coded, CompletionTable, coded
from core.studies.completion.tau import IDS as TAUS
from core.studies.completion.tau import taus
from core.studies.findings import with_holm

__all__ = ["CompletionTable", "measure"]

NO_TERMS = "Some given terms are not known: replies to one sentence count as one term, or each as its own."


def measure(table: CompletionTable, *, seed: int = 0, resamples: int = RESAMPLES) -> StudyResult:
    """All findings of the completion study, the default ones of each kind first."""
    replies = coded(table)
    dropped = dict(replies.dropped)
    if left_out := int((replies.chosen == IRRELEVANT).sum()):
        dropped["irrelevant"] = left_out
    findings = _findings(replies, seed, resamples) if len(replies) else _nothing(dropped)
    if not replies.terms_known:
        findings = [replace(each, note=f"{each.note} {NO_TERMS}".strip()) for each in findings]
    return StudyResult("completion", len(table.domain), dropped, tuple(findings))


def _findings(replies: Coded, seed: int, resamples: int) -> list[Finding]:
    found = list(cells(replies, seed, resamples))
    differences = [each for cell in found for each in deltas(cell)]
    every_tau = [each for cell in found for each in taus(cell)]
    return [
        *(each for cell in found for each in likelihoods(cell)),
        *_adjusted(differences),
        *_adjusted([each for each in every_tau if each.variant == "default"]),
        *_adjusted(list(option_positions(replies))),
        *(each for cell in found for each in irrelevant(cell)),
        *(each for cell in found for each in published_likelihoods(cell)),
        *(each for cell in found for each in published_deltas(cell)),
        *(each for each in every_tau if each.variant == "as_published"),
    ]


def _adjusted(findings: list[Finding]) -> list[Finding]:
    """Holm within one id and one way of breaking down: pooled, by domain, by pronoun, by both; the omnibus test apart.

    What is pooled is adjusted among itself, so that it does not pay for being broken down as well.
    """
    families: dict[tuple[str, str], list[int]] = {}
    for place, finding in enumerate(findings):
        by = " and ".join(name for name in ("domain", "pronoun") if name in finding.dims)
        kind = f"{finding.id} {finding.label}" if finding.label == OMNIBUS else finding.id
        families.setdefault((kind, f"by {by}" if by else "pooled"), []).append(place)
    adjusted = list(findings)
    for (kind, by), places in families.items():
        family = f"{kind}, {by}, {len(places)} tests"
        for place, finding in zip(places, with_holm([findings[place] for place in places], family), strict=True):
            adjusted[place] = finding
    return adjusted


def _nothing(dropped: dict[str, int]) -> list[Finding]:
    """One undefined finding of each kind, where no row is a reply to an item of this study."""
    why = ", ".join(f"{reason} ({count})" for reason, count in dropped.items()) or "there are no rows"
    return [
        Finding(
            id=finding_id, label=finding_id.rpartition(".")[2], title="Fill in the blank", groups=(), estimate=None,
            reason=f"no row is a reply to an item: {why}", unit="proportion", n=0, dropped=dropped, source=SOURCE,
        )
        for finding_id in (LIKELIHOOD, DELTA, *(tau for tau, _ in TAUS), LEFT_OUT)
    ]  # fmt: skip
