"""Graphs to a plan, and a plan to the requests that carry it out. No I/O.

The stages, in the order in which a plan comes about:

- ``identities``, by ``matching``: which object of one graph is which object of another;
- ``merging``: base, ours and theirs to one graph, and the conflicts between them;
- ``desired``: that graph with nothing in it that a variable cannot hold;
- ``refs``: a graph as the platform would hold it, a ``state``, in which everything goes by its ref;
- ``differ``: two states to ``operations``, which know whether they still hold when somebody has changed the file;
- ``validation``: what the platform would refuse of them;
- ``planning``: operations, problems, ``safety`` findings and held-back deletions (``pruning``) to a ``plan``;
- ``batches``: operations to requests, and the states between them;
- ``rollback``: the operations that take a plan back;
- ``review``, ``markdown``: a plan for people.
"""
