"""The readers of letters' files: each turns bytes into paragraphs, and says what of the file it left unread.

`lines` reads text and Markdown, and has what the others share; `markup` reads HTML, rich text and e-mails, `office`
docx and odt, `pages` PDF.
"""
