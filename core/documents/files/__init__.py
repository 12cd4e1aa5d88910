"""A file becomes a `Document`: its paragraphs, and nothing else of it. Read in a child process with limits.

docx, odt, pdf (its text layer), rtf, html, md, txt and pasted text. Bytes go to the child and paragraphs come back:
nothing of a letter is written to disk on the way.
"""

from core.documents.files.read import read_bytes, read_file, read_pasted

__all__ = ["read_bytes", "read_file", "read_pasted"]
