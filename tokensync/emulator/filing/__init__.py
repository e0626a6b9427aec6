"""Where files are: teams, folders and the files in them, and who sees which."""
