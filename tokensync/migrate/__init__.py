"""Migration: tokens of other formats to variables, with a ledger of every token and alias.

The stages are ``readers`` (files to a ``Source`` of sets and themes), ``evaluation`` (a theme to the values of its
tokens) and ``conversion`` (a mapping of themes to collections and modes, then a ``TokenGraph`` and the ledger).
``migrating`` runs them, after a rehearsal on the emulator, and ``record`` keeps what was written. ``cli`` plugs the
commands in, also ``migrate code`` of the room ``code``. Begin with ``migrating.migrate``.
"""
