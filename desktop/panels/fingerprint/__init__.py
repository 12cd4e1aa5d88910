"""The fingerprint panel: the leanings of raters and models in what they chose, side by side.

`panel.FingerprintPanel` is the front door; the workshop shows a participant `view`, the same picture.
"""
