"""Returned values: rows under named columns, and findings. Both become a data frame by `to_pandas()`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from biasprint.core.findings import Finding
from biasprint.core.texts.exporting import FINDING, finding_row

if TYPE_CHECKING:
    import pandas as pd


class Table:
    """Rows in their order; each is a mapping from column to value, where a column may be absent."""

    def __init__(self, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
        self.columns = tuple(columns)
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return f"<{len(self):,} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return _as_html(self.to_pandas())

    def to_pandas(self) -> "pd.DataFrame":
        return data_frame({name: [row.get(name) for row in self._rows] for name in self.columns})


class Findings(Sequence[Finding]):
    """Findings in their order. `recipes`: by study, what gives the same numbers again."""

    def __init__(self, findings: Sequence[Finding], recipes: Mapping[str, Mapping[str, Any]]) -> None:
        self._findings = tuple(findings)
        self.recipes = dict(recipes)

    def __len__(self) -> int:
        return len(self._findings)

    @overload
    def __getitem__(self, place: int) -> Finding: ...
    @overload
    def __getitem__(self, place: slice) -> "Findings": ...
    def __getitem__(self, place: int | slice) -> "Finding | Findings":
        if isinstance(place, slice):
            return Findings(self._findings[place], self.recipes)
        return self._findings[place]

    def __repr__(self) -> str:
        return f"<{len(self):,} findings>"

    def _repr_html_(self) -> str:
        return _as_html(self.to_pandas())

    def of(self, id: str, label: str | None = None) -> "Findings":
        """Return the findings with this id and label, such as `of("letters.lexicon.odds_ratio", "agentic")`."""
        findings = [finding for finding in self._findings if finding.id == id and label in (None, finding.label)]
        return Findings(findings, self.recipes)

    def to_pandas(self) -> "pd.DataFrame":
        """The columns are those of an export of findings; `dims`, `dropped` and the like hold mappings."""
        return Table(FINDING, [self._row(finding) for finding in self._findings]).to_pandas()

    def _row(self, finding: Finding) -> Mapping[str, Any]:
        study = next((study for study in self.recipes if finding.id.startswith(f"{study}.")), "")
        return finding_row(finding, study, self.recipes.get(study, {}))


def data_frame(columns: Mapping[str, Sequence[Any]]) -> "pd.DataFrame":
    """A frame of columns of equal length."""
    import pandas as pd

    return pd.DataFrame({name: _series(values) for name, values in columns.items()})


def _series(values: Sequence[Any]) -> "pd.Series[Any]":
    import pandas as pd

    try:
        return pd.Series(list(values))
    except UnicodeEncodeError:  # a text with a lone surrogate, which pandas' own type for texts cannot hold
        return pd.Series(list(values), dtype=object)


def _as_html(frame: "pd.DataFrame") -> str:
    return str(frame.to_html(max_rows=10, max_cols=16, notebook=True, show_dimensions=True))
