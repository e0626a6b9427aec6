"""From Figma to a ``Snapshot``.

In: a file key. Out: the local and published variables as typed data. ``client`` sends requests (credentials, retries,
error messages; ``endpoints`` has the table of all), ``wire`` decodes responses and locates what is wrong in them, and
``fetch`` omits what the options exclude. Begin with ``fetch.extract``.
"""
