"""The head of a letter's balance: how much warmth and drive a sentence has, on the packaged MiniLM.

`head.safetensors` is what the program reads, `card.md` says what it is and is not, `sentences.csv` has what taught it
beside the agency head's own sentences, and `python -m biasprint.models.balance.train` makes it again.
"""
