"""Train the agency stand-in: a small head on the packaged MiniLM, from `sentences.csv`.

`models/agency` has what the program reads, and its card.
"""
