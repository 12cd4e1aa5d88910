"""The registry of studies. A third party adds one by an entry point in the group `biasprint.studies`.

The entry point's object is a `Study`. The program's own kinds cannot be taken.
"""

from functools import cache
from importlib.metadata import entry_points

from biasprint.core.errors import AppError, UsageError
from biasprint.core.studies.compare import CompareStudy
from biasprint.core.studies.completion import CompletionStudy
from biasprint.core.studies.creativity import CreativityStudy
from biasprint.core.studies.kit.study import Study, StudyDeclaration
from biasprint.core.studies.letters import LettersStudy
from biasprint.core.studies.news import NewsStudy
from biasprint.core.tables.fields import FieldSpec, fields_of

ENTRY_POINTS = "biasprint.studies"

OWN: tuple[StudyDeclaration, ...] = (NewsStudy(), CompletionStudy(), CreativityStudy(), LettersStudy(), CompareStudy())


def _read() -> tuple[dict[str, StudyDeclaration], dict[str, str]]:
    """The studies by kind, and why a third party's is not among them."""
    known = {study.kind: study for study in OWN}
    broken: dict[str, str] = {}
    for point in entry_points(group=ENTRY_POINTS):
        if point.name in known:
            continue
        try:
            declared = point.load()
        except Exception as error:  # a third party's module may raise anything
            broken[point.name] = f"{type(error).__name__}: {error}"
            continue
        if isinstance(declared, Study) and declared.kind == point.name:
            known[point.name] = declared
        else:
            broken[point.name] = "its entry point names no Study of that kind"
    return known, broken


@cache
def studies() -> dict[str, StudyDeclaration]:
    """All studies by kind, the program's own first."""
    return _read()[0]


def study(kind: str) -> StudyDeclaration:
    """The study of this kind. Raises `UsageError` naming those there are, `AppError` for a plug-in that is broken."""
    if kind in studies():
        return studies()[kind]
    if reason := _read()[1].get(kind):
        raise AppError(f"The plug-in of the study “{kind}” cannot be used: {reason}.", hint="Ask who made it.")
    raise UsageError(f"There is no study “{kind}”.", hint=f"Choose one of: {', '.join(studies())}.")


def table_fields(kind: str) -> "tuple[FieldSpec, ...]":
    """The fields of a kind of table: a third party's, else those of study_fields.toml.

    Raises `UsageError` that says which kinds the program itself has.
    """
    for study in studies().values():
        for table in study.inputs:
            if table.fields and (table.kind == kind or (study.kind == kind and table is study.imported)):
                return table.fields
    return fields_of(kind)
