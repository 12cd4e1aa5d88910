"""Findings panel (`panel.FindingsPanel`): what each study measured, filtered, with the texts behind a finding."""
