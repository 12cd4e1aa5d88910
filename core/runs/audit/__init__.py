"""Audits as files, done without a person, and gates on what they find.

`file` describes an audit file, `reading` reads and writes one, `doing` does it in a project, `gates` are conditions on
findings under which an audit fails, `again` repeats by their recipes what is stored.
"""
