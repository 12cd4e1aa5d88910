"""Train and measure the models that come with the program: in `docs`, `python -m training.agency.train` and its like.

Each folder has the scripts and the data of one model. What they write goes to `models`, which the program reads; the
program itself imports nothing of this. Parameters are told by `--help` where a script has any.
"""
