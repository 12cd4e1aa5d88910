"""Reference letters for the window: listed, chosen, made from a folder or from a pile that was read, and removed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core.jobs import JobContext
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from biasprint.core.letters.pile import Pile
    from biasprint.core.letters.reference_sets import MadeReference
    from biasprint.core.letters.references import Listed


@dataclass(frozen=True)
class ReferenceSets:
    """The sets as they stand. `in_use`: the one that letters are compared with; `told`: of the last step."""

    listed: "tuple[Listed, ...]"
    in_use: str
    told: tuple[str, ...] = ()


def see_references() -> Operation[ReferenceSets]:
    def work(ctx: JobContext) -> ReferenceSets:
        return _as_they_stand()

    return Operation(tr("Looking which reference letters there are"), work, quiet=True)


def use_reference(name: str) -> Operation[ReferenceSets]:
    """Compare with this set from now on."""

    def work(ctx: JobContext) -> ReferenceSets:
        from biasprint.core.letters.references import use

        use(name)
        return _as_they_stand()

    return Operation(tr("Choosing reference letters"), work, quiet=True)


def remove_reference(name: str) -> Operation[ReferenceSets]:
    def work(ctx: JobContext) -> ReferenceSets:
        from biasprint.core.letters.references import remove

        remove(name)
        return _as_they_stand()

    return Operation(tr("Removing reference letters"), work, quiet=True)


def make_reference(*, folder: Path, name: str, occupation: str) -> Operation[ReferenceSets]:
    """A set from the letters of a folder or zip; it is used from then on."""

    def work(ctx: JobContext) -> ReferenceSets:
        from biasprint.core.compute import shared
        from biasprint.core.letters.reference_sets import make_reference_from_pile

        hint = tr("Say above what the candidates are.")
        return _used(make_reference_from_pile(ctx, folder, name, shared(), occupation=occupation, hint=hint))

    return Operation(tr("Making reference letters"), work)


def keep_pile_as_reference(*, pile: "Pile", name: str, occupation: str) -> Operation[ReferenceSets]:
    """A set from the rows of a pile that was read, as they stand; it is used from then on."""

    def work(ctx: JobContext) -> ReferenceSets:
        from biasprint.core.letters.reference_sets import reference_of_pile

        rows = tuple(replace(row, occupation=occupation or row.occupation) for row in pile.rows)
        hint = tr("Say above what the candidates are.")
        return _used(reference_of_pile(replace(pile, rows=rows), name, hint=hint))

    return Operation(tr("Making reference letters"), work)


def _used(made: "MadeReference") -> ReferenceSets:
    from biasprint.core.letters.references import use

    found = made.reference
    use(found.name)
    said = tr("“{name}” has the figures of {letters} for {what}. New readings are compared with it.")
    count = plural(len(found.letters), "1 letter", "%n letters")
    told = [said.format(name=found.name, letters=count, what=", ".join(found.occupations))]
    told += [_left_out(made.dropped)] if made.dropped else []
    return _as_they_stand(tuple(told))


def _left_out(dropped: Mapping[str, int]) -> str:
    return tr("Left out: {what}.").format(what=", ".join(f"{count:,} ({why})" for why, count in dropped.items()))


def _as_they_stand(told: tuple[str, ...] = ()) -> ReferenceSets:
    from biasprint.core.letters.references import in_use, references

    return ReferenceSets(references(), in_use(), told)
