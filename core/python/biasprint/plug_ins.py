"""The parts of a plug-in, under names that hold wherever the program is installed (docs/how-to/add-a-scorer.md).

A scorer needs `ScoreValue`; a backend `BackendInfo`, `Capabilities`, `Completion`, `GeneratorInfo`, `Request`; a study
`Study` and what it names. `Error(message, kept=…, hint=…)` and `UsageError` are shown to the person as they are.
"""

from biasprint.core.backends.protocol import Backend, BackendInfo, Capabilities, Completion, GeneratorInfo, Request
from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.errors import AppError as Error
from biasprint.core.errors import UsageError
from biasprint.core.findings import Adjustment, Effect, Finding, Interval, ScorerUse, StudyResult
from biasprint.core.prompts.drafts import PromptDraft, PromptSetDraft
from biasprint.core.scorers.protocol import Scorer, ScorerInfo, ScoreValue
from biasprint.core.studies.kit.declared import InputTable, StudyQuestion, StudyWords
from biasprint.core.studies.kit.study import Study
from biasprint.core.tables.fields import FieldSpec

__all__ = [
    "Adjustment",
    "Backend",
    "BackendInfo",
    "Capabilities",
    "Completion",
    "Effect",
    "Error",
    "FieldSpec",
    "Figure",
    "FigureMark",
    "Finding",
    "GeneratorInfo",
    "InputTable",
    "Interval",
    "PromptDraft",
    "PromptSetDraft",
    "Request",
    "ScoreValue",
    "Scorer",
    "ScorerInfo",
    "ScorerUse",
    "Study",
    "StudyQuestion",
    "StudyResult",
    "StudyWords",
    "UsageError",
]
