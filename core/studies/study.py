"""What a study is. A third party's study needs nothing but this module."""

from dataclasses import dataclass


@dataclass(frozen=True)
class InputTable:
    """One kind of data a study measures, in the field names of the command line's column mapping.

    `measure`: "module:function", called in the compute process with the table and gives a `StudyResult`.
    `scorers`: the roles whose scores the table needs.
    """

    name: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    measure: str
    scorers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """A kind of study: what it reads and which findings it gives."""

    kind: str
    title: str
    inputs: tuple[InputTable, ...]
    findings: tuple[str, ...]

    def input_for(self, fields: set[str]) -> InputTable | None:
        """The first kind of data whose required fields are all there."""
        return next((table for table in self.inputs if set(table.required) <= fields), None)
