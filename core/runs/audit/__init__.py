"""Audits as files, done without a person, and gates on what they find.

`file` reads an audit file, `doing` does it in a project, `saved` writes a project's own audit as a file, `gates` are
conditions on findings under which an audit fails, `again` measures once more by the recipe of findings.
"""
