"""Prompts that ask the same of every group: rows × templates × forms × ages × identities of an axis."""

from collections.abc import Iterator
from itertools import product

from biasprint.core.errors import AppError
from biasprint.core.prompts.axes import Axis, Identity, load_axis
from biasprint.core.prompts.designs.design import Design, PeopleLayout
from biasprint.core.prompts.drafts import PromptDraft
from biasprint.core.prompts.template import Template


def people_prompts(design: Design, layout: PeopleLayout) -> tuple[Axis, list[PromptDraft]]:
    """The axis, and every prompt of the design."""
    axis = asked_axis(layout.axis)
    return axis, list(_prompts(design, layout, axis))


def asked_axis(key: str) -> Axis:
    """The axis of a design; crossed or not, each identity needs names. Raises `AppError`."""
    axis = load_axis(key)
    for identity in axis.identities:
        if not identity.names:
            raise AppError(
                f"The axis {axis.key} has no names for {identity.label}, and the design needs some.",
                hint="Add names to the axis file, or cross it with a set of names.",
            )
    return axis


def groups_of(axis: Axis, identity: Identity) -> dict[str, str]:
    """Axis id → the identity's key there; of a crossed axis for each of its two."""
    return dict(zip(axis.crosses, identity.of, strict=True)) or {axis.id: identity.key}


def as_fields(axis: Axis, identity: Identity) -> dict[str, str]:
    """The fields by which replies are grouped; `group` and `second_group` are what a table calls the first two."""
    groups = groups_of(axis, identity)
    return {**groups, **dict(zip(("group", "second_group"), groups.values(), strict=False))}


def _prompts(design: Design, layout: PeopleLayout, axis: Axis) -> Iterator[PromptDraft]:
    templates = {name: Template(text) for name, text in layout.templates.items()}
    forms = {name: Template(text).require(("name", "identity", "age")) for name, text in layout.forms.items()}
    ages = tuple(map(str, layout.ages)) or ("",)
    for (name, template), (form, said), (number, row) in product(
        templates.items(), forms.items(), enumerate(layout.rows)
    ):
        key = row.get("key", str(number + 1))
        template.require(("who", "name", *row))
        for age, identity in product(ages, axis.identities):
            # Everybody's name moves on by one from row to row, and from age to age.
            given = identity.names[(number + ages.index(age)) % len(identity.names)]
            who = said.render({"name": given, "identity": identity.phrase, "age": age})
            block = "/".join(part for part in (name, form, key) if part)
            fields = {
                **{column: cell for column, cell in row.items() if column != "key"},
                **as_fields(axis, identity),
                "design": design.key, "reads": design.reads, "template": name, "form": form, "block": block,
                "pronouns": identity.pronouns, **({"age": age} if age else {}),
                **({"name": given} if "name" in (*said.names, *template.names) else {}),
            }  # fmt: skip
            yield PromptDraft(
                key="/".join(part for part in (design.key, block, age, identity.key) if part),
                text=template.render({**row, "who": who, "name": given}),
                task=design.key, theme=key, axis=axis.id, identity=identity.key, fields=fields,
            )  # fmt: skip
