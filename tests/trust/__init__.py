"""What must never go wrong, row by row, and the tests that show it.

`rows.toml` says each row and its tests. With `--trust FILE` exactly these tests are run, and those of the soak;
`report` gathers how they ended with the figures that they tell by the fixture `figure`, prints a verdict for each row,
and writes the page.
"""
