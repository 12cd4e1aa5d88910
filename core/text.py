"""Text is kept exactly: hashed as received, normalised only for matching."""

import hashlib
import unicodedata


def sha256_text(text: str) -> str:
    """SHA-256 (hex) of the exact text in UTF-8; lone surrogates are hashed as their three bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def for_matching(text: str) -> str:
    """Unicode NFC and case folding: only ever for comparing, never stored in place of the text."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
