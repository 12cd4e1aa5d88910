"""Packets: blinded files that are sent to one rater each, rated there, and merged when they come back."""
