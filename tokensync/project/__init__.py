"""A project on disk.

In: a folder with tokensync.toml. Out: its ``Project`` (``configuration``), the graph of its token files (``sources``),
their merge with the platform (``merging``), the state that both sides agreed on (``lock``, after an apply
``applied_lock``), and the outputs with their manifest (``outputs``). ``connection`` opens the client. ``staged`` reads
all of it from git's index. Begin with ``configuration.load_project``.
"""
