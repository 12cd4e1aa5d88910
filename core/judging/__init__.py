"""Judging: people and models compare texts side by side, blind.

`session.open_judging` is the door for a window; everything that may pass through it is in `blind`. Behind it: `service`
(begins and ends sessions), `work` (one session), `store` (the part of a project that judging may use). `plan` draws
comparisons, `planner` says how many are needed, `packets` sends them to raters elsewhere, `model_rater` asks a model,
`workshop` lets many people judge on one machine, `looking` says who is asked before identities are shown in between.
`fingerprint` and `adjudication` come after the reveal.
"""
