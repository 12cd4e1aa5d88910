"""`prepare` installs what is not there yet, part by part; what fails is said, and the rest goes on."""

import importlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.installation import declared, pins, pip, state
from biasprint.core.machine.installation.declared import ROOT, ProgramPart, is_source, normalized, parts, requirements
from biasprint.core.machine.installation.state import InstallationNotes, InstalledPackages, PartState, note

KEPT = "What is installed works, and what was fetched is kept."
Told = Callable[[PartState], None]
_OFFLINE_SECONDS = 1.0


def why_not() -> str:
    """Return why nothing can be installed here; empty where pip can try."""
    if getattr(sys, "frozen", False):
        return "a packaged program cannot be added to: get a package that has it"
    if find_spec("pip") is None:
        return "this Python has no pip"
    if not os.access(state.site_packages(), os.W_OK):
        return "the environment of the program may not be written"
    return ""


def prepare(ctx: JobContext, report: Told, only: Sequence[str] = (), *, add: Sequence[str] = ()) -> None:
    """Install every part that is not ready, in order, or `only` those whose ids are given; `report` is called with each
    change.

    The light edition leaves parts out: those that are named by `only` or `add` belong to it from now on.

    Reports megabytes, about. A part that fails is reported as failed, and the others go on; it is tried again the next
    time. Cancelling ends pip with all that it started, within two seconds. While another window or command installs,
    this waits, and reports what that one does.

    Raises `AppError` where nothing can be installed: the offline switch, no network, a full disk, no pip.
    """
    if not _unfinished(only, add):
        return
    if reason := why_not():
        raise AppError(f"The rest of the program cannot be installed here: {reason}.", kept=KEPT)
    with declared.waited_for(sys.prefix, _watching(ctx, report)) as locked:
        left_out = InstallationNotes.read().left_out
        note(working="", left_out=sorted(left_out.difference(only, add)))
        remove_broken(state.site_packages())
        work = _Work(ctx, report, locked, only)
        for part in _unfinished(only):
            work.do(part)


def _unfinished(only: Sequence[str], add: Sequence[str] = ()) -> list[ProgramPart]:
    notes, installed = InstallationNotes.read(), InstalledPackages()
    ids = only or [*add, *(part.id for part in state.wanted(notes))]
    asked = [part for part in parts() if part.id in ids]
    return [part for part in asked if not state.is_ready(part, notes, installed)]


def _watching(ctx: JobContext, report: Told) -> Callable[[], None]:
    """Return a function that reports the progress of another window or command that installs."""
    seen: dict[str, PartState] = {}

    def look() -> None:
        ctx.check()
        for each in state.status():
            if seen.get(each.part.id) != each:
                report(each)
                seen[each.part.id] = each
        ctx.report(0, note="Another window or command of the program is installing it.")

    return look


def remove_broken(site: Path) -> None:
    """Take away the metadata of packages that were cut short, so that pip installs them again, over what is there."""
    for folder in [*site.glob("*.dist-info"), *site.glob("~*")]:  # pip sets aside what it replaces under a name with ~
        if folder.name.startswith("~") or not state.is_whole(folder):
            shutil.rmtree(folder, ignore_errors=True)


class _Work:
    """One installation: the part that is being installed, and how it is reported."""

    def __init__(self, ctx: JobContext, report: Told, locked: IO[bytes], only: Sequence[str]) -> None:
        self._ctx, self._told, self._locked = ctx, report, locked
        todo = _unfinished(only)
        self._total = sum(part.megabytes for part in todo)
        self._before = 0
        self._fetched: dict[str, int] = {}
        self._looked = 0.0

    def do(self, part: ProgramPart) -> None:
        """Install one part. Raises `AppError` where the next ones would fail for the same reason."""
        self._look()
        note(working=part.id, begun=part.id, failed={part.id: None})
        self._fetched.clear()
        self._tell(part, "working", f"{part.title} is being prepared.")
        try:
            trouble = self._model(part) if part.model else self._packages(part)
        except AppError as error:
            trouble = pip.PipTrouble("model", error.message.rstrip("."), error.hint)
            if isinstance(error, OSError):  # the offline switch
                self._failed(part, trouble)
                raise
        finally:
            note(working="")
        self._before += part.megabytes
        note(begun="")
        if trouble is None:
            self._tell(part, "ready", f"{part.title} is ready.")
            return
        self._failed(part, trouble)
        if trouble.stops:
            raise AppError(f"The installation stopped: {trouble.why}.", kept=KEPT, hint=trouble.hint)

    def _failed(self, part: ProgramPart, trouble: pip.PipTrouble) -> None:
        sentence = f"{part.title} could not be prepared: {trouble.why}. {trouble.hint}".strip()
        note(failed={part.id: {"sentence": sentence, "kind": trouble.kind}})
        self._tell(part, "failed", sentence)

    def _packages(self, part: ProgramPart) -> pip.PipTrouble | None:
        if trouble := self._pip_of_the_lock(part):
            return trouble
        if part.itself and is_source() and (trouble := self._itself(part)):
            return trouble
        has_torch = pins.WITH_CPU_BUILDS in part.packages
        build = pins.build_of_torch(lambda words: self._pip(part, words)) if has_torch else ""
        with pins.constraints(_held_versions(part), build) as options:
            outcome = self._pip(part, ["--no-compile", *["--no-deps"] * part.alone, *options, *requirements(part)])
        importlib.invalidate_caches()
        if outcome.code != 0:
            return pip.trouble(outcome.said)
        folders = state.examined(part, InstalledPackages())
        if folders is None:
            return pip.UNKNOWN
        note(ready={part.id: {"requirements": state.requirements_stamp(part), "folders": folders}})
        return None

    def _pip_of_the_lock(self, part: ProgramPart) -> pip.PipTrouble | None:
        with pins.missing_pip(state.site_packages()) as arguments:
            outcome = self._pip(part, arguments) if arguments else pip.PipOutcome(0, "")
        return pip.trouble(outcome.said) if outcome.code != 0 else None

    def _itself(self, part: ProgramPart) -> pip.PipTrouble | None:
        """Return the program's own commands and metadata, which lead to its source."""
        if InstallationNotes.read().itself == state.itself_stamp() and InstalledPackages().whole("biasprint"):
            return None
        outcome = self._pip(part, ["--no-deps", *pins.build_constraints(), "--editable", str(ROOT)])
        if outcome.code != 0:
            return pip.trouble(outcome.said)
        note(itself=state.itself_stamp())
        return None

    def _pip(self, part: ProgramPart, arguments: Sequence[str]) -> pip.PipOutcome:
        def told(step: pip.PipStep) -> None:
            if step.total:
                self._fetched[step.name] = step.done
            self._progress(part, step.words, sum(self._fetched.values()))

        return pip.run(
            arguments,
            look=self._look,
            told=told,
            gently=True,
            inherits=[self._locked.fileno()],
            folder=Path(sys.prefix),
        )

    def _model(self, part: ProgramPart) -> pip.PipTrouble | None:
        from biasprint.core.machine.models.get import get

        get(part.model, _DownloadContext(self._ctx, lambda done: self._progress(part, f"fetching {part.model}", done)))
        return None

    def _progress(self, part: ProgramPart, words: str, fetched: int) -> None:
        """Report `fetched` bytes of this part so far; a file that was fetched before counts."""
        done = self._before + min(part.megabytes, fetched // 1_000_000)
        self._ctx.report(done, self._total, note=f"{part.title}: {words}")
        self._told(PartState(part, "working", f"{words[:1].upper()}{words[1:]}."))

    def _tell(self, part: ProgramPart, where: state.State, sentence: str) -> None:
        self._ctx.report(self._before, self._total, note=sentence)
        self._told(PartState(part, where, sentence))

    def _look(self) -> None:
        self._ctx.check()
        if time.monotonic() - self._looked > _OFFLINE_SECONDS:
            from biasprint.core.machine.offline import require_connection  # it needs a package of the first part

            require_connection("preparing the rest of the program")
            self._looked = time.monotonic()


class _DownloadContext(JobContext):
    """The job context of a download that is part of a job."""

    def __init__(self, outer: JobContext, done: Callable[[int], None]) -> None:
        super().__init__(lambda progress: done(progress.done))
        self._outer = outer

    def check(self) -> None:
        self._outer.check()


def _held_versions(part: ProgramPart) -> dict[str, str]:
    """Return the packages that other parts need and pip must not replace, with their versions: a running window may
    have it open.
    """
    installed = InstalledPackages()
    notes = InstallationNotes.read()
    others = (other for other in state.possible(notes) if other != part and other.packages)
    folders = {folder for other in others for folder in state.examined(other, installed) or ()}
    names = (each.removesuffix(".dist-info").partition("-")[::2] for each in folders)
    return {name: version for each, version in sorted(names) if (name := normalized(each)) not in part.packages}
