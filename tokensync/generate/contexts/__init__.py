"""One module a platform: the templates that its target renders, and the type of what each is given.

Each module has ``TEMPLATES``, a tuple of ``naming.contexts.Template``.
"""
