"""Where the program keeps what is its own: the user's data folder, or `BIASPRINT_HOME`."""

import os
from pathlib import Path

import platformdirs


def home() -> Path:
    """The program's data folder; made when first needed."""
    chosen = os.environ.get("BIASPRINT_HOME")
    folder = Path(chosen) if chosen else platformdirs.user_data_path("biasprint", appauthor=False)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
