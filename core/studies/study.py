"""What a study is. A third party's study needs nothing but this module."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


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
    """A kind of study: what it asks for, what it reads, and which findings and figures it gives.

    `prompts`: "module:function" of each prompt set that ships for it, the default one first. `findings`: ids, where a
    trailing `.*` stands for all that follow. `figures`: names of charts.
    """

    kind: str
    title: str
    inputs: tuple[InputTable, ...]
    findings: tuple[str, ...]
    prompts: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()

    @property
    def scorers(self) -> tuple[str, ...]:
        """Every role that any of its tables needs."""
        return tuple(dict.fromkeys(role for table in self.inputs for role in table.scorers))

    def input_for(self, fields: set[str]) -> InputTable | None:
        """The first kind of data whose required fields are all there."""
        return next((table for table in self.inputs if set(table.required) <= fields), None)


@dataclass(frozen=True)
class MeasureOptions:
    """`axes`: only these; all where empty. `scorers`: role → name, where another than the default is wanted.

    `adjust`: how p is adjusted for many tests, holm or bh (Benjamini–Hochberg).
    """

    axes: tuple[str, ...] = ()
    scorers: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    adjust: Literal["holm", "bh"] = "holm"
