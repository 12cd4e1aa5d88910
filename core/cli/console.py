"""Shared parts of all commands: answers on stdout, notes and progress on stderr, options, and opening what a person
named.

The store is imported where a project is opened: the window, and help, start half a second sooner without it. Where no
bar can move, a job's progress is one line at a time, as a log or a file shows it. The first line comes once the job is
known to take more than a minute, else after `EVERY_SECONDS`, so that a job that is done before has none.
"""

import io
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from biasprint.core.errors import AppError, UsageError, in_one_line
from biasprint.core.given import ordinary_file
from biasprint.core.jobs import JobContext, LongJob
from biasprint.core.jobs import Progress as JobProgress
from biasprint.core.language import tr

if TYPE_CHECKING:
    from biasprint.core.project.changes import Changes
    from biasprint.core.project.project import Project

EVERY_SECONDS = 30.0
MINUTE, HOUR = 60, 3600


class ProgressLog:
    """Progress of one job, reported when asked for, and once unasked: when it is known to take more than a minute,
    then with the `way_out` of it. `heard` may be called from any thread.
    """

    def __init__(
        self, title: str, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic, way_out: str = ""
    ) -> None:
        self._title, self._say, self._clock, self._way_out = title, say, clock, way_out
        self._long = LongJob(clock)
        self._began = clock()
        self._last: tuple[float, JobProgress] | None = None

    def heard(self, progress: JobProgress) -> None:
        left = self._long.heard(progress)
        if left is not None and progress.total is not None:
            progress = replace(progress, seconds_left=left, rate=(progress.total - progress.done) / left)
        self._last = self._clock(), progress
        if left is not None:
            self.tell(self._way_out)

    def tell(self, *more: str) -> None:
        """Say one line: title, what of how many, rate, time left, and for how long it has been at work."""
        now = self._clock()
        parts = [self._title, *self._known(now), f"{duration(now - self._began)} so far", *filter(None, more)]
        self._say(" · ".join(parts))

    def _known(self, now: float) -> Iterator[str]:
        if self._last is None:
            return
        heard, progress = self._last
        if progress.note:
            yield progress.note
        if progress.total is not None:
            yield f"{progress.done:,} of {progress.total:,}"
        elif progress.done:
            yield f"{progress.done:,}"
        if progress.rate:
            yield rate_in_words(progress.rate)
        if progress.seconds_left and progress.seconds_left > now - heard:
            yield f"about {duration(progress.seconds_left - (now - heard))} left"


@contextmanager
def told_in_lines(log: ProgressLog, every: float = EVERY_SECONDS) -> Iterator[None]:
    """Say a line of the job's progress every so many seconds, also while the job says nothing."""
    over = threading.Event()

    def tell() -> None:
        while not over.wait(every):
            log.tell()

    teller = threading.Thread(target=tell, name="progress log", daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def rate_in_words(per_second: float) -> str:
    """Items a second, or a minute where that is less than one."""
    if per_second < 1:
        return f"{per_second * MINUTE:.1f} a minute"
    return f"{per_second:,.0f} a second" if per_second >= 10 else f"{per_second:.1f} a second"


def duration(seconds: float) -> str:
    """Return a duration in its two largest units: "40 s", "3 min 20 s", "2 h 5 min"."""
    whole = max(0, round(seconds))
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    return f"{whole // HOUR:,} h {whole % HOUR // MINUTE} min"


# ---- How answers are printed: JSON for programs, tables for people

PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}  # a text is shown as it is
WIDTH_OF_NO_TERMINAL = 200
# What a terminal obeys instead of showing it, and what turns the direction of writing: both come in names of files,
# plans and raters. Only line ends and tabs are left.
_OBEYED = (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F),
           *range(0x2066, 0x206A))  # fmt: skip
_SHOWN = dict.fromkeys(_OBEYED, "\ufffd")
_AS_JSON = {code: f"\\u{code:04x}" for code in _OBEYED if code >= 0x7F}


def shown(text: str) -> str:
    """A text as a terminal may have it: everything that is printed for people goes through here."""
    return tr(text).translate(_SHOWN)


def named(path: Path | str) -> str:
    """A path in a sentence, without the line ends that a name may have."""
    return in_one_line(str(path))


def print_json(value: Any) -> None:
    """Print one JSON document on stdout, whole or not at all; not-a-number never leaves the program."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not utf8, indent=1, allow_nan=False).translate(_AS_JSON)
    with _answering():
        # A lone surrogate cannot be written in UTF-8; as JSON's own escape it comes out as it went in.
        sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def say(text: str, *, bold: bool = False) -> None:
    """Print a line of the answer; bold only where stdout is a terminal."""
    with _answering():
        Console(**PLAIN, soft_wrap=True).print(shown(text), style="bold" if bold else None)


class _Stderr:
    quiet = False


def keep_quiet(quiet: bool) -> None:
    """Write only what `complain` says to stderr from now on, or everything again."""
    _Stderr.quiet = quiet


def note(text: str, *, dim: bool = False) -> None:
    """Write a remark beside the answer to stderr."""
    if not _Stderr.quiet:
        complain(text, dim=dim)


def complain(text: str, *, dim: bool = False) -> None:
    """Write what went wrong to stderr, also where quiet was asked for."""
    Console(**PLAIN, soft_wrap=True, stderr=True).print(shown(text), style="dim" if dim else None)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Print a table for people; as wide as it needs to be where stdout is no terminal."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(tr(column), justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(shown, row))
    console = Console(**PLAIN)
    if not console.is_terminal:
        console.width = WIDTH_OF_NO_TERMINAL
    with _answering():
        console.print(table)


def never_fail_to_encode() -> None:
    """Print a character that the terminal or the pipe has no code for as its escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def finish_stdout() -> None:
    """Write out what is still in the buffer, while its failure can be reported."""
    with _answering():
        pass


@contextmanager
def _answering() -> Iterator[None]:
    """Raises `AppError` where stdout takes no more; `BrokenPipeError` where its reader has gone."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        # Python tries once more when it ends, and would complain in its own words.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise AppError(
            f"The answer could not be written ({error.strerror}).",
            kept="What was done in the project is kept.",
            hint="Free some space where the answer goes, or send it elsewhere.",
        ) from error


STOPS = "Ctrl+C stops it"


@contextmanager
def job(title: str, way_out: str = STOPS) -> Iterator[JobContext]:
    """A context whose reports move a bar on stderr; where that is no terminal, a line tells of them now and then.

    A line with the `way_out` says first what will take more than a minute.
    """
    console = Console(stderr=True, markup=False, emoji=False)
    listening = _bar(title, console, way_out) if console.is_terminal or _Stderr.quiet else _lines(title, way_out)
    with listening as listen:
        ctx = JobContext(listen)
        with _interrupt_cancels(ctx):
            yield ctx


@contextmanager
def _bar(title: str, console: Console, way_out: str) -> Iterator[Callable[[JobProgress], None]]:
    columns = (
        SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"), TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True, disable=_Stderr.quiet or not console.is_terminal) as bar:
        task = bar.add_task(shown(title), total=None, pace="")

        log = ProgressLog(title, lambda line: None if _Stderr.quiet else note(line), way_out=way_out)

        def listen(progress: JobProgress) -> None:
            log.heard(progress)
            words = f"{title}: {progress.note}" if progress.note else title
            pace = [rate_in_words(progress.rate)] if progress.rate else []
            if progress.seconds_left:
                pace.append(f"about {duration(progress.seconds_left)} left")
            bar.update(
                task, description=shown(words), completed=progress.done, total=progress.total, pace=", ".join(pace)
            )

        yield listen


@contextmanager
def _lines(title: str, way_out: str) -> Iterator[Callable[[JobProgress], None]]:
    log = ProgressLog(title, note, way_out=way_out)
    with told_in_lines(log):
        yield log.heard


@contextmanager
def _interrupt_cancels(ctx: JobContext) -> Iterator[None]:
    """Ask the job to stop at the first Ctrl+C; insist at the second one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def cancel(number: int, frame: Any) -> None:
        if ctx.cancelled:
            raise KeyboardInterrupt
        ctx.cancel()

    before = signal.signal(signal.SIGINT, cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# ---- Opening what the person named: a project to change, a project to read, or a table

PROJECT = ".biasprint"


def is_project(path: Path) -> bool:
    """Return whether a path is a project, by its name: a project is always called that."""
    return path.suffix.lower() == PROJECT


def _opened(path: Path, *, read_only: bool = False) -> "Project":
    """Open the project; a damaged row that a command meets is reported once, and the command goes on without it.

    What a person should know of a copy that is worked on instead is reported once too.
    """
    from biasprint.core.project.left_out import in_words
    from biasprint.core.project.project import Project

    project = Project.open(path, read_only=read_only)
    shown_count = 0

    def tell_of_copy(_: "Changes | None" = None) -> None:
        nonlocal shown_count
        sentences = project.working.told if project.working is not None else []
        if new := sentences[shown_count:]:
            note(" ".join(new))
        shown_count = len(sentences)

    def tell(_: "Changes") -> None:
        if project.left_out:
            stop()
            words = in_words(project.path.name, project.left_out)
            complain(f"{words} “biasprint check {named(path.name)}” says why.")

    stop = project.subscribe(tell)
    tell_of_copy()
    project.subscribe(tell_of_copy)
    return project


def open_to_read(path: Path) -> "Project":
    """Open the project for a command that changes nothing and shows no identity."""
    return _opened(path, read_only=True)


def open_for_writing(path: Path) -> "Project":
    """The project, or a plain refusal where it cannot be written to, or is a packet: another row would spoil it."""
    from biasprint.core.judging.packets.packet import packet_info
    from biasprint.core.project.connection import NotSaved

    project = _opened(path)
    if packet_info(project) is not None:
        project.close()
        raise UsageError(
            f"“{path.name}” is a packet: it is rated in the window, and nothing else is written to it.",
            hint=f"Rate it with “biasprint gui {path.name}”, or name the project that it was made from.",
        )
    if project.read_only:
        why, hint = project.read_only, project.way_to_write
        project.close()
        raise NotSaved(why, kept="Nothing was changed.", hint=hint)
    return project


def open_for_measuring(path: Path) -> "Project":
    """The project, read-only where another window is writing to it: measuring needs no more."""
    from biasprint.core.project.lock import ProjectInUse

    try:
        project = _opened(path)
    except ProjectInUse as error:
        note(f"{error.message} It is read here; findings are not stored in it.")
        return _opened(path, read_only=True)
    if project.read_only:
        note(f"{project.read_only} Findings are not stored in it.")
    return project


LookAnyway = Annotated[
    bool,
    typer.Option(
        "--look-anyway",
        help="In the middle of somebody's rating: it is recorded, and later answers are marked as seen.",
    ),
]


def open_to_look(path: Path, look_anyway: bool, command: str, *, measuring: bool = False) -> "Project":
    """The project for a command that names identities, to be read or, `measuring`, as `open_for_measuring` does.

    Refused in the middle of a rating on this machine, unless the look is asked for: then it is recorded first.
    """
    from biasprint.core.judging.looking import note_shown, record_look, refusal_to_show, sessions_to_ask

    project = open_for_measuring(path) if measuring else _opened(path, read_only=True)
    try:
        asked = sessions_to_ask(project)
        if asked and not look_anyway:
            raise refusal_to_show(asked, f"biasprint {command}", "with --look-anyway")
        writes = any(session.here for session in asked) and not measuring
        if asked and not writes:
            record_look(project, f"biasprint {command}")
        note_shown(project, f"biasprint {command}")
    except BaseException:
        project.close()
        raise
    if writes:
        project.close()
        with open_for_writing(path) as writable:
            record_look(writable, f"biasprint {command}")
        return _opened(path, read_only=True)
    return project


def check_target(target: Path, endings: Collection[str], sources: Sequence[Path] = ()) -> None:
    """Raise `UsageError`, before any work, for a file that has none of the endings or is one of the `sources`."""
    if target.suffix.lower() not in endings:
        raise UsageError(f"“{target.name}” has no ending to write to.", hint=f"Endings: {', '.join(endings)}.")
    if target.exists() and any(source.exists() and target.samefile(source) for source in sources):
        raise UsageError(f"“{target.name}” would take the place of what it is made from.", hint="Name another file.")


def new_path(path: Path) -> Path:
    if not is_project(path):
        raise UsageError(f"A project file ends in {PROJECT}.", hint=f"For example: {path.with_suffix(PROJECT).name}")
    return path


# ---- Options of a command that belong together, declared once as a dataclass


def words_of(path: Path | None, what: str) -> str:
    """Return the text of a file that a person wrote, "" for none. Raises `UsageError` where it holds no words."""
    if path is None:
        return ""
    try:
        ordinary_file(path, follow=True)
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"The {what} {path.name} cannot be read.", hint="Name a text file in UTF-8.") from None
    if not text.strip():
        raise UsageError(f"The {what} {path.name} has no words.", hint="Write at least one, or leave the option out.")
    return text


# ---- Generators

Backend = Annotated[str, typer.Option(help="What kind of generator: synthetic, llama_cpp, transformers, …")]
Model = Annotated[
    str,
    typer.Option(
        help="The generator's model: of the synthetic author none, small, medium or large; a name that “models list” "
        "shows, a file or a folder; of an endpoint one of its own."
    ),
]
Endpoint = Annotated[str | None, typer.Option(help="An endpoint by its name; “endpoints list” shows them.")]
Temperature = Annotated[float | None, typer.Option(help="Where the generator has one.", min=0.0, max=5.0)]
TopP = Annotated[float | None, typer.Option("--top-p", help="Where the generator has one.", min=0.0, max=1.0)]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", help="The longest a text may get, in tokens.", min=1)]
Set = Annotated[list[str] | None, typer.Option("--set", help="name=value: another parameter of the generator.")]
AskKey = Annotated[
    bool, typer.Option("--ask-key", help="Ask for the endpoint's key, for this run alone; it is not shown or kept.")
]

UsePreset = Annotated[
    bool, typer.Option("--preset/--no-preset", help="Begin with what the catalogue recommends for this model and work.")
]

_WORDS: dict[str, Any] = {"true": True, "yes": True, "false": False, "no": False}


def parameters(
    endpoint: str | None,
    temperature: float | None,
    top_p: float | None,
    max_tokens: int | None,
    others: Sequence[str],
    **more: str | None,
) -> dict[str, Any]:
    """Return the given parameters, by the backend's names. Raises `UsageError` for a `--set` that is no name=value."""
    named: dict[str, Any] = {
        "endpoint": endpoint, "temperature": temperature, "top_p": top_p, "max_tokens": max_tokens, **more,
    }  # fmt: skip
    return {name: value for name, value in named.items() if value is not None} | dict(map(_pair, others))


def preset_of(backend: str, model: str, purpose: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the catalogue recommends for a local model and a study, or for judging; note its use on stderr."""
    from biasprint.core.runs.setup import recommended

    preset = recommended(backend, model, purpose)
    if preset:
        settings = ", ".join(f"{name} {given.get(name, value)}" for name, value in preset.items())
        note(f"As recommended for {model} and {purpose} (--no-preset leaves it out): {settings}.")
    return preset


def session_keys(endpoint: str | None, ask: bool) -> dict[str, str]:
    """The keys that this session alone knows, with those that are asked for now."""
    from biasprint.core.machine import endpoints, keys

    if not ask:
        return keys.session_keys()
    if endpoint is None:
        raise UsageError("--ask-key asks for the key of an endpoint.", hint="Name it with --endpoint.")
    urls = [address.base_url for address in endpoints.endpoint(endpoint).addresses]
    return keys.session_keys() | keys.by_name(endpoint, urls, typed_keys(endpoint, len(urls)))


def typed_keys(endpoint: str, addresses: int) -> str:
    """Ask for the key of an endpoint, or for its keys at so many addresses, and return what is typed."""
    several = f", or {addresses} with blanks between them, one for each address" if addresses > 1 else ""
    typed: str = typer.prompt(f"Key of {endpoint}{several}", hide_input=True, err=True)
    return typed


@dataclass(frozen=True)
class GeneratorOptions:
    """Options that say how a generator is asked: where, with which parameters and by which key."""

    endpoint: Endpoint = None
    temperature: Temperature = None
    top_p: TopP = None
    max_tokens: MaxTokens = None
    settings: Set = None
    preset: UsePreset = True
    ask_key: AskKey = False

    def chosen(
        self, backend: str, model: str, purpose: str, **more: str | None
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the parameters for a study, or for judging, with what is recommended below them; and the keys."""
        given = parameters(self.endpoint, self.temperature, self.top_p, self.max_tokens, self.settings or (), **more)
        if self.preset:
            given = {**preset_of(backend, model, purpose, given), **given}
        return given, session_keys(self.endpoint, self.ask_key)


def _pair(entry: str) -> tuple[str, Any]:
    name, separator, value = entry.partition("=")
    if not separator or not name.strip():
        raise UsageError(f"“{entry}” sets nothing.", hint="For example: --set context=2048")
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:
    if text.casefold() in _WORDS:
        return _WORDS[text.casefold()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer reads it: a parameter that is a dataclass becomes an option for each of its fields.

    The fields are annotated as parameters would be, `Annotated[…, typer.Option(…)]`, and each has a default.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hints[name] for name in signature(command).parameters if is_dataclass(hints[name])}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name not in groups:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))
            continue
        types = get_type_hints(groups[name], include_extras=True)
        parameters += [
            Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=types[field.name])
            for field in fields(groups[name])
        ]

    @wraps(command)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called
