"""The page for many letters at once: their table, their groups, and what can be done with all of them."""
