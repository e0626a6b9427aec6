"""Graphs to a plan, and a plan to the requests that carry it out. No I/O.

The stages, in the order in which a plan comes about:

- ``identities``: which thing of one graph is which thing of another;
- ``merging``: base, ours and theirs to one graph, and the conflicts between them;
- ``desired``: that graph with nothing in it that a variable cannot hold;
- ``state_of``: a graph as the platform would hold it, a ``state``, in which everything goes by its ref (``refs``);
- ``differ``: two states to ``operations``;
- ``validation``: what the platform would refuse of them;
- ``planning``: operations, problems, ``safety`` findings and held-back deletions (``pruning``) to a ``plan``;
- ``batches``: operations to requests, and the states between them;
- ``rebasing``: whether a plan still holds when somebody else has changed the file since;
- ``rollback``: the operations that take a plan back.
"""
