"""Scorers turn one text into numbers. What a scorer is: `protocol`; which there are: `registry`."""
