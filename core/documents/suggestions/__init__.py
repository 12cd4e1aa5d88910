"""Other ways to say what a mark found, each with its reason, to be taken one by one and undone: never a rewrite."""

from core.documents.suggestions.suggest import suggestions_for
from core.documents.suggestions.values import Suggestion, apply, undone

__all__ = ["Suggestion", "apply", "suggestions_for", "undone"]
