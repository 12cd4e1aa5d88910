"""Models on this computer: what the catalogue offers, what is here, how it comes, is checked and goes.

Light: nothing here imports a model library; the hub's client is loaded by `get` alone.
"""
