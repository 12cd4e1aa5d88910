"""Train the head of a letter's balance: how much warmth and drive a sentence has, on the packaged MiniLM.

`sentences.csv` teaches it beside the agency head's own sentences; `models/balance` has the head and its card.
"""
