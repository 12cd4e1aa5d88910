"""The program with a key that was typed: python main_with_key.py WORDS… reads it from stdin."""

import sys

from biasprint.core.machine import keys
from biasprint.desktop.__main__ import main

if __name__ == "__main__":
    keys.keep("lab", sys.stdin.read())
    sys.exit(main(sys.argv[1:]))
