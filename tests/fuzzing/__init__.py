"""Files and replies that others made, damaged in thousands of ways: whatever comes in ends well.

`changes` damages bytes, archives, JSON and databases. `targets` lists the kinds of input, with what the program does
with each. `contract` says what ending well means, and holds one input to it in a process of its own. `campaign` spends
a budget on a kind, makes what it finds small, and says how it went. Finds are kept in tests/data/fuzzed/<kind>, and
tried again by the ordinary tests.
"""
