"""The errors a person may see: what happened, what was kept, what to do."""


class AppError(Exception):
    """A failure that its message explains; shown in one place, exit code 1.

    `message` says what happened, `kept` what is safe, `hint` what to do; one sentence each.
    `details` is for copying into a report and never needed to understand the message.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", kept: str = "", details: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.kept = kept
        self.details = details

    def __str__(self) -> str:
        return " ".join(part for part in (self.message, self.kept, self.hint) if part)


class UsageError(AppError):
    """What was asked for makes no sense as asked; exit code 2."""

    exit_code = 2


class NotInstalledYet(AppError):
    """It needs a part of the program that is not installed yet; it works without another start once that is there."""


class JobCancelled(Exception):
    """The person cancelled the job: not a failure, and silent."""
