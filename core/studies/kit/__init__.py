"""What studies share: the class of a study, the columns it prepares, live sums, figures, importing, and planting."""
