"""Plots of moving data, thousands of points and exploration, on pyqtgraph; only this room imports it.

`plot.Plot` is the widget (zoom, pan, crosshair, marking, keys, menu); `card.PlotCard` puts it on a card with its legend
and its export. What is drawn on one: `band.LiveBand`, `band.Region`, `cloud.Cloud`, `cloud.HeatCells`.
Figures of findings are drawn by `biasprint.desktop.charts`.
"""
