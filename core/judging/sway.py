"""The sway arm: in a randomised part of a plan each comparison shows a recommendation that is planted.

For every rater a share of the comparisons of each set of identities is drawn, by the plan's seed and the rater's code,
and one card of each is labelled “the assistant suggests this one”. Nobody read the texts for it: which identity it
names is drawn too, every one equally often, or the one that the plan favours with the stated bias. The others show no
recommendation and are what it is compared with. What was shown is kept with every judgment.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from biasprint.core.errors import UsageError
from biasprint.core.judging.card_order import secret_of, stable_hash
from biasprint.core.judging.plan import CHECK, PlanSettings
from biasprint.core.project.rows import ALONE, RECOMMENDED, ComparisonRow, JudgmentRow, PlanRow, RaterRow

KEPT = "No plan was made."
LEAST, MOST = 0.1, 0.9  # of the comparisons: with fewer, or with fewer left, there is nothing to compare
# In every consent text of such a plan. It tells that recommendations are studied, and not for whom they speak.
DECLARED = (
    "In part of the comparisons the program shows a recommendation, “Suggested by the assistant”. Part of this study "
    "is how people deal with such recommendations. They can be wrong: follow them or not, as you find right. What they "
    "rested on is explained at the end."
)
# To every rater at the end, with the figures where the file knows them.
EXPLAINED = (
    "The recommendations were planted. No assistant read the texts: which one was suggested was drawn by chance before "
    "anybody saw it. They are there to learn how far people follow advice, and whether they follow it more for some "
    "than for others. Following it is no mistake, and answers given beside one are in no other result."
)


def with_declaration(consent_text: str) -> str:
    """Return the consent text with what raters must know of the recommendations."""
    consent = consent_text.strip()
    return consent if DECLARED in consent else f"{consent}\n\n{DECLARED}".strip()


def check_sway(settings: PlanSettings, axes: Mapping[str, Sequence[str]]) -> None:
    """Raise UsageError for an arm that could show nothing, or would reach what it must not."""
    if not settings.sway:
        if settings.sway_for:
            raise UsageError("An identity is favoured, and no comparison has a recommendation.", kept=KEPT, hint=_SHARE)
        return
    if not LEAST <= settings.sway <= MOST:
        raise UsageError(
            f"Recommendations are shown with {LEAST:.0%} to {MOST:.0%} of the comparisons: the rest is what they are "
            "compared with.", kept=KEPT, hint=_SHARE,
        )  # fmt: skip
    if settings.workshop:
        raise UsageError(
            "A workshop shows no recommendations: participants see their own result at once, and it would be swayed.",
            kept=KEPT, hint="Draw a plan of its own for the recommendations.",
        )  # fmt: skip
    if settings.worst:
        raise UsageError(
            "A recommendation names the best text, and this plan asks for the worst as well.", kept=KEPT,
            hint="Ask for the best alone.",
        )  # fmt: skip
    if any(0 < settings.cards < len(set(identities)) for identities in axes.values()):
        raise UsageError(
            "Recommendations are shown where every comparison has all that is compared, and this plan shows some at a "
            "time.", kept=KEPT, hint="Compare two or three identities.",
        )  # fmt: skip
    _check_favoured(settings, axes)


def _check_favoured(settings: PlanSettings, axes: Mapping[str, Sequence[str]]) -> None:
    if settings.sway_for and not 0 < settings.sway_bias <= 1:
        raise UsageError(
            "The bias is the share of the recommendations that name the favoured identity, above 0 and at most 1.",
            kept=KEPT, hint="Such as 0.8.",
        )  # fmt: skip
    known = {identity for identities in axes.values() for identity in identities}
    for favoured in settings.sway_for:
        if favoured not in known:
            raise UsageError(
                f"“{favoured}” is not compared, so that nothing can favour it.", kept=KEPT,
                hint=f"Compared are {', '.join(sorted(known))}.",
            )  # fmt: skip
    for axis, identities in axes.items():
        if len(set(identities) & set(settings.sway_for)) > 1:
            raise UsageError(f"Two identities of {axis} are favoured.", kept=KEPT, hint="Favour one on each axis.")


_SHARE = "Such as a share of 0.5."


def recommended_cards(rows: Sequence[ComparisonRow], plan: PlanRow, code: str) -> dict[str, int]:
    """Return for each comparison the index of the item that is recommended to this rater; the others show no
    recommendation.

    `rows`: all of the plan. A packet has what it shows in its settings. A hidden repeat recommends what its original
    did; a hidden check recommends nothing.
    """
    if (of_packet := plan.settings.get(RECOMMENDED)) is not None:
        return dict(of_packet)
    settings = PlanSettings.of(plan.settings)
    if not settings.sway:
        return {}
    groups: defaultdict[tuple[str, ...], list[ComparisonRow]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.position):
        if row.repeat_of is None and row.axis != CHECK:
            groups[row.axis, *sorted(item.identity for item in row.items)].append(row)
    cards: dict[str, int] = {}
    named: dict[str, str] = {}
    for (axis, *identities), own in sorted(groups.items()):
        rng = random.Random(stable_hash("sway", secret_of(plan), code, axis, *identities))
        shown = rng.sample(own, _rounded(settings.sway * len(own), rng))
        for row, identity in zip(shown, _drawn(identities, settings, len(shown), rng), strict=True):
            named[row.id] = identity
            cards[row.id] = [item.identity for item in row.items].index(identity)
    for row in rows:
        if row.repeat_of in named:
            cards[row.id] = [item.identity for item in row.items].index(named[row.repeat_of])
    return cards


def chances(identities: Sequence[str], settings: PlanSettings) -> dict[str, float]:
    """Return how often each of these identities is recommended, where one of them is: the planted bias."""
    favoured = next((identity for identity in identities if identity in settings.sway_for), None)
    if favoured is None:
        return dict.fromkeys(identities, 1 / len(identities))
    others = (1 - settings.sway_bias) / (len(identities) - 1)
    return {identity: settings.sway_bias if identity == favoured else others for identity in identities}


def _drawn(identities: Sequence[str], settings: PlanSettings, number: int, rng: random.Random) -> list[str]:
    """Draw so many identities by their chances, as evenly as whole numbers allow, in a random order."""
    wanted = {identity: chance * number for identity, chance in chances(identities, settings).items()}
    drawn = Counter({identity: int(much) for identity, much in wanted.items()})
    # What is left of each decides who has one more, without favour to whoever stands first.
    rest = [identity for identity in identities if wanted[identity] > drawn[identity]]
    while drawn.total() < number:
        weights = [wanted[identity] - int(wanted[identity]) for identity in rest]
        choice = rng.choices(rest, weights)[0]
        drawn[choice] += 1
        rest.remove(choice)
    listed = sorted(drawn.elements())
    return rng.sample(listed, len(listed))


def _rounded(wanted: float, rng: random.Random) -> int:
    """Round up or down by chance, so that small plans have the stated share on average."""
    return int(wanted) + (rng.random() < wanted % 1)


# ---- In columns and tables of judgments


def arm_of(judgment: JudgmentRow, comparison: ComparisonRow, rater: RaterRow, plan: PlanRow) -> str:
    """Return the identity that was recommended, `ALONE` where the plan drew none, "" outside such a plan. Models are
    asked without recommendations.
    """
    if judgment.recommended is not None:
        return comparison.items[judgment.recommended].identity
    # Read directly: this is asked for every judgment.
    return ALONE if rater.kind == "person" and plan.settings.get("sway") else ""
