"""Packets: blinded files that are sent to one rater each, rated there, and merged when they come back.

`make` writes them, `packet` is one opened as a project, `merge` takes them back, `decisions` gives their state and
settles conflicts. `hand_out` gives the same to another tool, and `merge` takes what comes back from there
(`merge_outside`).
"""
