"""Arguments in, rendered result and exit code out; one file a command group, loaded when it is called."""
