"""What the stretches of a letter are: letterhead, salutation, body, closing, signature, quoted parts of a CV."""

from core.documents.parts.find import parts_of
from core.documents.parts.lines import Line, lines_of
from core.documents.parts.set_by_hand import with_kind
from core.documents.parts.suspicions import suspicions

__all__ = ["Line", "lines_of", "parts_of", "suspicions", "with_kind"]
