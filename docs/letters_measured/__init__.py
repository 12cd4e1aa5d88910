"""Measure the letter check on letters whose passages, candidates and claims are known: `measure.py` says how."""
