"""A function that tests call in a child process of the program."""

import os
import sys
from multiprocessing.connection import Connection


def tell(connection: Connection) -> None:
    """Send what this process looks for modules in, where it works, and what its own children will be like."""
    connection.send((sys.path, os.getcwd(), sys.flags.safe_path, os.environ.get("BIASPRINT_HOME", "")))
