"""Pictures of the screen, compared with those that somebody looked at and approved.

Approved pictures are half as large and have few colours: enough to see what is where. They are compared coarsely, so
that the smoothing of letters does not matter; a line of text that moved, came or went does.
"""

from pathlib import Path

import numpy as np
from accessible import Box
from display import Pixels
from PIL import Image

APPROVED = Path(__file__).parent / "approved"
COLOURS = 128
SCALE = 2  # approved pictures are smaller by this
COARSE = 4  # pixels of an approved picture that are compared as one
DIFFERENT = 20  # of 255: from here on a coarse pixel is another
SHARE_ALLOWED = 0.002
GREY = 128


def check_picture(picture: Pixels, name: str, *, approve: bool, failures: Path, without: tuple[Box, ...] = ()) -> None:
    """Compare a picture with the approved one; approve it instead where that is asked for.

    `without`: what is different every time, such as a date. A picture that differs is kept in `failures`, beside one
    with the differences in red.
    """
    shown = picture.copy()
    for left, top, width, height in without:
        shown[max(0, top) : top + height, max(0, left) : left + width] = GREY
    now = smaller(shown)
    file = APPROVED / f"{name}.png"
    if approve:
        APPROVED.mkdir(exist_ok=True)
        Image.fromarray(now).quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
        return
    assert file.exists(), f"Nobody has approved a picture “{name}” yet: pytest tests/window --approve"
    approved = np.asarray(Image.open(file).convert("RGB"))
    assert approved.shape == now.shape, f"“{name}” has another size than the approved picture."
    different = np.abs(coarse(now) - coarse(approved)).max(axis=2) > DIFFERENT
    if different.mean() > SHARE_ALLOWED:
        failures.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(failures / f"{name}.png")
        marked = now.copy()
        squares = np.kron(different, np.ones((COARSE, COARSE), bool))
        marked[: squares.shape[0], : squares.shape[1]][squares] = (220, 0, 0)
        Image.fromarray(marked).save(failures / f"{name}-difference.png")
        raise AssertionError(
            f"{different.mean():.1%} of “{name}” differs from the approved picture. See {failures}/{name}.png and "
            f"{name}-difference.png; if it is right: pytest tests/window --approve"
        )


def smaller(picture: Pixels) -> Pixels:
    height, width, _ = picture.shape
    return np.asarray(Image.fromarray(picture).resize((width // SCALE, height // SCALE), Image.Resampling.BOX))


def coarse(picture: Pixels) -> np.ndarray:
    """The means of squares, as whole numbers that can be subtracted."""
    height, width = (length // COARSE * COARSE for length in picture.shape[:2])
    squares = picture[:height, :width].reshape(height // COARSE, COARSE, width // COARSE, COARSE, 3)
    return squares.mean(axis=(1, 3)).astype(np.int16)
