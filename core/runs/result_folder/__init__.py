"""Result folders: the scores of texts in many Parquet files, one file of scores for each of them.

`files` says what is in one; `planning` begins one or goes on with it, and `scoring` scores one of its files.
`measuring` gives its findings, `rows` its rows, and `as_project` shows it as a read-only project. A plug-in hands files
to many machines (`core.cluster`).
"""
