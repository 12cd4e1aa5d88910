"""Makes docs/screenshots anew: python docs/make_screenshots.py, with the project's own environment. Takes a minute.

They are the pictures that README.md and the tutorials show: of the main job as a script does it, and of the sample.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCREENSHOTS = ROOT / "docs" / "screenshots"
MAIN_JOB = ROOT / "tests" / "e2e" / "main_job.py"
OF_MAIN_JOB = ("judge-start.png", "judge-reveal.png")
SCREEN = {"name": "screen", "x": 0, "y": 0, "width": 1282, "height": 836}  # a window of 1280 × 800, and its frame


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="biasprint-") as name:
        folder, pictures = Path(name), Path(name) / "pictures"
        screens = folder / "screens.json"
        screens.write_text(json.dumps({"screens": [SCREEN]}), encoding="utf-8")
        # A home of its own: nobody's recent projects are on the pictures.
        os.environ |= {"BIASPRINT_HOME": str(folder / "home"), "QT_QPA_PLATFORM": f"offscreen:configfile={screens}"}
        pictures.mkdir()
        subprocess.run([sys.executable, str(MAIN_JOB), name, str(pictures)], check=True)
        shutil.rmtree(SCREENSHOTS)
        SCREENSHOTS.mkdir()
        for picture in OF_MAIN_JOB:
            shutil.copy(pictures / picture, SCREENSHOTS)
        sample_picture(folder)
    for made in sorted(SCREENSHOTS.iterdir()):
        print(made.relative_to(ROOT))


def sample_picture(folder: Path) -> None:
    """The first comparison of the sample project."""
    sys.path.insert(0, str(ROOT / "core" / "python"))
    from biasprint.core.runs.sample import unpack_sample
    from biasprint.desktop.headless import offscreen_window

    sample = folder / "Sample.biasprint"
    unpack_sample(sample)
    with offscreen_window(sample) as (window, settle):
        window.settings.set("theme", "light")
        window.show_panel("judge")
        settle()
        window.panels["judge"].start.start.click()
        settle()
        window.grab().save(str(SCREENSHOTS / "judge-sample-light.png"), "PNG", 0)


if __name__ == "__main__":
    main()
