"""The packages that the program stands on, and their licences, as their own metadata states them.

Read at run time, from the source and in the package alike: `build.spec` takes every package's metadata along, with the
texts of the licences in it.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata

from biasprint import core
from biasprint.core.machine.installation.declared import normalized, stands_alone

# The extras, for building and testing, do not come with the program.
SHIPPED = ("biasprint",)
LONGEST_NAME = 60  # a longer licence field holds a text, not a name
# What metadata calls its licence, where that is no SPDX identifier. "BSD" leaves open which of its forms is meant.
SPDX = {
    "2-clause BSD": "BSD-2-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
PAGE = """\
Biasprint {version}
{here}

Licensed under the Apache License 2.0, except the parts below, which keep their own licences. The text of a package's \
licence lies in the folder of its metadata, next to the package.

Qt, with its binding for Python, is used under the LGPL 3.0, gensim under the LGPL 2.1 and fpdf2 under the LGPL 3.0. \
They are used unchanged, and lie as files of their own in folders PySide6, shiboken6, gensim and fpdf: whoever has the \
program may replace them by other versions. Their sources: https://download.qt.io, \
https://github.com/piskvorky/gensim, https://github.com/py-pdf/fpdf2.

The typeface Inter is under the SIL Open Font License 1.1; what a PDF has in other scripts is drawn in DejaVu Sans, \
under the licence of Bitstream Vera, and in Droid Sans Fallback, under the Apache License 2.0: their texts lie in \
resources/fonts. Python is under the PSF License. The weights of all-MiniLM-L6-v2 are under the Apache License 2.0; \
other models are listed with their licences under Models.

With a packaged program comes bill-of-materials.cdx.json (CycloneDX): every package and file of weights with its hash.

{packages}
"""


@dataclass(frozen=True)
class PackageLicence:
    """A package as it is installed. `licence`: SPDX where its metadata says it so that this can be known."""

    name: str
    version: str
    licence: str


def packages(requirements: Iterable[str] = SHIPPED) -> tuple[PackageLicence, ...]:
    """What is installed of the requirements, and of what they require in turn, by name; the program is left out.

    What a package requires that is installed without it (`stands_alone`) is not followed.
    """
    found = _installed(requirements)
    found.pop("biasprint", None)
    return tuple(PackageLicence(name, found[name]["Version"], licence_of(found[name])) for name in sorted(found))


def licence_of(stated: PackageMetadata) -> str:
    """Its licence expression, else its licence field where that is a name, else its classifiers; "" where all lack."""
    named: str = [*stated.get_all("License-Expression", []), *stated.get_all("License", []), ""][0].strip()
    if (named and len(named) <= LONGEST_NAME) or "License-Expression" in stated:
        return SPDX.get(named, named)
    classifiers = [each for each in stated.get_all("Classifier", []) if each.startswith("License :: ")]
    names = (each.rpartition(" :: ")[2] for each in classifiers)
    return " AND ".join(SPDX.get(name, name) for name in names)


def page(here: str = "", requirements: Iterable[str] = SHIPPED) -> str:
    """The page about the program: its licence, those of its parts, and what the LGPL asks to be said.

    `here`: lines on this computer, below the program's name. `requirements`: what a package of the program is made of.
    """
    lines = (f"{one.name} {one.version}: {one.licence or 'not stated'}" for one in packages(requirements))
    return PAGE.format(version=core.__version__, here=here, packages="\n".join(lines))


def _installed(requirements: Iterable[str]) -> dict[str, PackageMetadata]:
    from packaging.requirements import Requirement

    waiting = [(Requirement(each), "") for each in requirements]
    found: dict[str, PackageMetadata] = {}
    asked: set[tuple[str, str]] = set()
    while waiting:
        requirement, of_extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": of_extra}):
            continue
        name = normalized(requirement.name)
        new = {"", *requirement.extras} - {extra for known, extra in asked if known == name}
        asked |= {(name, extra) for extra in new}
        if name not in found:
            with suppress(PackageNotFoundError):  # an extra that is not installed here
                found[name] = metadata(name)
        if new and name in found and not stands_alone(name):
            needed = [Requirement(each) for each in found[name].get_all("Requires-Dist", [])]
            waiting += [(each, extra) for extra in new for each in needed]
    return found
