"""Reference sets: the same figures of many letters, by occupation and group, that one letter is held against."""
