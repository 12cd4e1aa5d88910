"""Print the table of docs/tables/independent-simulations.md: python -m simulations.independent [WORD IN NAME]."""

import sys
import time

from simulations.independent import rankings, scores, shares, words
from simulations.independent.tally import counted

for module in (scores, words, shares, rankings):
    for setting in module.SETTINGS:
        if all(word in setting.name for word in sys.argv[1:]):
            began = time.monotonic()
            tally = counted(setting)
            row = [setting.name + (" *" if setting.discrete else ""), f"{tally.studies:,}"]
            row += [str(count) if count else "–" for count in (tally.alarms, tally.coverage)]
            row.append(f"{100 * tally.contradictions / tally.studies:.1f}")
            sys.stdout.write(f"| {' | '.join(row)} |\n")
            sys.stdout.flush()
            faults = [*tally.complaints(setting.discrete), *(["p and interval differ"] * tally.often_apart())]
            sys.stderr.write(f"{time.monotonic() - began:.1f} s {' '.join(faults)}\n")
