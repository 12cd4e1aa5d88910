"""Start the program: `biasprint`, or `python -P -m biasprint`."""

import sys

from biasprint.desktop.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
