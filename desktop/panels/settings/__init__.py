"""Settings panel (`panel.SettingsPanel`)."""
