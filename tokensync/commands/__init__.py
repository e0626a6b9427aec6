"""The commands as plain functions, one module a command: the face of the library.

In: a ``Project`` and a ``Client``. Out: a result as data (``Pulled``, ``Planned``, ``Built``), or an exception. Nothing
is printed. Begin with ``pull`` (merge the platform into the token files), ``plan``, ``apply`` and ``build``;
``library`` has the functions that are no command.
"""
