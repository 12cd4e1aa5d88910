"""The project file: one SQLite file that holds everything a study needs. `core.project.project.Project` is the door."""
