"""Letters and CVs that a person brings: read, taken apart, marked, compared, and swapped to a twin."""
