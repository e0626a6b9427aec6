"""Make a plan from token graphs, and requests from a plan. No I/O.

The stages of a plan, in order:

- ``identities`` matches the objects of several graphs;
- ``merging`` merges base, ours and theirs into one graph and finds ``conflicts``;
- ``desired`` converts that graph to one that variables and styles can hold;
- ``state`` converts a graph to the state of a file, keyed by refs;
- ``differ`` compares two states and returns ``operations``, which can tell whether they conflict with later edits;
- ``validation`` finds what the platform would refuse;
- ``planning`` makes a ``plan`` from operations, problems, ``safety`` findings and held-back deletions;
- ``batches`` orders the elements of operations, fills requests with them and computes the states between them;
- ``changes`` has the rows of changes and the words for values, and ``review`` renders a plan for people.
"""
