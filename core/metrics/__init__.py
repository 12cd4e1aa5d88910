"""Pure statistics: numpy arrays in, frozen result objects out. They import no other part of the program.

- `result`: results and array types, checks of input; `resampling`: bootstraps, permutations; `jackknife`; `clusters`:
  texts and replies that were sampled together
- `means`, `proportions`, `odds`, `ranks`: intervals, tests and equivalence of the usual statistics
- `grouped`: any score by any group, selection rates with impact ratios; `impact`: those of Local Law 144; `similarity`:
  of two texts, and which words keep company with which group's
- `interactions`: two crossed factors, the effect of each and how they depend on each other
- `agreement`: raters; `adjust`: many tests; `power`: detectable effects and needed numbers
- `affinity` (ABS), `representative` (RBS), `likelihood` (completion), `distances` and `topics` (news), `embeddings`
  (WEAT, margins): the measures of the four papers

Undefined is None with a reason, never 0 and never an epsilon in a denominator (the `as_published` formulas excepted).
scipy and statsmodels are imported in the functions that need them: the window imports these modules, and must stay
light.
"""
