"""The fields that each study reads from a table, described in study_fields.toml."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from core.errors import UsageError
from core.tables.fields import FieldSpec


@cache
def _all_fields() -> Mapping[str, tuple[FieldSpec, ...]]:
    data = tomllib.loads(resources.files("core.tables").joinpath("study_fields.toml").read_text(encoding="utf-8"))
    return {
        name: tuple(FieldSpec(**{**spec, "aliases": tuple(spec["aliases"])}) for spec in specs)
        for name, specs in data.items()
    }


def fields_of(kind: str) -> tuple[FieldSpec, ...]:
    """The fields of `kind`: letters, creativity (outputs), judgments (of creativity), texts (for scoring).

    Raises `UsageError` that says which kinds there are.
    """
    fields = _all_fields().get(kind)
    if fields is None:
        raise UsageError(f"Tables of “{kind}” cannot be read.", hint=f"Kinds: {', '.join(_all_fields())}.")
    return fields
