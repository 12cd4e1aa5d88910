"""The house list for the window: seen, added to, taken from, imported and exported, all off the window's thread."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from biasprint.core.letters.house import HouseEntry, HouseList


_keeping = RLock()  # two steps at once would lose what one of them changed


@dataclass(frozen=True)
class House:
    """The list as it stands. `titles`: category → its title; `told`: what a person should know of the last step."""

    found: "HouseList"
    titles: Mapping[str, str]
    told: tuple[str, ...] = ()


def see_house_list() -> Operation[House]:
    """The list of this computer, with each line of its file that could not be used."""

    def work(ctx: JobContext) -> House:
        from biasprint.core.letters.house import house_list

        read = house_list()
        return _house(read.found, read.left_out)

    return Operation(tr("Reading the house list"), work, quiet=True)


def add_to_house_list(*, words: str, what: str, category: str, reason: str) -> Operation[House]:
    """One entry more, in place of one with the same words and category."""

    def work(ctx: JobContext) -> House:
        from biasprint.core.letters.house import entry

        try:
            made = entry(words, what, category, reason)
        except UsageError as error:
            raise UsageError(tr("That cannot be added: {why}.").format(why=error.message)) from error
        return _changed(lambda entries: [*(one for one in entries if not _same(one, made)), made])

    return Operation(tr("Keeping the house list"), work, quiet=True)


def take_from_house_list(gone: "HouseEntry") -> Operation[House]:
    """One entry less."""

    def work(ctx: JobContext) -> House:
        return _changed(lambda entries: [one for one in entries if not _same(one, gone)])

    return Operation(tr("Keeping the house list"), work, quiet=True)


def import_house_list(path: Path) -> Operation[House]:
    """The entries of a file beside those that there are; where both have one for the same words, the file's is used."""

    def work(ctx: JobContext) -> House:
        from biasprint.core.letters.house import house_list, read_list

        read = read_list(path)
        given = read.found.entries
        with _keeping:
            before = house_list().found.entries
            new = [one for one in given if one not in before]
            return _changed(
                lambda entries: [*(one for one in entries if not any(_same(one, other) for other in new)), *new],
                (*_imported(len(new), len(given) - len(new)), *read.left_out),
            )

    return Operation(tr("Importing a house list"), work, quiet=True)


def _imported(new: int, there: int) -> tuple[str, ...]:
    told = [plural(new, "1 entry was imported.", "%n entries were imported.")] if new else []
    if there:
        told.append(plural(there, "1 entry was on the list already.", "%n entries were on the list already."))
    return tuple(told) or (tr("The file has no entries."),)


def export_house_list(path: Path) -> Operation[Path]:
    """Write the list to a file that others can import."""

    def work(ctx: JobContext) -> Path:
        from biasprint.core.letters.house import house_list, write_list

        write_list(path, house_list().found)
        return path

    return Operation(
        tr("Exporting the house list"), work, lambda saved: tr("Saved as “{name}”").format(name=saved.name)
    )


def _changed(change: "Callable[[tuple[HouseEntry, ...]], list[HouseEntry]]", told: tuple[str, ...] = ()) -> House:
    from biasprint.core.letters.house import HouseList, house_list, keep

    with _keeping:
        found = HouseList(tuple(change(house_list().found.entries)))
        keep(found)
    return _house(found, told)


def _house(found: "HouseList", told: tuple[str, ...]) -> House:
    from biasprint.core.letters.categories import categories

    return House(found, {one.key: one.title for one in categories().values()}, told)


def _same(one: "HouseEntry", other: "HouseEntry") -> bool:
    return (one.words, one.category) == (other.words, other.category)
