"""What a report's first page says beside its findings, as keys of the JSON answer."""

from collections.abc import Iterator
from typing import Any

from biasprint.core.report.audit.audited import Audited
from biasprint.core.report.questions import evidence

FEW = 30  # of what a finding counts: below it an interval is wide whatever is found


def answer_json(audited: Audited) -> dict[str, Any]:
    """Who was audited, what was asked, and each question with its answer and what the answer rests on."""
    return {
        "audited": {"generators": [dict(one) for one in audited.generators], "asked": list(_asked(audited))},
        "questions": list(_questions(audited)),
        "without_number": sum(one.estimate is None for one in audited.findings),
    }


def _asked(audited: Audited) -> Iterator[dict[str, Any]]:
    for one in audited.asked:
        yield {"name": one.name, "version": one.version, "prompts": one.n, "sha256": one.sha256}


def _questions(audited: Audited) -> Iterator[dict[str, Any]]:
    for one in audited.questions:
        found = evidence(audited.study, one)
        yield {
            "question": one.question, "answer": one.answer, "findings": len(one.findings), "leading": len(found.leads),
            "tested": len(found.tested), "shown": len(found.shown),
            "few": sum(lead.n < FEW for lead in found.leads),
            "smallest_n": min((lead.n for lead in found.leads), default=None),
        }  # fmt: skip
