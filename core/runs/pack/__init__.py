"""Evidence packs: a measured project in one signed folder, which a second machine verifies without a network.

`making` writes one, `signing` signs and verifies; `pages` are read by people, `every_eval_ever` by other programs.
"""
