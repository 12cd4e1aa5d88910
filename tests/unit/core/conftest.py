"""Tests import simulated studies as `simulations.…`."""

import sys
from pathlib import Path

TESTS = str(Path(__file__).parents[2])
if TESTS not in sys.path:
    sys.path.insert(0, TESTS)
