"""How the stand-ins do beside what else comes in Python packages: `python -m models.stand_ins.compare`."""
