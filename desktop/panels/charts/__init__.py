"""Charts panel (`panel.ChartsPanel`): live charts of judgments and stored texts, and figures of measured findings."""
