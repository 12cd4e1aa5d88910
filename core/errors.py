"""The errors a person may see: what happened, what was kept, what to do."""

import re

# A name from a file may go on for ever: of one word, or of one name in quotation marks, the beginning is enough.
_ENDLESS = re.compile(r"(?<=“)[^”]{400,}(?=”)|[^\s“”]{400,}")
KEPT_OF_A_NAME = 300
_QUOTED = re.compile(r"“[^”]*”")


class AppError(Exception):
    """A failure that its message explains; shown in one place, exit code 1.

    `message` says what happened, `kept` what is safe, `hint` what to do; one sentence each.
    `details` is for copying into a report and never needed to understand the message.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", kept: str = "", details: str = "") -> None:
        message = readable(message)
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.kept = kept
        self.details = details

    def __str__(self) -> str:
        return " ".join(part for part in (self.message, self.kept, self.hint) if part)


def readable(text: str) -> str:
    """A sentence on one line: line ends in quoted names are blanks, endless names are cut short."""

    def shortened(match: re.Match[str]) -> str:
        end = re.search(r"[.!?:,;)]*$", match[0])
        return f"{match[0][:KEPT_OF_A_NAME]}…{end[0] if end else ''}"

    return _ENDLESS.sub(shortened, _QUOTED.sub(lambda quoted: in_one_line(quoted[0]), text))


def in_one_line(name: str) -> str:
    """A name, of a file say, with blanks for its line ends."""
    return re.sub(r"\s*[\n\r\v\f\x85\u2028\u2029]\s*", " ", name)


class UsageError(AppError):
    """A request that makes no sense as made; exit code 2."""

    exit_code = 2


class NotInstalledYet(AppError):
    """A part of the program that is needed and not installed yet; once it is there, no restart is needed."""


class ProjectClosed(AppError):
    """A project that was closed before it was read."""


class JobCancelled(Exception):
    """The person cancelled the job: not a failure, and silent."""
