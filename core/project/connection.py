"""Connections to a project file, with the settings that a copied, stick-carried, possibly hostile file needs."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import NullPool

APPLICATION_ID = 0x42494153  # "BIAS"
SCHEMA_VERSION = 3
# No single text of a study comes near this; a file that claims more is refused while it is read.
MAX_TEXT_BYTES = 64 * 1024 * 1024

SAFETY = ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "foreign_keys=ON")


def connect(path: Path, *, writable: bool, create: bool = False, wait_ms: int = 5_000) -> sqlite3.Connection:
    """A plain connection; `writable=False` is both opened read-only and told `query_only`."""
    mode = "rwc" if create else "rw" if writable else "ro"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in SAFETY:
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(f"PRAGMA busy_timeout={wait_ms}")
    if writable:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("PRAGMA synchronous=EXTRA")
    else:
        connection.execute("PRAGMA query_only=ON")
    return connection


def engine_for(open_connection: Callable[[], sqlite3.Connection]) -> Engine:
    """An engine over connections of ours: SQLAlchemy builds statements, and never begins or commits by itself."""
    return create_engine(
        "sqlite://", creator=open_connection, poolclass=NullPool, isolation_level="AUTOCOMMIT", query_cache_size=500
    )


def raw(connection: Connection) -> sqlite3.Connection:
    """The sqlite3 connection under an SQLAlchemy one."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver
