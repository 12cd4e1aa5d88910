"""Make the sample project that is shipped: `docs/make_sample.py`, and what a real model wrote: `make_real_outputs.py`.

`whole` builds the project, `real` asks the model and puts the rows that were kept of it into a project.
"""
