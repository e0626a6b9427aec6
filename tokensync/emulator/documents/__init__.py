"""A file's document: the tree of its layers, as it was set or made up from the file's variables."""
