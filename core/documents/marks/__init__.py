"""Words in a letter that are known to matter, by category, with the reason and the source of each mark.

Categories are data: resources/letters/marks. Praise that is denied or weakened is marked as doubt.
"""

from core.documents.marks.categories import CategoryWords, categories, version
from core.documents.marks.find import marks_of

__all__ = ["CategoryWords", "categories", "marks_of", "version"]
