"""The teaching model: a small Llama-architecture model that writes as the synthetic author does.

`teaching.gguf` is the model, `card.md` says what it is and is not, and the modules make both again from a seed:
`python -m biasprint.models.teaching.train`. The program itself imports none of them; it only opens the file.
"""
