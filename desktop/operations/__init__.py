"""One small function per thing a person does; each returns an operation that the window runs as a job."""

from desktop.operations.base import Operation

__all__ = ["Operation"]
