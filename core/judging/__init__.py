"""Comparisons judged blind: drawing them, the order of the cards, and the session that one rater works through."""
