"""Train the heads of letters: of which category a clause is by what it says, and which listed words are meant.

`material.py` says which file teaches what; `models/passages` has the heads and their card.
"""
