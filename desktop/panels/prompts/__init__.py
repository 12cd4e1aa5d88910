"""Prompts panel (`panel.PromptsPanel`): prompt sets of each study, made and checked."""
