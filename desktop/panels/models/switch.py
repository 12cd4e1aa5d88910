"""The offline switch as a check box: in the settings and in the models panel, always in the same state."""

from PySide6.QtWidgets import QCheckBox

from biasprint.desktop.operations.writers import Connections, why_offline
from biasprint.desktop.widgets import tr
from biasprint.desktop.widgets.safe_text import safe_tip


class OfflineSwitch(QCheckBox):
    """The switch. A change takes effect at once, for every window and command of this user."""

    def __init__(self, connections: Connections, text: str = "") -> None:
        super().__init__(text or tr("On"))
        self._connections = connections
        self.setAccessibleName(tr("Offline switch"))
        self.clicked.connect(connections.switch)
        connections.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        """Show the state of the switch, and why it cannot be changed, if so."""
        connections = self._connections
        self.setChecked(connections.offline)
        self.setEnabled(connections.by is not None and not connections.fixed)
        words = tr("While it is on, the program attempts no connection: nothing is got and no endpoint is asked.")
        self.setToolTip(safe_tip(tr(why_offline(connections) if connections.fixed else words)))
        self.setAccessibleDescription(self.toolTip())
