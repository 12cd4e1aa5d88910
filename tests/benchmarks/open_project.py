"""Opens a project as the outputs panel does and tells how long it took: python open_project.py FILE."""

import sys
import time
from pathlib import Path

from children import peak_megabytes, tell

from core.project.project import Project
from core.project.stores.outputs import OutputFilter
from desktop.models.stored_outputs import FIRST_PAGE, StoredOutputs

if __name__ == "__main__":
    began = time.perf_counter()
    with Project.open(Path(sys.argv[1])) as project:
        opened = time.perf_counter() - began
        source = StoredOutputs(project)
        first = next(iter(source.id_pages(OutputFilter(), 0)))
        rows = source.rows(first)
        count = project.outputs.count()
        usable = time.perf_counter() - began
        assert len(rows) == FIRST_PAGE
    tell({"opened": opened, "usable": usable, "count": count, "megabytes": peak_megabytes()})
