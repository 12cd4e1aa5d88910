"""Statements past the program, by somebody who can do all that it does: what they write fits its checksum."""

import sqlite3
from pathlib import Path

from biasprint.core.project.checksums import keep_checksums


def sql(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    keep_checksums(connection)
    return connection
