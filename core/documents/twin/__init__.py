"""The swap twin: the same letter for a person of another name and gender, and whom a letter is about."""

from core.documents.twin.guess import Guess, guess, guess_person
from core.documents.twin.result import Change, Twin
from core.documents.twin.swap import known_losses, swap

__all__ = ["Change", "Guess", "Twin", "guess", "guess_person", "known_losses", "swap"]
