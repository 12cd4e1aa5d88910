"""The outputs panel (`panel.OutputsPanel`): the texts of a project, as stored."""
