"""From a ``TokenGraph`` to output files.

In: a graph and an ``OutputRequest``. Out: ``OutputFile``s and problems. ``output`` has what all targets share,
``themes`` the modes as axes and appearances, ``notation`` composite values, ``naming`` the names in code, and
``targets`` a module or folder for each target. Begin with ``targets.generate``.
"""
