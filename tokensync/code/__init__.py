"""Code that uses tokens, read by the lexical rules of its languages.

``files`` finds the files of code and splits them by language, and ``lexers`` reads each. ``token_names`` finds names of
tokens, whose uses ``search`` lists. ``checking`` finds what code should not have, and ``renaming`` rewrites names.
"""
