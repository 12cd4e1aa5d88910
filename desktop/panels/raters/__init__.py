"""The raters panel: who judged, how well raters agree, packets out and in, conflicts and adjudication.

`panel.RatersPanel` is the front door.
"""
