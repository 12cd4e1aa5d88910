"""Qt item models and the views that show them."""
