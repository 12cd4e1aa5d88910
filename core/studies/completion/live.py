"""Live figures of filling in the blank: shares of positive, negative and neutral options, and their differences."""

from collections.abc import Hashable, Iterator, Mapping
from itertools import product

import numpy as np

from biasprint.core.compute import ComputeProcess
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.anytime import FIRST_CLUSTERS, clustered_share_band, normal_band
from biasprint.core.metrics.likelihood import CHOSEN, DELTAS, GIVEN, conditional_likelihoods, delta_values
from biasprint.core.metrics.result import Bounds
from biasprint.core.metrics.result import Floats as Doubles
from biasprint.core.metrics.sums import ClusterSums
from biasprint.core.project.project import Project
from biasprint.core.project.rows import Floats, OutputRow, SourceRow, TextKey
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.studies.completion.gather import model_of
from biasprint.core.studies.completion.measure import DELTA_ID, IRRELEVANT_ID, LIKELIHOOD_ID
from biasprint.core.studies.completion.prompts import DIRECTIONS, DOMAINS, PRONOUNS
from biasprint.core.studies.completion.table import IRRELEVANT, REQUIRED, read_reply
from biasprint.core.studies.kit.live import LiveKey, LiveValue, banded, undefined

SHARE, DIFFERENCE = "proportion", "difference of proportions"
Dims = tuple[tuple[str, str], ...]
ALL = -1  # domains, or pronouns, together


class CompletionTally:
    """Follows the replies of a study: counts by cell, and by given term and pair of options for the bands."""

    scorers: tuple[ScorerInfo, ...] = ()

    def __init__(self, project: Project, study_id: int, compute: ComputeProcess) -> None:
        self._cells: dict[tuple[str, int, int, int], _Cell] = {}
        self._replies = 0

    def text(self, row: OutputRow) -> None:
        fields = {name: row.fields.get(name, "") for name in (*REQUIRED, "term", "context")}
        reply = read_reply({**fields, "response": row.text, "model": model_of(row)}, self._replies)
        self._replies += 1
        if isinstance(reply, str):
            return
        domain, direction, pronoun, given = reply.places
        for place in product((domain, ALL), (pronoun, ALL)):
            cell = self._cells.setdefault((reply.model, direction, *place), _Cell())
            cell.add(given, reply.outcome, reply.term, reply.pair)

    def source(self, row: SourceRow) -> None:
        """Replies are outputs, imported ones too."""

    def scored(self, scorer: ScorerInfo, key: TextKey, values: Floats, summary: float | None) -> None:
        """Replies are counted, not scored."""

    def settle(self, ctx: JobContext) -> None:
        """Do nothing: nothing is left for later."""

    def values(self) -> list[LiveValue]:
        models = list(dict.fromkeys(model for model, *_ in self._cells))
        values: list[LiveValue] = []
        for model, direction in product(models, range(len(DIRECTIONS))):
            inside = {key[2:]: cell for key, cell in self._cells.items() if key[:2] == (model, direction)}
            domains = sorted({domain for domain, _ in inside} - {ALL})
            pronouns = sorted({pronoun for _, pronoun in inside} - {ALL})
            named = {"model": model or "(no name)"} if len(models) > 1 else {}
            # As the measure has it: all together where there are several, then each by itself.
            for domain in [*([ALL] if len(domains) > 1 else []), *domains]:
                for pronoun in [ALL, *(pronouns if len(pronouns) > 1 else [])]:
                    if cell := inside.get((domain, pronoun)):
                        dims = {**named, "direction": DIRECTIONS[direction]}
                        dims |= {"domain": DOMAINS[domain]} if domain != ALL else {}
                        dims |= {"pronoun": PRONOUNS[pronoun]} if pronoun != ALL else {}
                        values += cell.values(tuple(dims.items()))
        return values


class _Cell:
    """Replies that are looked at together: how often each outcome followed each polarity, by what they share."""

    def __init__(self) -> None:
        outcomes = IRRELEVANT + 1
        self._terms, self._pairs, self._both = (ClusterSums(outcomes) for _ in range(3))
        self._made: dict[Dims, list[LiveValue]] = {}  # since the last reply

    def add(self, given: int, outcome: int, term: Hashable, pair: Hashable) -> None:
        self._made.clear()
        for sums, cluster in ((self._terms, term), (self._pairs, pair), (self._both, (term, pair))):
            row = np.zeros(sums.width)
            row[outcome] = 1
            sums.add(cluster, given, row)

    def values(self, dims: Dims) -> list[LiveValue]:
        """Made again for cells that a reply was added to: bands of shares are found by bisection."""
        if dims not in self._made:
            self._made[dims] = list(self._values(dims))
        return self._made[dims]

    def _values(self, dims: Dims) -> Iterator[LiveValue]:
        counts = np.array([self._terms.totals(given) for given in range(len(GIVEN))])
        chosen = counts[:, :IRRELEVANT]
        n = int(chosen.sum())
        for place, likelihood in enumerate(conditional_likelihoods(chosen)):
            given = (place // 3,) if place < 6 else tuple(range(len(GIVEN)))
            key = LiveKey(LIKELIHOOD_ID, likelihood.label, "", dims)
            if likelihood.n == 0:
                yield undefined(key, SHARE, n, likelihood.reason)
            else:
                yield self._share(key, likelihood.chosen, likelihood.n, place % 3, given)
        for place, value in enumerate(delta_values(chosen)):
            key = LiveKey(DELTA_ID, DELTAS[place], "", dims)
            if value is None:
                yield undefined(key, DIFFERENCE, n, "a polarity has no usable reply yet")
            else:
                yield self._difference(key, n, value, place, chosen)
        together = int(counts.sum())
        key = LiveKey(IRRELEVANT_ID, "irrelevant", "", dims)
        yield self._share(key, int(counts[:, IRRELEVANT].sum()), together, IRRELEVANT, (0, 1))

    def _share(self, key: LiveKey, times: int, n: int, column: int, given: tuple[int, ...]) -> LiveValue:
        share, among = times / n, IRRELEVANT + (column == IRRELEVANT)
        slope = np.zeros(IRRELEVANT + 1)
        slope[:among] = -share / n
        slope[column] += 1 / n
        return self._banded(key, SHARE, n, share, dict.fromkeys(given, slope))

    def _difference(self, key: LiveKey, n: int, value: float, place: int, chosen: Doubles) -> LiveValue:
        slopes = {}
        for given, sign in ((0, 1.0), (1, -1.0)):
            whole = float(chosen[given].sum())
            slope = np.zeros(IRRELEVANT + 1)
            slope[: len(CHOSEN)] = -chosen[given, place] / whole / whole
            slope[place] += 1 / whole
            slopes[given] = sign * slope
        return self._banded(key, DIFFERENCE, n, value, slopes)

    def _banded(self, key: LiveKey, unit: str, n: int, value: float, slopes: Mapping[int, Doubles]) -> LiveValue:
        """Replies share given terms and pairs of options: their errors add up, less what both have in common."""
        terms = min(self._terms.clusters(given) for given in slopes)
        units = min(terms, self._pairs.clusters(*slopes))
        if units < FIRST_CLUSTERS:
            reason = f"the band is shown from {FIRST_CLUSTERS} terms and pairs of options on, now {units}"
            return banded(key, unit, n, value, None, reason)
        of_terms, of_pairs, common = (
            (sums.error(slopes) or 0.0) ** 2 for sums in (self._terms, self._pairs, self._both)
        )
        error = max(of_terms + of_pairs - common, of_terms, of_pairs) ** 0.5
        if unit == SHARE:
            return banded(key, unit, n, value, clustered_share_band(value, n, error, units))
        if not error:
            return banded(key, unit, n, value, None, "nothing varies yet")
        bounds = normal_band(value, error, units)
        return banded(key, unit, n, value, Bounds(max(-1.0, bounds.low), min(1.0, bounds.high), bounds.method))
