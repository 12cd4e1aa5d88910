"""How the stand-ins do beside what else comes in Python packages: `python -m biasprint.models.stand_ins.compare`."""
