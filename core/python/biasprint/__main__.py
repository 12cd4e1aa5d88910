"""Start the program: `biasprint`, or `python -P -m biasprint`."""

from biasprint.desktop.__main__ import main

if __name__ == "__main__":
    import sys

    sys.exit(main())
