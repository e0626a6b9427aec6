"""From a ``Snapshot`` to a ``TokenGraph``.

In: decoded responses. Out: a graph, and problems. ``graph`` makes tokens and collections of variables, ``numbers``
decides what a number is, ``findings`` reports unusual data, and ``mapping`` is the one translation between Figma's
words (types, scopes, names) and DTCG's. Begin with ``graph.normalize``.
"""
