"""Prompts in which words or tasks are given to two groups, each topic in balanced orders."""

from collections.abc import Iterator

from biasprint.core.prompts.designs.design import SEPARATOR, Design, PairsLayout, PairTopic, shuffled
from biasprint.core.prompts.drafts import PromptDraft
from biasprint.core.prompts.template import Template


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
