"""For Ray's processes in tests: without a package that takes seconds to import, and that only tests have installed.

The validator of the bill of materials brings it, jsonschema imports it where it is there, and Ray imports that in each
of its processes, which then start too late for one another where a machine is busy.
"""

import sys

sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
