"""What is in a file and hangs on it: its layers, as they were set or made up from its variables, at each version."""
