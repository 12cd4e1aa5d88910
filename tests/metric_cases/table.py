"""All metrics, and the public functions beside them that are no metrics of their own."""

from metric_cases import (
    agreement,
    associations,
    clusters,
    differences,
    distances,
    odds,
    pairs,
    power,
    resampling,
    spreads,
)

PARTS = (agreement, associations, clusters, differences, distances, odds, pairs, power, resampling, spreads)
CASES = [case for part in PARTS for case in part.CASES]

HELPERS = {
    "affinity_floor.permuted_totals": "the draws behind affinity_floor",
    "affinity_score.spread": "the standard deviation behind affinity_score",
    "affinity_score.spread_maximum": "a constant of the number of groups",
    "agreement.agreement_of": "value and interval of every measure of agreement",
    "agreement.pairable": "selects comparisons for every measure of agreement",
    "agreement.too_lopsided": "decides whether a measure of agreement has an interval",
    "agreement.undefined": "makes a result",
    "agreement.unless_lopsided": "decides whether a measure of agreement has an interval",
    "block_permutation.shuffled_within": "the draws behind permute_within_blocks",
    "bootstrap.widened_tail": "a constant of the number of units",
    "checks.constant": "a check of input",
    "checks.finite": "a check of input",
    "checks.same_length": "a check of input",
    "checks.truths": "a check of input",
    "difference.untested": "makes a result",
    "fleiss_kappa.equally_judged": "selects comparisons for fleiss_kappa",
    "kendall.standard_error": "the error behind kendall_tau's interval",
    "kendall_draws.kendall_draws": "kendall_tau for many resampled tables",
    "likelihood_delta.association_draws": "omnibus for many resampled tables",
    "likelihood_delta.delta_draws": "likelihood_deltas for many resampled tables",
    "conditional_likelihood.likelihood_draws": "conditional_likelihoods for many resampled tables",
    "odds_ratio.log_odds_ratio": "the formula behind clustered_odds_ratios",
    "odds_ratio.smallest_expected": "decides whether an odds ratio is defined",
    "one_sample_mean.t_of": "the test behind one_sample_mean and paired_difference",
    "prejudice.is_lower": "the comparison behind prejudice",
    "raw_agreement.observed_agreement": "the formula behind raw_agreement and gwet_ac1",
    "resampling.chunks": "sizes of chunks, not a metric",
    "resampling.generator": "a random stream, not a metric",
    "sentence_gap.group_means": "what sentence_gap is asked with, and runs with it",
    "topic_membership.counts_of": "counts the table behind topic membership",
    "topic_membership.permuted_tables": "the draws behind permuted_membership",
    "two_way_bootstrap.level_weights": "the draws behind two_way_weights",
    "weat.effects": "the formula behind both tests of WEAT",
}
