"""Explore panel (`panel.ExplorePanel`): a map of texts, distributions of scores, heat maps; each leads to the texts."""
