"""How many raters are few."""

# From so many raters on they are a unit beside comparisons. Of fewer one cannot tell how raters differ: then intervals
# are of these raters only. With fewer than FEW_RATERS it is said that they are few.
FEWEST_RATERS, FEW_RATERS = 5, 10
