"""Words of the findings on replies, which every study has: refused, without text, cut off, failed, by group."""

from collections.abc import Mapping

from biasprint.core.studies.kit.declared import StudyQuestion

REPLIES, DIFFERENCE = ".replies", ".replies.difference"  # how the ids end, after the study
# kind of reply → what a finding on it is called
TITLES: Mapping[str, str] = {
    "refusal": "Texts refused",
    "empty": "Replies without text",
    "cut off": "Texts cut off at the limit",
    "failed": "Requests failed",
}


def replies_question(study: str) -> StudyQuestion:
    """Return the question that the findings on replies answer."""
    return StudyQuestion(
        "Is one group refused or cut off more often?",
        (f"{study}{DIFFERENCE}", f"{study}{REPLIES}"),
        "The share of what was asked for a group that got no whole answer.",
    )


def reply_ids(study: str) -> tuple[str, str]:
    return f"{study}{REPLIES}", f"{study}{DIFFERENCE}"
