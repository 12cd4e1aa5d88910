"""The power of a plan, and the size that it would need; in the compute process: the window imports no statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from typing import Any

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.judging.planner import JudgingDesign, RankDesign, detectable, needed, plan_power, raters_needed

# The preference that studies are planned for, by how many identities are compared: .55/.30/.15 of three (METHODS) is
# 0.35 of the largest possible ABS, and so is .675/.325 of two.
PREFERENCES: Mapping[int, tuple[float, ...]] = {2: (0.675, 0.325), 3: (0.55, 0.30, 0.15)}
# Of a ranking: how often a text of one place is preferred to a text of the next.
NEXT_PLACE = (0.6, 0.4)


@dataclass(frozen=True)
class Size:
    """The size of an axis in a plan. `comparisons`: how many on each axis. `identities`: how many each of its
    comparisons shows.

    `of`: of how many, where there are more: a ranking. `worst`: the worst of three is named too.
    """

    comparisons: int
    identities: int
    of: int = 0
    worst: bool = False

    @classmethod
    def of_plan(cls, comparisons: int, compared: int, cards: int, worst: bool) -> "Size":
        """Return the size for so many identities, as a plan with these settings shows them (`cards` 0: all at once)."""
        if not 0 < cards < compared:
            return cls(comparisons, compared)
        return cls(comparisons, cards, compared, worst and cards > 2)

    @property
    def expected(self) -> int:
        """Return how many shares a preference has."""
        return 2 if self.of else self.identities


@dataclass(frozen=True)
class Outlook:
    """The power of a plan on its axes with this many identities; sentences for people, and their numbers.

    `chance`: of seeing `shares` on one of these axes. `needed`: comparisons on each axis for 80 in 100, `raters_needed`
    for the comparisons there are; None where no number is enough. `detectable`: the share of one identity that is seen
    in 80 of 100 cases, the others being equal; None where not even every choice would be. `ranked`: a comparison shows
    only some of the identities; then `shares` is how often one place is preferred to another, which the plan
    distinguishes.
    """

    identities: int
    comparisons: int
    axes: int
    raters: int
    shares: tuple[float, ...]
    chance: float
    needed: int | None
    raters_needed: int | None
    detectable: float | None
    sees: str
    needs: str
    detects: str
    ranked: bool = False

    def stored(self) -> dict[str, Any]:
        """Return the numbers, as a plan keeps them."""
        fields = asdict(self)
        omitted = ("sees", "needs", "detects", *(() if self.ranked else ("ranked",)))
        return {name: value for name, value in fields.items() if name not in omitted}


def outlooks(
    ctx: JobContext,
    compute: ComputeProcess,
    sizes: Mapping[str, Size],
    *,
    raters: int = 1,
    preference: Sequence[float] = (),
    settings: PlanSettings | None = None,
) -> tuple[Outlook, ...]:
    """Return one for axes with two identities, one for axes with three, as far as `sizes` (by axis) has such; then one
    for each number of identities that are ranked.

    preference: expected shares, for axes with as many identities; for others what `PREFERENCES` says. settings: of the
    plan: a split gives each comparison fewer raters, recommendations leave fewer choices that count. Raises UsageError
    for shares that are none, or that fit no axis.
    """
    _check(preference, {size.expected for size in sizes.values()})
    given = {name: (size.comparisons, size.identities, size.of, size.worst) for name, size in sizes.items()}
    asked = settings or PlanSettings()
    dealt = {"split": asked.split, "overlap": asked.overlap, "recommended": asked.sway}
    return compute.call(plan_comparisons, given, raters, tuple(preference), dealt, ctx=ctx)


def plan_comparisons(
    sizes: Mapping[str, tuple[int, int, int, bool]],
    raters: int,
    preference: tuple[float, ...],
    dealt: Mapping[str, Any],
) -> tuple[Outlook, ...]:
    """Compute the outlooks in the compute process. With unequal numbers of comparisons the smallest axis decides."""
    plans = []
    every = [Size(*size) for size in sizes.values()]
    for identities in sorted({size.identities for size in every if not size.of}):
        fewest = min(size.comparisons for size in every if size.identities == identities and not size.of)
        shares = preference if len(preference) == identities else PREFERENCES[identities]
        plans.append(_outlook(fewest, identities, len(sizes), raters, shares, dealt))
    for ranked in sorted({replace(size, comparisons=0) for size in every if size.of}, key=astuple):
        fewest = min(size.comparisons for size in every if replace(size, comparisons=0) == ranked)
        shares = preference if len(preference) == ranked.expected else NEXT_PLACE
        plans.append(_ranked(replace(ranked, comparisons=fewest), len(sizes), raters, shares, dealt))
    return tuple(plans)


def _ranked(size: Size, axes: int, raters: int, shares: tuple[float, ...], dealt: Mapping[str, Any]) -> Outlook:
    # Where some are shown at a time there are no recommendations.
    split, overlap = dealt["split"], dealt["overlap"]
    design = RankDesign(
        size.comparisons, size.of, size.identities, size.worst, axes, raters, split=split, overlap=overlap
    )
    chance = max(shares)
    return Outlook(
        identities=size.of,
        comparisons=size.comparisons,
        axes=axes,
        raters=raters,
        shares=shares,
        chance=round(design.power(chance), 4),
        needed=design.needed(chance),
        raters_needed=design.raters_needed(chance),
        detectable=None if design.detectable is None else round(design.detectable, 4),
        sees=design.sees(chance),
        needs=design.needs(chance),
        detects=design.detects(),
        ranked=True,
    )


def _outlook(
    comparisons: int, identities: int, axes: int, raters: int, shares: tuple[float, ...], dealt: Mapping[str, Any]
) -> Outlook:
    design = JudgingDesign(comparisons, identities, axes, raters, **dealt)
    sees, needs, detects = plan_power(design, shares), needed(design, shares), detectable(design)
    return Outlook(
        identities=identities,
        comparisons=comparisons,
        axes=axes,
        raters=raters,
        shares=shares,
        chance=round(sees.power, 4),
        needed=needs.comparisons,
        raters_needed=raters_needed(design, shares).raters if comparisons else None,
        detectable=None if detects.top is None else round(detects.top, 4),
        sees=sees.in_words(),
        needs=needs.in_words(),
        detects=detects.in_words(),
    )


def preference_of(written: str) -> tuple[float, ...]:
    """Parse “.55/.30/.15” as shares. Raises UsageError for what is none."""
    try:
        shares = tuple(float(part) for part in written.split("/"))
    except ValueError:
        shares = ()
    if not 2 <= len(shares) <= 3 or min(shares) < 0 or not abs(sum(shares) - 1) <= 1e-3:  # also not a number
        raise UsageError(
            f"“{written}” is no preference.", hint="Give two or three shares that add up to 1, such as .55/.30/.15."
        )
    return tuple(share / sum(shares) for share in shares)


def _check(preference: Sequence[float], identities: set[int]) -> None:
    if preference and len(preference) not in identities:
        each = " or ".join(map(str, sorted(identities)))
        raise UsageError(
            f"The preference has {len(preference)} shares, and the comparisons show {each} texts.",
            hint=f"Give {each} shares.",
        )
