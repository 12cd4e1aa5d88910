"""What the tests of `import biasprint` share."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDERS = ("core", "desktop", "resources", "models")


@pytest.fixture(scope="session")
def installed_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for packages as pip leaves it: the program, and another package that owns `core` and `models`."""
    site = tmp_path_factory.mktemp("site")
    ours = site / "biasprint"
    ours.mkdir()
    for file in (ROOT / "core" / "python" / "biasprint").glob("*.py"):
        (ours / file.name).write_bytes(file.read_bytes())
    for folder in FOLDERS:
        (ours / folder).symlink_to(ROOT / folder, target_is_directory=True)
    for name in ("core", "models"):
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(f"OWNER = 'somebody else, {name}'\n")
    (site / "core" / "findings.py").write_text("Finding = 'theirs'\n")
    return site
