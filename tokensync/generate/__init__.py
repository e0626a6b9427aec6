"""From ``TokenGraph`` to output files: what all targets share, names, and a module or folder for each target."""
