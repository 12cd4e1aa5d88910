"""The readers of letters' files: each turns bytes into paragraphs, and says what of the file it left unread.

`plain` reads text and Markdown, `markup` HTML and rich text, `office` docx and odt, `pages` PDF. They share
`characters`, `lines` (lines to paragraphs) and `unread` (what was not read, for the person).
"""
