"""The judge panel: draw a blind set of comparisons, judge it with the keyboard, reveal it, or judge a packet.

`panel.JudgePanel` is the front door. The workshop and the raters panel use `work.WorkPage` (the comparison in hand),
`control.JudgeControl` (the session behind it) and `end.ShareBar`.
"""
