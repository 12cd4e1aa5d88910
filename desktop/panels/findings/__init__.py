"""The findings panel (`panel.FindingsPanel`): the results of each study, with filters and texts behind a finding."""
