"""Make the teaching model: a small Llama-architecture model that writes as the synthetic author does.

The modules make `models/teaching/teaching.gguf` and its card again from a seed: `python -m training.teaching.train`.
"""
