"""The tool as plain functions, one file a verb: each wires the rooms below it."""
