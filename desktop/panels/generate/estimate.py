"""What a run may use, said before it is begun: tokens, money by the user's own prices, time at the speed known here."""

from typing import TYPE_CHECKING

from desktop.jobs import JobHandle
from desktop.operations.generating_estimate import Facts, Plan, estimated, read_facts
from desktop.operations.generating_runs import WriteRequest
from desktop.panels.base import Shell
from desktop.widgets import Label, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_tip

if TYPE_CHECKING:
    pass

Key = tuple[int, str, str]  # prompt set, backend, model


class EstimateLine(Label):
    """One or two sentences, and how they were counted as its tooltip. Prompts are counted in a job, once for a set."""

    def __init__(self, shell: Shell) -> None:
        super().__init__("", "note", wrap=True)
        self._shell = shell
        self._facts: dict[Key, Facts] = {}
        self._counted: dict[int, tuple[int, int]] = {}  # prompts and tokens by prompt set
        self._wanted: tuple[Key, Plan] | None = None
        self._job: JobHandle | None = None
        show_if(self, False)

    def show_for(self, request: WriteRequest | None, plan: Plan | None) -> None:
        """Estimate this; None where nothing is chosen."""
        self._wanted = None
        if request is not None and plan is not None:
            self._wanted = ((request.prompt_set_id, request.backend, request.model), plan)
        self._show()

    def forget(self) -> None:
        """Another project: what was counted holds no longer."""
        self._facts, self._counted = {}, {}

    def time_anew(self) -> None:
        """New texts: it is known anew how fast a model is."""
        self._facts = {}

    def _show(self) -> None:
        facts = self._facts.get(self._wanted[0]) if self._wanted is not None else None
        if self._wanted is not None and facts is None:
            self._read(self._wanted[0])
        estimate = estimated(facts, self._wanted[1]) if facts is not None and self._wanted is not None else None
        self.setText(estimate.words if estimate is not None else "")
        self.setToolTip(safe_tip(estimate.how) if estimate is not None else "")
        self.setAccessibleDescription(estimate.how if estimate is not None else "")
        show_if(self, estimate is not None)

    def _read(self, key: Key) -> None:
        project = self._shell.project
        if project is None or (self._job is not None and self._job.active):
            return  # what is wanted by then is read next

        def done(facts: Facts) -> None:
            if project is self._shell.project:
                self._facts[key] = facts
                self._counted[key[0]] = (facts.prompts, facts.tokens)
                self._show()

        counted = self._counted.get(key[0])
        self._job = self._shell.jobs.start(
            tr("Estimating"), lambda ctx: read_facts(ctx, project, *key, counted), on_done=done, quiet=True
        )
