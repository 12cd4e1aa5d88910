"""Waiting for another connection in a loop of our own.

SQLite's own waiting sleeps longer each time, up to 100 ms. Beside a job that writes 1,000 rows a second a reader missed
gap after gap that way, and the texts of the next comparison came after 440 ms; with this loop it took 25.
"""

import time

from sqlalchemy import Connection

from core.project.failures import is_busy

PAUSE_SECONDS = 0.001


def patiently(connection: Connection, statement: str, give_up_seconds: float) -> None:
    """Execute a statement that has changed nothing when it answers BUSY, until another connection lets it."""
    give_up = time.monotonic() + give_up_seconds
    while True:
        try:
            connection.exec_driver_sql(statement)
            return
        except Exception as error:
            if not is_busy(error) or time.monotonic() > give_up:
                raise
        time.sleep(PAUSE_SECONDS)
