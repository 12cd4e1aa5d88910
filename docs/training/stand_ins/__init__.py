"""Measure the stand-ins beside what else comes in Python packages: `python -m training.stand_ins.compare`."""
