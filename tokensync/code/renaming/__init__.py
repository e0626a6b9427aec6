"""Rewrite the uses of renamed tokens in code, by the lexical rules of each language."""
