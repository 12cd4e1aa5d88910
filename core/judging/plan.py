"""Plans: what is compared, which texts are shown side by side, and what raters are asked.

Drawing is pure and seeded: the same input gives the same plan.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

from biasprint.core.errors import UsageError
from biasprint.core.judging.blocks import Block, Standing, balanced_blocks
from biasprint.core.language import InLanguage
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem, PlanRow, TextKey
from biasprint.core.project.specs import AnnotationSpec
from biasprint.core.text import sha256_text

# ---- Names of plans

PLAN_NAME = "plan name"
LONGEST_NAME = 120


def rename_plan(project: Project, plan_id: str, name: str) -> Changes:
    """Call a plan so from now on. Raises UsageError for a name without letters or with too many."""
    wanted = " ".join(name.split())
    if not wanted or len(wanted) > LONGEST_NAME:
        raise UsageError(
            f"A plan's name has 1 to {LONGEST_NAME} characters.",
            kept="The plan is called as before.",
            hint="Change it.",
        )
    before = project.annotations.of_kind(PLAN_NAME, target=plan_id)
    value, last = {"name": wanted}, before[-1].id if before else None
    return project.annotations.add(AnnotationSpec(kind=PLAN_NAME, target=plan_id, value=value, supersedes=last))


def plan_names(project: Project, plans: Iterable[PlanRow]) -> dict[str, str]:
    """Return each plan's name by id: its lead, else what it compares, in words."""
    given = {row.target: InLanguage(row.value["name"]) for row in project.annotations.of_kind(PLAN_NAME)}
    titles = {key: axis.title for key, axis in project.axes.in_use().items()}
    return {plan.id: given.get(plan.id) or in_words(plan, titles) for plan in plans}


def in_words(plan: PlanRow, titles: dict[str, str]) -> str:
    """Return "gender+orientation, seed 3" as "Gender, Sexual orientation (seed 3)"; any other title as it is."""
    if plan.title != f"{plan.axis}, seed {plan.seed}":
        return plan.title
    return f"{', '.join(titles.get(key, key) for key in plan.axis.split('+'))} (seed {plan.seed})"


# ---- Drawing comparisons

# A repeat that follows its original closely is recognised, and measures memory instead of consistency.
REPEAT_DISTANCE = 6


@dataclass(frozen=True)
class Candidate:
    """A text that could be shown. `problem` says why it cannot be, in words ("the text is empty"), or is "".

    `output`: its id, or None where it is a source. `block`: what else must be equal within a comparison besides task,
    theme, model and sample, such as the prompt. `shown_theme`: what raters read in place of the theme, where they do.
    """

    output: int | None
    axis: str
    identity: str
    task: str
    theme: str
    text_sha256: str
    model: str = ""
    sample: int = 0
    problem: str = ""
    source: int | None = None
    block: str = ""
    shown_theme: str | None = None

    @property
    def item(self) -> ComparisonItem:
        """The card that shows it."""
        return ComparisonItem(self.output, self.identity, self.source)

    @property
    def key(self) -> TextKey:
        return self.item.key


@dataclass(frozen=True)
class DrawnComparison:
    """One comparison: one text per identity of `axis`, at equal task, theme, model, sample and block.

    `repeat_of` is the position of the comparison that this one shows again.
    """

    position: int
    axis: str
    task: str
    theme: str
    items: tuple[ComparisonItem, ...]
    texts_sha256: str
    repeat_of: int | None = None


class LeftOut(NamedTuple):
    """A text that is in no comparison: an output, or else a source."""

    output: int | None
    reason: str
    source: int | None = None


@dataclass(frozen=True)
class DrawnPlan:
    comparisons: tuple[DrawnComparison, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def reasons(self) -> Counter[str]:
        """Return how many texts were left out, by reason."""
        return Counter(left.reason for left in self.left_out)


class _Cell(NamedTuple):
    """The values that must be equal within a comparison."""

    task: str
    theme: str
    model: str
    sample: int
    block: str


@dataclass(frozen=True)
class SoFar:
    """A plan before its next round. `drawn`: axis and items of its comparisons. `rankings`: of each axis with more
    identities than a comparison shows; `tasks`: of each other axis, how many to draw of each task.
    """

    drawn: Sequence[tuple[str, Sequence[ComparisonItem]]]
    rankings: Mapping[str, Standing]
    tasks: Mapping[str, Mapping[str, int]]


def texts_digest(text_hashes: Iterable[str]) -> str:
    """Return the SHA-256 over the hashes of the texts of a comparison, in plan order, one on a line."""
    return sha256_text("\n".join(text_hashes))


def draw_plan(
    candidates: Iterable[Candidate],
    axes: Mapping[str, Sequence[str]],
    *,
    per_axis: int | None = None,
    seed: int = 0,
    repeat_share: float = 0.0,
    cards: int = 0,
    so_far: SoFar | None = None,
) -> DrawnPlan:
    """Draw comparisons from `candidates`.

    axes: axis key → its identities; every comparison shows one text of each.
    cards: on axes with more identities than this, a comparison shows so many of them (blocks.py); 0 shows all.
    per_axis: how many comparisons of each axis at most; None takes every complete one.
    repeat_share: the share of the comparisons that come a second time, hidden, later in the plan (0 to 1).
    so_far: of a plan that grows by a round: what it has, and what its answers leave least known, which comes first.

    Tasks, then themes within a task, then models are used equally often as far as the candidates allow. Comparisons
    of the axes alternate in blocks, so that whoever stops early has judged each axis equally often.
    Raises ValueError for a share outside 0 to 1, an axis with fewer than two identities or a negative number.
    """
    if not 0 <= repeat_share <= 1:
        raise ValueError(f"repeat_share must be between 0 and 1, not {repeat_share}")
    if per_axis is not None and per_axis < 0:
        raise ValueError("per_axis must not be negative")
    for axis, identities in axes.items():
        if len(set(identities)) < 2:
            raise ValueError(f"axis {axis!r} needs at least two identities to compare")
    rng = random.Random(seed)
    left_out: list[LeftOut] = []
    by_axis = _usable(candidates, axes, left_out)
    before = _cells_before(by_axis, so_far) if so_far is not None else {}
    drawn: dict[str, list[DrawnComparison]] = {}
    for axis in sorted(axes):
        if 0 < cards < len(axes[axis]):
            standing = None if so_far is None else so_far.rankings.get(axis)
            had = before.get(axis, [])
            drawn[axis] = _draw_blocks(by_axis[axis], axis, axes[axis], cards, per_axis, rng, left_out, had, standing)
        else:
            tasks = None if so_far is None else so_far.tasks.get(axis, {})
            had_cells = [cell for cell, _ in before.get(axis, [])]
            drawn[axis] = _draw_axis(by_axis[axis], axis, axes[axis], per_axis, rng, left_out, had_cells, tasks)
    ordered = _with_repeats(_interleave(drawn, rng), repeat_share, rng)
    return DrawnPlan(tuple(ordered), tuple(sorted(left_out, key=_place)))


def _cells_before(
    by_axis: Mapping[str, Mapping[_Cell, Mapping[str, Candidate]]], so_far: SoFar
) -> dict[str, list[tuple[_Cell, Block]]]:
    """Return the cells of earlier rounds by axis, each with the identities that were shown of it."""
    cell_of = {
        (axis, text.key): cell
        for axis, cells in by_axis.items()
        for cell, present in cells.items()
        for text in present.values()
    }
    before: dict[str, list[tuple[_Cell, Block]]] = defaultdict(list)
    for axis, items in so_far.drawn:
        cells = {cell_of.get((axis, item.key)) for item in items}
        if len(cells) == 1 and (cell := cells.pop()) is not None:
            before[axis].append((cell, tuple(item.identity for item in items)))
    return before


def _place(left: LeftOut) -> tuple[bool, int, str]:
    number = left.source if left.output is None else left.output
    return left.output is None, number or 0, left.reason


def _left(candidate: Candidate, reason: str) -> LeftOut:
    return LeftOut(candidate.output, reason, candidate.source)


def _usable(
    candidates: Iterable[Candidate], axes: Mapping[str, Sequence[str]], left_out: list[LeftOut]
) -> dict[str, dict[_Cell, dict[str, Candidate]]]:
    """Return the candidates by axis, cell and identity; sorted first, so that the order they came in decides
    nothing.
    """
    cells: dict[str, dict[_Cell, dict[str, Candidate]]] = {axis: defaultdict(dict) for axis in axes}
    for candidate in sorted(candidates, key=lambda candidate: candidate.key):
        if candidate.axis not in axes or candidate.identity not in axes[candidate.axis]:
            left_out.append(_left(candidate, "its identity is not compared"))
        elif candidate.problem:
            left_out.append(_left(candidate, candidate.problem))
        else:
            cell = cells[candidate.axis][
                _Cell(candidate.task, candidate.theme, candidate.model, candidate.sample, candidate.block)
            ]
            if candidate.identity in cell:
                left_out.append(_left(candidate, "another output has the same task, theme, identity and sample"))
            else:
                cell[candidate.identity] = candidate
    return cells


def _draw_axis(
    cells: Mapping[_Cell, Mapping[str, Candidate]],
    axis: str,
    identities: Sequence[str],
    wanted: int | None,
    rng: random.Random,
    left_out: list[LeftOut],
    before: Sequence[_Cell] = (),
    tasks: Mapping[str, int] | None = None,
) -> list[DrawnComparison]:
    complete: list[_Cell] = []
    for cell, present in sorted(cells.items()):
        hashes = {text.text_sha256 for text in present.values()}
        if len(present) < len(identities):
            missing = ", ".join(identity for identity in identities if identity not in present)
            reason = f"no output to compare it with: {missing} is missing"
        elif len(hashes) < len(present):
            reason = "two of the texts to compare are identical"
        else:
            complete.append(cell)
            continue
        left_out.extend(_left(text, reason) for text in present.values())
    unused = [cell for cell in complete if cell not in set(before)]
    if tasks is None:
        chosen = _balanced(unused, len(unused) if wanted is None else wanted, rng)
    else:
        chosen = []
        for task, many in sorted(tasks.items()):
            chosen += _balanced([cell for cell in unused if cell.task == task], many, rng, before)
        rng.shuffle(chosen)
    for cell in set(complete) - set(chosen):
        left_out.extend(_left(text, "not drawn: enough comparisons") for text in cells[cell].values())
    return [_comparison(axis, cell, [cells[cell][identity] for identity in identities]) for cell in chosen]


def _draw_blocks(
    cells: Mapping[_Cell, Mapping[str, Candidate]],
    axis: str,
    identities: Sequence[str],
    cards: int,
    wanted: int | None,
    rng: random.Random,
    left_out: list[LeftOut],
    before: Sequence[tuple[_Cell, Block]] = (),
    standing: Standing | None = None,
) -> list[DrawnComparison]:
    """Draw comparisons of `cards` identities at a time. A text that equals another of its cell is left out with it."""
    usable: dict[_Cell, dict[str, Candidate]] = {}
    for cell, present in sorted(cells.items()):
        times = Counter(text.text_sha256 for text in present.values())
        alone = {identity: text for identity, text in present.items() if times[text.text_sha256] == 1}
        twins = [text for text in present.values() if times[text.text_sha256] > 1]
        left_out.extend(_left(text, "two of the texts to compare are identical") for text in twins)
        if len(alone) >= cards:
            usable[cell] = alone
        else:
            left_out.extend(_left(text, "too few outputs to compare it with") for text in alone.values())
    order = _balanced(list(usable), len(usable), rng)
    place_of = {cell: place for place, cell in enumerate(order)}
    had = [(place_of[cell], block) for cell, block in before if cell in place_of and len(block) == cards]
    with_text = [usable[cell] for cell in order]
    drawn = [
        (order[place], block)
        for place, block in balanced_blocks(with_text, identities, cards, wanted, rng, had, standing)
    ]
    shown = {(cell, identity) for cell, block in drawn for identity in block}
    left_out.extend(
        _left(text, "not drawn: enough comparisons")
        for cell, present in usable.items()
        for identity, text in present.items()
        if (cell, identity) not in shown
    )
    return [_comparison(axis, cell, [usable[cell][identity] for identity in block]) for cell, block in drawn]


def _comparison(axis: str, cell: _Cell, cards: Sequence[Candidate]) -> DrawnComparison:
    return DrawnComparison(
        position=0,
        axis=axis,
        task=cell.task,
        theme=cell.theme if cards[0].shown_theme is None else cards[0].shown_theme,
        items=tuple(card.item for card in cards),
        texts_sha256=texts_digest(card.text_sha256 for card in cards),
    )


def _balanced(cells: Sequence[_Cell], wanted: int, rng: random.Random, before: Iterable[_Cell] = ()) -> list[_Cell]:
    """Choose at most `wanted` cells: each time from the least used task, in it the least used theme, in it the
    model. `before`: cells that are used already.
    """
    tree: dict[str, dict[str, dict[str, list[_Cell]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for cell in rng.sample(cells, len(cells)):
        tree[cell.task][cell.theme][cell.model].append(cell)
    used: Counter[tuple[str, ...]] = Counter()
    themes: Counter[str] = Counter()
    models: Counter[str] = Counter()
    for cell in before:
        used.update([(cell.task,), (cell.task, cell.theme), (cell.model, cell.theme, cell.task)])
        themes[cell.theme] += 1
        models[cell.model] += 1
    chosen: list[_Cell] = []
    while tree and len(chosen) < wanted:
        task = min(tree, key=lambda task: used[(task,)])
        # Own counts break ties, so that themes and models stay even over the whole plan and not only within a task.
        theme = min(tree[task], key=lambda theme: (used[(task, theme)], themes[theme]))
        model = min(tree[task][theme], key=lambda model: (used[(model, theme, task)], models[model]))
        chosen.append(tree[task][theme][model].pop())
        used.update([(task,), (task, theme), (model, theme, task)])
        themes[theme] += 1
        models[model] += 1
        if not tree[task][theme][model]:
            del tree[task][theme][model]
        if not tree[task][theme]:
            del tree[task][theme]
        if not tree[task]:
            del tree[task]
    return chosen


def _interleave(drawn: Mapping[str, list[DrawnComparison]], rng: random.Random) -> list[DrawnComparison]:
    """Return the axes in blocks of one comparison each, shuffled within; each axis keeps its balanced order."""
    ordered: list[DrawnComparison] = []
    for row in range(max(map(len, drawn.values()), default=0)):
        block = [comparisons[row] for comparisons in drawn.values() if row < len(comparisons)]
        rng.shuffle(block)
        ordered.extend(block)
    return ordered


def _with_repeats(originals: list[DrawnComparison], share: float, rng: random.Random) -> list[DrawnComparison]:
    """Return `originals`, numbered, with a share of them coming again at least `REPEAT_DISTANCE` comparisons later."""
    number = round(share * len(originals))
    early = len(originals) - REPEAT_DISTANCE  # later ones have no room behind them, and are taken only if need be
    again = sorted(rng.sample(range(early if number <= early else len(originals)), number))
    # Slot s comes before original s; the last slot is the end of the plan.
    slots: dict[int, list[int]] = defaultdict(list)
    for original in again:
        slots[rng.randint(min(original + REPEAT_DISTANCE, len(originals)), len(originals))].append(original)
    ordered: list[DrawnComparison] = []
    position_of: dict[int, int] = {}
    for slot in range(len(originals) + 1):
        for original in slots.get(slot, ()):
            repeat = replace(originals[original], position=len(ordered), repeat_of=position_of[original])
            ordered.append(repeat)
        if slot < len(originals):
            position_of[slot] = len(ordered)
            ordered.append(replace(originals[slot], position=len(ordered)))
    return ordered


PlanKind = Literal["identity", "model", "origin", "twin"]
KINDS: tuple[PlanKind, ...] = get_args(PlanKind)


@dataclass(frozen=True)
class PlanSettings:
    """The settings of a plan. `kind`: what the cards of a comparison differ in: the identity they were written for, the
    model that wrote them, whether a person or a model did, or the name and gender in one letter.

    `cards`: how many texts a comparison shows where more are compared (blocks.py); 0: all of them. `worst`: of three,
    raters choose the best and then the worst. `consent_text`: what a rater agrees to first. `criterion_ratings`: each
    card is rated by each criterion as well. `ask_background`: raters may describe themselves, in their own words.
    `notes`: whether a note can be written. `workshop`: participants see their fingerprint, and nobody else sees one
    person's answers. `class_name`: which people a workshop is for; the same comparisons under another name are another
    plan, so that no two classes are pooled. `repeat_share`: the share of comparisons that come again. `planned`: the
    planner's input when the plan was drawn. `instructions`: what raters read first; `question`: asked in place of
    “Which is best?”; `rubric`: criteria, with their explanations, in place of those of the tasks. `practice`: known
    answers to begin with, as `core.judging.known.KnownAnswer` stores them. `own_order`, `split` and `overlap`: see
    core/judging/assignment.py. `show_prompt`: raters read the prompt where it names nothing that stays hidden, see
    core/judging/wording.py; of so many comparisons it was shown, and `prompts_withheld` of so many not, when the plan
    was drawn. `sway`: the share of the comparisons that show a planted recommendation; `sway_for`: the
    identities that it favours, one on an axis, each named by the share `sway_bias` of the recommendations; see
    core/judging/sway.py. `adaptive`: the plan is drawn in rounds of so many comparisons on each axis, and `rounds`: how
    many comparisons it had after each; see core/runs/compare/rounds.py. `graded`: a choice is slightly
    or much better; `confidence`: raters say how sure they are of each answer; `spans`: they mark words as reasons.
    """

    kind: PlanKind = "identity"
    cards: int = 0
    worst: bool = False
    consent_text: str = ""
    criterion_ratings: bool = False
    ask_background: bool = False
    notes: bool = True
    workshop: bool = False
    class_name: str = ""
    repeat_share: float = 0.0
    planned: Mapping[str, Any] | None = None
    instructions: str = ""
    question: str = ""
    rubric: tuple[tuple[str, str], ...] = ()
    practice: tuple[Mapping[str, Any], ...] = ()
    own_order: bool = False
    split: int = 0
    overlap: float = 0.0
    show_prompt: bool = False
    prompts_shown: int = 0
    prompts_withheld: int = 0
    sway: float = 0.0
    sway_for: tuple[str, ...] = ()
    sway_bias: float = 0.0
    adaptive: int = 0
    rounds: tuple[int, ...] = ()
    graded: bool = False
    confidence: bool = False
    spans: bool = False

    def __post_init__(self) -> None:
        if self.split < 0 or self.split == 1 or not 0 <= self.overlap <= 1 or (self.overlap and not self.split):
            raise UsageError(
                "Comparisons are split among two raters or more, with a share from 0 to 1 that all of them judge.",
                hint="Such as 3 raters and an overlap of 0.2.",
            )
        if self.split and self.workshop:
            raise UsageError("In a workshop everybody judges all comparisons.", hint="Leave the split out.")
        if self.adaptive and (self.workshop or self.sway):
            raise UsageError(
                "A workshop, and a plan with recommendations, needs all its comparisons from the start.",
                kept="No plan was made.",
                hint="Draw it at once, or leave the other out.",
            )
        if self.worst and self.graded:
            raise UsageError(
                "The best and the worst of three already tell how far apart texts are: degrees are asked without them.",
                hint="Ask for the worst text, or for degrees.",
            )
        if self.workshop and (self.graded or self.confidence or self.spans):
            raise UsageError(
                "A workshop asks for choices alone: what its participants see is made of these.",
                hint="Leave degree, confidence and marked words to a plan for raters.",
            )

    def round_of(self, position: int) -> int:
        """Return the round, from 1, in which the comparison at this position of the plan was drawn."""
        return 1 + sum(position >= end for end in self.rounds[:-1])

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "PlanSettings":
        """Read a plan row's settings; plans of earlier versions lack most of them."""
        known = {name: stored[name] for name in cls.__dataclass_fields__ if name in stored}
        known["rubric"] = tuple((name, explanation) for name, explanation in known.get("rubric", ()))
        known["practice"] = tuple(known.get("practice", ()))
        known["sway_for"] = tuple(known.get("sway_for", ()))
        known["rounds"] = tuple(known.get("rounds", ()))
        return cls(**known)

    def stored(self) -> dict[str, Any]:
        """Return the settings that are not the usual ones, as a plan row keeps them."""
        usual = asdict(PlanSettings())
        return {name: value for name, value in asdict(self).items() if value != usual[name]}


def workshops_among(plans: Iterable[PlanRow]) -> set[str]:
    """Return the ids of the plans that were drawn for workshops."""
    return {row.id for row in plans if PlanSettings.of(row.settings).workshop}


# ---- Axes by name: an axis of identities, or one of the three kinds without one
#
# `Comparison.axis` holds an axis as findings report it (“gender”), “model”, “origin” or “twin”. What was compared is
# that together with the set of identities on the cards: some of an axis's, or these two models. Where one axis was
# compared in several sets, each set counts separately, because chance differs between them; `keys_of_sets` names them.

MODEL, ORIGIN, TWIN = "model", "origin", "twin"
# The axis of hidden checks: comparisons with a known answer, whose cards have the “identities” right and wrong. They
# concern raters and not what is compared: no measure, fingerprint or reveal counts them.
CHECK, RIGHT, WRONG = "check", "right", "wrong"
GENERATED, ORIGINAL = "generated", "original"
TITLES = {MODEL: "Model", ORIGIN: "Who wrote it", TWIN: "Name and gender"}
LABELS = {ORIGIN: {GENERATED: "A model", ORIGINAL: "A person"}}

CompareSet = tuple[str, frozenset[str]]  # an axis, and the identities on the cards


FEWEST_RANKED = 3  # sets: three identities in pairs are three


def ranked_sets(compared: Iterable[CompareSet]) -> frozenset[CompareSet]:
    """Return the sets of incomplete blocks: where an axis was compared in several sets of as many cards, they make a
    ranking.
    """
    sets = set(compared)
    ways = Counter((axis, len(identities)) for axis, identities in sets)
    return frozenset(ranked for ranked in sets if ways[ranked[0], len(ranked[1])] >= FEWEST_RANKED)


def keys_of_sets(compared: Iterable[CompareSet]) -> dict[CompareSet, str]:
    """Return a key for each set: the axis's own where it was compared in one way only, else “AXIS: one | other”.

    Sets of incomplete blocks have none: shares in each of them would be many, and of few choices each.
    """
    sets = set(compared)
    sets -= ranked_sets(sets)
    ways = [axis for axis, _ in sets]
    return {
        (axis, identities): axis if ways.count(axis) == 1 else f"{axis}: {' | '.join(sorted(identities))}"
        for axis, identities in sets
    }
