"""Each statement is compiled once in a process of tests, not once for every project that is opened.

The program opens a project once. The tests open thousands, and SQLAlchemy compiled the same statements for each, which
took a fifth of such tests' time. A compiled statement keeps the values of its first use: a test that searches what is
within reach of a window asks for `own_statements`, so that it meets nothing that another test left.
"""

import sys
from typing import Any

import pytest


def share(patch: pytest.MonkeyPatch) -> None:
    """From now on all projects use the dialect and the compiled statements of the first one."""
    connection: Any = sys.modules.get("biasprint.core.project.connection")
    if connection is None:  # no test of these opens a project
        return
    engine_of, first = connection.create_engine, []

    def create_engine(*arguments: Any, **options: Any) -> Any:
        engine = engine_of(*arguments, **options)
        first.append(engine)
        engine.dialect = engine.pool._dialect = first[0].dialect
        engine._compiled_cache = first[0]._compiled_cache
        del first[1:]
        return engine

    patch.setattr(connection, "create_engine", create_engine)
