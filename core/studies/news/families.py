"""Which tests of the news study are adjusted among each other."""

from collections.abc import Sequence

from core.findings import Finding
from core.studies.findings import with_holm


def families(findings: Sequence[Finding]) -> list[Finding]:
    """Holm within one id and axis, over all pairs first and then across its dims; as published nothing is adjusted."""
    keys = dict.fromkeys(map(_family, findings))
    adjusted: dict[int, Finding] = {}
    for key in keys:
        places = [place for place, finding in enumerate(findings) if _family(finding) == key]
        members = [findings[place] for place in places]
        tests = sum(finding.p is not None for finding in members)
        name = f"{key[0]}, axis {key[1] or 'none'}, {'over all' if key[3] else 'by model and domain'}, {tests} tests"
        kept = with_holm(members, name) if key[2] == "default" else members
        adjusted |= dict(zip(places, kept, strict=True))
    return [adjusted[place] for place in range(len(findings))]


def _family(finding: Finding) -> tuple[str, str, str, bool]:
    pooled = not {"model", "domain"} & set(finding.dims)
    return finding.id, finding.dims.get("axis", ""), finding.variant, pooled
