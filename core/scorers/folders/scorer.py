"""What scorers with a model from a folder have in common: which model, its hash, and whether it is the paper's own."""

from core.errors import AppError
from core.machine.models.installed import InstalledModel
from core.scorers.folders.device import in_words
from core.scorers.folders.held import device_of
from core.scorers.folders.where import needed, papers_own


class FolderScorer:
    """Which model it loads can change while the program runs, so what it says of itself is looked up each time.

    `stand_in` is False only for the very model that a paper used; any other one that fills the role stands in for it.
    """

    role = ""
    name = ""
    rules = ""  # how texts are read; changes whenever the same text could get other numbers
    papers = ""  # what the paper used, in words

    @property
    def unavailable(self) -> str:
        """Why it cannot be used now; empty where it can."""
        try:
            self.model()
        except AppError as error:
            return str(error)
        return ""

    @property
    def version(self) -> str:
        model = self._found()
        return f"{model.name} {model.sha256[:12]}; {self.rules}" if model else ""

    @property
    def sha256(self) -> str | None:
        model = self._found()
        return model.sha256 if model else None

    @property
    def stand_in(self) -> bool:
        model = self._found()
        return model is not None and not papers_own(model)

    @property
    def note(self) -> str:
        """What it is; and on what it computes, once it is loaded in this process."""
        model = self._found()
        if model is None:
            return f"{self.papers[:1].upper()}{self.papers[1:]}."
        own = not self.stand_in
        said = f"{model.title}: {self.papers}." if own else f"{model.title}, here in the place of {self.papers}."
        device = device_of(self.role)
        return f"{said} It computes on {in_words(device)}." if device else said

    def model(self) -> InstalledModel:
        """Raises `AppError` where no model for the role is on this computer."""
        return needed(self.role)

    def _found(self) -> InstalledModel | None:
        try:
            return self.model()
        except AppError:
            return None
