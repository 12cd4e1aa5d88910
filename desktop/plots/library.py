"""The set-up of pyqtgraph: every other module of this room imports it from here."""

from biasprint.desktop.plots import loading

loading.finish()

import pyqtgraph as pg  # noqa: E402 -- in steps above

pg.setConfigOptions(antialias=True, exitCleanup=False)

__all__ = ["pg"]
