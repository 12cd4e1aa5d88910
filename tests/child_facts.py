"""A function that tests call in a child process of the program."""

import os
import sys
import time
from multiprocessing.connection import Connection

from biasprint.core.machine.child import limit_this_process


def tell(connection: Connection) -> None:
    """Send what this process looks for modules in, where it works, and what its own children will be like."""
    connection.send((sys.path, os.getcwd(), sys.flags.safe_path, os.environ.get("BIASPRINT_HOME", "")))


def take_much_memory(connection: Connection, *_: str) -> None:
    """As a template that found a way to fill the memory of the process that renders it."""
    limit_this_process()
    connection.send_bytes(bytes(3_000_000_000))


def never_end(*_: object) -> None:
    time.sleep(600)


def end_at_once(*_: object) -> None:
    os._exit(1)


def answer_with_a_list(connection: Connection, *_: str) -> None:
    connection.send_bytes(b'{"why": ["a list"]}')
