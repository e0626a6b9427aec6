"""What a project has on disk: configuration, token files, lock, manifest, outputs, plans."""
