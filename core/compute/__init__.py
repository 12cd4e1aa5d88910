"""The compute process: a long-lived child in which scorers and heavy statistics run; the model process is another,
and the quick process a third, for answers that wait for no model.

`shared().call(score_batch, "minilm", texts, ctx=ctx)` runs that function there and returns its result. The module of
such a function imports nothing heavy when it is imported: this process never loads torch, transformers, spaCy or their
like. The child is spawned at the first call and keeps what it has loaded. A crash there is a `ComputeCrashed` here; the
next call starts a new child.

It starts from a script, a notebook or a prompt alike, and needs no `if __name__ == "__main__":` there: the child does
not run its parent's main module. It works in another folder, so a path in a text must be absolute. `core.machine.child`
starts it.
"""

from biasprint.core.compute.process import (
    ComputeCrashed,
    ComputeProcess,
    ComputeStopped,
    Turns,
    models,
    part_of_work,
    quick,
    shared,
)
