"""A project on disk: configuration, token files, lock, manifest, outputs and plans."""
