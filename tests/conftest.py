"""Every test runs without a display, without the network's model hub, and in a home of its own."""

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import warm_children

if TYPE_CHECKING:  # tests without a window do not load Qt
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

# Before any test module is collected: Qt and platformdirs read these when they are imported.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# No test reads or writes the key ring of whoever runs it.
os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
# Compiled modules are kept, even for who forbids it otherwise: the tests start the program hundreds of times.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
if "PYTEST_XDIST_WORKER" in os.environ:
    # Tests side by side share the cores: the threads of two models wait for each other, and torch's wait by spinning.
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

MEMORY, ROOM_BYTES = Path("/dev/shm"), 4 << 30
HOME_VARIABLES = {
    "HOME": "",
    "USERPROFILE": "",
    "APPDATA": "AppData/Roaming",
    "LOCALAPPDATA": "AppData/Local",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
    "XDG_STATE_HOME": ".local/state",
    "XDG_RUNTIME_DIR": ".run",
}


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Keep temporary files in memory where there is room: waiting for the disk took most of the time of many tests.

    Benchmarks and soak tests stay on the disk: they are about what it does.
    """
    ordinary = config.option.markexpr == "not soak and not bench"
    room = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM_BYTES
    if ordinary and room and config.option.basetemp is None:
        folder = tempfile.mkdtemp(prefix="biasprint-tests-", dir=MEMORY)
        config.option.basetemp = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: no collection of garbage need look through them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of all home folders, with the one in which is made what tests share: also that leaves no trace."""
    folder = tmp_path_factory.mktemp("homes")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("BIASPRINT_HOME", raising=False)
        move_home(patch, folder / "shared")
        if warm_children.possible():
            warm_children.prepare()
        yield folder


@pytest.fixture
def qtbot(qapp: "QApplication", request: pytest.FixtureRequest) -> "QtBot":
    """The library's, which waits less between two looks."""
    from waiting import Bot

    return Bot(request)


@pytest.fixture(autouse=True)
def own_home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh home folder, so that no test reads or writes the settings of whoever runs it."""
    home = Path(tempfile.mkdtemp(dir=homes))  # tmp_path_factory would look through all the others for its number
    move_home(monkeypatch, home)
    return home


def move_home(patch: pytest.MonkeyPatch, home: Path) -> None:
    for variable, folder in HOME_VARIABLES.items():
        place = home / folder
        place.mkdir(parents=True, exist_ok=True, mode=0o700)  # Qt refuses a runtime folder that others can read
        patch.setenv(variable, str(place))
