"""Pictures of every panel and every page of it, in each look: python tests/looks.py FOLDER [look …].

A look is a theme, a direction, a text size and a size of the window, such as `dark`, `rtl`, `contrast-1024x700` or
`light-1024x700-200`. Each is drawn off screen from the sample project; a sheet of all is made beside them.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from biasprint.desktop.main_window import MainWindow

LOOKS = tuple(f"{kind}-{size}" for size in ("1440x900", "1024x700") for kind in ("light", "dark", "contrast", "rtl"))
SCALED = tuple(f"light-1024x700-{percent}" for percent in (80, 150, 200))


def pages(window: "MainWindow", settle: Callable[[], None]) -> Iterator[tuple[str, "QWidget"]]:
    """Go through every panel, and through every page that a panel's tabs lead to; give its name."""
    from PySide6.QtWidgets import QTabBar

    for key in window.rail.shown():
        window.show_panel(key)
        settle()
        panel = window.panels[key]
        bars = [bar for bar in panel.findChildren(QTabBar) if bar.isVisible() and bar.count() > 1]
        if not bars:
            yield key, panel
            continue
        bar = bars[0]
        first = bar.currentIndex()
        for tab in range(bar.count()):
            if bar.isTabVisible(tab):
                bar.setCurrentIndex(tab)
                settle()
                yield f"{key}-{tab}", panel
        bar.setCurrentIndex(first)


def dress(window: "MainWindow", look: str) -> None:
    """Give the window one look; its direction is that of the process."""
    kind, size, *more = look.split("-") if "x" in look else (look, "1440x900")
    width, height = map(int, size.split("x"))
    window.settings.set("theme", "light" if kind == "rtl" else kind)
    window.settings.set("font_percent", int(more[0]) if more else 100)
    window.resize(width, height)


def draw(folder: Path, looks: list[str], direction: str) -> None:
    """Draw some looks, which have one direction, in a process that runs in it from the start."""
    with tempfile.TemporaryDirectory(prefix="biasprint-") as home:
        os.environ |= {"BIASPRINT_HOME": home, "QT_QPA_PLATFORM": "offscreen", "BIASPRINT_DIRECTION": direction}
        from biasprint.core.runs.sample import unpack_sample
        from biasprint.desktop.headless import offscreen_window

        sample = Path(home) / "Sample.biasprint"
        unpack_sample(sample)
        with offscreen_window(sample) as (window, settle):
            for look in looks:
                dress(window, look)
                settle()
                for name, _ in pages(window, settle):
                    window.grab().save(str(folder / f"{look}-{name}.png"))


def main(folder: Path, looks: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    turned = [look for look in looks if look.startswith("rtl")]
    for some, direction in ((turned, "rtl"), ([look for look in looks if look not in turned], "ltr")):
        if some:
            drawing = get_context("spawn").Process(target=draw, args=(folder, some, direction))
            drawing.start()
            drawing.join()
    for look in looks:
        files = sorted(map(str, folder.glob(f"{look}-[a-z]*.png")))
        sheet = str(folder / f"SHEET-{look}.png")
        subprocess.run(["montage", *files, "-label", "%t", "-tile", "4x", "-geometry", "640x+6+6", sheet], check=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or [*LOOKS, *SCALED])
