"""Read the files of every format into a ``Source``: one module for each format."""
