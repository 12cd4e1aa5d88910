"""What so many choices can show, from the planner: in how many sessions a clear preference would be seen.

Evaluated in the compute process. Source: METHODS, “Personal fingerprint”: what it takes.
"""

from core.judging.fingerprint.result import Seeing

# The preference a session is planned for, as shares of the choices. For three identities it is the plan's own; two get
# the shares at the same part (0.35) of the largest possible ABS.
PLANNED = {2: (0.675, 0.325), 3: (0.55, 0.30, 0.15)}


def chance_of_seeing(n: int, k: int, axes: int = 1) -> Seeing | None:
    """The chance that a rater with the planned preference on one of `axes` axes is found with `n` choices on each.

    None without a choice, and for a number of identities that no comparison has.
    """
    if n < 1 or k not in PLANNED:
        return None
    from core.judging.planner import Design, plan_power

    chance = plan_power(Design(comparisons=n, identities=k, axes=axes), PLANNED[k])
    return Seeing(n, axes, PLANNED[k], chance.power)
