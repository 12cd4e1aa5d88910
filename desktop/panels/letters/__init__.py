"""The letters panel: a letter is read and edited, compared with its swap twin, or checked as one of a pile.

`panel.LettersPanel` is the front door. Nothing of a letter is kept: no recent list, no setting, no file.
"""
