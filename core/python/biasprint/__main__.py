"""`biasprint` and `python -m biasprint`: the program, under whatever names its modules have here."""

import sys

from desktop.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
