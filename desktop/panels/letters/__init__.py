"""The letters panel: a letter is read and edited, compared with its swap twin, or checked as one of a pile.

`panel.LettersPanel` is the front door. Of a letter that nobody saves nothing is kept but a draft of what was edited.
"""
