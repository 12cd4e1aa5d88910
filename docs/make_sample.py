"""Makes resources/sample/sample.biasprint.gz: the sample project, written, scored and measured.

    python docs/make_sample.py

Takes half a minute on two cores. It is scored by what comes with the program, whatever else this computer has. Has to
be run again when the project format, the texts in resources/sample, the synthetic author, a scorer or a measure of
letters or creative writing changes; tests say so.
"""

import gzip
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from core.compute import ComputeProcess  # noqa: E402
from core.jobs import JobContext  # noqa: E402
from core.runs.sample import SHIPPED, build_sample  # noqa: E402

FILE = ROOT / "resources" / "sample" / SHIPPED


def main() -> None:
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["BIASPRINT_HOME"] = folder  # no models or settings of whoever makes it
        compute = ComputeProcess()
        try:
            path = Path(folder) / "Sample.biasprint"
            build_sample(JobContext(), compute, path)
            content = path.read_bytes()
        finally:
            compute.close()
    FILE.write_bytes(gzip.compress(content, 9, mtime=0))
    seconds = time.monotonic() - begun
    print(f"{FILE.relative_to(ROOT)}: {FILE.stat().st_size:,} bytes of {len(content):,}, made in {seconds:.0f} s")


if __name__ == "__main__":
    main()
