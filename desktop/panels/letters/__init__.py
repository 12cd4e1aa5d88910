"""The letters panel: a letter is read and edited, compared with its swap twin, or checked as one of a pile.

`panel.LettersPanel` is the front door. Of an unsaved letter only a draft of the edited text is kept.
"""
