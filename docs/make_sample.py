"""Makes resources/sample/sample.biasprint.xz: the sample project, written, scored and measured.

    python docs/make_sample.py

Takes a minute or two on two cores. What a model wrote is in docs/sample_making and docs/replications. It is scored by
what comes with the program and by two models of the papers, whatever else this computer has: biasprint models get
all-mpnet-base-v2, and en_core_web_sm. Has to be run again when the project format, the texts in resources/sample, the
synthetic author, a scorer or a measure of these studies changes; tests say so.
"""

import json
import lzma
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "core" / "python"))

from biasprint.core.compute import ComputeProcess  # noqa: E402
from biasprint.core.findings import Finding  # noqa: E402
from biasprint.core.jobs import JobContext  # noqa: E402
from biasprint.core.machine.models.get import export, get  # noqa: E402
from biasprint.core.project.project import Project  # noqa: E402
from biasprint.core.runs.sample import MODEL, PLACE, SHIPPED, about, found_sentence, is_found  # noqa: E402
from sample_making.whole import build_sample  # noqa: E402

MODELS = ("all-mpnet-base-v2", "en_core_web_sm")
FILE = ROOT / "resources" / "sample" / SHIPPED
FOUND = ROOT.joinpath("resources", *PLACE)


def main() -> None:
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            export(name, Path(folder) / "stick")
        os.environ["BIASPRINT_HOME"] = folder  # no other models or settings of whoever makes it
        for name in MODELS:
            get(name, where=Path(folder) / "stick")
        compute = ComputeProcess()
        try:
            path = Path(folder) / "Sample.biasprint"
            build_sample(JobContext(), compute, path)
            content = path.read_bytes()
            tell_found(path)
        finally:
            compute.close()
    FILE.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
    seconds = time.monotonic() - begun
    print(f"{FILE.relative_to(ROOT)}: {FILE.stat().st_size:,} bytes of {len(content):,}, made in {seconds:.0f} s")


def tell_found(path: Path) -> None:
    """Put the finding that Home tells beside the sample: Home reads it before a project is open."""
    with Project.open(path, read_only=True) as project:
        stored = (Finding.from_json(row.body) for row in project.findings.all("letters"))
        (finding,) = (one for one in stored if is_found(one, MODEL))
    FOUND.write_text(json.dumps(finding.to_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(found_sentence(finding, about()["real"]["title"]))


if __name__ == "__main__":
    main()
