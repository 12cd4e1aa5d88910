"""Paragraphs of a rich text file."""

from core.errors import AppError


def paragraphs_of(data: bytes, name: str) -> list[str]:
    """The text, one paragraph a line; `AppError` for what cannot be followed."""
    from striprtf.striprtf import rtf_to_text

    try:
        text = str(rtf_to_text(data.decode("latin-1"), errors="replace"))  # type: ignore[no-untyped-call]
    except (ValueError, IndexError, LookupError, TypeError) as error:
        raise AppError(
            f"“{name}” is damaged or cut off.",
            hint="Ask for a fresh copy, or paste the letter's text.",
            details=f"{type(error).__name__}: {error}",
        ) from error
    return text.replace("\r", "").split("\n")
