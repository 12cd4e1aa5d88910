"""Generate panel (`panel.GeneratePanel`): texts are written, scored, and drawn for judging by models."""
