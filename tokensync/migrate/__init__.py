"""Migration: tokens of other formats to variables, with a ledger of every token and alias.

The stages are ``recognition`` (files to a ``Source``), ``themes`` (a source to the merged tokens of each theme),
``evaluation`` (a token of a theme to a value), ``mapping_file`` (themes to collections and modes, as a file that users
edit), and ``conversion`` (to a ``TokenGraph`` and the ledger).
"""
