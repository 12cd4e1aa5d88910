"""One rater's fingerprint: what was chosen on each axis, what chance would give, and both in plain words. Light."""

from core.judging.fingerprint.result import AxisChoice, AxisTest, Beside, Fingerprint, Interval, Seeing, ShareOfChoices

__all__ = ["AxisChoice", "AxisTest", "Beside", "Fingerprint", "Interval", "Seeing", "ShareOfChoices"]
