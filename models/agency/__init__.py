"""The agency stand-in: a small head on the packaged MiniLM, and the sentences that it was trained on.

`head.safetensors` and `neutral.toml` are what the program reads, `card.md` says what they are and are not, and
`python -m biasprint.models.agency.train` makes the head again.
"""
