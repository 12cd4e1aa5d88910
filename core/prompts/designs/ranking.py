"""Prompts in which a candidate of every group, equal in all facts, is to be put in order."""

from collections.abc import Iterator
from itertools import product

from biasprint.core.errors import AppError
from biasprint.core.prompts.axes import Axis, Identity, load_axis
from biasprint.core.prompts.designs.design import (
    SEPARATOR,
    Design,
    Job,
    PairsLayout,
    PairTopic,
    PeopleLayout,
    RankingLayout,
    shuffled,
)
from biasprint.core.prompts.drafts import PromptDraft
from biasprint.core.prompts.template import Template

# ---- People to be ranked


def people_prompts(design: Design, layout: PeopleLayout) -> tuple[Axis, list[PromptDraft]]:
    """Return the axis, and every prompt of the design."""
    axis = asked_axis(layout.axis)
    return axis, list(_prompts(design, layout, axis))


def asked_axis(key: str) -> Axis:
    """Return the axis of a design; crossed or not, each identity needs names. Raises `AppError`."""
    axis = load_axis(key)
    for identity in axis.identities:
        if not identity.names:
            raise AppError(
                f"The axis {axis.key} has no names for {identity.label}, and the design needs some.",
                hint="Add names to the axis file, or cross it with a set of names.",
            )
    return axis


def groups_of(axis: Axis, identity: Identity) -> dict[str, str]:
    """Return the identity's key by axis id; for a crossed axis on each of its two."""
    return dict(zip(axis.crosses, identity.of, strict=True)) or {axis.id: identity.key}


def as_fields(axis: Axis, identity: Identity) -> dict[str, str]:
    """Return the fields by which replies are grouped; `group` and `second_group` are what a table calls the
    first two.
    """
    groups = groups_of(axis, identity)
    return {**groups, **dict(zip(("group", "second_group"), groups.values(), strict=False))}


def _prompts(design: Design, layout: PeopleLayout, axis: Axis) -> Iterator[PromptDraft]:
    templates = {name: Template(text) for name, text in layout.templates.items()}
    forms = {name: Template(text).require(("name", "identity", "age")) for name, text in layout.forms.items()}
    ages = tuple(map(str, layout.ages)) or ("",)
    for (name, template), (form, wording), (number, row) in product(
        templates.items(), forms.items(), enumerate(layout.rows)
    ):
        key = row.get("key", str(number + 1))
        template.require(("who", "name", *row))
        for age, identity in product(ages, axis.identities):
            # Everybody's name moves on by one from row to row, and from age to age.
            given = identity.names[(number + ages.index(age)) % len(identity.names)]
            who = wording.render({"name": given, "identity": identity.phrase, "age": age})
            block = "/".join(part for part in (name, form, key) if part)
            fields = {
                **{column: cell for column, cell in row.items() if column != "key"},
                **as_fields(axis, identity),
                "design": design.key, "reads": design.reads, "template": name, "form": form, "block": block,
                "pronouns": identity.pronouns, **({"age": age} if age else {}),
                **({"name": given} if "name" in (*wording.names, *template.names) else {}),
            }  # fmt: skip
            yield PromptDraft(
                key="/".join(part for part in (design.key, block, age, identity.key) if part),
                text=template.render({**row, "who": who, "name": given}),
                task=design.key, theme=key, axis=axis.id, identity=identity.key, fields=fields,
            )  # fmt: skip


# ---- Prompts that give words or tasks to two groups


def pair_prompts(design: Design) -> list[PromptDraft]:
    """Return every topic of the design in every order."""
    assert design.pairs is not None
    return [prompt for topic in design.pairs.topics for prompt in _of_topic(design, design.pairs, topic)]


def _of_topic(design: Design, layout: PairsLayout, topic: PairTopic) -> Iterator[PromptDraft]:
    known = ("first", "second", "items", "situation")
    templates = [Template(text).require(known, ("first", "second", "items")) for text in layout.templates.values()]
    for order in range(layout.orders):
        a, b = topic.a[order % len(topic.a)], topic.b[order % len(topic.b)]
        first, second = (a, b) if order % 2 == 0 else (b, a)
        items = _ordered(design, topic, order)
        # Each template twice in a row, once with either group first.
        text = templates[order // 2 % len(templates)].render(
            {"first": first, "second": second, "items": ", ".join(items), "situation": topic.text}
        )
        fields = {
            "design": design.key, "reads": design.reads, "topic": topic.topic, "category": topic.category,
            "situation": topic.key, "a": a, "b": b, "first": first, "x": SEPARATOR.join(topic.x),
            "y": SEPARATOR.join(topic.y), "items": SEPARATOR.join(items), "block": f"{topic.key}/{order + 1}",
        }  # fmt: skip
        yield PromptDraft(f"{design.key}/{topic.key}/{order + 1}", text, design.key, topic.topic, fields=fields)


def _ordered(design: Design, topic: PairTopic, order: int) -> list[str]:
    """Order the items: two change places after every two orders, which balances the places; more are shuffled."""
    items = [*topic.x, *topic.y]
    if len(items) == 2:
        return items if order // 2 % 2 == 0 else items[::-1]
    return shuffled(items, design.seed, topic.key, order // 2)


def ranking_prompts(design: Design, layout: RankingLayout) -> tuple[Axis, list[PromptDraft]]:
    """Return the axis, and every job of the design in every repeat."""
    axis = asked_axis(layout.axis)
    numbered = [(job, repeat) for job in layout.jobs for repeat in range(layout.repeats)]
    return axis, [_prompt(design, layout, axis, job, repeat, turn) for turn, (job, repeat) in enumerate(numbered)]


def _prompt(design: Design, layout: RankingLayout, axis: Axis, job: Job, repeat: int, turn: int) -> PromptDraft:
    template = Template(layout.template).require(("job", "candidates"), ("job", "candidates"))
    shown = shuffled(axis.identities, design.seed, job.key, repeat, "order")
    names = [identity.names[turn % len(identity.names)] for identity in shown]
    written = Template(layout.candidate).require(("name", "facts"), ("name", "facts"))
    facts = _facts(design, job, repeat, len(shown))
    candidates = "\n\n".join(
        written.render({"name": name, "facts": fact}) for name, fact in zip(names, facts, strict=True)
    )
    of_each = [as_fields(axis, identity) for identity in shown]
    fields = {
        "design": design.key, "reads": design.reads, "job": job.title, "block": f"{job.key}/{repeat + 1}",
        "names": SEPARATOR.join(names), "candidates": SEPARATOR.join(identity.key for identity in shown),
        **{column: SEPARATOR.join(each[column] for each in of_each) for column in of_each[0]},
    }  # fmt: skip
    text = template.render({"job": job.title, "candidates": candidates})
    return PromptDraft(f"{design.key}/{job.key}/{repeat + 1}", text, design.key, job.key, fields=fields)


def _facts(design: Design, job: Job, repeat: int, candidates: int) -> Iterator[str]:
    """Yield all facts for each candidate, in an order and in wordings of its own."""
    for place in range(candidates):
        parts = (design.seed, job.key, repeat, place)
        order = shuffled(range(len(job.facts)), *parts)
        yield " ".join(shuffled(job.facts[fact], *parts, fact)[0] for fact in order)
