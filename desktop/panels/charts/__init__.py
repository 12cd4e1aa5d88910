"""Charts panel (`panel.ChartsPanel`): live charts of what was judged and stored, and figures of what was measured."""
