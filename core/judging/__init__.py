"""Judging: people and models compare texts side by side, blind.

`session.open_judging` is the door for a window: `JudgingSession.ask` takes a command and returns a future of an answer
of a kind that `blind` defines. The commands are in `session` (list the plans a rater may judge; open and leave a
session), `work` (within a session) and `reveal` (end it). `store` says which plans, people and sessions count.

`plan` draws comparisons, `planner` says how many are needed, `packets` sends them to raters elsewhere, `model_rater`
asks a model, `workshop` lets many people judge on one machine, `looking` says who is asked before identities are shown
in between (`open_ratings`: in any copy). `fingerprint` and `adjudication` come after the reveal.
"""
