"""Models panel (`panel.ModelsPanel`): the catalogue of local models, roles, and OpenAI-compatible endpoints."""
