"""Evidence packs: a measured project in one signed folder, which a second machine verifies without a network.

`making` writes one, `signing` signs and verifies; `pages` has what people and other programs read in it.
"""
