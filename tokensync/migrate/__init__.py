"""Migration: tokens of other formats to variables, with a ledger of every token and alias.

The stages are ``readers`` (files to a ``Source`` of sets and themes), ``evaluation`` (a theme to the values of its
tokens) and ``conversion`` (a mapping of themes to collections and modes, then a ``TokenGraph`` and the ledger).
``migrating`` runs them, after a rehearsal on the emulator, ``record`` keeps what was written, and ``code`` rewrites
the old names in code. ``cli`` plugs the commands in. Begin with ``migrating.migrate``.
"""
