"""Pure statistics, one per file: numpy arrays in, frozen result objects out. They import nothing of ours.

Undefined is None with a reason, never 0 and never an epsilon in a denominator (the `as_published` formulas excepted).
"""
