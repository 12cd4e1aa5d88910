"""Prompts in which a candidate of every group, equal in all facts, is to be put in order."""

from collections.abc import Iterator

from biasprint.core.prompts.axes import Axis
from biasprint.core.prompts.designs.design import (
    SEPARATOR,
    Design,
    Job,
    PairsLayout,
    PairTopic,
    RankingLayout,
    shuffled,
)
from biasprint.core.prompts.designs.people import as_fields, asked_axis
from biasprint.core.prompts.drafts import PromptDraft
from biasprint.core.prompts.template import Template

# ---- Prompts that give words or tasks to two groups


def pair_prompts(design: Design) -> list[PromptDraft]:
    """Every topic of the design in every order."""
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
    """Two items change places after every two orders, so that places of groups and items are balanced; more are
    shuffled."""
    items = [*topic.x, *topic.y]
    if len(items) == 2:
        return items if order // 2 % 2 == 0 else items[::-1]
    return shuffled(items, design.seed, topic.key, order // 2)


def ranking_prompts(design: Design, layout: RankingLayout) -> tuple[Axis, list[PromptDraft]]:
    """The axis, and every job of the design in every repeat."""
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
    """For each candidate all facts, in an order and in wordings of its own."""
    for place in range(candidates):
        parts = (design.seed, job.key, repeat, place)
        order = shuffled(range(len(job.facts)), *parts)
        yield " ".join(shuffled(job.facts[fact], *parts, fact)[0] for fact in order)
