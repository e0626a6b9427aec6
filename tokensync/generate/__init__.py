"""From ``TokenGraph`` to output files: the engine that all targets share, names, and a module or folder for each target."""
