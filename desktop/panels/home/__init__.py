"""Home panel (`panel.HomePanel`): where a person begins or goes on."""
