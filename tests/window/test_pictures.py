"""What the comparison of pictures notices, and what it lets pass."""

from pathlib import Path

import numpy as np
import pytest
from display import Pixels
from pictures import APPROVED, check_picture
from PIL import Image, ImageFilter

NAME = "panel-judge"


@pytest.fixture
def screen() -> Pixels:
    """A screen as it was approved, at its full size."""
    picture = Image.open(APPROVED / f"{NAME}.png").convert("RGB")
    return np.asarray(picture.resize((picture.width * 2, picture.height * 2), Image.Resampling.NEAREST))


def test_letters_that_are_smoothed_otherwise_pass(screen: Pixels, tmp_path: Path) -> None:
    smoothed = np.asarray(Image.fromarray(screen).filter(ImageFilter.GaussianBlur(0.7)))
    check_picture(smoothed, NAME, approve=False, failures=tmp_path)


@pytest.mark.parametrize(
    ("what", "box", "down"),
    [
        ("a button that is lower by some pixels", (258, 232, 59, 31), 12),
        ("a line that is gone", (258, 195, 470, 30), 400),
    ],
)
def test_what_moved_is_noticed(screen: Pixels, tmp_path: Path, what: str, box: tuple[int, ...], down: int) -> None:
    left, top, width, height = box
    moved = screen.copy()
    part = moved[top : top + height, left : left + width].copy()
    moved[top : top + height, left : left + width] = 255
    moved[top + down : top + down + height, left : left + width] = part
    with pytest.raises(AssertionError, match=r"differs from the approved picture"):
        check_picture(moved, NAME, approve=False, failures=tmp_path)
    assert (tmp_path / f"{NAME}-difference.png").exists(), what
