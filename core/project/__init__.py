"""The project file: one SQLite file that holds everything a study needs. `project.Project` is the door.

A table is declared three times, each time for another purpose (decision 0008): `migrations/*.sql` says what is stored,
and is the text that foreign files are held against; `specs` says what may be written; `rows` says what is read.
"""
