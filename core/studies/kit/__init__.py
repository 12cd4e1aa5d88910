"""Common parts of studies: the class of a study, its columns, live sums, figures, importing, and planting."""
