"""Code that uses tokens, read by the lexical rules of its languages.

``files`` finds the files of code and splits them by language, and ``lexers`` reads each. ``search`` finds the uses of
tokens, and ``renaming`` rewrites the names of tokens.
"""
