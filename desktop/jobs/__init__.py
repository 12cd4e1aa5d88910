"""Long work: a core job runs in a thread, its reports arrive on the window's thread, a drawer shows it."""

from biasprint.desktop.jobs.runner import JobHandle, JobRunner, JobState

__all__ = ["JobHandle", "JobRunner", "JobState"]
