"""The passages head: which category of marks a clause of a letter belongs to by what it says.

`head.safetensors` is what the program reads, `card.md` says what it is and is not, and
`python -m biasprint.models.passages.train` makes it again from `clauses.csv` and `letters.jsonl`.
"""
