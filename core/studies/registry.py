"""Which studies there are. A third party adds one by an entry point in the group `biasprint.studies`.

The entry point's object is a `Study`. The program's own kinds cannot be taken.
"""

from functools import cache
from importlib.metadata import entry_points

from core.errors import UsageError
from core.studies import completion, creativity, letters, news
from core.studies.study import Study

ENTRY_POINTS = "biasprint.studies"

OWN = (news.STUDY, completion.STUDY, creativity.STUDY, letters.STUDY)


@cache
def studies() -> dict[str, Study]:
    """All studies by kind, the program's own first."""
    others: dict[str, Study] = {point.name: point.load() for point in entry_points(group=ENTRY_POINTS)}
    own = {study.kind: study for study in OWN}
    return {**own, **others, **own}  # the program's own stand first and win


def study(kind: str) -> Study:
    """The study of this kind. Raises `UsageError` naming those there are."""
    if kind not in studies():
        raise UsageError(f"There is no study “{kind}”.", hint=f"Choose one of: {', '.join(studies())}.")
    return studies()[kind]
