"""The command line: works alone; `desktop.__main__` adds `gui` and `demo`. Progress on stderr, answers on stdout."""
